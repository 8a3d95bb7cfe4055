//! AQL's order by example.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::cmp::Ordering;

use persea_order::{Value, compare, equal, hash, prefix_successor, sort_key, sort_key_successor};
use persea_vpack::{Builder, VPackBuf, vpack};

fn key(value: Value<'_>) -> Vec<u8> {
    let mut key = Vec::new();
    sort_key(value, &mut key);
    key
}

#[track_caller]
fn check(left: VPackBuf, expected: Ordering, right: VPackBuf) {
    let (left, right) = (Value::from_slice(left.as_slice()), Value::from_slice(right.as_slice()));
    assert_eq!(compare(left, right), expected, "{left:?} {right:?}");
    assert_eq!(compare(right, left), expected.reverse(), "{right:?} {left:?}");
    assert_eq!(key(left).cmp(&key(right)), expected, "keys of {left:?} {right:?}");
    assert_eq!(equal(left, right), expected.is_eq());
    if expected.is_eq() {
        assert_eq!(hash(left), hash(right));
    }
}

use Ordering::{Equal, Greater, Less};

#[test]
fn types_come_in_order() {
    check(vpack!(null), Equal, vpack!(null));
    check(vpack!(null), Less, vpack!(false));
    check(vpack!(null), Less, vpack!(0));
    check(vpack!(null), Less, vpack!(""));
    check(vpack!(null), Less, vpack!({}));
    check(vpack!(true), Less, vpack!(0));
    check(vpack!(true), Less, vpack!(""));
    check(vpack!(0), Less, vpack!(""));
    check(vpack!(45), Less, vpack!("yikes!"));
    check(vpack!(65), Less, vpack!("65"));
    check(vpack!("~"), Less, vpack!([]));
    check(vpack!([9]), Less, vpack!({}));
}

#[test]
fn numbers_compare_exactly() {
    check(vpack!(1), Equal, vpack!(1.0));
    check(vpack!(0), Equal, vpack!(-0.0));
    check(vpack!(9007199254740993i64), Greater, vpack!(9007199254740992.0));
    check(vpack!(-9007199254740993i64), Less, vpack!(-9007199254740992.0));
    check(vpack!(9223372036854775807i64), Less, vpack!(9223372036854775808.0));
    check(vpack!(9223372036854775808u64), Equal, vpack!(9223372036854775808.0));
    check(vpack!(18446744073709551615u64), Less, vpack!(18446744073709551616.0));
    check(vpack!(18446744073709551615u64), Greater, vpack!(18446744073709551614u64));
    check(vpack!(-9223372036854775808i64), Equal, vpack!(-9223372036854775808.0));
    check(vpack!(1.23), Less, vpack!(1.32));
    check(vpack!(2), Greater, vpack!(1.5));
    check(vpack!(-2), Less, vpack!(-1.5));
}

#[test]
fn strings_compare_by_collation() {
    check(vpack!(""), Less, vpack!(" "));
    check(vpack!("A"), Less, vpack!("a"));
    check(vpack!("AB"), Less, vpack!("Ab"));
    check(vpack!("a"), Less, vpack!("b"));
    check(vpack!("a"), Less, vpack!("B"));
    check(vpack!("a"), Less, vpack!("a "));
    check(vpack!("abc"), Greater, vpack!("ABC"));
    check(vpack!("_key"), Less, vpack!("1"));
    check(vpack!("z"), Greater, vpack!("É"));
    check(vpack!("e\u{301}"), Less, vpack!("é"));
    check(vpack!("a\u{1}b"), Less, vpack!("ab"));
    check(vpack!("a\u{7f}b"), Greater, vpack!("ab"));
    check(vpack!("a\u{1}"), Greater, vpack!("a"));
    check(vpack!("\u{e}\t"), Greater, vpack!("\t"));
    check(vpack!("K"), Less, vpack!("\u{212a}"));
}

#[test]
fn arrays_compare_by_member() {
    check(vpack!([]), Less, vpack!([0]));
    check(vpack!([1]), Less, vpack!([2]));
    check(vpack!([1, 2]), Less, vpack!([2]));
    check(vpack!([99, 99]), Less, vpack!([100]));
    check(vpack!([false]), Less, vpack!([true]));
    check(vpack!([false, 1]), Less, vpack!([false, ""]));
    check(vpack!([]), Equal, vpack!([null]));
    check(vpack!([[]]), Equal, vpack!([[null], null]));
    check(vpack!([]), Less, vpack!([null, 1]));
    check(vpack!([1, null]), Less, vpack!([1, false]));
}

#[test]
fn objects_compare_by_attribute() {
    check(vpack!({}), Equal, vpack!({ "a": null }));
    check(vpack!({}), Less, vpack!({ "a": 1 }));
    check(vpack!({ "a": 1 }), Less, vpack!({ "a": 2 }));
    check(vpack!({ "b": 1 }), Less, vpack!({ "a": 0 }));
    check(vpack!({ "a": { "c": true } }), Less, vpack!({ "a": { "c": 0 } }));
    check(vpack!({ "a": { "c": true, "a": 0 } }), Less, vpack!({ "a": { "c": false, "a": 1 } }));
    check(vpack!({ "a": 1, "b": 2 }), Equal, vpack!({ "b": 2, "a": 1 }));
    check(vpack!({ "a": 1 }), Greater, vpack!({ "b": 2 }));
    check(vpack!({ "A": 1 }), Greater, vpack!({ "a": 2 }));
    check(vpack!({ "a": 1, "b": 0 }), Less, vpack!({ "a": 1, "b": 1 }));
    check(vpack!({ "a": 1, "c": 0 }), Less, vpack!({ "a": 1, "b": 0 }));
}

/// Stored keys are read back by later releases: these bytes may only change together with `COLLATION_VERSION`.
#[test]
fn sort_keys_stay_what_they_are() {
    let hex = |value: VPackBuf| {
        let key = key(Value::from_slice(value.as_slice()));
        key.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    };
    assert_eq!(hex(vpack!([null, false, true, null])), "4010181900");
    assert_eq!(hex(vpack!(1)), "20bff0000000000000");
    assert_eq!(hex(vpack!(-1)), "20400fffffffffffff");
    assert_eq!(hex(vpack!(9007199254740993i64)), "20c3400000000000000001");
    assert_eq!(hex(vpack!("Ab")), "302b2d0106011c850002");
}

#[test]
fn successors_end_a_prefix() {
    let mut key = vec![0x20, 0xff, 0xff];
    assert!(prefix_successor(&mut key));
    assert_eq!(key, [0x21]);
    let mut key = vec![0xff];
    assert!(!prefix_successor(&mut key));

    let mut out = vec![7];
    sort_key_successor(Value::from_str("a"), &mut out);
    let mut inside = vec![7];
    sort_key(Value::from_str("a"), &mut inside);
    inside.extend_from_slice(&[0xff; 20]);
    assert!(inside < out);
    let mut next = vec![7];
    sort_key(Value::from_str("a\u{1}"), &mut next);
    assert!(out <= next);
}

#[test]
fn deepest_legal_nesting_is_compared_by_meaning() {
    let nested = |leaf: i64, objects: bool| {
        let mut builder = Builder::new();
        for _ in 0..persea_vpack::DEPTH_MAX - 1 {
            if objects {
                builder.open_object().key("a")
            } else {
                builder.open_array()
            };
        }
        builder.add_i64(leaf);
        for _ in 0..persea_vpack::DEPTH_MAX - 1 {
            builder.close();
        }
        builder.finish().unwrap()
    };
    check(nested(1, false), Less, nested(2, false));
    check(nested(1, true), Less, nested(2, true));
    check(nested(1, true), Equal, nested(1, true));
}
