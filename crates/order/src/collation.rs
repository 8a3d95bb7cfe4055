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
