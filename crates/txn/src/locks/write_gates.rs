//! Who writes to which collection while nobody holds or wants it exclusively.
//!
//! That is the usual case and costs a short look into a small table, far from the wait graph. A collection that
//! somebody wants exclusively is closed here: its writers move to the wait graph, which knows who waits for them, and
//! later ones go there at once. When nobody holds or wants it exclusively any more, it opens and they move back. So a
//! collection is known to the gates or to the graph, never to both.
//!
//! Order of the internal mutexes: wait graph before gate. Closing and opening happen under the wait graph's mutex.

use parking_lot::Mutex;
use smallvec::SmallVec;

use super::TransactionId;

const N_GATES: usize = 64;

/// What became of an attempt to write to a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// The transaction is among the writers from now on.
    Entered,
    /// It was before.
    Present,
    /// The collection is closed: the wait graph decides.
    Closed,
}

/// The writers of the collections that share a gate; on a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Gate(Mutex<Collections>);

#[derive(Debug, Default)]
struct Collections {
    writers: SmallVec<[(u64, TransactionId); 4]>,
    closed: SmallVec<[u64; 2]>,
}

/// The writers of all open collections.
#[derive(Debug)]
pub(super) struct WriteGates {
    gates: [Gate; N_GATES],
}

impl Default for WriteGates {
    fn default() -> Self {
        WriteGates { gates: std::array::from_fn(|_| Gate::default()) }
    }
}

impl WriteGates {
    fn gate(&self, collection: u64) -> &Mutex<Collections> {
        // Fibonacci hashing: the highest 6 bits are below the number of gates.
        let position = collection.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58;
        &self.gates[position as usize % N_GATES].0
    }

    /// Lets a transaction write to a collection unless it is closed.
    pub(super) fn enter(&self, collection: u64, transaction: TransactionId) -> Entry {
        let mut gate = self.gate(collection).lock();
        if gate.closed.contains(&collection) {
            return Entry::Closed;
        }
        if gate.writers.contains(&(collection, transaction)) {
            return Entry::Present;
        }
        gate.writers.push((collection, transaction));
        Entry::Entered
    }

    /// Takes a transaction out of the writers; false if it was not among them.
    pub(super) fn leave(&self, collection: u64, transaction: TransactionId) -> bool {
        let mut gate = self.gate(collection).lock();
        // From the back: who came last often goes first.
        let position = gate.writers.iter().rposition(|writer| *writer == (collection, transaction));
        position.map(|position| gate.writers.swap_remove(position)).is_some()
    }

    /// Closes a collection and takes its writers out.
    pub(super) fn close(&self, collection: u64) -> Vec<TransactionId> {
        let mut gate = self.gate(collection).lock();
        if !gate.closed.contains(&collection) {
            gate.closed.push(collection);
        }
        let mut taken = Vec::new();
        gate.writers.retain(|(entered, writer)| {
            let stays = *entered != collection;
            if !stays {
                taken.push(*writer);
            }
            stays
        });
        taken
    }

    /// Opens a collection that these transactions write to.
    pub(super) fn open(&self, collection: u64, writers: impl Iterator<Item = TransactionId>) {
        let mut gate = self.gate(collection).lock();
        gate.closed.retain(|closed| *closed != collection);
        gate.writers.extend(writers.map(|writer| (collection, writer)));
    }

    /// The open collections that are written to, each as often as it has writers.
    pub(super) fn collections(&self) -> Vec<u64> {
        let gates = self.gates.iter().map(|gate| gate.0.lock());
        gates
            .flat_map(|gate| gate.writers.iter().map(|(collection, _)| *collection).collect::<Vec<_>>())
            .collect()
    }
}
