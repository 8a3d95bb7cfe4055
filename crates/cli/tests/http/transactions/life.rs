//! Transactions begin, end, are asked for by their id, and expire.

use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Transaction, count, server_with, server_with_collections};
use crate::client::Client;
use crate::server::Server;

#[test]
fn bad_requests_to_begin() {
    let (_server, client) = server_with_collections();
    let begin = |body: Value| client.post("/_api/transaction/begin", &body);
    for body in [
        json!({}),
        json!([]),
        json!({ "collections": "a" }),
        json!({ "collections": { "write": 1 } }),
        json!({ "collections": { "read": ["a", 1] } }),
        json!({ "collections": {}, "waitForSync": "yes" }),
        json!({ "collections": {}, "allowImplicit": 1 }),
        json!({ "collections": {}, "lockTimeout": -1 }),
        json!({ "collections": {}, "maxTransactionSize": "big" }),
    ] {
        let message = begin(body.clone()).expect_error(400, 10);
        assert!(!message.is_empty(), "{body}");
    }
    client.send("POST", "/_api/transaction/begin", &[], b"{").expect_error(400, 600);
    for mode in ["read", "write", "exclusive"] {
        begin(json!({ "collections": { mode: ["a", "nowhere"] } })).expect_error(404, 1203);
    }
    begin(json!({ "collections": { "read": null, "write": "a" }, "lockTimeout": 0, "waitForSync": true }))
        .expect(201);
    client
        .post("/_api/transaction", &json!({ "collections": {}, "action": "function(){}" }))
        .expect_error(501, 9);
}

#[test]
fn ids() {
    let (server, client) = server_with_collections();
    client.post("/_api/database", &json!({ "name": "other" })).expect(201);
    let other = server.client_of("other");
    let inside = Transaction::writing(&client, &["a"]);
    for (id, status, number) in
        [("illegal", 400, 10), ("0", 400, 10), ("-1", 400, 10), ("987654321", 404, 1655)]
    {
        let path = format!("/_api/transaction/{id}");
        client.get(&path).expect_error(status, number);
        client.json("PUT", &path, &json!({})).expect_error(status, number);
        client.delete(&path).expect_error(status, number);
        let headers = [("x-arango-trx-id", id)];
        for (method, path) in [
            ("GET", "/_api/document/a/1"),
            ("POST", "/_api/document/a"),
            ("POST", "/_api/cursor"),
            ("GET", "/_api/collection/a/count"),
            ("GET", "/_api/index?collection=a"),
        ] {
            client.send(method, path, &headers, b"{}").expect_error(status, number);
        }
    }
    let elsewhere = Transaction { client: &other, id: inside.id.clone() };
    other.get(&inside.path()).expect_error(404, 1655);
    elsewhere.commit().expect_error(404, 1655);
    elsewhere.post("/_api/cursor", &json!({ "query": "RETURN 1" })).expect_error(404, 1655);
    let listed = |client: &Client| client.get("/_api/transaction").expect(200).body;
    assert_eq!(listed(&client), json!({ "transactions": [{ "id": inside.id, "state": "running" }] }));
    assert_eq!(listed(&other), json!({ "transactions": [] }));
    client.json("PUT", "/_api/transaction", &json!({})).expect_error(400, 400);
    client.send("PATCH", &inside.path(), &[], b"{}").expect_error(405, 405);
}

#[test]
fn after_the_end() {
    let (_server, client) = server_with_collections();
    let committed = Transaction::writing(&client, &["a"]);
    committed.commit().expect(200);
    committed.commit().expect(200);
    committed.abort().expect_error(400, 1653);
    committed.post("/_api/document/a", &json!({})).expect_error(400, 1653);
    let aborted = Transaction::writing(&client, &["a"]);
    aborted.abort().expect(200);
    aborted.abort().expect(200);
    aborted.commit().expect_error(400, 1653);
    aborted.post("/_api/document/a", &json!({})).expect_error(410, 1654);
    assert_eq!(client.get("/_api/transaction").body["transactions"], json!([]));
    assert_eq!(count(&client, "a"), 0);
}

#[test]
fn all_that_write_can_be_aborted() {
    let (_server, client) = server_with_collections();
    let reading = Transaction::begin(&client, &json!({ "collections": { "read": "a" } }));
    let writing = Transaction::writing(&client, &["a"]);
    let exclusive = Transaction::begin(&client, &json!({ "collections": { "exclusive": "b" } }));
    client.delete("/_api/transaction/write").expect(200);
    reading.expect_status("running");
    writing.expect_status("aborted");
    exclusive.expect_status("aborted");
}

#[test]
fn the_unused_expire() {
    let (_server, client) = server_with(&["--transaction.streaming-idle-timeout", "3"]);
    let (idle, used) = (Transaction::writing(&client, &["a"]), Transaction::writing(&client, &["a"]));
    idle.post("/_api/document/a", &json!({ "_key": "1" })).expect(202);
    let started = Instant::now();
    while client.get("/_api/transaction").body["transactions"].as_array().expect("a list").len() > 1 {
        assert!(started.elapsed() < Duration::from_secs(60), "it doesn't expire");
        assert_eq!(used.query("RETURN LENGTH(a)"), [0]);
        sleep(Duration::from_millis(100));
    }
    assert!(started.elapsed() > Duration::from_secs(2));
    idle.expect_status("aborted");
    idle.post("/_api/document/a", &json!({})).expect_error(410, 1654);
    idle.commit().expect_error(400, 1653);
    used.post("/_api/document/a", &json!({ "_key": "1" })).expect(202);
    used.commit().expect(200);
    assert_eq!(count(&client, "a"), 1);
}

#[test]
fn a_transaction_that_only_reads_goes_with_its_database() {
    let (server, client) = server_with_collections();
    client.post("/_api/database", &json!({ "name": "other" })).expect(201);
    let other = server.client_of("other");
    other.create_collection("c");
    let inside = Transaction::begin(&other, &json!({ "collections": { "read": "c" } }));
    client.delete("/_api/database/other").expect(200);
    inside.commit().expect_error(404, 1228);
}

#[test]
fn a_kill_leaves_nothing_uncommitted() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start_in(folder.path());
    let client = server.client();
    client.create_collection("a");
    for round in 0..20 {
        let committed = Transaction::writing(&client, &["a"]);
        for part in 0..3 {
            committed.post("/_api/document/a", &json!({ "round": round, "part": part })).expect(202);
        }
        committed.commit().expect(200);
    }
    let open = Transaction::writing(&client, &["a"]);
    open.query("FOR n IN 1..1000 INSERT { open: true } INTO a");
    server.kill();
    let server = Server::start_in(folder.path());
    let client = server.client();
    let parts = client.query("FOR d IN a COLLECT round = d.round WITH COUNT INTO n RETURN [round, n]");
    let expected: Vec<Value> = (0..20).map(|round| json!([round, 3])).collect();
    assert_eq!(parts, expected);
    assert_eq!(count(&client, "a"), 60);
    let path = format!("/_api/transaction/{}", open.id);
    client.get(&path).expect_error(404, 1655);
}
