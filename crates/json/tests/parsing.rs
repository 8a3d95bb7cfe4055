//! JSON text in: values, numbers, faults and their places.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use persea_json::{Duplicates, Error, Options, Parser, parse};
use persea_vpack::{Builder, Slice};

#[track_caller]
fn check(text: &str, expected: &str) {
    let value = parse(text.as_bytes()).unwrap();
    Slice::validate(value.bytes()).unwrap();
    assert_eq!(value.to_string(), expected, "{text}");
    assert_eq!(persea_json::to_string(value.as_slice()), expected, "{text}");
}

#[track_caller]
fn fails(text: &[u8], expected: &str) {
    let error = parse(text).unwrap_err();
    assert_eq!(error.to_string(), expected, "{}", String::from_utf8_lossy(text));
}

#[test]
fn values() {
    check(" null ", "null");
    check("[true,\tfalse\r\n, null]", "[true,false,null]");
    check(r#"{"b":{},"a":[[],{"":""}]}"#, r#"{"b":{},"a":[[],{"":""}]}"#);
    check(r#""\u00e4\/\b\f\n\r\t\"\\\u0001\ud83d\ude00""#, "\"ä/\\b\\f\\n\\r\\t\\\"\\\\\\u0001😀\"");
    check(r#""\u001F""#, r#""\u001F""#);
    check("\"\u{7f}\u{2028}ü/\"", "\"\u{7f}\u{2028}ü/\"");
    let long = format!("\"{}\\n{}\"", "a".repeat(500), "ö".repeat(500));
    check(&long, &long);
}

#[test]
fn numbers_are_exact() {
    check("0", "0");
    check("-0", "0");
    check("9223372036854775807", "9223372036854775807");
    check("-9223372036854775808", "-9223372036854775808");
    check("18446744073709551615", "18446744073709551615");
    check("18446744073709551616", "18446744073709552000");
    check("-9223372036854775809", "-9223372036854775808.0");
    check("123456789012345678901234567890", "1.2345678901234568e+29");
    check("1.0", "1");
    check("-1.50", "-1.5");
    check("1e3", "1000");
    check("1E-7", "1e-7");
    check("9007199254740993.0", "9007199254740992");
    check("9007199254740994.0", "9007199254740994.0");
    check("0.1", "0.1");
    check("2.2250738585072011e-308", "2.225073858507201e-308");
    check("1e21", "1e+21");
    check("1e-400", "0");
    let kinds = parse(b"[1, 1.0, 18446744073709551615]").unwrap();
    assert!(kinds.as_slice().at(0).unwrap().is_integer());
    assert!(kinds.as_slice().at(1).unwrap().is_double());
    assert!(kinds.as_slice().at(2).unwrap().is_integer());
}

#[test]
fn faults_name_their_place() {
    fails(b"", "JSON text is empty (at byte 0)");
    fails(b"  \n", "JSON text is empty (at byte 3)");
    fails(b"[1,2", "JSON ends in the middle of a value (at byte 4)");
    fails(b"{\"a\":", "JSON ends in the middle of a value (at byte 5)");
    fails(b"[1, \"ab", "string without closing quote (at byte 4)");
    fails(b"[\"a\nb\"]", "control character in a string must be escaped (at byte 3)");
    fails(b"[1 2]", "expected ',' or ']' (at byte 3)");
    fails(b"{\"a\" 1}", "expected ':' after an attribute name (at byte 5)");
    fails(b"{a:1}", "expected an attribute name in quotes or '}' (at byte 1)");
    fails(b"{\"a\":1,}", "expected an attribute name in quotes (at byte 7)");
    fails(b"[1] 2", "expected the end of the text after the value (at byte 4)");
    fails(b" 1 2", "expected the end of the text after the value (at byte 3)");
    fails(b"\"a b\"  c", "expected the end of the text after the value (at byte 7)");
    fails(b"[\"a\xffb\"]", "JSON text is not valid UTF-8 (at byte 3)");
    for text in [
        "nul",
        "truex",
        "[1,]",
        "[,1]",
        "01",
        "-",
        "1.",
        ".5",
        "+1",
        "1e",
        "0x1",
        "NaN",
        "'a'",
        "]",
        "}",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\ud800\"",
        "\"\\ud83d\\ud444\"",
        "\"\\ude00\"",
        "1e999",
        "{\"a\":1 \"b\":2}",
        "[1]]",
        "{1:2}",
    ] {
        assert!(matches!(parse(text.as_bytes()), Err(Error::Syntax { .. })), "{text}");
    }
}

#[test]
fn depth_is_limited() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(parse(nested(200).as_bytes()).is_ok());
    fails(nested(201).as_bytes(), "JSON is nested deeper than 200 levels (at byte 200)");
    fails("[".repeat(1_000_000).as_bytes(), "JSON is nested deeper than 200 levels (at byte 200)");
    fails("{\"a\":".repeat(1_000_000).as_bytes(), "JSON is nested deeper than 200 levels (at byte 1000)");
    let mut parser = Parser::new(Options::default().with_max_depth(2));
    assert!(parser.parse(b"[[1]]").is_ok());
    assert!(matches!(parser.parse(b"[[[]]]"), Err(Error::TooDeep { position: 2, depth_max: 2 })));
    assert!(parser.parse(b"[[1]]").is_ok());
}

#[test]
fn duplicates() {
    check(r#"{"a":1,"b":2,"a":3}"#, r#"{"b":2,"a":3}"#);
    let mut parser = Parser::new(Options::default().with_duplicates(Duplicates::Reject));
    let error = parser.parse(br#"[{"a":1},{"b":{"a":1},"a":2,"c":{"x":[],"x":1}}]"#).unwrap_err();
    assert_eq!(error.to_string(), "attribute name 'x' occurs twice in one object (at byte 40)");
    assert!(parser.parse(br#"{"a":1,"b":{"a":1}}"#).is_ok());
    assert!(parser.parse(br#"{"a":1,"\u0061":2}"#).is_err());
}

#[test]
fn a_parser_can_be_reused_after_anything() {
    let mut parser = Parser::default();
    let long = format!("[{}1]", "1234567,".repeat(10_000));
    for text in [&b"[1,2"[..], b"{\"a\":[1,{\"b\":\"c\"}]}", long.as_bytes(), b"\xff", b"7"] {
        assert_eq!(parser.parse(text).ok(), parse(text).ok());
    }
    let mut builder = Builder::new();
    builder.open_array();
    parser.parse_into(b"{\"a\":1}", &mut builder).unwrap();
    parser.parse_into(b"2", &mut builder).unwrap();
    builder.close();
    assert_eq!(builder.finish().unwrap().to_string(), r#"[{"a":1},2]"#);
}

#[test]
fn what_a_parser_remembers_of_names_makes_no_difference() {
    let mut parser = Parser::default();
    let usual =
        r#"{"name":"a","b":[{"name":1,"value":2.5}],"a long attribute name beyond a block":{"x":null}}"#;
    (0..20).for_each(|_| {
        parser.parse(usual.as_bytes()).unwrap();
    });
    for text in [
        usual,
        r#"{"name" :"a","b":[{"name": 1 , "value":2.5}],"a long attribute name beyond a block":{}}"#,
        r#"{"nam\u0065":"a","b":[{"name":1}]}"#,
        r#"{"name":1}"#,
        r#"{"name":"#,
        r#"{"name"#,
        r#"{"name1":1,"nam":2,"":3}"#,
        r#"{"b":[{"value":1,"name":2},{"name":1,"name":2}],"name":0}"#,
        r#"{"name":"a","b":[{"name":1,"value":2.5,"more":3}],"a long attribute name beyond a blocK":7}"#,
        r#"{"name":"a","b":[],"a long attribute name beyond a block and then too long to be remembered":7}"#,
        r#"{"nameé":1,"name":{"name":{"name":{}}}}"#,
        r#"{"_key":"a","_rev":"b","name":"c"}"#,
    ] {
        for _ in 0..3 {
            let fresh = parse(text.as_bytes()).map_err(|error| error.to_string());
            assert_eq!(parser.parse(text.as_bytes()).map_err(|error| error.to_string()), fresh, "{text}");
            let mut stored = Builder::new().with_attribute_translation(true);
            if parser.parse_into(text.as_bytes(), &mut stored).is_ok() {
                let stored = stored.finish().unwrap();
                Slice::validate(stored.bytes()).unwrap();
                assert_eq!(stored.to_string(), fresh.unwrap().to_string());
            }
        }
    }
}
