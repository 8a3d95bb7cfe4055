//! What is seen inside and outside.

use serde_json::{Value, json};

use super::{Transaction, count, server_with_collections};
use crate::client::Client;

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
