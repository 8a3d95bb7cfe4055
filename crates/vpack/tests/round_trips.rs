//! Random values survive every way in and out; random bytes harm nobody.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod common;

use common::{encode, names, push, values};
use persea_vpack::{Builder, Slice, VPackBuf, from_slice, to_vpack};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde_json::Value;

/// Calls every accessor on the value and on everything inside.
fn exercise(value: Slice<'_>, budget: &mut usize, depth_left: usize) {
    if *budget == 0 || depth_left == 0 {
        return;
    }
    *budget -= 1;
    let _ = (value.kind(), value.as_bool(), value.as_i64(), value.as_u64(), value.as_f64(), value.as_str());
    let _ = (
        value.as_binary(),
        value.as_decimal(),
        value.tag(),
        value.as_utc_date(),
        value.get("_key"),
        value.get("a"),
    );
    assert!(value.len() <= value.byte_size());
    assert!(value.byte_size() >= 1);
    for index in [0, 1, value.len().saturating_sub(1), value.len(), usize::MAX] {
        let _ = value.at(index);
    }
    for member in value.array_iter() {
        exercise(member, budget, depth_left - 1);
    }
    for (name, member) in value.object_iter() {
        let _ = value.get(name);
        exercise(member, budget, depth_left - 1);
    }
    if value.tag().is_some() {
        exercise(value.untagged(), budget, depth_left - 1);
    }
}

fn harmless(bytes: &[u8]) {
    let view = Slice::trusted(bytes);
    exercise(view, &mut 2000, 20);
    let _ = Slice::validate(bytes);
    let _ = view.to_string();
    let _ = from_slice::<Value>(view);
    let mut builder = Builder::new();
    builder.add_slice_expanded(view);
    let _ = builder.finish();
}

/// The view shows what the model holds.
fn agrees(view: Slice<'_>, model: &Value) -> Result<(), TestCaseError> {
    match model {
        Value::Array(members) => {
            prop_assert!(view.is_array());
            prop_assert_eq!(view.len(), members.len());
            prop_assert_eq!(view.array_iter().count(), members.len());
            for (index, member) in members.iter().enumerate() {
                agrees(view.at(index).unwrap(), member)?;
            }
            prop_assert!(view.at(members.len()).is_none());
        }
        Value::Object(members) => {
            prop_assert!(view.is_object());
            prop_assert_eq!(view.len(), members.len());
            let stored: Vec<&str> = view.object_iter().map(|(name, _)| name).collect();
            prop_assert_eq!(stored, members.keys().map(String::as_str).collect::<Vec<_>>());
            for (name, member) in members {
                agrees(view.get(name).unwrap(), member)?;
            }
            prop_assert_eq!(view.get("no such name").map(Slice::kind), None);
        }
        Value::String(text) => prop_assert_eq!(view.as_str(), Some(text.as_str())),
        Value::Bool(value) => prop_assert_eq!(view.as_bool(), Some(*value)),
        Value::Null => prop_assert!(view.is_null()),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => prop_assert_eq!(view.as_i64(), Some(number)),
            (_, Some(number)) => prop_assert_eq!(view.as_u64(), Some(number)),
            _ => prop_assert_eq!(view.as_f64(), number.as_f64()),
        },
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 128,
        failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
        ..ProptestConfig::default()
    })]

    #[test]
    fn built_values_are_valid_and_show_the_model(model in values(), translate: bool) {
        let value = encode(&model, translate);
        let view = Slice::validate(value.bytes()).unwrap();
        agrees(view, &model)?;
        let mut builder = Builder::new();
        builder.add_slice_expanded(view);
        let expanded = builder.finish().unwrap();
        prop_assert_eq!(&expanded, &encode(&model, false));
    }

    #[test]
    fn serde_both_ways(model in values()) {
        let value = to_vpack(&model).unwrap();
        prop_assert_eq!(&value, &encode(&model, false));
        prop_assert_eq!(&from_slice::<Value>(value.as_slice()).unwrap(), &model);
        prop_assert_eq!(&serde_json::to_value(&value).unwrap(), &model);
        prop_assert_eq!(&serde_json::from_value::<VPackBuf>(model.clone()).unwrap(), &value);
        prop_assert_eq!(&to_vpack(&value).unwrap(), &value);
        prop_assert_eq!(&from_slice::<VPackBuf>(value.as_slice()).unwrap(), &value);
    }

    #[test]
    fn display_is_json(model in values()) {
        let text = encode(&model, false).to_string();
        let read: Value = serde_json::from_str(&text).unwrap();
        agrees(encode(&read, false).as_slice(), &read)?;
        prop_assert_eq!(encode(&read, false).to_string(), text);
    }

    #[test]
    fn last_duplicate_wins(members in prop::collection::vec((names(), 0i64..1000), 0..40)) {
        let mut builder = Builder::new();
        builder.open_object();
        let mut expected = std::collections::BTreeMap::new();
        for (name, number) in &members {
            builder.key(name).add_i64(*number);
            expected.insert(name.as_str(), *number);
        }
        builder.close();
        let value = builder.finish().unwrap();
        let view = Slice::validate(value.bytes()).unwrap();
        prop_assert_eq!(view.len(), expected.len());
        for (name, number) in expected {
            prop_assert_eq!(view.get(name).and_then(Slice::as_i64), Some(number));
        }
    }

    #[test]
    fn any_bytes_are_harmless(bytes in prop::collection::vec(any::<u8>(), 0..200), head in 0u8..0x16) {
        harmless(&bytes);
        let mut container = vec![head];
        container.extend(&bytes);
        harmless(&container);
    }

    #[test]
    fn damaged_values_are_harmless(model in values(), at: prop::sample::Index, byte: u8, cut: prop::sample::Index) {
        let mut bytes = encode(&model, true).into_bytes();
        harmless(&bytes[..cut.index(bytes.len())]);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        harmless(&bytes);
        if let Ok(view) = Slice::validate(&bytes) {
            // What passes must be fully readable.
            let mut builder = Builder::new();
            builder.add_slice_expanded(view);
            Slice::validate(builder.finish().unwrap().bytes()).unwrap();
        }
    }
}

#[test]
fn every_width_of_offsets() {
    for (count, width) in [(3usize, 8usize), (40, 60), (2000, 40), (70_000, 3), (300, 300)] {
        let model: Value = (0..count)
            .map(|index| (format!("name{index}"), Value::from("x".repeat(index % width))))
            .collect::<serde_json::Map<_, _>>()
            .into();
        let array: Value = model.as_object().unwrap().values().cloned().collect::<Vec<_>>().into();
        let equal: Value = vec!["y".repeat(width); count].into();
        for model in [model, array, equal] {
            let value = encode(&model, false);
            let view = Slice::validate(value.bytes()).unwrap();
            assert_eq!(view.len(), count);
            assert_eq!(from_slice::<Value>(view).unwrap(), model);
            if let Some((name, member)) = model.as_object().and_then(|members| members.iter().next_back()) {
                assert_eq!(view.get(name).and_then(Slice::as_str), member.as_str());
            }
        }
    }
}

#[test]
fn a_builder_can_be_reused_after_anything() {
    let mut builder = Builder::new();
    builder.open_object().key("a").open_array().add_i64(1);
    builder.clear();
    push(&Value::from(vec![1, 2]), &mut builder);
    assert_eq!(builder.as_slice().unwrap().to_string(), "[1,2]");
    assert_eq!(builder.finish().unwrap().to_string(), "[1,2]");
    assert!(builder.is_empty());
}
