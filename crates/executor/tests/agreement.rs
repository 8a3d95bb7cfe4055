//! Generated queries answer the same with all optimizer rules, with none, and on a collection without indexes.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod support;

use std::cell::OnceCell;

use persea_executor::ExecuteOptions;
use persea_planner::PlanOptions;
use proptest::prelude::*;
use support::TestDatabase;

thread_local! {
    static DATABASE: OnceCell<TestDatabase> = const { OnceCell::new() };
}

fn documents(name: &str) -> String {
    let values = ["null", "1", "2", "3", "2.5", "\"a\"", "\"b\"", "true", "[1,2]", "{\"x\":1}"];
    let documents: Vec<String> = (0..120)
        .map(|n| {
            let a = values[n * 7 % values.len()];
            let b = n % 6;
            let c = values[n * 3 % values.len()];
            let missing = if n % 5 == 0 { String::new() } else { format!(",\"m\":{}", n % 4) };
            format!(
                r#"{{"_key":"{name}{n}","n":{n},"a":{a},"b":{b},"o":{{"c":{c}}},"t":[{},{},"a"]{missing}}}"#,
                n % 3,
                n % 7
            )
        })
        .collect();
    format!("[{}]", documents.join(","))
}

fn database() -> TestDatabase {
    let db = TestDatabase::new();
    db.collection("plain", &documents("k")).collection("indexed", &documents("k"));
    for definition in [
        r#"{"type":"persistent","fields":["a"]}"#,
        r#"{"type":"persistent","fields":["b","o.c"]}"#,
        r#"{"type":"persistent","fields":["n"],"unique":true}"#,
        r#"{"type":"persistent","fields":["m"],"sparse":true}"#,
        r#"{"type":"persistent","fields":["t[*]"]}"#,
        r#"{"type":"persistent","fields":["o.c"],"storedValues":["n","b"]}"#,
    ] {
        db.index("indexed", definition);
    }
    db
}

fn value() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "null", "0", "1", "2", "2.5", "3", "17", "50", "'a'", "'b'", "''", "true", "false", "[1, 2]",
        "{x: 1}", "'k5'", "'k17'",
    ])
    .prop_map(str::to_owned)
}

fn condition() -> impl Strategy<Value = String> {
    let path =
        prop::sample::select(vec!["d.a", "d.b", "d.o.c", "d.n", "d.m", "d._key", "d.t[0]", "d.missing"]);
    let op = prop::sample::select(vec!["==", "!=", "<", "<=", ">", ">="]);
    let comparison = (path.clone(), op, value(), any::<bool>()).prop_map(|(path, op, value, mirrored)| {
        if mirrored { format!("{value} {op} {path}") } else { format!("{path} {op} {value}") }
    });
    let membership = (path.clone(), prop::collection::vec(value(), 0..4), any::<bool>()).prop_map(
        |(path, list, negated)| {
            format!("{path} {} [{}]", if negated { "NOT IN" } else { "IN" }, list.join(", "))
        },
    );
    let array = (value(), any::<bool>())
        .prop_map(|(value, any)| if any { format!("d.t ANY == {value}") } else { format!("{value} IN d.t") });
    let leaf = prop_oneof![6 => comparison, 2 => membership, 1 => array, 1 => path.prop_map(str::to_owned)];
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("({left} AND {right})")),
            (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("({left} OR {right})")),
            inner.prop_map(|inner| format!("!({inner})")),
        ]
    })
}

/// A query with `COLLECTION` in the place of the collection.
fn query() -> impl Strategy<Value = String> {
    let order = prop::sample::select(vec![
        "SORT d.n",
        "SORT d.n DESC",
        "SORT d.a, d.n",
        "SORT d.b DESC, d.o.c, d.n",
        "SORT d.m, d._key DESC",
    ]);
    let limit = prop::sample::select(vec!["", "LIMIT 7", "LIMIT 3, 5", "LIMIT 1000"]);
    let result = prop::sample::select(vec![
        "RETURN d._key",
        "RETURN d.n",
        "RETURN [d.a, d.o.c, d.m]",
        "RETURN d.o",
        "LET s = (FOR x IN d.t FILTER x > 1 RETURN x) RETURN [d.n, s]",
        "LET s = (FOR x IN COLLECTION FILTER x.n == d.b SORT x.n RETURN x.b) RETURN [d.n, s]",
        "FOR x IN COLLECTION FILTER x.n == d.b * 3 RETURN [d.n, x.n]",
        "COLLECT g = d.b WITH COUNT INTO c RETURN [g, c]",
        "COLLECT g = d.a AGGREGATE s = SUM(d.n), m = MAX(d.o.c) RETURN [g, s, m]",
        "COLLECT WITH COUNT INTO c RETURN c",
        "RETURN DISTINCT d.b",
    ]);
    let filters = prop::collection::vec(condition(), 0..3);
    (filters, order, limit, result).prop_map(|(filters, order, limit, result)| {
        let filters: Vec<String> = filters.iter().map(|filter| format!("FILTER {filter}")).collect();
        format!("FOR d IN COLLECTION {} {order} {limit} {result}", filters.join(" "))
    })
}

fn run(db: &TestDatabase, query: &str, collection: &str, rules: &[&str]) -> String {
    let query = query.replace("COLLECTION", collection);
    let rules = rules.iter().map(|rule| (*rule).to_owned()).collect();
    let options = PlanOptions { rules, ..PlanOptions::default() };
    match db.run_with(&query, "{}", &options, ExecuteOptions::default(), 1000) {
        Ok(answer) => answer.rows,
        Err(error) => panic!("{query}: {error}"),
    }
}

/// `RETURN DISTINCT` gives no order of its own.
fn normal(query: &str, rows: String) -> String {
    if !query.contains("DISTINCT") {
        return rows;
    }
    let mut parts: Vec<&str> = rows.trim_matches(['[', ']']).split(',').collect();
    parts.sort_unstable();
    parts.join(",")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plans_agree(query in query()) {
        DATABASE.with(|cell| {
            let db = cell.get_or_init(database);
            let expected = normal(&query, run(db, &query, "plain", &["-all"]));
            for (collection, rules) in [("plain", &[][..]), ("indexed", &["-all"][..]), ("indexed", &[][..])] {
                let rows = normal(&query, run(db, &query, collection, rules));
                prop_assert_eq!(&rows, &expected, "{} on {} with {:?}", query, collection, rules);
            }
            Ok(())
        })?;
    }
}
