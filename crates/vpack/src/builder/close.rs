//! Closing arrays and objects: choice of layout, header, offset table, duplicates.

use super::encode::{Encoder, Frame, Key};
use super::order::{REMEMBERED_MAX, Sorted, text_at};
use crate::Error;
use crate::append::append_short;

/// Tables up to this many bytes are put together on the stack.
const SMALL_TABLE: usize = 64;

impl Encoder {
    #[inline]
    pub(super) fn close_array(&mut self, array: &Frame) {
        // Pairs of numbers and the like, for which the room that was kept is right.
        let offsets = self.offsets.get(array.first..).unwrap_or(&[]);
        let size = self.buffer.len() - array.start;
        if array.header == 2
            && size <= 0xff
            && let Some(target) = self.buffer.get_mut(array.start..).and_then(|rest| rest.first_chunk_mut())
            && equal_sized(offsets, 2, size)
        {
            *target = [0x02, size as u8];
            return self.offsets.truncate(array.first);
        }
        self.close_any_array(array);
    }

    #[inline(never)]
    fn close_any_array(&mut self, array: &Frame) {
        let offsets = self.offsets.get(array.first..).unwrap_or(&[]);
        if offsets.is_empty() {
            return self.close_empty(array, 0x01);
        }
        let size = self.buffer.len() - array.start;
        let data = size.saturating_sub(array.header);
        if equal_sized(offsets, array.header, size) {
            match data {
                0..=0xfd => self.set_header(array, 0x02, data + 2, Count::None),
                0xfe..=0xfffc => self.set_header(array, 0x03, data + 3, Count::None),
                // Padding to nine bytes tells the layouts with and without a count apart.
                _ if data + 9 <= u32::MAX as usize => self.set_header(array, 0x04, data + 9, Count::Padding),
                _ => self.set_header(array, 0x05, data + 9, Count::None),
            };
        } else {
            let table = self.table(array, 0x06, offsets.len(), data);
            let offsets = std::mem::take(&mut self.offsets);
            put_table(&mut self.buffer, &table, offsets.get(array.first..).unwrap_or(&[]).iter().copied());
            self.offsets = offsets;
        }
        self.offsets.truncate(array.first);
    }

    /// Fails when a key occurs twice and the builder is to refuse that.
    pub(super) fn close_object(&mut self, object: &Frame) -> Result<(), Error> {
        let count = self.keys.len() - object.first.min(self.keys.len());
        if count == 0 {
            self.close_empty(object, 0x0a);
            return Ok(());
        }
        let members = self.buffer.get(object.start..).unwrap_or(&[]);
        let keys = self.keys.get_mut(object.first..).unwrap_or(&mut []);
        let sorted = self.orders.sort(keys, members);
        if let Sorted::Duplicate { offset } = sorted {
            if self.reject_duplicates {
                let name = String::from_utf8_lossy(text_at(members, offset)).into_owned();
                return Err(Error::DuplicateKey { name });
            }
            self.drop_duplicates(object);
        }
        let count = self.keys.len() - object.first;
        let data = (self.buffer.len() - object.start).saturating_sub(object.header);
        let keys = self.keys.get(object.first..).unwrap_or(&[]);
        let total = data + 3 + count;
        if object.header == 3
            && total <= 0xff
            && let Sorted::By(order) = sorted
            && let Some(target) = self.buffer.get_mut(object.start..).and_then(|rest| rest.first_chunk_mut())
        {
            // The usual small object, for which the room that was kept is right.
            *target = [0x0b, total as u8, count as u8];
            let mut table = [0; REMEMBERED_MAX];
            for (target, &position) in table.iter_mut().zip(self.orders.get(order, count)) {
                *target = keys.get(usize::from(position)).map_or(0, |key| key.offset as u8);
            }
            append_short(&mut self.buffer, &table, count);
            self.keys.truncate(object.first);
            return Ok(());
        }
        let table = self.table(object, 0x0b, count, data);
        let keys = self.keys.get(object.first..).unwrap_or(&[]);
        match sorted {
            Sorted::By(order) => {
                let offset = |&index: &u8| keys.get(usize::from(index)).map_or(0, |key| key.offset);
                put_table(&mut self.buffer, &table, self.orders.get(order, count).iter().map(offset));
            }
            Sorted::InPlace | Sorted::Duplicate { .. } => {
                put_table(&mut self.buffer, &table, keys.iter().map(|key| key.offset));
            }
        }
        self.keys.truncate(object.first);
        Ok(())
    }

    fn close_empty(&mut self, frame: &Frame, head: u8) {
        self.buffer.truncate(frame.start);
        self.buffer.push(head);
    }

    /// Writes the header of a container with an offset table, as narrow as fits.
    fn table(&mut self, frame: &Frame, head: u8, count: usize, data: usize) -> Table {
        let totals = (data + 3 + count, data + 5 + 2 * count, data + 9 + 4 * count, data + 17 + 8 * count);
        let (step, width, total) = match totals {
            (total @ 0..=0xff, ..) => (0, 1, total),
            (_, total @ 0..=0xffff, ..) => (1, 2, total),
            (_, _, total, _) if total <= u32::MAX as usize => (2, 4, total),
            (_, _, _, total) => (3, 8, total),
        };
        let form = if width == 8 { Count::None } else { Count::Number(count) };
        let header = self.set_header(frame, head + step, total, form);
        Table { width, count, moved: frame.header.wrapping_sub(header) }
    }

    /// Writes first byte, length and count, and moves the members if another room was kept for them; returns the
    /// size of the header.
    fn set_header(&mut self, frame: &Frame, head: u8, total: usize, count: Count) -> usize {
        let step = (head - 0x02) & 3;
        let step = if head >= 0x0b { (head - 0x0b) & 3 } else { step };
        let width = 1usize << step;
        let mut fields = u128::from(head) | (total as u128) << 8;
        let header = match count {
            Count::None => 1 + width,
            Count::Padding => 9,
            Count::Number(count) => {
                fields |= (count as u128) << (8 + 8 * width);
                1 + 2 * width
            }
        };
        if header != frame.header {
            self.move_members(frame, header);
        }
        let fields = fields.to_le_bytes();
        let target = self.buffer.get_mut(frame.start..).unwrap_or(&mut []);
        match header {
            2 => put_fixed::<2>(target, &fields),
            3 => put_fixed::<3>(target, &fields),
            5 => put_fixed::<5>(target, &fields),
            _ => put_fixed::<9>(target, &fields),
        }
        header
    }

    #[inline(never)]
    fn move_members(&mut self, frame: &Frame, header: usize) {
        let old = frame.start + frame.header;
        let end = self.buffer.len();
        if header > frame.header {
            self.buffer.resize(end + header - frame.header, 0);
        }
        if old <= end {
            self.buffer.copy_within(old..end, frame.start + header);
        }
        self.buffer.truncate(end + header - frame.header);
        self.expect_header(frame.depth, header);
    }

    /// Removes all but the last value of each key from the members and the keys, which are sorted.
    #[cold]
    fn drop_duplicates(&mut self, object: &Frame) {
        let members = self.buffer.split_off(object.start);
        let sorted = self.keys.split_off(object.first);
        let mut kept: Vec<Key> = Vec::with_capacity(sorted.len());
        for (position, key) in sorted.iter().enumerate() {
            let next = sorted.get(position + 1);
            if next.is_none_or(|next| text_at(&members, next.offset) != text_at(&members, key.offset)) {
                kept.push(*key);
            }
        }
        let mut all: Vec<usize> = sorted.iter().map(|key| key.offset).collect();
        all.sort_unstable();
        let mut by_position: Vec<usize> = (0..kept.len()).collect();
        by_position.sort_unstable_by_key(|&index| kept.get(index).map(|key| key.offset));
        self.buffer.extend_from_slice(members.get(..object.header).unwrap_or(&[]));
        for index in by_position {
            let Some(key) = kept.get_mut(index) else { continue };
            let next = all.partition_point(|&other| other <= key.offset);
            let end = all.get(next).copied().unwrap_or(members.len());
            let pair = members.get(key.offset..end).unwrap_or(&[]);
            key.offset = self.buffer.len() - object.start;
            self.buffer.extend_from_slice(pair);
        }
        self.keys.extend(kept);
    }
}

/// What follows the length in a header.
enum Count {
    None,
    /// Zeros up to the ninth byte.
    Padding,
    Number(usize),
}

/// An offset table to be written.
struct Table {
    width: usize,
    count: usize,
    /// By how much offsets are too large, or too small by wrapping around.
    moved: usize,
}

/// Appends the offset table, and the count where it stands at the end.
#[inline]
fn put_table(buffer: &mut Vec<u8>, table: &Table, offsets: impl Iterator<Item = usize>) {
    let offsets = offsets.map(|offset| offset.wrapping_sub(table.moved));
    let size = table.count * table.width;
    if size <= SMALL_TABLE {
        let mut block = [0; SMALL_TABLE];
        fill_table(&mut block, table.width, offsets);
        return append_short(buffer, &block, size);
    }
    let start = buffer.len();
    buffer.resize(start + size, 0);
    fill_table(buffer.get_mut(start..).unwrap_or(&mut []), table.width, offsets);
    if table.width == 8 {
        buffer.extend_from_slice(&(table.count as u64).to_le_bytes());
    }
}

#[inline]
fn fill_table(target: &mut [u8], width: usize, offsets: impl Iterator<Item = usize>) {
    match width {
        1 => put_offsets(target, offsets, |offset| [offset as u8]),
        2 => put_offsets(target, offsets, |offset| (offset as u16).to_le_bytes()),
        4 => put_offsets(target, offsets, |offset| (offset as u32).to_le_bytes()),
        _ => put_offsets(target, offsets, |offset| (offset as u64).to_le_bytes()),
    }
}

#[inline]
fn put_offsets<const WIDTH: usize>(
    target: &mut [u8],
    offsets: impl Iterator<Item = usize>,
    encode: impl Fn(usize) -> [u8; WIDTH],
) {
    for (target, offset) in target.as_chunks_mut::<WIDTH>().0.iter_mut().zip(offsets) {
        *target = encode(offset);
    }
}

#[inline]
fn put_fixed<const SIZE: usize>(target: &mut [u8], fields: &[u8; 16]) {
    if let (Some(target), Some(source)) = (target.first_chunk_mut::<SIZE>(), fields.first_chunk::<SIZE>()) {
        *target = *source;
    }
}

/// Whether members that start at these offsets and end at `end` are of one size; false when there are none.
#[inline]
fn equal_sized(offsets: &[usize], header: usize, end: usize) -> bool {
    let Some(&last) = offsets.last() else { return false };
    let stride = end.wrapping_sub(last);
    // One that is out of step shows at the end, most often already.
    header + offsets.len() * stride == end
        && offsets.iter().enumerate().all(|(index, &offset)| offset == header + index * stride)
}
