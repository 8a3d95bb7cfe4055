//! Object functions.

mod attributes;
mod identifier;
mod keep;
mod matches;
mod merge;

pub(crate) use attributes::*;
pub(crate) use identifier::*;
pub(crate) use keep::*;
pub(crate) use matches::*;
pub(crate) use merge::*;
