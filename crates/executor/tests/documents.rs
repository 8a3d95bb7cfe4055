//! Scans and index lookups: what they find, and how much they read.
#![allow(missing_docs)]

mod support;

use persea_executor::{Cursor, QueryContext};
use persea_planner::PlanOptions;
use support::TestDatabase;

/// 5,000 documents with a number, its remainder by 10 and a few nested attributes.
fn numbers() -> TestDatabase {
    let db = TestDatabase::new();
    let documents: Vec<String> = (0..5000)
        .map(|n| {
            format!(
                r#"{{"_key":"k{n}","n":{n},"mod":{},"name":"name{}","nested":{{"value":{}}},"tags":["t{}","t{}"]}}"#,
                n % 10,
                n % 100,
                n * 2,
                n % 3,
                n % 5
            )
        })
        .collect();
    db.collection("c", &format!("[{}]", documents.join(",")));
    db
}

#[test]
fn scans_filter_and_project() {
    let db = numbers();
    db.check("FOR d IN c FILTER d.n < 3 RETURN d._key", "[\"k0\",\"k1\",\"k2\"]");
    db.check("FOR d IN c FILTER d.nested.value == 8 RETURN d.n", "[4]");
    db.check("FOR d IN c FILTER d.n == 7 RETURN d.missing", "[null]");
    db.check("FOR d IN c COLLECT WITH COUNT INTO n RETURN n", "[5000]");
    db.check("RETURN LENGTH(c)", "[5000]");
    db.check("RETURN LENGTH(FOR d IN c FILTER d.mod == 3 RETURN 1)", "[500]");
    db.check(
        "FOR d IN c COLLECT m = d.mod AGGREGATE s = SUM(d.n) SORT m LIMIT 2 RETURN [m, s]",
        "[[0,1247500],[1,1248000]]",
    );
    db.check("FOR d IN c SORT d.n DESC LIMIT 2 RETURN d.n", "[4999,4998]");
    db.check("FOR d IN c FILTER d.name IN ['name1', 'name2'] AND d.n < 150 RETURN d.n", "[1,2,101,102]");
    db.check("FOR d IN c FILTER d.name LIKE 'name4_' AND d.mod == 2 AND d.n < 200 RETURN d.n", "[42,142]");
    db.check("FOR x IN 1..2 FOR d IN c FILTER d.n == x RETURN d.n", "[1,2]");
    let answer = db.run("FOR d IN c FILTER d.n == 17 RETURN d").unwrap();
    assert_eq!((answer.stats.scanned_full, answer.stats.filtered), (5000, 4999));
    let answer = db.run("FOR d IN c LIMIT 10 RETURN d").unwrap();
    assert_eq!(answer.stats.scanned_full, 10);
    let answer = db.run("FOR d IN c RETURN 1").unwrap();
    assert_eq!(answer.rows.matches('1').count(), 5000);
    let answer = db.run("FOR d IN c SORT RAND() LIMIT 1 RETURN d.n").unwrap();
    assert_ne!(answer.rows, "[]");
}

#[test]
fn the_primary_index_finds_keys() {
    let db = numbers();
    db.check("FOR d IN c FILTER d._key == 'k42' RETURN d.n", "[42]");
    db.check("FOR d IN c FILTER d._id == 'c/k42' RETURN d.n", "[42]");
    db.check("FOR d IN c FILTER d._id == 'other/k42' RETURN d.n", "[]");
    db.check("FOR d IN c FILTER d._key == 42 RETURN d.n", "[]");
    db.check("FOR d IN c FILTER d._key IN ['k3', 'k1', 'k3', 'none', 5] SORT d.n RETURN d.n", "[1,3]");
    db.check("FOR i IN 10..12 FOR d IN c FILTER d._key == CONCAT('k', i) RETURN d.n", "[10,11,12]");
    db.check("RETURN DOCUMENT('c/k7').n", "[7]");
    let answer = db.run("FOR d IN c FILTER d._key == 'k42' RETURN d").unwrap();
    assert_eq!((answer.stats.scanned_full, answer.stats.scanned_index), (0, 1));
    let answer =
        db.run("FOR i IN 1..50 FOR d IN c FILTER d._key == CONCAT('k', 2000 - i) RETURN d.n").unwrap();
    assert_eq!((answer.stats.scanned_full, answer.stats.scanned_index), (0, 50));
    assert!(answer.rows.starts_with("[1999,1998,1997,"));
}

#[test]
fn persistent_indexes_find_values_and_ranges() {
    let db = numbers();
    db.index("c", r#"{"type":"persistent","fields":["n"],"unique":true}"#);
    db.index("c", r#"{"type":"persistent","fields":["mod","nested.value"]}"#);
    db.index("c", r#"{"type":"persistent","fields":["tags[*]"]}"#);
    db.index("c", r#"{"type":"persistent","fields":["name"],"storedValues":["n"]}"#);
    db.check("FOR d IN c FILTER d.n == 4711 RETURN d._key", "[\"k4711\"]");
    db.check("FOR d IN c FILTER d.n >= 10 AND d.n < 13 RETURN d.n", "[10,11,12]");
    db.check("FOR d IN c FILTER d.n > 4997 SORT d.n RETURN d.n", "[4998,4999]");
    db.check("FOR d IN c FILTER d.n > 4996 SORT d.n DESC LIMIT 2 RETURN d.n", "[4999,4998]");
    db.check("FOR d IN c FILTER d.n IN [5, 3, 3, 'x', 4] SORT d.n RETURN d.n", "[3,4,5]");
    db.check("FOR d IN c FILTER d.n == 3 OR d.n == 5 SORT d.n RETURN d.n", "[3,5]");
    db.check("FOR d IN c FILTER d.mod == 3 AND d.nested.value < 30 SORT d.n RETURN d.n", "[3,13]");
    db.check("FOR d IN c FILTER d.mod IN [1, 2] AND d.nested.value == 4 RETURN d.n", "[2]");
    db.check("FOR d IN c FILTER 't2' IN d.tags AND d.n < 6 SORT d.n RETURN d.n", "[2,5]");
    db.check("FOR d IN c FILTER d.name == 'name7' SORT d.n LIMIT 2 RETURN d.n", "[7,107]");
    db.check("FOR i IN 1..3 FOR d IN c FILTER d.n == i RETURN d._key", "[\"k1\",\"k2\",\"k3\"]");
    db.check(
        "FOR i IN 1..2 FOR d IN c FILTER d.mod == i AND d.nested.value < 25 SORT d.n RETURN d.n",
        "[1,2,11,12]",
    );

    let answer = db.run("FOR d IN c FILTER d.n == 4711 RETURN d").unwrap();
    assert_eq!(
        (answer.stats.scanned_full, answer.stats.scanned_index, answer.stats.document_lookups),
        (0, 1, 1)
    );
    let answer = db.run("FOR d IN c FILTER d.n >= 100 AND d.n < 200 RETURN d").unwrap();
    assert_eq!((answer.stats.scanned_full, answer.stats.scanned_index), (0, 100));
    let answer = db.run("FOR d IN c SORT d.n LIMIT 5 RETURN d.n").unwrap();
    assert_eq!((answer.stats.scanned_full, answer.stats.scanned_index), (0, 5));
    let answer = db.run("FOR d IN c FILTER d.mod == 7 COLLECT WITH COUNT INTO n RETURN n").unwrap();
    assert_eq!((answer.rows.as_str(), answer.stats.document_lookups), ("[500]", 0));
}

#[test]
fn long_values_are_told_apart_although_index_keys_are_cut() {
    let db = TestDatabase::new();
    let long = "x".repeat(2000);
    db.collection(
        "c",
        &format!(r#"[{{"a":"{long}1","n":1}},{{"a":"{long}2","n":2}},{{"a":"short","n":3}}]"#),
    );
    db.index("c", r#"{"type":"persistent","fields":["a"]}"#);
    db.check(&format!("FOR d IN c FILTER d.a == '{long}2' RETURN d.n"), "[2]");
    db.check(&format!("FOR d IN c FILTER d.a > '{long}1' RETURN d.n"), "[2]");
}

#[test]
fn joins_agree_whichever_way_they_are_done() {
    let db = numbers();
    let documents: Vec<String> = (0..700).map(|n| format!(r#"{{"ref":{},"m":{}}}"#, n * 3, n % 4)).collect();
    db.collection("other", &format!("[{}]", documents.join(",")));
    let query = "FOR o IN other FOR d IN c FILTER d.n == o.ref AND d.mod == o.m SORT d.n RETURN [d.n, o.m]";
    let plain = db.run(query).unwrap();
    db.index("c", r#"{"type":"persistent","fields":["n"]}"#);
    let indexed = db.run(query).unwrap();
    assert_eq!(plain.rows, indexed.rows);
    assert_ne!(plain.rows, "[]");
    db.check(
        "FOR a IN [{k: 1}, {k: 2}, {}] FOR b IN [{k: 2, v: 'x'}, {k: null, v: 'y'}, {k: 2, v: 'z'}] FILTER a.k == b.k \
         RETURN [a.k, b.v]",
        "[[2,\"x\"],[2,\"z\"],[null,\"y\"]]",
    );
}

#[test]
fn correlated_subqueries_use_indexes() {
    let db = numbers();
    db.index("c", r#"{"type":"persistent","fields":["mod"]}"#);
    let answer =
        db.run("FOR i IN 1..3 LET n = LENGTH(FOR d IN c FILTER d.mod == i RETURN d) RETURN n").unwrap();
    assert_eq!((answer.rows.as_str(), answer.stats.scanned_full), ("[500,500,500]", 0));
    db.check(
        "FOR i IN 0..2 LET f = FIRST(FOR d IN c FILTER d.mod == i SORT d.n RETURN d.n) RETURN f",
        "[0,1,2]",
    );
}

/// A query reads the state at its beginning, whatever happens to the collection meanwhile.
#[test]
fn truncating_and_renaming_leave_running_queries_alone() {
    type Change = fn(&TestDatabase);
    let changes: [(&str, Change); 3] = [
        ("truncate", |db| db.database.collection("c").unwrap().truncate().unwrap()),
        ("rename", |db| db.database.rename_collection("c", "renamed").unwrap()),
        ("drop an index", |db| {
            db.database.collection("c").unwrap().drop_index("n").unwrap();
        }),
    ];
    let queries = [
        "FOR d IN c FILTER d.n >= 0 SORT d.n RETURN d.n",
        "FOR d IN c FILTER d.n >= 0 SORT d.n RETURN d.m",
        "FOR d IN c RETURN d.n",
        "FOR i IN 0..1499 FOR d IN c FILTER d._key == TO_STRING(i) RETURN d.n",
        "FOR i IN 0..1499 FOR d IN c FILTER d._id == CONCAT('c/', i) RETURN d.n",
        "FOR i IN 0..1499 FOR d IN c FILTER d.n == i RETURN d.m",
    ];
    for (name, change) in changes {
        for query in queries {
            let db = TestDatabase::new();
            let documents: Vec<String> =
                (0..1500).map(|n| format!(r#"{{"_key":"{n}","n":{n},"m":{n}}}"#)).collect();
            db.collection("c", &format!("[{}]", documents.join(",")));
            db.index("c", r#"{"type":"persistent","fields":["n"],"name":"n"}"#);
            let (plan, _) = db.plan(query, "{}", &PlanOptions::default());
            let context = QueryContext::read(db.database.clone()).unwrap();
            let mut cursor = Cursor::new(plan, context).unwrap();
            let mut next = 0;
            let mut sink = |value: persea_order::Value<'_>| {
                let value = persea_json::to_string(value.to_vpack()?.as_slice());
                assert_eq!(value, next.to_string(), "{name}: {query}");
                next += 1;
                Ok(())
            };
            assert!(cursor.next_rows(1, &mut sink).unwrap());
            change(&db);
            while cursor.next_rows(1000, &mut sink).unwrap() {}
            assert_eq!(next, 1500, "{name}: {query}");
        }
    }
}
