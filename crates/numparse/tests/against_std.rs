//! The conversions accept and produce exactly what the standard library does.

mod common;

use common::{check_all, check_trusted, trusted_ways, ways};
use persea_numparse::{
    I64_TEXT_MAX, U64_TEXT_MAX, format_i64, format_u64, parse_i32, parse_i64, parse_prefix_i64, parse_u32,
    parse_u64,
};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

fn agree(text: &str) {
    let bytes = text.as_bytes();
    assert_eq!(parse_u64(bytes).ok(), text.parse().ok(), "u64 {text:?}");
    assert_eq!(parse_i64(bytes).ok(), text.parse().ok(), "i64 {text:?}");
    assert_eq!(parse_u32(bytes).ok(), text.parse().ok(), "u32 {text:?}");
    assert_eq!(parse_i32(bytes).ok(), text.parse().ok(), "i32 {text:?}");
    check_all(&ways(), bytes);
}

#[test]
fn formatting_all_numbers_of_up_to_five_digits() {
    for number in 0..100_000u32 {
        assert_eq!(format_u64(number.into(), &mut [0; U64_TEXT_MAX]), number.to_string());
        assert_eq!(format_i64(-i64::from(number), &mut [0; I64_TEXT_MAX]), (-i64::from(number)).to_string());
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
        check_trusted(&trusted_ways(), number.to_string().as_bytes(), number);
    }

    #[test]
    fn numbers_of_all_lengths(number: u64, shift in 0u32..64) {
        let number = number >> shift;
        let text = number.to_string();
        agree(&text);
        check_trusted(&trusted_ways(), text.as_bytes(), number);
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
    fn prefix_stops_at_the_first_other_byte(number: i64, rest in "[^0-9].{0,30}") {
        let digits = number.to_string();
        let text = format!("{digits}{rest}");
        prop_assert_eq!(parse_prefix_i64(text.as_bytes()), Ok((number, digits.len())));
        check_all(&ways(), text.as_bytes());
    }
}
