//! Any sequence of calls: the builder reports misuse or writes a valid value.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use persea_vpack::{Builder, Slice};

#[derive(Debug, Arbitrary)]
enum Call<'a> {
    Null,
    Bool(bool),
    I64(i64),
    U64(u64),
    F64(f64),
    Date(i64),
    Text(&'a str),
    Binary(&'a [u8]),
    Array,
    Object,
    Key(&'a str),
    ShortKey(u8),
    Close,
}

#[derive(Debug, Arbitrary)]
struct Plan<'a> {
    translate: bool,
    reject_duplicates: bool,
    calls: Vec<Call<'a>>,
}

fuzz_target!(|plan: Plan<'_>| {
    let mut builder = Builder::new().with_attribute_translation(plan.translate);
    builder.reject_duplicates(plan.reject_duplicates);
    for call in &plan.calls {
        match *call {
            Call::Null => builder.add_null(),
            Call::Bool(value) => builder.add_bool(value),
            Call::I64(value) => builder.add_i64(value),
            Call::U64(value) => builder.add_u64(value),
            Call::F64(value) => builder.add_f64(value),
            Call::Date(value) => builder.add_utc_date(value),
            Call::Text(value) => builder.add_str(value),
            Call::Binary(value) => builder.add_binary(value),
            Call::Array => builder.open_array(),
            Call::Object => builder.open_object(),
            Call::Key(name) => builder.key(name),
            Call::ShortKey(number) => builder.key(["_key", "_rev", "a", "b"][usize::from(number % 4)]),
            Call::Close => builder.close(),
        };
    }
    if let Ok(value) = builder.finish() {
        Slice::validate(value.bytes()).expect("what is written is valid");
    }
    assert!(builder.is_empty());
});
