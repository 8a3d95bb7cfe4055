//! Segment files: their names, their heads, and the list of those that make up the log.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::format::{SEGMENT_HEADER_BYTES, SEGMENT_HEADER_COPY_BYTES, SegmentHeader};
use crate::storage::StorageFile;
use crate::{Error, Result};

const SEGMENT_SUFFIX: &str = ".log";
const SPARE_PREFIX: &str = "spare-";
/// As many digits as the largest number has, so that names sort as numbers do.
const N_DIGITS: usize = 20;

/// What a segment file is called.
pub(crate) fn segment_name(number: u64) -> String {
    format!("{number:0N_DIGITS$}{SEGMENT_SUFFIX}")
}

/// The number in the name of a segment file; `None` for other files.
pub(crate) fn segment_number(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(SEGMENT_SUFFIX)?;
    (digits.len() == N_DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| digits.parse().ok())?
}

/// What a file is called that waits to become a segment.
pub(crate) fn spare_name(number: u64) -> String {
    format!("{SPARE_PREFIX}{number}")
}

/// The number in the name of a spare file; `None` for other files.
pub(crate) fn spare_number(name: &str) -> Option<u64> {
    name.strip_prefix(SPARE_PREFIX)?.parse().ok()
}

/// A segment of the log that is open.
#[derive(Debug)]
pub(crate) struct Segment {
    pub name: String,
    pub header: SegmentHeader,
    /// Where the records end, as a position; zero as long as records are added.
    end: AtomicU64,
}

impl Segment {
    pub(crate) fn new(header: SegmentHeader, end: Option<u64>) -> Self {
        Self { name: segment_name(header.number), header, end: AtomicU64::new(end.unwrap_or(0)) }
    }

    pub(crate) fn end(&self) -> Option<u64> {
        Some(self.end.load(Ordering::Acquire)).filter(|end| *end > 0)
    }

    pub(crate) fn close(&self, end: u64) {
        self.end.store(end, Ordering::Release);
    }
}

/// The segments of the log, oldest first.
#[derive(Debug, Default)]
pub(crate) struct SegmentList(VecDeque<Arc<Segment>>);

impl SegmentList {
    pub(crate) fn push(&mut self, segment: Arc<Segment>) {
        self.0.push_back(segment);
    }

    /// Position of the oldest byte that is still there.
    pub(crate) fn start(&self) -> u64 {
        self.0.front().map_or(0, |segment| segment.header.start)
    }

    /// The segment that begins at a position.
    pub(crate) fn starting_at(&self, position: u64) -> Option<&Arc<Segment>> {
        let index = self.0.partition_point(|segment| segment.header.start < position);
        self.0.get(index).filter(|segment| segment.header.start == position)
    }

    /// The oldest segment.
    pub(crate) fn oldest(&self) -> Option<&Arc<Segment>> {
        self.0.front()
    }

    /// The newest segment, to which records are added.
    pub(crate) fn newest(&self) -> Option<&Arc<Segment>> {
        self.0.back()
    }

    /// The first segment that may have records of the commit.
    pub(crate) fn of_commit(&self, commit: u64) -> Option<&Arc<Segment>> {
        let n_begun_before = self.0.partition_point(|segment| segment.header.commit_before < commit);
        self.0.get(n_begun_before.saturating_sub(1))
    }

    /// The segment after the oldest, if the oldest has no records of the commit or later ones.
    pub(crate) fn second_if_oldest_below(&self, commit: u64) -> Option<&Arc<Segment>> {
        self.0.get(1).filter(|second| second.header.commit_before < commit)
    }

    /// Undoes [`pop_oldest`](SegmentList::pop_oldest).
    pub(crate) fn push_oldest(&mut self, segment: Arc<Segment>) {
        self.0.push_front(segment);
    }

    /// Takes the oldest segment out of the list.
    pub(crate) fn pop_oldest(&mut self) -> Option<Arc<Segment>> {
        self.0.pop_front()
    }
}

/// What the head of a segment file looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Head {
    /// Both copies are intact.
    Whole(SegmentHeader),
    /// One copy is intact, the other, which begins at the offset, is not.
    Half(SegmentHeader, u64),
    /// No copy is intact, or they are of another segment.
    Unreadable,
}

impl Head {
    /// The header, if a copy of it is intact.
    pub(crate) fn header(&self) -> Option<&SegmentHeader> {
        match self {
            Self::Whole(header) | Self::Half(header, _) => Some(header),
            Self::Unreadable => None,
        }
    }
}

/// Reads the head of the segment file with the given number.
pub(crate) fn read_head(file: &dyn StorageFile, number: u64) -> Result<Head> {
    let name = || segment_name(number);
    let mut bytes = [0; SEGMENT_HEADER_BYTES as usize];
    file.read_at(0, &mut bytes).map_err(|source| read_failed(&name(), source))?;
    let (first, second) = bytes.split_at(SEGMENT_HEADER_COPY_BYTES);
    let decode = |copy: &[u8]| match copy.first_chunk().map(SegmentHeader::decode) {
        Some(Ok(header)) => Ok(header.filter(|header| header.number == number)),
        Some(Err(version)) => {
            Err(Error::Version { file: name(), found: version.found, supported: version.supported })
        }
        None => Ok(None),
    };
    Ok(match (decode(first)?, decode(second)?) {
        (Some(first), Some(second)) if first == second => Head::Whole(first),
        (Some(first), None) => Head::Half(first, SEGMENT_HEADER_COPY_BYTES as u64),
        (None, Some(second)) => Head::Half(second, 0),
        (Some(_), Some(_)) | (None, None) => Head::Unreadable,
    })
}

/// The highest segment number in the head of any file; zero if there is none that can be read.
///
/// Of heads in another version of the format nothing is known, so theirs is the highest of all.
pub(crate) fn newest_number(file: &dyn StorageFile) -> io::Result<u64> {
    let mut bytes = [0; SEGMENT_HEADER_BYTES as usize];
    file.read_at(0, &mut bytes)?;
    let number = |copy: &[u8; SEGMENT_HEADER_COPY_BYTES]| match SegmentHeader::decode(copy) {
        Ok(header) => header.map_or(0, |header| header.number),
        Err(_) => u64::MAX,
    };
    Ok(bytes.as_chunks().0.iter().map(number).max().unwrap_or(0))
}

fn read_failed(name: &str, source: io::Error) -> Error {
    Error::from_io("read", name, 0, source)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers() {
        assert_eq!(segment_name(42), "00000000000000000042.log");
        assert_eq!(segment_number("00000000000000000042.log"), Some(42));
        assert_eq!(segment_number(&segment_name(u64::MAX)), Some(u64::MAX));
        for other in ["42.log", "lock", "spare-1", "0000000000000000004x.log", "+0000000000000000042.log"] {
            assert_eq!(segment_number(other), None, "{other}");
        }
        assert_eq!(spare_number(&spare_name(7)), Some(7));
        assert_eq!(spare_number("spare-x"), None);
    }

    #[test]
    fn a_commit_is_found_in_the_first_segment_that_may_have_it() {
        let mut list = SegmentList::default();
        // Commit 5 ends in the second segment and goes on in the third.
        for (number, start, commit_before) in [(1, 0, 0), (2, 100, 3), (3, 200, 5), (4, 300, 5), (5, 400, 9)]
        {
            let header = SegmentHeader { number, start, commit_before, salt: 0, synced: 0 };
            list.push(Arc::new(Segment::new(header, None)));
        }
        let found = |commit| list.of_commit(commit).map(|segment| segment.header.number);
        assert_eq!([1, 3, 4, 5, 6, 9, 10].map(found), [1, 1, 2, 2, 4, 4, 5].map(Some));
        assert_eq!(list.starting_at(200).map(|segment| segment.header.number), Some(3));
        assert!(list.starting_at(201).is_none());
        assert!(list.second_if_oldest_below(3).is_none());
        assert_eq!(list.second_if_oldest_below(4).map(|segment| segment.header.number), Some(2));
    }
}
