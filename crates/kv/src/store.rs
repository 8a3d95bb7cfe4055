//! The contract of a key-value engine, and the small types it speaks in.

use std::ops::Bound;

use crate::{Error, Result};

/// Longest key in bytes that every engine accepts.
///
/// It is what LMDB can place on a page of 4 KiB: two entries must fit.
pub const MAX_KEY_BYTES: usize = 1982;

/// Longest value in bytes that every engine accepts (just below 4 GiB, LMDB's limit).
pub const MAX_VALUE_BYTES: usize = u32::MAX as usize - 1;

/// The three trees of an engine; each is an ordered map of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Tree {
    /// Documents by local id.
    Documents = 0,
    /// Index entries.
    Index = 1,
    /// Catalog and counters.
    Meta = 2,
}

impl Tree {
    /// How many trees there are.
    pub const COUNT: usize = 3;
    /// Every tree, in the order in which batches should be sorted.
    pub const ALL: [Tree; Tree::COUNT] = [Tree::Documents, Tree::Index, Tree::Meta];

    /// Position in [`Tree::ALL`].
    pub const fn ordinal(self) -> usize {
        self as usize
    }

    /// The tree at a position of [`Tree::ALL`].
    pub const fn from_ordinal(ordinal: usize) -> Option<Tree> {
        match ordinal {
            0 => Some(Tree::Documents),
            1 => Some(Tree::Index),
            2 => Some(Tree::Meta),
            _ => None,
        }
    }
}

/// Which way a range is walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Direction {
    /// Smallest key first.
    #[default]
    Forward,
    /// Largest key first.
    Reverse,
}

/// Lower and upper bound of a range of keys, whatever the direction it is walked in.
pub type Bounds<'b> = (Bound<&'b [u8]>, Bound<&'b [u8]>);

/// One write of a batch: a put, or a delete when there is no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write<'a> {
    /// Tree that is written.
    pub tree: Tree,
    /// Key, of 1 to [`MAX_KEY_BYTES`] bytes.
    pub key: &'a [u8],
    /// New value; `None` deletes the key, which need not exist.
    pub value: Option<&'a [u8]>,
}

impl<'a> Write<'a> {
    /// A write that sets `key` to `value`.
    pub fn put(tree: Tree, key: &'a [u8], value: &'a [u8]) -> Write<'a> {
        Write { tree, key, value: Some(value) }
    }

    /// A write that removes `key`.
    pub fn delete(tree: Tree, key: &'a [u8]) -> Write<'a> {
        Write { tree, key, value: None }
    }

    /// Checks key and value against the limits every engine shares.
    ///
    /// # Errors
    /// [`Error::KeyEmpty`], [`Error::KeyTooLong`], [`Error::ValueTooLong`].
    pub fn check(&self) -> Result<()> {
        if self.key.is_empty() {
            return Err(Error::KeyEmpty);
        }
        if self.key.len() > MAX_KEY_BYTES {
            return Err(Error::KeyTooLong { key_bytes: self.key.len() });
        }
        match self.value {
            Some(value) if value.len() > MAX_VALUE_BYTES => {
                Err(Error::ValueTooLong { value_bytes: value.len() })
            }
            _ => Ok(()),
        }
    }
}

/// What an engine tells about its size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Entries of each tree, by [`Tree::ordinal`].
    pub entries: [u64; Tree::COUNT],
    /// Bytes on disk, or in memory for the memory engine (keys and values, without overhead).
    pub used_bytes: u64,
    /// Bytes of address space reserved; 0 if the engine reserves none.
    pub reserved_bytes: u64,
    /// Snapshots that are alive now.
    pub live_snapshots: u64,
}

/// An ordered key-value engine: atomic batches in, consistent snapshots out.
///
/// Writers are serialised by the engine; snapshots neither block writers nor wait for them.
pub trait Store {
    /// The engine's snapshot type.
    type Snapshot: StoreSnapshot;

    /// Takes a snapshot of the latest committed state.
    ///
    /// # Errors
    /// [`Error::ReadersFull`] and engine failures.
    fn snapshot(&self) -> Result<Self::Snapshot>;

    /// Applies a batch atomically, in order, and returns the version that contains it.
    ///
    /// A batch sorted by tree and key is applied fastest. When it returns, the data survives the end of the process, and
    /// a power failure too unless the engine was opened to do that by [`Store::sync`] only.
    /// The iterator is walked a second time if the engine has to grow its reservation.
    ///
    /// # Errors
    /// Nothing of the batch is applied when an error is returned.
    fn write<'a, I>(&self, batch: I) -> Result<u64>
    where
        I: Iterator<Item = Write<'a>> + Clone;

    /// Deletes up to `entries_max` entries of a range atomically; returns how many were deleted.
    ///
    /// # Errors
    /// Engine failures; nothing is deleted then.
    fn delete_range(&self, tree: Tree, bounds: Bounds<'_>, entries_max: usize) -> Result<usize>;

    /// Makes every batch written so far survive a power failure.
    ///
    /// # Errors
    /// [`Error::Io`].
    fn sync(&self) -> Result<()>;

    /// Version of the latest committed state; see [`StoreSnapshot::version`].
    fn version(&self) -> u64;

    /// Current sizes.
    ///
    /// # Errors
    /// Engine failures.
    fn stats(&self) -> Result<Stats>;
}

/// A consistent, immutable state of a [`Store`].
pub trait StoreSnapshot: Send + Sync + 'static {
    /// Iterator over a range of entries, borrowed from the snapshot.
    type Range<'s>: Iterator<Item = Result<(&'s [u8], &'s [u8])>>;

    /// Number of the state: grows with every batch that changed something, also over restarts.
    fn version(&self) -> u64;

    /// Value of a key.
    ///
    /// # Errors
    /// Engine failures. A key no engine could hold (empty or too long) is simply absent.
    fn get(&self, tree: Tree, key: &[u8]) -> Result<Option<&[u8]>>;

    /// Walks the entries within `bounds` in the given direction.
    ///
    /// # Errors
    /// Engine failures.
    fn range(&self, tree: Tree, bounds: Bounds<'_>, direction: Direction) -> Result<Self::Range<'_>>;

    /// Number of entries in a tree.
    ///
    /// # Errors
    /// Engine failures.
    fn entries(&self, tree: Tree) -> Result<u64>;
}

/// True if no key can lie within the bounds.
pub(crate) fn is_empty_range(bounds: &Bounds<'_>) -> bool {
    match bounds {
        // There are no empty keys, so nothing lies at or below one.
        (_, Bound::Included(end) | Bound::Excluded(end)) if end.is_empty() => true,
        (Bound::Included(start), Bound::Included(end)) => start > end,
        (Bound::Included(start) | Bound::Excluded(start), Bound::Excluded(end))
        | (Bound::Excluded(start), Bound::Included(end)) => start >= end,
        (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
    }
}
