//! Any text: JSON in, VelocyPack, JSON out, compared with serde_json.
#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use persea_json::{Error, Parser, parse, to_string};
use persea_vpack::Slice;
use serde_json::Value;

/// Equal up to the kind of number: what is integral may come back as an integer.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, left)| right.get(name).is_some_and(|right| same(left, right)))
        }
        _ => left == right,
    }
}

thread_local! {
    /// Remembers what it saw in earlier texts, which must make no difference.
    static PARSER: RefCell<Parser> = RefCell::default();
}

fuzz_target!(|text: &[u8]| {
    let reused = PARSER.with_borrow_mut(|parser| parser.parse(text));
    assert_eq!(reused.ok(), parse(text).ok());
    let expected = serde_json::from_slice::<Value>(text);
    match (parse(text), expected) {
        (Ok(value), Ok(expected)) => {
            Slice::validate(value.bytes()).expect("what is parsed is valid");
            let written = to_string(value.as_slice());
            assert_eq!(written, value.to_string());
            let read: Value = serde_json::from_str(&written).expect("what is written is JSON");
            assert!(same(&read, &expected), "{written}");
        }
        // Less deep than what is allowed here.
        (Ok(_), Err(error)) if error.to_string().starts_with("recursion limit") => {}
        (Ok(value), Err(error)) => panic!("accepted {value}, refused by serde_json: {error}"),
        (Err(error), Ok(expected)) => assert!(
            matches!(error, Error::TooDeep { .. } | Error::VPack(persea_vpack::Error::TooDeep)),
            "refused with {error}: {expected}"
        ),
        (Err(_), Err(_)) => {}
    }
});
