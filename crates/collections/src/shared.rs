//! What every database of one server shares: the store, the clock, the numbers and the naming rules.

use persea_kv::Tree;
use persea_txn::{Durability, TransactionManager};

use crate::error::Result;
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
}

impl Shared {
    pub(crate) fn open(manager: TransactionManager, naming: NamingRules) -> Result<Self> {
        let ticks = Ticks::open(&manager)?;
        let stored = manager.snapshot()?.get(Tree::Meta, META_SERVER, SERVER_ID_KEY)?.and_then(read_u64);
        let server_id = match stored {
            Some(id) => id,
            None => {
                let id = rand::random::<u64>();
                let mut transaction = manager.begin()?;
                transaction.put(Tree::Meta, META_SERVER, SERVER_ID_KEY, &id.to_be_bytes())?;
                transaction.commit(Durability::Buffered)?;
                id
            }
        };
        Ok(Self { manager, clock: HybridClock::default(), ticks, naming, server_id })
    }
}
