//! Checks the structure of a data file: every page of every tree, read by reads, so that a file that is cut off or
//! overwritten is reported where a mapped page would end the process.

use std::path::Path;

use super::data_file::{
    DataFile, N_META_PAGES, NO_PAGE, PAGE_HEADER_BYTES, TREE_BYTES, TreeRecord, u16_at, u32_at, u64_at,
};
use super::environment::DATABASE_NAMES;
use super::{LmdbStore, Options};
use crate::store::Store;
use crate::{Error, Result};

/// Problems that a report lists; further ones are only counted.
const PROBLEMS_MAX: usize = 100;
/// LMDB's own limit of a tree's depth.
const DEPTH_MAX: u16 = 32;

const FLAG_BRANCH: u16 = 1;
const FLAG_LEAF: u16 = 2;
const FLAG_OVERFLOW: u16 = 4;
const NODE_HEADER_BYTES: usize = 8;
const NODE_BIG: u16 = 1;
const NODE_TREE: u16 = 2;

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

    fn add(&mut self, problem: PageProblem) {
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

/// Checks the newest state of the data file in a folder, also while a process writes to it. `progress` is called now and
/// then with the number of pages looked at and the number of all.
///
/// # Errors
/// [`Error::NoDatabase`]; [`Error::Corrupted`] when not even the first pages make sense; [`Error::Io`] when the file can't
/// be read. What is wrong with pages is in the report.
pub fn check_pages(
    folder: &Path,
    options: &Options,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<PageReport> {
    // A snapshot keeps the writer from using the pages of this state again. Without one, nobody may be writing.
    let store = match LmdbStore::open_read_only(folder, options) {
        Ok(store) => Some(store),
        Err(error @ (Error::AlreadyOpen { .. } | Error::NoDatabase { .. })) => return Err(error),
        Err(_) => None,
    };
    let _snapshot = store.as_ref().map(Store::snapshot).transpose()?;
    // The state of the meta page is not older than the snapshot, so its pages are kept as well.
    let mut file = DataFile::open(folder)?;
    loop {
        let again = DataFile::open(folder)?;
        if again.meta().transaction == file.meta().transaction
            && again.meta().last_page == file.meta().last_page
        {
            break;
        }
        file = again;
    }
    check(file, progress)
}

/// Checks a data file that nobody changes.
pub(super) fn check_file(path: &Path, progress: &mut dyn FnMut(u64, u64)) -> Result<PageReport> {
    check(DataFile::open_path(path)?, progress)
}

fn check(mut file: DataFile, progress: &mut dyn FnMut(u64, u64)) -> Result<PageReport> {
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
    let mut walk = Walk { file: &mut file, report, seen: vec![0; n_words], n_tracked, n_seen: 0, progress };
    let mut named: Vec<(Vec<u8>, TreeRecord)> = Vec::new();
    let mut bad_names = Vec::new();
    walk.tree("main", meta.main, KeyOrder::Bytes, &mut |page, key, value| match value {
        Value::Tree(record) => named.push((key.to_vec(), record)),
        _ => bad_names.push(page),
    })?;
    for page in bad_names {
        walk.problem("main", page, "an entry of the main tree is no tree".to_owned());
    }
    for name in DATABASE_NAMES {
        let found = named.iter().find(|(key, _)| key == name.as_bytes()).map(|(_, record)| *record);
        let tree = match found {
            Some(record) => walk.tree(name, record, KeyOrder::Bytes, &mut |_, _, _| {})?,
            None => {
                walk.problem("main", meta.main.root, format!("the tree '{name}' is missing"));
                TreePages { name: name.to_owned(), ..TreePages::default() }
            }
        };
        walk.report.trees.push(tree);
    }
    let mut free = Vec::new();
    walk.tree("free pages", meta.free, KeyOrder::Number, &mut |page, _, value| {
        if let Value::Bytes(bytes) = value {
            free.push((page, bytes.to_vec()));
        }
    })?;
    for (page, list) in free {
        walk.free_list(page, &list);
    }
    let used = walk.n_seen + walk.report.n_free_pages + N_META_PAGES;
    walk.report.n_lost_pages = n_pages.saturating_sub(used);
    (walk.progress)(n_pages, n_pages);
    Ok(walk.report)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyOrder {
    Bytes,
    /// Eight bytes in the machine's order.
    Number,
}

impl KeyOrder {
    fn compare(self, left: &[u8], right: &[u8]) -> std::cmp::Ordering {
        match self {
            KeyOrder::Bytes => left.cmp(right),
            KeyOrder::Number => u64_at(left, 0).cmp(&u64_at(right, 0)),
        }
    }
}

/// Value of a leaf's entry.
enum Value<'p> {
    Bytes(&'p [u8]),
    Tree(TreeRecord),
}

type OnEntry<'a> = dyn FnMut(u64, &[u8], Value<'_>) + 'a;

struct Walk<'a> {
    file: &'a mut DataFile,
    report: PageReport,
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

impl Walk<'_> {
    fn problem(&mut self, tree: &str, page: u64, what: String) {
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
    fn tree(
        &mut self,
        name: &str,
        record: TreeRecord,
        order: KeyOrder,
        on_entry: &mut OnEntry<'_>,
    ) -> Result<TreePages> {
        let pages = TreePages { name: name.to_owned(), ..TreePages::default() };
        let n_problems = self.report.n_problems;
        if record.depth > DEPTH_MAX {
            self.problem(name, record.root, format!("a tree of depth {} can't be", record.depth));
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
            if node.flags & NODE_BIG != 0 {
                self.long_value(tree, page, node)?;
            } else if node.flags & NODE_TREE != 0 {
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
        let n_needed = (PAGE_HEADER_BYTES as u64 - 1 + u64::from(node.value_bytes)) / page_bytes + 1;
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
                let mut bytes = vec![0; PAGE_HEADER_BYTES + node.value_bytes as usize];
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
    fn free_list(&mut self, page: u64, list: &[u8]) {
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

/// The nodes of a branch or leaf page.
struct Nodes<'p> {
    is_leaf: bool,
    list: Vec<Node<'p>>,
}

struct Node<'p> {
    flags: u16,
    key: &'p [u8],
    /// The value, or for long ones the number of its first page.
    data: &'p [u8],
    value_bytes: u32,
    /// The three halves of a child's number, in a branch.
    low: u32,
}

impl Node<'_> {
    fn child(&self) -> u64 {
        u64::from(self.low) | u64::from(self.flags) << 32
    }
}

impl<'p> Nodes<'p> {
    fn read(bytes: &'p [u8], page: u64) -> std::result::Result<Nodes<'p>, String> {
        let number = u64_at(bytes, 0).unwrap_or(NO_PAGE);
        if number != page {
            return Err(format!("the page says that it is page {number}"));
        }
        let flags = u16_at(bytes, 10).unwrap_or(0);
        let is_leaf = match flags & (FLAG_BRANCH | FLAG_LEAF | FLAG_OVERFLOW) {
            FLAG_LEAF => true,
            FLAG_BRANCH => false,
            _ => return Err(format!("a page of a tree has the flags {flags:#x}")),
        };
        let lower = usize::from(u16_at(bytes, 12).unwrap_or(0));
        let upper = usize::from(u16_at(bytes, 14).unwrap_or(0));
        if lower < PAGE_HEADER_BYTES || lower > upper || upper > bytes.len() {
            return Err(format!("the free space from {lower} to {upper} makes no sense"));
        }
        let n_nodes = (lower - PAGE_HEADER_BYTES) / 2;
        let nodes = (0..n_nodes).map(|position| {
            Nodes::node(bytes, PAGE_HEADER_BYTES + 2 * position, upper, is_leaf)
                .ok_or_else(|| format!("entry {position} lies outside of its page"))
        });
        Ok(Nodes { is_leaf, list: nodes.collect::<std::result::Result<_, _>>()? })
    }

    fn node(bytes: &'p [u8], slot: usize, upper: usize, is_leaf: bool) -> Option<Node<'p>> {
        let begin = usize::from(u16_at(bytes, slot)?);
        (begin >= upper).then_some(())?;
        let node = bytes.get(begin..)?;
        let halves = (u32::from(u16_at(node, 0)?), u32::from(u16_at(node, 2)?));
        // The low half comes first in memory on either kind of machine.
        let low =
            if cfg!(target_endian = "big") { halves.1 | halves.0 << 16 } else { halves.0 | halves.1 << 16 };
        let flags = u16_at(node, 4)?;
        let key_bytes = usize::from(u16_at(node, 6)?);
        let rest = node.get(NODE_HEADER_BYTES..)?;
        let (key, rest) = rest.split_at_checked(key_bytes)?;
        let data_bytes = match is_leaf {
            false => 0,
            true if flags & NODE_BIG != 0 => 8,
            true => low as usize,
        };
        let data = rest.get(..data_bytes)?;
        Some(Node { flags, key, data, value_bytes: low, low })
    }

    /// What is wrong with the order of the keys, if anything.
    fn order_problem(&self, order: KeyOrder, (low, high): (Option<&[u8]>, Option<&[u8]>)) -> Option<String> {
        // The first key of a branch stands for everything below the second.
        let keys = || self.list.iter().skip(usize::from(!self.is_leaf)).map(|node| node.key);
        if self.list.is_empty() {
            return Some("a page in use has no entries".to_owned());
        }
        if keys().zip(keys().skip(1)).any(|(left, right)| order.compare(left, right).is_ge()) {
            return Some("the keys are out of order".to_owned());
        }
        let is_outside = |key: &[u8]| {
            low.is_some_and(|low| order.compare(key, low).is_lt())
                || high.is_some_and(|high| order.compare(key, high).is_ge())
        };
        let is_bad = keys().next().is_some_and(is_outside) || keys().next_back().is_some_and(is_outside);
        is_bad.then(|| "keys lie outside of the page's range".to_owned())
    }
}
