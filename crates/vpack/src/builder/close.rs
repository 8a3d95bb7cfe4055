//! Closing arrays and objects: choice of layout, header, offset table, order of keys, duplicates.

use std::cmp::Ordering;

use super::{Builder, Entry, Frame, HEADER_RESERVED};
use crate::Error;
use crate::container::key;
use crate::layout::length_width;

/// Objects up to this many members are sorted by insertion.
const INSERTION_SORT_MAX: usize = 16;

impl Builder {
    pub(super) fn close_array(&mut self) {
        let Frame { start, index_start, .. } = self.current;
        let entries = self.index.get(index_start..).unwrap_or(&[]);
        if entries.is_empty() {
            return self.close_empty(0x01);
        }
        let size = self.buffer.len() - start;
        if equal_sized(entries, size) {
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

    pub(super) fn close_object(&mut self) {
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
        let offsets = self.index.get(index_start..).unwrap_or(&[]).iter().map(|entry| entry.offset - moved);
        match width {
            1 => self.buffer.extend(offsets.map(|offset| offset as u8)),
            2 => offsets.for_each(|offset| self.buffer.extend_from_slice(&(offset as u16).to_le_bytes())),
            4 => offsets.for_each(|offset| self.buffer.extend_from_slice(&(offset as u32).to_le_bytes())),
            _ => {
                offsets.for_each(|offset| self.buffer.extend_from_slice(&(offset as u64).to_le_bytes()));
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
        let width = length_width(head);
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

    /// Sorts the entries of the open object by key, equal keys by position; gives the offset of a key that occurs
    /// twice.
    fn sort_keys(&mut self) -> Option<usize> {
        let Frame { start, index_start, .. } = self.current;
        let object = self.buffer.get(start..).unwrap_or(&[]);
        let entries = self.index.get_mut(index_start..).unwrap_or(&mut []);
        let order = |a: &Entry, b: &Entry| match a.prefix.cmp(&b.prefix) {
            Ordering::Equal => text_at(object, a.offset).cmp(text_at(object, b.offset)),
            unequal => unequal,
        };
        if entries.len() <= INSERTION_SORT_MAX {
            let mut duplicate = None;
            for position in 1..entries.len() {
                duplicate = insert_sorted(entries, position, order).or(duplicate);
            }
            return duplicate;
        }
        entries.sort_unstable_by(|a, b| order(a, b).then(a.offset.cmp(&b.offset)));
        entries.array_windows().find(|[a, b]| order(a, b).is_eq()).map(|&[_, second]| second.offset)
    }

    #[cold]
    fn fail_duplicate(&mut self, offset: usize) {
        let text = text_at(self.buffer.get(self.current.start..).unwrap_or(&[]), offset);
        let name = String::from_utf8_lossy(text).into_owned();
        self.fail(Error::DuplicateKey { name });
    }

    /// Removes all but the last value of each key from the members and the entries, which are sorted.
    #[cold]
    fn drop_duplicates(&mut self) {
        let Frame { start, index_start, .. } = self.current;
        let object = self.buffer.split_off(start);
        let sorted = self.index.split_off(index_start);
        let mut kept: Vec<Entry> = Vec::with_capacity(sorted.len());
        for (position, entry) in sorted.iter().enumerate() {
            let next = sorted.get(position + 1);
            if next.is_none_or(|next| text_at(&object, next.offset) != text_at(&object, entry.offset)) {
                kept.push(*entry);
            }
        }
        let mut all: Vec<usize> = sorted.iter().map(|entry| entry.offset).collect();
        all.sort_unstable();
        let mut by_position: Vec<usize> = (0..kept.len()).collect();
        by_position.sort_unstable_by_key(|&index| kept.get(index).map(|entry| entry.offset));
        self.buffer.extend_from_slice(object.get(..HEADER_RESERVED).unwrap_or(&[]));
        for index in by_position {
            let Some(entry) = kept.get_mut(index) else { continue };
            let next = all.partition_point(|&other| other <= entry.offset);
            let end = all.get(next).copied().unwrap_or(object.len());
            let pair = object.get(entry.offset..end).unwrap_or(&[]);
            entry.offset = self.buffer.len() - start;
            self.buffer.extend_from_slice(pair);
        }
        self.index.extend(kept);
    }
}

#[inline]
fn text_at(object: &[u8], offset: usize) -> &[u8] {
    object.get(offset..).and_then(key).map_or(&[], |(text, _)| text)
}

/// Moves the entry at `position` down into the sorted ones before it; gives its offset back when its key is among
/// them.
#[inline]
fn insert_sorted(
    entries: &mut [Entry],
    position: usize,
    order: impl Fn(&Entry, &Entry) -> Ordering,
) -> Option<usize> {
    let (sorted, rest) = entries.split_at_mut_checked(position)?;
    let inserted = *rest.first()?;
    let mut duplicate = None;
    let mut target = position;
    for before in sorted.iter().rev() {
        match order(before, &inserted) {
            Ordering::Greater => target -= 1,
            Ordering::Equal => {
                duplicate = Some(inserted.offset);
                break;
            }
            Ordering::Less => break,
        }
    }
    if target < position {
        entries.get_mut(target..=position)?.rotate_right(1);
    }
    duplicate
}

fn equal_sized(entries: &[Entry], end: usize) -> bool {
    let first = entries.get(1).map_or(end, |second| second.offset) - HEADER_RESERVED;
    end == HEADER_RESERVED + entries.len() * first
        && entries.iter().enumerate().all(|(index, entry)| entry.offset == HEADER_RESERVED + index * first)
}

fn put_le(target: &mut [u8], at: usize, number: usize, width: usize) {
    let bytes = (number as u64).to_le_bytes();
    if let (Some(target), Some(source)) = (target.get_mut(at..at + width), bytes.get(..width)) {
        target.copy_from_slice(source);
    }
}
