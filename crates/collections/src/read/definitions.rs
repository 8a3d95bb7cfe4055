//! The definitions that a view reads with: each is fixed at its first use.

use std::sync::{Arc, OnceLock};

use crate::collection::Collection;
use crate::definition::Definition;
use crate::error::Result;

/// Definitions of collections. Finding one takes no lock and counts no reference, since a query does that for each
/// document it looks up; a view uses few collections, so a list that only grows is enough.
#[derive(Debug, Default)]
pub(super) struct Definitions {
    first: OnceLock<Box<Node>>,
}

#[derive(Debug)]
struct Node {
    collection_id: u64,
    definition: Arc<Definition>,
    next: OnceLock<Box<Node>>,
}

impl Definitions {
    /// The definition for a collection; `find` is asked for it the first time.
    #[inline]
    pub(super) fn get(
        &self,
        collection: &Collection,
        find: impl FnOnce() -> Result<Arc<Definition>>,
    ) -> Result<&Definition> {
        let collection_id = collection.id();
        let mut link = &self.first;
        while let Some(node) = link.get() {
            if node.collection_id == collection_id {
                return Ok(&node.definition);
            }
            link = &node.next;
        }
        Ok(self.add(collection_id, find()?))
    }

    /// Adds a definition, unless another thread came first with one for the same collection; gives the one that stays.
    pub(super) fn add(&self, collection_id: u64, definition: Arc<Definition>) -> &Definition {
        let mut link = &self.first;
        loop {
            let node = link.get_or_init(|| {
                let definition = Arc::clone(&definition);
                Box::new(Node { collection_id, definition, next: OnceLock::new() })
            });
            if node.collection_id == collection_id {
                return &node.definition;
            }
            link = &node.next;
        }
    }
}

impl Drop for Definitions {
    /// One by one: a long list would overflow the stack.
    fn drop(&mut self) {
        let mut next = self.first.take();
        while let Some(mut node) = next {
            next = node.next.take();
        }
    }
}
