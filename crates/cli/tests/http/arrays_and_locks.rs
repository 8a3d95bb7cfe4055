//! Arrays of documents some of which others hold.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Answer, Client};
use crate::server::Server;

fn begin(client: &Client) -> String {
    let body = json!({ "collections": { "write": ["c"] } });
    let answer = client.post("/_api/transaction/begin", &body).expect(201);
    answer.body["result"]["id"].as_str().expect("an id").to_owned()
}

fn patch(client: &Client, transaction: Option<&str>, keys: &[String]) -> Answer {
    let patches: Vec<Value> = keys.iter().map(|key| json!({ "_key": key, "n": 1 })).collect();
    let body = Value::from(patches).to_string();
    let headers: Vec<_> = transaction.map(|id| ("x-arango-trx-id", id)).into_iter().collect();
    client.send("PATCH", "/_api/document/c", &headers, body.as_bytes())
}

fn keys(names: impl IntoIterator<Item = u32>) -> Vec<String> {
    names.into_iter().map(|number| format!("k{number}")).collect()
}

fn with_documents(server: &Server) -> Client {
    let client = server.client();
    client.create_collection("c");
    let documents: Vec<Value> = keys(0..40).into_iter().map(|key| json!({ "_key": key })).collect();
    client.post("/_api/document/c", &documents.into()).expect(202);
    client
}

#[test]
fn held_documents_fail_alone_and_are_waited_for_once() {
    let server = Server::start();
    let client = with_documents(&server);
    let holder = begin(&client);
    patch(&client, Some(&holder), &keys(0..20)).expect(202);
    let begun = Instant::now();
    let answer = patch(&client, None, &keys(0..40)).expect(202);
    // One second each would be 20.
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!(answer.header("x-arango-error-codes"), Some(r#"{"1200":20}"#));
    let outcomes = answer.body.as_array().expect("an outcome each");
    assert!(outcomes[..20].iter().all(|outcome| outcome["errorNum"] == 1200));
    assert!(outcomes[20..].iter().all(|outcome| outcome["error"].is_null()));
    client.json("PUT", &format!("/_api/transaction/{holder}"), &json!({})).expect(200);
    for key in keys(0..40) {
        assert_eq!(client.get(&format!("/_api/document/c/{key}")).body["n"], 1);
    }
}

/// The one that gives way has lost what the items before have written, and says so for the whole call.
#[test]
fn a_deadlock_ends_the_whole_call() {
    let server = Server::start();
    let client = with_documents(&server);
    let ids = [begin(&client), begin(&client)];
    patch(&client, Some(&ids[0]), &keys([0])).expect(202);
    patch(&client, Some(&ids[1]), &keys([1])).expect(202);
    let calls = [(&ids[0], keys([2, 1])), (&ids[1], keys([3, 0]))];
    let answers: Vec<Answer> = std::thread::scope(|scope| {
        let calls = calls.map(|(id, keys)| {
            let client = &client;
            scope.spawn(move || patch(client, Some(id), &keys))
        });
        calls.into_iter().map(|call| call.join().expect("an answer")).collect()
    });
    let victim = answers.iter().position(|answer| answer.status == 409).expect("one that gives way");
    assert_eq!(answers[victim].body["errorNum"], 29, "{}", answers[victim].body);
    assert_eq!(answers[1 - victim].status, 202, "{}", answers[1 - victim].body);
    assert_eq!(answers[1 - victim].header("x-arango-error-codes"), None);
    let status = |id: &str| client.get(&format!("/_api/transaction/{id}")).body["result"]["status"].clone();
    assert_eq!((status(&ids[victim]), status(&ids[1 - victim])), (json!("aborted"), json!("running")));
    client.json("PUT", &format!("/_api/transaction/{}", ids[1 - victim]), &json!({})).expect(200);
    let written =
        client.post("/_api/cursor", &json!({ "query": "FOR d IN c FILTER d.n == 1 RETURN d._key" }));
    assert_eq!(written.body["result"].as_array().map(Vec::len), Some(3));
}
