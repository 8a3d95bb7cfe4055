//! Writing values: a push interface over one reused buffer.

use crate::container::key;
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
    /// Offsets of the members of all open containers, innermost last, each counted from its container.
    index: Vec<usize>,
    /// The containers around the current one.
    outer: Vec<Frame>,
    current: Frame,
    translate: bool,
    reject_duplicates: bool,
    error: Option<Error>,
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
        if self.error.is_some() {
            return self;
        }
        if self.current.state != State::Key {
            return self.fail(Error::Builder("a key where none is due"));
        }
        self.index.push(self.buffer.len() - self.current.start);
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
        if self.error.is_some() {
            return self;
        }
        match self.current.state {
            State::Array => self.close_array(),
            State::Key => self.close_object(),
            State::Value => return self.fail(Error::Builder("an object closed after a key without value")),
            State::Root | State::Done => return self.fail(Error::Builder("nothing is open to be closed")),
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
        self
    }

    /// Registers the value about to be written; false when it must not be.
    #[inline]
    fn begin_value(&mut self) -> bool {
        match self.current.state {
            _ if self.error.is_some() => return false,
            State::Array => self.index.push(self.buffer.len() - self.current.start),
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

    fn close_array(&mut self) {
        let Frame { start, index_start, .. } = self.current;
        let offsets = self.index.get(index_start..).unwrap_or(&[]);
        if offsets.is_empty() {
            return self.close_empty(0x01);
        }
        let size = self.buffer.len() - start;
        if equal_sized(offsets, size) {
            let data = size - HEADER_RESERVED;
            // Four-byte lengths keep the reserved bytes as padding, so that large data is not moved.
            let (step, total) = match data {
                0..=0xfd => (0, data + 2),
                0xfe..=0xfffc => (1, data + 3),
                _ if size <= u32::MAX as usize => (2, size),
                _ => (3, size),
            };
            self.set_header(0x02 + step, total, None, size - total);
        } else {
            self.put_table(0x06);
        }
    }

    fn close_object(&mut self) {
        let Frame { start, index_start, .. } = self.current;
        if self.index.len() == index_start {
            return self.close_empty(0x0a);
        }
        if let Some(duplicate) = self.sort_keys() {
            if self.reject_duplicates {
                self.fail_duplicate(duplicate);
                return;
            }
            self.drop_duplicates();
        }
        debug_assert!(self.buffer.len() > start);
        self.put_table(0x0b);
    }

    fn close_empty(&mut self, head: u8) {
        self.buffer.truncate(self.current.start);
        self.buffer.push(head);
    }

    /// Shrinks the header to the narrowest width that fits and appends the offset table.
    fn put_table(&mut self, head: u8) {
        let Frame { start, index_start, .. } = self.current;
        let count = self.index.len() - index_start;
        let size = self.buffer.len() - start;
        let data = size - HEADER_RESERVED;
        let (step, width) = match (data + 3 + count, data + 5 + 2 * count, data + 9 + 4 * count) {
            (0..=0xff, ..) => (0, 1),
            (_, 0..=0xffff, _) => (1, 2),
            (_, _, total) if total <= u32::MAX as usize => (2, 4),
            _ => (3, 8),
        };
        let first = if width == 8 { 9 } else { 1 + 2 * width };
        let moved = HEADER_RESERVED - first;
        let total = size - moved + count * width + if width == 8 { 8 } else { 0 };
        self.set_header(head + step, total, Some(count), moved);
        let offsets = self.index.get(index_start..).unwrap_or(&[]);
        match width {
            1 => self.buffer.extend(offsets.iter().map(|offset| (offset - moved) as u8)),
            2 => offsets.iter().for_each(|offset| {
                self.buffer.extend_from_slice(&((offset - moved) as u16).to_le_bytes());
            }),
            4 => offsets.iter().for_each(|offset| {
                self.buffer.extend_from_slice(&((offset - moved) as u32).to_le_bytes());
            }),
            _ => {
                offsets.iter().for_each(|offset| {
                    self.buffer.extend_from_slice(&((offset - moved) as u64).to_le_bytes());
                });
                self.buffer.extend_from_slice(&(count as u64).to_le_bytes());
            }
        }
    }

    /// Writes first byte, length and count, and moves the members `moved` bytes down over unused header bytes.
    fn set_header(&mut self, head: u8, total: usize, count: Option<usize>, moved: usize) {
        let start = self.current.start;
        if moved > 0 {
            let first = start + HEADER_RESERVED;
            self.buffer.copy_within(first.., first - moved);
            self.buffer.truncate(self.buffer.len() - moved);
        }
        let width = crate::layout::length_width(head);
        let mut fields = [0u8; HEADER_RESERVED + 8];
        fields[0] = head;
        put_le(&mut fields, 1, total, width);
        let used = match count {
            Some(count) if width < 8 => {
                put_le(&mut fields, 1 + width, count, width);
                1 + 2 * width
            }
            _ => 1 + width,
        };
        if let (Some(target), Some(source)) = (self.buffer.get_mut(start..start + used), fields.get(..used)) {
            target.copy_from_slice(source);
        }
    }

    /// Sorts the offsets of the open object by key text, equal keys by position; gives the offset of a key
    /// that occurs twice.
    fn sort_keys(&mut self) -> Option<usize> {
        let Frame { start, index_start, .. } = self.current;
        let object = self.buffer.get(start..).unwrap_or(&[]);
        let offsets = self.index.get_mut(index_start..).unwrap_or(&mut []);
        let text = |offset: usize| object.get(offset..).and_then(key).map_or(&[][..], |(text, _)| text);
        if offsets.len() <= 12 {
            let mut duplicate = None;
            for sorted in 1..offsets.len() {
                duplicate = insert_sorted(offsets, sorted, text).or(duplicate);
            }
            duplicate
        } else {
            offsets.sort_unstable_by(|&a, &b| text(a).cmp(text(b)).then(a.cmp(&b)));
            offsets.array_windows().find(|&&[a, b]| text(a) == text(b)).map(|&[_, second]| second)
        }
    }

    #[cold]
    fn fail_duplicate(&mut self, offset: usize) {
        let text =
            self.buffer.get(self.current.start + offset..).and_then(key).map_or(&[][..], |(text, _)| text);
        let name = String::from_utf8_lossy(text).into_owned();
        self.fail(Error::DuplicateKey { name });
    }

    /// Removes all but the last value of each key from the members and the offsets, which are sorted.
    #[cold]
    fn drop_duplicates(&mut self) {
        let Frame { start, index_start, .. } = self.current;
        let object = self.buffer.split_off(start);
        let text = |offset: usize| object.get(offset..).and_then(key).map_or(&[][..], |(text, _)| text);
        let mut by_position: Vec<usize> = self.index.split_off(index_start);
        let mut kept = Vec::with_capacity(by_position.len());
        for (position, &offset) in by_position.iter().enumerate() {
            let next = by_position.get(position + 1);
            if next.is_none_or(|&next| text(next) != text(offset)) {
                kept.push(offset);
            }
        }
        by_position.sort_unstable();
        let mut moved: Vec<(usize, usize)> = Vec::with_capacity(kept.len());
        let mut wanted = kept.clone();
        wanted.sort_unstable();
        self.buffer.extend_from_slice(object.get(..HEADER_RESERVED).unwrap_or(&[]));
        for offset in wanted {
            let next = by_position.partition_point(|&other| other <= offset);
            let end = by_position.get(next).copied().unwrap_or(object.len());
            moved.push((offset, self.buffer.len() - start));
            self.buffer.extend_from_slice(object.get(offset..end).unwrap_or(&[]));
        }
        for offset in kept {
            if let Ok(found) = moved.binary_search_by_key(&offset, |&(from, _)| from) {
                self.index.extend(moved.get(found).map(|&(_, to)| to));
            }
        }
    }
}

/// Moves the offset at `position` down into the sorted ones before it; gives it back when its key is
/// among them.
#[inline]
fn insert_sorted<'a>(
    offsets: &mut [usize],
    position: usize,
    text: impl Fn(usize) -> &'a [u8],
) -> Option<usize> {
    let &inserted = offsets.get(position)?;
    let name = text(inserted);
    let mut target = position;
    let mut duplicate = false;
    while let Some(&before) = target.checked_sub(1).and_then(|index| offsets.get(index)) {
        match text(before).cmp(name) {
            std::cmp::Ordering::Greater => target -= 1,
            order => {
                duplicate = order.is_eq();
                break;
            }
        }
    }
    if let Some(shifted) = offsets.get_mut(target..=position) {
        shifted.rotate_right(1);
    }
    duplicate.then_some(inserted)
}

fn equal_sized(offsets: &[usize], end: usize) -> bool {
    let first = offsets.get(1).copied().unwrap_or(end) - HEADER_RESERVED;
    offsets.iter().enumerate().all(|(index, &offset)| offset == HEADER_RESERVED + index * first)
        && end == HEADER_RESERVED + offsets.len() * first
}

fn put_le(target: &mut [u8], at: usize, number: usize, width: usize) {
    let bytes = (number as u64).to_le_bytes();
    if let (Some(target), Some(source)) = (target.get_mut(at..at + width), bytes.get(..width)) {
        target.copy_from_slice(source);
    }
}
