//! Bytes that must not pass validation, and the depth limit.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod common;

use common::hex;
use persea_vpack::{Builder, DEPTH_MAX, Error, Slice};

fn check(text: &str, reason: &str, failures: &mut Vec<String>) {
    match Slice::validate(&hex(text)) {
        Ok(value) => failures.push(format!("{text} passed as {value}, expected {reason}")),
        Err(error) if error.to_string().contains(reason) => {}
        Err(error) => failures.push(format!("{text}: {error}, expected {reason}")),
    }
}

#[test]
fn broken_bytes() {
    let failures = &mut Vec::new();
    let mut check = |bytes: &str, reason: &str| check(bytes, reason, failures);
    check("", "cut off");
    check("00", "none");
    check("15", "illegal");
    check("17", "illegal");
    check("d8", "illegal");
    check("41", "cut off");
    check("18 18", "1 bytes follow");
    check("1d 00 00 00 00 00 00 00 00", "external");
    check("f0 01", "custom");
    check("02 05 31 f0 33", "custom");
    check("1b 00 00 00 00 00 00 f0 7f", "not finite");
    check("41 ff", "UTF-8");
    check("0b 07 01 41 ff 31 03", "UTF-8");
    check("c8 01 00 00 00 00 1a", "digits");
    check("02 02", "header");
    check("02 03 00", "header");
    check("02 04 31 29", "cut off");
    check("02 06 28 01 31 32", "different sizes");
    check("06 08 02 31 28 10 03 05", "offset");
    check("06 08 02 31 28 10 04 03", "offset");
    check("06 09 02 31 28 10 31 03 04", "bytes between");
    check("06 04 00 31", "without members");
    check("06 0b 01 00 01 00 00 00 00 31 09", "padding");
    check("02 0a 00 00 01 00 00 00 00 31", "padding");
    check("13 05 31 32 09", "header");
    check("13 04 31 00", "without members");
    check("0b 0b 02 41 62 31 41 61 32 03 06", "not in order");
    check("0b 0b 02 41 61 31 41 61 32 03 06", "not in order or occur twice");
    check("0f 0b 02 41 61 31 41 61 32 03 06", "occur twice");
    check("0f 0b 02 41 61 31 41 62 32 03 03", "offset that occurs twice");
    check("14 09 41 61 31 41 61 31 02", "occur twice");
    check("0b 0b 02 41 61 31 41 62 32 03 05", "point at a key");
    check("0b 06 01 31 31 02", "outside");
    check("0b 06 01 30 31 03", "no name");
    check("0b 06 01 36 31 03", "no name");
    // The same name abbreviated and in full.
    check("0b 0d 02 31 31 44 5f 6b 65 79 32 03 05", "occur twice");
    assert_eq!(failures, &Vec::<String>::new());
}

#[test]
fn depth_is_limited() {
    let nested = |levels: usize| {
        // Compact arrays of one member.
        (0..levels).fold(vec![0x31], |inner, _| {
            let mut size = inner.len() + 3;
            if size > 127 {
                size += 1;
            }
            let mut bytes = vec![0x13];
            if size > 127 {
                bytes.extend([(size & 0x7f) as u8 | 0x80, (size >> 7) as u8]);
            } else {
                bytes.push(size as u8);
            }
            bytes.extend(inner);
            bytes.push(1);
            bytes
        })
    };
    Slice::validate(&nested(DEPTH_MAX)).unwrap();
    assert_eq!(Slice::validate(&nested(DEPTH_MAX + 1)).unwrap_err(), Error::TooDeep);
    assert_eq!(Slice::trusted(&nested(3000)).to_string().matches('[').count(), DEPTH_MAX);

    let mut builder = Builder::new();
    (0..=DEPTH_MAX).for_each(|_| {
        builder.open_array();
    });
    assert_eq!(builder.finish().unwrap_err(), Error::TooDeep);
    assert_eq!(builder.add_bool(true).finish().unwrap().to_string(), "true");
}

#[test]
fn misuse_of_the_builder_is_reported_once_finished() {
    let misuse: [fn(&mut Builder); 7] = [
        |_| {},
        |builder| {
            builder.open_array();
        },
        |builder| {
            builder.open_object().add_null();
        },
        |builder| {
            builder.open_object().key("a").close();
        },
        |builder| {
            builder.open_object().key("a").key("b");
        },
        |builder| {
            builder.key("a");
        },
        |builder| {
            builder.add_null().add_null();
        },
    ];
    let mut builder = Builder::new();
    for action in misuse {
        action(&mut builder);
        assert!(matches!(builder.finish(), Err(Error::Builder(_))));
    }
    builder.add_null().close();
    assert!(builder.as_slice().is_err());
}

#[test]
fn duplicates() {
    let mut builder = Builder::new();
    builder.open_object();
    builder.key("a").add_i64(1).key("b").add_str("x").key("a").add_str("last").key("c").add_null();
    builder.key("b").open_array().add_i64(7).close();
    builder.close();
    let value = builder.finish().unwrap();
    assert_eq!(value.to_string(), r#"{"a":"last","c":null,"b":[7]}"#);
    Slice::validate(value.bytes()).unwrap();

    builder.reject_duplicates(true);
    builder.open_object().key("a").add_i64(1).key("a").add_i64(1).close();
    assert_eq!(builder.finish().unwrap_err(), Error::DuplicateKey { name: "a".into() });
}
