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
