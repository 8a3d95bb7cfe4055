//! `traditional`: decimal text of a rising server-wide number.

use std::sync::atomic::AtomicU64;

use crate::error::Result;
use crate::ticks::Ticks;

pub(super) fn generate(last: &AtomicU64, ticks: &Ticks, key: &mut String) -> Result<()> {
    let next = super::next_tick(last, ticks)?;
    key.push_str(itoa::Buffer::new().format(next));
    Ok(())
}
