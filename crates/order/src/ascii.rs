//! ICU's answers for ASCII strings, from tables read out of ICU.
//!
//! In the root collation every ASCII character is either ignored (most control characters) or has exactly one
//! collation element: a primary weight, the common secondary weight, and a tertiary weight that is the common one
//! or, for `A` to `Z`, the upper-case one. No contraction consists of ASCII characters only. So two ASCII strings
//! compare by their primary weights first and by case second, and a sort key is put together from per-character
//! pieces with ICU's compression of equal lead bytes and of runs of common weights.
//!
//! None of this is taken on trust: the tables are asked of ICU at start, and the assembled keys are compared with
//! ICU's for every single character, every doubled one and a few longer strings. Should any differ, the fast path
//! switches itself off.

use std::cmp::Ordering;

use crate::weight_table::WeightTable;

/// Separates the levels of a sort key.
const LEVEL_SEPARATOR: u8 = 1;
/// Ends a run of equal lead bytes before a smaller one.
const COMPRESSION_LOW: u8 = 3;
/// Ends a run of equal lead bytes before a greater one.
const COMPRESSION_HIGH: u8 = 0xff;
/// Bytes that stand for runs of common secondary weights.
const SECONDARY_COMMON: CommonRun = CommonRun { low: 0x05, middle: 0x25, run_max: 0x21 };
/// Bytes that stand for runs of common tertiary weights when upper case comes first.
const TERTIARY_COMMON: CommonRun = CommonRun { low: 0x85, middle: 0xa5, run_max: 0x21 };

/// How a run of common weights is written when a smaller weight follows it.
struct CommonRun {
    low: u8,
    middle: u8,
    run_max: usize,
}

impl CommonRun {
    fn write(&self, count: usize, out: &mut Vec<u8>) {
        let Some(mut rest) = count.checked_sub(1) else { return };
        while rest >= self.run_max {
            out.push(self.middle);
            rest -= self.run_max;
        }
        out.push(self.low + rest as u8);
    }

    /// Length of the run, or part of a run, that one byte stands for; at least 1.
    fn read(&self, byte: u8) -> usize {
        if byte == self.middle { self.run_max } else { usize::from(byte.saturating_sub(self.low)) + 1 }
    }
}

/// Asks ICU for the sort key of a string.
pub(crate) type KeyOf<'k> = dyn Fn(&str, &mut Vec<u8>) + 'k;

/// The primary weight of one character.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Primary {
    /// Weight bytes, zero-filled; all zero for an ignored character.
    pub(crate) bytes: [u8; 4],
    pub(crate) len: u8,
    /// A following weight with the same lead byte leaves that byte out.
    pub(crate) compressible: bool,
}

/// See the file's head.
pub(crate) struct AsciiTables {
    /// Rank of each character's primary weight; 0 for ignored characters.
    rank: [u8; 128],
    primary: [Primary; 128],
    /// What an upper-case letter adds to the tertiary level.
    tertiary_upper: u8,
    /// Characters by weight, to read keys back; letters in lower case.
    characters: WeightTable,
    /// The tables reproduce ICU's answers.
    usable: bool,
}

impl AsciiTables {
    /// Reads the tables by asking for the keys of all characters.
    pub(crate) fn read(key_of: &KeyOf<'_>) -> AsciiTables {
        let mut upper_key = Vec::new();
        key_of("A", &mut upper_key);
        let mut tables = AsciiTables {
            rank: [0; 128],
            primary: [Primary::default(); 128],
            tertiary_upper: upper_key.last().copied().unwrap_or_default(),
            characters: WeightTable::default(),
            usable: true,
        };
        for (character, primary) in (0u8..).zip(tables.primary.iter_mut()) {
            match read_primary(character, key_of) {
                Some(read) => *primary = read,
                None => tables.usable = false,
            }
        }
        tables.rank_primaries();
        tables.characters = WeightTable::of(&tables.primary);
        tables.usable = tables.usable && tables.agree_with(key_of);
        tables
    }

    fn rank_primaries(&mut self) {
        let mut weights: Vec<[u8; 4]> = self.primary.iter().map(|primary| primary.bytes).collect();
        // The zero weight of ignored characters is always there and takes rank 0.
        weights.push([0; 4]);
        weights.sort_unstable();
        weights.dedup();
        for (rank, primary) in self.rank.iter_mut().zip(&self.primary) {
            *rank = weights.partition_point(|weight| weight < &primary.bytes) as u8;
        }
    }

    fn agree_with(&self, key_of: &KeyOf<'_>) -> bool {
        const SAMPLES: [&str; 4] = [
            "The Quick brown fox JUMPS over 13 lazy dogs; 1,234,567.89 (!) ~ _key/_from:x\ty",
            "0123456789012345678901234567890123456789012345678901234567890123456789",
            "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaA",
            "zAzB{}9z-z'z\\z",
        ];
        let singles = (0u8..128).map(|character| char::from(character).to_string());
        let doubles = (0u8..128).map(|character| format!("{0}{0}", char::from(character)));
        let long = SAMPLES.iter().map(|text| (*text).to_owned());
        singles.chain(doubles).chain(long).all(|text| {
            let (mut expected, mut assembled) = (Vec::new(), Vec::new());
            key_of(&text, &mut expected);
            self.write_key(&text, &mut assembled) && expected == assembled
        })
    }

    /// True for characters that collation ignores.
    pub(crate) fn ignores(&self, character: u8) -> bool {
        self.rank.get(usize::from(character)).is_some_and(|rank| *rank == 0)
    }

    /// The bytes that the primary weight of an ASCII character adds to the start of a sort key.
    pub(crate) fn primary_bytes(&self, character: u8) -> &[u8] {
        let primary = self.primary.get(usize::from(character));
        primary.and_then(|primary| primary.bytes.get(..usize::from(primary.len))).unwrap_or_default()
    }

    /// Compares by collation, then by bytes; `None` when the strings are not ASCII as far as it matters.
    #[inline]
    pub(crate) fn compare(&self, left: &[u8], right: &[u8]) -> Option<Ordering> {
        if !self.usable {
            return None;
        }
        let same = common_prefix(left, right);
        if same == left.len() && same == right.len() {
            return Some(Ordering::Equal);
        }
        if !left.get(..same)?.is_ascii() {
            return None;
        }
        self.compare_tails(left.get(same..)?, right.get(same..)?)
    }

    fn compare_tails(&self, left: &[u8], right: &[u8]) -> Option<Ordering> {
        let mut left_tail = Tail { bytes: left, rank: &self.rank };
        let mut right_tail = Tail { bytes: right, rank: &self.rank };
        let mut by_case = Ordering::Equal;
        loop {
            let (left_rank, left_character) = left_tail.next()?;
            let (right_rank, right_character) = right_tail.next()?;
            if left_rank != right_rank {
                // A non-ASCII character right after could change the weight just read.
                let decided = left_tail.next_is_ascii() && right_tail.next_is_ascii();
                return decided.then(|| left_rank.cmp(&right_rank));
            }
            if left_rank == 0 {
                return Some(by_case.then_with(|| left.cmp(right)));
            }
            if by_case == Ordering::Equal {
                // Same rank means the same letter, and upper-case letters have the smaller code.
                by_case = left_character.cmp(&right_character);
            }
        }
    }

    /// Appends ICU's sort key of `text`; false, with nothing appended, when `text` is not ASCII.
    pub(crate) fn write_key(&self, text: &str, out: &mut Vec<u8>) -> bool {
        if !self.usable || !text.is_ascii() {
            return false;
        }
        let weighted = self.write_primaries(text, out);
        out.push(LEVEL_SEPARATOR);
        SECONDARY_COMMON.write(weighted, out);
        out.push(LEVEL_SEPARATOR);
        self.write_tertiaries(text, out);
        true
    }

    /// Appends the primary level and returns the number of characters that count.
    fn write_primaries(&self, text: &str, out: &mut Vec<u8>) -> usize {
        let mut weighted = 0;
        let mut previous = Primary::default();
        for primary in text.bytes().filter_map(|character| self.primary.get(usize::from(character))) {
            let Some(weight) =
                primary.bytes.get(..usize::from(primary.len)).filter(|weight| !weight.is_empty())
            else {
                continue;
            };
            weighted += 1;
            let same_lead = previous.compressible && primary.bytes[0] == previous.bytes[0];
            if same_lead {
                out.extend_from_slice(weight.get(1..).unwrap_or_default());
            } else {
                if previous.compressible {
                    let rising = primary.bytes > previous.bytes;
                    out.push(if rising { COMPRESSION_HIGH } else { COMPRESSION_LOW });
                }
                out.extend_from_slice(weight);
            }
            previous = *primary;
        }
        weighted
    }

    /// Appends the plain string that has the sort key `key`; false when the key cannot be read.
    pub(crate) fn decode(&self, key: &[u8], text: &mut String) -> bool {
        let mut levels = key.split(|byte| *byte == LEVEL_SEPARATOR);
        let (Some(primaries), Some(_), Some(tertiaries)) = (levels.next(), levels.next(), levels.next())
        else {
            return false;
        };
        if !self.usable || !self.characters.complete {
            return false;
        }
        let mut weights = primaries.iter();
        // Lower-case characters still to come before the next upper-case one.
        let mut common = 0;
        let mut tertiaries = tertiaries.iter();
        while !weights.as_slice().is_empty() {
            while common == 0 {
                match tertiaries.next() {
                    Some(upper) if *upper == self.tertiary_upper => break,
                    Some(run) => common = TERTIARY_COMMON.read(*run),
                    None => return false,
                }
            }
            let Some(character) = self.characters.next(&mut weights) else { return false };
            let is_upper = common == 0;
            text.push(char::from(if is_upper { character.to_ascii_uppercase() } else { character }));
            common -= usize::from(!is_upper);
        }
        true
    }

    fn write_tertiaries(&self, text: &str, out: &mut Vec<u8>) {
        let mut common = 0;
        for character in text.bytes() {
            if character.is_ascii_uppercase() {
                TERTIARY_COMMON.write(common, out);
                common = 0;
                out.push(self.tertiary_upper);
            } else if !self.ignores(character) {
                common += 1;
            }
        }
        TERTIARY_COMMON.write(common, out);
    }
}

/// What is left of a string to compare.
struct Tail<'t> {
    bytes: &'t [u8],
    rank: &'t [u8; 128],
}

impl Tail<'_> {
    /// The next character that counts, with its rank; rank 0 at the end; `None` before a non-ASCII character.
    #[inline]
    fn next(&mut self) -> Option<(u8, u8)> {
        while let Some((&character, rest)) = self.bytes.split_first() {
            let rank = *self.rank.get(usize::from(character))?;
            self.bytes = rest;
            if rank != 0 {
                return Some((rank, character));
            }
        }
        Some((0, 0))
    }

    fn next_is_ascii(&self) -> bool {
        self.bytes.first().is_none_or(u8::is_ascii)
    }
}

/// Number of leading bytes that are the same in both.
#[inline]
fn common_prefix(left: &[u8], right: &[u8]) -> usize {
    const WORD: usize = 8;
    let words = left.chunks_exact(WORD).zip(right.chunks_exact(WORD));
    let start = words.take_while(|(left, right)| left == right).count() * WORD;
    let tails = left.iter().zip(right).skip(start);
    start + tails.take_while(|(left, right)| left == right).count()
}

/// Takes a character's primary weight out of its sort key and of that of the doubled character.
fn read_primary(character: u8, key_of: &KeyOf<'_>) -> Option<Primary> {
    let single = char::from(character).to_string();
    let mut key = Vec::new();
    key_of(&single, &mut key);
    let weight = key.split(|byte| *byte == LEVEL_SEPARATOR).next()?;
    let mut primary = Primary { len: u8::try_from(weight.len()).ok()?, ..Primary::default() };
    primary.bytes.get_mut(..weight.len())?.copy_from_slice(weight);

    let mut doubled = Vec::new();
    key_of(&single.repeat(2), &mut doubled);
    let doubled_weight = doubled.split(|byte| *byte == LEVEL_SEPARATOR).next()?;
    primary.compressible = doubled_weight.len() < 2 * weight.len();
    Some(primary)
}
