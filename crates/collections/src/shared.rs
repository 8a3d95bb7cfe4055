//! What every database of one server shares: the store, the clock, the numbers and the naming rules.

use persea_kv::Tree;
use persea_txn::{Durability, TransactionManager};

use crate::error::{Error, Result};
use crate::keyspaces::{META_SERVER, read_u64};
use crate::names::NamingRules;
use crate::revision::HybridClock;
use crate::ticks::Ticks;

const SERVER_ID_KEY: &[u8] = b"server";

/// State shared by all databases of a server.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) manager: TransactionManager,
    pub(crate) clock: HybridClock,
    pub(crate) ticks: Ticks,
    pub(crate) naming: NamingRules,
    /// Random number made with the store; part of identifiers that are unique across servers.
    pub(crate) server_id: u64,
    /// Whether another process may be writing, and nobody here.
    pub(crate) is_read_only: bool,
}

impl Shared {
    pub(crate) fn open(manager: TransactionManager, naming: NamingRules) -> Result<Self> {
        let ticks = Ticks::open(&manager)?;
        let stored = manager.snapshot()?.get(Tree::Meta, META_SERVER, SERVER_ID_KEY)?.and_then(read_u64);
        let is_read_only = manager.is_read_only();
        let server_id = match stored {
            Some(id) => id,
            None if is_read_only => 0,
            None => {
                let id = rand::random::<u64>();
                let mut transaction = manager.begin()?;
                transaction.put(Tree::Meta, META_SERVER, SERVER_ID_KEY, &id.to_be_bytes())?;
                transaction.commit(Durability::Buffered)?;
                id
            }
        };
        Ok(Self { manager, clock: HybridClock::default(), ticks, naming, server_id, is_read_only })
    }

    /// # Errors
    /// [`Error::ReadOnly`] when the store was opened for reading only.
    pub(crate) fn check_writable(&self) -> Result<()> {
        if self.is_read_only {
            return Err(Error::ReadOnly("the database was opened for reading only".to_owned()));
        }
        Ok(())
    }
}
