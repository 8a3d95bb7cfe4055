//! Every row of the language's operator tables: as constants, which are folded, and as values only known at run time.
#![allow(missing_docs)]

mod support;

use support::TestDatabase;

/// Checks `RETURN expression` folded at plan time, and computed at run time where NOOPT hides operands.
fn check(db: &TestDatabase, cases: &[(&str, &str)]) {
    for (expression, expected) in cases {
        db.check(&format!("RETURN {expression}"), &format!("[{expected}]"));
        db.check(
            &format!("FOR row IN NOOPT([0, 1]) RETURN {expression}"),
            &format!("[{expected},{expected}]"),
        );
    }
}

#[test]
fn comparisons() {
    let db = TestDatabase::new();
    check(
        &db,
        &[
            ("0 == null", "false"),
            ("1 > 0", "true"),
            ("true != null", "true"),
            ("1.23 > 1.32", "false"),
            ("1.5 IN [2, 3, 1.5]", "true"),
            ("\"foo\" IN null", "false"),
            ("42 NOT IN [17, 40, 50]", "true"),
            ("42 NOT IN \"x\"", "true"),
            ("3 IN 1..5", "true"),
            ("3.5 IN 1..5", "false"),
            ("NOOPT(3) IN NOOPT(5..1)", "true"),
            ("\"foo\" LIKE \"f%\"", "true"),
            ("\"foo\" NOT LIKE \"f%\"", "false"),
            ("\"abc\" LIKE \"_bc\"", "true"),
            ("\"a_b_foo\" LIKE \"a\\\\_b\\\\_foo\"", "true"),
            ("\"foo\" =~ \"^f[o].$\"", "true"),
            ("\"foo\" !~ \"[a-z]+bar$\"", "true"),
            ("null == null", "true"),
            ("null < false", "true"),
            ("null < 0", "true"),
            ("null < ''", "true"),
            ("null < []", "true"),
            ("true < 0", "true"),
            ("true < ''", "true"),
            ("0 < ''", "true"),
            ("45 <= \"yikes!\"", "true"),
            ("65 != \"65\"", "true"),
            ("'' < ' '", "true"),
            ("'A' < 'a'", "true"),
            ("'AB' < 'Ab'", "true"),
            ("'a' < 'b'", "true"),
            ("'a' < 'a '", "true"),
            ("\"abc\" != \"ABC\"", "true"),
            ("[] < [0]", "true"),
            ("[1] < [2]", "true"),
            ("[1, 2] < [2]", "true"),
            ("[99, 99] < [100]", "true"),
            ("[false] < [true]", "true"),
            ("[false, 1] < [false, '']", "true"),
            ("[] == [null]", "true"),
            ("{} == {a: null}", "true"),
            ("{} < {a: 1}", "true"),
            ("{a: 1} < {a: 2}", "true"),
            ("{b: 1} < {a: 0}", "true"),
            ("{a: {c: true}} < {a: {c: 0}}", "true"),
            ("{a: {c: true, a: 0}} < {a: {c: false, a: 1}}", "true"),
            ("{a: 1, b: 2} == {b: 2, a: 1}", "true"),
            ("{a: 1} >= {b: 2}", "true"),
            ("{A: 1} >= {a: 2}", "true"),
            ("1 == 1.0", "true"),
            ("NOOPT(1) == NOOPT(1.0)", "true"),
            ("1 < 2 == true", "true"),
        ],
    );
}

#[test]
fn array_comparisons() {
    let db = TestDatabase::new();
    check(
        &db,
        &[
            ("[1, 2, 3] ALL IN [2, 3, 4]", "false"),
            ("[1, 2, 3] ALL IN [1, 2, 3]", "true"),
            ("[1, 2, 3] NONE IN [3]", "false"),
            ("[1, 2, 3] NONE IN [23, 42]", "true"),
            ("[1, 2, 3] ANY IN [4, 5, 6]", "false"),
            ("[1, 2, 3] ANY IN [1, 42]", "true"),
            ("[1, 2, 3] ANY == 2", "true"),
            ("[1, 2, 3] ANY == 4", "false"),
            ("[1, 2, 3] ANY > 0", "true"),
            ("[1, 2, 3] ANY <= 1", "true"),
            ("[1, 2, 3] NONE < 99", "false"),
            ("[1, 2, 3] NONE > 10", "true"),
            ("[1, 2, 3] ALL > 2", "false"),
            ("[1, 2, 3] ALL > 0", "true"),
            ("[1, 2, 3] ALL >= 3", "false"),
            ("[\"foo\", \"bar\"] ALL != \"moo\"", "true"),
            ("[\"foo\", \"bar\"] NONE == \"bar\"", "false"),
            ("[\"foo\", \"bar\"] ANY == \"foo\"", "true"),
            ("[1, 2, 3] AT LEAST (2) IN [2, 3, 4]", "true"),
            ("[\"foo\", \"bar\"] AT LEAST (1 + 1) == \"foo\"", "false"),
            ("[] ANY == 1", "false"),
            ("[] NONE == 1", "true"),
            ("[] ALL == 1", "true"),
            ("NOOPT(1) ALL == 1", "false"),
            ("NOOPT([1, 2, 3]) ANY IN 3", "false"),
        ],
    );
}

#[test]
fn logic() {
    let db = TestDatabase::new();
    check(
        &db,
        &[
            ("1 || 7", "1"),
            ("null || \"foo\"", "\"foo\""),
            ("null && true", "null"),
            ("true && 23", "23"),
            ("' ' && true", "true"),
            ("true && ''", "\"\""),
            ("0 && true", "0"),
            ("false || null", "null"),
            ("null || false", "false"),
            ("0 || \"\"", "\"\""),
            ("!null", "true"),
            ("![]", "false"),
            ("!!\"x\"", "true"),
            ("!!-0.0", "false"),
            ("0 ?: \"x\"", "\"x\""),
            ("\"\" ?: null ?: 5", "5"),
            ("1 ? \"a\" : 0 ? \"b\" : \"c\"", "\"a\""),
            ("NOOPT(0) ? \"a\" : NOOPT(0) ? \"b\" : \"c\"", "\"c\""),
        ],
    );
    // The side that is not needed is not computed.
    let answer =
        db.run("FOR x IN NOOPT([0, 1]) RETURN x == 0 || FAIL('no') == 1 || x").map(|answer| answer.rows);
    assert!(answer.is_err());
    let skipped = db.run("FOR x IN NOOPT([0, 0]) RETURN x == 0 || FAIL('no')").unwrap();
    assert_eq!(skipped.rows, "[true,true]");
    let skipped = db.run("FOR x IN NOOPT([0, 0]) RETURN x && FAIL('no')").unwrap();
    assert_eq!(skipped.rows, "[0,0]");
    let skipped = db.run("FOR x IN NOOPT([0, 0]) FILTER x == 1 && FAIL('no') RETURN x").unwrap();
    assert_eq!(skipped.rows, "[]");
}

#[test]
fn arithmetic() {
    let db = TestDatabase::new();
    check(
        &db,
        &[
            ("1 + \"a\"", "1"),
            ("1 + \"99\"", "100"),
            ("1 + null", "1"),
            ("null + 1", "1"),
            ("3 + []", "3"),
            ("24 + [2]", "26"),
            ("24 + [2, 4]", "24"),
            ("25 - null", "25"),
            ("17 - true", "16"),
            ("23 * {}", "0"),
            ("5 * [7]", "35"),
            ("24 / \"12\"", "2"),
            ("\"foo\" + \"bar\"", "0"),
            ("\"foo\" + 123", "123"),
            ("\"123\" + 200", "323"),
            ("1 / 0", "null"),
            ("1 % 0", "null"),
            ("1 / null", "null"),
            ("1 / false", "null"),
            ("1 / ''", "null"),
            ("1 / []", "null"),
            ("1 / {}", "null"),
            ("null / 1", "0"),
            ("1 / [2]", "0.5"),
            ("7 / 2", "3.5"),
            ("6 / 2", "3"),
            ("23 % 7", "2"),
            ("-4 % 3", "-1"),
            ("10 % -3", "1"),
            ("5.5 % 2", "1.5"),
            ("1.3e190 * 1.3e190", "null"),
            ("1.7e308 + 1.7e308", "null"),
            ("9223372036854775807 + 1", "9223372036854775808.0"),
            ("NOOPT(9223372036854775807) * 2", "18446744073709551616.0"),
            ("-9223372036854775807 - 2", "-9223372036854775808.0"),
            ("+'1abc'", "0"),
            ("+' 1 '", "1"),
            ("+[17]", "17"),
            ("+[1, 2]", "0"),
            ("+{}", "0"),
            ("+[\"3\"]", "3"),
            ("-'-1.5'", "1.5"),
            ("-(-1)", "1"),
            ("--1", "1"),
            ("-null", "0"),
            ("1 + 2 * 3", "7"),
        ],
    );
    let warnings = db.check("RETURN 1 / 0", "[null]");
    assert_eq!(warnings, [(1562, "division by zero".to_owned())]);
    let warnings = db.check("RETURN NOOPT(1) / NOOPT(0)", "[null]");
    assert_eq!(warnings, [(1562, "in operator /: division by zero".to_owned())]);
    let warnings = db.check("RETURN NOOPT(1) % NOOPT(0)", "[null]");
    assert_eq!(warnings, [(1562, "in operator %: division by zero".to_owned())]);
}

#[test]
fn ranges() {
    let db = TestDatabase::new();
    check(
        &db,
        &[
            ("2010..2013", "[2010,2011,2012,2013]"),
            ("3..1", "[3,2,1]"),
            ("1.9..3.9", "[1,2,3]"),
            ("\"2\"..\"4\"", "[2,3,4]"),
            ("null..2", "[0,1,2]"),
            ("1 + 2 .. 3 * 2", "[3,4,5,6]"),
            ("(1..3)[1]", "2"),
            ("TYPENAME(1..2)", "\"array\""),
        ],
    );
    db.check("FOR i IN 1..2500 COLLECT WITH COUNT INTO n RETURN n", "[2500]");
    db.check("FOR i IN 1..100000000000 LIMIT 2 RETURN i", "[1,2]");
    db.check_error("RETURN NOOPT(1)..10000001", 1504);
}

#[test]
fn arrays() {
    let db = TestDatabase::new();
    check(
        &db,
        &[
            ("[\"a\", \"b\", \"c\"][0]", "\"a\""),
            ("[\"a\", \"b\", \"c\"][-1]", "\"c\""),
            ("[\"a\", \"b\", \"c\"][-3]", "\"a\""),
            ("[\"a\", \"b\", \"c\"][3]", "null"),
            ("[\"a\", \"b\", \"c\"][-4]", "null"),
            ("NOOPT([5, 6])[1.7]", "6"),
            ("NOOPT([5, 6])[\"1\"]", "6"),
            ("NOOPT([5, 6])[\"x\"]", "null"),
            ("\"foobar\"[2]", "null"),
            ("{foo: 'bar'}[0]", "null"),
            ("{foo: 'bar'}[-1]", "null"),
            ("null[-1]", "null"),
            ("{foo: 'bar'}[0..1]", "null"),
            ("NOOPT({\"1\": \"x\"})[1]", "\"x\""),
            ("NOOPT({foo: 'bar'})[\"foo\"]", "\"bar\""),
            ("NOOPT({a: {b: [1, {c: 2}]}}).a.b[1].c", "2"),
            ("{a: 1}.b", "null"),
            ("\"foo\".bar", "null"),
            ("NOOPT(null).x.y", "null"),
            ("[1].a", "null"),
            ("NOOPT(1)[*]", "[]"),
            ("[{name: 1}, {}, 3][*].name", "[1,null,null]"),
            ("[[1, 2], 3, [4, 5], 6][** FILTER CURRENT % 2 == 0]", "[2,4,6]"),
            ("[[1, [2]], 3][***]", "[1,2,3]"),
            ("[1, 2, 3][* LIMIT 0]", "[]"),
            ("[1, 2, 3][* LIMIT -10, 1]", "[]"),
            ("[1, 2, 3, 4][* FILTER CURRENT > 1 LIMIT 1, 2 RETURN CURRENT * 10]", "[30,40]"),
            ("[[1, 2], [3]][* RETURN CURRENT[* RETURN CURRENT + 1]]", "[[2,3],[4]]"),
            ("NOOPT([[1, 2], [3]])[* RETURN LENGTH(CURRENT)]", "[2,1]"),
            ("[1, 2, 3][? ]", "true"),
            ("[][? ]", "false"),
            ("{[null]: 1}", "{\"\":1}"),
            ("{[1]: 2}", "{\"1\":2}"),
            ("{a: 1, a: 2}", "{\"a\":2}"),
        ],
    );
}

#[test]
fn nested_expansions() {
    let db = TestDatabase::new();
    let continents =
        r#"[{ "countries": [{ "id": "UK" }, { "id": "FR" }] }, { "countries": [{ "id": "JP" }] }]"#;
    let cases = [
        ("continents[*].foobar", "[null,null]"),
        ("continents[*].countries[*].id", "[[\"UK\",\"FR\"],[\"JP\"]]"),
        ("continents[*].countries[**].id", "[\"UK\",\"FR\",\"JP\"]"),
        ("continents[*].countries[****].id", "[\"UK\",\"FR\",\"JP\"]"),
        ("continents[*].countries[0].id", "[\"UK\",\"JP\"]"),
        ("continents[*].countries[-1].id", "[\"FR\",\"JP\"]"),
        ("continents[*].countries[99]", "[null,null]"),
        ("(continents[*].countries)[0][*].id", "[\"UK\",\"FR\"]"),
        ("continents[*].countries[*].id[0]", "[[null,null],[null]]"),
        ("continents[* FILTER LENGTH(CURRENT.countries) > least].countries[**].id", "[\"UK\",\"FR\"]"),
    ];
    for (expression, expected) in cases {
        db.check(
            &format!("FOR least IN NOOPT([1]) LET continents = NOOPT({continents}) RETURN {expression}"),
            &format!("[{expected}]"),
        );
    }
}

#[test]
fn question_marks() {
    let db = TestDatabase::new();
    let cases = [
        ("values[? 1..2 FILTER CURRENT >= 3]", "false"),
        ("values[? 8..9 FILTER CURRENT >= 3]", "true"),
        ("values[? 9..11 FILTER CURRENT >= 3]", "true"),
        ("values[? 10..11 FILTER CURRENT >= 3]", "false"),
        ("values[? 2 FILTER CURRENT == 1]", "false"),
        ("values[? 0 FILTER CURRENT == 1]", "false"),
        ("values[? \"piff\"..10 FILTER CURRENT >= 3]", "true"),
        ("values[? 4 FILTER CURRENT >= 8]", "true"),
        ("values[? FILTER CURRENT > 10]", "true"),
        ("values[? ANY FILTER CURRENT > 11]", "false"),
        ("values[? ALL FILTER CURRENT > 0]", "true"),
        ("values[? NONE FILTER CURRENT > 11]", "true"),
        ("values[? AT LEAST (3) FILTER CURRENT > 8]", "true"),
        ("values[? AT LEAST (4) FILTER CURRENT > 8]", "false"),
        ("values[? AT LEAST (0) FILTER CURRENT > 100]", "true"),
        ("empty[? ALL FILTER CURRENT > 100]", "true"),
        ("empty[? NONE FILTER CURRENT > 100]", "true"),
        ("empty[? ANY FILTER CURRENT > 100]", "false"),
    ];
    for (expression, expected) in cases {
        db.check(
            &format!("LET values = NOOPT(1..11) LET empty = NOOPT([]) RETURN {expression}"),
            &format!("[{expected}]"),
        );
    }
}

#[test]
fn warnings_are_bounded_and_may_fail_the_query() {
    use persea_executor::ExecuteOptions;
    use persea_planner::PlanOptions;
    let db = TestDatabase::new();
    let query = "FOR i IN 1..100 RETURN i / NOOPT(0)";
    assert_eq!(db.run(query).unwrap().warnings.len(), 10);
    let options = ExecuteOptions { fail_on_warning: true, ..ExecuteOptions::default() };
    let failed = db.run_with(query, "{}", &PlanOptions::default(), options, 1000);
    assert_eq!(failed.err().map(|error| error.code()), Some(1562));
    let warnings = db.check("RETURN NOOPT(\"a\") =~ \"[\"", "[null]");
    assert_eq!(warnings.first().map(|warning| warning.0), Some(1543));
}

#[test]
fn deep_nesting_fits_the_stack_of_a_thread() {
    let db = TestDatabase::new();
    let depth = 160;
    let sum = format!("{}NOOPT(1){}", "(1 + ".repeat(depth), ")".repeat(depth));
    db.check(&format!("RETURN {sum}"), &format!("[{}]", depth + 1));
    let lets: String = (1..900).map(|n| format!("LET v{n} = v{} + 1 ", n - 1)).collect();
    db.check(&format!("FOR v0 IN NOOPT([1]) {lets} RETURN v899"), "[900]");
}
