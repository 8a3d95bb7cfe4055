//! Data modification: what is written, returned, counted, and undone.
#![allow(missing_docs)]

mod support;

use persea_executor::{Cursor, QueryContext};
use persea_planner::PlanOptions;
use support::TestDatabase;

fn db() -> TestDatabase {
    let db = TestDatabase::new();
    db.collection("c", r#"[{"_key":"k","a":{"x":2},"n":1},{"_key":"m","n":2}]"#);
    db
}

fn run(db: &TestDatabase, query: &str, expected: &str) {
    let answer = db.run(query).unwrap_or_else(|error| panic!("{query}: {error}"));
    assert_eq!(answer.rows, expected, "{query}");
}

#[test]
fn insert() {
    let db = db();
    run(&db, "FOR i IN 1..5 INSERT {value: i} INTO c LIMIT 2 RETURN NEW.value", "[1,2]");
    run(&db, "RETURN LENGTH(c)", "[7]");
    run(&db, "INSERT {_key: 'new', v: 1} INTO c", "[]");
    run(&db, "INSERT {_key: 'k', v: 1} INTO c OPTIONS {overwriteMode: 'ignore'} RETURN NEW", "[null]");
    run(
        &db,
        "INSERT {_key: 'k', v: 1} INTO c OPTIONS {overwriteMode: 'replace'} RETURN [OLD.n, NEW.v, NEW.n]",
        "[[1,1,null]]",
    );
    run(
        &db,
        "INSERT {_key: 'k', w: 1} INTO c OPTIONS {overwriteMode: 'update'} RETURN [NEW.v, NEW.w]",
        "[[1,1]]",
    );
    db.check_error("INSERT {_key: 'k'} INTO c", 1210);
    db.check_error("INSERT 5 INTO c", 1227);
    // A query either writes everything or nothing.
    db.check_error("FOR i IN 1..5 INSERT {_key: i == 4 ? 'k' : CONCAT('all', i)} INTO c", 1210);
    run(&db, "FOR d IN c FILTER d._key LIKE 'all%' RETURN 1", "[]");
    let answer = db.run("FOR i IN 1..3 INSERT {_key: i == 2 ? 'k' : CONCAT('some', i)} INTO c OPTIONS {ignoreErrors: true} RETURN NEW._key").unwrap();
    assert_eq!(answer.rows, "[\"some1\",\"some3\"]");
    assert_eq!((answer.stats.writes_executed, answer.stats.writes_ignored), (2, 1));
    // The query does not see what it writes.
    run(&db, "FOR d IN c FILTER d.n != null INSERT {n: d.n + 10} INTO c RETURN NEW.n", "[12]");
}

/// Ignoring errors is meant for documents that are at fault; a limit ends the query.
#[test]
fn ignoring_errors_does_not_ignore_limits() {
    let db = db();
    db.index("c", r#"{"type":"persistent","fields":["text"],"storedValues":["more"]}"#);
    let query = "FOR i IN 1..100
        INSERT {_key: i == 2 ? 'k' : CONCAT('new', i), text: REPEAT('x', 50), more: REPEAT('y', 50)} INTO c
        OPTIONS {ignoreErrors: true}";
    let (plan, _) = db.plan(query, "{}", &PlanOptions::default());
    for limit in (100..1200).step_by(37) {
        let mut transaction = db.database.begin().unwrap();
        transaction.limit_write_bytes(limit);
        let context = QueryContext::write(db.database.clone(), transaction);
        let mut cursor = Cursor::new(plan.clone(), context).unwrap();
        let error = cursor.run(&mut |_| Ok(())).unwrap_err();
        assert_eq!(error.code(), 32, "within {limit} bytes: {error}");
        let persea_executor::Access::Write(mut transaction) = cursor.finish().access else { panic!() };
        let view = transaction.view().unwrap();
        let collection = db.database.collection("c").unwrap();
        assert!(view.verify(&collection, &mut |_| {}).unwrap().is_clean(), "within {limit} bytes");
    }
    let answer = db.run(query).unwrap();
    assert_eq!((answer.stats.writes_executed, answer.stats.writes_ignored), (99, 1));
}

#[test]
fn update_and_replace() {
    let db = db();
    run(
        &db,
        "UPDATE 'k' WITH {a: {b: 1, c: null}} IN c OPTIONS {keepNull: false} RETURN NEW.a",
        "[{\"x\":2,\"b\":1}]",
    );
    run(
        &db,
        "UPDATE 'k' WITH {a: {b: 1, c: null}} IN c OPTIONS {keepNull: false, mergeObjects: false} RETURN NEW.a",
        "[{\"b\":1}]",
    );
    run(&db, "FOR d IN c UPDATE d WITH {n: d.n + 1} IN c RETURN [OLD.n, NEW.n]", "[[1,2],[2,3]]");
    run(&db, "FOR d IN c SORT d.n UPDATE {_key: d._key, m: d.n} IN c RETURN NEW.m", "[2,3]");
    run(&db, "REPLACE 'k' WITH {z: 1} IN c RETURN [NEW.z, NEW.n]", "[[1,null]]");
    db.check_error("UPDATE 'none' WITH {a: 1} IN c", 1202);
    db.check_error("UPDATE {a: 1} IN c", 1226);
    let answer = db.run("UPDATE 'none' WITH {a: 1} IN c OPTIONS {ignoreErrors: true} RETURN NEW").unwrap();
    assert_eq!((answer.rows.as_str(), answer.stats.writes_ignored), ("[]", 1));
    db.check_error("UPDATE {_key: 'k', _rev: 'wrong', a: 1} IN c OPTIONS {ignoreRevs: false}", 1200);
}

#[test]
fn remove() {
    let db = db();
    run(&db, "REMOVE 'k' IN c RETURN OLD.n", "[1]");
    db.check_error("REMOVE 'k' IN c", 1202);
    let answer = db.run("REMOVE 'nokey' IN c OPTIONS {ignoreErrors: true}").unwrap();
    assert_eq!((answer.rows.as_str(), answer.stats.writes_ignored), ("[]", 1));
    run(&db, "FOR d IN c REMOVE d IN c", "[]");
    run(&db, "RETURN LENGTH(c)", "[0]");
    run(&db, "LET r = (FOR d IN c REMOVE d IN c) RETURN r", "[[]]");
}

#[test]
fn upsert() {
    let db = db();
    let query = "UPSERT {name: 'x'} INSERT {name: 'x', n: 1} UPDATE {n: OLD.n + 1} IN c RETURN [OLD ? 'update' : 'insert', NEW.n]";
    run(&db, query, "[[\"insert\",1]]");
    run(&db, query, "[[\"update\",2]]");
    // Each row sees the write of the one before.
    run(
        &db,
        "FOR i IN [1, 1, 2] UPSERT {u: i} INSERT {u: i, n: 1} UPDATE {n: OLD.n + 1} IN c RETURN NEW.n",
        "[1,2,1]",
    );
    run(
        &db,
        "UPSERT {_key: 'k'} INSERT {} REPLACE {r: 1} IN c RETURN [NEW._key, NEW.r, NEW.n]",
        "[[\"k\",1,null]]",
    );
}

#[test]
fn writes_in_subqueries_and_reads_before_writes() {
    let db = db();
    run(&db, "LET r = (FOR i IN 1..3 INSERT {i} INTO c RETURN NEW.i) RETURN r", "[[1,2,3]]");
    run(
        &db,
        "FOR d IN c FILTER d.i != null SORT d.i DESC UPDATE d WITH {j: d.i * 2} IN c RETURN NEW.j",
        "[6,4,2]",
    );
    run(&db, "LET n = LENGTH(c) INSERT {n} INTO c RETURN NEW.n", "[5]");
}

#[test]
fn failed_queries_leave_the_transaction_as_it_was() {
    use persea_executor::{Access, Cursor, QueryContext};
    use persea_planner::PlanOptions;
    let db = db();
    let run = |transaction, query: &str| {
        let (plan, _) = db.plan(query, "{}", &PlanOptions::default());
        let mut cursor = Cursor::new(plan, QueryContext::write(db.database.clone(), transaction)).unwrap();
        let result = cursor.run(&mut |_| Ok(()));
        match cursor.finish().access {
            Access::Write(transaction) => (result, transaction),
            Access::Read(_) => panic!("the transaction is handed back"),
        }
    };
    let transaction = db.database.begin().unwrap();
    let (result, transaction) = run(transaction, "INSERT {_key: 'one'} INTO c");
    result.unwrap();
    let (result, transaction) = run(transaction, "FOR k IN ['two', 'one'] INSERT {_key: k} INTO c");
    assert_eq!(result.unwrap_err().code(), 1210);
    let (result, transaction) =
        run(transaction, "FOR d IN c FILTER d._key == 'one' UPDATE d WITH {seen: true} IN c");
    result.unwrap();
    transaction.commit().unwrap();
    db.check("FOR d IN c FILTER d._key IN ['one', 'two'] RETURN [d._key, d.seen]", "[[\"one\",true]]");
}
