//! New content for a collection, written beside the old and put into its place as a whole.
//!
//! Life cycle: fresh keyspaces are noted as [unfinished](crate::unfinished); a collection of its own that nobody can find
//! takes the documents, by as many commits as they need; one more commit makes its keyspaces those of the collection and
//! retires the old ones. Whatever ends it before, a crash included, leaves the collection as it is.

use std::sync::Arc;

use persea_kv::Tree;
use persea_txn::Interrupt;

use crate::change_lock::{ChangeLocks, ChangeOptions, right_to_change, without_writers};
use crate::collection::Collection;
use crate::counts::{self, Counters, Totals};
use crate::definition::Definition;
use crate::error::{Error, Result, is_visible};
use crate::unfinished::{self, Unfinished};

/// What is to take the place of all documents of a collection. Dropping it leaves the collection as it is.
#[derive(Debug)]
pub struct Replacement {
    target: Arc<Collection>,
    staged: Arc<Collection>,
    notes: Vec<Unfinished>,
    must_sync: bool,
    is_committed: bool,
}

impl Collection {
    /// Begins to write what is to replace all documents.
    ///
    /// # Errors
    /// [`Error::CollectionNotFound`] when dropped, storage errors.
    pub fn begin_replacement(&self) -> Result<Replacement> {
        self.shared.check_writable()?;
        self.check_exists()?;
        let target = self.this.upgrade().ok_or_else(|| Error::CollectionNotFound(self.name().to_string()))?;
        let mut definition = self.emptied_definition(&self.definition())?;
        let options = &mut definition.properties.options;
        // Nobody waits for the parts; the whole can be synced.
        options.wait_for_sync = false;
        definition.properties.id = self.shared.ticks.next()?;
        let mut notes =
            vec![Unfinished::Count(definition.properties.id), Unfinished::Documents(definition.documents)];
        for index in definition.indexes.iter() {
            notes.extend(index.keyspaces().map(Unfinished::Index));
        }
        unfinished::note(&self.shared.manager, &notes)?;
        let keys = Arc::clone(&self.keys);
        let staged = Collection::assemble_with(
            &self.shared,
            self.database_id,
            definition,
            keys,
            0,
            Counters::default(),
        );
        Ok(Replacement { target, staged, notes, must_sync: false, is_committed: false })
    }
}

impl Replacement {
    /// Where the documents are written to. It has the indexes that the collection had at the beginning, and invents keys
    /// together with it.
    pub fn collection(&self) -> &Arc<Collection> {
        &self.staged
    }

    /// Makes the commit wait until everything is on disk.
    pub fn require_sync(&mut self) {
        self.must_sync = true;
    }

    /// Puts the documents that were written into the place of those that the collection has now, in one commit that takes
    /// the same short time whatever their number. Waits for who writes to the collection, unless `interrupt` ends the
    /// wait.
    ///
    /// # Errors
    /// [`Error::DefinitionChanged`] when the collection has got another name or other indexes since the beginning,
    /// [`Error::CollectionNotFound`] when it was dropped, [`Error::LockTimeout`], [`Error::Interrupted`], storage errors. The
    /// collection is as it was then, unless only the sync failed.
    pub fn commit(mut self, interrupt: Option<&Interrupt>) -> Result<()> {
        let Replacement { target, staged, notes, .. } = &self;
        let options = ChangeOptions { interrupt: interrupt.cloned(), ..ChangeOptions::default() };
        let mut locks = ChangeLocks::new(&target.shared, &options);
        locks.lock([right_to_change(target.id()), without_writers(target.id())])?;
        let gates = (target.gate.write(), staged.gate.write());
        target.check_exists()?;
        let (old, new) = (target.definition(), staged.definition());
        check_shape(&old, &new)?;
        // The newest state, which must not change any more: that of after the gates.
        let mut transaction = target.shared.manager.begin()?;
        let view = transaction.view()?;
        let count = counts::totals(&view, staged.id())?.count - counts::totals(&view, target.id())?.count;
        let stamp = target.shared.clock.tick();
        let row = Totals { count, revision: stamp, key_value: target.keys.last_value(), stamp };
        let mut counter = target.counters.take(&target.shared.clock);
        counter.put(&mut transaction, target.id(), row)?;
        counts::remove(&view, &mut transaction, staged.id())?;
        transaction.clear_keyspace(Tree::Documents, old.documents)?;
        for index in old.indexes.iter() {
            index.retire(&mut transaction)?;
        }
        staged.store_estimates(&mut transaction)?;
        unfinished::finish(&mut transaction, notes)?;
        let definition = Definition::assemble(
            old.generation + 1,
            old.properties.clone(),
            new.documents,
            Arc::clone(&new.indexes),
        );
        let outcome = target.commit_definition(transaction, definition);
        if is_visible(&outcome) {
            counter.keep();
            target.count_committed(count);
            staged.mark_dropped();
            drop(gates);
            self.is_committed = true;
        }
        outcome?;
        let manager = &self.target.shared.manager;
        if self.must_sync || self.target.wait_for_sync() { Ok(manager.sync()?) } else { Ok(()) }
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if self.is_committed {
            return;
        }
        let _gate = self.staged.gate.write();
        self.staged.mark_dropped();
        // If even that fails, the next start clears what there is.
        let _ = unfinished::give_up(&self.staged.shared.manager, &self.notes);
    }
}

/// Documents carry the name of their collection, and the indexes have entries for them.
fn check_shape(current: &Definition, staged: &Definition) -> Result<()> {
    let ids = |definition: &Definition| definition.indexes.iter().map(|index| index.id()).collect::<Vec<_>>();
    if current.name == staged.name && ids(current) == ids(staged) {
        return Ok(());
    }
    Err(Error::DefinitionChanged(format!("the definition of '{}' changed", current.name)))
}
