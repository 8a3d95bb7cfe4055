//! Every operator, literal and access form: how it binds and what it is printed as.

mod common;

use common::{check_error, check_expression, check_rejected, check_same};

#[test]
fn literals() {
    for (input, expected) in [
        ("null", "null"),
        ("NULL", "null"),
        ("True", "true"),
        ("fAlSe", "false"),
        ("0", "0"),
        ("17", "17"),
        ("9223372036854775807", "9223372036854775807"),
        ("9223372036854775808", "9.223372036854776e18"),
        ("1.5", "1.5"),
        (".5", "0.5"),
        ("1.0", "1.0"),
        ("1e3", "1000.0"),
        ("1E-7", "1e-7"),
        ("2.5e+10", "25000000000.0"),
        ("0b1011", "11"),
        ("0B0", "0"),
        ("0xABCDEF02", "2882400002"),
        ("0Xff", "255"),
        ("0b11111111111111111111111111111111", "4294967295"),
        ("0xffffffff", "4294967295"),
        ("-1", "-1"),
        ("+1", "+1"),
        (r#""text""#, r#""text""#),
        ("'text'", r#""text""#),
        (r#"'it\'s "x"'"#, r#""it's \"x\"""#),
        (r#""\/ \\ \b\f\n\r\t""#, r#""/ \\ \u0008\u000c\n\r\t""#),
        (r#""\u00e4 \ud83d\ude00 \q""#, "\"\u{e4} \u{1f600} q\""),
        ("'line\nbreak'", r#""line\nbreak""#),
        ("''", r#""""#),
        ("[]", "[]"),
        ("[1, 2, 3]", "[1, 2, 3]"),
        ("[1, 2,]", "[1, 2]"),
        ("[[1], [2, [3]]]", "[[1], [2, [3]]]"),
        ("{}", "{}"),
        ("{a: 1, \"b\": 2, 'c d': 3, `e`: 4, \u{b4}f g\u{b4}: 5}", "{a: 1, b: 2, `c d`: 3, e: 4, `f g`: 5}"),
        ("{a: 1,}", "{a: 1}"),
        ("{a, b}", "{a, b}"),
        ("{a, b: 1,}", "{a, b: 1}"),
        ("{`for`: 1}", "{`for`: 1}"),
        ("{'RETURN': 1}", "{`RETURN`: 1}"),
        ("{[a + 1]: 2}", "{[a + 1]: 2}"),
        ("{@k: 1}", "{@k: 1}"),
        ("{a: {b: [1]}}", "{a: {b: [1]}}"),
        ("@value", "@value"),
        ("@1", "@1"),
        ("@_x9", "@_x9"),
        ("@@coll", "@@coll"),
    ] {
        check_expression(input, expected);
    }
}

#[test]
fn numbers_out_of_range_are_null_with_a_warning() {
    let parsed = persea_aql::parse("RETURN [1e500, 2]").unwrap();
    assert_eq!(parsed.root.to_string(), "RETURN [null, 2]");
    assert_eq!(parsed.warnings.len(), 1);
    assert_eq!((parsed.warnings[0].code, parsed.warnings[0].position.column), (1504, 9));
}

#[test]
fn broken_literals() {
    for input in [
        "1.",
        "01.23",
        "00.23",
        "00",
        ".",
        "01",
        "1.e5",
        "0x",
        "0xg",
        "0b2",
        "0b",
        "1 2",
        "[1,,]",
        "[,]",
        "[,1]",
        "{,}",
        "{a:1,,}",
        "{a:}",
        "{:1}",
        "{1: 2}",
        "{for: 1}",
        "{a b}",
        "[1 2]",
        "[1",
        "{a: 1",
        "(1",
        "2 ** 3",
        "...x",
        "{...a}",
        "[...a]",
        "1;",
        "@",
        "@@",
        "@_",
        "#",
        "~a",
        "a ~ b",
        "&",
        "a & b",
        "|",
        "^",
        "'abc",
        "\"a",
        "`a",
        "\u{b4}a",
        "1 /* abc",
        "a.",
        "a.1",
        "a.for",
        "a.'b'",
        "a.[1]",
        "a..",
        "a[",
        "a[1",
        "a[]",
        "::a",
        "a::",
        "0b111111111111111111111111111111111",
        "0x1ffffffff",
        "a => b",
        "a <> b",
        "a === b",
    ] {
        check_rejected(&format!("RETURN {input}"));
    }
}

#[test]
fn names() {
    for (input, expected) in [
        ("a", "a"),
        ("_a", "_a"),
        ("__a9", "__a9"),
        ("$a", "$a"),
        ("$CURRENT", "$CURRENT"),
        ("a_B_9", "a_B_9"),
        ("`a`", "a"),
        ("`return`", "`return`"),
        ("`a b`", "`a b`"),
        ("`a\\`b`", "`a\\`b`"),
        ("`a\\\\b`", "`a\\\\b`"),
        ("`a-b`", "`a-b`"),
        ("\u{b4}\u{e4}\u{f6}\u{b4}", "`\u{e4}\u{f6}`"),
        ("`at`", "`at`"),
        ("keep", "keep"),
        ("count", "count"),
        ("options", "options"),
        ("prune", "prune"),
        ("search", "search"),
        ("to", "to"),
        ("least", "least"),
        ("view", "view"),
        ("current", "current"),
    ] {
        check_expression(input, expected);
    }
}

#[test]
fn precedence() {
    for (input, expected) in [
        ("a + b * c", "a + (b * c)"),
        ("a * b + c", "(a * b) + c"),
        ("a - b - c", "(a - b) - c"),
        ("a / b % c * d", "((a / b) % c) * d"),
        ("1 + 2 .. 3 * 2", "(1 + 2) .. (3 * 2)"),
        ("1..2..3", "(1..2)..3"),
        ("a .. b < c", "(a .. b) < c"),
        ("a < b IN c", "(a < b) IN c"),
        ("a IN b < c", "a IN (b < c)"),
        ("a == b IN c", "a == (b IN c)"),
        ("a IN b == c", "(a IN b) == c"),
        ("1 < 2 == true", "(1 < 2) == true"),
        ("a == b < c", "a == (b < c)"),
        ("a == b == c", "(a == b) == c"),
        ("a < b < c", "(a < b) < c"),
        ("a IN b IN c", "(a IN b) IN c"),
        ("a IN b NOT IN c", "(a IN b) NOT IN c"),
        ("a && b == c", "a && (b == c)"),
        ("a || b && c", "a || (b && c)"),
        ("a && b || c", "(a && b) || c"),
        ("a OR b AND c OR d", "(a || (b && c)) || d"),
        ("a && b && c", "(a && b) && c"),
        ("!a && b", "(!a) && b"),
        ("NOT a == b", "(!a) == b"),
        ("NOT x LIKE 'y'", "(!x) LIKE 'y'"),
        ("NOT x IN y", "(!x) IN y"),
        ("!a.b", "!(a.b)"),
        ("-a * b", "(-a) * b"),
        ("-a[0].b", "-(a[0].b)"),
        ("a - -b", "a - (-b)"),
        ("--1", "-(-1)"),
        ("!!a", "!(!a)"),
        ("+-!a", "+(-(!a))"),
        ("-1 .. -3", "(-1) .. (-3)"),
        ("a LIKE b == c", "(a LIKE b) == c"),
        ("a == b LIKE c", "(a == b) LIKE c"),
        ("a NOT LIKE b == c", "(a NOT LIKE b) == c"),
        ("a == b NOT LIKE c", "a == (b NOT LIKE c)"),
        ("a IN b NOT LIKE c", "(a IN b) NOT LIKE c"),
        ("a NOT LIKE b IN c", "a NOT LIKE (b IN c)"),
        ("x < a NOT LIKE b", "(x < a) NOT LIKE b"),
        ("a && b NOT LIKE c && d", "(a && (b NOT LIKE c)) && d"),
        ("a =~ b == c", "(a =~ b) == c"),
        ("a !~ b && c", "(a !~ b) && c"),
        ("a NOT =~ b", "a !~ b"),
        ("a NOT !~ b", "a =~ b"),
        ("a NOT LIKE b NOT LIKE c", "a NOT LIKE (b NOT LIKE c)"),
        ("a ALL == b && c", "(a ALL == b) && c"),
        ("a && b ALL == c", "a && (b ALL == c)"),
        ("a == b ALL == c", "(a == b) ALL == c"),
        ("a + b ALL > c + d", "(a + b) ALL > (c + d)"),
        ("a ALL == b == c", "(a ALL == b) == c"),
        ("a ALL == b IN c", "a ALL == (b IN c)"),
        ("a ALL IN b == c", "(a ALL IN b) == c"),
        ("a ANY IN b .. c", "a ANY IN (b .. c)"),
        ("a NONE < b < c", "(a NONE < b) < c"),
        ("a AT LEAST (2) == b && c", "(a AT LEAST (2) == b) && c"),
        ("x == a AT LEAST (2) == b", "(x == a) AT LEAST (2) == b"),
        ("a ALL == b ALL == c", "(a ALL == b) ALL == c"),
        ("a ? b : c ? d : e", "a ? b : (c ? d : e)"),
        ("a ? b ? c : d : e", "a ? (b ? c : d) : e"),
        ("a || b ? c : d", "(a || b) ? c : d"),
        ("a ? b : c || d", "a ? b : (c || d)"),
        ("a ?: b ?: c", "a ?: (b ?: c)"),
        ("a ? : b", "a ?: b"),
        ("a + b ? c : d", "(a + b) ? c : d"),
        ("0 ?: 'x'", "0 ?: 'x'"),
        ("1 ? 'a' : 0 ? 'b' : 'c'", "1 ? 'a' : (0 ? 'b' : 'c')"),
        ("a and b or not c", "(a && b) || (!c)"),
        ("a like b", "a LIKE b"),
        ("a not   like b", "a NOT LIKE b"),
        ("a not\nin b", "a NOT IN b"),
        ("F(1) + G(2) * H()", "F(1) + (G(2) * H())"),
        ("(((a)))", "a"),
        ("(a + b) * c", "(a + b) * c"),
        ("FIRST(RETURN 1)", "FIRST((RETURN 1))"),
        ("F(FOR x IN y RETURN x, 2)", "F((FOR x IN y RETURN x), 2)"),
        ("a[*].b + c", "(a[*].b) + c"),
        ("a[*].b ALL == c", "(a[*].b) ALL == c"),
    ] {
        check_same(input, expected);
    }
}

#[test]
fn operators_keep_what_they_need_when_printed() {
    for (input, expected) in [
        ("(a + b) * c", "(a + b) * c"),
        ("a - (b - c)", "a - (b - c)"),
        ("(a - b) - c", "a - b - c"),
        ("(a ? b : c) ? d : e", "(a ? b : c) ? d : e"),
        ("a ? (b ? c : d) : (e ? f : g)", "a ? b ? c : d : e ? f : g"),
        ("(a ALL == b) ALL == c", "(a ALL == b) ALL == c"),
        ("a == (b == c)", "a == (b == c)"),
        ("!(a && b)", "!(a && b)"),
        ("-(-a)", "--a"),
        ("(1..2)[0]", "(1..2)[0]"),
        ("(a + b).c", "(a + b).c"),
        ("(-a).b", "(-a).b"),
        ("(a NOT LIKE b) == c", "(a NOT LIKE b) == c"),
        ("a NOT LIKE (b == c)", "a NOT LIKE (b == c)"),
        ("(a || b) ?: c", "a || b ?: c"),
        ("a IN [1, 2] AND NOT b", "a IN [1, 2] && !b"),
        ("(RETURN 1)[0]", "(RETURN 1)[0]"),
        ("1[0]", "(1)[0]"),
        ("'abc'[0]", "\"abc\"[0]"),
        ("null.x.y", "null.x.y"),
        ("a AT LEAST (1+1) NOT IN b", "a AT LEAST (1 + 1) NOT IN b"),
        ("a any >= 2", "a ANY >= 2"),
        ("a none != 2", "a NONE != 2"),
        ("a all <= 2", "a ALL <= 2"),
    ] {
        check_expression(input, expected);
    }
}

#[test]
fn accesses() {
    for (input, expected) in [
        ("a.b.c", "a.b.c"),
        ("a . b", "a.b"),
        ("a.`b c`", "a.`b c`"),
        ("a.`filter`", "a.`filter`"),
        ("a.\u{b4}x y\u{b4}", "a.`x y`"),
        ("a._key", "a._key"),
        ("a.@b", "a.@b"),
        ("a.@b.c", "a.@b.c"),
        ("a[0]", "a[0]"),
        ("a[-1]", "a[-1]"),
        ("a['b'][\"c\"]", "a[\"b\"][\"c\"]"),
        ("a[@i]", "a[@i]"),
        ("a[b + 1].c", "a[b + 1].c"),
        ("[1, 2][0]", "[1, 2][0]"),
        ("{a: 1}.a", "{a: 1}.a"),
        ("@p.a[0]", "@p.a[0]"),
        ("F(1).a[0]", "F(1).a[0]"),
        ("a.keep.count.options", "a.keep.count.options"),
    ] {
        check_expression(input, expected);
    }
}

#[test]
fn calls() {
    for (input, expected) in [
        ("F()", "F()"),
        ("length ( x )", "length(x)"),
        ("F(1, 2, [3])", "F(1, 2, [3])"),
        ("my::func::F(1)", "my::func::F(1)"),
        ("a :: b ()", "a::b()"),
        ("LIKE(a, b)", "LIKE(a, b)"),
        ("like(a, b, true)", "LIKE(a, b, true)"),
        ("_f(1)", "_f(1)"),
        ("F(FOR x IN y RETURN x)", "F(FOR x IN y RETURN x)"),
        ("F((FOR x IN y RETURN x))", "F(FOR x IN y RETURN x)"),
        ("F(INSERT {} INTO c)", "F(INSERT {} INTO c)"),
        ("`f`(1)", "f(1)"),
    ] {
        check_expression(input, expected);
    }
    for input in ["F(", "F(1", "F(1,", "F(1,)", "F(,)", "F(1 2)", "F(1]", "NOT IN(a)", "COUNT(*)"] {
        check_rejected(&format!("RETURN {input}"));
    }
}

#[test]
fn expansions() {
    for (input, expected) in [
        ("a[*]", "a[*]"),
        ("a[ * ]", "a[*]"),
        ("a[**]", "a[**]"),
        ("a[* *]", "a[**]"),
        ("a[****]", "a[****]"),
        ("a[*].b", "a[*].b"),
        ("a[*].b.c[0]", "a[*].b.c[0]"),
        ("a[*].b[*].c", "a[*].b[*].c"),
        ("a[*].b[**].c", "a[*].b[**].c"),
        ("a[*].b[*].c[*].d", "a[*].b[*].c[*].d"),
        ("a[*].b[**].c[*].d", "a[*].b[**].c[*].d"),
        ("(a[*].b)[0]", "(a[*].b)[0]"),
        ("(a[*])[*]", "(a[*])[*]"),
        ("(a[*].b).c", "(a[*].b).c"),
        ("a[*][*]", "a[*][*]"),
        ("a[*][0]", "a[*][0]"),
        ("a[*].@b", "a[*].@b"),
        ("a[* FILTER CURRENT.x > 1]", "a[* FILTER CURRENT.x > 1]"),
        ("a[* LIMIT 1]", "a[* LIMIT 1]"),
        ("a[* LIMIT 1, 2]", "a[* LIMIT 1, 2]"),
        ("a[* LIMIT -10, 1]", "a[* LIMIT -10, 1]"),
        ("a[* RETURN CURRENT.b]", "a[* RETURN CURRENT.b]"),
        ("a[* RETURN LENGTH(CURRENT.b)][**]", "a[* RETURN LENGTH(CURRENT.b)][**]"),
        ("a[** FILTER CURRENT % 2 == 0]", "a[** FILTER CURRENT % 2 == 0]"),
        (
            "u.f[* filter CURRENT.age > 40 limit 1,2 return CURRENT.name].x",
            "u.f[* FILTER CURRENT.age > 40 LIMIT 1, 2 RETURN CURRENT.name].x",
        ),
        ("[1, 2][*]", "[1, 2][*]"),
        (
            "a[* FILTER CURRENT.b[* FILTER CURRENT == 1] != []]",
            "a[* FILTER CURRENT.b[* FILTER CURRENT == 1] != []]",
        ),
        ("1[*]", "(1)[*]"),
        ("(FOR x IN y RETURN x)[*].a", "(FOR x IN y RETURN x)[*].a"),
    ] {
        check_expression(input, expected);
    }
    for input in [
        "a[* FILTER]",
        "a[* LIMIT]",
        "a[* RETURN]",
        "a[* RETURN 1 FILTER 2]",
        "a[* LIMIT 1 FILTER 2]",
        "a[* FILTER 1 FILTER 2]",
        "a[* LIMIT 1, 2, 3]",
        "a[* RETURN 1 LIMIT 2]",
        "a[*",
        "a[* x]",
    ] {
        check_rejected(&format!("RETURN {input}"));
    }
    for input in ["ANY FILTER 1", "ALL FILTER 1", "NONE FILTER 1", "AT LEAST (2) FILTER 1", "2 FILTER 1"] {
        let query = format!("RETURN a[* {input}]");
        let place = format!("near ']' at position 1:{}", query.len());
        let message = "unexpected quantifier value found for array expansion operation.";
        check_error(&query, 1501, &format!("{message} {place}"));
    }
}

#[test]
fn question_marks() {
    for (input, expected) in [
        ("a[?]", "a[?]"),
        ("a[??]", "a[??]"),
        ("a[? ? ??]", "a[????]"),
        ("a[? FILTER CURRENT > 1]", "a[? FILTER CURRENT > 1]"),
        ("a[? ANY FILTER c]", "a[? ANY FILTER c]"),
        ("a[? ALL FILTER c]", "a[? ALL FILTER c]"),
        ("a[? NONE FILTER c]", "a[? NONE FILTER c]"),
        ("a[? AT LEAST (2) FILTER c]", "a[? AT LEAST (2) FILTER c]"),
        ("a[? at least (b + 1) filter c]", "a[? AT LEAST (b + 1) FILTER c]"),
        ("a[? 3 FILTER c]", "a[? 3 FILTER c]"),
        ("a[? 1..2 FILTER c]", "a[? 1..2 FILTER c]"),
        ("a[? \"piff\"..10 FILTER c]", "a[? \"piff\"..10 FILTER c]"),
        ("a[? x FILTER c]", "a[? x FILTER c]"),
        ("a[? @x FILTER c]", "a[? @x FILTER c]"),
        ("a.b[? FILTER CURRENT.x == 1] && c", "a.b[? FILTER CURRENT.x == 1] && c"),
        ("a[*].b[? FILTER c]", "a[*].b[? FILTER c]"),
        ("[][?]", "[][?]"),
    ] {
        check_expression(input, expected);
    }
    for input in [
        "a[? FILTER c LIMIT 1]",
        "a[? FILTER c RETURN 1]",
        "a[? LIMIT 1]",
        "a[? RETURN 1]",
        "a[? ANY]",
        "a[? 3]",
        "a[? FILTER]",
        "a[?",
        "a[? AT LEAST 2 FILTER c]",
    ] {
        check_rejected(&format!("RETURN {input}"));
    }
}

#[test]
fn broken_operators() {
    for input in [
        "a +",
        "* a",
        "a == ",
        "a ! b",
        "a NOT b",
        "a NOT == b",
        "a ALL b",
        "a ALL LIKE b",
        "a ANY =~ b",
        "a NONE !~ b",
        "a ALL",
        "a AT LEAST 2 == b",
        "a AT LEAST (2) b",
        "a ? b",
        "a ? b :",
        "a ?",
        "a : b",
        "a ALL + b",
        "NOT",
        "a IN",
        "a .. ",
        "a = b",
        "a AND",
        "OR b",
        "a ! IN b",
    ] {
        check_rejected(&format!("RETURN {input}"));
    }
}
