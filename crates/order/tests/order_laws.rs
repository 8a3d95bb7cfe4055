//! The order's laws on random values: sort keys, equality and hashes agree with `compare`.

#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::cmp::Ordering;

use persea_order::{
    DecodedKey, Value, compare, compare_str, decode_sort_key, equal, hash, skip_sort_key, sort_key,
    to_string_into,
};
use persea_vpack::{Builder, VPackBuf};
use proptest::prelude::*;

/// A value tree that proptest can shrink.
#[derive(Clone, Debug)]
enum Tree {
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Double(f64),
    Str(String),
    Array(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

impl Tree {
    fn write(&self, builder: &mut Builder) {
        match self {
            Tree::Null => drop(builder.add_null()),
            Tree::Bool(value) => drop(builder.add_bool(*value)),
            Tree::Int(value) => drop(builder.add_i64(*value)),
            Tree::UInt(value) => drop(builder.add_u64(*value)),
            Tree::Double(value) => drop(builder.add_f64(*value)),
            Tree::Str(text) => drop(builder.add_str(text)),
            Tree::Array(members) => {
                builder.open_array();
                members.iter().for_each(|member| member.write(builder));
                builder.close();
            }
            Tree::Object(attributes) => {
                builder.open_object();
                for (name, value) in attributes {
                    builder.key(name);
                    value.write(builder);
                }
                builder.close();
            }
        }
    }

    fn build(&self) -> VPackBuf {
        let mut builder = Builder::new();
        self.write(&mut builder);
        builder.finish().unwrap()
    }
}

/// Few different strings, so that equal ones, case variants and collation ties come up often.
fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "", "a", "A", "b", "B", "z", "l", "L", " ", "_", "-", "1", "9", "\t", "\n", "\u{0}", "\u{1}",
        "\u{e}", "\u{1f}", "\u{7f}", "é", "e\u{301}", "\u{301}", "\u{b7}", "ß", "æ", "Ä", "\u{200b}",
        "\u{212a}", "\u{37e}", "k", "K", ";", "ｱ", "Ａ", "中", "🙂", "\u{e000}",
    ]);
    prop_oneof![
        prop::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat()),
        "[ -~]{0,6}",
        "\\PC{0,4}",
    ]
}

fn number() -> impl Strategy<Value = Tree> {
    let edge = prop::sample::select(vec![
        0i128,
        1,
        1 << 53,
        (1 << 53) + 1,
        (1 << 53) - 1,
        (1 << 62) + 513,
        (1 << 63) - 1,
        1 << 63,
        (1 << 63) + 1,
        (1 << 64) - 1,
    ]);
    let whole = (edge, any::<bool>(), -2i128..3).prop_map(|(edge, negative, add)| {
        let value = if negative { -edge } else { edge } + add;
        match (i64::try_from(value), u64::try_from(value)) {
            (Ok(value), _) => Tree::Int(value),
            (_, Ok(value)) => Tree::UInt(value),
            _ => Tree::Double(value as f64),
        }
    });
    let as_double = whole.clone().prop_map(|tree| match tree {
        Tree::Int(value) => Tree::Double(value as f64),
        Tree::UInt(value) => Tree::Double(value as f64),
        other => other,
    });
    let small_fraction = (-20i32..20).prop_map(|value| Tree::Double(f64::from(value) / 4.0));
    let any_double = any::<f64>().prop_filter("finite", |value| value.is_finite()).prop_map(Tree::Double);
    prop_oneof![
        whole,
        as_double,
        small_fraction,
        Just(Tree::Double(-0.0)),
        any_double,
        any::<i64>().prop_map(Tree::Int),
        (-3i64..4).prop_map(Tree::Int)
    ]
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        2 => Just(Tree::Null),
        1 => any::<bool>().prop_map(Tree::Bool),
        3 => number(),
        3 => text().prop_map(Tree::Str),
    ];
    let name = prop_oneof![4 => prop::sample::select(vec!["a", "A", "b", "_k", "é", ""]).prop_map(str::to_owned), 1 => text()];
    leaf.prop_recursive(3, 16, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Tree::Array),
            prop::collection::vec((name.clone(), inner), 0..4).prop_map(Tree::Object),
        ]
    })
}

fn key(value: Value<'_>) -> Vec<u8> {
    let mut key = Vec::new();
    sort_key(value, &mut key);
    key
}

fn check_pair(left: Value<'_>, right: Value<'_>) -> Result<(), TestCaseError> {
    let ordering = compare(left, right);
    let (left_key, right_key) = (key(left), key(right));
    prop_assert_eq!(left_key.cmp(&right_key), ordering, "keys {:x?} {:x?}", left_key, right_key);
    prop_assert_eq!(compare(right, left), ordering.reverse());
    prop_assert_eq!(equal(left, right), ordering == Ordering::Equal);
    if ordering == Ordering::Equal {
        prop_assert_eq!(hash(left), hash(right));
    } else {
        prop_assert!(!left_key.starts_with(&right_key) && !right_key.starts_with(&left_key));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn keys_equality_and_hashes_agree_with_the_order(trees in prop::collection::vec(tree(), 8)) {
        let values: Vec<VPackBuf> = trees.iter().map(Tree::build).collect();
        for left in &values {
            for right in &values {
                check_pair(Value::from_slice(left.as_slice()), Value::from_slice(right.as_slice()))?;
            }
        }
    }

    #[test]
    fn numbers_agree(trees in prop::collection::vec(number(), 12)) {
        let values: Vec<VPackBuf> = trees.iter().map(Tree::build).collect();
        for left in &values {
            for right in &values {
                check_pair(Value::from_slice(left.as_slice()), Value::from_slice(right.as_slice()))?;
            }
        }
    }

    #[test]
    fn strings_agree(texts in prop::collection::vec(text(), 16)) {
        for left in &texts {
            for right in &texts {
                check_pair(Value::from_str(left), Value::from_str(right))?;
            }
        }
    }

    #[test]
    fn sorting_is_transitive(texts in prop::collection::vec(text(), 24)) {
        let mut sorted = texts;
        // The standard sort may panic on an order that is not total.
        sorted.sort_by(|left, right| compare_str(left, right));
        prop_assert!(sorted.is_sorted_by(|left, right| compare_str(left, right) != Ordering::Greater));
    }

    #[test]
    fn ranges_are_the_arrays_they_stand_for(a in -4i64..4, b in -4i64..4, c in -4i64..4, d in -4i64..4) {
        let (left, right) = ((a, b), (c, d));
        let (left, right) = (Value::range(&left), Value::range(&right));
        check_pair(left, right)?;
        let (left_array, right_array) = (left.to_vpack().unwrap(), right.to_vpack().unwrap());
        let (left_array, right_array) = (Value::from_slice(left_array.as_slice()), Value::from_slice(right_array.as_slice()));
        check_pair(left, left_array)?;
        check_pair(left, right_array)?;
        prop_assert_eq!(compare(left, right), compare(left_array, right_array));
        prop_assert_eq!(left.len(), left_array.len());
        prop_assert!(equal(left.element(-1), Value::from_i64(b)));
    }

    #[test]
    fn scalars_come_back_from_keys(trees in prop::collection::vec(tree(), 4)) {
        let values: Vec<VPackBuf> = trees.iter().map(Tree::build).collect();
        let mut keys = Vec::new();
        values.iter().for_each(|value| sort_key(Value::from_slice(value.as_slice()), &mut keys));
        let mut rest = keys.as_slice();
        let mut text = String::new();
        for value in &values {
            let value = Value::from_slice(value.as_slice());
            let skipped = skip_sort_key(rest).map(<[u8]>::len);
            let (decoded, behind) = decode_sort_key(rest, &mut text).unwrap();
            prop_assert_eq!(skipped, Some(behind.len()));
            match decoded {
                DecodedKey::Value(decoded) => {
                    prop_assert!(equal(value, decoded), "{:?} gave {:?}", value, decoded);
                    // Text says whether they look the same to users; only the sign of zero may go.
                    let (mut expected, mut shown) = (String::new(), String::new());
                    to_string_into(value, &mut expected);
                    to_string_into(decoded, &mut shown);
                    prop_assert!(expected == shown || expected == "-0", "{} gave {}", expected, shown);
                }
                DecodedKey::Inexact => {
                    let is_large = value.as_f64().is_some_and(|number| number.abs() >= 9_007_199_254_740_992.0);
                    prop_assert!(value.is_array() || value.is_object() || is_large, "{:?} is inexact", value);
                }
            }
            rest = behind;
        }
        prop_assert!(rest.is_empty());
    }

    #[test]
    fn plain_strings_come_back_from_keys(text in "[ -~\\t\\n]{0,80}") {
        let mut buffer = String::new();
        let bytes = key(Value::from_str(&text));
        let (decoded, _) = decode_sort_key(&bytes, &mut buffer).unwrap();
        prop_assert!(matches!(decoded, DecodedKey::Value(value) if value.as_str() == Some(&text)), "{decoded:?}");
    }

    #[test]
    fn garbage_is_no_key(bytes in prop::collection::vec(prop_oneof![0u8..4, Just(0x10), Just(0x20), Just(0x30), Just(0x40), Just(0x50), any::<u8>()], 0..40)) {
        let mut text = String::new();
        // Whatever comes out, nothing may panic.
        let _ = decode_sort_key(&bytes, &mut text);
        let _ = skip_sort_key(&bytes);
    }

    #[test]
    fn concatenated_keys_order_as_tuples(trees in prop::collection::vec(tree(), 4)) {
        let values: Vec<VPackBuf> = trees.iter().map(Tree::build).collect();
        let value = |index: usize| Value::from_slice(values[index].as_slice());
        let tuple = |first: usize, second: usize| {
            let mut out = key(value(first));
            sort_key(value(second), &mut out);
            out
        };
        let expected = compare(value(0), value(1)).then_with(|| compare(value(2), value(3)));
        prop_assert_eq!(tuple(0, 2).cmp(&tuple(1, 3)), expected);
    }
}
