//! The write side: transactions, and one file for each kind of document write.

mod document;
mod index_entries;
mod insert;
mod merge;
mod options;
mod precondition;
mod remove;
mod replace;
mod scratch;
mod selector;
mod transaction;
mod update;

pub(crate) use document::stored_revision;
pub(crate) use index_entries::{EntryMaker, violation};
pub use options::{OverwriteMode, WriteOptions, WriteOutcome};
pub(crate) use scratch::EntryList;
pub use selector::Selector;
pub use transaction::{Savepoint, Transaction};
