//! Stream transactions: begin, use, commit, abort, expire.

use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Answer, Client, await_some};
use crate::server::Server;

/// A client inside of a transaction.
pub(crate) struct Transaction<'a> {
    client: &'a Client,
    pub(crate) id: String,
}

impl<'a> Transaction<'a> {
    #[track_caller]
    pub(crate) fn begin(client: &'a Client, body: &Value) -> Transaction<'a> {
        let answer = client.post("/_api/transaction/begin", body).expect(201);
        assert_eq!((&answer.body["error"], &answer.body["code"]), (&json!(false), &json!(201)));
        assert_eq!(answer.body["result"]["status"], "running");
        let id = answer.body["result"]["id"].as_str().expect("a text").to_owned();
        Transaction { client, id }
    }

    #[track_caller]
    pub(crate) fn writing(client: &'a Client, collections: &[&str]) -> Transaction<'a> {
        Transaction::begin(client, &json!({ "collections": { "write": collections } }))
    }

    pub(crate) fn path(&self) -> String {
        format!("/_api/transaction/{}", self.id)
    }

    #[track_caller]
    pub(crate) fn send(&self, method: &str, path: &str, body: &Value) -> Answer {
        let text = if body.is_null() { String::new() } else { body.to_string() };
        self.client.send(method, path, &[("x-arango-trx-id", &self.id)], text.as_bytes())
    }

    #[track_caller]
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &Value::Null)
    }

    #[track_caller]
    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, body)
    }

    #[track_caller]
    pub(crate) fn query(&self, query: &str) -> Vec<Value> {
        let answer =
            self.post("/_api/cursor", &json!({ "query": query, "batchSize": 1_000_000 })).expect(201);
        answer.body["result"].as_array().expect("rows").clone()
    }

    #[track_caller]
    pub(crate) fn expect_status(&self, status: &str) {
        let answer = self.client.get(&self.path()).expect(200);
        assert_eq!(answer.body["result"], json!({ "id": self.id, "status": status }));
    }

    #[track_caller]
    pub(crate) fn commit(&self) -> Answer {
        self.client.json("PUT", &self.path(), &json!({}))
    }

    #[track_caller]
    pub(crate) fn abort(&self) -> Answer {
        self.client.delete(&self.path())
    }
}

pub(crate) fn server_with_collections() -> (Server, Client) {
    server_with(&[])
}

pub(crate) fn server_with(options: &[&str]) -> (Server, Client) {
    let server = Server::start_with(options);
    let client = server.client();
    client.create_collection("a");
    client.create_collection("b");
    (server, client)
}

/// The number of the query that runs, once one does.
#[track_caller]
pub(crate) fn running_query(client: &Client) -> String {
    await_some("a query runs", || {
        client.get("/_api/query/current").expect(200).body[0]["id"].as_str().map(str::to_owned)
    })
}

pub(crate) fn count(client: &Client, collection: &str) -> Value {
    client.get(&format!("/_api/collection/{collection}/count")).expect(200).body["count"].clone()
}

#[test]
fn writes_are_seen_inside_at_once_and_outside_after_the_commit() {
    let (_server, client) = server_with_collections();
    client.post("/_api/document/a", &json!([{ "_key": "old", "n": 0 }, { "_key": "gone" }])).expect(202);
    let inside = Transaction::writing(&client, &["a"]);
    inside.post("/_api/document/a", &json!({ "_key": "1", "n": 1 })).expect(202);
    inside.post("/_api/document/a", &json!([{ "_key": "2", "n": 2 }, { "_key": "1" }])).expect(202);
    inside.send("PATCH", "/_api/document/a/old", &json!({ "m": 5 })).expect(202);
    inside.send("PUT", "/_api/document/a/2", &json!({ "n": 3 })).expect(202);
    inside.send("DELETE", "/_api/document/a/gone", &Value::Null).expect(202);
    inside.query("INSERT { _key: '4', n: 4 } INTO a");
    assert_eq!(inside.query("FOR d IN a SORT d.n RETURN d.n"), [0, 1, 3, 4]);
    assert_eq!(inside.query("RETURN [LENGTH(a), DOCUMENT('a/2').n]"), [json!([4, 3])]);
    inside.get("/_api/document/a/gone").expect_error(404, 1202);
    assert_eq!(inside.get("/_api/document/a/old").expect(200).body["m"], 5);
    let found = inside.send("PUT", "/_api/document/a?onlyget=true", &json!(["1", "gone"])).expect(200).body;
    assert_eq!((&found[0]["n"], &found[1]["errorNum"]), (&json!(1), &json!(1202)));
    assert_eq!(inside.get("/_api/collection/a/count").expect(200).body["count"], 4);
    let all = inside.send("PUT", "/_api/simple/all", &json!({ "collection": "a" })).expect(201);
    assert_eq!(all.body["result"].as_array().expect("rows").len(), 4);

    assert_eq!(client.query("FOR d IN a SORT d._key RETURN d._key"), ["gone", "old"]);
    client.get("/_api/document/a/1").expect_error(404, 1202);
    assert_eq!(count(&client, "a"), 2);

    inside.expect_status("running");
    let committed = inside.commit().expect(200);
    assert_eq!(committed.body["result"], json!({ "id": inside.id, "status": "committed" }));
    inside.expect_status("committed");
    assert_eq!(client.query("FOR d IN a SORT d.n RETURN d.n"), [0, 1, 3, 4]);
    assert_eq!(count(&client, "a"), 4);
}

#[test]
fn an_abort_leaves_nothing() {
    let (_server, client) = server_with_collections();
    let inside = Transaction::writing(&client, &["a", "b"]);
    inside.post("/_api/document/a", &json!({ "_key": "1" })).expect(202);
    inside.query("FOR n IN 1..5000 INSERT { n } INTO b");
    assert_eq!(inside.query("RETURN [LENGTH(a), LENGTH(b)]"), [json!([1, 5000])]);
    let aborted = inside.abort().expect(200);
    assert_eq!(aborted.body["result"], json!({ "id": inside.id, "status": "aborted" }));
    inside.expect_status("aborted");
    assert_eq!((count(&client, "a"), count(&client, "b")), (json!(0), json!(0)));
    // Its keys are free again.
    client.post("/_api/document/a", &json!({ "_key": "1" })).expect(202);
}

#[test]
fn reads_don_t_change_while_others_commit() {
    let (_server, client) = server_with_collections();
    client.post("/_api/document/a", &json!({ "_key": "1", "n": 1 })).expect(202);
    let inside = Transaction::begin(&client, &json!({ "collections": { "read": "a", "write": ["b"] } }));
    client.send("PATCH", "/_api/document/a/1", &[], br#"{ "n": 2 }"#).expect(202);
    client.post("/_api/document/a", &json!({ "_key": "2" })).expect(202);
    assert_eq!(inside.query("FOR d IN a RETURN d.n"), [1]);
    assert_eq!(inside.get("/_api/document/a/1").expect(200).body["n"], 1);
    assert_eq!(inside.get("/_api/collection/a/count").expect(200).body["count"], 1);
    inside.commit().expect(200);
}

#[test]
fn the_second_writer_of_a_document_conflicts() {
    let (_server, client) = server_with_collections();
    client.post("/_api/document/a", &json!({ "_key": "1", "n": 1 })).expect(202);
    let (first, second) = (Transaction::writing(&client, &["a"]), Transaction::writing(&client, &["a"]));
    second.post("/_api/document/a", &json!({ "_key": "own" })).expect(202);
    first.send("PATCH", "/_api/document/a/1", &json!({ "n": 2 })).expect(202);
    second.send("PATCH", "/_api/document/a/1", &json!({ "n": 3 })).expect_error(409, 1200);
    let update = json!({ "query": "FOR d IN a UPDATE d WITH { n: 4 } IN a" });
    second.post("/_api/cursor", &update).expect_error(409, 1200);
    let items = second.send("PATCH", "/_api/document/a", &json!([{ "_key": "1", "n": 5 }])).expect(202);
    assert_eq!(items.body[0]["errorNum"], 1200);
    first.commit().expect(200);
    // Also after the commit, since the second one still reads the older state.
    second.send("DELETE", "/_api/document/a/1", &Value::Null).expect_error(409, 1200);
    assert_eq!(second.query("FOR d IN a SORT d._key RETURN d.n"), [json!(1), Value::Null]);
    second.commit().expect(200);
    assert_eq!(client.query("FOR d IN a SORT d._key RETURN d.n"), [json!(2), Value::Null]);
}

#[test]
fn what_fails_leaves_what_was_written_before() {
    let (_server, client) = server_with_collections();
    client
        .post("/_api/index?collection=a", &json!({ "type": "persistent", "fields": ["n"], "unique": true }))
        .expect(201);
    let inside = Transaction::writing(&client, &["a"]);
    inside.post("/_api/document/a", &json!({ "_key": "1", "n": 1 })).expect(202);
    inside.post("/_api/document/a", &json!({ "n": 1 })).expect_error(409, 1210);
    let failing = json!({ "query": "FOR n IN 3..0 INSERT { n } INTO a" });
    inside.post("/_api/cursor", &failing).expect_error(409, 1210);
    inside
        .post("/_api/cursor", &json!({ "query": "FOR d IN a REMOVE d IN a RETURN FAIL()" }))
        .expect_error(400, 1569);
    inside.post("/_api/cursor", &json!({ "query": "FOR d IN" })).expect_error(400, 1501);
    let lines = b"{\"n\":7}\n{\"n\":1}\n";
    let complete = "/_api/import?collection=a&type=documents&complete=true";
    client.send("POST", complete, &[("x-arango-trx-id", &inside.id)], lines).expect_error(409, 1210);
    assert_eq!(inside.query("FOR d IN a RETURN d.n"), [1]);
    inside.commit().expect(200);
    assert_eq!(client.query("FOR d IN a RETURN d.n"), [1]);
    assert_eq!(client.query("FOR d IN a FILTER d.n IN [0, 1, 2, 3, 7] RETURN d.n"), [1]);
}

#[test]
fn imports_and_truncation() {
    let (_server, client) = server_with_collections();
    client.post("/_api/document/a", &json!([{ "_key": "x" }, { "_key": "y" }])).expect(202);
    let inside = Transaction::writing(&client, &["a"]);
    inside.send("PUT", "/_api/collection/a/truncate", &Value::Null).expect(200);
    assert_eq!(inside.query("RETURN LENGTH(a)"), [0]);
    let path = "/_api/import?collection=a&type=list&onDuplicate=replace";
    let imported = inside.post(path, &json!([{ "_key": "x", "n": 1 }, { "n": 2 }, 3])).expect(201).body;
    assert_eq!((&imported["created"], &imported["errors"]), (&json!(2), &json!(1)));
    let overwriting = inside.post("/_api/import?collection=a&type=list&overwrite=true", &json!([{ "n": 4 }]));
    assert_eq!(overwriting.expect(201).body["created"], 1);
    assert_eq!(count(&client, "a"), 2);
    inside.commit().expect(200);
    assert_eq!(client.query("FOR d IN a RETURN d.n"), [4]);
}

#[test]
fn graphs() {
    let (_server, client) = server_with_collections();
    let edges = json!([{ "collection": "roads", "from": ["towns"], "to": ["towns"] }]);
    client.post("/_api/gharial", &json!({ "name": "map", "edgeDefinitions": edges })).expect(202);
    let inside = Transaction::writing(&client, &["towns", "roads"]);
    for key in ["x", "y"] {
        inside.post("/_api/gharial/map/vertex/towns", &json!({ "_key": key })).expect(202);
    }
    let road = json!({ "_key": "xy", "_from": "towns/x", "_to": "towns/y" });
    inside.post("/_api/gharial/map/edge/roads", &road).expect(202);
    inside
        .post("/_api/gharial/map/edge/roads", &json!({ "_from": "towns/x", "_to": "towns/z" }))
        .expect_error(404, 1202);
    inside.get("/_api/gharial/map/edge/roads/xy").expect(200);
    client.get("/_api/gharial/map/edge/roads/xy").expect_error(404, 1202);
    let at = inside.get("/_api/edges/roads?vertex=towns/x").expect(200);
    assert_eq!(at.body["edges"].as_array().expect("edges").len(), 1);
    let at = client.get("/_api/edges/roads?vertex=towns/x").expect(200);
    assert_eq!(at.body["edges"], json!([]));
    assert_eq!(inside.query("FOR v IN 1..1 OUTBOUND 'towns/x' GRAPH 'map' RETURN v._key"), ["y"]);
    inside.send("DELETE", "/_api/gharial/map/vertex/towns/y", &Value::Null).expect(202);
    inside.get("/_api/gharial/map/edge/roads/xy").expect_error(404, 1202);
    inside.commit().expect(200);
    assert_eq!((count(&client, "towns"), count(&client, "roads")), (json!(1), json!(0)));

    // Edges go with their vertices, so they must be declared.
    let vertices = Transaction::writing(&client, &["towns"]);
    let refused = vertices.send("DELETE", "/_api/gharial/map/vertex/towns/x", &Value::Null);
    assert!(refused.expect_error(400, 1652).contains("roads"));
    let strict =
        Transaction::begin(&client, &json!({ "collections": { "write": "roads" }, "allowImplicit": false }));
    let road = json!({ "_from": "towns/x", "_to": "towns/x" });
    assert!(strict.post("/_api/gharial/map/edge/roads", &road).expect_error(400, 1652).contains("towns"));
}

#[test]
fn collections_must_be_declared() {
    let (_server, client) = server_with_collections();
    client.post("/_api/document/b", &json!({ "_key": "1" })).expect(202);
    let reading = Transaction::begin(&client, &json!({ "collections": { "read": "b" } }));
    let message = reading.post("/_api/document/b", &json!({})).expect_error(400, 1652);
    assert!(message.contains("b [write]"), "{message}");
    let usual = Transaction::begin(&client, &json!({ "collections": { "exclusive": ["a"] } }));
    usual.get("/_api/document/b/1").expect(200);
    assert_eq!(usual.query("FOR d IN b RETURN d._key"), ["1"]);
    usual.post("/_api/document/a", &json!({})).expect(202);
    usual.query("INSERT {} INTO a OPTIONS { exclusive: true }");
    // Not of "a", which the other holds exclusively.
    client.create_collection("c");
    let strict =
        Transaction::begin(&client, &json!({ "collections": { "write": ["c"] }, "allowImplicit": false }));
    strict.get("/_api/document/b/1").expect_error(400, 1652);
    strict.get("/_api/collection/b/count").expect_error(400, 1652);
    strict.post("/_api/cursor", &json!({ "query": "FOR d IN b RETURN d" })).expect_error(400, 1652);
    strict.send("PUT", "/_api/document/b?onlyget=true", &json!(["1"])).expect_error(400, 1652);
    client.create_edge_collection("edges");
    client.post("/_api/document/edges", &json!({ "_from": "a/1", "_to": "b/1" })).expect(202);
    let strict_later =
        Transaction::begin(&client, &json!({ "collections": { "read": ["edges"] }, "allowImplicit": false }));
    for (query, number) in [
        ("RETURN DOCUMENT('b/1')", 1652),
        ("RETURN DOCUMENT('nowhere/1')", 0),
        ("FOR v IN 1..1 OUTBOUND 'a/1' edges RETURN v", 1652),
        ("WITH b FOR v IN 1..1 OUTBOUND 'a/1' edges RETURN v", 1652),
        ("FOR v, e IN 1..1 OUTBOUND 'a/1' edges RETURN e._to", 0),
    ] {
        let answer = strict_later.post("/_api/cursor", &json!({ "query": query }));
        let found = answer.body["errorNum"].as_u64().unwrap_or(0);
        assert_eq!(found, number, "{query}: {}", answer.body);
    }
    for transaction in [&usual, &strict] {
        transaction.post("/_api/document/b", &json!({})).expect_error(400, 1652);
        transaction.post("/_api/document/b", &json!([{}])).expect_error(400, 1652);
        transaction.send("PATCH", "/_api/document/b/1", &json!({})).expect_error(400, 1652);
        transaction.send("DELETE", "/_api/document/b/1", &Value::Null).expect_error(400, 1652);
        transaction.send("PUT", "/_api/collection/b/truncate", &Value::Null).expect_error(400, 1652);
        transaction.post("/_api/import?collection=b&type=list", &json!([{}])).expect_error(400, 1652);
        transaction
            .post("/_api/cursor", &json!({ "query": "FOR d IN b REMOVE d IN b" }))
            .expect_error(400, 1652);
        transaction.commit().expect(200);
    }
    assert_eq!((count(&client, "a"), count(&client, "b")), (json!(2), json!(1)));
}

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
fn limits_on_number_and_size() {
    let (_server, client) = server_with(&[
        "--transaction.streaming-max-transactions",
        "2",
        "--transaction.streaming-max-transaction-size",
        "1000000",
    ]);
    let first = Transaction::begin(
        &client,
        &json!({ "collections": { "write": "a" }, "maxTransactionSize": 10_000 }),
    );
    let second = Transaction::writing(&client, &["b"]);
    client.post("/_api/transaction/begin", &json!({ "collections": {} })).expect_error(500, 32);

    first.post("/_api/document/a", &json!({ "_key": "small" })).expect(202);
    let text = "x".repeat(20_000);
    first.post("/_api/document/a", &json!({ "text": text })).expect_error(500, 32);
    let many = json!({ "query": "FOR n IN 1..1000 INSERT { n } INTO a" });
    first.post("/_api/cursor", &many).expect_error(500, 32);
    assert_eq!(first.query("FOR d IN a RETURN d._key"), ["small"]);
    first.commit().expect(200);
    assert_eq!(client.query("FOR d IN a RETURN d._key"), ["small"]);

    // The server's own limit holds whatever the request asks for.
    second.post("/_api/document/b", &json!({ "text": "x".repeat(500_000) })).expect(202);
    second.post("/_api/document/b", &json!({ "text": "x".repeat(600_000) })).expect_error(500, 32);
    second.abort().expect(200);
    Transaction::writing(&client, &["b"]);
}

/// What does not fit into a transaction is refused as a whole, whoever ignores errors.
#[test]
fn limits_leave_no_half_documents() {
    let (_server, client) = server_with_collections();
    let definition = json!({ "type": "persistent", "fields": ["n"], "storedValues": ["text"] });
    client.post("/_api/index?collection=a", &definition).expect(201);
    let text = "x".repeat(1000);
    for max in (5000..7500).step_by(250) {
        let inside = Transaction::begin(
            &client,
            &json!({ "collections": { "write": "a" }, "maxTransactionSize": max }),
        );
        let query = "FOR n IN 1..20 INSERT { n, text: @text } INTO a OPTIONS { ignoreErrors: true }";
        let body = json!({ "query": query, "bindVars": { "text": text } });
        inside.post("/_api/cursor", &body).expect_error(500, 32);
        let documents: Vec<_> = (0..20).map(|n| json!({ "n": n, "text": text })).collect();
        let answers = inside.post("/_api/document/a", &json!(documents)).expect(202).body;
        let answers = answers.as_array().expect("an answer for each document");
        let n_written = answers.iter().filter(|answer| answer["errorNum"].is_null()).count();
        assert!((1..5).contains(&n_written), "{answers:?}");
        assert!(answers.iter().skip(n_written).all(|answer| answer["errorNum"] == 32), "{answers:?}");
        assert_eq!(inside.query("FOR d IN a RETURN 1").len(), n_written);
        assert_eq!(inside.query("FOR d IN a FILTER d.n >= 0 RETURN d.n").len(), n_written);
        assert_eq!(inside.query("RETURN LENGTH(a)"), [n_written]);
        inside.abort().expect(200);
    }
}

#[test]
fn one_request_at_a_time() {
    let (server, client) = server_with(&["--transaction.streaming-lock-timeout", "1"]);
    let inside = Transaction::writing(&client, &["a"]);
    let slow = std::thread::scope(|scope| {
        let (other, id) = (server.client(), inside.id.clone());
        let slow = scope.spawn(move || {
            let body = json!({ "query": "RETURN SLEEP(5)" }).to_string();
            other.send("POST", "/_api/cursor", &[("x-arango-trx-id", &id)], body.as_bytes()).status
        });
        running_query(&client);
        let message = inside.post("/_api/document/a", &json!({})).expect_error(400, 1653);
        assert!(message.contains("in use"), "{message}");
        inside.commit().expect_error(400, 1653);
        inside.expect_status("running");
        slow.join().expect("an answer")
    });
    assert_eq!(slow, 201);
    // Short requests wait for each other.
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (client, id) = (server.client(), inside.id.clone());
            scope.spawn(move || {
                let body = json!({ "_key": thread.to_string() }).to_string();
                client
                    .send("POST", "/_api/document/a", &[("x-arango-trx-id", &id)], body.as_bytes())
                    .expect(202);
            });
        }
    });
    inside.commit().expect(200);
    assert_eq!(count(&client, "a"), 8);
}

#[test]
fn an_abort_ends_the_query_that_runs() {
    let (server, client) = server_with_collections();
    let run = |inside: &Transaction<'_>, query: &'static str| {
        let (other, id) = (server.client(), inside.id.clone());
        std::thread::spawn(move || {
            let body = json!({ "query": query }).to_string();
            other.send("POST", "/_api/cursor", &[("x-arango-trx-id", &id)], body.as_bytes())
        })
    };
    let started = Instant::now();
    for query in ["RETURN SLEEP(60)", "FOR n IN 1..60 INSERT { n, slept: SLEEP(1) } INTO a"] {
        for all in [false, true] {
            let inside = Transaction::writing(&client, &["a"]);
            inside.post("/_api/document/a", &json!({})).expect(202);
            let running = run(&inside, query);
            running_query(&client);
            if all {
                client.delete("/_api/transaction/write").expect(200);
            } else {
                inside.abort().expect(200);
            }
            running.join().expect("an answer").expect_error(410, 1500);
            inside.expect_status("aborted");
        }
    }
    assert!(started.elapsed() < Duration::from_secs(50), "{:?}", started.elapsed());
    assert_eq!(count(&client, "a"), 0);
}

#[test]
fn cursors_inside() {
    let (_server, client) = server_with_collections();
    let inside = Transaction::writing(&client, &["a"]);
    inside.query("FOR n IN 1..10 INSERT { n } INTO a");
    let open = |stream: bool| {
        let body = json!({ "query": "FOR d IN a SORT d.n RETURN d.n", "batchSize": 4, "options": { "stream": stream } });
        let id =
            inside.post("/_api/cursor", &body).expect(201).body["id"].as_str().expect("an id").to_owned();
        format!("/_api/cursor/{id}")
    };
    let (whole, stream) = (open(false), open(true));
    for cursor in [&whole, &stream] {
        assert_eq!(inside.post(cursor, &Value::Null).expect(200).body["result"], json!([5, 6, 7, 8]));
    }
    inside.abort().expect(200);
    assert_eq!(client.post(&whole, &Value::Null).expect(200).body["result"], json!([9, 10]));
    client.post(&stream, &Value::Null).expect_error(404, 1600);
}

#[test]
fn a_transaction_goes_with_its_database() {
    let (server, client) = server_with_collections();
    client.post("/_api/database", &json!({ "name": "other" })).expect(201);
    let other = server.client_of("other");
    other.create_collection("c");
    let inside = Transaction::writing(&other, &["c"]);
    inside.post("/_api/document/c", &json!({})).expect(202);
    client.delete("/_api/database/other").expect(200);
    inside.commit().expect_error(404, 1228);
}

#[test]
fn a_commit_to_a_dropped_collection_fails() {
    let (_server, client) = server_with_collections();
    let inside = Transaction::writing(&client, &["a", "b"]);
    for collection in ["a", "b"] {
        inside.post(&format!("/_api/document/{collection}"), &json!({})).expect(202);
    }
    client.delete("/_api/collection/b").expect(200);
    inside.commit().expect_error(404, 1203);
    inside.expect_status("aborted");
    assert_eq!(count(&client, "a"), 0);
}

#[test]
fn concurrent_transfers_keep_the_sum() {
    const ACCOUNTS: u64 = 8;
    let (server, client) = server_with_collections();
    let accounts: Vec<Value> =
        (0..ACCOUNTS).map(|key| json!({ "_key": key.to_string(), "amount": 100 })).collect();
    client.post("/_api/document/a", &json!(accounts)).expect(202);
    let sum = "RETURN SUM(FOR d IN a RETURN d.amount)";
    let n_committed: usize = std::thread::scope(|scope| {
        let transfer = |client: &Client, seed: u64| {
            let inside = Transaction::writing(client, &["a"]);
            let move_money = |key: u64, change: i64| {
                let path = format!("/_api/document/a/{key}");
                let amount = inside.get(&path).expect(200).body["amount"].as_i64().expect("a number");
                inside.send("PATCH", &path, &json!({ "amount": amount + change })).status == 202
            };
            let (from, to) = (seed % ACCOUNTS, (seed / 3 + 1 + seed) % ACCOUNTS);
            let is_moved = from != to && move_money(from, -7) && move_money(to, 7);
            // One that lost a deadlock is aborted already and can't be asked.
            if is_moved {
                assert_eq!(inside.query(sum), [800]);
            }
            if is_moved { inside.commit().status == 200 } else { inside.abort().expect(200).status == 0 }
        };
        let threads: Vec<_> = (0..4)
            .map(|thread| {
                let client = server.client();
                scope.spawn(move || {
                    (0..25).filter(|round| transfer(&client, thread * 31 + round * 17)).count()
                })
            })
            .collect();
        for _ in 0..20 {
            assert_eq!(client.query(sum), [800]);
        }
        threads.into_iter().map(|thread| thread.join().expect("a client")).sum()
    });
    assert!(n_committed > 0);
    assert_eq!(client.query(sum), [800]);
    assert_eq!(client.get("/_api/transaction").body["transactions"], json!([]));
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
