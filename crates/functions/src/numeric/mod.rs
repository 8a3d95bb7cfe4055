//! Numeric functions.

mod bits;
mod decay;
mod range;
mod scalar;
mod statistics;
mod vectors;

pub(crate) use bits::bit_operand;

use persea_order::{Value, View, to_f64};

use crate::Function;

/// The functions of the family, as the files beside this one register them.
pub(crate) const FUNCTIONS: &[&[Function]] = &[
    bits::FUNCTIONS,
    decay::FUNCTIONS,
    range::FUNCTIONS,
    scalar::FUNCTIONS,
    statistics::FUNCTIONS,
    vectors::FUNCTIONS,
];

/// The argument cast to a number.
pub(crate) fn number(value: Value<'_>) -> f64 {
    match value.view() {
        View::Double(number) => number,
        View::Int(number) => number as f64,
        _ => to_f64(value),
    }
}

/// The argument cast to a number and cut to an integer; the ends of the range where it is beyond them.
pub(crate) fn integer(value: Value<'_>) -> i64 {
    match value.view() {
        View::Int(number) => number,
        // The cast saturates, which is what is wanted here.
        _ => number(value) as i64,
    }
}

/// The number in a value that is one.
pub(crate) fn strict_number(value: Value<'_>) -> Option<f64> {
    match value.view() {
        View::Double(number) => Some(number),
        View::Int(number) => Some(number as f64),
        View::UInt(number) => Some(number as f64),
        _ => None,
    }
}
