//! Locks of collections: who waits for whom, for how long, and what ends a wait.

mod changes;

use std::io::Write as _;
use std::net::TcpStream;
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Answer, Client, await_true};
use crate::transactions::{Transaction, count, running_query, server_with_collections};

/// Returns once so many transactions wait for locks. They wait for good then: each test says itself what ends the wait.
#[track_caller]
fn await_waiting(client: &Client, n_waiting: usize) {
    client.await_figure("persea_transactions_waiting", n_waiting as f64);
}

/// Sends a request and gives its connection, on which nobody waits for the answer.
fn sent(address: &str, method: &str, path: &str, headers: &str, body: &Value) -> TcpStream {
    let body = body.to_string();
    let mut stream = TcpStream::connect(address).expect("a connection");
    let length = body.len();
    write!(stream, "{method} {path} HTTP/1.1\r\nhost: a\r\ncontent-length: {length}\r\n{headers}\r\n{body}")
        .expect("it can be sent");
    stream
}

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

#[test]
fn an_exclusive_holder_shuts_others_out_until_the_end() {
    let (_server, client) = server_with_collections();
    for ends_well in [true, false] {
        let holder = exclusive(&client, "a");
        holder.post("/_api/document/a", &json!({ "_key": format!("{ends_well}") })).expect(202);
        std::thread::scope(|scope| {
            let body = json!({ "collections": { "write": "a", "exclusive": "b" } });
            let begin = waiting(scope, &client, "POST", "/_api/transaction/begin", vec![], &body);
            await_waiting(&client, 1);
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
        assert!(waited > Duration::from_millis(190) && waited < Duration::from_secs(60), "{waited:?}");
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
fn a_query_that_is_out_of_time_waits_for_no_document() {
    let (_server, client) = server_with_collections();
    client.post("/_api/document/a", &json!({ "_key": "1", "n": 1 })).expect(202);
    let holder = Transaction::begin(&client, &json!({ "collections": { "write": "a" } }));
    holder.send("PATCH", "/_api/document/a/1", &json!({ "n": 2 })).expect(202);
    let hurried = json!({ "query": "UPDATE '1' WITH { n: 3 } IN a", "options": { "maxRuntime": 0.2 } });
    client.post("/_api/cursor", &hurried).expect_error(410, 1500);
    let patient = json!({ "query": "UPDATE '1' WITH { n: 3 } IN a" });
    let message = client.post("/_api/cursor", &patient).expect_error(409, 1200);
    assert!(message.contains("is held"), "{message}");
    holder.commit().expect(200);
    client.post("/_api/cursor", &patient).expect(201);
    assert_eq!(client.get("/_api/document/a/1").expect(200).body["n"], 3);
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
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
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
        await_waiting(&client, requests.len());
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
        await_waiting(&client, 1);
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
            await_waiting(&client, 1);
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
        await_waiting(&client, 1);
        let killed = Instant::now();
        client.delete(&format!("/_api/query/{id}")).expect(200);
        query.join().expect("an answer").expect_error(410, 1500);
        assert!(killed.elapsed() < Duration::from_secs(60), "{:?}", killed.elapsed());
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
        await_waiting(&client, 1);
        assert!(!query.is_finished());
        let aborted = Instant::now();
        second.abort().expect(200);
        query.join().expect("an answer").expect_error(410, 1500);
        assert!(aborted.elapsed() < Duration::from_secs(60), "{:?}", aborted.elapsed());
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
    let inside = Transaction::writing(&client, &["b"]);
    let inside_header = format!("x-arango-trx-id: {}\r\n", inside.id);
    let insert = json!({ "query": "INSERT {} INTO a" });
    let exclusively = json!({ "query": "INSERT {} INTO b OPTIONS { exclusive: true }" });
    let other = Transaction::writing(&client, &["b"]);
    let address = server.address.as_str();
    let requests = vec![
        sent(address, "POST", "/_api/transaction/begin", "", &json!({ "collections": { "exclusive": "a" } })),
        sent(address, "POST", "/_api/document/a", "", &json!({ "_key": "gone" })),
        sent(address, "POST", "/_api/import?collection=a&type=list", "", &json!([{ "_key": "gone" }])),
        sent(address, "POST", "/_api/cursor", "", &insert),
        sent(address, "POST", "/_api/cursor", &inside_header, &exclusively),
    ];
    await_waiting(&client, requests.len());
    drop(requests);
    await_true("nobody waits any more", || client.figure("persea_transactions_waiting") == 0.0);
    // None of them got in, neither before the holder's end nor by it.
    holder.commit().expect(200);
    let body = json!({ "collections": { "exclusive": "a" }, "lockTimeout": 60 });
    Transaction::begin(&client, &body).commit().expect(200);
    other.commit().expect(200);
    await_true("its request is over", || inside.commit().status == 200);
    assert_eq!([count(&client, "a"), count(&client, "b")], [json!(0), json!(0)]);
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
        await_waiting(&client, requests.len());
        let stopped = Instant::now();
        assert!(server.terminate().success());
        assert!(stopped.elapsed() < Duration::from_secs(60), "{:?}", stopped.elapsed());
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
fn a_crowd_that_waits_shuts_nobody_out() {
    const CROWD: usize = 470;
    let (_server, client) = server_with_collections();
    client.post("/_api/document/b", &json!({ "_key": "1" })).expect(202);
    let holder = exclusive(&client, "a");
    std::thread::scope(|scope| {
        let crowd: Vec<_> = (0..CROWD)
            .map(|_| waiting(scope, &client, "POST", "/_api/document/a", vec![], &json!({})))
            .collect();
        await_waiting(&client, CROWD);
        // Neither who has nothing to do with it, ...
        client.get("/_api/document/b/1").expect(200);
        assert_eq!(client.query("RETURN LENGTH(b)"), [1]);
        client.post("/_api/document/b", &json!({})).expect(202);
        // ... nor whom they wait for.
        holder.post("/_api/document/a", &json!({})).expect(202);
        assert_eq!(holder.query("RETURN LENGTH(a)"), [1]);
        holder.commit().expect(200);
        for member in crowd {
            member.join().expect("an answer").expect(202);
        }
    });
    assert_eq!(count(&client, "a"), CROWD + 1);
}

#[test]
fn the_figures_tell_of_locks() {
    let (_server, client) = server_with_collections();
    let figures = || {
        [
            "persea_lock_waits_total",
            "persea_lock_timeouts_total",
            "persea_deadlocks_total",
            "persea_conflicts_total",
        ]
        .map(|name| client.figure(name))
    };
    let locked = || client.figure("persea_collections_locked");
    assert_eq!((figures(), locked()), ([0.0; 4], 0.0));
    // A wait that takes too long.
    let holder = exclusive(&client, "a");
    assert_eq!(locked(), 1.0);
    let in_vain = json!({ "collections": { "write": "a" }, "lockTimeout": 0.1 });
    client.post("/_api/transaction/begin", &in_vain).expect_error(500, 18);
    assert_eq!(figures(), [1.0, 1.0, 0.0, 0.0]);
    holder.commit().expect(200);
    // A deadlock: each wants alone what both write.
    let both = [Transaction::writing(&client, &["a", "b"]), Transaction::writing(&client, &["a", "b"])];
    let (statuses, names) = (["201", "409"], ["a", "b"]);
    std::thread::scope(|scope| {
        let threads: Vec<_> = both
            .iter()
            .zip(names)
            .map(|(transaction, name)| {
                scope.spawn(move || {
                    let query = format!("INSERT {{}} INTO {name} OPTIONS {{ exclusive: true }}");
                    let answer = transaction.post("/_api/cursor", &json!({ "query": query }));
                    if answer.status == 201 {
                        transaction.commit().expect(200);
                    }
                    answer.status.to_string()
                })
            })
            .collect();
        let mut found: Vec<String> =
            threads.into_iter().map(|thread| thread.join().expect("an answer")).collect();
        found.sort_unstable();
        assert_eq!(found, statuses);
    });
    assert_eq!(figures()[1..3], [1.0, 1.0]);
    // A conflict: what one read was changed since.
    client.post("/_api/document/b", &json!({ "_key": "1" })).expect(202);
    let late = Transaction::writing(&client, &["b"]);
    late.query("RETURN LENGTH(b)");
    client.send("PATCH", "/_api/document/b/1", &[], br#"{ "n": 1 }"#).expect(202);
    late.send("PATCH", "/_api/document/b/1", &json!({ "n": 2 })).expect_error(409, 1200);
    assert!(figures()[3] >= 1.0);
    late.abort().expect(200);
    assert_eq!(locked(), 0.0);
}

#[test]
fn the_figures_tell_of_groups_of_commits() {
    let (server, client) = server_with_collections();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            let client = server.client();
            scope.spawn(move || {
                for _ in 0..20 {
                    client.post("/_api/document/a?waitForSync=true", &json!({})).expect(201);
                }
            });
        }
    });
    let [groups, grouped, largest] =
        ["persea_commit_groups_total", "persea_grouped_commits_total", "persea_commit_group_max"]
            .map(|name| client.figure(name));
    assert!(grouped >= 160.0 && groups > 0.0 && groups <= grouped, "{groups} {grouped}");
    assert!(largest >= grouped / groups && largest <= grouped, "{largest} {groups} {grouped}");
    let [syncs, synced] =
        ["persea_log_syncs_total", "persea_synced_commits_total"].map(|name| client.figure(name));
    // Who finds that a sync of others has served it already did not wait for one.
    assert!(synced > 0.0 && synced <= grouped && syncs > 0.0, "{syncs} {synced} {grouped}");
}
