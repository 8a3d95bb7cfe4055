//! Weighted traversal: paths by increasing weight.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::hash::Hash;

use crate::path_tree::PathTree;
use crate::{Set, Steer, TraversalOptions, UniqueVertices, Visit};

/// An entry of a heap that yields the smallest weight first, and the oldest entry among equals.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cheapest<T> {
    pub(crate) weight: f64,
    pub(crate) item: T,
}

impl<T: Ord> PartialEq for Cheapest<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl<T: Ord> Eq for Cheapest<T> {}
impl<T: Ord> PartialOrd for Cheapest<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<T: Ord> Ord for Cheapest<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.weight.total_cmp(&self.weight).then_with(|| other.item.cmp(&self.item))
    }
}

/// A traversal ordered by the weight of its paths.
#[derive(Debug)]
pub(crate) struct Weighted<V, E> {
    options: TraversalOptions,
    tree: PathTree<V, E>,
    open: BinaryHeap<Cheapest<u32>>,
    seen: Set<V>,
    found: Vec<(E, V)>,
    /// The path emitted last, which is expanded only when another path is asked for.
    expand: Option<u32>,
}

impl<V: Copy + Eq + Hash, E: Copy + Eq + Hash> Weighted<V, E> {
    pub(crate) fn new(start: V, options: TraversalOptions) -> Self {
        let mut open = BinaryHeap::new();
        open.push(Cheapest { weight: 0.0, item: 0 });
        Weighted {
            options,
            tree: PathTree::new(start),
            open,
            seen: Set::default(),
            found: Vec::new(),
            expand: None,
        }
    }

    pub(crate) fn next<G>(&mut self, graph: &mut G) -> Result<Option<Visit<'_, V, E>>, G::Error>
    where
        G: Steer<Vertex = V, Edge = E>,
    {
        loop {
            if let Some(leaf) = self.expand.take() {
                self.expand(graph, leaf)?;
            }
            let Some(Cheapest { item: leaf, .. }) = self.open.pop() else { return Ok(None) };
            let global = self.options.unique_vertices == UniqueVertices::Global;
            if global && !self.seen.insert(self.tree.node(leaf).vertex) {
                continue;
            }
            if self.enter(graph, leaf)? {
                return Ok(Some(self.tree.visit(leaf)));
            }
        }
    }

    fn expand<G: Steer<Vertex = V, Edge = E>>(&mut self, graph: &mut G, leaf: u32) -> Result<(), G::Error> {
        let node = self.tree.node(leaf);
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        graph.neighbors(node.vertex, node.depth as usize, &mut found)?;
        for &(edge, vertex) in &found {
            if self.may_step(leaf, edge, vertex) {
                let weight = node.weight + graph.weight(edge)?;
                let child = self.tree.push(leaf, edge, vertex, weight);
                self.open.push(Cheapest { weight, item: child });
            }
        }
        self.found = found;
        Ok(())
    }

    fn may_step(&self, leaf: u32, edge: E, vertex: V) -> bool {
        self.tree.allows_step(&self.options, leaf, edge, vertex)
            && (self.options.unique_vertices != UniqueVertices::Global || !self.seen.contains(&vertex))
    }

    fn enter<G: Steer<Vertex = V, Edge = E>>(&mut self, graph: &mut G, leaf: u32) -> Result<bool, G::Error> {
        let visit = self.tree.visit(leaf);
        let depth = visit.depth;
        let (grows, is_result) = self.options.judge(graph.decide(&visit)?, depth);
        if grows {
            self.expand = Some(leaf);
        }
        Ok(is_result)
    }
}
