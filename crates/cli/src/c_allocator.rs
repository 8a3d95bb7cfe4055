//! Keeps the C library's allocator from reserving address space for every thread.
//!
//! Only LMDB allocates by it here, seldom and little. It would reserve 64 MiB for each thread all the same, which is a lot
//! where the process may not have much (`ulimit -v`).
#![allow(unsafe_code)]

/// To be called before there are threads.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn share_among_threads() {
    // SAFETY: sets a parameter of the allocator, for which any number is valid; it is left as it was if that fails.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, 2) };
}

/// Other C libraries don't do that.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn share_among_threads() {}
