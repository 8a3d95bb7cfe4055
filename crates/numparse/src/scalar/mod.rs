//! Without vectors. This is the twin that every folder of vector code is compared with.

mod bitshift;
mod block;
mod naive;
mod short;
mod swar;
mod unrolled;

pub use bitshift::bitshift;
pub use naive::naive;
pub use swar::swar;
pub use unrolled::unrolled;

pub(crate) use short::{SHORT, short, short_checked};
pub(crate) use swar::{checked, prefix, swar as trusted};

/// What the vector code shares with this one. Built natively, it isn't all needed.
#[allow(unused_imports)]
pub(crate) use {
    block::{EIGHT, SIXTEEN, first_eight, first_four, last_eight, last_four, not_digits, shift, values},
    swar::{leading_digits, top_four},
};

/// The number that a digit stands for; some number for any other byte.
#[inline(always)]
const fn value(digit: u8) -> u64 {
    digit.wrapping_sub(b'0') as u64
}
