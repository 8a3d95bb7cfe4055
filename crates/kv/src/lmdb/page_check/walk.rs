//! The walk over the trees of a data file, page by page.

use super::super::data_file::{
    DataFile, N_META_PAGES, NO_PAGE, PAGE_HEADER_BYTES, TREE_BYTES, TreeRecord, u16_at, u32_at, u64_at,
};
use super::node::{FLAG_OVERFLOW, KeyOrder, Node, Nodes};
use super::report::{PageProblem, PageReport, TreePages};
use crate::{Error, Result};

/// Value of a leaf's entry.
pub(super) enum Value<'p> {
    Bytes(&'p [u8]),
    Tree(TreeRecord),
}

/// What is called with each entry: the page, the key and the value.
pub(super) type OnEntry<'a> = dyn FnMut(u64, &[u8], Value<'_>) + 'a;

/// A walk over all trees of a file, which notes the pages that are in use.
pub(super) struct Walk<'a> {
    file: &'a mut DataFile,
    pub(super) report: PageReport,
    /// One bit a page that a tree uses or that is free.
    seen: Vec<u64>,
    n_tracked: u64,
    n_seen: u64,
    progress: &'a mut dyn FnMut(u64, u64),
}

/// What is the same for all pages of a tree.
struct TreeWalk<'a> {
    pages: TreePages,
    depth: u16,
    order: KeyOrder,
    on_entry: &'a mut OnEntry<'a>,
}

impl<'a> Walk<'a> {
    /// One that has seen nothing. Its report has the size of the file only.
    pub(super) fn new(file: &'a mut DataFile, progress: &'a mut dyn FnMut(u64, u64)) -> Result<Walk<'a>> {
        let meta = *file.meta();
        let n_pages = meta.last_page.saturating_add(1).max(N_META_PAGES);
        let report = PageReport {
            page_bytes: u64::from(meta.page_bytes),
            file_bytes: file.file_bytes(),
            version: meta.transaction,
            n_pages,
            ..PageReport::default()
        };
        // Bounded by what the file can hold, whatever the meta page says.
        let n_tracked = n_pages.min(file.n_pages());
        let n_words =
            usize::try_from(n_tracked / 64 + 1).map_err(|_| Error::Corrupted("too many pages".into()))?;
        Ok(Walk { file, report, seen: vec![0; n_words], n_tracked, n_seen: 0, progress })
    }

    /// The end: what has been found.
    pub(super) fn finish(mut self) -> PageReport {
        let n_pages = self.report.n_pages;
        let used = self.n_seen + self.report.n_free_pages + N_META_PAGES;
        self.report.n_lost_pages = n_pages.saturating_sub(used);
        (self.progress)(n_pages, n_pages);
        self.report
    }

    /// Adds to the report.
    pub(super) fn problem(&mut self, tree: &str, page: u64, what: String) {
        let offset = page.saturating_mul(self.report.page_bytes);
        self.report.add(PageProblem { tree: tree.to_owned(), page, offset, what });
    }

    /// Notes that a run of pages is in use; false, and a problem, if they are not there or are in use already.
    fn claim(&mut self, tree: &str, page: u64, n_pages: u64) -> bool {
        let last = page.saturating_add(n_pages.saturating_sub(1));
        if page < N_META_PAGES || last >= self.report.n_pages {
            self.problem(tree, page, "the page number lies outside of the file's pages".to_owned());
            return false;
        }
        if last >= self.n_tracked {
            let (found, needed) = (self.report.file_bytes, (last + 1).saturating_mul(self.report.page_bytes));
            self.problem(
                tree,
                page,
                format!("the file is cut off: it has {found} bytes, the page ends at {needed}"),
            );
            return false;
        }
        let mut is_free = true;
        for page in page..=last {
            let (word, bit) = ((page / 64) as usize, 1_u64 << (page % 64));
            if let Some(word) = self.seen.get_mut(word) {
                is_free &= *word & bit == 0;
                *word |= bit;
            }
        }
        if !is_free {
            self.problem(tree, page, "the page is in use in two places".to_owned());
        }
        is_free
    }

    /// Walks a tree; a part that can't be read is left out.
    pub(super) fn tree(
        &mut self,
        name: &str,
        record: TreeRecord,
        order: KeyOrder,
        on_entry: &mut OnEntry<'_>,
    ) -> Result<TreePages> {
        let pages = TreePages { name: name.to_owned(), ..TreePages::default() };
        let n_problems = self.report.n_problems;
        if let Err(what) = record.check(self.report.n_pages - 1) {
            self.problem(name, record.root, format!("the tree {what}"));
            return Ok(pages);
        }
        let mut tree = TreeWalk { pages, depth: record.depth, order, on_entry };
        if record.root != NO_PAGE {
            self.page(&mut tree, record.root, 1, (None, None))?;
        }
        let pages = tree.pages;
        // Counts that differ because a part could not be read are no news.
        if self.report.n_problems == n_problems {
            let counts = [
                ("entries", record.n_entries, pages.n_entries),
                ("branch pages", record.n_branch, pages.n_branch_pages),
                ("leaf pages", record.n_leaf, pages.n_leaf_pages),
                ("overflow pages", record.n_overflow, pages.n_overflow_pages),
            ];
            for (what, stated, found) in counts.into_iter().filter(|(_, stated, found)| stated != found) {
                self.problem(name, record.root, format!("{found} {what} found, {stated} expected"));
            }
        }
        Ok(pages)
    }

    /// Looks at the first page of a tree only.
    pub(super) fn root(&mut self, name: &str, record: TreeRecord) -> Result<()> {
        if let Err(what) = record.check(self.report.n_pages - 1) {
            self.problem(name, record.root, format!("the tree {what}"));
            return Ok(());
        }
        if record.root == NO_PAGE || !self.claim(name, record.root, 1) {
            return Ok(());
        }
        let mut bytes = vec![0; self.report.page_bytes as usize];
        if !self.file.read_page(record.root, &mut bytes)? {
            self.problem(name, record.root, "the page can't be read".to_owned());
            return Ok(());
        }
        match Nodes::read(&bytes, record.root) {
            Ok(nodes) if nodes.is_leaf == (record.depth == 1) => {}
            Ok(_) => {
                self.problem(
                    name,
                    record.root,
                    format!("a page of the wrong kind at depth 1 of {}", record.depth),
                );
            }
            Err(what) => self.problem(name, record.root, what),
        }
        Ok(())
    }

    /// Walks a page and what lies below it, whose keys lie within `bounds`: from the first, before the second.
    fn page(
        &mut self,
        tree: &mut TreeWalk<'_>,
        page: u64,
        level: u16,
        bounds: (Option<&[u8]>, Option<&[u8]>),
    ) -> Result<()> {
        let name = tree.pages.name.clone();
        if !self.claim(&name, page, 1) {
            return Ok(());
        }
        self.n_seen += 1;
        if self.n_seen.is_multiple_of(1024) {
            (self.progress)(self.n_seen, self.report.n_pages);
        }
        let mut bytes = vec![0; self.report.page_bytes as usize];
        if !self.file.read_page(page, &mut bytes)? {
            self.problem(&name, page, "the page can't be read".to_owned());
            return Ok(());
        }
        let nodes = match Nodes::read(&bytes, page) {
            Ok(nodes) => nodes,
            Err(what) => {
                self.problem(&name, page, what);
                return Ok(());
            }
        };
        if nodes.is_leaf != (level == tree.depth) {
            self.problem(&name, page, format!("a page of the wrong kind at depth {level} of {}", tree.depth));
            return Ok(());
        }
        if let Some(what) = nodes.order_problem(tree.order, bounds) {
            self.problem(&name, page, what);
        }
        if nodes.is_leaf {
            tree.pages.n_leaf_pages += 1;
            return self.leaf(tree, page, &nodes);
        }
        tree.pages.n_branch_pages += 1;
        for (position, node) in nodes.list.iter().enumerate() {
            // The first key of a branch is left out: it bounds nothing.
            let low = if position == 0 { bounds.0 } else { Some(node.key) };
            let high = nodes.list.get(position + 1).map(|next| next.key).or(bounds.1);
            self.page(tree, node.child(), level + 1, (low, high))?;
        }
        Ok(())
    }

    fn leaf(&mut self, tree: &mut TreeWalk<'_>, page: u64, nodes: &Nodes<'_>) -> Result<()> {
        for node in &nodes.list {
            tree.pages.n_entries += 1;
            if node.is_long() {
                self.long_value(tree, page, node)?;
            } else if node.is_tree() {
                match TreeRecord::read(node.data).filter(|_| node.data.len() == TREE_BYTES) {
                    Some(record) => (tree.on_entry)(page, node.key, Value::Tree(record)),
                    None => {
                        let name = tree.pages.name.clone();
                        self.problem(&name, page, "a named tree that makes no sense".to_owned());
                    }
                }
            } else {
                (tree.on_entry)(page, node.key, Value::Bytes(node.data));
            }
        }
        Ok(())
    }

    fn long_value(&mut self, tree: &mut TreeWalk<'_>, page: u64, node: &Node<'_>) -> Result<()> {
        let name = tree.pages.name.clone();
        let Some(first) = u64_at(node.data, 0) else {
            self.problem(&name, page, "a long value without a page".to_owned());
            return Ok(());
        };
        let page_bytes = self.report.page_bytes;
        let n_needed = (PAGE_HEADER_BYTES as u64 - 1 + u64::from(node.value_bytes())) / page_bytes + 1;
        let mut header = [0; PAGE_HEADER_BYTES];
        if !self.file.read_page(first, &mut header)? {
            let found = self.report.file_bytes;
            self.problem(
                &name,
                first,
                format!("the file is cut off: it has {found} bytes, a long value lies beyond"),
            );
            return Ok(());
        }
        let is_sound = u64_at(&header, 0) == Some(first)
            && u16_at(&header, 10).is_some_and(|flags| flags & FLAG_OVERFLOW != 0);
        let n_pages = u64::from(u32_at(&header, 12).unwrap_or(0));
        if !is_sound || n_pages < n_needed {
            self.problem(&name, first, format!("not the {n_needed} pages of a long value"));
            return Ok(());
        }
        if self.claim(&name, first, n_pages) {
            self.n_seen += n_pages;
            tree.pages.n_overflow_pages += n_pages;
            if tree.order == KeyOrder::Number {
                // The lists of free pages are the only long values whose content matters here.
                let mut bytes = vec![0; PAGE_HEADER_BYTES + node.value_bytes() as usize];
                if self.file.read_page(first, &mut bytes)? {
                    (tree.on_entry)(
                        first,
                        node.key,
                        Value::Bytes(bytes.get(PAGE_HEADER_BYTES..).unwrap_or_default()),
                    );
                }
            }
        }
        Ok(())
    }

    /// Checks a list of free pages: its length, then the pages, 8 bytes each.
    pub(super) fn free_list(&mut self, page: u64, list: &[u8]) {
        let n_listed = u64_at(list, 0).unwrap_or(0);
        let ids: Vec<u64> =
            list.get(8..).unwrap_or_default().chunks_exact(8).filter_map(|id| u64_at(id, 0)).collect();
        if (ids.len() as u64) < n_listed {
            self.problem("free pages", page, "a list of free pages is shorter than it says".to_owned());
        }
        for id in ids.into_iter().take(usize::try_from(n_listed).unwrap_or(usize::MAX)) {
            if id < N_META_PAGES || id >= self.report.n_pages {
                self.problem(
                    "free pages",
                    page,
                    format!("page {id} is listed as free and lies outside of the file"),
                );
                continue;
            }
            self.report.n_free_pages += 1;
            // Free pages at the end need not be in the file.
            if id < self.n_tracked {
                let (word, bit) = ((id / 64) as usize, 1_u64 << (id % 64));
                if self.seen.get(word).is_some_and(|word| word & bit != 0) {
                    self.problem("free pages", id, "the page is in use and listed as free".to_owned());
                }
                if let Some(word) = self.seen.get_mut(word) {
                    *word |= bit;
                }
            }
        }
    }
}
