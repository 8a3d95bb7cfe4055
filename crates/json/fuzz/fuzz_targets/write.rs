//! Any bytes as VelocyPack: writing them ends, and what is valid is written as the formatter shows it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use persea_json::to_string;
use persea_vpack::Slice;

fuzz_target!(|bytes: &[u8]| {
    let text = to_string(Slice::trusted(bytes));
    if let Ok(value) = Slice::validate(bytes) {
        assert_eq!(text, value.to_string());
    }
});
