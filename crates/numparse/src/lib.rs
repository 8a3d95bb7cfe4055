#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(test)]
extern crate std;

mod checked;
mod dispatch;
mod error;
mod format;
mod instruction_set;
mod slow;
pub mod trusted;

// One folder for each instruction set, all with the same three functions: `trusted`, `checked` and `prefix`.
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
mod neon;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sse41;

pub use checked::{
    parse_i32, parse_i64, parse_prefix_i32, parse_prefix_i64, parse_prefix_u32, parse_prefix_u64, parse_u32,
    parse_u64,
};
pub use dispatch::{Implementation, implementations};
pub use error::ParseError;
pub use format::{I64_TEXT_MAX, U64_TEXT_MAX, format_i64, format_u64};
pub use instruction_set::InstructionSet;
