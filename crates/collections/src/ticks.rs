//! The server-wide number that names databases, collections, indexes, keyspaces and traditional keys.
//!
//! Numbers are reserved in blocks: the end of the block is stored before any number of it is given, so a restart
//! after a crash skips a few numbers and never repeats one.

use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;
use persea_kv::Tree;
use persea_txn::{Durability, TransactionManager};

use crate::error::{Error, Result};
use crate::keyspaces::{META_SERVER, read_u64};

/// One commit a block: at a hundred thousand generated keys a second, six commits.
const BLOCK: u64 = 1 << 14;
/// Numbers below are kept for fixed keyspaces.
const FIRST: u64 = 1 << 7;
const MARK_KEY: &[u8] = b"tick";

#[derive(Debug)]
pub(crate) struct Ticks {
    next: AtomicU64,
    reserved: AtomicU64,
    reservation: Mutex<Option<TransactionManager>>,
}

impl Ticks {
    /// Continues after every number reserved in the store.
    pub(crate) fn open(manager: &TransactionManager) -> Result<Self> {
        let snapshot = manager.snapshot()?;
        let mark = snapshot.get(Tree::Meta, META_SERVER, MARK_KEY)?.and_then(read_u64).unwrap_or(FIRST);
        Ok(Self {
            next: AtomicU64::new(mark),
            reserved: AtomicU64::new(mark),
            reservation: Mutex::new(Some(manager.clone())),
        })
    }

    /// The next number.
    pub(crate) fn next(&self) -> Result<u64> {
        let tick = self.next.fetch_add(1, Ordering::Relaxed);
        if tick >= self.reserved.load(Ordering::Acquire) {
            self.reserve_beyond(tick)?;
        }
        Ok(tick)
    }

    /// Makes every later number larger than `tick`, which came from a restored object.
    pub(crate) fn observe(&self, tick: u64) {
        if tick < u64::MAX >> 1 {
            self.next.fetch_max(tick + 1, Ordering::Relaxed);
        }
    }

    fn reserve_beyond(&self, tick: u64) -> Result<()> {
        let manager = self.reservation.lock();
        if tick < self.reserved.load(Ordering::Acquire) {
            return Ok(());
        }
        let mark = tick.checked_add(BLOCK).ok_or(Error::OutOfKeys)?;
        if let Some(manager) = manager.as_ref() {
            let mut transaction = manager.begin()?;
            transaction.put(Tree::Meta, META_SERVER, MARK_KEY, &mark.to_be_bytes())?;
            transaction.commit(Durability::Buffered)?;
        }
        self.reserved.store(mark, Ordering::Release);
        Ok(())
    }

    #[cfg(test)]
    pub(crate) fn for_tests(first: u64) -> Self {
        Self { next: AtomicU64::new(first), reserved: AtomicU64::new(first), reservation: Mutex::new(None) }
    }
}
