//! Document revisions: a 64-bit hybrid logical clock stamp and its text form.
//!
//! The upper 44 bits are milliseconds since 1970, the lower 20 bits a counter, so stamps of one clock never repeat
//! and always rise, also when the wall clock stands still or jumps back. The text form takes six bits a character,
//! most significant first, without leading zero characters.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

const ALPHABET: &[u8; 64] = b"-_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const COUNTER_BITS: u32 = 20;
/// 64 bits at six a character.
const TEXT_BYTES_MAX: usize = 11;

/// Value of each character, 255 for those outside the alphabet.
const VALUES: [u8; 256] = {
    let mut table = [255_u8; 256];
    let mut value = 0;
    while value < ALPHABET.len() {
        table[ALPHABET[value] as usize] = value as u8;
        value += 1;
    }
    table
};

/// A document revision.
///
/// ```
/// use persea_collections::Revision;
/// let revision = Revision::parse("_l6zhVDW---").unwrap();
/// assert_eq!(revision.milliseconds(), 1_785_857_268_822);
/// assert_eq!(revision.text().as_str(), "_l6zhVDW---");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Revision(pub u64);

impl Revision {
    /// Reads the text form, or the decimal form of old servers. `None` when it is neither.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        if bytes.is_empty() {
            return None;
        }
        if bytes.iter().all(u8::is_ascii_digit) && bytes[0] != b'0' {
            return text.parse().ok().map(Self);
        }
        if bytes.len() > TEXT_BYTES_MAX {
            return None;
        }
        let mut number = 0_u128;
        for &byte in bytes {
            let value = VALUES[byte as usize];
            if value == 255 {
                return None;
            }
            number = number << 6 | u128::from(value);
        }
        u64::try_from(number).ok().map(Self)
    }

    /// The text form, on the stack.
    pub fn text(self) -> RevisionText {
        let mut bytes = [0_u8; TEXT_BYTES_MAX];
        let mut at = TEXT_BYTES_MAX;
        let mut rest = self.0;
        while rest != 0 {
            at -= 1;
            bytes[at] = ALPHABET[(rest & 63) as usize];
            rest >>= 6;
        }
        RevisionText { bytes, start: at as u8 }
    }

    /// Milliseconds since 1970-01-01 UTC.
    pub fn milliseconds(self) -> u64 {
        self.0 >> COUNTER_BITS
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.text().as_str())
    }
}

impl fmt::Debug for Revision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Revision({self})")
    }
}

/// Text form of a [`Revision`], held without an allocation.
#[derive(Clone, Copy)]
pub struct RevisionText {
    bytes: [u8; TEXT_BYTES_MAX],
    start: u8,
}

impl RevisionText {
    /// The text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(self.bytes.get(usize::from(self.start)..).unwrap_or_default()).unwrap_or_default()
    }
}

/// The clock that hands out revisions and local document ids of one server.
#[derive(Debug, Default)]
pub struct HybridClock {
    last: AtomicU64,
}

impl HybridClock {
    /// A stamp larger than every stamp given before and than every stamp [`observe`](Self::observe)d.
    pub fn tick(&self) -> Revision {
        let now = now_milliseconds() << COUNTER_BITS;
        let mut last = self.last.load(Ordering::Relaxed);
        loop {
            let next = now.max(last + 1);
            match self.last.compare_exchange_weak(last, next, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Revision(next),
                Err(seen) => last = seen,
            }
        }
    }

    /// The next stamp without a look at the wall clock: for the many stamps of one piece of work, after a
    /// [`tick`](Self::tick).
    pub fn next_in_sequence(&self) -> Revision {
        Revision(self.last.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Makes every later stamp larger than `revision`.
    pub fn observe(&self, revision: Revision) {
        // A foreign stamp at the very end of the range would leave no room; it is not ours to follow.
        if revision.0 < u64::MAX >> 1 {
            self.last.fetch_max(revision.0, Ordering::Relaxed);
        }
    }
}

pub(crate) fn now_milliseconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_millis() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_matches_recorded_values() {
        let first = Revision::parse("_l6zhVDW---").unwrap();
        assert_eq!(first.0 & ((1 << COUNTER_BITS) - 1), 0);
        assert_eq!(Revision(first.0 + 1).to_string(), "_l6zhVDW--_");
        assert_eq!(Revision(first.0 + 2).to_string(), "_l6zhVDW--A");
    }

    #[test]
    fn bad_text_is_no_revision() {
        for text in ["", "ä", "a b", "____________", "99999999999999999999999"] {
            assert_eq!(Revision::parse(text), None, "{text}");
        }
        assert_eq!(Revision::parse("1234"), Some(Revision(1234)));
    }

    #[test]
    fn clock_rises_also_past_observed_stamps() {
        let clock = HybridClock::default();
        let ahead = Revision(clock.tick().0 + (1 << 40));
        clock.observe(ahead);
        let mut last = ahead;
        for _ in 0..1000 {
            let next = clock.tick();
            assert!(next > last);
            last = clock.next_in_sequence();
            assert!(last > next);
        }
    }

    proptest::proptest! {
        #[test]
        fn text_round_trips(number in 1_u64..) {
            let text = Revision(number).to_string();
            // Text of digits only is read as the old decimal form; current stamps never look like that.
            if !text.bytes().all(|byte| byte.is_ascii_digit()) {
                proptest::prop_assert_eq!(Revision::parse(&text), Some(Revision(number)));
            }
        }
    }
}
