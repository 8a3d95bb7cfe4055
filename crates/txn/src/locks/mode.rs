//! What a transaction intends to do with a collection.

/// The mode in which a transaction uses a collection, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LockMode {
    /// Reads only. Readers see a snapshot, so this excludes nobody and never waits.
    Read,
    /// Writes single documents: shared with other writers, which are kept apart key by key.
    Write,
    /// Writes with no other writer beside it.
    Exclusive,
}

impl LockMode {
    /// True if two transactions may use a collection in these modes at once.
    #[inline]
    pub fn is_compatible_with(self, other: LockMode) -> bool {
        match (self, other) {
            (LockMode::Read, _) | (_, LockMode::Read) | (LockMode::Write, LockMode::Write) => true,
            (LockMode::Exclusive, LockMode::Write | LockMode::Exclusive)
            | (LockMode::Write, LockMode::Exclusive) => false,
        }
    }
}
