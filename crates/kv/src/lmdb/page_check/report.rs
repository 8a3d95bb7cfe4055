//! What a check of the pages tells.

/// Problems that a report lists; further ones are only counted.
const PROBLEMS_MAX: usize = 100;

/// What checking the pages of a data file has found.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PageReport {
    /// Bytes of a page.
    pub page_bytes: u64,
    /// Size of the file in bytes.
    pub file_bytes: u64,
    /// The version of the state that was checked, as of [`StoreSnapshot::version`](crate::StoreSnapshot::version).
    pub version: u64,
    /// Pages of the file that the state accounts for, free ones too.
    pub n_pages: u64,
    /// Pages free for later writes.
    pub n_free_pages: u64,
    /// Pages that no tree uses and that are not free either: lost space, but no lost data.
    pub n_lost_pages: u64,
    /// The trees, by [`Tree::ordinal`](crate::Tree::ordinal).
    pub trees: Vec<TreePages>,
    /// Number of problems.
    pub n_problems: u64,
    /// The first problems.
    pub problems: Vec<PageProblem>,
}

impl PageReport {
    /// Whether nothing is wrong.
    pub fn is_clean(&self) -> bool {
        self.n_problems == 0
    }

    pub(super) fn add(&mut self, problem: PageProblem) {
        self.n_problems += 1;
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(problem);
        }
    }
}

/// What a tree consists of, as found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreePages {
    /// Its name.
    pub name: String,
    /// Pages that lead to others.
    pub n_branch_pages: u64,
    /// Pages with entries.
    pub n_leaf_pages: u64,
    /// Pages of long values.
    pub n_overflow_pages: u64,
    /// Entries.
    pub n_entries: u64,
}

/// Something wrong with a page.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageProblem {
    /// The tree that the page was reached by.
    pub tree: String,
    /// Number of the page.
    pub page: u64,
    /// Where in the file it begins, in bytes.
    pub offset: u64,
    /// What is wrong.
    pub what: String,
}

impl std::fmt::Display for PageProblem {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "data.mdb, page {} at byte {} ({}): {}", self.page, self.offset, self.tree, self.what)
    }
}
