//! The kinds of values, derived from the first byte alone.

/// What a value is; widths and layouts of the same kind are not told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// No value: the answer for bytes that hold none. Never part of valid data.
    None,
    /// `null`.
    Null,
    /// `false` or `true`.
    Bool,
    /// A signed integer, including the one-byte integers -6 to 9.
    Int,
    /// An unsigned integer.
    UInt,
    /// An IEEE-754 double.
    Double,
    /// Milliseconds since 1970 in UTC.
    UtcDate,
    /// A UTF-8 string.
    String,
    /// Raw bytes.
    Binary,
    /// A packed decimal number.
    Bcd,
    /// An array.
    Array,
    /// An object.
    Object,
    /// A value behind a one- or eight-byte tag.
    Tagged,
    /// Application-defined bytes.
    Custom,
    /// A memory address; refused wherever bytes come from outside.
    External,
    /// Smaller than every other value.
    MinKey,
    /// Greater than every other value.
    MaxKey,
    /// A reserved or illegal first byte.
    Illegal,
}

impl Kind {
    /// The kind of the value that starts with `head`.
    #[inline]
    pub const fn of(head: u8) -> Kind {
        KINDS[head as usize]
    }
}

const KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Illegal; 256];
    let mut head = 0;
    while head < 256 {
        kinds[head] = classify(head as u8);
        head += 1;
    }
    kinds
};

const fn classify(head: u8) -> Kind {
    match head {
        0x00 => Kind::None,
        0x01..=0x09 | 0x13 => Kind::Array,
        0x0a..=0x12 | 0x14 => Kind::Object,
        0x18 => Kind::Null,
        0x19 | 0x1a => Kind::Bool,
        0x1b => Kind::Double,
        0x1c => Kind::UtcDate,
        0x1d => Kind::External,
        0x1e => Kind::MinKey,
        0x1f => Kind::MaxKey,
        0x20..=0x27 | 0x30..=0x3f => Kind::Int,
        0x28..=0x2f => Kind::UInt,
        0x40..=0xbf => Kind::String,
        0xc0..=0xc7 => Kind::Binary,
        0xc8..=0xd7 => Kind::Bcd,
        0xee | 0xef => Kind::Tagged,
        0xf0..=0xff => Kind::Custom,
        _ => Kind::Illegal,
    }
}
