//! Four or eight digits in one register, the first digit in the lowest byte.

/// Ten to the power of eight.
pub(crate) const EIGHT: u64 = 100_000_000;
/// Ten to the power of sixteen.
pub(crate) const SIXTEEN: u64 = EIGHT * EIGHT;

const ONES: u64 = 0x0101_0101_0101_0101;

/// What each digit stands for; more than 9 for every other byte.
#[inline(always)]
pub(crate) const fn values(bytes: u64) -> u64 {
    bytes ^ (ONES * b'0' as u64)
}

/// 0 when all eight are 0 to 9; else the lowest bit that is set lies in the first byte that is more.
#[inline(always)]
pub(crate) const fn not_digits(values: u64) -> u64 {
    // Adding 0x76 carries 10 and more into the highest bit. A carry into the next byte comes only from a byte that is
    // no digit itself.
    (values.wrapping_add(ONES * 0x76) | values) & (ONES * 0x80)
}

/// How many from the first on are 0 to 9.
#[inline(always)]
pub(super) const fn count_digits(values: u64) -> usize {
    (not_digits(values).trailing_zeros() / 8) as usize
}

/// The number that eight digits spell, given their values.
///
/// Neighbours are joined three times: digits to pairs, pairs to fours, fours to eight.
#[inline(always)]
pub(super) const fn join_eight(values: u64) -> u64 {
    let pairs = values.wrapping_mul(1 + (10 << 8)) >> 8;
    let fours = (pairs & 0x00ff_00ff_00ff_00ff).wrapping_mul(1 + (100 << 16)) >> 16;
    (fours & 0x0000_ffff_0000_ffff).wrapping_mul(1 + (10_000 << 32)) >> 32
}

/// The number that four digits spell, given their values.
#[inline(always)]
pub(super) const fn join_four(values: u32) -> u64 {
    let pairs = values.wrapping_mul(1 + (10 << 8)) >> 8;
    ((pairs & 0x00ff_00ff).wrapping_mul(1 + (100 << 16)) >> 16) as u64
}

/// The bits by which the first block has to move up when all blocks together have room for so many digits.
#[inline(always)]
pub(crate) const fn shift(room: usize, digits: &[u8]) -> u32 {
    8 * room.wrapping_sub(digits.len()) as u32
}

/// Values of four to eight digits: those of the first four in the lower half, those of the last four in the upper half.
#[inline(always)]
pub(super) fn two_fours(text: &[u8]) -> u64 {
    values(u64::from(first_four(text)) | u64::from(last_four(text)) << 32)
}

/// The number that four to eight digits spell.
#[inline(always)]
pub(super) fn join_fours(values: u64, digits: &[u8]) -> u64 {
    join_eight((values as u32 as u64).wrapping_shl(shift(8, digits)) | values >> 32 << 32)
}

/// The number that sixteen digits spell.
#[inline(always)]
pub(super) const fn join_eights(high: u64, low: u64) -> u64 {
    join_eight(high).wrapping_mul(EIGHT).wrapping_add(join_eight(low))
}

#[inline(always)]
pub(crate) fn first_four(text: &[u8]) -> u32 {
    text.first_chunk().map_or(0, |four| u32::from_le_bytes(*four))
}

#[inline(always)]
pub(crate) fn last_four(text: &[u8]) -> u32 {
    text.last_chunk().map_or(0, |four| u32::from_le_bytes(*four))
}

#[inline(always)]
pub(crate) fn first_eight(text: &[u8]) -> u64 {
    text.first_chunk().map_or(0, |eight| u64::from_le_bytes(*eight))
}

/// The eight before the last eight.
#[inline(always)]
pub(super) fn middle_eight(text: &[u8]) -> u64 {
    text.last_chunk::<16>().and_then(|text| text.first_chunk()).map_or(0, |eight| u64::from_le_bytes(*eight))
}

#[inline(always)]
pub(crate) fn last_eight(text: &[u8]) -> u64 {
    text.last_chunk().map_or(0, |eight| u64::from_le_bytes(*eight))
}

/// The first eight bytes, or all of shorter text and zero bytes after them.
#[inline(always)]
pub(super) fn up_to_eight(text: &[u8]) -> u64 {
    match *text {
        [] => 0,
        [one] => u64::from(one),
        [one, two] => u64::from(u16::from_le_bytes([one, two])),
        [one, two, three] => u64::from(u32::from_le_bytes([one, two, three, 0])),
        _ => match text.len() {
            length @ ..8 => u64::from(first_four(text)) | u64::from(last_four(text)) << (8 * (length - 4)),
            _ => first_eight(text),
        },
    }
}
