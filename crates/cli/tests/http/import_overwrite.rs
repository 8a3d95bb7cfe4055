//! `/_api/import` with `overwrite`: all that was there is replaced, or nothing.

use std::time::{Duration, Instant};

use persea_collections::Databases;
use serde_json::{Value, json};

use crate::client::{Answer, Client};
use crate::server::Server;

/// A collection with the documents `a` and `b`, whose `u` is unique.
fn started() -> (Server, Client) {
    let (server, client) = Server::start_with_collection();
    let index = json!({ "type": "persistent", "fields": ["u"], "unique": true, "sparse": true });
    client.post("/_api/index?collection=c", &index).expect(201);
    client.post("/_api/document/c", &json!([{ "_key": "a", "u": 1 }, { "_key": "b", "u": 2 }])).expect(202);
    (server, client)
}

#[track_caller]
fn overwrite(client: &Client, query: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let path = format!("/_api/import?collection=c&overwrite=true&{query}");
    client.send("POST", &path, headers, body.as_bytes())
}

fn keys(client: &Client) -> Vec<Value> {
    client.query("FOR d IN c SORT d._key RETURN d._key")
}

#[test]
fn what_fails_leaves_what_was_there() {
    let (_server, client) = started();
    let cases = [
        // Documents, with `complete`.
        ("type=documents&complete=true", "{\"_key\":\"n\"}\n{\"_key\":\"n\"}", 409, 1210),
        ("type=documents&complete=true", "{\"u\":3}\n{\"u\":3}", 409, 1210),
        ("type=documents&complete=true", "{}\n{\"_key\":\"no key\"}", 400, 1221),
        ("type=documents&complete=true", "{}\nnonsense", 400, 600),
        ("type=list&complete=true", "[{}, {\"_key\":\"n\"}, {\"_key\":\"n\"}]", 409, 1210),
        ("type=list&complete=true", "[{}, 1]", 400, 1227),
        ("complete=true", "[\"_key\"]\n[\"n\"]\n[\"n\"]", 409, 1210),
        ("complete=true", "[\"_key\"]\n[\"n\"]\n[1,2]", 400, 10),
        // The request, whatever is asked for.
        ("type=list", "[{}, {\"_key\":", 400, 600),
        ("type=list", "{}", 400, 400),
        ("type=list", "", 400, 400),
        ("", "{}\n[]", 400, 400),
        ("", "[\"x\"]", 400, 400),
        ("type=magic", "[]", 400, 10),
    ];
    for (query, body, status, number) in cases {
        overwrite(&client, query, &[], body).expect_error(status, number);
        assert_eq!(keys(&client), ["a", "b"], "{query} {body}");
    }
    let answer =
        overwrite(&client, "type=list&complete=true&waitForSync=true", &[], "[{\"_key\":\"a\",\"u\":2}]");
    assert_eq!(answer.expect(201).body["created"], 1);
    assert_eq!(client.query("FOR d IN c RETURN [d._key, d.u]"), [json!(["a", 2])]);
    let answer = overwrite(&client, "type=list", &[], "[{\"_key\":\"c\"},{\"_key\":\"c\"},{\"_key\":\"d\"}]");
    assert_eq!((&answer.body["created"], &answer.body["errors"]), (&json!(2), &json!(1)));
    assert_eq!(keys(&client), ["c", "d"]);
    overwrite(&client, "type=documents", &[], "").expect(201);
    assert_eq!(keys(&client), [""; 0]);
}

#[test]
fn inside_of_a_transaction() {
    let (_server, client) = started();
    let body = json!({ "collections": { "write": "c" } });
    let begun = client.post("/_api/transaction/begin", &body).expect(201);
    let id = begun.body["result"]["id"].as_str().expect("an id");
    let headers = [("x-arango-trx-id", id)];
    let count = || client.send("GET", "/_api/collection/c/count", &headers, b"").body["count"].clone();
    overwrite(&client, "type=list&complete=true", &headers, "[{\"_key\":\"n\"},{\"_key\":\"n\"}]")
        .expect_error(409, 1210);
    overwrite(&client, "type=list", &headers, "[{\"_key\":").expect_error(400, 600);
    assert_eq!(count(), 2);
    overwrite(&client, "type=list&complete=true", &headers, "[{\"_key\":\"n\"}]").expect(201);
    assert_eq!((count(), keys(&client)), (json!(1), vec![json!("a"), json!("b")]));
    client.send("PUT", &format!("/_api/transaction/{id}"), &[], b"").expect(200);
    assert_eq!(keys(&client), ["n"]);
}

/// Documents of one generation in several batches.
fn generation(number: u64) -> String {
    let padding = "x".repeat(60_000);
    let line = |document| {
        format!("{{\"_key\":\"k{document}\",\"generation\":{number},\"padding\":\"{padding}\"}}\n")
    };
    (0..N_DOCUMENTS).map(line).collect()
}

const N_DOCUMENTS: u64 = 300;

/// The generation that all documents are of.
#[track_caller]
fn generation_there(client: &Client) -> u64 {
    assert_eq!(client.get("/_api/collection/c/count").body["count"], N_DOCUMENTS);
    let found = client.query("FOR d IN c COLLECT g = d.generation WITH COUNT INTO n RETURN [g, n]");
    let [only] = &found[..] else { panic!("of several generations: {found:?}") };
    assert_eq!(only[1], N_DOCUMENTS);
    only[0].as_u64().expect("a number")
}

#[test]
fn a_kill_leaves_the_old_or_the_new() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start_in(folder.path());
    let client = server.client();
    client.create_collection("c");
    let begun = Instant::now();
    overwrite(&client, "type=documents", &[], &generation(0)).expect(201);
    let usual = begun.elapsed();
    drop((server, client));
    let mut there = 0;
    let mut n_interrupted = 0;
    for round in 1..=8 {
        let server = Server::start_in(folder.path());
        let client = server.client();
        assert_eq!(generation_there(&client), there);
        let lines = generation(round);
        let query = if round % 2 == 0 { "type=documents&complete=true" } else { "type=documents" };
        let answered = std::thread::scope(|scope| {
            let import = scope.spawn(|| {
                let path = format!("/_api/import?collection=c&overwrite=true&{query}");
                client.try_send("POST", &path, &[], lines.as_bytes()).ok()
            });
            std::thread::sleep(usual.mul_f64(round as f64 / 8.0).max(Duration::from_millis(5)));
            server.kill();
            import.join().expect("an outcome")
        });
        let server = Server::start_in(folder.path());
        let now = generation_there(&server.client());
        match answered {
            Some(answer) => assert_eq!((answer.status, now), (201, round)),
            None => {
                n_interrupted += 1;
                assert!(now == there || now == round, "generation {now} after {there} in round {round}");
            }
        }
        there = now;
    }
    assert!(n_interrupted > 0, "all were done before they could be interrupted");
    let databases = Databases::open(folder.path(), &Default::default()).expect("the folder");
    let collection = databases.system().expect("a database").collection("c").expect("the collection");
    let report = collection.verify().expect("a report");
    assert!(report.is_clean(), "{report:?}");
}
