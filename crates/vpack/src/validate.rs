//! The thorough check of bytes from outside.

use crate::container::key;
use crate::layout::{Access, Members, length_width, members, tags_size, value_size};
use crate::{DEPTH_MAX, Error, Kind, Slice, utf8};

impl<'a> Slice<'a> {
    /// Views bytes from outside after checking that they are exactly one legal value, in all depths.
    ///
    /// Checked are sizes, offset tables, key order, duplicate keys, UTF-8 and nesting; external and custom values,
    /// which have no meaning outside the process that wrote them, are refused. The work is proportional to the size
    /// of the bytes times the logarithm of the widest object.
    ///
    /// # Errors
    /// [`Error::Invalid`], [`Error::TrailingBytes`] or [`Error::TooDeep`].
    pub fn validate(bytes: &'a [u8]) -> Result<Slice<'a>, Error> {
        let slice = Slice::first_of(bytes).ok_or_else(|| no_value(0, bytes))?;
        let size = slice.byte_size();
        if size < bytes.len() {
            return Err(Error::TrailingBytes { size, extra: bytes.len() - size });
        }
        Validator { bytes, keys: Vec::new(), starts: Vec::new() }.value(0, size, DEPTH_MAX)?;
        Ok(slice)
    }
}

struct Validator<'a> {
    bytes: &'a [u8],
    /// Scratch for finding duplicate keys; a stack shared by the nested objects.
    keys: Vec<&'a [u8]>,
    /// Scratch for checking offset tables: where the pairs of the objects being checked start.
    starts: Vec<usize>,
}

fn invalid(at: usize, reason: &'static str) -> Error {
    Error::Invalid { at, reason }
}

#[cold]
fn no_value(at: usize, bytes: &[u8]) -> Error {
    match bytes.first().map(|&head| Kind::of(head)) {
        Some(Kind::Illegal) => invalid(at, "an illegal first byte"),
        Some(Kind::External) => invalid(at, "external values are not allowed"),
        _ => invalid(at, "the value is cut off"),
    }
}

impl<'a> Validator<'a> {
    /// Checks the value at `at`, which may reach up to `limit`; returns its end.
    fn value(&mut self, at: usize, limit: usize, depth_left: usize) -> Result<usize, Error> {
        let room = self.bytes.get(at..limit).unwrap_or(&[]);
        let size = value_size(room).ok_or_else(|| no_value(at, room))?;
        let value = room.get(..size).unwrap_or(&[]);
        match Kind::of(value.first().copied().unwrap_or(0)) {
            Kind::Array if size > 1 => self.array(at, value, self.deeper(depth_left)?)?,
            Kind::Object if size > 1 => self.object(at, value, self.deeper(depth_left)?)?,
            Kind::Tagged => {
                let tags = tags_size(value).ok_or(invalid(at, "too many tags"))?;
                self.value(at + tags, at + size, self.deeper(depth_left)?)?;
            }
            Kind::String => string(at, value)?,
            Kind::Bcd => decimal(at, value)?,
            Kind::None => return Err(invalid(at, "a none value")),
            Kind::Illegal => return Err(invalid(at, "an illegal first byte")),
            Kind::External => return Err(invalid(at, "external values are not allowed")),
            Kind::Custom => return Err(invalid(at, "custom values are not allowed")),
            Kind::Double if !Slice::trusted(value).as_f64().is_some_and(f64::is_finite) => {
                return Err(invalid(at, "a double that is not finite"));
            }
            _ => {}
        }
        Ok(at + size)
    }

    fn deeper(&self, depth_left: usize) -> Result<usize, Error> {
        depth_left.checked_sub(1).ok_or(Error::TooDeep)
    }

    fn array(&mut self, at: usize, value: &'a [u8], depth_left: usize) -> Result<(), Error> {
        let members = header(at, value)?;
        let mut next = at + members.start;
        let end = at + members.end;
        for index in 0..members.count {
            self.table_points_to(at, value, &members, index, next)?;
            let after = self.value(next, end, depth_left)?;
            if let Access::Stride(stride) = members.access
                && after - next != stride
            {
                return Err(invalid(next, "members of different sizes in an array without offsets"));
            }
            next = after;
        }
        filled(at, next, end)
    }

    /// Offsets of arrays must list the members in the order they lie.
    fn table_points_to(
        &self,
        at: usize,
        value: &[u8],
        members: &Members,
        index: usize,
        next: usize,
    ) -> Result<(), Error> {
        let Access::Table { width, .. } = members.access else { return Ok(()) };
        match members.table_entry(value, index, width) {
            Some(offset) if at + offset == next => Ok(()),
            _ => Err(invalid(at, "an array offset that does not point at its member")),
        }
    }

    fn object(&mut self, at: usize, value: &'a [u8], depth_left: usize) -> Result<(), Error> {
        let members = header(at, value)?;
        let (first_key, first_start) = (self.keys.len(), self.starts.len());
        let mut next = at + members.start;
        let end = at + members.end;
        for _ in 0..members.count {
            let room = self.bytes.get(next..end).unwrap_or(&[]);
            let (text, size) = key(room).ok_or(invalid(next, "an object key that is no name"))?;
            utf8::text(text).ok_or(invalid(next, "an object key that is not UTF-8"))?;
            match members.access {
                Access::Table { sorted: true, .. } => self.starts.push(next - at),
                Access::Table { .. } => {
                    self.starts.push(next - at);
                    self.keys.push(text);
                }
                _ => self.keys.push(text),
            }
            next = self.value(next + size, end, depth_left)?;
        }
        filled(at, next, end)?;
        match members.access {
            Access::Table { width, sorted: true } => {
                self.sorted_table(at, value, &members, width, first_start)?
            }
            Access::Table { width, .. } => {
                self.unsorted_table(at, value, &members, width, first_start)?;
                self.distinct(at, first_key)?;
            }
            _ => self.distinct(at, first_key)?,
        }
        self.keys.truncate(first_key);
        self.starts.truncate(first_start);
        Ok(())
    }

    /// The table must lead to pairs in ascending order of their keys.
    ///
    /// As keys then differ, so do the pairs, and as many different ones as there are pairs are all of them.
    fn sorted_table(
        &self,
        at: usize,
        value: &[u8],
        members: &Members,
        width: usize,
        first_start: usize,
    ) -> Result<(), Error> {
        let mut previous: Option<&[u8]> = None;
        for index in 0..members.count {
            let offset = self.pair_start(at, value, members, width, index, first_start)?;
            let pair = value.get(offset..members.end).unwrap_or(&[]);
            let (text, _) = key(pair).ok_or(invalid(at, "an object offset outside of the members"))?;
            if previous.is_some_and(|previous| previous >= text) {
                return Err(invalid(at, "object keys that are not in order or occur twice"));
            }
            previous = Some(text);
        }
        Ok(())
    }

    /// The table must lead to every pair once, in any order.
    fn unsorted_table(
        &self,
        at: usize,
        value: &[u8],
        members: &Members,
        width: usize,
        first_start: usize,
    ) -> Result<(), Error> {
        let offsets =
            (0..members.count).map(|index| self.pair_start(at, value, members, width, index, first_start));
        let mut offsets = offsets.collect::<Result<Vec<usize>, Error>>()?;
        offsets.sort_unstable();
        if offsets.array_windows().any(|[a, b]| a == b) {
            return Err(invalid(at, "an object offset that occurs twice"));
        }
        Ok(())
    }

    /// A table entry, which must be the start of a pair.
    fn pair_start(
        &self,
        at: usize,
        value: &[u8],
        members: &Members,
        width: usize,
        index: usize,
        first_start: usize,
    ) -> Result<usize, Error> {
        let offset = members.table_entry(value, index, width);
        let offset = offset.ok_or(invalid(at, "an object offset outside of the members"))?;
        let starts = self.starts.get(first_start..).unwrap_or(&[]);
        match starts.binary_search(&offset) {
            Ok(_) => Ok(offset),
            Err(_) => Err(invalid(at, "an object offset that does not point at a key")),
        }
    }

    fn distinct(&mut self, at: usize, scratch: usize) -> Result<(), Error> {
        let names = self.keys.get_mut(scratch..).unwrap_or(&mut []);
        names.sort_unstable();
        if names.array_windows().any(|[a, b]| a == b) {
            return Err(invalid(at, "object keys that occur twice"));
        }
        Ok(())
    }
}

fn header(at: usize, value: &[u8]) -> Result<Members, Error> {
    let members =
        members(value).ok_or(invalid(at, "an array or object whose header contradicts its size"))?;
    if members.count == 0 {
        return Err(invalid(at, "an array or object without members that is not encoded as empty"));
    }
    let head = value.first().copied().unwrap_or(0);
    let fields = match head {
        0x02..=0x05 => 1 + length_width(head),
        0x06..=0x08 | 0x0b..=0x0d | 0x0f..=0x11 => 1 + 2 * length_width(head),
        _ => members.start,
    };
    if value.get(fields..members.start).is_some_and(|padding| padding.iter().any(|&byte| byte != 0)) {
        return Err(invalid(at, "padding that is not zero"));
    }
    Ok(members)
}

fn filled(at: usize, next: usize, end: usize) -> Result<(), Error> {
    if next == end { Ok(()) } else { Err(invalid(at, "bytes between the members and the end")) }
}

fn string(at: usize, value: &[u8]) -> Result<(), Error> {
    match Slice::trusted(value).as_str() {
        Some(_) => Ok(()),
        None => Err(invalid(at, "a string that is not UTF-8")),
    }
}

fn decimal(at: usize, value: &[u8]) -> Result<(), Error> {
    match Slice::trusted(value).as_decimal() {
        Some(_) => Ok(()),
        None => Err(invalid(at, "a packed decimal with nibbles that are no digits")),
    }
}
