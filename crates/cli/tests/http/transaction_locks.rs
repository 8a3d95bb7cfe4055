//! Locks of collections: who waits for whom, for how long, and what ends a wait.

use std::io::Write as _;
use std::net::TcpStream;
use std::thread::{Scope, ScopedJoinHandle, sleep};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Answer, Client};
use crate::transactions::{Transaction, count, server_with_collections};

/// Longer than anything takes that does not wait.
const A_WHILE: Duration = Duration::from_millis(300);

fn exclusive<'a>(client: &'a Client, collection: &str) -> Transaction<'a> {
    Transaction::begin(client, &json!({ "collections": { "exclusive": [collection] } }))
}

/// Begins a request that is expected to wait.
fn waiting<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    client: &Client,
    method: &'static str,
    path: &str,
    headers: Vec<(&'static str, String)>,
    body: &Value,
) -> ScopedJoinHandle<'scope, Answer> {
    let (client, path, body) = (client.clone(), path.to_owned(), body.to_string());
    scope.spawn(move || {
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        client.send(method, &path, &headers, body.as_bytes())
    })
}

/// The number of the query that runs, once one does.
fn running_query(client: &Client) -> String {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let list = client.get("/_api/query/current").expect(200).body;
        if let Some(id) = list.get(0).and_then(|query| query["id"].as_str()) {
            return id.to_owned();
        }
        assert!(Instant::now() < deadline, "no query runs");
    }
}

#[test]
fn an_exclusive_holder_shuts_others_out_until_the_end() {
    let (_server, client) = server_with_collections();
    for ends_well in [true, false] {
        let holder = exclusive(&client, "a");
        holder.post("/_api/document/a", &json!({ "_key": format!("{ends_well}") })).expect(202);
        std::thread::scope(|scope| {
            let body = json!({ "collections": { "write": "a", "exclusive": "b" } });
            let begin = waiting(scope, &client, "POST", "/_api/transaction/begin", vec![], &body);
            sleep(A_WHILE);
            assert!(!begin.is_finished());
            let ended = if ends_well { holder.commit() } else { holder.abort() };
            ended.expect(200);
            let id = begin.join().expect("an answer").expect(201).body["result"]["id"].clone();
            let id = id.as_str().expect("an id");
            // It begins after the wait, so it sees what it waited for.
            let body = json!({ "query": "RETURN LENGTH(a)" }).to_string();
            let seen = client.send("POST", "/_api/cursor", &[("x-arango-trx-id", id)], body.as_bytes());
            assert_eq!(seen.expect(201).body["result"], json!([1]));
            client.delete(&format!("/_api/transaction/{id}")).expect(200);
        });
    }
}

#[test]
fn a_wait_ends_at_its_timeout() {
    let (_server, client) = server_with_collections();
    let writer = Transaction::writing(&client, &["a"]);
    let other = Transaction::writing(&client, &["a"]);
    other.commit().expect(200);
    let begin = |mode: &str, seconds: f64| {
        let body = json!({ "collections": { mode: ["b", "a"] }, "lockTimeout": seconds });
        client.post("/_api/transaction/begin", &body)
    };
    let measured = |wait: &dyn Fn() -> Answer| {
        let begun = Instant::now();
        wait().expect_error(500, 18);
        let waited = begun.elapsed();
        assert!(waited > Duration::from_millis(190) && waited < Duration::from_secs(5), "{waited:?}");
    };
    measured(&|| begin("exclusive", 0.2));
    // What it had locked by then is free again.
    exclusive(&client, "b").abort().expect(200);
    let query =
        json!({ "query": "INSERT {} INTO a OPTIONS { exclusive: true }", "options": { "lockTimeout": 0.2 } });
    measured(&|| client.post("/_api/cursor", &query));
    // A query that may not run so long is over before its lock's timeout.
    let hurried =
        json!({ "query": "INSERT {} INTO a OPTIONS { exclusive: true }", "options": { "maxRuntime": 0.2 } });
    client.post("/_api/cursor", &hurried).expect_error(410, 1500);
    let holder =
        Transaction::begin(&client, &json!({ "collections": { "exclusive": "b" }, "lockTimeout": 0 }));
    measured(&|| begin("write", 0.2));
    holder.commit().expect(200);
    writer.post("/_api/document/a", &json!({})).expect(202);
    writer.commit().expect(200);
    begin("exclusive", 0.2).expect(201);
    assert_eq!(count(&client, "a"), 1);
}

#[test]
fn reading_never_waits() {
    let (_server, client) = server_with_collections();
    client.post("/_api/document/a", &json!({ "_key": "1", "n": 1 })).expect(202);
    let holder = exclusive(&client, "a");
    holder.send("PATCH", "/_api/document/a/1", &json!({ "n": 2 })).expect(202);
    let begun = Instant::now();
    assert_eq!(client.get("/_api/document/a/1").expect(200).body["n"], 1);
    assert_eq!(client.query("FOR d IN a INSERT { n: d.n } INTO b RETURN NEW.n"), [1]);
    let body = json!({ "collections": { "read": "a", "write": "b" }, "lockTimeout": 0.1 });
    let reader = Transaction::begin(&client, &body);
    assert_eq!(reader.query("FOR d IN a INSERT { n: d.n } INTO b RETURN NEW.n"), [1]);
    reader.commit().expect(200);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    holder.commit().expect(200);
    assert_eq!(client.get("/_api/document/a/1").expect(200).body["n"], 2);
}

#[test]
fn whatever_writes_outside_waits_for_the_holder_and_goes_through_then() {
    let (_server, client) = server_with_collections();
    client.post("/_api/document/a", &json!([{ "_key": "1" }, { "_key": "2" }])).expect(202);
    let holder = exclusive(&client, "a");
    std::thread::scope(|scope| {
        let request = |method, path: &str, body: Value| waiting(scope, &client, method, path, vec![], &body);
        let cursor = |query: &str| request("POST", "/_api/cursor", json!({ "query": query }));
        let requests = [
            (202, request("POST", "/_api/document/a", json!({ "_key": "3" }))),
            (202, request("POST", "/_api/document/a", json!([{ "_key": "4" }, { "_key": "5" }]))),
            (202, request("PATCH", "/_api/document/a/1", json!({ "patched": true }))),
            (202, request("PUT", "/_api/document/a", json!([{ "_key": "2", "replaced": true }]))),
            (201, request("POST", "/_api/import?collection=a&type=list", json!([{ "_key": "6" }]))),
            (201, cursor("INSERT { _key: '7' } INTO a")),
            (201, cursor("FOR n IN 1..1 UPSERT { _key: 'held' } INSERT {} UPDATE { upserted: true } IN a")),
        ];
        sleep(A_WHILE);
        for (_, request) in &requests {
            assert!(!request.is_finished());
        }
        holder.post("/_api/document/a", &json!({ "_key": "held" })).expect(202);
        holder.commit().expect(200);
        for (status, request) in requests {
            request.join().expect("an answer").expect(status);
        }
    });
    assert_eq!(count(&client, "a"), 8);
    let changed = "FOR d IN a FILTER d.patched OR d.replaced OR d.upserted SORT d._key RETURN d._key";
    assert_eq!(client.query(changed), ["1", "2", "held"]);
    let holder = exclusive(&client, "a");
    std::thread::scope(|scope| {
        let truncate = waiting(scope, &client, "PUT", "/_api/collection/a/truncate", vec![], &Value::Null);
        let remove = waiting(scope, &client, "DELETE", "/_api/document/b/1", vec![], &Value::Null);
        // Another collection is not concerned.
        remove.join().expect("an answer").expect_error(404, 1202);
        sleep(A_WHILE);
        assert!(!truncate.is_finished());
        holder.abort().expect(200);
        truncate.join().expect("an answer").expect(200);
    });
    assert_eq!(count(&client, "a"), 0);
}

#[test]
fn an_exclusive_query_waits_for_writers() {
    let (_server, client) = server_with_collections();
    client.post("/_api/document/a", &json!({ "_key": "1", "n": 1 })).expect(202);
    for statement in [
        "INSERT { _key: 'i' } INTO a OPTIONS { exclusive: true }",
        "UPDATE '1' WITH { u: 1 } IN a OPTIONS { exclusive: true }",
        "REPLACE '1' WITH { r: 1 } IN a OPTIONS { exclusive: true }",
        "UPSERT { _key: '1' } INSERT {} UPDATE { s: 1 } IN a OPTIONS { exclusive: true }",
        "REMOVE '1' IN a OPTIONS { exclusive: true }",
    ] {
        let writer = Transaction::writing(&client, &["a"]);
        std::thread::scope(|scope| {
            let body = json!({ "query": statement });
            let query = waiting(scope, &client, "POST", "/_api/cursor", vec![], &body);
            running_query(&client);
            sleep(Duration::from_millis(100));
            assert!(!query.is_finished(), "{statement}");
            // Who comes later stands behind it.
            let begin = json!({ "collections": { "write": "a" }, "lockTimeout": 0.1 });
            client.post("/_api/transaction/begin", &begin).expect_error(500, 18);
            // What it waited for does not conflict with it.
            writer.post("/_api/document/a", &json!({})).expect(202);
            if !statement.starts_with("INSERT") {
                writer.send("PATCH", "/_api/document/a/1", &json!({ "n": 2 })).expect(202);
            }
            writer.commit().expect(200);
            query.join().expect("an answer").expect(201);
        });
    }
    assert_eq!(client.query("FOR d IN a FILTER d._key IN ['1', 'i'] RETURN d._key"), ["i"]);
}

#[test]
fn a_kill_ends_the_wait_of_a_query() {
    let (_server, client) = server_with_collections();
    let holder = exclusive(&client, "a");
    std::thread::scope(|scope| {
        let body = json!({ "query": "INSERT {} INTO a" });
        let query = waiting(scope, &client, "POST", "/_api/cursor", vec![], &body);
        let id = running_query(&client);
        sleep(Duration::from_millis(100));
        let killed = Instant::now();
        client.delete(&format!("/_api/query/{id}")).expect(200);
        query.join().expect("an answer").expect_error(410, 1500);
        assert!(killed.elapsed() < Duration::from_secs(2), "{:?}", killed.elapsed());
    });
    assert_eq!(client.get("/_api/query/current").body, json!([]));
    holder.commit().expect(200);
    assert_eq!(count(&client, "a"), 0);
}

#[test]
fn an_abort_ends_the_wait_inside_of_a_transaction() {
    let (_server, client) = server_with_collections();
    client.post("/_api/document/a", &json!({ "_key": "1" })).expect(202);
    let (first, second) = (Transaction::writing(&client, &["a"]), Transaction::writing(&client, &["a"]));
    std::thread::scope(|scope| {
        let body = json!({ "query": "INSERT {} INTO a OPTIONS { exclusive: true }" });
        let inside = vec![("x-arango-trx-id", second.id.clone())];
        let query = waiting(scope, &client, "POST", "/_api/cursor", inside, &body);
        running_query(&client);
        sleep(Duration::from_millis(100));
        assert!(!query.is_finished());
        let aborted = Instant::now();
        second.abort().expect(200);
        query.join().expect("an answer").expect_error(410, 1500);
        assert!(aborted.elapsed() < Duration::from_secs(2), "{:?}", aborted.elapsed());
    });
    second.expect_status("aborted");
    first.post("/_api/document/a", &json!({})).expect(202);
    first.commit().expect(200);
    exclusive(&client, "a").commit().expect(200);
    assert_eq!(count(&client, "a"), 2);
}

/// A transaction that nobody knows of would hold its locks until it expires.
#[test]
fn a_client_that_goes_away_waits_no_longer() {
    let (server, client) = server_with_collections();
    let holder = exclusive(&client, "a");
    let body = r#"{ "collections": { "exclusive": "a" } }"#;
    let mut stream = TcpStream::connect(&server.address).expect("a connection");
    let length = body.len();
    write!(
        stream,
        "POST /_api/transaction/begin HTTP/1.1\r\nhost: a\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .expect("it can be sent");
    sleep(A_WHILE);
    drop(stream);
    sleep(A_WHILE);
    holder.commit().expect(200);
    let body = json!({ "collections": { "exclusive": "a" }, "lockTimeout": 2 });
    Transaction::begin(&client, &body).commit().expect(200);
    assert_eq!(client.get("/_api/transaction").body["transactions"], json!([]));
}

#[test]
fn the_stop_ends_waits() {
    let (server, client) = server_with_collections();
    let _holder = exclusive(&client, "a");
    std::thread::scope(|scope| {
        let begin = json!({ "collections": { "write": "a" } });
        let requests = [
            waiting(scope, &client, "POST", "/_api/transaction/begin", vec![], &begin),
            waiting(scope, &client, "POST", "/_api/document/a", vec![], &json!({})),
            waiting(scope, &client, "POST", "/_api/cursor", vec![], &json!({ "query": "INSERT {} INTO a" })),
        ];
        sleep(A_WHILE);
        let stopped = Instant::now();
        assert!(server.terminate().success());
        assert!(stopped.elapsed() < Duration::from_secs(5), "{:?}", stopped.elapsed());
        for request in requests {
            request.join().expect("an answer").expect_error(503, 30);
        }
    });
}

/// One waits for three and four, two for one, three and four for two: two circles that share two members.
#[test]
fn of_four_transactions_in_a_deadlock_one_fails_and_three_commit() {
    let (_server, client) = server_with_collections();
    let shared = ["one_three_four", "one_two", "two_three", "two_four"];
    shared.iter().for_each(|name| client.create_collection(name));
    let members = [
        ("one", vec!["one_three_four", "one_two"], "one_three_four"),
        ("two", vec!["one_two", "two_three", "two_four"], "one_two"),
        ("three", vec!["one_three_four", "two_three"], "two_three"),
        ("four", vec!["one_three_four", "two_four"], "two_four"),
    ];
    let transactions: Vec<(&str, Transaction<'_>, &str)> = members
        .iter()
        .map(|(name, declared, wanted)| {
            let declared: Vec<&str> = declared.iter().copied().chain(["a"]).collect();
            let transaction = Transaction::writing(&client, &declared);
            transaction.post("/_api/document/a", &json!({ "_key": name })).expect(202);
            (*name, transaction, *wanted)
        })
        .collect();
    let outcomes: Vec<Answer> = std::thread::scope(|scope| {
        let threads: Vec<_> = transactions
            .iter()
            .map(|(_, transaction, wanted)| {
                scope.spawn(move || {
                    let query = format!("INSERT {{}} INTO {wanted} OPTIONS {{ exclusive: true }}");
                    let answer = transaction.post("/_api/cursor", &json!({ "query": query }));
                    if answer.status == 201 { transaction.commit() } else { answer }
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("an answer")).collect()
    });
    let mut committed = Vec::new();
    let mut n_victims = 0;
    for ((name, transaction, _), outcome) in transactions.iter().zip(outcomes) {
        if outcome.status == 200 {
            committed.push(*name);
            transaction.expect_status("committed");
            continue;
        }
        n_victims += 1;
        outcome.expect_error(409, 29);
        transaction.expect_status("aborted");
        transaction.post("/_api/document/a", &json!({})).expect_error(410, 1654);
        transaction.commit().expect_error(400, 1653);
        transaction.abort().expect(200);
    }
    assert_eq!(n_victims, 1);
    committed.sort_unstable();
    assert_eq!(client.query("FOR d IN a SORT d._key RETURN d._key"), committed);
    for name in shared {
        exclusive(&client, name).commit().expect(200);
    }
}

#[test]
fn transactions_that_declare_everything_never_deadlock() {
    let (server, client) = server_with_collections();
    client.create_collection("c");
    std::thread::scope(|scope| {
        for thread in 0..3_usize {
            let client = server.client();
            scope.spawn(move || {
                for round in 0..15_usize {
                    let mut names = ["a", "b", "c"];
                    names.rotate_left((thread + round) % 3);
                    let collections = json!({ "exclusive": [names[0]], "write": [names[1], names[2]] });
                    let inside = Transaction::begin(&client, &json!({ "collections": collections }));
                    for name in names {
                        inside.post(&format!("/_api/document/{name}"), &json!({})).expect(202);
                    }
                    inside.commit().expect(200);
                }
            });
        }
    });
    assert_eq!(
        [count(&client, "a"), count(&client, "b"), count(&client, "c")],
        [json!(45), json!(45), json!(45)]
    );
}

/// More than there are places for requests.
#[test]
fn a_crowd_that_waits_does_not_shut_out_whom_it_waits_for() {
    const CROWD: usize = 470;
    let (_server, client) = server_with_collections();
    let holder = exclusive(&client, "a");
    std::thread::scope(|scope| {
        let crowd: Vec<_> = (0..CROWD)
            .map(|_| waiting(scope, &client, "POST", "/_api/document/a", vec![], &json!({})))
            .collect();
        sleep(2 * A_WHILE);
        holder.post("/_api/document/a", &json!({})).expect(202);
        assert_eq!(holder.query("RETURN LENGTH(a)"), [1]);
        holder.commit().expect(200);
        for member in crowd {
            member.join().expect("an answer").expect(202);
        }
    });
    assert_eq!(count(&client, "a"), CROWD + 1);
}
