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
            if length % 7 == 0 {
                out.shrink_to_fit();
            }
        }
        assert_eq!(out, expected);
    }
}
