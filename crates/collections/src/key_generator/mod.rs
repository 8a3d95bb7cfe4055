//! Key generators: who invents `_key` when the user gives none, and what user keys teach them.
//!
//! The last value of a generator is kept in memory and written along with each commit that used it, so a key that
//! reached a committed document is never given again, also after a crash. Values spent on failed inserts are gone.

mod autoincrement;
mod padded;
mod traditional;
mod uuid;

use std::sync::atomic::{AtomicU64, Ordering};

use persea_vpack::{Builder, Slice};

use crate::error::{Error, Result};
use crate::ticks::Ticks;

/// Names of all key generators, in the order the server lists them.
pub const KEY_GENERATORS: [&str; 5] = ["upgrade", "padded", "uuid", "autoincrement", "traditional"];

/// The kind of a key generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyGeneratorKind {
    /// Decimal text of a rising server-wide number.
    Traditional,
    /// Decimal text of a number that rises by a fixed step.
    Autoincrement {
        /// First value.
        offset: u64,
        /// Step, at least 1.
        increment: u64,
    },
    /// Sixteen hexadecimal digits that sort in order of creation.
    Padded,
    /// A random UUID.
    Uuid,
}

/// `keyOptions` of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyOptions {
    /// The generator.
    pub kind: KeyGeneratorKind,
    /// Whether users may give keys of their own.
    pub allow_user_keys: bool,
    /// Where the generator starts; only restoring sets it.
    pub last_value: u64,
}

impl Default for KeyOptions {
    fn default() -> Self {
        Self { kind: KeyGeneratorKind::Traditional, allow_user_keys: true, last_value: 0 }
    }
}

impl KeyOptions {
    /// Reads `keyOptions`; absent or null gives the default.
    ///
    /// # Errors
    /// [`Error::InvalidKeyGenerator`].
    pub fn from_vpack(options: Slice<'_>) -> Result<Self> {
        if options.is_null() || !options.is_object() {
            return if options.is_null() {
                Ok(Self::default())
            } else {
                Err(invalid("keyOptions must be an object"))
            };
        }
        let type_name = match options.get("type").filter(|value| !value.is_null()) {
            None => "traditional",
            Some(value) => value.as_str().ok_or_else(|| invalid("type must be a string"))?,
        };
        let allow_user_keys = match options.get("allowUserKeys").filter(|value| !value.is_null()) {
            None => true,
            Some(value) => value.as_bool().ok_or_else(|| invalid("allowUserKeys must be a boolean"))?,
        };
        let offset = number(options, "offset")?;
        let increment = number(options, "increment")?;
        let last_value = number(options, "lastValue")?;
        if type_name != "autoincrement" && (offset.is_some() || increment.is_some()) {
            return Err(invalid("offset and increment are only allowed for autoincrement"));
        }
        let kind = match type_name {
            "traditional" | "upgrade" => KeyGeneratorKind::Traditional,
            "autoincrement" => {
                let increment = increment.unwrap_or(1);
                if increment == 0 || increment >= 1 << 16 {
                    return Err(invalid("increment must be between 1 and 65535"));
                }
                KeyGeneratorKind::Autoincrement { offset: offset.unwrap_or(0), increment }
            }
            "padded" => KeyGeneratorKind::Padded,
            "uuid" if last_value.is_some() => return Err(invalid("uuid has no lastValue")),
            "uuid" => KeyGeneratorKind::Uuid,
            other => return Err(invalid(&format!("unknown type '{other}'"))),
        };
        Ok(Self { kind, allow_user_keys, last_value: last_value.unwrap_or(0) })
    }

    /// Writes the options as one object, showing `last_value` where the kind has one.
    pub fn write_to(&self, last_value: u64, builder: &mut Builder) {
        builder.open_object();
        builder.key("allowUserKeys");
        builder.add_bool(self.allow_user_keys);
        if let KeyGeneratorKind::Autoincrement { offset, increment } = self.kind {
            builder.key("increment");
            builder.add_u64(increment);
            builder.key("offset");
            builder.add_u64(offset);
        }
        builder.key("type");
        builder.add_str(match self.kind {
            KeyGeneratorKind::Traditional => "traditional",
            KeyGeneratorKind::Autoincrement { .. } => "autoincrement",
            KeyGeneratorKind::Padded => "padded",
            KeyGeneratorKind::Uuid => "uuid",
        });
        if self.kind != KeyGeneratorKind::Uuid {
            builder.key("lastValue");
            builder.add_u64(last_value);
        }
        builder.close();
    }
}

fn number(options: Slice<'_>, name: &str) -> Result<Option<u64>> {
    match options.get(name).filter(|value| !value.is_null()) {
        None => Ok(None),
        Some(value) => {
            // Dumps carry lastValue as a decimal string when it is large.
            let number = value.as_u64().or_else(|| value.as_str().and_then(|text| text.parse().ok()));
            number.map(Some).ok_or_else(|| invalid(&format!("{name} must be a non-negative integer")))
        }
    }
}

fn invalid(detail: &str) -> Error {
    Error::InvalidKeyGenerator(detail.to_owned())
}

/// The key generator of one collection.
#[derive(Debug)]
pub struct KeyGenerator {
    kind: KeyGeneratorKind,
    last: AtomicU64,
}

impl KeyGenerator {
    /// A generator that continues after `last`.
    pub fn new(kind: KeyGeneratorKind, last: u64) -> Self {
        Self { kind, last: AtomicU64::new(last) }
    }

    /// The largest value given or seen.
    pub fn last_value(&self) -> u64 {
        self.last.load(Ordering::Acquire)
    }

    /// Writes a fresh key into `key` (cleared first).
    ///
    /// # Errors
    /// [`Error::OutOfKeys`], or storage errors when new numbers have to be reserved.
    pub(crate) fn generate(&self, ticks: &Ticks, key: &mut String) -> Result<()> {
        key.clear();
        match self.kind {
            KeyGeneratorKind::Traditional => traditional::generate(&self.last, ticks, key),
            KeyGeneratorKind::Autoincrement { offset, increment } => {
                autoincrement::generate(&self.last, offset, increment, key)
            }
            KeyGeneratorKind::Padded => padded::generate(&self.last, ticks, key),
            KeyGeneratorKind::Uuid => {
                uuid::generate(key);
                Ok(())
            }
        }
    }

    /// Whether a generated key is above every key of its form that any document had before, so that nothing has to be
    /// looked up. Users who give a key of that form at the same time are met by its lock.
    pub(crate) fn only_gives_new_keys(&self) -> bool {
        self.kind != KeyGeneratorKind::Uuid
    }

    /// Learns from a key the user gave, so that it is not generated later.
    pub(crate) fn observe(&self, key: &str) {
        let number = match self.kind {
            KeyGeneratorKind::Traditional | KeyGeneratorKind::Autoincrement { .. } => decimal(key),
            KeyGeneratorKind::Padded => padded::decode(key),
            KeyGeneratorKind::Uuid => None,
        };
        if let Some(number) = number {
            self.last.fetch_max(number, Ordering::AcqRel);
        }
    }
}

/// The value of an all-digit key that fits 64 bits.
fn decimal(key: &str) -> Option<u64> {
    if key.bytes().all(|byte| byte.is_ascii_digit()) { key.parse().ok() } else { None }
}

/// Takes the next server-wide number that is also above everything this generator has seen.
fn next_tick(last: &AtomicU64, ticks: &Ticks) -> Result<u64> {
    let tick = ticks.next()?;
    let mut seen = last.load(Ordering::Acquire);
    loop {
        let next = tick.max(seen.checked_add(1).ok_or(Error::OutOfKeys)?);
        match last.compare_exchange_weak(seen, next, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return Ok(next),
            Err(now) => seen = now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use persea_vpack::vpack;

    fn keys(kind: KeyGeneratorKind, last: u64, n: usize) -> Vec<String> {
        let ticks = Ticks::for_tests(100);
        let generator = KeyGenerator::new(kind, last);
        let mut key = String::new();
        (0..n)
            .map(|_| {
                generator.generate(&ticks, &mut key).unwrap();
                key.clone()
            })
            .collect()
    }

    #[test]
    fn autoincrement_steps() {
        let kind = |offset, increment| KeyGeneratorKind::Autoincrement { offset, increment };
        assert_eq!(keys(kind(0, 1), 0, 3), ["1", "2", "3"]);
        assert_eq!(keys(kind(2, 5), 0, 3), ["2", "7", "12"]);
        assert_eq!(keys(kind(2, 5), 8, 2), ["12", "17"]);
        assert_eq!(keys(kind(0, 10), 0, 2), ["10", "20"]);
    }

    #[test]
    fn autoincrement_runs_out() {
        let generator =
            KeyGenerator::new(KeyGeneratorKind::Autoincrement { offset: 0, increment: 1 }, u64::MAX);
        let outcome = generator.generate(&Ticks::for_tests(1), &mut String::new());
        assert!(matches!(outcome, Err(Error::OutOfKeys)));
    }

    #[test]
    fn traditional_and_padded_rise_past_user_keys() {
        assert_eq!(keys(KeyGeneratorKind::Traditional, 0, 2), ["100", "101"]);
        assert_eq!(keys(KeyGeneratorKind::Padded, 0, 2), ["0000000000000064", "0000000000000065"]);
        let generator = KeyGenerator::new(KeyGeneratorKind::Traditional, 0);
        generator.observe("5000");
        generator.observe("abc");
        let mut key = String::new();
        generator.generate(&Ticks::for_tests(100), &mut key).unwrap();
        assert_eq!(key, "5001");
    }

    #[test]
    fn uuids_look_like_uuids() {
        let key = &keys(KeyGeneratorKind::Uuid, 0, 1)[0];
        assert_eq!(key.len(), 36);
        assert_eq!(key.matches('-').count(), 4);
        assert_eq!(*key, key.to_lowercase());
    }

    #[test]
    fn options_are_checked() {
        for bad in [
            vpack!({ "type": "foo" }),
            vpack!({ "type": "uuid", "lastValue": 3 }),
            vpack!({ "increment": 3 }),
            vpack!({ "type": "padded", "offset": 3 }),
            vpack!({ "type": "autoincrement", "increment": 0 }),
            vpack!({ "type": "autoincrement", "offset": "x" }),
            vpack!({ "allowUserKeys": 1 }),
            vpack!("traditional"),
        ] {
            let outcome = KeyOptions::from_vpack(bad.as_slice());
            assert!(matches!(outcome, Err(Error::InvalidKeyGenerator(_))), "{}", bad.as_slice());
        }
        let options =
            KeyOptions::from_vpack(vpack!({ "type": "autoincrement", "increment": 2 }).as_slice()).unwrap();
        assert_eq!(options.kind, KeyGeneratorKind::Autoincrement { offset: 0, increment: 2 });
    }
}
