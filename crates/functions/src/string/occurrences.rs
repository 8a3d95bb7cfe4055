//! The nearest of several texts in a longer one. Each text is looked for again only once its last occurrence has
//! been passed, so that one walk over the longer text is enough for all of them.

use bumpalo::collections::Vec as BumpVec;

use super::part;
use crate::Context;

pub(super) struct Occurrences<'a> {
    text: &'a str,
    searches: BumpVec<'a, Search<'a>>,
}

struct Search<'a> {
    wanted: &'a str,
    next: Option<usize>,
}

impl<'a> Occurrences<'a> {
    /// Empty texts are never found.
    pub(super) fn new(ctx: &Context<'a>, text: &'a str, wanted: impl Iterator<Item = &'a str>) -> Self {
        let mut searches = ctx.vec();
        searches.extend(wanted.map(|wanted| {
            let next = if wanted.is_empty() { None } else { text.find(wanted) };
            Search { wanted, next }
        }));
        Self { text, searches }
    }

    /// Which text comes first at or after a byte position, and where; of those at one place the first listed.
    pub(super) fn nearest(&mut self, from: usize) -> Option<(usize, usize)> {
        for search in &mut self.searches {
            if search.next.is_some_and(|next| next < from) {
                let rest = part(self.text, from, self.text.len());
                search.next = rest.find(search.wanted).map(|at| from + at);
            }
        }
        let found =
            self.searches.iter().enumerate().filter_map(|(which, search)| Some((which, search.next?)));
        found.min_by_key(|(_, at)| *at)
    }
}
