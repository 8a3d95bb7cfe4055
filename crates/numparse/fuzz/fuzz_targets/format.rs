//! Any number: its text is that of the standard library and is read back as the same number.
#![no_main]

use libfuzzer_sys::fuzz_target;
use persea_numparse::{I64_TEXT_MAX, U64_TEXT_MAX, format_i64, format_u64, parse_i64, parse_u64};

fuzz_target!(|number: u64| {
    let mut buffer = [0; U64_TEXT_MAX];
    let text = format_u64(number, &mut buffer);
    assert_eq!(text, number.to_string());
    assert_eq!(parse_u64(text.as_bytes()), Ok(number));
    let signed = number as i64;
    let mut buffer = [0; I64_TEXT_MAX];
    let text = format_i64(signed, &mut buffer);
    assert_eq!(text, signed.to_string());
    assert_eq!(parse_i64(text.as_bytes()), Ok(signed));
});
