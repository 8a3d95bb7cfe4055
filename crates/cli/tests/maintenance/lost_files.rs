//! A file of the database that is gone, or older than the rest, is noticed: nothing goes on as if nothing had been there.

use std::path::Path;

use serde_json::json;

use crate::command::{check_clean, check_damaged, persea};
use crate::server::Server;

const N_DOCUMENTS: u64 = 40;

/// Writes enough for several files of the log; most of a delta that is never full stays there.
fn fill(folder: &Path, options: &[&str]) -> Server {
    let server = Server::start_in_with(folder, options);
    let client = server.client();
    client.create_collection("c");
    for n in 0..N_DOCUMENTS {
        client.post("/_api/document/c", &json!({ "n": n, "text": "x".repeat(1 << 20) })).expect(202);
    }
    server
}

fn refused(folder: &Path) -> String {
    let data = folder.to_str().unwrap();
    persea(["serve", "--data", data, "--endpoint", "tcp://127.0.0.1:0"]).expect(1).errors
}

#[test]
fn a_log_without_its_beginning() {
    let folder = tempfile::tempdir().unwrap();
    let options = ["--storage.checkpoint-interval", "3600", "--storage.delta-size", "1gib"];
    fill(folder.path(), &options).kill();
    check_clean(folder.path());
    let files = std::fs::read_dir(folder.path().join("log")).unwrap().map(|entry| entry.unwrap().path());
    let logs = files.filter(|path| path.extension().is_some_and(|extension| extension == "log"));
    std::fs::remove_file(logs.min().unwrap()).unwrap();
    let found = check_damaged(folder.path());
    assert!(found.contains("the commits up to 0") && found.contains("missing"), "{found}");
    let text = refused(folder.path());
    assert!(text.contains("those between are missing"), "{text}");
    // Nothing was changed by the attempt.
    assert_eq!(check_damaged(folder.path()), found);
}

/// Copying goes through the map of the file, which is why its pages are looked at first.
#[test]
fn nothing_is_copied_from_damaged_pages() {
    let folder = tempfile::tempdir().unwrap();
    assert!(fill(folder.path(), &[]).terminate().success());
    let data = folder.path().join("data.mdb");
    let whole = std::fs::read(&data).unwrap();
    let (page_bytes, n_pages) = (4_096, whole.len() / 4_096);
    for page in [n_pages / 3, n_pages / 2, n_pages - 2] {
        let mut bytes = whole.clone();
        bytes[page * page_bytes..][..page_bytes].fill(0);
        std::fs::write(&data, &bytes).unwrap();
        let is_damaged = persea(["check", folder.path().to_str().unwrap()]).code == Some(1);
        let compacted = persea(["compact", folder.path().to_str().unwrap()]);
        assert_eq!(compacted.code, Some(i32::from(is_damaged)), "page {page} of {n_pages}: {compacted:?}");
        if is_damaged {
            assert_eq!(std::fs::read(&data).unwrap(), bytes, "nothing was changed");
        }
    }
}

#[test]
fn a_data_file_that_is_gone_or_older() {
    let folder = tempfile::tempdir().unwrap();
    assert!(fill(folder.path(), &[]).terminate().success());
    check_clean(folder.path());
    let data = folder.path().join("data.mdb");
    let whole = std::fs::read(&data).unwrap();
    for is_empty in [false, true] {
        match is_empty {
            false => std::fs::remove_file(&data).unwrap(),
            true => std::fs::write(&data, b"").unwrap(),
        }
        let text = refused(folder.path());
        assert!(text.contains("those between are missing"), "{text}");
        let compacted = persea(["compact", folder.path().to_str().unwrap()]);
        assert_ne!(compacted.code, Some(0), "{compacted:?}");
    }
    std::fs::write(&data, &whole).unwrap();
    check_clean(folder.path());
    let server = Server::start_in(folder.path());
    assert_eq!(server.client().query("RETURN LENGTH(c)")[0], N_DOCUMENTS);
}

#[test]
fn a_log_that_is_gone_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let insert = |server: &Server, n: u64| {
        server.client().post("/_api/document/c", &json!({ "n": n })).expect(202);
    };
    let server = Server::start_in_with(folder.path(), &["--storage.checkpoint-interval", "3600"]);
    server.client().create_collection("c");
    insert(&server, 1);
    assert!(server.terminate().success());
    // After an orderly end nothing is in it only.
    std::fs::remove_dir_all(&log).unwrap();
    check_clean(folder.path());
    let server = Server::start_in_with(folder.path(), &["--storage.checkpoint-interval", "3600"]);
    assert_eq!(server.client().query("RETURN LENGTH(c)"), [1]);
    insert(&server, 2);
    let copy = tempfile::tempdir().unwrap();
    let [from, to] = [folder.path(), copy.path()].map(|path| path.to_str().unwrap());
    persea(["backup", "--data", from, "--to", to]).expect(0);
    server.kill();
    check_clean(folder.path());
    // A copy needs none, also one that was made of a running server.
    check_clean(copy.path());
    assert_eq!(Server::start_in(copy.path()).client().query("RETURN LENGTH(c)"), [2]);
    for is_empty in [false, true] {
        std::fs::remove_dir_all(&log).unwrap();
        if is_empty {
            std::fs::create_dir(&log).unwrap();
        }
        let found = check_damaged(folder.path());
        assert!(found.contains("the log is gone"), "{found}");
        let backup = persea(["backup", "--data", from, "--to", &format!("{to}/{is_empty}")]).expect(1);
        let read_only = persea(["serve", "--read-only", "--data", from, "--endpoint", "tcp://127.0.0.1:0"]);
        let checked = persea(["check", from]).expect(1).output;
        for text in [refused(folder.path()), backup.errors, read_only.expect(1).errors, checked] {
            assert!(text.contains("the log is gone"), "{text}");
            assert!(text.contains("--wal.ignore-damage") && text.contains("a backup"), "{text}");
        }
        // Nothing was changed by the attempts.
        assert_eq!(check_damaged(folder.path()), found);
    }
    let server = Server::start_in_with(folder.path(), &["--wal.ignore-damage"]);
    assert_eq!(server.client().query("RETURN LENGTH(c)"), [1]);
    insert(&server, 3);
    server.kill();
    check_clean(folder.path());
    assert_eq!(Server::start_in(folder.path()).client().query("FOR d IN c SORT d.n RETURN d.n"), [1, 3]);
}

/// Nobody waits for ever for the other end of a FIFO.
#[test]
fn what_is_no_file() {
    let folder = tempfile::tempdir().unwrap();
    Server::start_in(folder.path()).terminate();
    let data = folder.path().to_str().unwrap();
    let names = std::fs::read_dir(folder.path().join("log")).unwrap().map(|entry| entry.unwrap().path());
    let segment = names.filter(|path| path.extension().is_some_and(|extension| extension == "log")).min();
    for path in [folder.path().join("data.mdb"), segment.unwrap()] {
        let kept = path.with_extension("kept");
        std::fs::rename(&path, &kept).unwrap();
        for kind in ["a named pipe", "a folder"] {
            if kind == "a folder" {
                std::fs::create_dir(&path).unwrap();
            } else {
                assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
            }
            for text in [refused(folder.path()), persea(["check", data]).expect(2).errors] {
                assert!(text.contains(kind) && text.contains("and no file"), "{text}");
            }
            assert_ne!(persea(["compact", data]).code, Some(0));
            std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir(&path)).unwrap();
        }
        std::fs::rename(&kept, &path).unwrap();
        check_clean(folder.path());
    }
}

/// LMDB trusts these pages: what is wrong with them would end the process.
#[test]
fn damaged_meta_pages() {
    let folder = tempfile::tempdir().unwrap();
    Server::start_in(folder.path()).terminate();
    let data = folder.path().join("data.mdb");
    let whole = std::fs::read(&data).unwrap();
    // The page size, the flags and the root of the main tree, the last page, the transaction.
    for (offset, pages) in [(41, 2), (92, 2), (128, 2), (141, 2), (145, 1)] {
        let mut bytes = whole.clone();
        for page in [0, 4096].into_iter().take(pages) {
            bytes[page + offset] ^= 0x5A;
        }
        std::fs::write(&data, &bytes).unwrap();
        let found = check_damaged(folder.path());
        assert!(found.contains("data.mdb"), "{offset}: {found}");
        let text = refused(folder.path());
        assert!(text.contains("the storage file is damaged"), "{offset}: {text}");
        assert_eq!(std::fs::read(&data).unwrap(), bytes, "nothing was changed");
    }
    std::fs::write(&data, &whole).unwrap();
    check_clean(folder.path());
}
