//! The entries of a branch or leaf page.

use super::super::data_file::{NO_PAGE, PAGE_HEADER_BYTES, u16_at, u64_at};

const FLAG_BRANCH: u16 = 1;
const FLAG_LEAF: u16 = 2;
/// Of a page that belongs to a long value.
pub(super) const FLAG_OVERFLOW: u16 = 4;
const NODE_HEADER_BYTES: usize = 8;
const NODE_BIG: u16 = 1;
const NODE_TREE: u16 = 2;

/// How the keys of a tree are ordered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyOrder {
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

/// The nodes of a branch or leaf page.
pub(super) struct Nodes<'p> {
    pub(super) is_leaf: bool,
    pub(super) list: Vec<Node<'p>>,
}

/// An entry of a leaf, or of a branch what leads to a child.
pub(super) struct Node<'p> {
    /// In a branch bits 32 to 47 of the child's number.
    flags: u16,
    pub(super) key: &'p [u8],
    /// In a leaf the value, or for long ones the number of its first page.
    pub(super) data: &'p [u8],
    /// In a leaf the length of the value, in a branch bits 0 to 31 of the child's number.
    low: u32,
}

impl Node<'_> {
    /// The page that a node of a branch leads to.
    pub(super) fn child(&self) -> u64 {
        u64::from(self.low) | u64::from(self.flags) << 32
    }

    /// Length of a leaf's value.
    pub(super) fn value_bytes(&self) -> u32 {
        self.low
    }

    /// Whether the value has pages of its own.
    pub(super) fn is_long(&self) -> bool {
        self.flags & NODE_BIG != 0
    }

    /// Whether the value is a tree.
    pub(super) fn is_tree(&self) -> bool {
        self.flags & NODE_TREE != 0
    }
}

impl<'p> Nodes<'p> {
    /// Reads a page; what is wrong with it if that can't be.
    pub(super) fn read(bytes: &'p [u8], page: u64) -> Result<Nodes<'p>, String> {
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
        Ok(Nodes { is_leaf, list: nodes.collect::<Result<_, _>>()? })
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
        Some(Node { flags, key, data, low })
    }

    /// What is wrong with the order of the keys, if anything.
    pub(super) fn order_problem(
        &self,
        order: KeyOrder,
        (low, high): (Option<&[u8]>, Option<&[u8]>),
    ) -> Option<String> {
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
