//! Index builds that a crash cut short: their keyspace is noted first, so that the next start clears it.

use persea_kv::{Direction, Tree};
use persea_txn::{Durability, TransactionManager};

use crate::error::{Error, Result};
use crate::keyspaces::{META_UNFINISHED, read_u64};
use crate::read::EVERYTHING;

/// Notes that something is being built in a keyspace of the index tree.
pub(crate) fn note(manager: &TransactionManager, keyspace: u64) -> Result<()> {
    let mut transaction = manager.begin()?;
    transaction.put(Tree::Meta, META_UNFINISHED, &keyspace.to_be_bytes(), &[])?;
    transaction.commit(Durability::Buffered)?;
    Ok(())
}

/// Takes the note back, in the commit that makes the keyspace part of a collection.
pub(crate) fn finish(transaction: &mut persea_txn::Transaction, keyspace: u64) -> Result<()> {
    Ok(transaction.delete(Tree::Meta, META_UNFINISHED, &keyspace.to_be_bytes())?)
}

/// Has a keyspace cleared whose build failed.
pub(crate) fn give_up(manager: &TransactionManager, keyspace: u64) -> Result<()> {
    let mut transaction = manager.begin()?;
    transaction.clear_keyspace(Tree::Index, keyspace)?;
    finish(&mut transaction, keyspace)?;
    transaction.commit(Durability::Buffered)?;
    Ok(())
}

/// Has everything cleared that an earlier run did not finish.
pub(crate) fn clear(manager: &TransactionManager) -> Result<()> {
    let snapshot = manager.snapshot()?;
    for entry in snapshot.range(Tree::Meta, META_UNFINISHED, EVERYTHING, Direction::Forward)? {
        let (key, _) = entry?;
        let keyspace = read_u64(key).ok_or_else(|| Error::Corrupt("note of an index build".to_owned()))?;
        give_up(manager, keyspace)?;
    }
    Ok(())
}
