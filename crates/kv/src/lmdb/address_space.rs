//! How much contiguous address space the process may still reserve.
#![allow(unsafe_code)]

/// Reservations are multiples of this, which is a multiple of every page size in use.
pub(super) const RESERVATION_UNIT_BYTES: usize = 1 << 20;
/// The smallest reservation that is worth trying.
const RESERVATION_BYTES_MIN: usize = 16 << 20;

/// Rounds up to a whole number of units, without overflow.
pub(super) fn round_up(bytes: usize) -> usize {
    bytes
        .checked_next_multiple_of(RESERVATION_UNIT_BYTES)
        .unwrap_or(usize::MAX - (RESERVATION_UNIT_BYTES - 1))
}

/// The reservation to make when `wanted_bytes` is asked for: all of it if there is room, otherwise about half of
/// what there is room for, so that the rest of the process can breathe.
pub(super) fn affordable(wanted_bytes: usize) -> usize {
    let wanted_bytes = round_up(wanted_bytes.max(RESERVATION_BYTES_MIN));
    if can_reserve(wanted_bytes) {
        return wanted_bytes;
    }
    let mut bytes = wanted_bytes;
    while bytes > RESERVATION_BYTES_MIN && !can_reserve(bytes) {
        bytes /= 2;
    }
    round_up((bytes / 2).max(RESERVATION_BYTES_MIN))
}

/// Tries to reserve address space and gives it back at once.
#[cfg(unix)]
pub(super) fn can_reserve(bytes: usize) -> bool {
    // SAFETY: an anonymous mapping at an address the kernel chooses touches no existing memory; the result is only
    // compared and, if it is a mapping, unmapped again with the same length before anyone could use it.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let address = libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_NONE, flags, -1, 0);
        address != libc::MAP_FAILED && libc::munmap(address, bytes) == 0
    }
}

/// Elsewhere the reservation itself is the test.
#[cfg(not(unix))]
pub(super) fn can_reserve(_bytes: usize) -> bool {
    true
}

/// What a growing reservation leaves to the rest of the process.
#[cfg(target_os = "linux")]
const REST_BYTES_MIN: u64 = 32 << 20;

/// Whether a reservation can become `wanted_bytes` large, which is given up before the larger one is made.
pub(super) fn can_replace(current_bytes: usize, wanted_bytes: usize) -> bool {
    if can_reserve(wanted_bytes) {
        return true;
    }
    // Where a limit is what is in the way, the old reservation counts too. Nothing can be tried out without giving that up,
    // so it is calculated, with some room for what other threads do meanwhile.
    #[cfg(target_os = "linux")]
    {
        let more_bytes = wanted_bytes.saturating_sub(current_bytes) as u64;
        unused_bytes().is_some_and(|unused| more_bytes.saturating_add(REST_BYTES_MIN) <= unused)
    }
    #[cfg(not(target_os = "linux"))]
    false
}

/// Address space that the process may still take, if there is a limit.
#[cfg(target_os = "linux")]
fn unused_bytes() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is a valid place for what the call writes.
    let is_known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) } == 0;
    if !is_known || limit.rlim_cur == libc::RLIM_INFINITY {
        return None;
    }
    // The first number is the size of the process in pages.
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let n_pages: u64 = statm.split_whitespace().next()?.parse().ok()?;
    Some(limit.rlim_cur.saturating_sub(n_pages.checked_mul(page_bytes())?))
}

/// Memory of the machine in bytes, if the system tells.
pub(super) fn physical_memory_bytes() -> Option<u64> {
    #[cfg(unix)]
    {
        // SAFETY: `sysconf` reads a system constant and has no preconditions.
        let (pages, page_bytes) =
            unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
        u64::try_from(pages).ok()?.checked_mul(u64::try_from(page_bytes).ok()?)
    }
    #[cfg(not(unix))]
    None
}

/// The system's page size in bytes.
pub(super) fn page_bytes() -> u64 {
    const USUAL: u64 = 4096;
    #[cfg(unix)]
    {
        // SAFETY: `sysconf` reads a system constant and has no preconditions.
        let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        u64::try_from(bytes).unwrap_or(USUAL)
    }
    #[cfg(not(unix))]
    USUAL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reservation_that_can_not_be_had_shrinks() {
        assert_eq!(affordable(1), RESERVATION_BYTES_MIN);
        assert!(affordable(usize::MAX) < usize::MAX / 2);
        assert_eq!(affordable(usize::MAX) % RESERVATION_UNIT_BYTES, 0);
    }
}
