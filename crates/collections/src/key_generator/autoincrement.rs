//! `autoincrement`: decimal text of the smallest number above the last one that is `offset` plus a multiple of the step.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};

pub(super) fn generate(last: &AtomicU64, offset: u64, increment: u64, key: &mut String) -> Result<()> {
    let mut seen = last.load(Ordering::Acquire);
    let next = loop {
        let next = successor(seen, offset, increment).ok_or(Error::OutOfKeys)?;
        match last.compare_exchange_weak(seen, next, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => break next,
            Err(now) => seen = now,
        }
    };
    key.push_str(itoa::Buffer::new().format(next));
    Ok(())
}

fn successor(last: u64, offset: u64, increment: u64) -> Option<u64> {
    if last < offset {
        return Some(offset);
    }
    let beyond = (last - offset).checked_rem(increment)?;
    last.checked_add(increment - beyond)
}
