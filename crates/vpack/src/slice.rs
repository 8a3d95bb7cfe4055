//! The view on one value: what it is and its scalar content.

use crate::container::{ArrayIter, ObjectIter};
use crate::layout::{read_uint, tags_size, value_size};
use crate::{Kind, utf8};

/// A view on exactly one VelocyPack value, wherever its bytes lie.
///
/// A slice is two words, is copied freely and never owns anything. All accessors are total: on bytes that break
/// the format they answer `None`, zero or an empty iterator, but they never panic and never read elsewhere.
///
/// Slices have no equality of their own, because equal values can have several encodings; compare
/// [`bytes`](Slice::bytes) where the encoding is meant.
#[derive(Clone, Copy)]
pub struct Slice<'a>(&'a [u8]);

impl<'a> Slice<'a> {
    /// No value at all.
    pub const NONE: Slice<'static> = Slice(&[0x00]);
    /// `null`.
    pub const NULL: Slice<'static> = Slice(&[0x18]);
    /// `false`.
    pub const FALSE: Slice<'static> = Slice(&[0x19]);
    /// `true`.
    pub const TRUE: Slice<'static> = Slice(&[0x1a]);
    /// `[]`.
    pub const EMPTY_ARRAY: Slice<'static> = Slice(&[0x01]);
    /// `{}`.
    pub const EMPTY_OBJECT: Slice<'static> = Slice(&[0x0a]);
    /// The integer 0.
    pub const ZERO: Slice<'static> = Slice(&[0x30]);
    /// The empty string.
    pub const EMPTY_STRING: Slice<'static> = Slice(&[0x40]);
    /// The value before all others.
    pub const MIN_KEY: Slice<'static> = Slice(&[0x1e]);
    /// The value after all others.
    pub const MAX_KEY: Slice<'static> = Slice(&[0x1f]);

    /// No value at all.
    pub const fn none() -> Slice<'static> {
        Slice::NONE
    }

    /// `null`.
    pub const fn null() -> Slice<'static> {
        Slice::NULL
    }

    /// A boolean.
    pub const fn bool(value: bool) -> Slice<'static> {
        if value { Slice::TRUE } else { Slice::FALSE }
    }

    /// `[]`.
    pub const fn empty_array() -> Slice<'static> {
        Slice::EMPTY_ARRAY
    }

    /// `{}`.
    pub const fn empty_object() -> Slice<'static> {
        Slice::EMPTY_OBJECT
    }

    /// Views the value at the start of bytes that were validated before.
    ///
    /// The view is cut to that value's size; bytes behind it are ignored. When `bytes` do not start with a complete
    /// value, the view is [`Slice::NONE`].
    #[inline]
    pub fn trusted(bytes: &'a [u8]) -> Slice<'a> {
        match value_size(bytes) {
            Some(size) => Slice(bytes.get(..size).unwrap_or(&[0x00])),
            None => Slice::NONE,
        }
    }

    /// Like [`trusted`](Slice::trusted), `None` instead of [`Slice::NONE`].
    #[inline]
    pub(crate) fn first_of(bytes: &'a [u8]) -> Option<Slice<'a>> {
        bytes.get(..value_size(bytes)?).map(Slice)
    }

    /// The bytes of the value, all of them and nothing else.
    #[inline]
    pub const fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// Size of the value in bytes, at least 1.
    #[inline]
    pub const fn byte_size(self) -> usize {
        self.0.len()
    }

    /// The first byte, which decides kind and layout.
    #[inline]
    pub fn head(self) -> u8 {
        self.0.first().copied().unwrap_or(0)
    }

    /// What the value is.
    #[inline]
    pub fn kind(self) -> Kind {
        Kind::of(self.head())
    }

    /// Whether there is no value.
    #[inline]
    pub fn is_none(self) -> bool {
        self.head() == 0x00
    }

    /// Whether the value is `null`.
    #[inline]
    pub fn is_null(self) -> bool {
        self.head() == 0x18
    }

    /// Whether the value is a boolean.
    #[inline]
    pub fn is_bool(self) -> bool {
        matches!(self.head(), 0x19 | 0x1a)
    }

    /// Whether the value is the boolean `true`.
    #[inline]
    pub fn is_true(self) -> bool {
        self.head() == 0x1a
    }

    /// Whether the value is the boolean `false`.
    #[inline]
    pub fn is_false(self) -> bool {
        self.head() == 0x19
    }

    /// Whether the value is an integer or a double. Dates and packed decimals are not numbers in this sense.
    #[inline]
    pub fn is_number(self) -> bool {
        matches!(self.head(), 0x1b | 0x20..=0x3f)
    }

    /// Whether the value is an integer of any width and sign.
    #[inline]
    pub fn is_integer(self) -> bool {
        matches!(self.head(), 0x20..=0x3f)
    }

    /// Whether the value is a double.
    #[inline]
    pub fn is_double(self) -> bool {
        self.head() == 0x1b
    }

    /// Whether the value is a string.
    #[inline]
    pub fn is_string(self) -> bool {
        matches!(self.head(), 0x40..=0xbf)
    }

    /// Whether the value is an array.
    #[inline]
    pub fn is_array(self) -> bool {
        matches!(self.head(), 0x01..=0x09 | 0x13)
    }

    /// Whether the value is an object.
    #[inline]
    pub fn is_object(self) -> bool {
        matches!(self.head(), 0x0a..=0x12 | 0x14)
    }

    /// The boolean.
    #[inline]
    pub fn as_bool(self) -> Option<bool> {
        match self.head() {
            0x19 => Some(false),
            0x1a => Some(true),
            _ => None,
        }
    }

    /// The number, when it is integral and fits: any integer encoding, or a double without a fraction.
    #[inline]
    pub fn as_i64(self) -> Option<i64> {
        match self.head() {
            head @ 0x30..=0x39 => Some(i64::from(head - 0x30)),
            head @ 0x3a..=0x3f => Some(i64::from(head) - 0x40),
            0x28..=0x2f => i64::try_from(self.unsigned()?).ok(),
            0x20..=0x27 => self.signed(),
            0x1b => integral(self.double()?),
            _ => None,
        }
    }

    /// The number, when it is integral, not negative and fits: any integer encoding, or a double without a fraction.
    #[inline]
    pub fn as_u64(self) -> Option<u64> {
        match self.head() {
            head @ 0x30..=0x39 => Some(u64::from(head - 0x30)),
            0x28..=0x2f => self.unsigned(),
            0x20..=0x27 => u64::try_from(self.signed()?).ok(),
            0x1b => {
                let double = self.double()?;
                // 2^64; the largest double below it converts exactly.
                let fits = (0.0..18_446_744_073_709_551_616.0).contains(&double) && double.fract() == 0.0;
                fits.then_some(double as u64)
            }
            _ => None,
        }
    }

    /// The number as a double; integers beyond 2^53 are rounded.
    #[inline]
    pub fn as_f64(self) -> Option<f64> {
        match self.head() {
            0x1b => self.double(),
            0x28..=0x2f => self.unsigned().map(|number| number as f64),
            0x20..=0x27 | 0x30..=0x3f => self.as_i64().map(|number| number as f64),
            _ => None,
        }
    }

    /// Milliseconds since 1970 of a date.
    #[inline]
    pub fn as_utc_date(self) -> Option<i64> {
        if self.head() != 0x1c {
            return None;
        }
        read_uint(self.0, 1, 8).map(|bits| bits as i64)
    }

    /// The text of a string; `None` for other kinds and for bytes that are not UTF-8.
    #[inline]
    pub fn as_str(self) -> Option<&'a str> {
        utf8::text(self.as_str_bytes()?)
    }

    /// The bytes of a string, not checked for UTF-8.
    #[inline]
    pub fn as_str_bytes(self) -> Option<&'a [u8]> {
        match self.head() {
            0x40..=0xbe => self.0.get(1..),
            0xbf => self.0.get(9..),
            _ => None,
        }
    }

    /// The payload of a binary value.
    pub fn as_binary(self) -> Option<&'a [u8]> {
        match self.head() {
            head @ 0xc0..=0xc7 => self.0.get(1 + usize::from(head - 0xbf)..),
            _ => None,
        }
    }

    /// A packed decimal number in scientific notation, for example `-12345e-2`.
    ///
    /// Digits come as stored; `None` for other kinds and for nibbles that are no digits.
    pub fn as_decimal(self) -> Option<String> {
        let (sign, width) = match self.head() {
            head @ 0xc8..=0xcf => ("", usize::from(head - 0xc7)),
            head @ 0xd0..=0xd7 => ("-", usize::from(head - 0xcf)),
            _ => return None,
        };
        let exponent = read_uint(self.0, 1 + width, 4)? as u32 as i32;
        let mantissa = self.0.get(1 + width + 4..)?;
        let mut digits = String::with_capacity(2 * mantissa.len() + 1);
        for nibble in mantissa.iter().flat_map(|byte| [byte >> 4, byte & 0xf]) {
            digits.push(char::from_digit(u32::from(nibble), 10)?);
        }
        let digits = match digits.trim_start_matches('0') {
            "" => "0",
            significant => significant,
        };
        Some(format!("{sign}{digits}e{exponent}"))
    }

    /// The tag before a tagged value; the outermost one when there are several.
    pub fn tag(self) -> Option<u64> {
        match self.head() {
            0xee => read_uint(self.0, 1, 1),
            0xef => read_uint(self.0, 1, 8),
            _ => None,
        }
    }

    /// The value behind all tags; the value itself when it has none.
    #[inline]
    pub fn untagged(self) -> Slice<'a> {
        if !matches!(self.head(), 0xee | 0xef) {
            return self;
        }
        let inner = tags_size(self.0).and_then(|tags| self.0.get(tags..));
        inner.and_then(Slice::first_of).unwrap_or(Slice::NONE)
    }

    /// The members of an array in order; empty for other kinds.
    #[inline]
    pub fn array_iter(self) -> ArrayIter<'a> {
        ArrayIter::new(self)
    }

    /// Keys and values of an object in stored order; empty for other kinds.
    #[inline]
    pub fn object_iter(self) -> ObjectIter<'a> {
        ObjectIter::new(self)
    }

    #[inline]
    fn double(self) -> Option<f64> {
        read_uint(self.0, 1, 8).map(f64::from_bits)
    }

    #[inline]
    fn unsigned(self) -> Option<u64> {
        read_uint(self.0, 1, self.0.len() - 1)
    }

    #[inline]
    fn signed(self) -> Option<i64> {
        let width = self.0.len() - 1;
        let unused_bits = 64 - 8 * width as u32;
        let bits = read_uint(self.0, 1, width)?;
        // Moves the sign bit to the top, then back down with its copies.
        Some((bits << unused_bits) as i64 >> unused_bits)
    }
}

fn integral(double: f64) -> Option<i64> {
    // 2^63 is the first double that does not fit.
    let fits = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&double);
    (fits && double.fract() == 0.0).then_some(double as i64)
}

impl Default for Slice<'_> {
    fn default() -> Self {
        Slice::NULL
    }
}
