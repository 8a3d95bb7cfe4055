//! Any bytes: every implementation says the same as the standard library, and all of them agree about errors.
#![no_main]

use libfuzzer_sys::fuzz_target;
use persea_numparse::{implementations, parse_i32, parse_i64, parse_prefix_u64, parse_u32, parse_u64, trusted};

fuzz_target!(|text: &[u8]| {
    let as_str = std::str::from_utf8(text).unwrap_or("not a number");
    let (whole, prefix) = (parse_u64(text), parse_prefix_u64(text));
    assert_eq!(whole.ok(), as_str.parse().ok());
    assert_eq!(parse_i64(text).ok(), as_str.parse().ok());
    assert_eq!(parse_u32(text).ok(), as_str.parse().ok());
    assert_eq!(parse_i32(text).ok(), as_str.parse().ok());
    if let Ok((number, used)) = prefix {
        assert_eq!(parse_u64(&text[..used]), Ok(number));
        assert!(!text.get(used).is_some_and(u8::is_ascii_digit));
    }
    // An allocation of its own, so that the sanitizer sees each byte outside of it.
    let alone = text.to_vec().into_boxed_slice();
    for implementation in implementations() {
        assert_eq!(implementation.parse_u64(&alone), whole);
        assert_eq!(implementation.parse_prefix_u64(&alone), prefix);
        let number = implementation.trusted(&alone);
        if let (Ok(expected), 1..=20) = (whole, text.len()) {
            assert!(number == expected || text[0] == b'+');
        }
    }
    for way in [trusted::naive, trusted::bitshift, trusted::unrolled, trusted::swar, trusted::parse_u64] {
        let number = way(&alone);
        if let (Ok(expected), 1..=20) = (whole, text.len()) {
            assert!(number == expected || text[0] == b'+');
        }
    }
});
