//! The order of strings: ICU collation of American English, upper case first, ties by code point.
//!
//! Comparing by ICU takes about 100 ns and a sort key several times that. Most strings in a database are ASCII,
//! and for those [`crate::ascii`] gives the same answers from small tables read out of ICU itself; whatever it
//! cannot decide comes here.

use std::cmp::Ordering;
use std::sync::OnceLock;

use icu_collator::options::{CollatorOptions, Strength};
use icu_collator::preferences::CollationCaseFirst;
use icu_collator::{Collator, CollatorBorrowed, CollatorPreferences};
use icu_locale_core::locale;

use crate::ascii::AsciiTables;

/// Names the collation that stored sort keys were made with.
///
/// Changes whenever a release of this crate orders strings differently from the one before; sort keys that were
/// stored under another version have to be rebuilt.
pub const COLLATION_VERSION: &str = "en-US-u-kf-upper/icu4x-2.4";

pub(crate) struct Collation {
    collator: CollatorBorrowed<'static>,
    ascii: AsciiTables,
}

impl Collation {
    /// The collation of this process, made at first use.
    #[inline]
    pub(crate) fn global() -> &'static Collation {
        static COLLATION: OnceLock<Collation> = OnceLock::new();
        COLLATION.get_or_init(Collation::new)
    }

    fn new() -> Collation {
        let mut preferences = CollatorPreferences::from(locale!("en-US"));
        preferences.case_first = Some(CollationCaseFirst::Upper);
        let mut options = CollatorOptions::default();
        options.strength = Some(Strength::Tertiary);
        #[allow(clippy::expect_used, reason = "the data of this locale is compiled into the binary")]
        let collator = Collator::try_new(preferences, options).expect("collation data is compiled in");
        let ascii = AsciiTables::read(&|text, out| write_icu_key(&collator, text, out));
        Collation { collator, ascii }
    }

    /// ICU's answer alone: strings that differ may be equal to it.
    pub(crate) fn compare_icu(&self, left: &str, right: &str) -> Ordering {
        self.collator.compare(left, right)
    }

    /// Appends ICU's sort key, which holds no zero byte.
    pub(crate) fn write_key(&self, text: &str, out: &mut Vec<u8>) {
        if !self.ascii.write_key(text, out) {
            self.write_key_icu(text, out);
        }
    }

    /// As [`Collation::write_key`], always asking ICU.
    pub(crate) fn write_key_icu(&self, text: &str, out: &mut Vec<u8>) {
        write_icu_key(&self.collator, text, out);
    }

    pub(crate) fn ascii(&self) -> &AsciiTables {
        &self.ascii
    }
}

fn write_icu_key(collator: &CollatorBorrowed<'static>, text: &str, out: &mut Vec<u8>) {
    let Ok(()) = collator.write_sort_key_to(text, out);
}

/// Compares two strings as AQL's `<`, `SORT`, `MIN` and `MAX` do.
///
/// The result is [`Ordering::Equal`] only for identical strings.
///
/// ```
/// use persea_order::compare_str;
///
/// let mut names = ["b", "a ", "B", "a", "A", "é", "f", "e", ""];
/// names.sort_by(|left, right| compare_str(left, right));
/// assert_eq!(names, ["", "A", "a", "a ", "B", "b", "e", "é", "f"]);
/// ```
#[inline]
pub fn compare_str(left: &str, right: &str) -> Ordering {
    let collation = Collation::global();
    match collation.ascii.compare(left.as_bytes(), right.as_bytes()) {
        Some(ordering) => ordering,
        None => collation.compare_icu(left, right).then_with(|| left.cmp(right)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn keys(text: &str) -> (Vec<u8>, Vec<u8>) {
        let (mut ours, mut icu) = (Vec::new(), Vec::new());
        assert!(Collation::global().ascii.write_key(text, &mut ours), "the fast path is on");
        Collation::global().write_key_icu(text, &mut icu);
        (ours, icu)
    }

    fn check_pair(left: &str, right: &str) {
        let collation = Collation::global();
        let expected = collation.compare_icu(left, right).then_with(|| left.cmp(right));
        assert_eq!(
            collation.ascii.compare(left.as_bytes(), right.as_bytes()),
            Some(expected),
            "{left:?} {right:?}"
        );
    }

    /// Shows that no two ASCII characters contract or change each other.
    #[test]
    fn all_pairs_of_ascii_characters_have_icu_keys() {
        for first in 0u8..128 {
            for second in 0u8..128 {
                let text = String::from_utf8(vec![first, second]).unwrap();
                let (ours, icu) = keys(&text);
                assert_eq!(ours, icu, "{text:?}");
            }
        }
    }

    #[test]
    fn all_ascii_characters_compare_as_in_icu() {
        let characters: Vec<String> = (0u8..128).map(|byte| char::from(byte).to_string()).collect();
        for left in &characters {
            for right in &characters {
                check_pair(left, right);
            }
        }
    }

    #[test]
    fn runs_of_every_length_have_icu_keys() {
        for length in 0..150 {
            for text in
                ["a".repeat(length), "A".repeat(length) + "b", "1a".repeat(length), " ".repeat(length) + "Z"]
            {
                let (ours, icu) = keys(&text);
                assert_eq!(ours, icu, "{text:?}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn ascii_keys_are_icu_keys(text in "[\\x00-\\x7f]{0,80}") {
            let (ours, icu) = keys(&text);
            prop_assert_eq!(ours, icu);
        }

        #[test]
        fn ascii_strings_compare_as_in_icu(texts in prop::collection::vec("[aAbB \\x00-\\x7f]{0,6}", 12)) {
            for left in &texts {
                for right in &texts {
                    check_pair(left, right);
                }
            }
        }

        #[test]
        fn mixed_strings_compare_as_in_icu(texts in prop::collection::vec("[abAlL\\x01\u{b7}é\u{301}\u{200b}中]{0,5}", 12)) {
            for left in &texts {
                for right in &texts {
                    let expected = Collation::global().compare_icu(left, right).then_with(|| left.cmp(right));
                    prop_assert_eq!(compare_str(left, right), expected, "{:?} {:?}", left, right);
                }
            }
        }
    }
}
