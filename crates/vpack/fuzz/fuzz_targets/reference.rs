//! What the format allows, written down a second time as plainly as possible, without an eye to speed.

const DEPTH_MAX: usize = 400;
const TAGS_MAX: usize = 8;
const NAMES: [&str; 5] = ["_key", "_rev", "_id", "_from", "_to"];

/// Whether the bytes are exactly one legal value.
pub fn is_legal(bytes: &[u8]) -> bool {
    value(bytes, DEPTH_MAX) == Some(bytes.len())
}

fn uint(bytes: &[u8], at: usize, width: usize) -> Option<usize> {
    let field = bytes.get(at..at.checked_add(width)?)?;
    let mut number = 0u64;
    for &byte in field.iter().rev() {
        number = number << 8 | u64::from(byte);
    }
    usize::try_from(number).ok()
}

fn within(size: Option<usize>, bytes: &[u8]) -> Option<usize> {
    size.filter(|&size| size <= bytes.len())
}

/// Size of the legal value at the start of the bytes.
fn value(bytes: &[u8], depth: usize) -> Option<usize> {
    let head = *bytes.first()?;
    match head {
        0x01 | 0x0a | 0x18 | 0x19 | 0x1a | 0x1e | 0x1f | 0x30..=0x3f => Some(1),
        0x1b => {
            let bits = u64::from_le_bytes(bytes.get(1..9)?.try_into().ok()?);
            f64::from_bits(bits).is_finite().then_some(9)
        }
        0x1c => within(Some(9), bytes),
        0x20..=0x27 => within(Some(2 + usize::from(head - 0x20)), bytes),
        0x28..=0x2f => within(Some(2 + usize::from(head - 0x28)), bytes),
        0x40..=0xbf => {
            let (_, size) = text(bytes)?;
            Some(size)
        }
        0xc0..=0xc7 => {
            let width = usize::from(head - 0xbf);
            within(uint(bytes, 1, width)?.checked_add(1 + width), bytes)
        }
        0xc8..=0xd7 => {
            let width = usize::from((head - 0xc8) % 8) + 1;
            let size = within(uint(bytes, 1, width)?.checked_add(5 + width), bytes)?;
            let digits = &bytes[5 + width..size];
            digits.iter().all(|byte| byte >> 4 < 10 && byte & 15 < 10).then_some(size)
        }
        0xee | 0xef => {
            let depth = depth.checked_sub(1)?;
            let (mut at, mut tags) = (0, 0);
            while matches!(bytes.get(at)?, 0xee | 0xef) {
                at += if bytes[at] == 0xee { 2 } else { 9 };
                tags += 1;
            }
            (tags <= TAGS_MAX).then_some(())?;
            Some(at + value(bytes.get(at..)?, depth)?)
        }
        0x13 | 0x14 => compact(bytes, depth.checked_sub(1)?),
        0x02..=0x12 => container(bytes, depth.checked_sub(1)?),
        _ => None,
    }
}

/// The string at the start of the bytes and the bytes it takes.
fn text(bytes: &[u8]) -> Option<(&str, usize)> {
    let (start, size) = match *bytes.first()? {
        head @ 0x40..=0xbe => (1, 1 + usize::from(head - 0x40)),
        0xbf => (9, uint(bytes, 1, 8)?.checked_add(9)?),
        _ => return None,
    };
    Some((std::str::from_utf8(bytes.get(start..size)?).ok()?, size))
}

fn key(bytes: &[u8]) -> Option<(&str, usize)> {
    let name = |number: usize| NAMES.get(number.wrapping_sub(1)).copied();
    match *bytes.first()? {
        head @ 0x30..=0x39 => Some((name(usize::from(head - 0x30))?, 1)),
        head @ 0x28..=0x2f => {
            let width = usize::from(head - 0x27);
            Some((name(uint(bytes, 1, width)?)?, 1 + width))
        }
        _ => text(bytes),
    }
}

/// Members that fill the bytes: where each starts, and the keys.
fn members(bytes: &[u8], is_object: bool, depth: usize) -> Option<(Vec<usize>, Vec<&str>)> {
    let (mut starts, mut keys, mut at) = (Vec::new(), Vec::new(), 0);
    while at < bytes.len() {
        starts.push(at);
        if is_object {
            let (name, size) = key(&bytes[at..])?;
            keys.push(name);
            at += size;
        }
        at += value(&bytes[at..], depth)?;
    }
    (!starts.is_empty()).then_some((starts, keys))
}

fn all_differ(keys: &[&str]) -> bool {
    let set: std::collections::BTreeSet<_> = keys.iter().collect();
    set.len() == keys.len()
}

fn compact(bytes: &[u8], depth: usize) -> Option<usize> {
    let varint = |bytes: &mut dyn Iterator<Item = &u8>| {
        let (mut number, mut used) = (0usize, 0);
        for byte in bytes.take(8) {
            number |= usize::from(byte & 0x7f) << (7 * used);
            used += 1;
            if byte & 0x80 == 0 {
                return Some((number, used));
            }
        }
        None
    };
    let (size, head) = varint(&mut bytes.get(1..)?.iter())?;
    let bytes = bytes.get(..size)?;
    let (count, tail) = varint(&mut bytes.get(1 + head..)?.iter().rev())?;
    let (starts, keys) = members(bytes.get(1 + head..size.checked_sub(tail)?)?, bytes[0] == 0x14, depth)?;
    (starts.len() == count && all_differ(&keys)).then_some(size)
}

fn container(bytes: &[u8], depth: usize) -> Option<usize> {
    let (first, is_object, is_sorted) = match bytes[0] {
        0x02..=0x05 => (0x02, false, false),
        0x06..=0x09 => (0x06, false, false),
        0x0b..=0x0e => (0x0b, true, true),
        0x0f..=0x12 => (0x0f, true, false),
        _ => return None,
    };
    let width = 1usize << (bytes[0] - first);
    let size = uint(bytes, 1, width)?;
    let bytes = bytes.get(..size)?;
    if first == 0x02 {
        let data = padded(bytes, 1 + width)?;
        let (starts, _) = members(data, false, depth)?;
        let stride = data.len() / starts.len();
        let are_equal = starts.iter().enumerate().all(|(index, &at)| at == index * stride);
        return (are_equal && data.len() == starts.len() * stride).then_some(size);
    }
    let (count, start, end) = match width {
        8 => (uint(bytes, size.checked_sub(8)?, 8)?, 9, size.checked_sub(8)?),
        _ => (uint(bytes, 1 + width, width)?, size - padded(bytes, 1 + 2 * width)?.len(), size),
    };
    let end = end.checked_sub(count.checked_mul(width)?)?;
    let (starts, keys) = members(bytes.get(start..end)?, is_object, depth)?;
    (starts.len() == count).then_some(())?;
    let table: Option<Vec<usize>> =
        (0..count).map(|index| uint(bytes, end + index * width, width)?.checked_sub(start)).collect();
    let mut table = table?;
    if !is_object {
        return (table == starts).then_some(size);
    }
    if is_sorted {
        let name = |at: &usize| starts.iter().position(|start| start == at).map(|index| keys[index]);
        let names: Option<Vec<&str>> = table.iter().map(name).collect();
        if !names?.windows(2).all(|pair| pair[0] < pair[1]) {
            return None;
        }
    }
    table.sort_unstable();
    (table == starts && all_differ(&keys)).then_some(size)
}

/// The bytes behind a header, which may be filled up with zeros to nine bytes.
fn padded(bytes: &[u8], header: usize) -> Option<&[u8]> {
    let padding = bytes.get(header..9).filter(|padding| padding.first() == Some(&0));
    match padding {
        Some(padding) => padding.iter().all(|&byte| byte == 0).then(|| &bytes[9..]),
        None => bytes.get(header..),
    }
    .filter(|data| !data.is_empty())
}
