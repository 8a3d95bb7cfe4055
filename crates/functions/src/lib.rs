#![doc = include_str!("../README.md")]

mod aggregate;
mod array;
mod builder;
mod context;
mod date;
mod documents;
mod environment;
mod error;
mod function;
mod geo;
mod misc;
mod numeric;
mod object;
mod pattern;
mod string;
mod table;
mod type_cast;
mod type_check;
pub mod warnings;
mod watch;

#[cfg(test)]
mod testing;

pub use aggregate::{AggregateKind, AggregateState, aggregate};
pub use builder::ArenaBuilder;
pub use context::Context;
pub use documents::{CollectionEntry, DocumentAccess, NoDocuments};
pub use environment::{COMPATIBLE_VERSION, Environment};
pub use error::Error;
pub use function::{Function, Scalar};
pub use pattern::{like, regex_test};
pub use table::{all, lookup};
pub use warnings::{Warning, Warnings};
