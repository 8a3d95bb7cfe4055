//! Appending short pieces to a byte vector without a call to copy them.
#![allow(unsafe_code)]

/// Appends the first `length` bytes of a block; a `length` beyond the block counts as all of it.
///
/// The whole block is copied and then only part of it kept: a copy of a size known in advance is a few
/// instructions, where one of a variable size is a call.
///
/// ```
/// let mut out = Vec::new();
/// persea_vpack::append_short(&mut out, b"abcdefgh", 3);
/// persea_vpack::append_short(&mut out, b"xyz", 9);
/// assert_eq!(out, b"abcxyz");
/// ```
#[inline(always)]
pub fn append_short<const N: usize>(out: &mut Vec<u8>, block: &[u8; N], length: usize) {
    let start = out.len();
    if out.capacity() - start < N {
        grow(out, N);
    }
    // SAFETY: there are `N` spare bytes behind `start`, made sure of just above, so the block fits; an array of
    // bytes has no alignment; the bytes that become part of the vector are the ones just written.
    unsafe {
        out.as_mut_ptr().add(start).cast::<[u8; N]>().write(*block);
        out.set_len(start + length.min(N));
    }
}

/// Appends `head`, the first `length` bytes of a block, and `tail`, as [`append_short`] does.
///
/// ```
/// let mut out = Vec::new();
/// persea_vpack::append_between(&mut out, b'"', b"name....", 4, b"\":");
/// assert_eq!(out, b"\"name\":");
/// ```
#[inline(always)]
pub fn append_between<const N: usize, const M: usize>(
    out: &mut Vec<u8>,
    head: u8,
    block: &[u8; N],
    length: usize,
    tail: &[u8; M],
) {
    let start = out.len();
    if out.capacity() - start <= N + M {
        grow(out, N + M + 1);
    }
    let length = length.min(N);
    // SAFETY: there are `1 + N + M` spare bytes behind `start`, made sure of just above, and `length` is at most `N`;
    // an array of bytes has no alignment; the bytes that become part of the vector are the ones just written.
    unsafe {
        let target = out.as_mut_ptr().add(start);
        target.write(head);
        target.add(1).cast::<[u8; N]>().write(*block);
        target.add(1 + length).cast::<[u8; M]>().write(*tail);
        out.set_len(start + 1 + length + M);
    }
}

/// Appends a text, without a call when it has 4 to 32 bytes.
#[inline(always)]
pub(crate) fn append_text(out: &mut Vec<u8>, text: &[u8]) {
    if !append_ends::<16>(out, text) && !append_ends::<8>(out, text) && !append_ends::<4>(out, text) {
        out.extend_from_slice(text);
    }
}

/// Appends a text of `N` to twice as many bytes by its ends, which overlap; false and nothing for others.
#[inline(always)]
fn append_ends<const N: usize>(out: &mut Vec<u8>, text: &[u8]) -> bool {
    let (Some(head), Some(tail)) = (text.first_chunk::<N>(), text.last_chunk::<N>()) else { return false };
    if text.len() > 2 * N {
        return false;
    }
    let start = out.len();
    if out.capacity() - start < 2 * N {
        grow(out, 2 * N);
    }
    // SAFETY: there are `2 * N` spare bytes behind `start`, made sure of just above, and the text has at least `N` and
    // at most that many, so both copies fit and cover all of it.
    unsafe {
        let target = out.as_mut_ptr().add(start);
        target.cast::<[u8; N]>().write(*head);
        target.add(text.len() - N).cast::<[u8; N]>().write(*tail);
        out.set_len(start + text.len());
    }
    true
}

/// Appends one byte and then the first `length` bytes of a block.
#[inline(always)]
pub(crate) fn append_headed<const N: usize>(out: &mut Vec<u8>, head: u8, block: &[u8; N], length: usize) {
    let start = out.len();
    if out.capacity() - start <= N {
        grow(out, N + 1);
    }
    // SAFETY: there are `N + 1` spare bytes behind `start`, made sure of just above; an array of bytes has no
    // alignment; the bytes that become part of the vector are the ones just written.
    unsafe {
        let target = out.as_mut_ptr().add(start);
        target.write(head);
        target.add(1).cast::<[u8; N]>().write(*block);
        out.set_len(start + 1 + length.min(N));
    }
}

#[cold]
#[inline(never)]
fn grow(out: &mut Vec<u8>, bytes: usize) {
    out.reserve(bytes.max(64));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_all_lengths_after_each_other() {
        let block: [u8; 32] = std::array::from_fn(|index| index as u8);
        let (mut out, mut expected) = (Vec::new(), Vec::new());
        for length in (0..=40).chain((0..=40).rev()) {
            append_short(&mut out, &block, length);
            expected.extend(&block[..length.min(32)]);
            append_headed(&mut out, 0xff, &block, length);
            expected.push(0xff);
            expected.extend(&block[..length.min(32)]);
            append_between(&mut out, 0xfe, &block, length, b"xyz");
            expected.push(0xfe);
            expected.extend(&block[..length.min(32)]);
            expected.extend(b"xyz");
            append_text(&mut out, &[&block[..], &block[..]].concat()[..length]);
            expected.extend(&[&block[..], &block[..]].concat()[..length]);
            if length % 7 == 0 {
                out.shrink_to_fit();
            }
        }
        assert_eq!(out, expected);
    }
}
