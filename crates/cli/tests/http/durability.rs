//! What was acknowledged is there after `kill -9`, and a restart loses nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;

use crate::client::await_true;
use crate::server::Server;

#[test]
fn acknowledged_writes_survive_kill() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut expected = 0;
    for round in 0..3 {
        let server = Server::start_in(folder.path());
        let client = server.client();
        if round == 0 {
            client.create_collection("c");
            client
                .post(
                    "/_api/index?collection=c",
                    &json!({ "type": "persistent", "fields": ["n"], "unique": true }),
                )
                .expect(201);
        }
        assert_eq!(
            client.query("FOR d IN c COLLECT WITH COUNT INTO n RETURN n"),
            [expected],
            "round {round}"
        );
        let acknowledged = Arc::new(AtomicUsize::new(0));
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let (client, acknowledged) = (server.client(), acknowledged.clone());
                std::thread::spawn(move || {
                    for number in 0..40 {
                        let n = (round * 4 + writer) * 1_000 + number;
                        client.post("/_api/document/c", &json!({ "n": n })).expect(202);
                        acknowledged.fetch_add(1, Ordering::SeqCst);
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.join().expect("a writer");
        }
        expected += acknowledged.load(Ordering::SeqCst);
        server.kill();
    }
    let server = Server::start_in(folder.path());
    let client = server.client();
    assert_eq!(client.query("RETURN LENGTH(c)"), [expected]);
    assert_eq!(client.query("FOR d IN c FILTER d.n >= 0 COLLECT WITH COUNT INTO n RETURN n"), [expected]);
}

#[test]
fn killed_in_the_middle_of_writing() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start_in(folder.path());
    server.client().create_collection("c");
    let acknowledged = Arc::new(AtomicUsize::new(0));
    let counter = acknowledged.clone();
    let address = server.address.clone();
    let writer = std::thread::spawn(move || {
        let client = crate::client::Client::new(&address, "");
        for number in 0.. {
            let body =
                json!([{ "_key": format!("{number}a") }, { "_key": format!("{number}b") }]).to_string();
            match client.try_send("POST", "/_api/document/c", &[], body.as_bytes()) {
                Ok(answer) if answer.status == 202 => counter.store(number + 1, Ordering::SeqCst),
                _ => return,
            }
        }
    });
    await_true("it is in the middle", || acknowledged.load(Ordering::SeqCst) > 30);
    server.kill();
    writer.join().expect("the writer ends");
    let acknowledged = acknowledged.load(Ordering::SeqCst);
    let server = Server::start_in(folder.path());
    let client = server.client();
    let found = client.query("FOR d IN c COLLECT n = TO_NUMBER(LEFT(d._key, LENGTH(d._key) - 1)) WITH COUNT INTO parts RETURN [n, parts]");
    assert!(
        found.len() == acknowledged || found.len() == acknowledged + 1,
        "{} of {acknowledged}",
        found.len()
    );
    assert!(found.iter().all(|pair| pair[1] == 2), "no request is half there");
    assert_eq!(client.query("RETURN LENGTH(c)"), [found.len() * 2]);
}

#[test]
fn a_folder_has_one_server() {
    let server = Server::start();
    let second = std::process::Command::new(env!("CARGO_BIN_EXE_persea"))
        .args(["serve", "--endpoint", "tcp://127.0.0.1:0", "--data"])
        .arg(server.folder())
        .output()
        .expect("it runs");
    assert!(!second.status.success());
    let text = String::from_utf8_lossy(&second.stderr);
    assert!(text.contains(&server.pid().to_string()), "the holder is named: {text}");
    server.client().get("/_api/version").expect(200);
}

#[test]
fn start_time_does_not_grow_with_the_data() {
    let empty = tempfile::tempdir().expect("a folder");
    Server::start_in(empty.path()).terminate();
    let full = tempfile::tempdir().expect("a folder");
    let server = Server::start_in(full.path());
    let client = server.client();
    client.create_collection("c");
    client.post("/_api/index?collection=c", &json!({ "type": "persistent", "fields": ["n"] })).expect(201);
    for round in 0..10 {
        let lines: Vec<String> = (0..10_000).map(|n| json!({ "n": n, "round": round }).to_string()).collect();
        let answer =
            client.send("POST", "/_api/import?collection=c&type=documents", &[], lines.join("\n").as_bytes());
        assert_eq!(answer.expect(201).body["created"], 10_000);
    }
    server.kill();
    let start_time = |folder: &std::path::Path| {
        let server = Server::start_in(folder);
        let time = server.start_time;
        server.terminate();
        time
    };
    // Other tests run beside this one, so that the best of some tries counts.
    let (mut without, mut with) = (Duration::MAX, Duration::MAX);
    let is_as_fast = (0..10).any(|_| {
        without = without.min(start_time(empty.path()));
        with = with.min(start_time(full.path()));
        with <= without * 2 + Duration::from_millis(100)
    });
    assert!(is_as_fast, "{with:?} with data, {without:?} without");
}
