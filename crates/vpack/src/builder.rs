//! Writing values: a push interface over one reused buffer.

mod close;

use crate::{DEPTH_MAX, Error, Slice, VPackBuf, attribute_code};

/// Length and count of a container are reserved at their widest and shrunk when it is closed.
const HEADER_RESERVED: usize = 9;

/// Builds one VelocyPack value from front to back.
///
/// Values are pushed in order; in an object each value follows its [`key`](Builder::key). Misuse, such as a value
/// without a key, is remembered and reported by [`finish`](Builder::finish) or [`as_slice`](Builder::as_slice), so
/// that the calls in between need no checks. No call allocates once the buffers have grown.
///
/// Objects keep the order of insertion and get a sorted offset table; of several values for one key the last stays.
///
/// ```
/// use persea_vpack::Builder;
///
/// let mut builder = Builder::new();
/// builder.open_object();
/// builder.key("name").add_str("Ada");
/// builder.key("tags").open_array().add_i64(1).add_i64(2).close();
/// builder.close();
/// let value = builder.finish()?;
/// assert_eq!(value.to_string(), r#"{"name":"Ada","tags":[1,2]}"#);
/// # Ok::<(), persea_vpack::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Builder {
    buffer: Vec<u8>,
    /// The members of all open containers, innermost last.
    index: Vec<Entry>,
    /// The containers around the current one.
    outer: Vec<Frame>,
    current: Frame,
    translate: bool,
    reject_duplicates: bool,
    error: Option<Error>,
}

/// Where a member lies, and enough of its key to sort most objects by.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// The first eight bytes of the key as a big-endian number, filled up with zeros; 0 in arrays.
    prefix: u64,
    /// Offset from the start of the container.
    offset: usize,
}

/// The container being written.
#[derive(Debug, Clone, Copy, Default)]
struct Frame {
    /// Offset of its first byte.
    start: usize,
    /// Where its offsets begin in the index.
    index_start: usize,
    state: State,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    /// Outside of any container, nothing written.
    #[default]
    Root,
    /// Outside of any container, the value is complete.
    Done,
    /// In an array.
    Array,
    /// In an object, a key is due.
    Key,
    /// In an object, the value of a key is due.
    Value,
    /// Misused; nothing more is written.
    Failed,
}

impl Builder {
    /// An empty builder.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// An empty builder with room for a value of about `bytes`.
    pub fn with_capacity(bytes: usize) -> Builder {
        Builder { buffer: Vec::with_capacity(bytes), ..Builder::default() }
    }

    /// Whether keys that are system attribute names are abbreviated to one byte, the stored form. Off by default.
    #[must_use]
    pub fn with_attribute_translation(mut self, translate: bool) -> Builder {
        self.translate = translate;
        self
    }

    /// Whether a key that occurs twice in one object is an error instead of its last value being kept.
    pub fn reject_duplicates(&mut self, reject: bool) -> &mut Builder {
        self.reject_duplicates = reject;
        self
    }

    /// Forgets everything written but keeps the memory.
    pub fn clear(&mut self) -> &mut Builder {
        self.buffer.clear();
        self.index.clear();
        self.outer.clear();
        self.current = Frame::default();
        self.error = None;
        self
    }

    /// Whether nothing has been written.
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Number of containers open.
    pub fn depth(&self) -> usize {
        self.outer.len()
    }

    /// Pushes `null`.
    #[inline]
    pub fn add_null(&mut self) -> &mut Builder {
        self.add_byte(0x18)
    }

    /// Pushes a boolean.
    #[inline]
    pub fn add_bool(&mut self, value: bool) -> &mut Builder {
        self.add_byte(0x19 + u8::from(value))
    }

    /// Pushes an integer in its shortest form.
    #[inline]
    pub fn add_i64(&mut self, value: i64) -> &mut Builder {
        match u64::try_from(value) {
            Ok(value) => self.add_u64(value),
            Err(_) if value >= -6 => self.add_byte((0x40 + value) as u8),
            Err(_) => self.add_negative(value),
        }
    }

    /// Pushes an unsigned integer in its shortest form.
    #[inline]
    pub fn add_u64(&mut self, value: u64) -> &mut Builder {
        if value <= 9 {
            return self.add_byte(0x30 + value as u8);
        }
        let width = 8 - value.leading_zeros() as usize / 8;
        self.add_number(0x27 + width as u8, value, width)
    }

    fn add_negative(&mut self, value: i64) -> &mut Builder {
        // One bit more than the magnitude needs, for the sign.
        let width = (65 - value.leading_ones() as usize).div_ceil(8);
        self.add_number(0x1f + width as u8, value as u64, width)
    }

    /// Pushes a double; what is not finite becomes `null`. Always stored as a double, even without a fraction.
    #[inline]
    pub fn add_f64(&mut self, value: f64) -> &mut Builder {
        if !value.is_finite() {
            return self.add_null();
        }
        self.add_number(0x1b, value.to_bits(), 8)
    }

    /// Pushes a date in milliseconds since 1970.
    pub fn add_utc_date(&mut self, milliseconds: i64) -> &mut Builder {
        self.add_number(0x1c, milliseconds as u64, 8)
    }

    /// Pushes a string.
    #[inline]
    pub fn add_str(&mut self, value: &str) -> &mut Builder {
        if self.begin_value() {
            self.put_str(value);
        }
        self
    }

    /// Pushes raw bytes.
    pub fn add_binary(&mut self, value: &[u8]) -> &mut Builder {
        if self.begin_value() {
            let length = value.len() as u64;
            let width = (8 - length.leading_zeros() as usize / 8).max(1);
            self.put_number(0xbf + width as u8, length, width);
            self.buffer.extend_from_slice(value);
        }
        self
    }

    /// Pushes the value smaller than all others.
    pub fn add_min_key(&mut self) -> &mut Builder {
        self.add_byte(0x1e)
    }

    /// Pushes the value greater than all others.
    pub fn add_max_key(&mut self) -> &mut Builder {
        self.add_byte(0x1f)
    }

    /// Pushes a copy of a value as it is encoded. [`Slice::NONE`] becomes `null`.
    #[inline]
    pub fn add_slice(&mut self, value: Slice<'_>) -> &mut Builder {
        if value.is_none() {
            return self.add_null();
        }
        if self.begin_value() {
            self.buffer.extend_from_slice(value.bytes());
        }
        self
    }

    /// Pushes a value in the form that clients understand: abbreviated attribute names written out, in all depths.
    pub fn add_slice_expanded(&mut self, value: Slice<'_>) -> &mut Builder {
        let translate = std::mem::replace(&mut self.translate, false);
        self.expand(value);
        self.translate = translate;
        self
    }

    fn expand(&mut self, value: Slice<'_>) {
        // Opening fails beyond the depth limit, which ends the recursion.
        if value.is_object() && !value.is_empty() {
            self.open_object();
            for (name, member) in value.object_iter() {
                self.key(name).expand(member);
            }
            self.close();
        } else if value.is_array() && value.array_iter().any(|member| member.is_object() || member.is_array())
        {
            self.open_array();
            for member in value.array_iter() {
                self.expand(member);
            }
            self.close();
        } else {
            self.add_slice(value);
        }
    }

    /// Opens an array; its members follow, then [`close`](Builder::close).
    #[inline]
    pub fn open_array(&mut self) -> &mut Builder {
        self.open(0x06, State::Array)
    }

    /// Opens an object; keys and values follow in turn, then [`close`](Builder::close).
    #[inline]
    pub fn open_object(&mut self) -> &mut Builder {
        self.open(0x0b, State::Key)
    }

    /// Names the next value of the open object.
    #[inline]
    pub fn key(&mut self, name: &str) -> &mut Builder {
        if self.current.state != State::Key {
            return self.fail(Error::Builder("a key where none is due"));
        }
        self.index
            .push(Entry { prefix: prefix(name.as_bytes()), offset: self.buffer.len() - self.current.start });
        self.current.state = State::Value;
        match attribute_code(name) {
            Some(code) if self.translate => self.buffer.push(0x30 + code),
            _ => self.put_str(name),
        }
        self
    }

    /// Closes the innermost open array or object.
    #[inline]
    pub fn close(&mut self) -> &mut Builder {
        match self.current.state {
            State::Array => self.close_array(),
            State::Key => self.close_object(),
            State::Value => return self.fail(Error::Builder("an object closed after a key without value")),
            State::Root | State::Done => return self.fail(Error::Builder("nothing is open to be closed")),
            State::Failed => return self,
        }
        if self.current.state == State::Failed {
            return self;
        }
        self.index.truncate(self.current.index_start);
        self.current = self.outer.pop().unwrap_or_default();
        self
    }

    /// The complete value; the builder is empty afterwards and can be used again.
    ///
    /// # Errors
    /// The first misuse since the last [`clear`](Builder::clear) or `finish`, or a value that is not complete.
    pub fn finish(&mut self) -> Result<VPackBuf, Error> {
        let finished = self.as_slice().map(VPackBuf::from);
        self.clear();
        finished
    }

    /// The complete value, not copied.
    ///
    /// # Errors
    /// Those of [`finish`](Builder::finish).
    pub fn as_slice(&self) -> Result<Slice<'_>, Error> {
        match (&self.error, self.current.state) {
            (Some(error), _) => Err(error.clone()),
            (None, State::Done) => Ok(Slice::trusted(&self.buffer)),
            (None, State::Root) => Err(Error::Builder("no value was added")),
            (None, _) => Err(Error::Builder("an array or object is still open")),
        }
    }

    /// What has been written so far; complete only when nothing is open.
    pub fn bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// The first misuse, if any.
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    #[cold]
    fn fail(&mut self, error: Error) -> &mut Builder {
        self.error.get_or_insert(error);
        self.current.state = State::Failed;
        self
    }

    /// Registers the value about to be written; false when it must not be.
    #[inline]
    fn begin_value(&mut self) -> bool {
        match self.current.state {
            State::Array => {
                self.index.push(Entry { prefix: 0, offset: self.buffer.len() - self.current.start })
            }
            State::Value => self.current.state = State::Key,
            State::Root => self.current.state = State::Done,
            State::Key => {
                self.fail(Error::Builder("a value in an object without a key"));
                return false;
            }
            State::Done => {
                self.fail(Error::Builder("a second value at the top level"));
                return false;
            }
            State::Failed => return false,
        }
        true
    }

    #[inline]
    fn add_byte(&mut self, byte: u8) -> &mut Builder {
        if self.begin_value() {
            self.buffer.push(byte);
        }
        self
    }

    #[inline]
    fn add_number(&mut self, head: u8, bits: u64, width: usize) -> &mut Builder {
        if self.begin_value() {
            self.put_number(head, bits, width);
        }
        self
    }

    #[inline]
    fn put_number(&mut self, head: u8, bits: u64, width: usize) {
        let mut bytes = [head; 9];
        if let Some(field) = bytes.last_chunk_mut::<8>() {
            *field = bits.to_le_bytes();
        }
        self.buffer.extend_from_slice(bytes.get(..=width).unwrap_or(&bytes));
    }

    #[inline]
    fn put_str(&mut self, text: &str) {
        match text.len() {
            length @ 0..=126 => self.buffer.push(0x40 + length as u8),
            length => self.put_number(0xbf, length as u64, 8),
        }
        self.buffer.extend_from_slice(text.as_bytes());
    }

    fn open(&mut self, head: u8, state: State) -> &mut Builder {
        if self.outer.len() >= DEPTH_MAX {
            return self.fail(Error::TooDeep);
        }
        if !self.begin_value() {
            return self;
        }
        self.outer.push(self.current);
        self.current = Frame { start: self.buffer.len(), index_start: self.index.len(), state };
        self.buffer.extend_from_slice(&[head, 0, 0, 0, 0, 0, 0, 0, 0]);
        self
    }
}

/// The first eight bytes as a number that sorts like them.
#[inline]
fn prefix(name: &[u8]) -> u64 {
    match name.first_chunk::<8>() {
        Some(&eight) => u64::from_be_bytes(eight),
        None => {
            name.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
                << (64 - 8 * name.len()).min(63)
        }
    }
}
