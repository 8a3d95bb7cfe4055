//! Clearing retired keyspaces: a marker is written first and erased last, so a restart goes on where it stopped.

use std::collections::VecDeque;
use std::ops::Bound;
use std::sync::atomic::{AtomicU64, Ordering};

use persea_kv::{Bounds, Direction, Store, Tree, Write};

use crate::keyspace::{FullBounds, RESERVED_KEYSPACE, full_key};
use crate::manager::Shared;
use crate::primitives::Mutex;
use crate::{CommitSeq, ReadView, Result};

/// First byte of the keys of clear markers in the reserved keyspace of the meta tree.
const MARKER_KIND: u8 = 1;
/// Marker key: kind, tree, keyspace.
const MARKER_BYTES: usize = 10;

/// A keyspace of a tree that is to be emptied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClearTask {
    pub(crate) tree: Tree,
    pub(crate) keyspace: u64,
}

impl ClearTask {
    /// Key of the marker within the reserved keyspace.
    pub(crate) fn marker(self) -> [u8; MARKER_BYTES] {
        let mut marker = [0; MARKER_BYTES];
        marker[0] = MARKER_KIND;
        marker[1] = self.tree.ordinal() as u8;
        marker[2..].copy_from_slice(&self.keyspace.to_be_bytes());
        marker
    }

    fn from_marker(marker: &[u8]) -> Option<ClearTask> {
        let (&[kind, tree], keyspace) = marker.split_first_chunk()?;
        let tree = Tree::from_ordinal(usize::from(tree)).filter(|_| kind == MARKER_KIND)?;
        Some(ClearTask { tree, keyspace: u64::from_be_bytes(keyspace.try_into().ok()?) })
    }
}

/// The keyspaces that wait to be cleared, each with the commit that retired it: a checkpoint that comes later would
/// bring back what was cleared from the engine before.
#[derive(Debug, Default)]
pub(crate) struct ClearQueue {
    tasks: Mutex<VecDeque<(ClearTask, CommitSeq)>>,
    pub(crate) failures: AtomicU64,
}

impl ClearQueue {
    pub(crate) fn push(&self, tasks: impl IntoIterator<Item = ClearTask>, seq: CommitSeq) {
        self.tasks.lock().extend(tasks.into_iter().map(|task| (task, seq)));
    }

    /// True if there is a task that has to wait for a checkpoint.
    pub(crate) fn needs_checkpoint(&self, checkpointed: CommitSeq) -> bool {
        self.tasks.lock().iter().any(|(_, seq)| *seq > checkpointed)
    }

    pub(crate) fn len(&self) -> usize {
        self.tasks.lock().len()
    }

    /// Deletes one slice of the first task; true if there may be more to do.
    pub(crate) fn step(&self, shared: &Shared) -> bool {
        let checkpointed = shared.pipeline.checkpointed();
        let is_ready = |(_, seq): &(ClearTask, CommitSeq)| *seq <= checkpointed;
        let Some((task, seq)) = self.tasks.lock().iter().copied().find(is_ready) else { return false };
        match clear_slice(shared, task) {
            Ok(true) => {
                let mut tasks = self.tasks.lock();
                if let Some(position) = tasks.iter().position(|other| *other == (task, seq)) {
                    tasks.remove(position);
                }
            }
            Ok(false) => {}
            Err(_) => {
                self.failures.fetch_add(1, Ordering::Relaxed);
                // Another task may fare better; this one keeps its marker and its turn comes again.
                self.tasks.lock().rotate_left(1);
                return false;
            }
        }
        self.tasks.lock().iter().any(is_ready)
    }
}

/// Deletes some entries; when none are left, the marker. True if the task is done.
fn clear_slice(shared: &Shared, task: ClearTask) -> Result<bool> {
    let slice_entries = shared.options.clear_slice_entries.max(1);
    let engine = shared.pipeline.engine();
    let bounds = FullBounds::whole(task.keyspace);
    let mut n_deleted = 0;
    shared.pipeline.write_beside(&shared.registry, || {
        n_deleted = engine.delete_range(task.tree, bounds.borrow(), slice_entries)?;
        Ok(engine.version())
    })?;
    if n_deleted == slice_entries {
        return Ok(false);
    }
    let marker = full_key(RESERVED_KEYSPACE, &task.marker());
    shared.pipeline.write_beside(&shared.registry, || {
        engine.write(std::iter::once(Write::delete(Tree::Meta, &marker)))
    })?;
    Ok(true)
}

/// The tasks that an earlier run has left.
pub(crate) fn unfinished(view: &ReadView) -> Result<Vec<ClearTask>> {
    let bounds: Bounds<'_> = (Bound::Included(&[MARKER_KIND]), Bound::Excluded(&[MARKER_KIND + 1]));
    let mut tasks = Vec::new();
    for entry in view.range(Tree::Meta, RESERVED_KEYSPACE, bounds, Direction::Forward)? {
        tasks.extend(ClearTask::from_marker(entry?.0));
    }
    Ok(tasks)
}
