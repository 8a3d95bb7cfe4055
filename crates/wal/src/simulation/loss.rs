//! What a power failure leaves of changes that were not synced.

use super::random::Random;

/// Disks write at least so many bytes at once.
const SECTOR_BYTES: u64 = 512;

/// A change of a file that was not synced.
#[derive(Debug, Clone)]
pub(super) enum Change {
    Write { offset: u64, bytes: Vec<u8> },
    Resize(u64),
}

impl Change {
    pub(super) fn apply(&self, contents: &mut Vec<u8>) {
        match self {
            Self::Write { offset, bytes } => {
                let from = *offset as usize;
                let to = from + bytes.len();
                if contents.len() < to {
                    contents.resize(to, 0);
                }
                if let Some(place) = contents.get_mut(from..to) {
                    place.copy_from_slice(bytes);
                }
            }
            Self::Resize(byte_size) => contents.resize(*byte_size as usize, 0),
        }
    }
}

/// How much of what was not synced a power failure takes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Loss {
    Everything,
    Nothing,
    /// All from some change on.
    Suffix(u64),
    /// Any changes; writes may be torn.
    Some,
}

impl Loss {
    pub(super) fn choose(random: &mut Random, n_changes: usize) -> Self {
        match random.below(6) {
            0 => Self::Everything,
            1 => Self::Nothing,
            2 => Self::Suffix(random.below(n_changes as u64 + 1)),
            _ => Self::Some,
        }
    }

    /// Whether the change with the index survives.
    pub(super) fn spares(self, index: usize, random: &mut Random) -> bool {
        match self {
            Self::Everything => false,
            Self::Nothing => true,
            Self::Suffix(n_kept) => (index as u64) < n_kept,
            Self::Some => random.percent(60),
        }
    }

    /// What is left of a change that survives.
    pub(super) fn leave(self, change: &Change, random: &mut Random) -> Vec<Change> {
        match (self, change) {
            (Self::Some, Change::Write { offset, bytes }) if random.percent(40) => {
                tear(*offset, bytes, random)
            }
            _ => vec![change.clone()],
        }
    }
}

/// The beginning of a write, or some of the sectors it touches.
pub(super) fn tear(offset: u64, bytes: &[u8], random: &mut Random) -> Vec<Change> {
    let n_bytes = bytes.len() as u64;
    if random.percent(50) {
        let n_kept = random.below(n_bytes + 1) as usize;
        return vec![Change::Write { offset, bytes: bytes.iter().take(n_kept).copied().collect() }];
    }
    let mut parts = Vec::new();
    let mut from = 0;
    while from < n_bytes {
        let sector_end = (offset + from + 1).next_multiple_of(SECTOR_BYTES) - offset;
        let to = sector_end.min(n_bytes);
        if random.percent(50) {
            let part = bytes.get(from as usize..to as usize).unwrap_or_default().to_vec();
            parts.push(Change::Write { offset: offset + from, bytes: part });
        }
        from = to;
    }
    parts
}
