//! A query can be ended, and its memory is bounded, while a single expression is being computed.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use persea_executor::{Cursor, Limits, QueryContext};
use persea_planner::PlanOptions;
use support::TestDatabase;

/// Most time until a query has noticed that it is to end, generous for slow builds on busy machines.
const PATIENCE: Duration = Duration::from_secs(10);

/// Expressions which would take far longer than [`PATIENCE`] and a lot of memory.
const LONG: [&str; 9] = [
    "SLEEP(60)",
    "LENGTH(UNIQUE(1..9999999))",
    "LENGTH((1..9999999)[* RETURN CURRENT * 2 + LENGTH((1..1000)[* RETURN CURRENT])])",
    "LENGTH((1..9999999)[* FILTER CURRENT % 7 == 0 LIMIT 5000, 2000000 RETURN CONCAT('number ', CURRENT)])",
    "LENGTH([[1..9999999], 1..9999999][*** RETURN CURRENT % 3])",
    "(1..9999999)[? 7 FILTER CURRENT % 3 == 1 AND LENGTH(CONCAT('x', CURRENT)) > 1]",
    "LENGTH(SORTED((1..9999999)[* RETURN RAND()]))",
    "(1..9999999) ALL IN (1..9999999)[* RETURN CURRENT]",
    "LENGTH(REGEX_REPLACE(REPEAT('a', 16000000), 'a', 'bc'))",
];

/// Runs a query that has to fail; its error number, and how long planning and running took.
fn failure(query: &str, limits: Limits) -> (u32, Duration) {
    let db = TestDatabase::new();
    let start = Instant::now();
    let (plan, _) = db.plan(query, "{}", &PlanOptions::default());
    let mut context = QueryContext::read(db.database.clone()).unwrap();
    context.limits = limits;
    let mut cursor = Cursor::new(plan, context).unwrap();
    let error = cursor.run(&mut |_| Ok(())).err().unwrap_or_else(|| panic!("{query}: ran to its end"));
    (error.code(), start.elapsed())
}

#[test]
fn the_longest_run_time_holds_inside_of_expressions() {
    for expression in LONG {
        let limits = Limits { max_runtime: Some(Duration::from_millis(50)), ..Limits::default() };
        let (code, taken) = failure(&format!("RETURN {expression}"), limits);
        assert_eq!(code, 1500, "{expression}");
        assert!(taken < PATIENCE, "{expression}: {taken:?}");
    }
}

#[test]
fn a_query_is_killed_inside_of_expressions() {
    let kill_flag = Arc::new(AtomicBool::new(false));
    let killer = {
        let kill_flag = kill_flag.clone();
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            kill_flag.store(true, Ordering::Relaxed);
        })
    };
    let limits = Limits { kill_flag, ..Limits::default() };
    let (code, taken) = failure(&format!("RETURN {}", LONG[2]), limits);
    killer.join().unwrap();
    assert_eq!(code, 1500);
    assert!(taken < PATIENCE, "{taken:?}");
}

#[test]
fn memory_is_bounded_inside_of_expressions() {
    for expression in [
        "LENGTH(UNIQUE(1..9999999))",
        "LENGTH(SORTED(1..9999999))",
        "LENGTH((1..9999999)[* RETURN CURRENT * 2])",
        "LENGTH((1..9999999)[* RETURN CONCAT('a text that is not short: ', CURRENT)])",
        "LENGTH((1..9999999)[*])",
        "LENGTH([1..9999999])",
        "LENGTH(REGEX_REPLACE(REPEAT('a', 400000), 'a', 'bcdefghi'))",
        "LENGTH((1..100)[* RETURN REPEAT('a', 1000000)])",
        "LENGTH((1..100)[* RETURN [1..100000]])",
    ] {
        let limits = Limits { memory_bytes: 1_500_000, ..Limits::default() };
        let (code, taken) = failure(&format!("RETURN {expression}"), limits);
        assert_eq!(code, 32, "{expression}");
        assert!(taken < PATIENCE, "{expression}: {taken:?}");
    }
}

#[test]
fn arrays_longer_than_a_group_are_expanded_as_a_whole() {
    let db = TestDatabase::new();
    db.check("FOR n IN [0, 4095, 4096, 4097, 8192, 10000] RETURN LENGTH((1..n)[* FILTER CURRENT > 0])", {
        "[1,4095,4096,4097,8192,10000]"
    });
    db.check("RETURN SUM((1..10000)[* FILTER CURRENT % 2 == 0 RETURN CURRENT + 1])", "[25010000]");
    db.check("RETURN (1..10000)[* LIMIT 4095, 3]", "[[4096,4097,4098]]");
    db.check("RETURN LENGTH((1..10000)[* FILTER CURRENT > 100 LIMIT 50, 9000])", "[9000]");
    db.check("RETURN LENGTH([[1..5000, [1..3]], 1..5000][***])", "[10001]");
    db.check("FOR n IN [3, 9000, 2] RETURN (1..n)[* LIMIT 2]", "[[1,2],[1,2],[1,2]]");
    db.check("RETURN (1..10000)[? 5000 FILTER CURRENT % 2 == 0]", "[true]");
    db.check("FOR n IN [2, 10000, 3] RETURN (1..n)[? ALL FILTER CURRENT != 9999]", "[true,false,true]");
}
