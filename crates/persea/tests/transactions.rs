//! Transactions as objects, in the process.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on fails there and then")]

use persea::{Database, Error, OwnedTransaction, TransactionOptions, UndeclaredCollections};
use serde_json::{Value, json};

#[track_caller]
fn number<T>(outcome: Result<T, Error>) -> u16 {
    outcome.err().expect("an error").number()
}

fn numbers(tx: &OwnedTransaction) -> Vec<u64> {
    let rows = tx.query("FOR d IN c SORT d.n RETURN d.n").rows().expect("rows");
    rows.collect::<Result<_, _>>().expect("numbers")
}

#[test]
fn it_moves_between_threads_and_is_dropped_as_aborted() {
    let db = Database::in_memory().unwrap();
    let c = db.create_collection("c").unwrap();
    let tx = db.begin().unwrap();
    let tx = std::thread::spawn(move || {
        tx.query("FOR n IN 1..3 INSERT { n } INTO c").run().unwrap();
        tx
    })
    .join()
    .unwrap();
    assert_eq!(numbers(&tx), [1, 2, 3]);
    assert!(tx.write_bytes().unwrap() > 0);
    let inside = tx.collection("c").unwrap();
    assert_eq!((inside.count().unwrap(), c.count().unwrap()), (3, 0));
    drop(tx);
    assert_eq!(number(inside.insert(&json!({}))), 1654);
    assert_eq!(c.count().unwrap(), 0);
}

#[test]
fn handles_outlive_the_commit_but_do_nothing() {
    let db = Database::in_memory().unwrap();
    let c = db.create_collection("c").unwrap();
    let tx = db.begin().unwrap();
    let inside = tx.collection("c").unwrap();
    inside.insert(&json!({ "_key": "1" })).unwrap();
    tx.commit().unwrap();
    assert_eq!(number(inside.get::<Value>("1")), 1653);
    assert!(c.get::<Value>("1").unwrap().is_some());
}

#[test]
fn failures_undo_themselves_only() {
    let db = Database::in_memory().unwrap();
    let c = db.create_collection("c").unwrap();
    c.ensure_index(&["n"], true).unwrap();
    let tx = db.begin().unwrap();
    tx.insert(&c, &json!({ "n": 1 })).unwrap();
    assert_eq!(number(tx.insert(&c, &json!({ "n": 1 }))), 1210);
    assert_eq!(number(tx.query("FOR n IN 5..0 INSERT { n } INTO c").run()), 1210);
    assert_eq!(number(tx.query("FOR n IN 7..9 INSERT { n } INTO c RETURN FAIL()").run()), 1569);
    assert_eq!(numbers(&tx), [1]);
    let items = tx.collection("c").unwrap().insert_many(&[json!({ "n": 1 }), json!({ "n": 2 })]).unwrap();
    assert_eq!((items[0].is_err(), items[1].is_ok()), (true, true));
    assert_eq!(numbers(&tx), [1, 2]);
    tx.commit().unwrap();
    assert_eq!(c.count().unwrap(), 2);
}

#[test]
fn conflicts_are_told_at_once_and_not_tried_again() {
    let db = Database::in_memory().unwrap();
    let c = db.create_collection("c").unwrap();
    c.insert(&json!({ "_key": "1", "n": 1 })).unwrap();
    let (first, second) = (db.begin().unwrap(), db.begin().unwrap());
    first.update(&c, "1", &json!({ "n": 2 })).unwrap();
    assert_eq!(number(second.update(&c, "1", &json!({ "n": 3 }))), 1200);
    assert_eq!(number(second.query("UPDATE '1' WITH { n: 4 } IN c").run()), 1200);
    first.commit().unwrap();
    assert_eq!(number(second.remove(&c, "1")), 1200);
    assert_eq!(numbers(&second), [1]);
}

#[test]
fn declared_collections() {
    let db = Database::in_memory().unwrap();
    let c = db.create_collection("c").unwrap();
    db.create_collection("other").unwrap();
    let options = TransactionOptions {
        read: vec!["c".to_owned()],
        undeclared: UndeclaredCollections::Refuse,
        ..TransactionOptions::default()
    };
    let tx = db.begin_with(&options).unwrap();
    assert!(!tx.declares_writes());
    assert_eq!(tx.get::<Value>(&c, "1").unwrap(), None);
    assert_eq!(number(tx.insert(&c, &json!({}))), 1652);
    assert_eq!(number(tx.query("FOR d IN other RETURN d").run()), 1652);
    let unknown = TransactionOptions { write: vec!["nowhere".to_owned()], ..TransactionOptions::default() };
    assert_eq!(number(db.begin_with(&unknown)), 1203);
}

#[test]
fn transactions_don_t_nest() {
    let db = Database::in_memory().unwrap();
    let tx = db.begin().unwrap();
    assert_eq!(number(tx.database().begin()), 1651);
    assert_eq!(number(tx.database().transaction(|_| Ok(()))), 1651);
}

#[test]
fn too_much_is_refused() {
    let db = Database::in_memory().unwrap();
    let c = db.create_collection("c").unwrap();
    let options = TransactionOptions { write_bytes_max: Some(5_000), ..TransactionOptions::default() };
    let tx = db.begin_with(&options).unwrap();
    tx.insert(&c, &json!({ "n": 1 })).unwrap();
    assert_eq!(number(tx.insert(&c, &json!({ "text": "x".repeat(5_000) }))), 32);
    assert_eq!(number(tx.query("FOR n IN 1..1000 INSERT { n } INTO c").run()), 32);
    assert_eq!(numbers(&tx), [1]);
    tx.commit().unwrap();
    assert_eq!(c.count().unwrap(), 1);
}
