//! Arenas that values of batches borrow from, and that keep each other alive.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use bumpalo::Bump;

use crate::memory::Memory;

/// Memory that values borrow from, freed with the last batch that keeps it.
#[derive(Debug)]
pub(crate) struct Arena {
    bump: Bump,
    /// Arenas that values of batches on this arena borrow from too.
    kept: RefCell<Vec<Rc<Arena>>>,
    memory: Memory,
    charged: Cell<usize>,
}

impl Arena {
    /// An empty arena; what it holds counts as the memory of its query.
    pub(crate) fn new(memory: &Memory) -> Rc<Self> {
        Rc::new(Arena {
            bump: Bump::new(),
            kept: RefCell::new(Vec::new()),
            memory: memory.clone(),
            charged: Cell::new(0),
        })
    }

    /// Keeps alive what values that are copied from a batch on `other` at this moment may borrow from. An arena without
    /// bytes of its own is skipped and what it keeps is kept instead, so that chains of empty arenas do not grow.
    pub(crate) fn keep(self: &Rc<Self>, other: &Rc<Self>) {
        if Rc::ptr_eq(self, other) {
            return;
        }
        if other.bump.allocated_bytes() != 0 {
            self.keep_directly(other);
            return;
        }
        for inner in other.kept.borrow().iter() {
            self.keep_directly(inner);
        }
    }

    /// Where new values are built.
    pub(crate) fn bump(&self) -> &Bump {
        &self.bump
    }

    /// Whether no value borrows from it or from what it keeps.
    pub(crate) fn is_empty(&self) -> bool {
        self.bump.allocated_bytes() == 0 && self.kept.borrow().is_empty()
    }

    fn keep_directly(self: &Rc<Self>, other: &Rc<Self>) {
        if Rc::ptr_eq(self, other) {
            return;
        }
        let mut kept = self.kept.borrow_mut();
        if !kept.iter().rev().take(8).any(|arena| Rc::ptr_eq(arena, other)) {
            kept.push(other.clone());
        }
    }

    /// Charges the query for what the arena has grown by.
    pub(crate) fn account(&self) {
        let held = self.bump.allocated_bytes();
        if held > self.charged.get() {
            self.memory.charge(held - self.charged.get());
            self.charged.set(held);
        }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        self.memory.release(self.charged.get());
    }
}
