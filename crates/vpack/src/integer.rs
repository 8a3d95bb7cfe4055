//! The text form of integers, eight digits at a time.

/// An integer as decimal text. The text lives on the stack.
///
/// ```
/// use persea_vpack::IntegerText;
///
/// assert_eq!(IntegerText::new(-1815).as_bytes(), b"-1815");
/// assert_eq!(IntegerText::unsigned(u64::MAX).as_bytes(), b"18446744073709551615");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct IntegerText {
    /// The longest texts are 20 bytes.
    bytes: [u8; TEXT_MAX],
    length: usize,
}

const TEXT_MAX: usize = 24;
const TEN_TO_8: u64 = 100_000_000;
const TEN_TO_16: u64 = 10_000_000_000_000_000;

impl IntegerText {
    /// Formats a signed integer.
    #[inline]
    pub fn new(number: i64) -> IntegerText {
        let mut text = IntegerText::unsigned(number.unsigned_abs());
        if number < 0 {
            text.bytes.copy_within(..TEXT_MAX - 1, 1);
            text.bytes[0] = b'-';
            text.length += 1;
        }
        text
    }

    /// Formats an unsigned integer.
    #[inline]
    pub fn unsigned(number: u64) -> IntegerText {
        if number < TEN_TO_8 {
            let (eight, zeros) = spell(number);
            let mut bytes = [0; TEXT_MAX];
            if let Some(target) = bytes.first_chunk_mut() {
                *target = (eight >> (8 * zeros)).to_le_bytes();
            }
            return IntegerText { bytes, length: 8 - zeros as usize };
        }
        IntegerText::long(number)
    }

    #[inline]
    fn long(number: u64) -> IntegerText {
        let (top, number) =
            if number < TEN_TO_16 { (0, number) } else { (number / TEN_TO_16, number % TEN_TO_16) };
        let (high, zeros) = spell(number / TEN_TO_8);
        let (low, _) = spell(number % TEN_TO_8);
        let sixteen = u128::from(low) << 64 | u128::from(high);
        let mut bytes = [0; TEXT_MAX];
        if top == 0 {
            if let Some(target) = bytes.first_chunk_mut() {
                *target = (sixteen >> (8 * zeros)).to_le_bytes();
            }
            return IntegerText { bytes, length: 16 - zeros as usize };
        }
        let (eight, zeros) = spell(top);
        let length = 8 - zeros as usize;
        if let Some(target) = bytes.first_chunk_mut() {
            *target = (eight >> (8 * zeros)).to_le_bytes();
        }
        // At most four digits of the largest number come before these.
        if let Some(target) = bytes.get_mut(length..).and_then(|rest| rest.first_chunk_mut()) {
            *target = sixteen.to_le_bytes();
        }
        IntegerText { bytes, length: length + 16 }
    }

    /// The text, all ASCII.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or(&self.bytes)
    }

    /// Appends the text.
    #[inline(always)]
    pub fn append_to(&self, out: &mut Vec<u8>) {
        crate::append_short(out, &self.bytes, self.length);
    }
}

/// Eight ASCII digits of a number below 10^8, the first in the lowest byte, and how many zeros they start with, at
/// most seven.
///
/// The number is cut into halves three times, all parts at once.
#[inline(always)]
fn spell(number: u64) -> (u64, u32) {
    let fours = (number / 10_000) | (number % 10_000) << 32;
    // 5243 / 2^19 is a hundredth, near enough for numbers below 10,000; 103 / 2^10 a tenth for those below 100.
    let hundreds = (fours.wrapping_mul(5_243) >> 19) & 0x0000_007f_0000_007f;
    let pairs = hundreds | (fours - hundreds * 100) << 16;
    let tens = (pairs.wrapping_mul(103) >> 10) & 0x000f_000f_000f_000f;
    let digits = tens | (pairs - tens * 10) << 8;
    (digits | 0x3030_3030_3030_3030, (digits | 1 << 56).trailing_zeros() / 8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(number: u64) {
        assert_eq!(IntegerText::unsigned(number).as_bytes(), number.to_string().as_bytes());
        let signed = number as i64;
        assert_eq!(IntegerText::new(signed).as_bytes(), signed.to_string().as_bytes());
        let mut out = b"x".to_vec();
        IntegerText::new(signed).append_to(&mut out);
        assert_eq!(out, format!("x{signed}").as_bytes());
    }

    #[test]
    fn every_number_up_to_five_digits_and_all_powers() {
        (0..100_000).for_each(check);
        let powers = (0..20).map(|exponent| 10u64.pow(exponent));
        for number in powers.chain((0..64).map(|shift| 1 << shift)).chain([u64::MAX, i64::MAX as u64]) {
            (0..3).for_each(|step| check(number.wrapping_add(step).wrapping_sub(1)));
            check(number.wrapping_neg());
        }
    }

    proptest! {
        #[test]
        fn numbers_of_all_lengths(number: u64, shift in 0u32..64) {
            check(number >> shift);
        }
    }
}
