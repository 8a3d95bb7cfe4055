//! Array functions. Ranges count as arrays everywhere.

mod access;
mod distinct;
mod modify;
mod reshape;
mod sets;
mod sort;

pub(crate) use access::*;
pub(crate) use modify::*;
pub(crate) use reshape::*;
pub(crate) use sets::*;
