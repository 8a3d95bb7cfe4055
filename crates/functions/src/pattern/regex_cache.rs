//! Compiled regular expressions of one query, the most recently used ones kept.

use std::sync::Arc;

use regex::{Regex, RegexBuilder};

use crate::Error;

/// A compiled expression, cheap to clone.
pub(crate) type Pattern = Arc<CompiledPattern>;

/// Expressions with look-around or back-references need the backtracking engine; all others run in linear time.
#[derive(Debug)]
pub(crate) enum CompiledPattern {
    Linear(Regex),
    Backtracking(Box<fancy_regex::Regex>),
}

/// Byte ranges of the whole match and of each group.
pub(crate) type Groups = Vec<Option<(usize, usize)>>;

impl CompiledPattern {
    fn new(expression: &str, case_insensitive: bool) -> Option<Self> {
        // Bounds what one expression may take when it is compiled.
        const SIZE_MAX_BYTES: usize = 4 << 20;
        const BACKTRACK_MAX_STEPS: usize = 1_000_000;
        if let Ok(regex) = RegexBuilder::new(expression)
            .case_insensitive(case_insensitive)
            .size_limit(SIZE_MAX_BYTES)
            .build()
        {
            return Some(Self::Linear(regex));
        }
        fancy_regex::RegexBuilder::new(expression)
            .case_insensitive(case_insensitive)
            .delegate_size_limit(SIZE_MAX_BYTES)
            .backtrack_limit(BACKTRACK_MAX_STEPS)
            .build()
            .ok()
            .map(|regex| Self::Backtracking(Box::new(regex)))
    }

    /// Whether any part of the text matches.
    pub(crate) fn is_match(&self, text: &str) -> Result<bool, Error> {
        match self {
            Self::Linear(regex) => Ok(regex.is_match(text)),
            Self::Backtracking(regex) => regex.is_match(text).map_err(|_| Error::ResourceLimit),
        }
    }

    /// The first match at or after a byte position.
    pub(crate) fn captures_at(&self, text: &str, start: usize) -> Result<Option<Groups>, Error> {
        match self {
            Self::Linear(regex) => Ok(regex.captures_at(text, start).map(|captures| {
                captures.iter().map(|group| group.map(|found| (found.start(), found.end()))).collect()
            })),
            Self::Backtracking(regex) => {
                let captures = regex.captures_from_pos(text, start).map_err(|_| Error::ResourceLimit)?;
                Ok(captures.map(|captures| {
                    captures.iter().map(|group| group.map(|found| (found.start(), found.end()))).collect()
                }))
            }
        }
    }

    /// Every match from left to right; an empty match is followed by a step of one character.
    pub(crate) fn for_each_match(
        &self,
        text: &str,
        mut visit: impl FnMut(&Groups) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        let mut start = 0;
        while start <= text.len() {
            let Some(groups) = self.captures_at(text, start)? else { return Ok(()) };
            let Some(&Some((match_start, match_end))) = groups.first() else { return Ok(()) };
            if !visit(&groups)? {
                return Ok(());
            }
            start = match_end;
            if match_start == match_end {
                start += text.get(match_end..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
            }
        }
        Ok(())
    }
}

#[derive(Debug)]
struct Entry {
    expression: Box<str>,
    case_insensitive: bool,
    pattern: Option<Pattern>,
}

/// Most recently used first; bounded, since expressions may come from documents.
#[derive(Debug, Default)]
pub(crate) struct RegexCache {
    entries: Vec<Entry>,
}

impl RegexCache {
    const ENTRIES_MAX: usize = 32;

    /// The compiled expression, or `None` if it is not legal (which is remembered as well).
    pub(crate) fn compile(&mut self, expression: &str, case_insensitive: bool) -> Option<Pattern> {
        let known = self
            .entries
            .iter()
            .position(|entry| entry.case_insensitive == case_insensitive && *entry.expression == *expression);
        match known {
            Some(0) => {}
            Some(position) => {
                if let Some(before) = self.entries.get_mut(..=position) {
                    before.rotate_right(1);
                }
            }
            None => {
                let pattern = CompiledPattern::new(expression, case_insensitive).map(Arc::new);
                self.entries.truncate(Self::ENTRIES_MAX - 1);
                self.entries.insert(0, Entry { expression: expression.into(), case_insensitive, pattern });
            }
        }
        self.entries.first().and_then(|entry| entry.pattern.clone())
    }
}
