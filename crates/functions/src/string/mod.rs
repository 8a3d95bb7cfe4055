//! String functions. Arguments are cast to strings; positions and lengths count code points.

mod concat;
mod digest;
mod encode;
mod find;
mod occurrences;
mod parts;
mod random;
mod regex;
mod similarity;
mod split;
mod substitute;
mod trim;

pub(crate) use similarity::edit_distance;

use crate::Function;

/// The functions of the family, as the files beside this one register them.
pub(crate) const FUNCTIONS: &[&[Function]] = &[
    concat::FUNCTIONS,
    digest::FUNCTIONS,
    encode::FUNCTIONS,
    find::FUNCTIONS,
    parts::FUNCTIONS,
    random::FUNCTIONS,
    regex::FUNCTIONS,
    similarity::FUNCTIONS,
    split::FUNCTIONS,
    substitute::FUNCTIONS,
    trim::FUNCTIONS,
];

/// Byte offset of the code point at a position; the end of the text if there are not that many.
pub(crate) fn byte_offset(text: &str, n_chars: usize) -> usize {
    if text.len() <= n_chars {
        return text.len();
    }
    text.char_indices().nth(n_chars).map_or(text.len(), |(offset, _)| offset)
}

/// Number of code points.
pub(crate) fn char_count(text: &str) -> usize {
    text.chars().count()
}

/// The part between two byte offsets that are known to be character boundaries.
pub(crate) fn part(text: &str, from: usize, to: usize) -> &str {
    text.get(from..to).unwrap_or_default()
}
