//! Reaching members of arrays and objects: by position, by name, one after the other.

use crate::layout::{Access, Members, members, value_size};
use crate::{Slice, attribute_code, attribute_name, layout, utf8};

/// Objects up to this many members are searched from front to back, which the processor foresees better than halving.
const LINEAR_SEARCH_MAX: usize = LINEAR_SEARCH_MAX_SMALL as usize;
/// The same as the low byte of a count.
const LINEAR_SEARCH_MAX_SMALL: u8 = 32;

impl<'a> Slice<'a> {
    /// Number of members of an array or object, 0 for other kinds.
    #[inline]
    pub fn len(self) -> usize {
        self.members().map_or(0, |members| members.count)
    }

    /// Whether [`len`](Slice::len) is 0.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The member of an array at a position counted from 0.
    ///
    /// Compact arrays are walked from the start; all others answer at once.
    #[inline]
    pub fn at(self, index: usize) -> Option<Slice<'a>> {
        let bytes = self.bytes();
        if !self.is_array() {
            return None;
        }
        let members = self.members()?;
        if index >= members.count {
            return None;
        }
        let offset = match members.access {
            Access::Stride(stride) => members.start + index * stride,
            Access::Table { width, .. } if members.count > 1 => members.table_entry(bytes, index, width)?,
            Access::Table { .. } => members.start,
            Access::Walk => return self.array_iter().nth(index),
        };
        Slice::first_of(bytes.get(offset..members.end)?)
    }

    /// The value of an object's attribute, whether the name is stored as text or abbreviated.
    #[inline]
    pub fn get(self, name: &str) -> Option<Slice<'a>> {
        let bytes = self.bytes();
        match *bytes {
            [0x0b, _, count @ 2..=LINEAR_SEARCH_MAX_SMALL, ..] => {
                return search_few(bytes, usize::from(count), name, |&[offset]: &[u8; 1]| {
                    usize::from(offset)
                });
            }
            [0x0c, _, _, count @ 2..=LINEAR_SEARCH_MAX_SMALL, 0, ..] => {
                return search_few(bytes, usize::from(count), name, |&offset: &[u8; 2]| {
                    usize::from(u16::from_le_bytes(offset))
                });
            }
            _ => {}
        }
        if !self.is_object() {
            return None;
        }
        let members = self.members()?;
        match members.access {
            Access::Table { width, sorted: true } if members.count > LINEAR_SEARCH_MAX => {
                binary_search(bytes, &members, width, name.as_bytes())
            }
            Access::Table { width, .. } if members.count > 1 => linear_search(bytes, &members, width, name),
            _ => walk(bytes, &members, name),
        }
    }

    /// Follows attribute names into nested objects; an empty path is the value itself.
    pub fn get_path(self, path: &[impl AsRef<str>]) -> Option<Slice<'a>> {
        path.iter().try_fold(self, |value, name| value.get(name.as_ref()))
    }

    /// The members of an array or object one after the other, in stored order, and how many they are.
    ///
    /// For code that walks them itself. More bytes may follow the last member, such as an offset table; for other
    /// kinds and on broken bytes there are no members.
    #[inline]
    pub fn stored_members(self) -> (&'a [u8], usize) {
        let members = self.members();
        let stored = members.and_then(|members| Some((self.bytes().get(members.start..)?, members.count)));
        stored.unwrap_or((&[], 0))
    }

    #[inline]
    fn members(self) -> Option<Members> {
        match self.head() {
            0x02..=0x09 | 0x0b..=0x14 => members(self.bytes()),
            _ => None,
        }
    }
}

/// A name to look for, prepared so that most other keys are told apart by their first byte.
#[derive(Clone, Copy)]
struct Needle<'n> {
    name: &'n [u8],
    /// First byte of the name as a short string; that of a long string when it is longer.
    head: u8,
    /// The byte that abbreviates the name; 0 when none does.
    code: u8,
}

impl<'n> Needle<'n> {
    #[inline]
    fn new(name: &'n str) -> Needle<'n> {
        let head = if name.len() <= 126 { 0x40 + name.len() as u8 } else { 0xbf };
        let code = match name.as_bytes() {
            [b'_', ..] => attribute_code(name).map_or(0, |code| 0x30 + code),
            _ => 0,
        };
        Needle { name: name.as_bytes(), head, code }
    }

    /// Whether a key with this first byte can be the name.
    #[inline]
    fn may_start(self, head: u8) -> bool {
        head == self.head || head == self.code || matches!(head, 0xbf | 0x28..=0x2f)
    }

    /// Size of the key at the start of `pair` when it is the name.
    #[inline]
    fn find(self, pair: &[u8]) -> Option<usize> {
        let head = *pair.first()?;
        if head == self.head && head != 0xbf {
            let end = 1 + self.name.len();
            return equal(pair.get(1..end)?, self.name).then_some(end);
        }
        if head == self.code {
            return Some(1);
        }
        if head == 0xbf || matches!(head, 0x28..=0x2f) { self.find_rare(pair) } else { None }
    }

    #[cold]
    fn find_rare(self, pair: &[u8]) -> Option<usize> {
        key(pair).filter(|&(text, _)| text == self.name).map(|(_, size)| size)
    }
}

/// Equality of two texts of the same length; most names are too short for a call to pay off.
#[inline]
fn equal(left: &[u8], right: &[u8]) -> bool {
    match (left.first_chunk::<8>(), right.first_chunk::<8>()) {
        (Some(a), Some(b)) if left.len() <= 16 => a == b && left.last_chunk::<8>() == right.last_chunk::<8>(),
        (Some(_), Some(_)) => left == right,
        _ if left.len() >= 4 => {
            left.first_chunk::<4>() == right.first_chunk::<4>()
                && left.last_chunk::<4>() == right.last_chunk::<4>()
        }
        _ => left.iter().eq(right),
    }
}

/// Text of the key at the start of `bytes` and the bytes it takes.
#[inline]
pub(crate) fn key(bytes: &[u8]) -> Option<(&[u8], usize)> {
    match *bytes.first()? {
        head @ 0x40..=0xbe => {
            let end = 1 + usize::from(head - 0x40);
            Some((bytes.get(1..end)?, end))
        }
        head @ 0x31..=0x35 => Some((attribute_name(u64::from(head - 0x30))?.as_bytes(), 1)),
        0xbf => {
            let end = value_size(bytes)?;
            Some((bytes.get(9..end)?, end))
        }
        head @ 0x28..=0x2f => {
            let width = usize::from(head - 0x27);
            let name = attribute_name(layout::read_uint(bytes, 1, width)?)?;
            Some((name.as_bytes(), 1 + width))
        }
        _ => None,
    }
}

/// Searches an object of a few members, whose offsets fill the last `count` times `WIDTH` bytes.
///
/// Most lookups end up here, so nothing of the header is read that is not needed.
#[inline]
fn search_few<'a, const WIDTH: usize>(
    bytes: &'a [u8],
    count: usize,
    name: &str,
    decode: impl Fn(&[u8; WIDTH]) -> usize,
) -> Option<Slice<'a>> {
    let needle = Needle::new(name);
    let (members, table) = bytes.split_at_checked(bytes.len().checked_sub(count * WIDTH)?)?;
    for offset in table.as_chunks::<WIDTH>().0 {
        let offset = decode(offset);
        if !needle.may_start(*members.get(offset)?) {
            continue;
        }
        // Offsets into the header only occur in bytes that were not validated.
        let pair = members.get(offset.max(1 + 2 * WIDTH)..)?;
        if let Some(size) = needle.find(pair) {
            return Slice::first_of(pair.get(size..)?);
        }
    }
    None
}

#[inline]
fn linear_search<'a>(bytes: &'a [u8], members: &Members, width: usize, name: &str) -> Option<Slice<'a>> {
    let needle = Needle::new(name);
    for index in 0..members.count {
        let pair = bytes.get(members.table_entry(bytes, index, width)?..members.end)?;
        if let Some(size) = needle.find(pair) {
            return Slice::first_of(pair.get(size..)?);
        }
    }
    None
}

fn binary_search<'a>(bytes: &'a [u8], members: &Members, width: usize, name: &[u8]) -> Option<Slice<'a>> {
    let (mut low, mut high) = (0, members.count);
    while low < high {
        let middle = low + (high - low) / 2;
        let pair = bytes.get(members.table_entry(bytes, middle, width)?..members.end)?;
        let (text, size) = key(pair)?;
        match compare(text, name) {
            std::cmp::Ordering::Less => low = middle + 1,
            std::cmp::Ordering::Greater => high = middle,
            std::cmp::Ordering::Equal => return Slice::first_of(pair.get(size..)?),
        }
    }
    None
}

/// Order of bytes, mostly decided by the first eight without a call.
#[inline]
fn compare(left: &[u8], right: &[u8]) -> std::cmp::Ordering {
    match (left.first_chunk::<8>(), right.first_chunk::<8>()) {
        (Some(a), Some(b)) if a != b => u64::from_be_bytes(*a).cmp(&u64::from_be_bytes(*b)),
        _ => left.cmp(right),
    }
}

fn walk<'a>(bytes: &'a [u8], members: &Members, name: &str) -> Option<Slice<'a>> {
    let needle = Needle::new(name);
    let mut rest = bytes.get(members.start..members.end)?;
    for _ in 0..members.count {
        if let Some(size) = needle.find(rest) {
            return Slice::first_of(rest.get(size..)?);
        }
        let (_, size) = key(rest)?;
        rest = rest.get(size..)?;
        rest = rest.get(value_size(rest)?..)?;
    }
    None
}

/// Members of an array in order.
#[derive(Debug, Clone)]
pub struct ArrayIter<'a> {
    rest: &'a [u8],
    remaining: usize,
}

impl<'a> ArrayIter<'a> {
    #[inline]
    pub(crate) fn new(slice: Slice<'a>) -> ArrayIter<'a> {
        if !slice.is_array() {
            return ArrayIter { rest: &[], remaining: 0 };
        }
        let (rest, remaining) = region(slice);
        ArrayIter { rest, remaining }
    }
}

#[inline]
fn region(slice: Slice<'_>) -> (&[u8], usize) {
    let found = slice.members().and_then(|members| {
        let data = slice.bytes().get(members.start..members.end)?;
        Some((data, members.count))
    });
    found.unwrap_or((&[], 0))
}

impl<'a> Iterator for ArrayIter<'a> {
    type Item = Slice<'a>;

    #[inline]
    fn next(&mut self) -> Option<Slice<'a>> {
        if self.remaining == 0 {
            return None;
        }
        let Some(value) = Slice::first_of(self.rest) else {
            self.remaining = 0;
            return None;
        };
        self.remaining -= 1;
        self.rest = self.rest.get(value.byte_size()..).unwrap_or(&[]);
        Some(value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // Only broken bytes give fewer; the lower bound is a promise all the same.
        (0, Some(self.remaining))
    }
}

impl std::iter::FusedIterator for ArrayIter<'_> {}

/// Keys and values of an object in stored order.
#[derive(Debug, Clone)]
pub struct ObjectIter<'a> {
    rest: &'a [u8],
    remaining: usize,
}

impl<'a> ObjectIter<'a> {
    #[inline]
    pub(crate) fn new(slice: Slice<'a>) -> ObjectIter<'a> {
        if !slice.is_object() {
            return ObjectIter { rest: &[], remaining: 0 };
        }
        let (rest, remaining) = region(slice);
        ObjectIter { rest, remaining }
    }

    #[inline]
    fn pair(&mut self) -> Option<(&'a [u8], Slice<'a>)> {
        let (text, size) = key(self.rest)?;
        let value = Slice::first_of(self.rest.get(size..)?)?;
        self.rest = self.rest.get(size + value.byte_size()..)?;
        Some((text, value))
    }

    /// The next pair with the bytes of the name, not checked for UTF-8.
    #[inline]
    pub fn next_bytes(&mut self) -> Option<(&'a [u8], Slice<'a>)> {
        if self.remaining == 0 {
            return None;
        }
        let pair = self.pair();
        self.remaining = if pair.is_some() { self.remaining - 1 } else { 0 };
        pair
    }
}

impl<'a> Iterator for ObjectIter<'a> {
    type Item = (&'a str, Slice<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (name, value) = self.next_bytes()?;
        match utf8::text(name) {
            Some(name) => Some((name, value)),
            None => {
                self.remaining = 0;
                None
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // Only broken bytes give fewer; the lower bound is a promise all the same.
        (0, Some(self.remaining))
    }
}

impl std::iter::FusedIterator for ObjectIter<'_> {}
