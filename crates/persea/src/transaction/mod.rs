//! Transactions: by closure, tried again when they lose; or as objects that live as long as their owner likes.

mod bound;
mod closure;
mod declared;
mod options;
mod owned;

use persea_vpack::to_vpack;
use serde::Serialize;

use crate::error::{Error, Result};

pub(crate) use bound::Bound;
pub use closure::Transaction;
pub(crate) use closure::{run, run_with};
pub(crate) use declared::AccessMode;
pub(crate) use options::lock_timeouts;
pub use options::{TransactionOptions, UndeclaredCollections};
pub use owned::OwnedTransaction;

pub(crate) fn vpack_of<T: Serialize>(value: &T) -> Result<persea_vpack::VPackBuf> {
    to_vpack(value).map_err(|error| Error::Convert(error.to_string()))
}
