//! What a transaction may touch, and its limits.

use std::borrow::Cow;
use std::time::Duration;

use persea_collections::{Interrupt, LockTimeouts};

use crate::database::Database;

/// What a transaction may do with collections that it did not declare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum UndeclaredCollections {
    /// Nothing.
    Refuse,
    /// Read them.
    Read,
    /// Read and write them.
    #[default]
    Write,
}

/// How a transaction runs. The defaults let it touch every collection and write any amount.
#[derive(Clone, Debug, Default)]
pub struct TransactionOptions {
    /// Names or numbers of collections to read.
    pub read: Vec<String>,
    /// Names or numbers of collections to read and write.
    pub write: Vec<String>,
    /// Names or numbers of collections to read and write while nobody else writes them.
    pub exclusive: Vec<String>,
    /// What may be done with other collections.
    pub undeclared: UndeclaredCollections,
    /// Whether the commit waits until everything is on disk.
    pub wait_for_sync: bool,
    /// The longest wait for a collection that another transaction holds exclusively, or that this one wants for itself;
    /// longer is number 18. `None` is no limit.
    pub lock_timeout: Option<Duration>,
    /// The most bytes of keys and values, those of indexes included, that it may write; `None` is no limit.
    pub write_bytes_max: Option<u64>,
    /// Ends the wait for what is declared, with number 21; that of the database handle unless it is given.
    pub interrupt: Option<Interrupt>,
}

impl TransactionOptions {
    /// The same for a transaction of this handle.
    pub(super) fn of(&self, database: &Database) -> Cow<'_, TransactionOptions> {
        match (&self.interrupt, database.interrupt()) {
            (None, Some(interrupt)) => {
                Cow::Owned(TransactionOptions { interrupt: Some(interrupt.clone()), ..self.clone() })
            }
            _ => Cow::Borrowed(self),
        }
    }
}

/// The store's timeouts for a limit that may be none. Documents are waited for as long as the store does by itself.
pub(crate) fn lock_timeouts(collection: Option<Duration>) -> LockTimeouts {
    LockTimeouts { collection: collection.unwrap_or(Duration::MAX), ..LockTimeouts::default() }
}
