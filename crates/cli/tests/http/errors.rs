//! Bad queries and bad requests: the right status, the right number, a message that helps.

use serde_json::{Value, json};

use crate::client::Client;
use crate::server::Server;

#[track_caller]
fn check(client: &Client, query: &str, status: u16, number: u16) -> String {
    client.post("/_api/cursor", &json!({ "query": query })).expect_error(status, number)
}

#[test]
fn query_errors() {
    let server = Server::start();
    let client = server.client();
    client.create_collection("c");
    let message = check(&client, "FOR i IN 1..3\n  RETURN i i", 400, 1501);
    assert!(message.contains("2:"), "the place is told: {message}");
    check(&client, "FOR d IN c FILTER", 400, 1501);
    check(&client, " ", 400, 1501);
    check(&client, "", 400, 1502);
    check(&client, "FOR d IN nowhere RETURN d", 404, 1203);
    check(&client, "RETURN @x", 400, 1551);
    check(&client, "LET a = 1 LET a = 2 RETURN a", 400, 1511);
    check(&client, "RETURN NOPE()", 400, 1540);
    check(&client, "RETURN LENGTH()", 400, 1541);
    check(&client, "FOR x IN 1 RETURN x", 400, 1563);
    check(&client, "REMOVE 'nobody' IN c", 404, 1202);
    check(&client, "INSERT { _key: 'a b' } INTO c", 400, 1221);
    check(&client, "FOR i IN 1..2 INSERT { _key: 'same' } INTO c", 409, 1210);
    check(&client, "FOR d IN c REMOVE d IN c FOR e IN c RETURN e", 400, 1579);
    assert_eq!(client.query("RETURN LENGTH(c)"), [0], "nothing is left of failed queries");
    let deep = format!("RETURN {}1{}", "(".repeat(5_000), ")".repeat(5_000));
    client.post("/_api/cursor", &json!({ "query": deep })).expect_error(400, 1524);
}

#[test]
fn bad_cursor_requests() {
    let server = Server::start();
    let client = server.client();
    let check = |body: Value, status: u16, number: u16| {
        client.post("/_api/cursor", &body).expect_error(status, number);
    };
    check(json!({}), 400, 1502);
    check(json!({ "query": 1 }), 400, 17);
    check(json!({ "query": "RETURN 1", "bindVars": [] }), 400, 17);
    check(json!({ "query": "RETURN 1", "bindVars": { "x": 1 } }), 400, 1552);
    check(json!({ "query": "FOR d IN @@c RETURN d", "bindVars": { "@c": 1 } }), 400, 1553);
    check(json!({ "query": "RETURN 1", "batchSize": 0 }), 400, 17);
    check(json!({ "query": "RETURN 1", "batchSize": "ten" }), 400, 17);
    check(json!({ "query": "RETURN 1", "options": 1 }), 400, 17);
    client.send("POST", "/_api/cursor", &[], b"{\"query\":").expect_error(400, 600);
    client.send("POST", "/_api/cursor", &[], b"").expect_error(400, 1502);
}
