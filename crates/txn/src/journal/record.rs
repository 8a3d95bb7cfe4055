//! How a commit's write set lies in the log.
//!
//! A record is a sequence of writes, in the order in which they apply; nothing else.
//!
//! | bytes | content |
//! | --- | --- |
//! | 1 | the tree in the low bits; bit 7 is set for a delete |
//! | 1 to 5 | length of the key, base 128, low bits first, bit 7 set on all but the last byte |
//! | 1 to 5 | length of the value in the same form; absent for a delete |
//! | | key, beginning with its keyspace |
//! | | value; absent for a delete |

use persea_kv::{Tree, Write};

/// The kind of log record that holds a write set in this form.
pub(crate) const KIND_WRITES: u16 = 1;

const DELETE: u8 = 0x80;

/// The bytes of a length.
fn encode_len(mut len: usize, buffer: &mut [u8; 5]) -> &[u8] {
    let mut n_bytes = 0;
    for byte in buffer.iter_mut() {
        n_bytes += 1;
        *byte = (len & 0x7f) as u8;
        len >>= 7;
        if len == 0 {
            break;
        }
        *byte |= 0x80;
    }
    buffer.get(..n_bytes).unwrap_or_default()
}

/// Hands the bytes of a write to `emit`, piece by piece.
pub(crate) fn encode(write: Write<'_>, mut emit: impl FnMut(&[u8])) {
    let mut buffer = [0; 5];
    let tree = write.tree.ordinal() as u8;
    emit(&[if write.value.is_some() { tree } else { tree | DELETE }]);
    emit(encode_len(write.key.len(), &mut buffer));
    if let Some(value) = write.value {
        emit(encode_len(value.len(), &mut buffer));
    }
    emit(write.key);
    emit(write.value.unwrap_or_default());
}

/// The writes of a record; `None` in the place where it makes no sense.
pub(crate) fn decode(payload: &[u8]) -> impl Iterator<Item = Option<Write<'_>>> {
    let mut rest = payload;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let write = take_write(&mut rest);
        if write.is_none() {
            rest = &[];
        }
        Some(write)
    })
}

fn take_write<'p>(rest: &mut &'p [u8]) -> Option<Write<'p>> {
    let (&first, behind) = rest.split_first()?;
    *rest = behind;
    let tree = Tree::from_ordinal(usize::from(first & !DELETE))?;
    let is_delete = first & DELETE != 0;
    let key_len = take_len(rest)?;
    let value_len = if is_delete { 0 } else { take_len(rest)? };
    let key = take(rest, key_len)?;
    let value = take(rest, value_len)?;
    let write = Write { tree, key, value: (!is_delete).then_some(value) };
    write.check().ok()?;
    Some(write)
}

fn take<'p>(rest: &mut &'p [u8], len: usize) -> Option<&'p [u8]> {
    let (taken, behind) = rest.split_at_checked(len)?;
    *rest = behind;
    Some(taken)
}

fn take_len(rest: &mut &[u8]) -> Option<usize> {
    let mut len = 0_u64;
    for shift in (0..35).step_by(7) {
        let (&byte, behind) = rest.split_first()?;
        *rest = behind;
        len |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return usize::try_from(len).ok();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes_of(writes: &[Write<'_>]) -> Vec<u8> {
        let mut bytes = Vec::new();
        writes.iter().for_each(|write| encode(*write, |piece| bytes.extend_from_slice(piece)));
        bytes
    }

    #[test]
    fn writes_come_back_as_they_were() {
        let long = vec![7; 300_000];
        let writes = [
            Write::put(Tree::Meta, b"k", b""),
            Write::delete(Tree::Documents, &long[..1900]),
            Write::put(Tree::Index, b"key", &long),
        ];
        let bytes = bytes_of(&writes);
        let found: Option<Vec<_>> = decode(&bytes).collect();
        assert_eq!(found.as_deref(), Some(&writes[..]));
    }

    #[test]
    fn a_record_cut_anywhere_else_than_between_writes_makes_no_sense() {
        let bytes = bytes_of(&[Write::put(Tree::Meta, b"key", b"value")]);
        for len in 1..bytes.len() {
            assert!(decode(&bytes[..len]).any(|write| write.is_none()), "{len}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

        #[test]
        fn garbage_is_decoded_to_an_end(payload in proptest::collection::vec(any::<u8>(), 0..200)) {
            decode(&payload).count();
        }
    }
}
