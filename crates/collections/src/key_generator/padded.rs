//! `padded`: sixteen lower-case hexadecimal digits of a rising server-wide number, so that keys sort by creation.

use std::fmt::Write as _;
use std::sync::atomic::AtomicU64;

use crate::error::Result;
use crate::ticks::Ticks;

pub(super) fn generate(last: &AtomicU64, ticks: &Ticks, key: &mut String) -> Result<()> {
    let next = super::next_tick(last, ticks)?;
    // Writing to a String cannot fail.
    let _ = write!(key, "{next:016x}");
    Ok(())
}

/// The number behind a key of this form.
pub(super) fn decode(key: &str) -> Option<u64> {
    let well_formed = key.len() == 16 && key.bytes().all(|byte| byte.is_ascii_hexdigit());
    if well_formed { u64::from_str_radix(key, 16).ok() } else { None }
}
