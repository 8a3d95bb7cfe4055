//! Measures scans, filters, lookups, joins, sorts, groups and traversals on a million small documents, beside the bare
//! storage engine doing the same reads.
//!
//! `cargo run --release -p persea-executor --example throughput [documents [query]]`
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a measuring program")]

use std::sync::Arc;
use std::time::Instant;

use persea_collections::{CollectionOptions, Database, Databases, Direction, Options, WriteOptions};
use persea_executor::{QueryContext, execute};
use persea_planner::PlanOptions;
use persea_vpack::vpack;

#[path = "../tests/support/mod.rs"]
mod support;

use support::TestDatabase;

fn main() {
    let count: i64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let directory = tempfile::tempdir().unwrap();
    let databases = Databases::open(directory.path(), &Options::default()).unwrap();
    let database = databases.system().unwrap();
    let db = TestDatabase { databases, database };
    fill(&db.database, count);
    bare(&db.database, count);
    if let Some(query) = std::env::args().nth(2) {
        return measure(&db, &query, 30);
    }
    for query in [
        "FOR d IN c FILTER d.value == 17 RETURN d.name",
        "FOR d IN c FILTER d.value > 990 AND d.name != 'x' RETURN d._key",
        "FOR d IN c COLLECT AGGREGATE s = SUM(d.n) RETURN s",
        "FOR d IN c RETURN d.n",
        "FOR d IN c RETURN d",
        "FOR d IN c RETURN {n: d.n, v: d.value + 1}",
        "FOR d IN c COLLECT v = d.value WITH COUNT INTO n RETURN [v, n]",
        "FOR d IN c SORT d.value, d.n DESC LIMIT 10 RETURN d.n",
        "FOR d IN c SORT d.name RETURN d.n",
        "FOR i IN 0..99999 FOR d IN c FILTER d._key == CONCAT('key', i * 7) RETURN d.n",
        "FOR i IN 0..99999 FOR d IN c FILTER d.n == i * 7 RETURN d.value",
        "FOR d IN c FILTER d.n >= 1000 AND d.n < 101000 RETURN d.value",
        "FOR i IN 0..9999 LET s = (FOR d IN c FILTER d.n == i RETURN d.value) RETURN s[0]",
        "FOR i IN 0..9999 LET s = FIRST(FOR d IN c FILTER d.n == i LIMIT 1 RETURN d.value) RETURN s",
        "FOR v IN 1..5 OUTBOUND 'c/key1' e COLLECT WITH COUNT INTO n RETURN n",
        "FOR v IN 1..5 OUTBOUND 'c/key1' e RETURN v.n",
        "FOR i IN 1..1000000 FILTER i % 3 == 0 RETURN i * 2",
    ] {
        measure(&db, query, 3);
    }
}

/// The best of several runs of a query.
fn measure(db: &TestDatabase, query: &str, runs: usize) {
    let (plan, _) = db.plan(query, "{}", &PlanOptions::default());
    let mut best = f64::INFINITY;
    let (mut rows, mut work) = (0, 0);
    for _ in 0..runs {
        let started = Instant::now();
        rows = 0;
        let context = QueryContext::read(db.database.clone()).unwrap();
        let outcome = execute(plan.clone(), context, |_| {
            rows += 1;
            Ok(())
        })
        .unwrap();
        work = outcome.stats.scanned_full + outcome.stats.scanned_index;
        best = best.min(started.elapsed().as_secs_f64());
    }
    let each = best * 1e9 / work.max(rows).max(1) as f64;
    println!("{:9.1} ms {each:7.0} ns/row {rows:8} rows  {query}", best * 1e3);
}

fn fill(database: &Arc<Database>, count: i64) {
    let c = database.create_collection(CollectionOptions::new("c")).unwrap();
    let e = database.create_collection(CollectionOptions::edge("e")).unwrap();
    c.create_index(vpack!({ "type": "persistent", "fields": ["n"] }).as_slice()).unwrap();
    let started = Instant::now();
    for chunk in 0..count.div_euclid(10_000).max(1) {
        let mut transaction = database.begin().unwrap();
        for n in chunk * 10_000..(chunk * 10_000 + 10_000).min(count) {
            let key = format!("key{n}");
            let name = format!("name {} of many", n % 5000);
            let document = vpack!({
                "_key": key.as_str(), "n": n, "value": n * 7919 % 1000, "name": name.as_str(),
                "address": { "city": "Oslo", "zip": n % 10_000 }, "active": true
            });
            transaction.insert(&c, document.as_slice(), &WriteOptions::default()).unwrap();
            if n < 200_000 {
                for step in [1, 3] {
                    let from = format!("c/key{n}");
                    let to = format!("c/key{}", (n * 2 + step) % 200_000);
                    let edge = vpack!({ "_from": from.as_str(), "_to": to.as_str() });
                    transaction.insert(&e, edge.as_slice(), &WriteOptions::default()).unwrap();
                }
            }
        }
        transaction.commit().unwrap();
    }
    println!("filled {count} documents in {:.1} s", started.elapsed().as_secs_f64());
}

/// The reads themselves, without a query around them.
fn bare(database: &Arc<Database>, count: i64) {
    let c = database.collection("c").unwrap();
    let view = database.view().unwrap();
    for _ in 0..2 {
        let started = Instant::now();
        let mut bytes = 0;
        for found in view.scan(&c, Direction::Forward).unwrap() {
            bytes += found.unwrap().1.bytes().len();
        }
        let each = started.elapsed().as_secs_f64() * 1e9 / count as f64;
        println!("bare scan: {each:.0} ns/document, {} bytes each", bytes as i64 / count);
    }
    let keys: Vec<String> = (0..100_000).map(|i| format!("key{}", i * 7 % count)).collect();
    let started = Instant::now();
    let mut found = 0;
    for key in &keys {
        found += usize::from(view.by_key(&c, key).unwrap().is_some());
    }
    let each = started.elapsed().as_secs_f64() * 1e9 / keys.len() as f64;
    println!("bare lookup by key: {each:.0} ns ({found} found)");
}
