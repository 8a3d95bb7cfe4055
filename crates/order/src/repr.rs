//! The 16-byte representation of a [`Value`], and the only unsafe code of this crate.
//!
//! A value is two words. The first holds the tag in its low byte and a byte length above it; the second holds
//! either the scalar's bits or a pointer to borrowed bytes. Which of the two is decided by the tag alone, and
//! the tag is set only by the constructors of this file, together with the payload that belongs to it.
#![allow(unsafe_code)]

use std::marker::PhantomData;

use persea_vpack::Slice;

use crate::view::View;

/// What the payload of a [`Value`] means. Order of the numbers is free; only this file reads them.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Tag {
    Null,
    False,
    True,
    Int,
    UInt,
    Double,
    Str,
    Array,
    Object,
    Range,
}

/// The tag's bits in the head word.
const TAG_BITS: u32 = 8;
/// Longest borrowed byte string: 2^56 - 1 bytes, more than any address space holds.
const LEN_MAX: u64 = (1 << (64 - TAG_BITS)) - 1;

#[derive(Clone, Copy)]
union Payload {
    bits: u64,
    bytes: *const u8,
    range: *const (i64, i64),
}

/// One AQL value: a scalar, or a borrowed string, array, object or range.
///
/// Sixteen bytes, `Copy`, and never owning: `'a` is the lifetime of the snapshot, the parsed text or the arena
/// that holds the bytes. Numbers are kept in one normal form: a `u64` that fits an `i64` is an integer, and a
/// double that is not finite is `null`.
///
/// ```
/// use persea_order::{Value, View, compare};
/// use std::cmp::Ordering;
///
/// let one = Value::from_i64(1);
/// assert!(matches!(one.view(), View::Int(1)));
/// assert_eq!(compare(one, Value::from_f64(1.0)), Ordering::Equal);
/// assert_eq!(compare(one, Value::from_str("1")), Ordering::Less);
/// assert_eq!(std::mem::size_of::<Value>(), 16);
/// ```
#[derive(Clone, Copy)]
pub struct Value<'a> {
    head: u64,
    payload: Payload,
    borrowed: PhantomData<&'a [u8]>,
}

const _: () = assert!(size_of::<Value<'static>>() == 16);

// SAFETY: a `Value` is a scalar or a shared borrow of immutable data (`&'a [u8]`, `&'a str`, `&'a (i64, i64)`),
// all of which may be sent to and shared with other threads.
unsafe impl Send for Value<'_> {}
// SAFETY: as above; no method changes anything through the pointer.
unsafe impl Sync for Value<'_> {}

impl<'a> Value<'a> {
    /// The value `null`.
    pub const NULL: Value<'static> = Value::scalar(Tag::Null, 0);
    /// The value `true`.
    pub const TRUE: Value<'static> = Value::scalar(Tag::True, 0);
    /// The value `false`.
    pub const FALSE: Value<'static> = Value::scalar(Tag::False, 0);

    const fn scalar(tag: Tag, bits: u64) -> Value<'a> {
        Value { head: tag as u64, payload: Payload { bits }, borrowed: PhantomData }
    }

    const fn bytes(tag: Tag, bytes: &'a [u8]) -> Value<'a> {
        let len = bytes.len() as u64;
        assert!(len <= LEN_MAX);
        Value {
            head: tag as u64 | len << TAG_BITS,
            payload: Payload { bytes: bytes.as_ptr() },
            borrowed: PhantomData,
        }
    }

    /// The boolean `value`.
    pub const fn from_bool(value: bool) -> Value<'a> {
        Value::scalar(if value { Tag::True } else { Tag::False }, 0)
    }

    /// The integer `value`.
    pub const fn from_i64(value: i64) -> Value<'a> {
        Value::scalar(Tag::Int, value as u64)
    }

    /// The integer `value`; one that fits an `i64` becomes [`View::Int`].
    pub const fn from_u64(value: u64) -> Value<'a> {
        Value::scalar(if value <= i64::MAX as u64 { Tag::Int } else { Tag::UInt }, value)
    }

    /// The number `value`, or `null` when it is not finite.
    pub const fn from_f64(value: f64) -> Value<'a> {
        if value.is_finite() { Value::scalar(Tag::Double, value.to_bits()) } else { Value::NULL }
    }

    /// The string `value`, borrowed.
    #[allow(clippy::should_implement_trait, reason = "infallible and borrowing, unlike `FromStr`")]
    pub const fn from_str(value: &'a str) -> Value<'a> {
        Value::bytes(Tag::Str, value.as_bytes())
    }

    /// The range from `bounds.0` to `bounds.1`, both inclusive, descending when the first is greater.
    pub const fn range(bounds: &'a (i64, i64)) -> Value<'a> {
        Value {
            head: Tag::Range as u64,
            payload: Payload { range: std::ptr::from_ref(bounds) },
            borrowed: PhantomData,
        }
    }

    /// Borrows the array that `slice` is. Only for slices whose kind is array.
    pub(crate) fn array(slice: Slice<'a>) -> Value<'a> {
        Value::bytes(Tag::Array, slice.bytes())
    }

    /// Borrows the object that `slice` is. Only for slices whose kind is object.
    pub(crate) fn object(slice: Slice<'a>) -> Value<'a> {
        Value::bytes(Tag::Object, slice.bytes())
    }

    /// The value taken apart.
    #[inline]
    pub fn view(&self) -> View<'a> {
        const NULL: u8 = Tag::Null as u8;
        const FALSE: u8 = Tag::False as u8;
        const TRUE: u8 = Tag::True as u8;
        const INT: u8 = Tag::Int as u8;
        const UINT: u8 = Tag::UInt as u8;
        const DOUBLE: u8 = Tag::Double as u8;
        const STR: u8 = Tag::Str as u8;
        const ARRAY: u8 = Tag::Array as u8;
        const OBJECT: u8 = Tag::Object as u8;
        const RANGE: u8 = Tag::Range as u8;
        match self.head as u8 {
            NULL => View::Null,
            FALSE => View::Bool(false),
            TRUE => View::Bool(true),
            INT => View::Int(self.bits() as i64),
            UINT => View::UInt(self.bits()),
            DOUBLE => View::Double(f64::from_bits(self.bits())),
            // SAFETY: the tag is only set by `from_str`, whose argument was UTF-8 and outlives `'a`.
            STR => View::Str(unsafe { std::str::from_utf8_unchecked(self.borrowed_bytes()) }),
            // SAFETY: the tags are only set by `bytes`, from a slice that outlives `'a`.
            ARRAY => View::Array(Slice::trusted(unsafe { self.borrowed_bytes() })),
            // SAFETY: as above.
            OBJECT => View::Object(Slice::trusted(unsafe { self.borrowed_bytes() })),
            RANGE => {
                // SAFETY: the tag is only set by `range`, from a reference that outlives `'a`.
                let (first, last) = unsafe { *self.payload.range };
                View::Range(first, last)
            }
            _ => View::Null,
        }
    }

    /// True for `null`, without taking the value apart.
    #[inline]
    pub const fn is_null(&self) -> bool {
        self.head as u8 == Tag::Null as u8
    }

    #[inline]
    fn bits(&self) -> u64 {
        // SAFETY: called for scalar tags only, whose constructor `scalar` wrote `bits`.
        unsafe { self.payload.bits }
    }

    /// # Safety
    ///
    /// The tag must be one that [`Value::bytes`] set.
    #[inline]
    unsafe fn borrowed_bytes(&self) -> &'a [u8] {
        let len = (self.head >> TAG_BITS) as usize;
        // SAFETY: by the condition above the payload came from a `&'a [u8]` of `len` bytes.
        unsafe { std::slice::from_raw_parts(self.payload.bytes, len) }
    }
}
