//! A server on a disk that is full: it starts, can be read, says what is wrong, and goes on when there is room again.
//!
//! Needs a small file system, named by `PERSEA_SMALL_DISK` (for one `mount -t tmpfs -o size=120m none FOLDER`); without
//! it there is nothing to do.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::client::await_true;
use crate::command::check_clean;
use crate::server::Server;

/// Fills the disk to the last byte.
fn fill(path: &Path) {
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
    for n_bytes in [1 << 16, 1 << 12, 1] {
        while file.write_all(&vec![1; n_bytes]).is_ok() {}
    }
}

#[test]
fn it_starts_with_a_log_to_replay() {
    let Some(disk) = std::env::var_os("PERSEA_SMALL_DISK").map(PathBuf::from) else { return };
    let folder = tempfile::tempdir_in(disk).unwrap();
    let filler = folder.path().join("filler");
    let data = folder.path().join("data");
    // What is far more than one delta of the second start.
    let server = Server::start_in_with(&data, &["--storage.checkpoint-interval", "3600"]);
    server.client().create_collection("c");
    let text = "x".repeat(100_000);
    for n in 0..60 {
        server.client().post("/_api/document/c", &json!({ "n": n, "text": text })).expect(202);
    }
    server.kill();
    fill(&filler);
    let server = Server::start_in_with(&data, &["--storage.delta-size", "256kib"]);
    let client = server.client();
    // What it gave back of the end of its log goes too.
    fill(&filler);
    assert_eq!(
        client.query("RETURN [LENGTH(c), SUM(FOR d IN c RETURN LENGTH(d.text))]")[0],
        json!([60, 6_000_000])
    );
    let insert = || client.post("/_api/document/c", &json!({ "n": "later", "text": text }));
    let mut n_later = 0;
    let refused = loop {
        let answer = insert();
        if answer.status != 202 {
            break answer.body;
        }
        n_later += 1;
        assert!(n_later < 1000, "it never refuses");
    };
    assert_eq!(refused["errorNum"], 1004, "{refused}");
    assert!(refused["errorMessage"].as_str().unwrap().contains("No space left"), "{refused}");
    assert_eq!(client.query("RETURN LENGTH(c)")[0], 60 + n_later);
    std::fs::remove_file(&filler).unwrap();
    await_true("it takes documents again", || insert().status == 202);
    assert_eq!(client.query("RETURN LENGTH(c)")[0], 61 + n_later);
    assert!(server.terminate().success());
    check_clean(&data);
}
