//! The selectivity estimate: what share of an index's entries have different keys.
//!
//! Counting distinct keys exactly would take memory for each of them. The estimator counts those whose hash starts
//! with `level` zero bits, which are one in 2^level, and raises the level whenever they become too many. Unlike a
//! sketch of maxima this also takes entries back, and it gives the same answer for the same history everywhere.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::error::Error;

/// Most keys kept. The standard error of the estimate is about `1 / sqrt(SAMPLE_MAX / 2)`, that is 3 %.
const SAMPLE_MAX: usize = 2048;
/// First byte of the serialised form.
const FORMAT: u8 = 1;
/// Bytes before the sample: format, level, total.
const HEADER_BYTES: usize = 10;
/// Bytes of one sampled key: hash and count.
const SAMPLE_BYTES: usize = 12;

/// Estimates the number of distinct keys among the entries added and not removed again.
///
/// ```
/// use persea_index::{SelectivityEstimator, key_hash};
///
/// let mut estimator = SelectivityEstimator::new();
/// for number in 0u32..10_000 {
///     estimator.insert(key_hash(&(number / 10).to_be_bytes()));
/// }
/// assert!((estimator.estimate() - 0.1).abs() < 0.01);
/// ```
#[derive(Clone, Debug, Default)]
pub struct SelectivityEstimator {
    /// Entries in all.
    total: u64,
    /// Leading zero bits that a hash needs to be sampled.
    level: u32,
    /// How many entries have each sampled hash.
    sample: HashMap<u64, u32, BuildHasherDefault<HashIsHash>>,
}

impl SelectivityEstimator {
    /// An estimator of an empty index.
    pub fn new() -> SelectivityEstimator {
        SelectivityEstimator::default()
    }

    /// Counts one entry more; `hash` is [`key_hash`](crate::key_hash) of its field key.
    pub fn insert(&mut self, hash: u64) {
        self.total += 1;
        if hash.leading_zeros() < self.level {
            return;
        }
        let count = self.sample.entry(hash).or_insert(0);
        *count = count.saturating_add(1);
        while self.sample.len() > SAMPLE_MAX && self.level < u64::BITS {
            self.level += 1;
            let level = self.level;
            self.sample.retain(|hash, _| hash.leading_zeros() >= level);
        }
    }

    /// Counts one entry less.
    pub fn remove(&mut self, hash: u64) {
        self.total = self.total.saturating_sub(1);
        if let Some(count) = self.sample.get_mut(&hash) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.sample.remove(&hash);
            }
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = SelectivityEstimator::new();
    }

    /// Number of entries.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// About how many different keys there are.
    pub fn distinct(&self) -> u64 {
        let sampled = u128::from(self.sample.len() as u64) << self.level;
        u64::try_from(sampled).unwrap_or(u64::MAX).min(self.total)
    }

    /// Share of different keys, above 0 and at most 1; 1 for an empty index.
    pub fn estimate(&self) -> f64 {
        match self.total {
            0 => 1.0,
            total => self.distinct().max(1) as f64 / total as f64,
        }
    }

    /// The estimator as bytes, at most about 24 KiB: format, level, total and the sample, all little endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEADER_BYTES + SAMPLE_BYTES * self.sample.len());
        out.extend_from_slice(&[FORMAT, self.level as u8]);
        out.extend_from_slice(&self.total.to_le_bytes());
        let mut sample: Vec<(u64, u32)> = self.sample.iter().map(|(hash, count)| (*hash, *count)).collect();
        sample.sort_unstable();
        for (hash, count) in sample {
            out.extend_from_slice(&hash.to_le_bytes());
            out.extend_from_slice(&count.to_le_bytes());
        }
        out
    }

    /// Reads what [`SelectivityEstimator::to_bytes`] wrote.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`] for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Result<SelectivityEstimator, Error> {
        let damaged = Error::Damaged("selectivity estimator");
        let Some(([FORMAT, level], rest)) = bytes.split_first_chunk::<2>() else { return Err(damaged) };
        let Some((total, rest)) = rest.split_first_chunk::<8>() else { return Err(damaged) };
        if rest.len() % SAMPLE_BYTES != 0
            || rest.len() / SAMPLE_BYTES > SAMPLE_MAX
            || u32::from(*level) > u64::BITS
        {
            return Err(damaged);
        }
        let mut sample: HashMap<_, _, _> = HashMap::default();
        for pair in rest.chunks_exact(SAMPLE_BYTES) {
            if let Some((hash, count)) = pair.split_first_chunk::<8>()
                && let Ok(count) = count.try_into()
            {
                sample.insert(u64::from_le_bytes(*hash), u32::from_le_bytes(count));
            }
        }
        Ok(SelectivityEstimator { total: u64::from_le_bytes(*total), level: u32::from(*level), sample })
    }
}

/// The sampled keys are hashes already.
#[derive(Default)]
struct HashIsHash(u64);

impl Hasher for HashIsHash {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        // Sampled hashes share their leading bits, and the map looks at those.
        self.0 = hash.rotate_left(32);
    }
}
