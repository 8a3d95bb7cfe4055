//! Writing values: a push interface over one reused buffer.

mod appender;
mod close;
mod encode;
mod order;

use crate::{DEPTH_MAX, Error, Slice, VPackBuf};
pub use appender::{Appender, Open};
use encode::{Encoder, Frame};

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
    encoder: Encoder,
    /// The containers around the current one.
    outer: Vec<(Frame, State)>,
    current: Frame,
    state: State,
    error: Option<Error>,
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
        let mut builder = Builder::new();
        builder.encoder.buffer.reserve(bytes);
        builder
    }

    /// Whether keys that are system attribute names are abbreviated to one byte, the stored form. Off by default.
    #[must_use]
    pub fn with_attribute_translation(mut self, translate: bool) -> Builder {
        self.encoder.translate = translate;
        self
    }

    /// Whether a key that occurs twice in one object is an error instead of its last value being kept.
    pub fn reject_duplicates(&mut self, reject: bool) -> &mut Builder {
        self.encoder.reject_duplicates = reject;
        self
    }

    /// Forgets everything written but keeps the memory.
    pub fn clear(&mut self) -> &mut Builder {
        self.encoder.clear();
        self.outer.clear();
        self.current = Frame::default();
        self.state = State::Root;
        self.error = None;
        self
    }

    /// Whether nothing has been written.
    pub fn is_empty(&self) -> bool {
        self.encoder.buffer.is_empty()
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
        if self.begin_value() {
            self.encoder.i64(value);
        }
        self
    }

    /// Pushes an unsigned integer in its shortest form.
    #[inline]
    pub fn add_u64(&mut self, value: u64) -> &mut Builder {
        if self.begin_value() {
            self.encoder.u64(value);
        }
        self
    }

    /// Pushes a double; what is not finite becomes `null`. Always stored as a double, even without a fraction.
    #[inline]
    pub fn add_f64(&mut self, value: f64) -> &mut Builder {
        if self.begin_value() {
            self.encoder.f64(value);
        }
        self
    }

    /// Pushes a date in milliseconds since 1970.
    pub fn add_utc_date(&mut self, milliseconds: i64) -> &mut Builder {
        if self.begin_value() {
            self.encoder.number(0x1c, milliseconds as u64, 8);
        }
        self
    }

    /// Pushes a string.
    #[inline]
    pub fn add_str(&mut self, value: &str) -> &mut Builder {
        if self.begin_value() {
            self.encoder.text(value.as_bytes());
        }
        self
    }

    /// Pushes raw bytes.
    pub fn add_binary(&mut self, value: &[u8]) -> &mut Builder {
        if self.begin_value() {
            self.encoder.binary(value);
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
            self.encoder.buffer.extend_from_slice(value.bytes());
        }
        self
    }

    /// Pushes a value in the form that clients understand: abbreviated attribute names written out, in all depths.
    pub fn add_slice_expanded(&mut self, value: Slice<'_>) -> &mut Builder {
        let translate = std::mem::replace(&mut self.encoder.translate, false);
        self.expand(value);
        self.encoder.translate = translate;
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
        self.open(State::Array)
    }

    /// Opens an object; keys and values follow in turn, then [`close`](Builder::close).
    #[inline]
    pub fn open_object(&mut self) -> &mut Builder {
        self.open(State::Key)
    }

    /// Names the next value of the open object.
    #[inline]
    pub fn key(&mut self, name: &str) -> &mut Builder {
        if self.state != State::Key {
            return self.fail(Error::Builder("a key where none is due"));
        }
        self.state = State::Value;
        self.encoder.key(&self.current, name.as_bytes());
        self
    }

    /// Closes the innermost open array or object.
    #[inline]
    pub fn close(&mut self) -> &mut Builder {
        match self.state {
            State::Array => self.encoder.close_array(&self.current),
            State::Key => {
                if let Err(error) = self.encoder.close_object(&self.current) {
                    return self.fail(error);
                }
            }
            State::Value => return self.fail(Error::Builder("an object closed after a key without value")),
            State::Root | State::Done => return self.fail(Error::Builder("nothing is open to be closed")),
            State::Failed => return self,
        }
        (self.current, self.state) = self.outer.pop().unwrap_or_default();
        self
    }

    /// Begins one value that is written without the checks of each call; see [`Appender`].
    ///
    /// `None` when no value is due, which is remembered as misuse. When the value cannot be completed, call
    /// [`give_up`](Builder::give_up).
    #[inline]
    pub fn append(&mut self) -> Option<Appender<'_>> {
        let depth = self.outer.len();
        self.begin_value().then_some(Appender::new(&mut self.encoder, depth))
    }

    /// Refuses everything from now on until the builder is cleared, because a value was left incomplete.
    pub fn give_up(&mut self) -> &mut Builder {
        self.fail(Error::Builder("a value was given up halfway"))
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
        match (&self.error, self.state) {
            (Some(error), _) => Err(error.clone()),
            (None, State::Done) => Ok(Slice::trusted(&self.encoder.buffer)),
            (None, State::Root) => Err(Error::Builder("no value was added")),
            (None, _) => Err(Error::Builder("an array or object is still open")),
        }
    }

    /// What has been written so far; complete only when nothing is open.
    pub fn bytes(&self) -> &[u8] {
        &self.encoder.buffer
    }

    /// The first misuse, if any.
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    #[cold]
    fn fail(&mut self, error: Error) -> &mut Builder {
        self.error.get_or_insert(error);
        self.state = State::Failed;
        self
    }

    /// Registers the value about to be written; false when it must not be.
    #[inline]
    fn begin_value(&mut self) -> bool {
        match self.state {
            State::Array => self.encoder.member(&self.current),
            State::Value => self.state = State::Key,
            State::Root => self.state = State::Done,
            _ => return self.no_value_due(),
        }
        true
    }

    #[cold]
    fn no_value_due(&mut self) -> bool {
        match self.state {
            State::Key => self.fail(Error::Builder("a value in an object without a key")),
            State::Done => self.fail(Error::Builder("a second value at the top level")),
            _ => self,
        };
        false
    }

    #[inline]
    fn add_byte(&mut self, byte: u8) -> &mut Builder {
        if self.begin_value() {
            self.encoder.byte(byte);
        }
        self
    }

    fn open(&mut self, state: State) -> &mut Builder {
        let depth = self.outer.len();
        if depth >= DEPTH_MAX {
            return self.fail(Error::TooDeep);
        }
        if !self.begin_value() {
            return self;
        }
        self.outer.push((self.current, self.state));
        self.state = state;
        self.current = match state {
            State::Array => self.encoder.open_array(depth),
            _ => self.encoder.open_object(depth),
        };
        self
    }
}
