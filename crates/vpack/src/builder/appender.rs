//! Writing one value whose parts come in legal order by construction, as a parser's do.

use super::encode::{Encoder, Frame};
use crate::Error;

/// Writes one value without checking that its parts come in a legal order.
///
/// For parsers: a grammar already makes sure that each member of an object has a key, that brackets match and that
/// nothing is nested deeper than [`DEPTH_MAX`](crate::DEPTH_MAX). The caller keeps what [`open_array`] and
/// [`open_object`] return, and gives it back to [`member`], [`key`] and the closing call. A wrong order does no harm
/// beyond bytes that are no VelocyPack.
///
/// ```
/// use persea_vpack::Builder;
///
/// let mut builder = Builder::new();
/// let mut appender = builder.append().ok_or("no value is due")?;
/// let object = appender.open_object(0);
/// appender.key(&object, b"numbers");
/// let array = appender.open_array(1);
/// for number in [1, 2, 300] {
///     appender.member(&array);
///     appender.add_u64(number);
/// }
/// appender.close_array(array);
/// appender.close_object(object)?;
/// assert_eq!(builder.finish()?.to_string(), r#"{"numbers":[1,2,300]}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`open_array`]: Appender::open_array
/// [`open_object`]: Appender::open_object
/// [`member`]: Appender::member
/// [`key`]: Appender::key
#[derive(Debug)]
pub struct Appender<'b> {
    encoder: &'b mut Encoder,
    depth: usize,
}

/// An array or object that an [`Appender`] is in.
#[derive(Debug)]
#[must_use]
pub struct Open(Frame);

impl<'b> Appender<'b> {
    pub(super) fn new(encoder: &'b mut Encoder, depth: usize) -> Appender<'b> {
        Appender { encoder, depth }
    }

    /// How many containers are open around the value.
    #[inline]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Writes `null`.
    #[inline]
    pub fn add_null(&mut self) {
        self.encoder.byte(0x18);
    }

    /// Writes a boolean.
    #[inline]
    pub fn add_bool(&mut self, value: bool) {
        self.encoder.byte(0x19 + u8::from(value));
    }

    /// Writes an integer in its shortest form.
    #[inline]
    pub fn add_i64(&mut self, value: i64) {
        self.encoder.i64(value);
    }

    /// Writes an unsigned integer in its shortest form.
    #[inline]
    pub fn add_u64(&mut self, value: u64) {
        self.encoder.u64(value);
    }

    /// Writes an integer in its shortest form, given by its sign and its magnitude.
    ///
    /// The magnitude of a negative number is at most 2^63.
    #[inline(always)]
    pub fn add_integer(&mut self, negative: bool, magnitude: u64) {
        self.encoder.integer(negative, magnitude);
    }

    /// Writes a double; what is not finite becomes `null`.
    #[inline]
    pub fn add_f64(&mut self, value: f64) {
        self.encoder.f64(value);
    }

    /// Writes a double that is known to be finite.
    #[inline(always)]
    pub fn add_finite_f64(&mut self, value: f64) {
        self.encoder.finite_f64(value);
    }

    /// Writes a string whose bytes are UTF-8.
    #[inline]
    pub fn add_text(&mut self, text: &[u8]) {
        self.encoder.text(text);
    }

    /// Writes a string that is the first `length` bytes of a block of at most 126 bytes; these are UTF-8.
    ///
    /// Cheaper than [`add_text`](Appender::add_text): the block is copied as a whole.
    #[inline(always)]
    pub fn add_short_text<const N: usize>(&mut self, block: &[u8; N], length: usize) {
        self.encoder.short_text(block, length);
    }

    /// Opens an array with `depth` containers of this value around it.
    #[inline]
    pub fn open_array(&mut self, depth: usize) -> Open {
        Open(self.encoder.open_array(self.depth + depth))
    }

    /// Marks the start of the next member of the innermost open array.
    #[inline(always)]
    pub fn member(&mut self, array: &Open) {
        self.encoder.member(&array.0);
    }

    /// Closes the innermost open array.
    #[inline]
    pub fn close_array(&mut self, array: Open) {
        self.encoder.close_array(&array.0);
    }

    /// Opens an object with `depth` containers of this value around it.
    #[inline]
    pub fn open_object(&mut self, depth: usize) -> Open {
        Open(self.encoder.open_object(self.depth + depth))
    }

    /// Names the next value of the innermost open object; the bytes are UTF-8.
    #[inline]
    pub fn key(&mut self, object: &Open, name: &[u8]) {
        self.encoder.key(&object.0, name);
    }

    /// Names the next value by the first `length` bytes of a block of at most 126 bytes; these are UTF-8.
    #[inline(always)]
    pub fn short_key<const N: usize>(&mut self, object: &Open, block: &[u8; N], length: usize) {
        self.encoder.short_key(&object.0, block, length);
    }

    /// The same with the first eight bytes of the name, filled up with zeros, as a big-endian number.
    #[inline(always)]
    pub fn known_key<const N: usize>(&mut self, object: &Open, block: &[u8; N], length: usize, prefix: u64) {
        self.encoder.known_key(&object.0, block, length, prefix);
    }

    /// Closes the innermost open object.
    ///
    /// # Errors
    /// [`Error::DuplicateKey`] when the builder is to refuse keys that occur twice. The builder must be cleared then.
    #[inline]
    pub fn close_object(&mut self, object: Open) -> Result<(), Error> {
        self.encoder.close_object(&object.0)
    }
}
