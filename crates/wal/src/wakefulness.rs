//! Whether it is worth to wait awake for a moment, giving way to others, instead of falling asleep.
//!
//! To fall asleep and be woken takes tens of microseconds on a virtual machine, as long as the sync of a fast disk. To
//! give way costs less, as long as those who are given way to soon give way themselves. Somebody who computes does not:
//! then it takes to the end of a time slice, some milliseconds. So after such a moment everybody sleeps, but for one at a
//! time who tries now and then; only after a row of good tries the others do so again.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::primitives::yield_now;

/// Who has given way for longer than this has given way to somebody who computes.
const SLOW: Duration = Duration::from_micros(500);
/// The next try is so many times as long away as the one that was slow took: a hiccup passes, work goes on.
const REST: std::ops::RangeInclusive<u32> = 4..=20;
/// From the beginning of a try to the next, if it is not slow.
const BETWEEN: Duration = Duration::from_millis(1);
/// Good tries that are needed at the beginning. Each slow one doubles their number.
const N_TRIES: u32 = 2;
const N_TRIES_MAX: u32 = 64;

pub(crate) struct Wakefulness {
    born: Instant,
    /// Good tries that are needed until all may wait awake.
    n_lacking: AtomicU32,
    /// In nanoseconds after `born`.
    next_try: AtomicU64,
}

impl Wakefulness {
    pub(crate) fn new() -> Wakefulness {
        let n_lacking = AtomicU32::new(N_TRIES);
        Wakefulness { born: Instant::now(), n_lacking, next_try: AtomicU64::new(0) }
    }

    /// Whether all may wait awake.
    pub(crate) fn is_given(&self) -> bool {
        self.n_lacking.load(Ordering::Relaxed) == 0
    }

    /// Gives way to others until `is_over`, for so long at most, and not at all if that is not worth it at present.
    pub(crate) fn wait(&self, max: Duration, is_over: impl Fn() -> bool) {
        if max.is_zero() {
            return;
        }
        let begin = Instant::now();
        let n_lacking = self.n_lacking.load(Ordering::Relaxed);
        if n_lacking > 0 && !self.takes_try(begin) {
            return;
        }
        let mut now = begin;
        while !is_over() && now - begin < max {
            yield_now();
            let before = std::mem::replace(&mut now, Instant::now());
            if now - before > SLOW {
                let rest = (now - before) * n_lacking.clamp(*REST.start(), *REST.end());
                self.next_try.store(self.nanos(now + rest), Ordering::Relaxed);
                self.n_lacking.store((2 * n_lacking + N_TRIES).min(N_TRIES_MAX), Ordering::Relaxed);
                return;
            }
        }
        if n_lacking > 0 {
            self.n_lacking.store(n_lacking - 1, Ordering::Relaxed);
        }
    }

    fn takes_try(&self, now: Instant) -> bool {
        let next = self.next_try.load(Ordering::Relaxed);
        let after = self.nanos(now + BETWEEN);
        self.nanos(now) >= next
            && self.next_try.compare_exchange(next, after, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    fn nanos(&self, moment: Instant) -> u64 {
        moment.duration_since(self.born).as_nanos() as u64
    }
}
