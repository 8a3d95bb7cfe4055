//! From the primary weights of a sort key back to ASCII characters.

use crate::ascii::Primary;

/// Finds the character that a primary weight of one or two bytes belongs to.
pub(crate) struct WeightTable {
    /// By first byte: the character of a one-byte weight, or `LONGER` plus an index into `second`, or `NONE`.
    first: [u16; 256],
    /// By second byte: the character, or `NONE`.
    second: Vec<[u16; 256]>,
    /// Every weight fits this table.
    pub(crate) complete: bool,
}

impl WeightTable {
    const NONE: u16 = 0xffff;
    const LONGER: u16 = 0x100;

    /// The table of all weights.
    pub(crate) fn of(primary: &[Primary; 128]) -> WeightTable {
        let mut table = WeightTable { complete: true, ..WeightTable::default() };
        for (character, primary) in (0u8..).zip(primary) {
            // Upper-case letters share the weight of the lower-case ones.
            if primary.len == 0 || character.is_ascii_uppercase() {
                continue;
            }
            let [lead, next, ..] = primary.bytes;
            let Some(slot) = table.first.get_mut(usize::from(lead)) else { continue };
            if primary.len > 2 || primary.compressible {
                table.complete = false;
            } else if primary.len == 1 {
                *slot = u16::from(character);
            } else {
                if *slot == Self::NONE {
                    *slot = Self::LONGER + table.second.len() as u16;
                    table.second.push([Self::NONE; 256]);
                }
                let index = usize::from(slot.wrapping_sub(Self::LONGER));
                match table.second.get_mut(index).and_then(|second| second.get_mut(usize::from(next))) {
                    Some(slot) => *slot = u16::from(character),
                    None => table.complete = false,
                }
            }
        }
        table
    }

    /// The character of the next weight in `weights`.
    #[inline]
    pub(crate) fn next(&self, weights: &mut std::slice::Iter<'_, u8>) -> Option<u8> {
        let found = *self.first.get(usize::from(*weights.next()?))?;
        match u8::try_from(found) {
            Ok(character) => Some(character),
            Err(_) => {
                let second = self.second.get(usize::from(found.wrapping_sub(Self::LONGER)))?;
                u8::try_from(*second.get(usize::from(*weights.next()?))?).ok()
            }
        }
    }
}

impl Default for WeightTable {
    fn default() -> WeightTable {
        WeightTable { first: [Self::NONE; 256], second: Vec::new(), complete: false }
    }
}
