//! Object functions.

mod attributes;
mod identifier;
mod keep;
mod matches;
mod merge;

use crate::Function;

/// The functions of the family, as the files beside this one register them.
pub(crate) const FUNCTIONS: &[&[Function]] =
    &[attributes::FUNCTIONS, identifier::FUNCTIONS, keep::FUNCTIONS, matches::FUNCTIONS, merge::FUNCTIONS];
