//! Eight digits at once in one 64-bit register.

const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Whether all eight bytes are ASCII digits.
#[inline]
pub(crate) const fn are_digits(eight: [u8; 8]) -> bool {
    let bytes = u64::from_le_bytes(eight);
    // A digit has the high nibble 3, and still has it after adding 6.
    let high = bytes & 0xf0f0_f0f0_f0f0_f0f0;
    let high_after = bytes.wrapping_add(0x0606_0606_0606_0606) & 0xf0f0_f0f0_f0f0_f0f0;
    high == ZEROS && high_after == ZEROS
}

/// The number that eight digits spell, below 10^8.
///
/// Neighbours are joined three times: digits to pairs, pairs to fours, fours to eight.
#[inline]
pub(crate) const fn join(eight: [u8; 8]) -> u64 {
    let digits = u64::from_le_bytes(eight).wrapping_sub(ZEROS);
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let low = (pairs & 0x0000_00ff_0000_00ff).wrapping_mul(100 + (1_000_000 << 32));
    let high = (pairs >> 16 & 0x0000_00ff_0000_00ff).wrapping_mul(1 + (10_000 << 32));
    low.wrapping_add(high) >> 32
}
