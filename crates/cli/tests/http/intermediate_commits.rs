//! Queries that commit before their end.

use serde_json::{Value, json};

use crate::client::{Answer, Client, await_true};
use crate::transactions::{Transaction, count, server_with_collections};

fn run(client: &Client, query: &str, options: Value) -> Answer {
    client.post("/_api/cursor", &json!({ "query": query, "options": options }))
}

fn n_commits(answer: &Answer) -> u64 {
    answer.body["extra"]["stats"]["intermediateCommits"].as_u64().expect("a number")
}

#[test]
fn by_number_and_by_size() {
    let (_server, client) = server_with_collections();
    let insert = "FOR n IN 1..1000 INSERT { n, text: 'some text of some length' } INTO a";
    let commits = |options: Value| n_commits(&run(&client, insert, options).expect(201));
    assert_eq!(commits(json!({})), 0);
    assert_eq!(commits(json!({ "intermediateCommitCount": 0, "intermediateCommitSize": 0 })), 0);
    assert_eq!(commits(json!({ "intermediateCommitCount": 100 })), 10);
    assert_eq!(commits(json!({ "intermediateCommitCount": 300 })), 3);
    assert_eq!(commits(json!({ "intermediateCommitCount": 1 })), 1000);
    assert_eq!(commits(json!({ "intermediateCommitCount": 5000 })), 0);
    let by_size = commits(json!({ "intermediateCommitSize": 10_000 }));
    assert!((5..50).contains(&by_size), "{by_size}");
    assert_eq!(commits(json!({ "intermediateCommitSize": 10_000, "intermediateCommitCount": 10 })), 100);
    run(&client, insert, json!({ "intermediateCommitCount": "many" })).expect_error(400, 17);
    assert_eq!(count(&client, "a"), 8000);
    assert_eq!(client.query("RETURN COUNT(FOR d IN a RETURN 1)"), [8000]);
}

#[test]
fn what_was_committed_stays_when_the_query_fails() {
    let (_server, client) = server_with_collections();
    let insert = "FOR n IN 1..1000 INSERT { _key: n == 950 ? '1' : TO_STRING(n) } INTO a";
    run(&client, insert, json!({})).expect_error(409, 1210);
    assert_eq!(count(&client, "a"), 0);
    run(&client, insert, json!({ "intermediateCommitCount": 100 })).expect_error(409, 1210);
    assert_eq!(count(&client, "a"), 900);
    assert_eq!(client.query("RETURN COUNT(FOR d IN a RETURN 1)"), [900]);
    // The size of what is not committed yet counts for the limit.
    let limits = json!({ "intermediateCommitCount": 100, "maxTransactionSize": 50_000 });
    run(&client, "FOR n IN 1..2000 INSERT { n } INTO b", limits).expect(201);
    run(&client, "FOR n IN 1..2000 INSERT { n } INTO b", json!({ "maxTransactionSize": 50_000 }))
        .expect_error(500, 32);
    assert_eq!(count(&client, "b"), 2000);
}

#[test]
fn the_query_goes_on_reading_what_it_began_with() {
    let (_server, client) = server_with_collections();
    client.query("FOR n IN 1..500 INSERT { n } INTO a");
    let options = || json!({ "intermediateCommitCount": 7 });
    run(&client, "FOR d IN a INSERT { copy: true } INTO a", options()).expect(201);
    assert_eq!(count(&client, "a"), 1000);
    run(&client, "FOR d IN a UPDATE d WITH { n: d.n + 1 } IN a", options()).expect(201);
    assert_eq!(client.query("RETURN SUM(FOR d IN a RETURN d.n)"), [500 * 501 / 2 + 500 + 500]);
    let both = "FOR d IN a FILTER d.copy REMOVE d IN a INSERT { _key: OLD._key } INTO b RETURN NEW._key";
    let answer = run(&client, both, options()).expect(201);
    assert_eq!(n_commits(&answer), 1000 / 7);
    assert_eq!((count(&client, "a"), count(&client, "b")), (json!(500), json!(500)));
}

#[test]
fn a_query_does_not_conflict_with_what_it_committed_itself() {
    let (_server, client) = server_with_collections();
    client.query("FOR n IN 0..9 INSERT { _key: TO_STRING(n), n: 0 } INTO a");
    let add = "FOR n IN 1..200 UPSERT { _key: TO_STRING(n % 10) } INSERT {} UPDATE { n: OLD.n + 1 } IN a";
    for with_older in [false, true] {
        // For somebody who reads an older state, commits of others have to be remembered.
        let older = with_older.then(|| Transaction::writing(&client, &["a", "b"]));
        run(&client, add, json!({ "intermediateCommitCount": 3 })).expect(201);
        if let Some(older) = older {
            older.send("PATCH", "/_api/document/a/1", &json!({ "n": 0 })).expect_error(409, 1200);
            older.abort().expect(200);
        }
    }
    assert_eq!(client.query("FOR d IN a RETURN DISTINCT d.n"), [40]);
}

#[test]
fn inside_of_a_transaction_nothing_is_committed_early() {
    let (_server, client) = server_with_collections();
    let inside = Transaction::writing(&client, &["a"]);
    let body = json!({
        "query": "FOR n IN 1..100 INSERT { n } INTO a",
        "options": { "intermediateCommitCount": 10 },
    });
    assert_eq!(n_commits(&inside.post("/_api/cursor", &body).expect(201)), 0);
    inside.abort().expect(200);
    assert_eq!(count(&client, "a"), 0);
}

#[test]
fn a_collection_stays_locked_over_the_commits() {
    let (_server, client) = server_with_collections();
    let other = client.clone();
    let query = std::thread::spawn(move || {
        // The second batch of rows takes some seconds before it is written.
        let slow = "FOR n IN 1..1010 LET slept = n > 1000 ? SLEEP(0.4) : 0 INSERT { n } INTO a OPTIONS { exclusive: true }";
        run(&other, slow, json!({ "intermediateCommitCount": 100, "optimizer": { "rules": ["-all"] } }))
    });
    // What it wrote shows before its end.
    await_true("the first batch is there", || client.query("RETURN LENGTH(a)") == [1000]);
    assert!(!query.is_finished());
    client.post("/_api/document/a", &json!({})).expect(202);
    assert_eq!(count(&client, "a"), 1011);
    assert_eq!(n_commits(&query.join().expect("an answer").expect(201)), 10);
}
