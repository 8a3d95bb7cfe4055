#![doc = include_str!("../README.md")]

mod array_items;
mod block;
mod duplicate;
mod error;
mod lines;
mod number;
mod parser;
mod reader;
mod writer;

pub use array_items::{ArrayItems, array_items};
pub use error::Error;
pub use lines::{Lines, lines};
pub use parser::{Duplicates, Options, Parser, parse};
pub use writer::{to_string, write};

/// Longest single value that the streams hold in memory, unless told otherwise.
pub const VALUE_BYTES_MAX: usize = 512 << 20;

/// What text is examined with, sixteen bytes at a time: `SSE2` where every processor has it, else `64-bit words`.
/// The choice is made when the crate is compiled.
pub const IMPLEMENTATION: &str = block::IMPLEMENTATION;
