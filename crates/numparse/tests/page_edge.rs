//! Text at the edges of readable memory: a conversion that touches a byte outside of it ends the test with a fault.
#![cfg(unix)]
#![allow(unsafe_code)]

mod common;

use common::{check_all, check_trusted, trusted_ways, ways};
use std::ptr;

/// One readable page between two that are not.
struct Page {
    mapping: *mut u8,
    size: usize,
}

impl Page {
    fn new() -> Page {
        // SAFETY: a fresh private mapping, of which only the middle page is made accessible.
        unsafe {
            let size = libc::sysconf(libc::_SC_PAGESIZE) as usize;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let mapping = libc::mmap(ptr::null_mut(), 3 * size, libc::PROT_NONE, flags, -1, 0);
            assert_ne!(mapping, libc::MAP_FAILED);
            let mapping = mapping.cast::<u8>();
            assert_eq!(libc::mprotect(mapping.add(size).cast(), size, libc::PROT_READ | libc::PROT_WRITE), 0);
            Page { mapping, size }
        }
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the middle page is readable and writable, and borrowed from here only.
        unsafe { std::slice::from_raw_parts_mut(self.mapping.add(self.size), self.size) }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: unmaps what `new` has mapped; nothing borrows from it any more.
        unsafe { libc::munmap(self.mapping.cast(), 3 * self.size) };
    }
}

#[test]
fn nothing_outside_of_the_text_is_read() {
    let (trusted, ways) = (trusted_ways(), ways());
    let mut page = Page::new();
    for length in 0..=40 {
        let digits = &b"1928374655647382910119283746556473829101"[..length];
        let bytes = page.bytes();
        let end = bytes.len() - length;
        for start in [0, end] {
            bytes[start..start + length].copy_from_slice(digits);
            let text = &bytes[start..start + length];
            check_all(&ways, text);
            if let Ok(expected) = std::str::from_utf8(digits).unwrap().parse() {
                check_trusted(&trusted, text, expected);
            }
        }
    }
}
