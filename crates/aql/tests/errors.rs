//! Error numbers and messages in ArangoDB's form.

mod common;

use common::check_error;

#[test]
fn syntax() {
    for (query, message) in [
        (
            "FOR i IN 1..100 FILTER i = 1 LIMIT 2 RETURN i * 3",
            "syntax error, unexpected assignment near '= 1 LIMIT 2 RETURN i * 3' at position 1:26",
        ),
        ("FOR i IN 1..3", "syntax error, unexpected end of query string near '3' at position 1:13"),
        ("FOR i IN 1..3 ", "syntax error, unexpected end of query string near ' ' at position 1:14"),
        ("FOR i IN c OPTIONS {}", "syntax error, unexpected end of query string near '}' at position 1:21"),
        (
            "FOR i IN c\n  INSERT {a: 1,} IN my-js",
            "syntax error, unexpected end of query string near 'js' at position 2:24",
        ),
        ("RETURN", "syntax error, unexpected end of query string near 'RETURN' at position 1:1"),
        (
            "RETURN 1 RETURN 2",
            "syntax error, unexpected RETURN declaration, expecting end of query string near 'RETURN 2' at position 1:10",
        ),
        (
            "RETURN 1 foo",
            "syntax error, unexpected identifier, expecting end of query string near 'foo' at position 1:10",
        ),
        (
            "RETURN 1;",
            "syntax error, unexpected invalid token, expecting end of query string near ';' at position 1:9",
        ),
        (
            "RETURN LENGTH(1 2)",
            "syntax error, unexpected integer number, expecting ) near '2)' at position 1:17",
        ),
        ("RETURN [1 2]", "syntax error, unexpected integer number, expecting ] near '2]' at position 1:11"),
        ("RETURN {a: 1 b}", "syntax error, unexpected identifier, expecting } near 'b}' at position 1:14"),
        ("RETURN {'a'}", "syntax error, unexpected }, expecting : near '}' at position 1:12"),
        (
            "LET a 1 RETURN a",
            "syntax error, unexpected integer number, expecting assignment near '1 RETURN a' at position 1:7",
        ),
        (
            "FOR x y RETURN 1",
            "syntax error, unexpected identifier, expecting IN keyword near 'y RETURN 1' at position 1:7",
        ),
        (
            "RETURN a.1",
            "syntax error, unexpected number, expecting end of query string near '.1' at position 1:9",
        ),
        (
            "RETURN a.for",
            "syntax error, unexpected FOR declaration, expecting identifier or bind parameter or bind data source parameter near 'for' at position 1:10",
        ),
        ("RETURN 2 ** 3", "syntax error, unexpected * operator near '* 3' at position 1:11"),
        (
            "FOR d IN c FILTER d.a == 'it' 'x' RETURN d",
            "syntax error, unexpected quoted string near '' RETURN d' at position 1:33",
        ),
        ("SORT a FOO", "syntax error, unexpected identifier near 'FOO' at position 1:8"),
        (
            "RETURN 'a very long tail of a query, cut after some characters' 1",
            "syntax error, unexpected integer number, expecting end of query string near '1' at position 1:65",
        ),
        (
            "FOR x IN ] 'a very long tail of a query, cut after some characters'",
            "syntax error, unexpected ] near '] 'a very long tail of a query, ...' at position 1:10",
        ),
        (
            "RETURN 1 \u{a0}2",
            "syntax error, unexpected end of query string, expecting end of query string near '\u{a0}2' at position 1:10",
        ),
        (" ", "syntax error, unexpected end of query string near ' ' at position 1:1"),
        (
            "FOR v IN OUTBOUND s e PRUNE v.a PRUNE v.b RETURN v",
            "syntax error, unexpected identifier, expecting { near 'v.b RETURN v' at position 1:39",
        ),
        (
            "RETURN x NOT y",
            "syntax error, unexpected identifier, expecting ~= operator or ~! operator or like operator near 'y' at position 1:14",
        ),
    ] {
        check_error(query, 1501, message);
    }
}

#[test]
fn unterminated() {
    check_error("RETURN 'abc", 1501, "unexpected unterminated string literal near ''abc' at position 1:8");
    check_error("RETURN `abc", 1501, "unexpected unterminated identifier near '`abc' at position 1:8");
    check_error(
        "RETURN 1 /* x",
        1501,
        "unexpected unterminated multi-line comment near '/* x' at position 1:10",
    );
}

#[test]
fn structure() {
    for (query, message) in [
        (
            "FOR d IN c XYZ d.a RETURN d",
            "unexpected qualifier 'XYZ', expecting 'SEARCH' or 'OPTIONS' near 'RETURN d' at position 1:20",
        ),
        (
            "RETURN DISTINCT 1",
            "cannot use DISTINCT modifier on top-level query element near '1' at position 1:17",
        ),
        (
            "FOR d IN [1] SEARCH true RETURN d",
            "SEARCH condition used on non-view near 'RETURN d' at position 1:26",
        ),
        ("FOR d IN c OPTIONS 1 RETURN d", "'OPTIONS' have to be an object near 'RETURN d' at position 1:22"),
        (
            "FOR d IN c COLLECT g = 1 KEEP d RETURN g",
            "use of 'KEEP' without 'INTO' near 'RETURN g' at position 1:33",
        ),
        (
            "FOR d, e IN c RETURN d",
            "Collections and views FOR loops only allow a single return variable near 'RETURN d' at position 1:15",
        ),
    ] {
        check_error(query, 1501, message);
    }
}

#[test]
fn other_numbers() {
    check_error("", 1502, "query is empty");
    for name in ["_", "__", "___", "_0", "_1", "___0", "00", "___00", "____1", "___9_9", "_0abcd", ""] {
        let message = format!("variable name '{name}' has an invalid format");
        check_error(&format!("LET `{name}` = 1 RETURN 1"), 1510, &message);
        check_error(&format!("FOR `{name}` IN [] RETURN 1"), 1510, &message);
    }
    check_error(
        "RETURN {@@a: 1}",
        1553,
        "bind parameter '@a' has an invalid value or type near '@@a: 1}' at position 1:9",
    );
}
