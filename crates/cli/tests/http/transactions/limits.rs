//! Limits on number, size and simultaneous requests.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Transaction, count, running_query, server_with, server_with_collections};

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
