//! The collections that a transaction declared, and what it may do with each.

use std::collections::HashMap;
use std::sync::Arc;

use persea_collections::LockMode;

use super::options::{TransactionOptions, UndeclaredCollections};
use crate::error::{Error, Result};

/// What is done with a collection, and the mode in which it is locked for that; a stronger access includes the weaker
/// ones.
pub(crate) type AccessMode = LockMode;

/// Declared collections by number, each with its strongest access.
#[derive(Debug)]
pub(crate) struct Declared {
    modes: HashMap<u64, AccessMode>,
    undeclared: UndeclaredCollections,
}

impl Declared {
    /// Finds the collections that the options name.
    ///
    /// # Errors
    /// 1203 when there is none of a name.
    pub(super) fn resolve(
        database: &persea_collections::Database,
        options: &TransactionOptions,
    ) -> Result<Declared> {
        let mut modes = HashMap::new();
        let lists = [
            (&options.read, AccessMode::Read),
            (&options.write, AccessMode::Write),
            (&options.exclusive, AccessMode::Exclusive),
        ];
        // From the weakest to the strongest, so that the strongest stays.
        for (names, mode) in lists {
            for name in names {
                modes.insert(database.collection(name)?.id(), mode);
            }
        }
        Ok(Declared { modes, undeclared: options.undeclared })
    }

    /// The collections with their accesses, as locks to take.
    pub(super) fn locks(&self) -> impl Iterator<Item = (u64, LockMode)> {
        self.modes.iter().map(|(id, mode)| (*id, *mode)).filter(|(_, mode)| *mode > LockMode::Read)
    }

    /// Fails when a collection to be written was dropped while its lock was waited for.
    ///
    /// # Errors
    /// 1203.
    pub(super) fn check_exist(&self, database: &persea_collections::Database) -> Result<()> {
        match self.locks().find(|(id, _)| database.collection_by_id(*id).is_none()) {
            Some((id, _)) => Err(persea_collections::Error::CollectionNotFound(id.to_string()).into()),
            None => Ok(()),
        }
    }

    /// The only collections that may be read; `None` when all may be.
    pub(super) fn readable(&self) -> Option<Arc<[u64]>> {
        (self.undeclared == UndeclaredCollections::Refuse).then(|| self.modes.keys().copied().collect())
    }

    /// Whether any collection was declared to be written.
    pub(super) fn writes(&self) -> bool {
        self.modes.values().any(|mode| *mode > AccessMode::Read)
    }

    /// Allows the access to a collection, or says why not.
    ///
    /// # Errors
    /// 1652.
    pub(super) fn check(&self, id: u64, name: &str, wanted: AccessMode) -> Result<()> {
        let allowed = self.modes.get(&id).copied().or(match self.undeclared {
            UndeclaredCollections::Refuse => None,
            UndeclaredCollections::Read => Some(AccessMode::Read),
            UndeclaredCollections::Write => Some(AccessMode::Write),
        });
        // A query may ask for exclusive access to what was declared to be written.
        if allowed.is_some_and(|allowed| wanted.min(AccessMode::Write) <= allowed) {
            return Ok(());
        }
        let access = if wanted == AccessMode::Read { "read" } else { "write" };
        let message = format!("unregistered collection used in transaction: {name} [{access}]");
        Err(Error::with_number(1652, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses() {
        use LockMode::{Exclusive, Read, Write};
        use UndeclaredCollections as Undeclared;
        let modes = HashMap::from([(1, Read), (2, Write), (3, Exclusive)]);
        let check = |undeclared, id, wanted, expected: bool| {
            let declared = Declared { modes: modes.clone(), undeclared };
            assert_eq!(declared.check(id, "c", wanted).is_ok(), expected, "{undeclared:?} {id} {wanted:?}");
        };
        for undeclared in [Undeclared::Refuse, Undeclared::Read, Undeclared::Write] {
            check(undeclared, 1, Read, true);
            check(undeclared, 1, Write, false);
            for id in [2, 3] {
                check(undeclared, id, Read, true);
                check(undeclared, id, Write, true);
                check(undeclared, id, Exclusive, true);
            }
            check(undeclared, 4, Read, undeclared != Undeclared::Refuse);
            check(undeclared, 4, Write, undeclared == Undeclared::Write);
        }
    }
}
