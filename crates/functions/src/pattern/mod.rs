//! Matching text against patterns: `LIKE`, and regular expressions with a cache per query.

mod like;
mod regex_cache;

pub use like::like;
pub(crate) use regex_cache::{Groups, Pattern, RegexCache};

use crate::{Context, Error};

/// Whether some part of the text matches the regular expression: the `=~` operator. `None` if the expression
/// is not legal.
///
/// # Errors
///
/// [`Error::ResourceLimit`] if matching was given up because it went on for too long.
pub fn regex_test(
    ctx: &Context<'_>,
    text: &str,
    expression: &str,
    case_insensitive: bool,
) -> Result<Option<bool>, Error> {
    match pattern(ctx, expression, case_insensitive) {
        Some(pattern) => pattern.is_match(text).map(Some),
        None => Ok(None),
    }
}

/// The compiled expression from the query's cache, or `None` if it is not legal.
pub(crate) fn pattern(ctx: &Context<'_>, expression: &str, case_insensitive: bool) -> Option<Pattern> {
    ctx.env.regexes.borrow_mut().compile(expression, case_insensitive)
}
