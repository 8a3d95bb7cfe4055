//! Which documents of a collection change while an index is being filled.

use std::sync::atomic::{AtomicBool, Ordering};

use ahash::AHashSet;
use parking_lot::Mutex;

/// The documents that commits have changed since somebody wanted to know.
///
/// Commits ask and note while they hold the collection's gate shared; it is begun and read while the gate is held
/// exclusively, so a snapshot taken at the same time has what the changes before made of the documents, and no more.
#[derive(Debug, Default)]
pub(crate) struct ChangeCapture {
    is_on: AtomicBool,
    local_ids: Mutex<AHashSet<u64>>,
}

impl ChangeCapture {
    /// Whether a commit has to note what it changes. The caller holds the gate.
    pub(crate) fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    /// Notes documents, by their local ids. The caller holds the gate, and commits before it lets go of it.
    pub(crate) fn note(&self, local_ids: impl IntoIterator<Item = u64>) {
        self.local_ids.lock().extend(local_ids);
    }

    /// Has commits note what they change until the guard is dropped. The caller holds the gate exclusively, and no
    /// other guard exists.
    pub(crate) fn begin(&self) -> Capturing<'_> {
        self.local_ids.lock().clear();
        self.is_on.store(true, Ordering::Relaxed);
        Capturing(self)
    }
}

/// Commits note what they change.
#[derive(Debug)]
pub(crate) struct Capturing<'c>(&'c ChangeCapture);

impl Capturing<'_> {
    /// The documents that have changed since this was last asked, ascending. The caller holds the gate exclusively.
    pub(crate) fn take(&self) -> Vec<u64> {
        let mut local_ids: Vec<u64> = std::mem::take(&mut *self.0.local_ids.lock()).into_iter().collect();
        local_ids.sort_unstable();
        local_ids
    }
}

impl Drop for Capturing<'_> {
    fn drop(&mut self) {
        // What a commit notes just now is forgotten when it is begun again.
        self.0.is_on.store(false, Ordering::Relaxed);
        self.0.local_ids.lock().clear();
    }
}
