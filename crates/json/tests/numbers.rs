//! Numbers in text out: the forms that clients of the database expect.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use persea_json::{parse, to_string};
use persea_vpack::{Builder, Slice};

#[track_caller]
fn check(double: f64, expected: &str) {
    let mut builder = Builder::new();
    builder.add_f64(double);
    assert_eq!(to_string(builder.finish().unwrap().as_slice()), expected);
}

#[test]
fn integral_doubles_have_no_fraction_up_to_two_to_the_53rd() {
    check(0.0, "0");
    check(-0.0, "-0");
    check(1.0, "1");
    check(-1815.0, "-1815");
    check(1e15, "1000000000000000");
    check(9_007_199_254_740_991.0, "9007199254740991");
    check(9_007_199_254_740_992.0, "9007199254740992");
    check(-9_007_199_254_740_992.0, "-9007199254740992");
}

#[test]
fn integral_doubles_beyond_end_in_a_zero_fraction_up_to_two_to_the_64th() {
    check(9_007_199_254_740_994.0, "9007199254740994.0");
    check(-9_007_199_254_740_994.0, "-9007199254740994.0");
    check(9_223_372_036_854_775_808.0, "9223372036854775808.0");
    check(18_446_744_073_709_549_568.0, "18446744073709549568.0");
    check(18_446_744_073_709_551_616.0, "18446744073709552000");
}

#[test]
fn exponents_have_a_sign() {
    check(1e20, "1e+20");
    check(1e21, "1e+21");
    check(-1.5e300, "-1.5e+300");
    check(1e-6, "0.000001");
    check(1e-7, "1e-7");
    check(-2.5e-9, "-2.5e-9");
    check(5e-324, "5e-324");
    check(f64::MAX, "1.7976931348623157e+308");
    check(f64::MIN_POSITIVE, "2.2250738585072014e-308");
}

#[test]
fn fractions_are_the_shortest_that_read_back() {
    check(0.1, "0.1");
    check(0.1 + 0.2, "0.30000000000000004");
    check(1.5, "1.5");
    check(-65.613_616_999_999_98, "-65.61361699999998");
    check(9_999.5, "9999.5");
    check(10_000.5, "10000.5");
    check(123_456.789, "123456.789");
    check(1.0 / 3.0, "0.3333333333333333");
}

#[test]
fn what_is_not_finite_is_null() {
    check(f64::NAN, "null");
    check(f64::INFINITY, "null");
    check(f64::NEG_INFINITY, "null");
    // As bytes from elsewhere that were not validated.
    for double in [f64::NAN, f64::INFINITY] {
        let bytes = [&[0x1b][..], &double.to_le_bytes()].concat();
        assert_eq!(to_string(Slice::trusted(&bytes)), "null");
    }
}

#[test]
fn integers_keep_every_digit() {
    for text in [
        "0",
        "-1",
        "-6",
        "-7",
        "9",
        "10",
        "255",
        "256",
        "99999999",
        "100000000",
        "9999999999999999",
        "10000000000000000",
        "-9223372036854775808",
        "9223372036854775807",
        "18446744073709551615",
    ] {
        assert_eq!(to_string(parse(text.as_bytes()).unwrap().as_slice()), text);
        let array = format!("[{text},{text}]");
        assert_eq!(to_string(parse(array.as_bytes()).unwrap().as_slice()), array);
    }
}
