//! Queries that can't be planned, and warnings.

mod common;

use common::{plan, plan_with};
use persea_planner::PlanOptions;
use persea_vpack::{VPackBuf, vpack};

/// Query, bind values, error number.
#[track_caller]
fn check(query: &str, binds: &VPackBuf, expected: u32) {
    match plan_with(query, binds, &PlanOptions::default()) {
        Ok(_) => panic!("{query} was planned"),
        Err(error) => assert_eq!(error.number(), expected, "{query}: {error}"),
    }
}

#[test]
fn names_are_checked() {
    let none = VPackBuf::null();
    for (query, expected) in [
        ("RETURN foo", 1203),
        ("FOR d IN nope RETURN d", 1203),
        ("LET a = 1 LET a = 2 RETURN a", 1511),
        ("FOR a IN plain FOR a IN plain RETURN a", 1511),
        ("LET a = 1 LET s = (FOR a IN plain RETURN a) RETURN s", 1511),
        ("RETURN {foo}", 1512),
        ("RETURN plain", 1568),
        ("FOR d IN plain FILTER plain == 1 RETURN d", 1568),
        ("FOR d IN plain COLLECT g = d.x RETURN d", 1203),
        ("FOR x1 IN 1..2 COLLECT k1 = x1 FOR x2 IN 1..2 COLLECT k2 = x2 RETURN [k2, k1]", 1203),
        ("FOR d IN plain COLLECT a = d.x AGGREGATE m = MAX(a) RETURN m", 1512),
        ("FOR d IN plain COLLECT a = d.x INTO g KEEP nope RETURN g", 1501),
        ("RETURN OLD", 1512),
        ("INSERT {} INTO target RETURN OLD", 1512),
        ("RETURN NOPE(1)", 1540),
        ("RETURN LENGTH()", 1541),
        ("RETURN LENGTH(1, 2)", 1541),
        ("RETURN A::B(1)", 1582),
        ("FOR i IN 1..2 COLLECT AGGREGATE x = CONCAT(i) RETURN x", 1574),
        ("FOR v IN 1..2 OUTBOUND \"a/b\" plain RETURN v", 1218),
        ("FOR v IN 1..2 OUTBOUND \"a/b\" GRAPH \"nope\" RETURN v", 1924),
        ("FOR v IN 3..2 OUTBOUND \"a/b\" edges RETURN v", 1501),
        ("FOR v IN 1..2 OUTBOUND \"a/b\" edges OPTIONS {uniqueVertices: \"global\"} RETURN v", 10),
    ] {
        check(query, &none, expected);
    }
}

#[test]
fn bind_values_are_checked() {
    check("RETURN @x", &VPackBuf::null(), 1551);
    check("RETURN @x", &vpack!({}), 1551);
    check("RETURN 1", &vpack!({ "y": 1 }), 1552);
    check("RETURN 1", &vpack!([1]), 1550);
    check("FOR d IN @@c RETURN d", &vpack!({ "@c": 1 }), 1553);
    check("FOR d IN @@c RETURN d", &vpack!({ "@c": "" }), 1553);
    check("FOR d IN @@c RETURN d", &vpack!({ "@c": "nope" }), 1203);
    check("FOR d IN plain RETURN d.@a", &vpack!({ "a": 5 }), 1553);
    check("FOR d IN plain SORT d.x @dir RETURN d", &vpack!({ "dir": "up" }), 1501);
}

#[test]
fn clauses_are_checked() {
    let none = VPackBuf::null();
    for (query, expected) in [
        ("FOR d IN plain LIMIT d.x RETURN d", 1501),
        ("FOR d IN plain LIMIT -1 RETURN d", 1504),
        ("FOR d IN plain LIMIT \"a\" RETURN d", 1504),
        ("FOR i IN 1..2 FOR d IN plain OPTIONS {indexHint: i} RETURN d", 1575),
        ("FOR d IN plain INSERT {} INTO target OPTIONS {waitForSync: d.x}", 1575),
        ("FOR d IN c OPTIONS {indexHint: \"nope\", forceIndexHint: true} FILTER d.value == 1 RETURN d", 1577),
        ("FOR d IN c REMOVE d IN c FOR e IN c RETURN e", 1579),
        ("FOR d IN c REMOVE d IN c FOR v IN 1..2 OUTBOUND d edges RETURN v", 1579),
        ("FOR d IN c REMOVE d IN c RETURN DOCUMENT(\"c/1\")", 1579),
        ("REMOVE \"a\" IN target REMOVE \"a\" IN c REMOVE \"m\" IN target", 1579),
        ("FOR d IN c REMOVE d IN c WINDOW {preceding: 1} AGGREGATE n = LENGTH() RETURN n", 1595),
        ("FOR d IN c WINDOW {preceding: -1} AGGREGATE n = LENGTH() RETURN n", 10),
        ("FOR d IN c WINDOW d.x WITH {preceding: 1, following: \"P1D\"} AGGREGATE n = LENGTH() RETURN n", 10),
        ("RETURN DISTINCT 1", 1501),
        ("UPSERT 5 INSERT {} UPDATE {} IN c", 1501),
    ] {
        match persea_aql::parse(query) {
            Ok(_) => check(query, &none, expected),
            Err(error) => assert_eq!(error.error_num, expected, "{query}"),
        }
    }
}

#[test]
fn warnings_are_collected() {
    let codes = |query: &str| plan(query).warnings.into_iter().map(|(code, _)| code).collect::<Vec<_>>();
    assert_eq!(codes("FOR d IN c OPTIONS {foo: 1} RETURN d"), [1539]);
    assert_eq!(codes("FOR d IN c OPTIONS {useCache: 1} RETURN d"), [1539]);
    assert_eq!(codes("RETURN 1 / 0"), [1562]);
    assert_eq!(plan("RETURN 1 / 0").warnings, [(1562, "division by zero".to_owned())]);
    assert_eq!(codes("RETURN 1"), [0u32; 0]);
    let strict = PlanOptions { fail_on_warning: true, ..PlanOptions::default() };
    let error = plan_with("RETURN 1 / 0", &VPackBuf::null(), &strict).err();
    assert_eq!(error.map(|error| error.number()), Some(1562));
}

#[test]
fn nesting_is_bounded() {
    let deep = format!("RETURN {}", vec!["NOOPT(1)"; 600].join(" + "));
    if let Ok(parsed) = persea_aql::parse(&deep) {
        let planned = persea_planner::plan(
            &parsed,
            VPackBuf::null().as_slice(),
            &common::Mock,
            &common::Mock,
            &common::Mock,
            &PlanOptions::default(),
        );
        assert_eq!(planned.err().map(|error| error.number()), Some(1524));
    }
    let many: String = (0..2100).map(|number| format!("LET v{number} = NOOPT({number}) ")).collect();
    assert!(plan_with(&format!("{many} RETURN 1"), &VPackBuf::null(), &PlanOptions::default()).is_ok());
}

#[test]
fn rules_can_be_switched() {
    let query = "FOR d IN c FILTER d.value == 1 SORT d.value RETURN d.value";
    let with = |rules: &[&str]| {
        let options = PlanOptions {
            rules: rules.iter().map(|rule| (*rule).to_owned()).collect(),
            ..PlanOptions::default()
        };
        let planned = plan_with(query, &VPackBuf::null(), &options).unwrap();
        common::types(&planned)
    };
    assert_eq!(
        with(&["-all"]),
        "Singleton EnumerateCollection Calculation Filter Calculation Sort Calculation Return"
    );
    assert_eq!(
        with(&["-all", "+use-indexes"]),
        "Singleton Index Calculation Filter Calculation Sort Calculation Return"
    );
    assert!(!with(&["-use-indexes", "-use-index-for-sort"]).contains("Index"));
    assert_eq!(with(&["-no-such-rule"]), "Singleton Index Return");
}

#[test]
fn full_count_keeps_all_rows_coming() {
    let options = PlanOptions { full_count: true, ..PlanOptions::default() };
    let planned = plan_with("FOR d IN plain SORT d.x LIMIT 5 RETURN d", &VPackBuf::null(), &options).unwrap();
    assert!(!planned.plan.rules.contains(&"sort-limit"));
}
