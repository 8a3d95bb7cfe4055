//! A copy holds what was acknowledged, whether or not a server runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde_json::json;

use crate::client::await_true;
use crate::command::{check_clean, persea};
use crate::server::Server;

fn backup(from: &std::path::Path, to: &std::path::Path) -> serde_json::Value {
    let (from, to) = (from.to_str().unwrap(), to.to_str().unwrap());
    persea(["backup", "--data", from, "--to", to, "--json"]).expect(0).json()
}

/// The greatest `n`, after checking that all up to it are there.
fn served(folder: &std::path::Path) -> u64 {
    let server = Server::start_in(folder);
    let client = server.client();
    let row = client
        .query("RETURN [MAX(FOR d IN c RETURN d.n), LENGTH(c), COUNT(FOR d IN c FILTER d.n > 0 RETURN 1)]");
    let newest = row[0][0].as_u64().expect("a number");
    assert_eq!(row[0], json!([newest, newest, newest]), "nothing is missing below the newest");
    server.terminate();
    newest
}

#[test]
fn a_copy_made_under_load_is_whole_and_has_all_that_was_acknowledged() {
    let server =
        Server::start_with(&["--storage.delta-size", "256kib", "--storage.checkpoint-interval", "0.3"]);
    let client = server.client();
    client.create_collection("c");
    client.post("/_api/index?collection=c", &json!({ "type": "persistent", "fields": ["n"] })).expect(201);
    let (acknowledged, is_over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
    let writer = {
        let (client, acknowledged, is_over) = (client.clone(), acknowledged.clone(), is_over.clone());
        std::thread::spawn(move || {
            for n in 1.. {
                if is_over.load(Ordering::SeqCst) {
                    return;
                }
                client.post("/_api/document/c", &json!({ "n": n, "text": "x".repeat(2000) })).expect(202);
                acknowledged.store(n, Ordering::SeqCst);
            }
        })
    };
    let (mut last_commit, mut last_sure) = (0, 0);
    for _ in 0..4 {
        await_true("more is written", || acknowledged.load(Ordering::SeqCst) > last_sure + 100);
        let copy = tempfile::tempdir().unwrap();
        let sure = acknowledged.load(Ordering::SeqCst);
        last_sure = sure;
        let made = backup(server.folder(), copy.path());
        let commit = made["commit"].as_u64().expect("a commit");
        assert!(commit > last_commit, "{commit} after {last_commit}");
        last_commit = commit;
        check_clean(copy.path());
        let found = served(copy.path());
        assert!(found >= sure, "{found} copied, {sure} acknowledged");
        check_clean(server.folder());
    }
    is_over.store(true, Ordering::SeqCst);
    writer.join().expect("the writer ends");
}

#[test]
fn a_copy_of_a_killed_servers_folder_has_what_is_in_the_log_only() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_in_with(folder.path(), &["--storage.checkpoint-interval", "3600"]);
    let client = server.client();
    client.create_collection("c");
    for n in 1..=50 {
        client.post("/_api/document/c", &json!({ "n": n })).expect(202);
    }
    server.kill();
    let copy = tempfile::tempdir().unwrap();
    // The folder of the copy may be missing.
    let target = copy.path().join("below/copy");
    backup(folder.path(), &target);
    assert_eq!(check_clean(&target)["log"]["records"], 0, "the copy needs no log");
    assert_eq!(served(&target), 50);
    // The original was left as it was.
    assert!(check_clean(folder.path())["log"]["records"].as_u64().unwrap() > 0);
    assert_eq!(served(folder.path()), 50);
}

#[test]
fn what_is_there_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    Server::start_in(folder.path()).terminate();
    let target = tempfile::tempdir().unwrap();
    std::fs::write(target.path().join("mine"), "kept").unwrap();
    let (from, to) = (folder.path().to_str().unwrap(), target.path().to_str().unwrap());
    let ended = persea(["backup", "--data", from, "--to", to]).expect(1);
    assert!(ended.errors.contains("is not empty"), "{ended:?}");
    assert_eq!(std::fs::read_dir(target.path()).unwrap().count(), 1);
    let empty = tempfile::tempdir().unwrap();
    let ended =
        persea(["backup", "--data", empty.path().to_str().unwrap(), "--to", "/nonexistent/x"]).expect(1);
    assert!(ended.errors.contains("there is no database"), "{ended:?}");
}

#[test]
fn the_sentence_for_people_names_the_commit() {
    let folder = tempfile::tempdir().unwrap();
    Server::start_in(folder.path()).terminate();
    let target = folder.path().join("copy");
    let (from, to) = (folder.path().to_str().unwrap(), target.to_str().unwrap());
    let ended = persea(["backup", "--data", from, "--to", to]).expect(0);
    assert!(ended.output.contains("everything up to commit "), "{ended:?}");
}
