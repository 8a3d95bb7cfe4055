//! An ordered map of keys to versions, for one writer and any number of readers that never wait.
//!
//! Nodes are added and never removed or moved until the whole list goes, so readers follow pointers without locks. A
//! node holds the versions of its key, newest first. A reader looks for the first version that is not newer than its
//! snapshot; what the writer adds meanwhile is newer than every snapshot taken before, so the reader does not see it,
//! whatever part of it is linked already.
//!
//! Memory of a node: header, then as many next pointers as it is high, then the key. Of a version: header, then value.
//! A node's first version lies right behind it, since most keys have one.
#![allow(unsafe_code)]

use std::cmp::Ordering;
use std::marker::PhantomData;
use std::ops::Bound;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering as AtomicOrdering};

use persea_kv::Bounds;

use super::arena::{ALIGNMENT, Arena};
use super::directory::{Directory, Keyed};
use crate::CommitSeq;
use crate::primitives::{Mutex, MutexGuard};

/// Enough for 4^12 keys, far more than a delta holds.
const HEIGHT_MAX: usize = 12;
/// So many levels from the lowest on the writer searches by a directory. One node in sixteen is part of a higher one.
const N_DIRECTORIES: usize = 2;

#[repr(C)]
struct NodeHeader {
    versions: AtomicPtr<VersionHeader>,
    previous: AtomicPtr<NodeHeader>,
    key_len: u32,
    height: u32,
}

#[repr(C)]
struct VersionHeader {
    seq: CommitSeq,
    older: *const VersionHeader,
    value_len: u32,
    is_deleted: bool,
}

const CACHE_LINE_BYTES: usize = 64;
/// In so many bytes lie the header of most nodes, their key, and the header of their first version, wherever in a cache
/// line they begin.
const NODE_BYTES_TYPICAL: usize = 192;
/// More than that the processor finds by itself.
const VALUE_BYTES_PREFETCHED: usize = 256;

const NODE_BYTES: usize = size_of::<NodeHeader>();
const POINTER_BYTES: usize = size_of::<AtomicPtr<NodeHeader>>();
const VERSION_BYTES: usize = size_of::<VersionHeader>();

const _: () = {
    assert!(align_of::<NodeHeader>() <= ALIGNMENT);
    assert!(align_of::<VersionHeader>() <= ALIGNMENT);
    // The next pointers follow the header, so its size must keep them aligned.
    assert!(NODE_BYTES.is_multiple_of(align_of::<AtomicPtr<NodeHeader>>()));
};

/// What a version says: the value, or that the key was deleted.
pub(crate) type Written<'d> = Option<&'d [u8]>;

/// A node of a list that lives at least as long as `'d`.
#[derive(Clone, Copy)]
pub(super) struct Node<'d> {
    header: NonNull<NodeHeader>,
    list: PhantomData<&'d ()>,
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.header == other.header
    }
}

impl<'d> Node<'d> {
    /// A node behind a pointer of the list.
    ///
    /// # Safety
    /// The pointer is null or was made by [`Writer::new_node`] of a list that lives as long as `'d`.
    #[inline]
    unsafe fn from_pointer(pointer: *mut NodeHeader) -> Option<Node<'d>> {
        NonNull::new(pointer).map(|header| Node { header, list: PhantomData })
    }

    #[inline]
    fn header(self) -> &'d NodeHeader {
        // SAFETY: nodes are initialised before they are linked, never move, and live as long as `'d`. What changes
        // later are atomics.
        unsafe { self.header.as_ref() }
    }

    #[inline]
    fn pointer(self) -> *mut NodeHeader {
        self.header.as_ptr()
    }

    #[inline]
    pub(super) fn key(self) -> &'d [u8] {
        let header = self.header();
        let offset = NODE_BYTES + header.height as usize * POINTER_BYTES;
        // SAFETY: `new_node` allocated header, `height` pointers and `key_len` bytes of key in one piece and filled
        // them; the key never changes.
        unsafe {
            let first = self.header.as_ptr().cast::<u8>().add(offset);
            std::slice::from_raw_parts(first, header.key_len as usize)
        }
    }

    /// The next pointer of a level below the node's height.
    #[inline]
    fn link(self, level: usize) -> &'d AtomicPtr<NodeHeader> {
        debug_assert!(level < self.header().height as usize);
        // SAFETY: `height` next pointers follow the header in the same piece of memory, aligned and initialised.
        unsafe { &*self.header.as_ptr().cast::<u8>().add(NODE_BYTES + level * POINTER_BYTES).cast() }
    }

    #[inline]
    fn next_at(self, level: usize) -> Option<Node<'d>> {
        // SAFETY: links hold pointers of nodes of this list only.
        unsafe { Node::from_pointer(self.link(level).load(AtomicOrdering::Acquire)) }
    }

    /// Tells the processor that the next node of the level below may be looked at soon.
    #[inline]
    fn prefetch_below(self, level: usize) {
        if let Some(level) = level.checked_sub(1) {
            prefetch(self.link(level).load(AtomicOrdering::Relaxed).cast(), CACHE_LINE_BYTES);
        }
    }

    #[inline]
    pub(super) fn next(self) -> Option<Node<'d>> {
        self.next_at(0)
    }

    /// The node before; the head for the first, `None` for the head.
    #[inline]
    pub(super) fn previous(self) -> Option<Node<'d>> {
        // SAFETY: as in `next_at`.
        unsafe { Node::from_pointer(self.header().previous.load(AtomicOrdering::Acquire)) }
    }

    /// Tells the processor that the node, its key and its first version will be looked at soon.
    #[inline]
    pub(super) fn prefetch(self) {
        prefetch(self.header.as_ptr().cast(), NODE_BYTES_TYPICAL);
    }

    /// The newest version that is not newer than `seq`.
    #[inline]
    pub(super) fn version_at(self, seq: CommitSeq) -> Option<Written<'d>> {
        self.numbered_version_at(seq).map(|(_, written)| written)
    }

    /// The same with the commit that made it.
    #[inline]
    pub(super) fn numbered_version_at(self, seq: CommitSeq) -> Option<(CommitSeq, Written<'d>)> {
        let mut version: *const VersionHeader = self.header().versions.load(AtomicOrdering::Acquire);
        loop {
            let pointer = NonNull::new(version.cast_mut())?;
            // SAFETY: versions are initialised before they are linked, never change, and live as long as the list.
            let header: &'d VersionHeader = unsafe { pointer.as_ref() };
            if header.seq <= seq {
                if header.is_deleted {
                    return Some((header.seq, None));
                }
                // SAFETY: `value_len` bytes follow the header in the same piece of memory, initialised.
                let value = unsafe {
                    let first = pointer.as_ptr().cast::<u8>().add(VERSION_BYTES);
                    std::slice::from_raw_parts(first, header.value_len as usize)
                };
                return Some((header.seq, Some(value)));
            }
            version = header.older;
        }
    }
}

/// Compares keys as slices are, most of them by two machine words: they begin with the same keyspace.
#[inline]
fn compare(left: &[u8], right: &[u8]) -> Ordering {
    let first = |key: &[u8]| key.first_chunk().map(|bytes| u128::from_be_bytes(*bytes));
    match (first(left), first(right)) {
        (Some(one), Some(other)) if one != other => one.cmp(&other),
        _ => left.cmp(right),
    }
}

/// Tells the processor that a value will be looked at soon.
#[inline]
pub(super) fn prefetch_value(value: &[u8]) {
    prefetch(value.as_ptr(), value.len().min(VALUE_BYTES_PREFETCHED));
}

#[inline]
fn prefetch(first: *const u8, n_bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    for offset in (0..n_bytes).step_by(CACHE_LINE_BYTES) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing that the program could notice, and faults nowhere.
        unsafe { _mm_prefetch(first.wrapping_add(offset).cast(), _MM_HINT_T0) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (first, n_bytes);
}

/// The map. Writing takes a lock; reading takes none.
#[derive(Debug)]
pub(super) struct SkipList {
    head: NonNull<NodeHeader>,
    n_keys: AtomicUsize,
    allocated_bytes: AtomicUsize,
    writer: Mutex<WriterState>,
}

#[derive(Debug)]
struct WriterState {
    /// Owns every node and version.
    arena: Arena,
    random: u64,
    /// Of all nodes, and of those that are part of the level above the lowest.
    directories: [Directory<Handle>; N_DIRECTORIES],
    /// The nodes before the last one that is part of a level above those, on each of these levels, and the node itself
    /// where it is high enough: the next key of a sorted batch is close.
    finger: [Handle; HEIGHT_MAX],
}

/// A node of the writer's own list, which lives as long as the writer's state does.
#[derive(Clone, Copy, Debug)]
struct Handle(NonNull<NodeHeader>);

impl Handle {
    #[inline]
    fn node(&self) -> Node<'_> {
        Node { header: self.0, list: PhantomData }
    }
}

impl Keyed for Handle {
    #[inline]
    fn key(&self) -> &[u8] {
        self.node().key()
    }
}

// SAFETY: nodes are owned by the list's arena. Readers on other threads follow atomics that were stored with `Release`
// after everything behind them was written; changes are made under the writer's lock.
unsafe impl Send for SkipList {}
// SAFETY: as above.
unsafe impl Sync for SkipList {}

impl SkipList {
    pub(super) fn new() -> SkipList {
        let mut arena = Arena::default();
        let (head, _) = new_node(&mut arena, &[], HEIGHT_MAX, 0);
        let allocated_bytes = AtomicUsize::new(arena.allocated_bytes());
        let writer = WriterState {
            arena,
            random: 0x9e37_79b9_7f4a_7c15,
            directories: [Directory::new(), Directory::new()],
            finger: [Handle(head); HEIGHT_MAX],
        };
        SkipList { head, n_keys: AtomicUsize::new(0), allocated_bytes, writer: Mutex::new(writer) }
    }

    #[inline]
    fn head(&self) -> Node<'_> {
        Node { header: self.head, list: PhantomData }
    }

    /// Number of different keys.
    #[inline]
    pub(super) fn n_keys(&self) -> usize {
        self.n_keys.load(AtomicOrdering::Acquire)
    }

    pub(super) fn allocated_bytes(&self) -> usize {
        self.allocated_bytes.load(AtomicOrdering::Relaxed)
    }

    /// The last node whose key is below `key` (or equal to it, if asked for), or the head; and the node that came after
    /// it when it was looked at. To look again would be too late: a new node may have come in between.
    #[inline]
    fn seek(&self, key: &[u8], or_equal: bool) -> (Node<'_>, Option<Node<'_>>) {
        let is_before = |node: Node<'_>| match compare(node.key(), key) {
            Ordering::Less => true,
            Ordering::Equal => or_equal,
            Ordering::Greater => false,
        };
        let mut before = self.head();
        let mut after = None;
        for level in (0..HEIGHT_MAX).rev() {
            // What lies behind the key on the level above need not be looked at again.
            let known = after;
            loop {
                after = before.next_at(level);
                match after {
                    Some(next) if after != known => {
                        before.prefetch_below(level);
                        if !is_before(next) {
                            break;
                        }
                        before = next;
                    }
                    Some(_) | None => break,
                }
            }
        }
        (before, after)
    }

    fn last(&self) -> Node<'_> {
        let mut before = self.head();
        for level in (0..HEIGHT_MAX).rev() {
            while let Some(next) = before.next_at(level) {
                before = next;
            }
        }
        before
    }

    /// The node of a key.
    #[inline]
    pub(super) fn find(&self, key: &[u8]) -> Option<Node<'_>> {
        self.seek(key, false).1.filter(|node| node.key() == key)
    }

    /// The first node.
    pub(super) fn first(&self) -> Option<Node<'_>> {
        self.head().next()
    }

    /// The nodes just outside of a range: the one before its first (perhaps the head), and the one after its last.
    ///
    /// The nodes between them are the range, for every snapshot taken before the call.
    pub(super) fn around(&self, bounds: Bounds<'_>) -> (Node<'_>, Option<Node<'_>>) {
        let before = match bounds.0 {
            Bound::Included(key) => self.seek(key, false).0,
            Bound::Excluded(key) => self.seek(key, true).0,
            Bound::Unbounded => self.head(),
        };
        let after = match bounds.1 {
            Bound::Included(key) => self.seek(key, true).1,
            Bound::Excluded(key) => self.seek(key, false).1,
            Bound::Unbounded => None,
        };
        (before, after)
    }

    /// The node before `after`, or the last one.
    pub(super) fn before(&self, after: Option<Node<'_>>) -> Option<Node<'_>> {
        match after {
            // SAFETY: the node is of this list; only its lifetime is renewed.
            Some(after) => unsafe {
                Node::from_pointer(after.header().previous.load(AtomicOrdering::Acquire))
            },
            None => Some(self.last()),
        }
    }

    /// The right to write, for one at a time.
    pub(super) fn writer(&self) -> Writer<'_> {
        Writer { list: self, state: self.writer.lock() }
    }
}

/// Adds versions.
pub(super) struct Writer<'d> {
    list: &'d SkipList,
    state: MutexGuard<'d, WriterState>,
}

impl<'d> Writer<'d> {
    /// Adds a version of a key, which must not be older than those it has; true if the key is new.
    ///
    /// Ascending keys are the fastest.
    pub(super) fn put(&mut self, key: &[u8], seq: CommitSeq, written: Written<'_>) -> bool {
        let [directory, _] = &mut self.state.directories;
        let is_new = match directory.find(key) {
            Ok(handle) => {
                let node = handle.node();
                let memory = self.state.arena.allocate(version_bytes(written));
                let older = node.header().versions.load(AtomicOrdering::Relaxed);
                // SAFETY: the arena gave enough aligned memory, which nobody else knows of yet.
                let version = unsafe { write_version(memory, seq, written, older) };
                node.header().versions.store(version, AtomicOrdering::Release);
                false
            }
            Err((place, before)) => {
                let before = before.map_or(self.list.head, |handle| handle.0);
                let node = self.link_node(key, seq, written, Handle(before).node());
                let [directory, _] = &mut self.state.directories;
                directory.insert(place, node);
                true
            }
        };
        let state = &self.state;
        let directories = state.directories.iter().map(Directory::allocated_bytes);
        let allocated_bytes = state.arena.allocated_bytes() + directories.sum::<usize>();
        self.list.allocated_bytes.store(allocated_bytes, AtomicOrdering::Relaxed);
        is_new
    }

    /// The last node below the key on each level that has no directory.
    fn find_place(&self, key: &[u8]) -> [Handle; HEIGHT_MAX] {
        let mut place = self.state.finger;
        let is_before =
            |node: &Node<'_>| node.header == self.list.head || compare(node.key(), key) == Ordering::Less;
        // Up to the first level on which the key lies right behind the finger; from there down as usual.
        let near = (N_DIRECTORIES..HEIGHT_MAX).find(|level| {
            place.get(*level).map(Handle::node).is_some_and(|before| {
                is_before(&before) && before.next_at(*level).is_none_or(|next| !is_before(&next))
            })
        });
        let top = near.unwrap_or(HEIGHT_MAX - 1);
        let mut before = match near.and_then(|level| place.get(level)) {
            Some(near) => *near,
            None => Handle(self.list.head),
        };
        let mut known = None;
        for (level, place) in place.iter_mut().enumerate().take(top + 1).skip(N_DIRECTORIES).rev() {
            while let Some(next) = before.node().next_at(level).filter(|next| known != Some(next.header)) {
                if !is_before(&next) {
                    known = Some(next.header);
                    break;
                }
                before = Handle(next.header);
            }
            *place = before;
        }
        place
    }

    /// Adds a node behind `before`.
    fn link_node(&mut self, key: &[u8], seq: CommitSeq, written: Written<'_>, before: Node<'_>) -> Handle {
        let height = self.random_height();
        let mut place = if height > N_DIRECTORIES { self.find_place(key) } else { self.state.finger };
        let [_, directory] = &mut self.state.directories;
        let second = if height > 1 { directory.find(key).err() } else { None };
        let [lowest, above, ..] = &mut place;
        *lowest = Handle(before.header);
        *above = second.and_then(|(_, before)| before).unwrap_or(Handle(self.list.head));
        let (header, behind) = new_node(&mut self.state.arena, key, height, version_bytes(written));
        // SAFETY: memory for the version was asked for behind the node; nobody else knows of it yet.
        let version = unsafe { write_version(behind, seq, written, ptr::null()) };
        let handle = Handle(header);
        let node = handle.node();
        let next = before.next();
        node.header().versions.store(version, AtomicOrdering::Relaxed);
        node.header().previous.store(before.pointer(), AtomicOrdering::Relaxed);
        for (level, before) in place.iter().map(Handle::node).enumerate().take(height) {
            node.link(level).store(before.link(level).load(AtomicOrdering::Relaxed), AtomicOrdering::Relaxed);
        }
        // From here on readers may find it, from either side.
        if let Some(next) = next {
            next.header().previous.store(node.pointer(), AtomicOrdering::Release);
        }
        for (level, before) in place.iter().map(Handle::node).enumerate().take(height) {
            before.link(level).store(node.pointer(), AtomicOrdering::Release);
        }
        let n_keys = self.list.n_keys.load(AtomicOrdering::Relaxed) + 1;
        self.list.n_keys.store(n_keys, AtomicOrdering::Release);
        if let Some((place, _)) = second {
            let [_, directory] = &mut self.state.directories;
            directory.insert(place, handle);
        }
        if height > N_DIRECTORIES {
            // Whatever is not below the node is the node before it.
            place.iter_mut().take(height).for_each(|place| *place = handle);
            self.state.finger = place;
        }
        handle
    }

    /// One in four nodes of a level is part of the next.
    fn random_height(&mut self) -> usize {
        let state = &mut self.state.random;
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        1 + (*state >> 20).trailing_ones() as usize / 2 % HEIGHT_MAX
    }
}

/// Bytes of memory that a version takes.
fn version_bytes(written: Written<'_>) -> usize {
    VERSION_BYTES + written.map_or(0, <[u8]>::len)
}

/// Makes a version.
///
/// # Safety
/// The memory is as large as [`version_bytes`] says, aligned to [`ALIGNMENT`], and known to nobody else.
unsafe fn write_version(
    memory: NonNull<u8>,
    seq: CommitSeq,
    written: Written<'_>,
    older: *const VersionHeader,
) -> *mut VersionHeader {
    let value = written.unwrap_or_default();
    let header = memory.cast::<VersionHeader>().as_ptr();
    // Lengths were checked against limits below 2^32 by the transaction, and by the log's reader.
    let value_len = value.len() as u32;
    // SAFETY: there is room for the header and the value, as the caller guarantees.
    unsafe {
        header.write(VersionHeader { seq, older, value_len, is_deleted: written.is_none() });
        ptr::copy_nonoverlapping(value.as_ptr(), memory.as_ptr().add(VERSION_BYTES), value.len());
    }
    header
}

/// A node without versions that is not linked to anything, and so many bytes of aligned memory behind it.
fn new_node(
    arena: &mut Arena,
    key: &[u8],
    height: usize,
    n_bytes_behind: usize,
) -> (NonNull<NodeHeader>, NonNull<u8>) {
    let key_offset = NODE_BYTES + height * POINTER_BYTES;
    let node_bytes = (key_offset + key.len()).next_multiple_of(ALIGNMENT);
    let memory = arena.allocate(node_bytes + n_bytes_behind);
    let header = memory.cast::<NodeHeader>();
    // SAFETY: the arena gave aligned memory for header, pointers, key and what comes behind, which nobody else knows of
    // yet.
    unsafe {
        header.as_ptr().write(NodeHeader {
            versions: AtomicPtr::default(),
            previous: AtomicPtr::default(),
            key_len: key.len() as u32,
            height: height as u32,
        });
        let links = memory.as_ptr().add(NODE_BYTES).cast::<AtomicPtr<NodeHeader>>();
        for level in 0..height {
            links.add(level).write(AtomicPtr::default());
        }
        ptr::copy_nonoverlapping(key.as_ptr(), memory.as_ptr().add(key_offset), key.len());
        (header, memory.add(node_bytes))
    }
}
