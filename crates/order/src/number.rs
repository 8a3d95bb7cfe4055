//! One exact order over `i64`, `u64` and `f64`, and its memcomparable form.
//!
//! No number is ever rounded to compare it: 9007199254740993 and 9007199254740992.0 differ. The encoded form
//! splits a number into the greatest double not above it (8 bytes, order-preserving) and, from 2^53 in magnitude
//! on, the whole rest between that double and the number (2 bytes; the gap between neighbouring doubles is at
//! most 2048 below 2^64). Equal numbers of different types therefore have equal bytes.

use std::cmp::Ordering;

use crate::repr::Value;

/// Magnitude from which neighbouring doubles lie more than 1 apart.
const EXACT_LIMIT: f64 = 9_007_199_254_740_992.0;
/// 2^63, the first double above every `i64`.
const I64_LIMIT: f64 = 9_223_372_036_854_775_808.0;
/// 2^64, the first double above every `u64`.
const U64_LIMIT: f64 = 18_446_744_073_709_551_616.0;

/// A number of any of the three types; doubles are finite.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Int(i64),
    /// Above `i64::MAX`.
    UInt(u64),
    Double(f64),
}

/// `value` as an `i64`, if it has no fraction and lies in range.
pub(crate) fn integral_i64(value: f64) -> Option<i64> {
    (value.trunc() == value && (-I64_LIMIT..I64_LIMIT).contains(&value)).then_some(value as i64)
}

/// `value` as a `u64` above `i64::MAX`, if it is a whole number of that range.
pub(crate) fn integral_u64(value: f64) -> Option<u64> {
    (value.trunc() == value && (I64_LIMIT..U64_LIMIT).contains(&value)).then_some(value as u64)
}

/// Compares by value.
#[inline]
pub(crate) fn compare(left: Number, right: Number) -> Ordering {
    match (left, right) {
        (Number::Int(left), Number::Int(right)) => left.cmp(&right),
        (Number::UInt(left), Number::UInt(right)) => left.cmp(&right),
        (Number::Double(left), Number::Double(right)) => compare_doubles(left, right),
        (Number::Int(_), Number::UInt(_)) => Ordering::Less,
        (Number::UInt(_), Number::Int(_)) => Ordering::Greater,
        (Number::Int(left), Number::Double(right)) => compare_i64_f64(left, right),
        (Number::Double(left), Number::Int(right)) => compare_i64_f64(right, left).reverse(),
        (Number::UInt(left), Number::Double(right)) => compare_u64_f64(left, right),
        (Number::Double(left), Number::UInt(right)) => compare_u64_f64(right, left).reverse(),
    }
}

fn compare_doubles(left: f64, right: f64) -> Ordering {
    // Values hold no NaN, so the order is always there.
    left.partial_cmp(&right).unwrap_or(Ordering::Equal)
}

fn compare_i64_f64(left: i64, right: f64) -> Ordering {
    if right >= I64_LIMIT {
        return Ordering::Less;
    }
    if right < -I64_LIMIT {
        return Ordering::Greater;
    }
    left.cmp(&(right as i64)).then_with(|| compare_doubles(0.0, right.fract()))
}

fn compare_u64_f64(left: u64, right: f64) -> Ordering {
    if right >= U64_LIMIT {
        return Ordering::Less;
    }
    if right < I64_LIMIT {
        return Ordering::Greater;
    }
    left.cmp(&(right as u64))
}

/// Appends the order-preserving form: 8 bytes, or 10 from 2^53 in magnitude on.
pub(crate) fn encode(number: Number, out: &mut Vec<u8>) {
    let (floor, rest) = match number {
        Number::Double(value) => (value, 0),
        Number::Int(value) => floor_and_rest(i128::from(value)),
        Number::UInt(value) => floor_and_rest(i128::from(value)),
    };
    // Adding 0.0 turns -0.0 into 0.0, which is equal and must have the same bytes.
    let bits = (floor + 0.0).to_bits();
    let sign = 1 << 63;
    let ordered = if bits & sign == 0 { bits | sign } else { !bits };
    out.extend_from_slice(&ordered.to_be_bytes());
    if floor.abs() >= EXACT_LIMIT {
        out.extend_from_slice(&rest.to_be_bytes());
    }
}

/// Reads what [`encode`] wrote: the number, unless its key does not tell integer from double, and the bytes behind.
pub(crate) fn decode(body: &[u8]) -> Option<(Option<Value<'static>>, &[u8])> {
    let (ordered, rest) = body.split_first_chunk::<8>()?;
    let ordered = u64::from_be_bytes(*ordered);
    let sign = 1 << 63;
    let floor = f64::from_bits(if ordered & sign == 0 { !ordered } else { ordered & !sign });
    if floor.abs() >= EXACT_LIMIT {
        let (fraction, rest) = rest.split_first_chunk::<2>()?;
        // Beyond the range of integers only a double is possible.
        let value = (*fraction == [0, 0] && !(-I64_LIMIT..U64_LIMIT).contains(&floor))
            .then(|| Value::from_f64(floor));
        return Some((value, rest));
    }
    let value = integral_i64(floor).map_or(Value::from_f64(floor), Value::from_i64);
    Some((Some(value), rest))
}

/// The greatest double not above `value`, and what is missing to `value`.
fn floor_and_rest(value: i128) -> (f64, u16) {
    let nearest = value as f64;
    let floor = if nearest as i128 > value { nearest.next_down() } else { nearest };
    (floor, (value - floor as i128) as u16)
}
