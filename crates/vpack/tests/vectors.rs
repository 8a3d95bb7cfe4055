//! Known encodings: what is written, and what must be readable.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod common;

use common::hex;
use persea_vpack::{Builder, Kind, Slice, VPackBuf, vpack};

/// Written exactly so, and read back.
#[track_caller]
fn check(value: VPackBuf, bytes: &str) {
    assert_eq!(value.bytes(), hex(bytes), "{value}");
    Slice::validate(value.bytes()).unwrap();
}

/// Legal on input, though written otherwise.
#[track_caller]
fn reads(bytes: &str, expected: &str) {
    let bytes = hex(bytes);
    assert_eq!(Slice::validate(&bytes).unwrap().to_string(), expected);
}

#[test]
fn scalars() {
    check(vpack!([]), "01");
    check(vpack!({}), "0a");
    check(vpack!(null), "18");
    check(vpack!(false), "19");
    check(vpack!(true), "1a");
    check(vpack!(0), "30");
    check(vpack!(9), "39");
    check(vpack!(-1), "3f");
    check(vpack!(-6), "3a");
    check(vpack!(10), "28 0a");
    check(vpack!(255), "28 ff");
    check(vpack!(256), "29 00 01");
    check(vpack!(u64::MAX), "2f ff ff ff ff ff ff ff ff");
    check(vpack!(-7), "20 f9");
    check(vpack!(-128), "20 80");
    check(vpack!(-129), "21 7f ff");
    check(vpack!(i64::MIN), "27 00 00 00 00 00 00 00 80");
    check(vpack!(1.5), "1b 00 00 00 00 00 00 f8 3f");
    check(vpack!(f64::NAN), "18");
    check(vpack!(""), "40");
    check(vpack!("a"), "41 61");
}

#[test]
fn strings_change_form_behind_126_bytes() {
    let long = "x".repeat(127);
    assert_eq!(vpack!(&long[..126]).bytes()[0], 0xbe);
    let value = vpack!(long);
    assert_eq!(value.bytes()[..9], hex("bf 7f 00 00 00 00 00 00 00"));
    assert_eq!(value.as_slice().as_str(), Some(long.as_str()));
}

#[test]
fn arrays() {
    check(vpack!([1, 2, 3]), "02 05 31 32 33");
    check(vpack!([1, 16]), "06 08 02 31 28 10 03 04");
    for bytes in [
        "03 06 00 31 32 33",
        "04 08 00 00 00 31 32 33",
        "05 0c 00 00 00 00 00 00 00 31 32 33",
        "02 0c 00 00 00 00 00 00 00 31 32 33",
        "06 09 03 31 32 33 03 04 05",
        "07 0e 00 03 00 31 32 33 05 00 06 00 07 00",
        "06 0f 03 00 00 00 00 00 00 31 32 33 09 0a 0b",
        "08 18 00 00 00 03 00 00 00 31 32 33 09 00 00 00 0a 00 00 00 0b 00 00 00",
        "09 2c 00 00 00 00 00 00 00 31 32 33 09 00 00 00 00 00 00 00 0a 00 00 00 00 00 00 00 \
         0b 00 00 00 00 00 00 00 03 00 00 00 00 00 00 00",
        "13 06 31 32 33 03",
    ] {
        reads(bytes, "[1,2,3]");
        let bytes = hex(bytes);
        let array = Slice::trusted(&bytes);
        assert_eq!(array.len(), 3);
        assert_eq!(array.at(0).and_then(Slice::as_i64), Some(1));
        assert_eq!(array.at(2).and_then(Slice::as_i64), Some(3));
        assert!(array.at(3).is_none());
    }
    reads("13 06 31 28 10 02", "[1,16]");
}

#[test]
fn objects() {
    check(
        vpack!({"b": true, "a": 12, "c": "xyz"}),
        "0b 13 03 41 62 1a 41 61 28 0c 41 63 43 78 79 7a 06 03 0a",
    );
    check(vpack!({"a": 1}), "0b 07 01 41 61 31 03");
    reads("14 0a 41 61 31 41 62 28 10 02", r#"{"a":1,"b":16}"#);
    reads("0b 0d 01 00 00 00 00 00 00 41 61 31 09", r#"{"a":1}"#);
    reads("0f 0b 02 41 62 31 41 61 32 03 06", r#"{"b":1,"a":2}"#);
    let unsorted = hex("0f 0b 02 41 62 31 41 61 32 03 06");
    assert_eq!(Slice::trusted(&unsorted).get("a").and_then(Slice::as_i64), Some(2));
    reads("0b 06 01 40 31 03", r#"{"":1}"#);
}

#[test]
fn system_attributes_are_abbreviated_on_request() {
    let mut builder = Builder::new().with_attribute_translation(true);
    builder.open_object();
    for name in ["_key", "_id", "_rev", "_from", "_to", "_other"] {
        builder.key(name).add_str(name);
    }
    builder.close();
    let stored = builder.finish().unwrap();
    let view = Slice::validate(stored.bytes()).unwrap();
    for name in ["_key", "_id", "_rev", "_from", "_to", "_other"] {
        assert_eq!(view.get(name).and_then(Slice::as_str), Some(name));
    }
    assert_eq!(view.get("_ke").map(Slice::kind), None);
    assert_eq!(view.bytes()[3], 0x31);

    let mut wire = Builder::new();
    wire.open_array().add_slice_expanded(view).close();
    let wire = wire.finish().unwrap();
    assert_eq!(wire.to_string(), format!("[{view}]"));
    assert!(wire.bytes().windows(5).any(|bytes| bytes == b"\x44_key"));
}

#[test]
fn rarer_kinds() {
    let date = hex("1c e8 03 00 00 00 00 00 00");
    assert_eq!(Slice::validate(&date).unwrap().as_utc_date(), Some(1000));
    for bytes in ["c8 03 00 00 00 00 01 23 45", "c8 03 ff ff ff ff 12 34 50"] {
        let bytes = hex(bytes);
        let decimal = Slice::validate(&bytes).unwrap();
        assert_eq!(decimal.kind(), Kind::Bcd);
        assert_eq!(decimal.as_decimal().unwrap().parse::<f64>().unwrap(), 12345.0);
    }
    assert_eq!(Slice::trusted(&hex("d0 01 fe ff ff ff 15")).as_decimal().unwrap(), "-15e-2");
    let binary = hex("c0 02 aa bb");
    assert_eq!(Slice::validate(&binary).unwrap().as_binary(), Some(&[0xaa, 0xbb][..]));
    let tagged = hex("ee 07 ef 01 00 00 00 00 00 00 00 41 61");
    let view = Slice::validate(&tagged).unwrap();
    assert_eq!((view.tag(), view.untagged().as_str()), (Some(7), Some("a")));
    assert_eq!(view.to_string(), "\"a\"");
    assert_eq!(Slice::validate(&[0x1e]).unwrap().kind(), Kind::MinKey);
    let custom = hex("f4 02 aa bb");
    assert_eq!(Slice::trusted(&custom).byte_size(), 4);
    assert_eq!(Slice::trusted(&custom).kind(), Kind::Custom);
}

#[test]
fn numbers_convert_only_without_loss() {
    assert_eq!(vpack!(10.0).as_slice().as_i64(), Some(10));
    assert_eq!(vpack!(10.5).as_slice().as_i64(), None);
    assert_eq!(vpack!(1e19).as_slice().as_i64(), None);
    assert_eq!(vpack!(1e19).as_slice().as_u64(), Some(10_000_000_000_000_000_000));
    assert_eq!(vpack!(18446744073709551616.0).as_slice().as_u64(), None);
    assert_eq!(vpack!(-1).as_slice().as_u64(), None);
    assert_eq!(vpack!(u64::MAX).as_slice().as_i64(), None);
    assert_eq!(vpack!(i64::MIN).as_slice().as_f64(), Some(-9223372036854775808.0));
    assert_eq!(vpack!("1").as_slice().as_f64(), None);
}
