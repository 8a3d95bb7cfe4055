#![doc = include_str!("../README.md")]

mod aggregate;
mod builder;
mod context;
mod documents;
mod error;
mod function;
mod numeric;
mod pattern;
mod table;
pub mod warnings;

#[cfg(test)]
mod testing;

pub use aggregate::{AggregateKind, AggregateState, aggregate};
pub use builder::ArenaBuilder;
pub use context::{COMPATIBLE_VERSION, Context, Environment};
pub use documents::{CollectionEntry, DocumentAccess, NoDocuments};
pub use error::Error;
pub use function::{Callable, Function, Scalar};
pub use pattern::{like, regex_test};
pub use table::{all, lookup};
pub use warnings::{Warning, Warnings};
