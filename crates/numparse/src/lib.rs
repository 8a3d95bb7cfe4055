#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(test)]
extern crate std;

mod checked;
mod error;
mod format;
mod swar;
pub mod trusted;

pub use checked::{
    parse_i32, parse_i64, parse_prefix_i32, parse_prefix_i64, parse_prefix_u32, parse_prefix_u64, parse_u32,
    parse_u64,
};
pub use error::Error;
pub use format::{I64_TEXT_MAX, U64_TEXT_MAX, format_i64, format_u64};
