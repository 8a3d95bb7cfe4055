//! Control flow, dynamic calls, the database, hashes.

mod control;
mod database;
mod dynamic;
mod hash;
mod search;

use crate::Function;

/// The functions of the family, as the files beside this one register them.
pub(crate) const FUNCTIONS: &[&[Function]] =
    &[control::FUNCTIONS, database::FUNCTIONS, dynamic::FUNCTIONS, hash::FUNCTIONS, search::FUNCTIONS];
