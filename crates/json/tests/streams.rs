//! Values a line each, and the members of one big array.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::io::{self, BufReader, Read};

use persea_json::{ArrayItems, Lines};
use persea_json::{Error, Options, array_items, lines};

#[track_caller]
fn check_lines(text: &str, expected: &[(usize, &str)]) {
    for capacity in [1, 7, 4096] {
        let reader = BufReader::with_capacity(capacity, text.as_bytes());
        let found: Vec<(usize, String)> = lines(reader)
            .map(|(line, value)| {
                (line, value.map_or_else(|error| error.to_string(), |value| value.to_string()))
            })
            .collect();
        let expected: Vec<_> = expected.iter().map(|&(line, text)| (line, text.to_owned())).collect();
        assert_eq!(found, expected);
    }
}

#[track_caller]
fn check_items(text: &str, expected: &[&str]) {
    for capacity in [1, 7, 4096] {
        let reader = BufReader::with_capacity(capacity, text.as_bytes());
        let found: Vec<String> = array_items(reader)
            .map(|value| value.map_or_else(|error| error.to_string(), |value| value.to_string()))
            .collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn values_on_lines() {
    check_lines("", &[]);
    check_lines("\n \n", &[]);
    check_lines("{\"a\":1}\r\n\n[2]\n3", &[(1, "{\"a\":1}"), (3, "[2]"), (4, "3")]);
    check_lines("1\n{\n3\n", &[(1, "1"), (2, "JSON ends in the middle of a value (at byte 1)"), (3, "3")]);
}

#[test]
fn members_of_an_array() {
    check_items("[]", &[]);
    check_items(" [ ] \n", &[]);
    check_items("[1]", &["1"]);
    check_items(
        r#" [ {"a":[1,2,{"x":"]"}]} , "a,b\"],[\\" ,[],[[]], null ] "#,
        &[r#"{"a":[1,2,{"x":"]"}]}"#, r#""a,b\"],[\\""#, "[]", "[[]]", "null"],
    );
    check_items("", &["expected '[' at the start of an array (at byte 0)"]);
    check_items(" {}", &["expected '[' at the start of an array (at byte 1)"]);
    check_items("[", &["JSON ends in the middle of a value (at byte 1)"]);
    check_items("[1", &["JSON ends in the middle of a value (at byte 2)"]);
    check_items("[1,", &["1", "JSON ends in the middle of a value (at byte 3)"]);
    check_items("[1,]", &["1", "JSON text is empty (at byte 3)"]);
    check_items("[1] x", &["1", "expected the end of the text after the value (at byte 4)"]);
    check_items("[1, [2 3], 4]", &["1", "expected ',' or ']' (at byte 7)"]);
    check_items("[1}]", &["expected the end of the text after the value (at byte 2)"]);
}

#[test]
fn long_values_are_refused_without_being_held() {
    let text = format!("[1,\"{}\",2]", "x".repeat(1000));
    let items = ArrayItems::new(BufReader::with_capacity(16, text.as_bytes()), Options::default());
    let found: Vec<_> = items.with_item_bytes_max(100).collect();
    assert!(matches!(found.as_slice(), [Ok(_), Err(Error::TooLong { position: 3, bytes_max: 100 })]));

    let text = format!("1\n\"{}\"\n2\n", "x".repeat(1000));
    let lines = Lines::new(BufReader::with_capacity(16, text.as_bytes()), Options::default());
    let found: Vec<_> = lines.with_line_bytes_max(100).collect();
    assert!(matches!(found.as_slice(), [(1, Ok(_)), (2, Err(Error::TooLong { .. })), (3, Ok(_))]));
}

#[test]
fn failing_readers_end_the_stream() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("cable cut"))
        }
    }
    let reader = || BufReader::new(b"[1,\n".chain(Broken));
    let found: Vec<_> = array_items(reader()).collect();
    assert!(matches!(found.as_slice(), [Ok(_), Err(Error::Io(_))]));
    let found: Vec<_> = lines(reader()).collect();
    assert!(matches!(found.as_slice(), [(1, Err(Error::Syntax { .. })), (_, Err(Error::Io(_)))]));
}
