//! Sorts a mixed list twice: by comparing values, and by comparing their sort keys as plain bytes.
//!
//! `cargo run -p persea-order --example sorting`

use persea_order::{Value, compare, sort_key};
use persea_vpack::vpack;

#[allow(clippy::print_stdout, reason = "an example shows its result")]
fn main() {
    let list = vpack!([{}, [0], "a", "A", "é", "f", 1, 1.5, true, false, null, 9007199254740993i64]);
    let mut values: Vec<Value> = Value::from_slice(list.as_slice()).elements().collect();
    let mut keys: Vec<(Vec<u8>, Value)> = values
        .iter()
        .map(|value| {
            let mut key = Vec::new();
            sort_key(*value, &mut key);
            (key, *value)
        })
        .collect();

    values.sort_by(|left, right| compare(*left, *right));
    keys.sort_by(|left, right| left.0.cmp(&right.0));
    for (value, (key, by_key)) in values.iter().zip(&keys) {
        println!("{:24} {:24} {key:02x?}", format!("{value:?}"), format!("{by_key:?}"));
    }
}
