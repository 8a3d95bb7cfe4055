//! Compaction gives space back, and a kill at any moment loses nothing.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;

use crate::command::{check_clean, persea};
use crate::server::Server;

/// A folder whose data file is mostly free pages: 40 of 4,000 documents are left.
fn mostly_deleted() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_in(folder.path());
    let client = server.client();
    client.create_collection("c");
    client.create_collection("dropped");
    for name in ["c", "dropped"] {
        let fill = format!("FOR i IN 1..4000 INSERT {{ n: i, text: REPEAT('x', 1000) }} INTO {name}");
        client.query(&fill);
    }
    server.terminate();
    let server = Server::start_in(folder.path());
    let client = server.client();
    client.query("FOR d IN c FILTER d.n > 40 REMOVE d IN c");
    client.delete("/_api/collection/dropped").expect(200);
    server.terminate();
    folder
}

fn data_bytes(folder: &std::path::Path) -> u64 {
    std::fs::metadata(folder.join("data.mdb")).unwrap().len()
}

#[test]
fn the_file_shrinks_and_a_kill_at_any_moment_loses_nothing() {
    let folder = mostly_deleted();
    let data = folder.path().to_str().unwrap();
    let (before, original) =
        (data_bytes(folder.path()), std::fs::read(folder.path().join("data.mdb")).unwrap());
    let is_whole = || {
        check_clean(folder.path());
        let server = Server::start_in(folder.path());
        let client = server.client();
        assert_eq!(client.query("RETURN [LENGTH(c), SUM(FOR d IN c RETURN d.n)]"), [json!([40, 820])]);
        server.kill();
    };
    let mut n_replaced = 0;
    for round in 0..12 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_persea"))
            .args(["compact", data])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(round * 15));
        child.kill().unwrap();
        child.wait().unwrap();
        is_whole();
        if data_bytes(folder.path()) < before {
            n_replaced += 1;
            std::fs::write(folder.path().join("data.mdb"), &original).unwrap();
            std::fs::remove_dir_all(folder.path().join("log")).unwrap();
        }
    }
    assert!(n_replaced < 12, "some were killed before they were done");
    let done = persea(["compact", data, "--json"]).expect(0).json();
    let after = data_bytes(folder.path());
    assert_eq!(done["bytesAfter"], after);
    assert!(after < before / 10, "{before} before, {after} after");
    is_whole();
    assert!(!folder.path().join("data.mdb.compact").exists());
    let again = persea(["compact", data]).expect(0);
    assert!(again.output.contains("the data file had"), "{again:?}");
}

#[test]
fn a_folder_in_use_is_left_alone() {
    let server = Server::start();
    let data = server.folder().to_str().unwrap();
    let ended = persea(["compact", data]).expect(1);
    assert!(ended.errors.contains(&format!("in use by process {}", server.pid())), "{ended:?}");
    server.client().get("/_api/version").expect(200);
    let empty = tempfile::tempdir().unwrap();
    let ended = persea(["compact", empty.path().to_str().unwrap()]).expect(1);
    assert!(ended.errors.contains("there is no database"), "{ended:?}");
    assert_eq!(std::fs::read_dir(empty.path()).unwrap().count(), 0, "nothing was made");
}

#[test]
fn a_reader_keeps_the_file_in_its_place() {
    let folder = tempfile::tempdir().unwrap();
    Server::start_in(folder.path()).terminate();
    let reader = Server::start_in_with(folder.path(), &["--read-only"]);
    let ended = persea(["compact", folder.path().to_str().unwrap()]).expect(1);
    assert!(ended.errors.contains("is being read by other processes"), "{ended:?}");
    reader.client().get("/_api/version").expect(200);
    drop(reader);
    persea(["compact", folder.path().to_str().unwrap()]).expect(0);
}
