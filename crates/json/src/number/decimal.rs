//! A decimal mantissa and exponent to the nearest double.
//!
//! Small numbers are exact in one multiplication or division of doubles (Clinger 1990). The others are multiplied
//! by a 128-bit power of five, whose highest bits decide the rounding in all but a few cases (Lemire 2021, "Number
//! parsing at a gigabyte per second"); those few are left to the standard library.

use super::powers::{POWER_MAX, POWER_MIN, POWERS};

/// Powers of ten that are doubles.
const EXACT: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];
/// Up to here integers are doubles.
const MANTISSA_EXACT_MAX: u64 = 1 << 53;
/// Stored bits of a double's mantissa.
const MANTISSA_BITS: u32 = 52;
const EXPONENT_INFINITE: i32 = 0x7ff;
const EXPONENT_BIAS: i32 = 1023;

/// The double nearest to `mantissa` times ten to the `exponent`, possibly infinite; `None` when that needs more
/// digits to be decided.
#[inline]
pub(super) fn nearest(mantissa: u64, exponent: i32) -> Option<f64> {
    if mantissa <= MANTISSA_EXACT_MAX {
        if exponent <= 0
            && let Some(power) = EXACT.get(exponent.unsigned_abs() as usize)
        {
            return Some(mantissa as f64 / power);
        }
        if exponent > 0
            && let Some(power) = EXACT.get(exponent as usize)
        {
            return Some(mantissa as f64 * power);
        }
    }
    by_product(mantissa, exponent)
}

#[inline]
fn by_product(mantissa: u64, exponent: i32) -> Option<f64> {
    if mantissa == 0 || exponent < POWER_MIN {
        return Some(0.0);
    }
    if exponent > POWER_MAX {
        return Some(f64::INFINITY);
    }
    let power = *POWERS.get((exponent - POWER_MIN) as usize)?;
    let unused_bits = mantissa.leading_zeros();
    let (high, low) = product(mantissa << unused_bits, power);
    if low == u64::MAX && !(-27..=55).contains(&exponent) {
        // The power is cut off, and a carry from what is missing could reach the highest bits.
        return None;
    }
    // The product of two numbers with their top bit set has its own top bit set or the next one.
    let top = (high >> 63) as u32;
    let shift = top + 64 - MANTISSA_BITS - 3;
    let mut rounded = high >> shift;
    // 217706 / 2^16 is the binary logarithm of ten.
    let mut biased = ((exponent * 217_706) >> 16) + 63 + top as i32 - unused_bits as i32 + EXPONENT_BIAS;
    if biased <= 0 {
        return Some(subnormal(rounded, 1 - biased));
    }
    // Half way between two doubles, which only products without a cut-off can be.
    if low <= 1 && (-4..=23).contains(&exponent) && rounded & 3 == 1 && rounded << shift == high {
        rounded &= !1;
    }
    rounded += rounded & 1;
    rounded >>= 1;
    if rounded >= 2 << MANTISSA_BITS {
        rounded = 1 << MANTISSA_BITS;
        biased += 1;
    }
    if biased >= EXPONENT_INFINITE {
        return Some(f64::INFINITY);
    }
    Some(f64::from_bits(rounded & !(1 << MANTISSA_BITS) | (biased as u64) << MANTISSA_BITS))
}

/// The highest 128 bits of a product, precise enough to round to 53 bits.
#[inline]
fn product(mantissa: u64, power: u128) -> (u64, u64) {
    let wide = u128::from(mantissa) * (power >> 64);
    let (high, low) = ((wide >> 64) as u64, wide as u64);
    // All ones below the bits that count: what the lower half of the power adds may carry into them.
    if high & (u64::MAX >> (MANTISSA_BITS + 3)) != u64::MAX >> (MANTISSA_BITS + 3) {
        return (high, low);
    }
    let more = (u128::from(mantissa) * (power & u128::from(u64::MAX))) >> 64;
    let wide = wide + more;
    ((wide >> 64) as u64, wide as u64)
}

#[cold]
fn subnormal(mantissa: u64, shift: i32) -> f64 {
    if shift >= 64 {
        return 0.0;
    }
    let mut rounded = mantissa >> shift;
    rounded += rounded & 1;
    // The carry into the exponent, should there be one, makes the smallest normal double.
    f64::from_bits(rounded >> 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(mantissa: u64, exponent: i32) {
        let expected: f64 = format!("{mantissa}e{exponent}").parse().unwrap();
        if let Some(found) = nearest(mantissa, exponent) {
            assert_eq!(found.to_bits(), expected.to_bits(), "{mantissa}e{exponent}");
        }
        if let Some(found) = by_product(mantissa, exponent) {
            assert_eq!(found.to_bits(), expected.to_bits(), "{mantissa}e{exponent}");
        }
    }

    #[test]
    fn edges() {
        for mantissa in
            [0, 1, 2, 5, 9, 1 << 53, (1 << 53) + 1, 9_999_999_999_999_999_999, u64::MAX, 22250738585072011]
        {
            (-400..400).for_each(|exponent| check(mantissa, exponent));
        }
        // Half way between two doubles, both roundings; next to the smallest normal and the largest double.
        check(9_007_199_254_740_993, 0);
        check(9_007_199_254_740_995, 0);
        check(90_071_992_547_409_930, -1);
        check(2_225_073_858_507_201_136, -326);
        check(2_225_073_858_507_201_383, -326);
        check(17_976_931_348_623_157, 292);
        check(17_976_931_348_623_159, 292);
        check(24_703_282_292_062_327, -340);
        check(49_406_564_584_124_654, -340);
    }

    proptest! {
        #[test]
        fn equals_the_standard_library(mantissa: u64, digits in 1u32..20, exponent in -345i32..310, near in -25i32..25) {
            check(mantissa, exponent);
            check(mantissa, near);
            check(mantissa % 10u64.pow(digits), near);
            check(mantissa % 10u64.pow(digits), exponent);
        }

        #[test]
        fn shortest_texts_come_back(bits: u64) {
            let double = f64::from_bits(bits & !(1 << 63));
            if double.is_finite() {
                let text = format!("{double:e}");
                let (mantissa, exponent) = text.split_once('e').unwrap();
                let n_decimals = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len() as i32);
                let mantissa: u64 = mantissa.replace('.', "").parse().unwrap();
                let found = nearest(mantissa, exponent.parse::<i32>().unwrap() - n_decimals);
                prop_assert!(found.is_none_or(|found| found == double), "{}", text);
            }
        }
    }
}
