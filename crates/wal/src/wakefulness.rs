//! Whether it is worth to wait awake for a moment, giving way to others, instead of falling asleep.
//!
//! To fall asleep and be woken takes tens of microseconds on a virtual machine, as long as the sync of a fast disk. To
//! give way costs less, as long as those who are given way to soon give way themselves. Somebody who computes does not:
//! then it takes to the end of a time slice, some milliseconds. So after such a moment everybody sleeps, but for one at a
//! time who tries now and then; only after a row of good tries the others do so again, and after a longer row each time
//! that was too early.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::primitives::yield_now;

/// Who has given way for longer than this has given way to somebody who computes.
const SLOW: Duration = Duration::from_micros(500);
/// The next try is so many times as long away as the one that was slow took: a hiccup passes, work goes on.
const REST: std::ops::RangeInclusive<u32> = 4..=20;
/// From the beginning of a try to the next, if it is not slow.
const BETWEEN: Duration = Duration::from_millis(1);
/// Good tries in a row that are needed at the least, and at the most. Each slow moment doubles their number.
const N_TRIES: u32 = 2;
const N_TRIES_MAX: u32 = 64;
/// So many good waits halve it again.
const N_GOOD: u32 = 1 << 10;

pub(crate) struct Wakefulness {
    born: Instant,
    /// Good tries that are needed until all may wait awake.
    n_lacking: AtomicU32,
    /// In nanoseconds after `born`.
    next_try: AtomicU64,
    /// Good waits in a row while all may wait awake.
    n_good: AtomicU32,
    slow: Mutex<Slow>,
}

struct Slow {
    /// When somebody found last that it was slow.
    last: Instant,
    n_tries: u32,
}

impl Wakefulness {
    pub(crate) fn new() -> Wakefulness {
        let born = Instant::now();
        Wakefulness {
            born,
            n_lacking: AtomicU32::new(N_TRIES),
            next_try: AtomicU64::new(0),
            n_good: AtomicU32::new(0),
            slow: Mutex::new(Slow { last: born, n_tries: N_TRIES }),
        }
    }

    /// Whether all may wait awake.
    pub(crate) fn is_given(&self) -> bool {
        self.n_lacking.load(Ordering::Relaxed) == 0
    }

    /// Gives way to others until `is_over`, for so long at most, and not at all if that is not worth it at present.
    pub(crate) fn wait(&self, max: Duration, is_over: impl Fn() -> bool) {
        self.wait_by(yield_now, max, is_over);
    }

    fn wait_by(&self, give_way: impl Fn(), max: Duration, is_over: impl Fn() -> bool) {
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
            give_way();
            let before = std::mem::replace(&mut now, Instant::now());
            if now - before > SLOW {
                self.note_slow(begin, now, now - before);
                return;
            }
        }
        if now == begin {
            // Nothing was tried.
            return;
        }
        if n_lacking > 0 {
            self.n_lacking.store(n_lacking - 1, Ordering::Relaxed);
        } else if self.n_good.fetch_add(1, Ordering::Relaxed) == N_GOOD {
            self.n_good.store(0, Ordering::Relaxed);
            let mut slow = self.slow.lock().unwrap_or_else(PoisonError::into_inner);
            slow.n_tries = (slow.n_tries / 2).max(N_TRIES);
        }
    }

    /// Has everybody sleep for a while, after a wait during which giving way once took so long.
    fn note_slow(&self, begin: Instant, now: Instant, took: Duration) {
        let mut slow = self.slow.lock().unwrap_or_else(PoisonError::into_inner);
        // All who wait at the same time find the same.
        if begin >= slow.last {
            slow.n_tries = (2 * slow.n_tries).min(N_TRIES_MAX);
        }
        slow.last = now;
        let rest = took * slow.n_tries.clamp(*REST.start(), *REST.end());
        self.next_try.store(self.nanos(now + rest), Ordering::Relaxed);
        self.n_lacking.store(slow.n_tries, Ordering::Relaxed);
        self.n_good.store(0, Ordering::Relaxed);
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::thread::sleep;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    /// Waits, and gives way until it has done so twice; tells whether it gave way at all.
    fn gives_way(wakefulness: &Wakefulness, takes: Duration) -> bool {
        let n_times = Cell::new(0);
        let give_way = || {
            n_times.set(n_times.get() + 1);
            sleep(takes);
        };
        wakefulness.wait_by(give_way, LONG, || n_times.get() == 2);
        n_times.get() > 0
    }

    fn good_tries(wakefulness: &Wakefulness) -> u32 {
        let mut n_tries = 0;
        while !wakefulness.is_given() {
            let begin = Instant::now();
            while !gives_way(wakefulness, Duration::ZERO) {
                assert!(begin.elapsed() < LONG);
                sleep(BETWEEN / 4);
            }
            n_tries += 1;
        }
        n_tries
    }

    #[test]
    fn some_good_tries_are_needed_and_more_after_slow_ones() {
        // Threads of other tests may make a good try slow, so that more of them are needed.
        let wakefulness = Wakefulness::new();
        assert!(good_tries(&wakefulness) >= N_TRIES);
        assert!(gives_way(&wakefulness, 4 * SLOW));
        assert!(!wakefulness.is_given());
        assert!(!gives_way(&wakefulness, Duration::ZERO), "it rests at first");
        assert!(good_tries(&wakefulness) >= N_TRIES);
        for _ in 0..3 {
            let begin = Instant::now();
            while !gives_way(&wakefulness, 4 * SLOW) {
                assert!(begin.elapsed() < LONG);
            }
        }
        assert!(good_tries(&wakefulness) >= 16 * N_TRIES);
        assert!(gives_way(&wakefulness, Duration::ZERO) && wakefulness.is_given());
    }

    #[test]
    fn good_waits_make_up_for_slow_ones() {
        let wakefulness = Wakefulness::new();
        let n_tries = || wakefulness.slow.lock().unwrap().n_tries;
        for _ in 0..3 {
            let begin = Instant::now();
            wakefulness.note_slow(begin, Instant::now(), SLOW);
            // Somebody who has waited at the same time.
            wakefulness.note_slow(begin, Instant::now(), SLOW);
        }
        assert_eq!(n_tries(), 8 * N_TRIES);
        let begin = Instant::now();
        while n_tries() > N_TRIES {
            assert!(begin.elapsed() < LONG);
            gives_way(&wakefulness, Duration::ZERO);
        }
    }

    #[test]
    fn there_is_an_end_to_it() {
        let wakefulness = Wakefulness::new();
        good_tries(&wakefulness);
        let begin = Instant::now();
        wakefulness.wait_by(|| sleep(Duration::ZERO), Duration::from_millis(2), || false);
        assert!(begin.elapsed() < LONG);
        wakefulness.wait_by(|| unreachable!("it is not worth it"), Duration::ZERO, || false);
    }
}
