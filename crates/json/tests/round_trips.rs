//! Random values and random text, compared with serde_json.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use persea_json::{Parser, parse, to_string};
use persea_vpack::{Slice, from_slice, to_vpack};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde_json::Value;

fn values() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter_map("finite", |number| number.is_finite().then(|| Value::from(number))),
        (-1e6f64..1e6).prop_map(|number| Value::from((number * 1e3).round() / 1e3)),
        any::<String>().prop_map(Value::from),
        "[\\x00-\\x7f]{0,40}".prop_map(Value::from),
    ];
    scalar.prop_recursive(5, 64, 16, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..12).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..12)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Equal up to the kind of number: what is integral may come back as an integer.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|((a, left), (b, right))| a == b && same(left, right))
        }
        _ => left == right,
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 192,
        failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
        ..ProptestConfig::default()
    })]

    #[test]
    fn text_in_equals_serde_json(model in values(), pretty: bool) {
        let text = if pretty { serde_json::to_string_pretty(&model) } else { serde_json::to_string(&model) }.unwrap();
        let value = parse(text.as_bytes()).unwrap();
        prop_assert_eq!(from_slice::<Value>(Slice::validate(value.bytes()).unwrap()).unwrap(), model);
    }

    #[test]
    fn text_out_is_read_by_serde_json(model in values()) {
        let value = to_vpack(&model).unwrap();
        let text = to_string(value.as_slice());
        prop_assert_eq!(&text, &value.to_string());
        prop_assert!(same(&serde_json::from_str(&text).unwrap(), &model), "{}", text);
    }

    #[test]
    fn doubles_are_nearest(text in "-?(0|[1-9][0-9]{0,24})(\\.[0-9]{1,24})?([eE][+-]?[0-9]{1,3})?") {
        let expected: f64 = text.parse().unwrap();
        match parse(text.as_bytes()) {
            Ok(value) => prop_assert_eq!(value.as_slice().as_f64(), Some(expected), "{}", text),
            Err(_) => prop_assert!(expected.is_infinite(), "{}", text),
        }
    }

    #[test]
    fn acceptance_equals_serde_json(text in "[\\[\\]{}:,\"a1 .e+\\\\tn-]{0,12}") {
        let expected: Result<Value, _> = serde_json::from_str(&text);
        prop_assert_eq!(parse(text.as_bytes()).is_ok(), expected.is_ok(), "{}", text);
    }

    #[test]
    fn a_reused_parser_reads_the_same(models in prop::collection::vec(values(), 1..6)) {
        let mut parser = Parser::default();
        for model in models.iter().chain(&models).chain(&models) {
            let text = serde_json::to_string(model).unwrap();
            prop_assert_eq!(parser.parse(text.as_bytes()).unwrap(), parse(text.as_bytes()).unwrap());
        }
    }

    #[test]
    fn any_bytes_are_harmless(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        if let Ok(value) = parse(&bytes) {
            Slice::validate(value.bytes()).unwrap();
        }
        let _ = to_string(Slice::trusted(&bytes));
    }
}

#[test]
fn containers_that_overlap_do_not_multiply() {
    // Never valid, but each byte could be the start of a container that reaches into the next ones.
    for head in [0x02, 0x03, 0x06, 0x0b, 0x13, 0x14] {
        for size in [3, 4, 5, 7, 12, 40, 200, 255] {
            for filler in [&[][..], &[1], &[2, 0x31], &[head, size], &[0x41, 0x61]] {
                let pattern = [&[head, size][..], filler].concat();
                let bytes: Vec<u8> = pattern.iter().copied().cycle().take(600).collect();
                let text = to_string(Slice::trusted(&bytes));
                assert!(text.len() < 600 * 400 * 8, "{head} {size} {filler:?}: {}", text.len());
            }
        }
    }
}
