//! Any bytes: accessors are total, and what passes validation can be read in full and written again.
#![no_main]

mod reference;

use libfuzzer_sys::fuzz_target;
use persea_vpack::{Builder, Slice, from_slice};

fn exercise(value: Slice<'_>, budget: &mut usize) {
    if *budget == 0 {
        return;
    }
    *budget -= 1;
    let _ = (
        value.as_i64(),
        value.as_u64(),
        value.as_f64(),
        value.as_str(),
        value.as_binary(),
        value.as_decimal(),
    );
    assert!(value.len() <= value.byte_size());
    let _ = (value.at(0), value.at(value.len()), value.get("_key"), value.untagged());
    for member in value.array_iter() {
        exercise(member, budget);
    }
    for (name, member) in value.object_iter() {
        let _ = value.get(name);
        exercise(member, budget);
    }
}

fuzz_target!(|bytes: &[u8]| {
    exercise(Slice::trusted(bytes), &mut 1000);
    let _ = Slice::trusted(bytes).to_string();
    let found = Slice::validate(bytes);
    assert_eq!(found.is_ok(), reference::is_legal(bytes), "{found:?}");
    let Ok(value) = found else { return };
    for (index, member) in value.array_iter().enumerate() {
        assert_eq!(value.at(index).map(Slice::bytes), Some(member.bytes()));
    }
    for (name, member) in value.object_iter() {
        assert_eq!(value.get(name).map(Slice::bytes), Some(member.bytes()));
    }
    let _ = from_slice::<serde_json::Value>(value);
    let mut builder = Builder::new();
    builder.add_slice_expanded(value);
    let written = builder.finish().expect("a valid value can be written");
    let again = Slice::validate(written.bytes()).expect("what is written is valid");
    assert_eq!(again.to_string(), value.to_string());
});
