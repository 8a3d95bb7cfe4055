//! The attribute names that objects of a kind had last time.
//!
//! Most objects have the same names in the same order as one before them. A name that was foretold needs no search for
//! its end, and the processor need not wait for that end before it looks at the value.

use crate::block::{BLOCK, Block};

/// How many kinds of objects are told apart; a power of two.
const KINDS: usize = 32;
/// How many names of an object are remembered.
const NAMES_MAX: usize = 32;
/// Longest name, with quotes and colon, that is remembered.
const RAW_MAX: usize = 2 * BLOCK;
/// Nothing is remembered before this many names were read, so that it costs nothing to parse a small document alone.
const NAMES_UNTRIED: u32 = 32;

/// The kind of an object: in which attribute of which kind it was found. Members of an array are of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Kind(u8);

/// What is remembered; survives from text to text.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shapes {
    /// Room for [`NAMES_MAX`] names for each kind, or none at all.
    names: Vec<Name>,
    names_seen: u32,
}

/// A name as it stands in the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Name {
    /// Quote, name, quote and colon, filled up with zeros.
    raw: [u8; RAW_MAX],
    /// The first eight bytes of the name as a big-endian number.
    prefix: u64,
    /// More than [`RAW_MAX`] when there is no name.
    raw_length: u8,
    /// The kind of objects in this attribute.
    pub(super) kind: Kind,
}

const NO_NAME: Name = Name { raw: [0; RAW_MAX], prefix: 0, raw_length: u8::MAX, kind: Kind(0) };

impl Shapes {
    /// The name that is foretold as the one at this position.
    #[inline(always)]
    pub(super) fn name(&self, kind: Kind, index: usize) -> Option<&Name> {
        if index >= NAMES_MAX {
            return None;
        }
        self.names.get(usize::from(kind.0) * NAMES_MAX + index)
    }

    /// Remembers a name, from quote to colon, for next time; returns the kind of objects in this attribute.
    #[inline(never)]
    pub(super) fn learn(&mut self, kind: Kind, index: usize, raw: &[u8]) -> Kind {
        if self.names_seen < NAMES_UNTRIED {
            self.names_seen += 1;
            return kind;
        }
        if self.names.is_empty() {
            self.names.resize(KINDS * NAMES_MAX, NO_NAME);
        }
        let mut name = Name { raw_length: raw.len().min(RAW_MAX) as u8, ..NO_NAME };
        name.raw.iter_mut().zip(raw).for_each(|(target, byte)| *target = *byte);
        let words = name.raw.as_chunks::<8>().0.iter();
        let hash = words.fold(u64::from(kind.0) + 1, |hash, word| {
            (hash.rotate_left(23) ^ u64::from_le_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        name.kind = Kind((hash >> (64 - KINDS.trailing_zeros())) as u8);
        // Names that are written in another way than they are kept cannot be copied from the text.
        if let [b'"', text @ .., b'"', b':'] = raw
            && !text.contains(&b'\\')
            && raw.len() <= RAW_MAX
            && index < NAMES_MAX
            && let Some(place) = self.names.get_mut(usize::from(kind.0) * NAMES_MAX + index)
        {
            let mut first = [0; 8];
            first.iter_mut().zip(text).for_each(|(target, byte)| *target = *byte);
            name.prefix = u64::from_be_bytes(first);
            *place = name;
        }
        name.kind
    }
}

impl Name {
    /// Whether the text goes on with this name.
    #[inline(always)]
    pub(super) fn starts(&self, text: &[u8; RAW_MAX]) -> bool {
        // Bits behind the name do not count.
        let different = !Block::equal_bytes(&self.raw, text, 0) | 1 << BLOCK;
        if usize::from(self.raw_length) <= BLOCK {
            return different.trailing_zeros() >= u32::from(self.raw_length);
        }
        let more = !Block::equal_bytes(&self.raw, text, BLOCK) | 1 << BLOCK;
        different == 0xffff_0000 | 1 << BLOCK
            && BLOCK as u32 + more.trailing_zeros() >= u32::from(self.raw_length)
    }

    /// The same near the end of the text.
    #[inline(never)]
    pub(super) fn starts_short(&self, text: &[u8]) -> bool {
        self.raw.get(..self.raw_length()).is_some_and(|raw| text.starts_with(raw))
    }

    /// The first eight bytes as [`persea_vpack::Appender::known_key`] wants them.
    #[inline(always)]
    pub(super) fn prefix(&self) -> u64 {
        self.prefix
    }

    /// Bytes of the name with quotes and colon.
    #[inline(always)]
    pub(super) fn raw_length(&self) -> usize {
        usize::from(self.raw_length)
    }

    /// The name and what is behind it, and the length of the name.
    #[inline(always)]
    pub(super) fn block(&self) -> (&[u8; RAW_MAX - 1], usize) {
        let [_, block @ ..] = &self.raw;
        (block, usize::from(self.raw_length).saturating_sub(3))
    }
}
