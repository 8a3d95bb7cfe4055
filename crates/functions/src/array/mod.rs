//! Array functions. Ranges count as arrays everywhere.

mod access;
mod distinct;
mod modify;
mod reshape;
mod sets;
mod sort;

use crate::Function;

/// The functions of the family, as the files beside this one register them.
pub(crate) const FUNCTIONS: &[&[Function]] =
    &[access::FUNCTIONS, modify::FUNCTIONS, reshape::FUNCTIONS, sets::FUNCTIONS];
