//! What a crash would leave half made: each thing is noted before it is begun, so that the next start clears it.

use persea_kv::{Direction, Tree};
use persea_txn::{Durability, TransactionManager};

use crate::counts;
use crate::error::{Error, Result};
use crate::keyspaces::{META_ESTIMATES, META_UNFINISHED, read_u64};
use crate::read::EVERYTHING;

/// Something that is being made and is not part of any collection yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unfinished {
    /// Entries of an index, in this keyspace.
    Index(u64),
    /// Documents, in this keyspace.
    Documents(u64),
    /// The count of documents that go under this number instead of a collection's.
    Count(u64),
}

impl Unfinished {
    fn number(self) -> u64 {
        match self {
            Self::Index(number) | Self::Documents(number) | Self::Count(number) => number,
        }
    }

    /// What the note says of the number, which is its key.
    fn value(self) -> &'static [u8] {
        match self {
            Self::Index(_) => &[],
            Self::Documents(_) => &[1],
            Self::Count(_) => &[2],
        }
    }

    fn from_note(key: &[u8], value: &[u8]) -> Option<Self> {
        let number = read_u64(key)?;
        match value {
            [] => Some(Self::Index(number)),
            [1] => Some(Self::Documents(number)),
            [2] => Some(Self::Count(number)),
            _ => None,
        }
    }
}

/// Notes what is about to be made.
pub(crate) fn note(manager: &TransactionManager, all: &[Unfinished]) -> Result<()> {
    let mut transaction = manager.begin()?;
    for unfinished in all {
        let key = unfinished.number().to_be_bytes();
        transaction.put(Tree::Meta, META_UNFINISHED, &key, unfinished.value())?;
    }
    transaction.commit(Durability::Buffered)?;
    Ok(())
}

/// Takes the notes back, in the commit that makes what was noted part of a collection, or clears it.
pub(crate) fn finish(transaction: &mut persea_txn::Transaction, all: &[Unfinished]) -> Result<()> {
    for unfinished in all {
        transaction.delete(Tree::Meta, META_UNFINISHED, &unfinished.number().to_be_bytes())?;
    }
    Ok(())
}

/// Has everything cleared that was noted and is not to be finished any more.
pub(crate) fn give_up(manager: &TransactionManager, all: &[Unfinished]) -> Result<()> {
    let mut transaction = manager.begin()?;
    let view = transaction.view()?;
    for unfinished in all {
        match *unfinished {
            Unfinished::Index(keyspace) => {
                transaction.clear_keyspace(Tree::Index, keyspace)?;
                transaction.delete(Tree::Meta, META_ESTIMATES, &keyspace.to_be_bytes())?;
            }
            Unfinished::Documents(keyspace) => transaction.clear_keyspace(Tree::Documents, keyspace)?,
            Unfinished::Count(number) => counts::remove(&view, &mut transaction, number)?,
        }
    }
    finish(&mut transaction, all)?;
    transaction.commit(Durability::Buffered)?;
    Ok(())
}

/// Has everything cleared that an earlier run did not finish.
pub(crate) fn clear(manager: &TransactionManager) -> Result<()> {
    let snapshot = manager.snapshot()?;
    let mut all = Vec::new();
    for entry in snapshot.range(Tree::Meta, META_UNFINISHED, EVERYTHING, Direction::Forward)? {
        let (key, value) = entry?;
        let unfinished = Unfinished::from_note(key, value);
        all.push(unfinished.ok_or_else(|| Error::Corrupt("note of something unfinished".to_owned()))?);
    }
    if all.is_empty() { Ok(()) } else { give_up(manager, &all) }
}
