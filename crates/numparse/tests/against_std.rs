//! The checked conversions accept and produce exactly what the standard library does.

use persea_numparse::{
    I64_TEXT_MAX, U64_TEXT_MAX, format_i64, format_u64, parse_i32, parse_i64, parse_prefix_i64, parse_u32,
    parse_u64, trusted,
};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

fn agree(text: &str) {
    let bytes = text.as_bytes();
    assert_eq!(parse_u64(bytes).ok(), text.parse().ok(), "u64 {text:?}");
    assert_eq!(parse_i64(bytes).ok(), text.parse().ok(), "i64 {text:?}");
    assert_eq!(parse_u32(bytes).ok(), text.parse().ok(), "u32 {text:?}");
    assert_eq!(parse_i32(bytes).ok(), text.parse().ok(), "i32 {text:?}");
}

#[test]
fn one_to_four_digits_exhaustively() {
    for width in 1..=4usize {
        for number in 0..10u64.pow(width as u32) {
            agree(&format!("{number:0width$}"));
            agree(&format!("-{number:0width$}"));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 256,
        failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
        ..ProptestConfig::default()
    })]

    #[test]
    fn numbers(number: u64, zeros in 0usize..12) {
        agree(&number.to_string());
        agree(&(number as i64).to_string());
        agree(&(number as i32).to_string());
        agree(&format!("{}{number}", "0".repeat(zeros)));
        prop_assert_eq!(trusted::parse_u64(number.to_string().as_bytes()), number);
    }

    #[test]
    fn short_numbers(number: u64, shift in 0u32..64) {
        let number = number >> shift;
        let text = number.to_string();
        for way in [trusted::naive, trusted::bitshift, trusted::unrolled, trusted::swar, trusted::parse_u64] {
            prop_assert_eq!(way(text.as_bytes()), number);
        }
        prop_assert_eq!(format_u64(number, &mut [0; U64_TEXT_MAX]).to_owned(), text);
        let negative = (number as i64).wrapping_neg();
        prop_assert_eq!(format_i64(negative, &mut [0; I64_TEXT_MAX]).to_owned(), negative.to_string());
    }

    #[test]
    fn text_near_numbers(text in "[+-]?[0-9]{0,22}[0-9:/ax]?") {
        agree(&text);
    }

    #[test]
    fn any_text(text in ".{0,12}") {
        agree(&text);
    }

    #[test]
    fn prefix_stops_at_the_first_other_byte(number: i64, rest in "[^0-9].{0,5}") {
        let digits = number.to_string();
        let text = format!("{digits}{rest}");
        prop_assert_eq!(parse_prefix_i64(text.as_bytes()), Ok((number, digits.len())));
    }
}
