//! Random values as a model, and ways to write them down.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]
#![allow(dead_code)]

use persea_vpack::{Builder, VPackBuf};
use proptest::prelude::*;
use serde_json::Value;

/// Any JSON value of moderate size.
pub fn values() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-300i64..300).prop_map(Value::from),
        any::<f64>().prop_filter_map("finite", |number| number.is_finite().then(|| Value::from(number))),
        names().prop_map(Value::from),
        "[ -~]{100,160}".prop_map(Value::from),
    ];
    scalar.prop_recursive(5, 96, 24, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..20).prop_map(Value::from),
            prop::collection::vec((names(), inner), 0..20)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Attribute names: short ones that collide, system names, and names beyond ASCII.
pub fn names() -> impl Strategy<Value = String> {
    prop_oneof!["[a-c]{0,3}", "_(key|id|rev|from|to|x)", "\\PC{0,8}"]
}

/// Pushes a model value.
pub fn push(value: &Value, builder: &mut Builder) {
    match value {
        Value::Null => builder.add_null(),
        Value::Bool(value) => builder.add_bool(*value),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => builder.add_i64(number),
            (_, Some(number)) => builder.add_u64(number),
            _ => builder.add_f64(number.as_f64().unwrap()),
        },
        Value::String(text) => builder.add_str(text),
        Value::Array(members) => {
            builder.open_array();
            members.iter().for_each(|member| push(member, builder));
            builder.close()
        }
        Value::Object(members) => {
            builder.open_object();
            members.iter().for_each(|(name, member)| push(member, builder.key(name)));
            builder.close()
        }
    };
}

/// A model value, encoded.
pub fn encode(value: &Value, translate: bool) -> VPackBuf {
    let mut builder = Builder::new().with_attribute_translation(translate);
    push(value, &mut builder);
    builder.finish().unwrap()
}

/// Bytes from hexadecimal digits; blanks are ignored.
pub fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect()
}
