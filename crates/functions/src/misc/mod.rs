//! Control flow, dynamic calls, the database, hashes.

mod control;
mod database;
mod dynamic;
mod hash;
mod search;

pub(crate) use control::*;
pub(crate) use database::*;
pub(crate) use dynamic::*;
pub(crate) use hash::*;
pub(crate) use search::*;
