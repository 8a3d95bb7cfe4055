//! Conversions of text that is known to consist of 1 to 20 digits and to fit.
//!
//! None of them looks for other bytes or for overflow: such text gives some number, never undefined behaviour or a
//! panic. [`parse_u64`] picks the fastest by length and CPU; the others stand beside it to be compared.

use crate::dispatch::{self, is_short};
use crate::scalar::short;

pub use crate::scalar::{bitshift, naive, swar, unrolled};

/// The widest vectors that the CPU has: AVX-512, AVX2, SSE4.1 or NEON; [`swar`] on a CPU without any.
#[inline]
pub fn simd(digits: &[u8]) -> u64 {
    dispatch::trusted(digits)
}

/// The fastest way for the given length on this CPU.
#[inline]
pub fn parse_u64(digits: &[u8]) -> u64 {
    if is_short(digits) { short(digits) } else { dispatch::trusted(digits) }
}
