//! Breadth first traversal: the tree of paths is also the queue.

use std::hash::Hash;

use crate::path_tree::PathTree;
use crate::{Set, Steer, TraversalOptions, UniqueVertices, Visit};

/// A breadth first traversal.
///
/// Paths are visited in the order in which they were added to the tree, so the queue is an index into it; the paths
/// to be expanded are remembered by index too.
#[derive(Debug)]
pub(crate) struct BreadthFirst<V, E> {
    options: TraversalOptions,
    tree: PathTree<V, E>,
    len: u32,
    next: u32,
    expand: std::collections::VecDeque<u32>,
    seen: Set<V>,
    found: Vec<(E, V)>,
}

impl<V: Copy + Eq + Hash, E: Copy + Eq + Hash> BreadthFirst<V, E> {
    pub(crate) fn new(start: V, options: TraversalOptions) -> Self {
        let mut seen = Set::default();
        seen.insert(start);
        BreadthFirst {
            options,
            tree: PathTree::new(start),
            len: 1,
            next: 0,
            expand: std::collections::VecDeque::new(),
            seen,
            found: Vec::new(),
        }
    }

    pub(crate) fn next<G>(&mut self, graph: &mut G) -> Result<Option<Visit<'_, V, E>>, G::Error>
    where
        G: Steer<Vertex = V, Edge = E>,
    {
        loop {
            while self.next < self.len {
                let leaf = self.next;
                self.next += 1;
                if self.enter(graph, leaf)? {
                    return Ok(Some(self.tree.visit(leaf)));
                }
            }
            match self.expand.pop_front() {
                Some(leaf) => self.expand(graph, leaf)?,
                None => return Ok(None),
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
                self.tree.push(leaf, edge, vertex, node.weight + 1.0);
                self.len += 1;
            }
        }
        self.found = found;
        Ok(())
    }

    fn may_step(&mut self, leaf: u32, edge: E, vertex: V) -> bool {
        self.tree.allows_step(&self.options, leaf, edge, vertex)
            && (self.options.unique_vertices != UniqueVertices::Global || self.seen.insert(vertex))
    }

    fn enter<G: Steer<Vertex = V, Edge = E>>(&mut self, graph: &mut G, leaf: u32) -> Result<bool, G::Error> {
        let visit = self.tree.visit(leaf);
        let depth = visit.depth;
        let (grows, is_result) = self.options.judge(graph.decide(&visit)?, depth);
        if grows {
            self.expand.push_back(leaf);
        }
        Ok(is_result)
    }
}
