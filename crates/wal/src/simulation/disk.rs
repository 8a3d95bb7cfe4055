//! The state of the simulated folder: what is written, what is synced, and what is to fail.

use std::collections::{BTreeMap, HashMap};
use std::io;

use super::loss::{Change, Loss, tear};
use super::random::Random;
use super::{Fault, Operation};

pub(super) type FileId = u64;

#[derive(Clone)]
pub(super) struct Disk {
    random: Random,
    /// Apart from the other random numbers, so that a log that asks for more doesn't change which writes are lost.
    entropy: Random,
    files: HashMap<FileId, File>,
    next_file: FileId,
    names: BTreeMap<String, FileId>,
    durable_names: BTreeMap<String, FileId>,
    name_changes: Vec<NameChange>,
    capacity: Option<u64>,
    can_preallocate: bool,
    faults: Vec<Fault>,
    n_operations: u64,
    crash_at: Option<u64>,
    has_crashed: bool,
    life: u64,
}

#[derive(Clone, Default)]
struct File {
    contents: Vec<u8>,
    durable: Vec<u8>,
    /// What leads from the durable bytes to the contents.
    changes: Vec<Change>,
}

#[derive(Clone)]
enum NameChange {
    Create(String, FileId),
    Rename(String, String),
    Remove(String),
}

impl NameChange {
    fn apply(&self, names: &mut BTreeMap<String, FileId>) {
        match self {
            Self::Create(name, file) => {
                names.insert(name.clone(), *file);
            }
            Self::Rename(from, to) => {
                if let Some(file) = names.remove(from) {
                    names.insert(to.clone(), file);
                }
            }
            Self::Remove(name) => {
                names.remove(name);
            }
        }
    }
}

/// How an operation that may begin goes on.
#[derive(PartialEq, Eq)]
enum Course {
    Whole,
    /// The crash comes in the middle of it.
    Torn,
}

impl Disk {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            entropy: Random::new(!seed),
            files: HashMap::new(),
            next_file: 0,
            names: BTreeMap::new(),
            durable_names: BTreeMap::new(),
            name_changes: Vec::new(),
            capacity: None,
            can_preallocate: true,
            faults: Vec::new(),
            n_operations: 0,
            crash_at: None,
            has_crashed: false,
            life: 0,
        }
    }

    pub(super) fn fork(&self, seed: u64) -> Self {
        Self { random: Random::new(seed), entropy: Random::new(!seed), ..self.clone() }
    }

    pub(super) fn life(&self) -> u64 {
        self.life
    }

    pub(super) fn check_life(&self, life: u64) -> io::Result<()> {
        if life == self.life { Ok(()) } else { Err(io::Error::other("the process of this handle is dead")) }
    }

    pub(super) fn power_failure(&mut self) {
        let Self { random, files, durable_names, name_changes, .. } = self;
        let loss = Loss::choose(random, name_changes.len());
        for (index, change) in name_changes.drain(..).enumerate() {
            if loss.spares(index, random) {
                change.apply(durable_names);
            }
        }
        files.retain(|file, _| durable_names.values().any(|named| named == file));
        // In the order of their numbers: that of the map differs from run to run.
        let mut in_order: Vec<_> = files.iter_mut().collect();
        in_order.sort_by_key(|(file, _)| **file);
        for (_, file) in in_order {
            file.lose_unsynced(random);
        }
        self.names = self.durable_names.clone();
        self.kill();
    }

    pub(super) fn kill(&mut self) {
        self.life += 1;
        self.crash_at = None;
        self.has_crashed = false;
    }

    pub(super) fn crash_after(&mut self, n: u64) {
        self.crash_at = Some(self.n_operations + n);
    }

    pub(super) fn has_crashed(&self) -> bool {
        self.has_crashed
    }

    pub(super) fn n_operations(&self) -> u64 {
        self.n_operations
    }

    pub(super) fn inject(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    pub(super) fn heal(&mut self) {
        self.faults.clear();
    }

    pub(super) fn set_capacity(&mut self, capacity: Option<u64>) {
        self.capacity = capacity;
    }

    pub(super) fn set_preallocation(&mut self, is_supported: bool) {
        self.can_preallocate = is_supported;
    }

    pub(super) fn used_bytes(&self) -> u64 {
        self.names
            .values()
            .filter_map(|file| self.files.get(file))
            .map(|file| file.contents.len() as u64)
            .sum()
    }

    pub(super) fn names(&self) -> Vec<String> {
        self.names.keys().cloned().collect()
    }

    pub(super) fn contents(&self, name: &str) -> Option<Vec<u8>> {
        self.files.get(self.names.get(name)?).map(|file| file.contents.clone())
    }

    pub(super) fn set_contents(&mut self, name: &str, bytes: &[u8]) {
        let file = self.names.get(name).copied().unwrap_or(self.next_file);
        self.next_file = self.next_file.max(file + 1);
        self.names.insert(name.to_owned(), file);
        self.durable_names.insert(name.to_owned(), file);
        let whole = File { contents: bytes.to_vec(), durable: bytes.to_vec(), changes: Vec::new() };
        self.files.insert(file, whole);
    }

    pub(super) fn entropy(&mut self) -> u64 {
        self.entropy.next_u64()
    }

    /// Counts the operation, and refuses it if that is its lot.
    fn begin(&mut self, operation: Operation) -> io::Result<Course> {
        if self.has_crashed {
            return Err(io::Error::other("crashed"));
        }
        if operation != Operation::Read {
            if self.crash_at == Some(self.n_operations) {
                self.has_crashed = true;
                return Ok(Course::Torn);
            }
            self.n_operations += 1;
        }
        for fault in self.faults.iter_mut().filter(|fault| fault.operation == operation) {
            if fault.n_spared > 0 {
                fault.n_spared -= 1;
            } else if fault.n_failing > 0 {
                fault.n_failing -= 1;
                return Err(fault.error.into());
            }
        }
        Ok(Course::Whole)
    }

    /// The same for what is done whole or not at all.
    fn begin_whole(&mut self, operation: Operation) -> io::Result<()> {
        match self.begin(operation)? {
            Course::Whole => Ok(()),
            Course::Torn if self.random.percent(50) => Ok(()),
            Course::Torn => Err(io::Error::other("crashed")),
        }
    }

    /// What the caller hears of a thing that was done: nothing if there was a crash at that.
    fn done(&self) -> io::Result<()> {
        if self.has_crashed { Err(io::Error::other("crashed")) } else { Ok(()) }
    }

    pub(super) fn create(&mut self, name: &str) -> io::Result<FileId> {
        self.begin_whole(Operation::Create)?;
        if self.names.contains_key(name) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let file = self.next_file;
        self.next_file += 1;
        self.files.insert(file, File::default());
        self.change_names(NameChange::Create(name.to_owned(), file));
        self.done().map(|()| file)
    }

    pub(super) fn open(&mut self, name: &str) -> io::Result<FileId> {
        self.begin(Operation::Read)?;
        self.names.get(name).copied().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    pub(super) fn rename(&mut self, from: &str, to: &str) -> io::Result<()> {
        self.begin_whole(Operation::Rename)?;
        if !self.names.contains_key(from) {
            return Err(io::ErrorKind::NotFound.into());
        }
        self.change_names(NameChange::Rename(from.to_owned(), to.to_owned()));
        self.done()
    }

    pub(super) fn remove(&mut self, name: &str) -> io::Result<()> {
        self.begin_whole(Operation::Remove)?;
        if !self.names.contains_key(name) {
            return Err(io::ErrorKind::NotFound.into());
        }
        self.change_names(NameChange::Remove(name.to_owned()));
        self.done()
    }

    fn change_names(&mut self, change: NameChange) {
        change.apply(&mut self.names);
        self.name_changes.push(change);
    }

    pub(super) fn sync_dir(&mut self) -> io::Result<()> {
        self.begin_whole(Operation::SyncDir)?;
        for change in self.name_changes.drain(..) {
            change.apply(&mut self.durable_names);
        }
        self.done()
    }

    fn file(&mut self, file: FileId) -> io::Result<&mut File> {
        self.files.get_mut(&file).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    pub(super) fn byte_size(&mut self, file: FileId) -> io::Result<u64> {
        self.begin(Operation::Read)?;
        Ok(self.file(file)?.contents.len() as u64)
    }

    pub(super) fn read_at(&mut self, file: FileId, offset: u64, bytes: &mut [u8]) -> io::Result<usize> {
        self.begin(Operation::Read)?;
        let contents = &self.file(file)?.contents;
        let available = contents.get(offset as usize..).unwrap_or_default();
        let n_read = available.len().min(bytes.len());
        for (to, from) in bytes.iter_mut().zip(available) {
            *to = *from;
        }
        Ok(n_read)
    }

    pub(super) fn write_at(&mut self, file: FileId, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let course = self.begin(Operation::Write);
        let is_whole = matches!(course, Ok(Course::Whole));
        if !is_whole && !matches!(course, Ok(Course::Torn)) && self.has_crashed {
            return course.map(|_| ());
        }
        if is_whole && let Some(n_fitting) = self.room(file, offset + bytes.len() as u64)? {
            let n_fitting = n_fitting.saturating_sub(offset).min(bytes.len() as u64) as usize;
            let part = bytes.iter().take(n_fitting).copied().collect();
            self.file(file)?.change(Change::Write { offset, bytes: part });
            return Err(io::ErrorKind::StorageFull.into());
        }
        if is_whole {
            self.file(file)?.change(Change::Write { offset, bytes: bytes.to_vec() });
            return Ok(());
        }
        let end =
            self.capacity.map_or(u64::MAX, |_| self.file(file).map_or(0, |file| file.contents.len() as u64));
        for part in tear(offset, bytes, &mut self.random) {
            if part.end() <= end {
                self.file(file)?.change(part);
            }
        }
        course.and_then(|_| self.done())
    }

    /// How far the file can reach if it can't reach `byte_size`.
    fn room(&mut self, file: FileId, byte_size: u64) -> io::Result<Option<u64>> {
        let Some(capacity) = self.capacity else { return Ok(None) };
        let own = self.file(file)?.contents.len() as u64;
        let others = self.used_bytes().saturating_sub(own);
        let reach = capacity.saturating_sub(others).max(own);
        Ok((byte_size > reach).then_some(reach))
    }

    pub(super) fn sync_data(&mut self, file: FileId) -> io::Result<()> {
        let begun = self.begin(Operation::Sync);
        let Self { random, files, has_crashed, .. } = self;
        let file = files.get_mut(&file).ok_or(io::ErrorKind::NotFound)?;
        match begun {
            Ok(Course::Whole) => {
                file.changes.clear();
                file.durable.clone_from(&file.contents);
                Ok(())
            }
            // A crash in the middle of it: the power failure to come decides what was synced.
            Ok(Course::Torn) => Err(io::Error::other("crashed")),
            Err(error) if *has_crashed => Err(error),
            Err(error) => {
                file.forget_unsynced(random);
                Err(error)
            }
        }
    }

    pub(super) fn truncate(&mut self, file: FileId, byte_size: u64) -> io::Result<()> {
        self.begin_whole(Operation::Truncate)?;
        self.file(file)?.change(Change::Resize(byte_size));
        self.done()
    }

    pub(super) fn preallocate(&mut self, file: FileId, byte_size: u64) -> io::Result<()> {
        if !self.can_preallocate {
            return Err(io::ErrorKind::Unsupported.into());
        }
        self.begin_whole(Operation::Preallocate)?;
        if self.room(file, byte_size)?.is_some() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let file = self.file(file)?;
        if (file.contents.len() as u64) < byte_size {
            file.change(Change::Resize(byte_size));
        }
        self.done()
    }
}

impl Change {
    fn end(&self) -> u64 {
        match self {
            Self::Write { offset, bytes } => offset + bytes.len() as u64,
            Self::Resize(byte_size) => *byte_size,
        }
    }
}

impl File {
    fn change(&mut self, change: Change) {
        change.apply(&mut self.contents);
        self.changes.push(change);
    }

    fn lose_unsynced(&mut self, random: &mut Random) {
        let loss = Loss::choose(random, self.changes.len());
        for (index, change) in std::mem::take(&mut self.changes).iter().enumerate() {
            if loss.spares(index, random) {
                for left in loss.leave(change, random) {
                    left.apply(&mut self.durable);
                }
            }
        }
        self.contents.clone_from(&self.durable);
    }

    /// A sync has failed: some changes are durable, and the others never will be, although they can be read.
    fn forget_unsynced(&mut self, random: &mut Random) {
        for change in std::mem::take(&mut self.changes) {
            // Lengths are kept apart from contents, and by a journal.
            if matches!(change, Change::Resize(_)) || random.percent(50) {
                change.apply(&mut self.durable);
            }
        }
    }
}
