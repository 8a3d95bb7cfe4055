//! A tree of path steps that share their beginnings, for the searches that keep many paths open.

use crate::path::Steps;
use crate::{TraversalOptions, UniqueEdges, UniqueVertices, Visit};

/// One step: a vertex and the edge that led to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node<V, E> {
    pub(crate) vertex: V,
    pub(crate) edge: Option<E>,
    pub(crate) parent: u32,
    pub(crate) depth: u32,
    /// The weight of the path from the root to here.
    pub(crate) weight: f64,
}

/// The parent of a root.
const NO_PARENT: u32 = u32::MAX;

/// Steps, each pointing at the one before it. Nodes are never removed.
#[derive(Debug)]
pub(crate) struct PathTree<V, E> {
    nodes: Vec<Node<V, E>>,
}

impl<V: Copy + Eq, E: Copy + Eq> PathTree<V, E> {
    /// A tree of one root.
    pub(crate) fn new(root: V) -> Self {
        PathTree { nodes: vec![Node { vertex: root, edge: None, parent: NO_PARENT, depth: 0, weight: 0.0 }] }
    }

    /// The node at an index that [`PathTree::push`] returned; 0 is the root.
    pub(crate) fn node(&self, index: u32) -> Node<V, E> {
        self.nodes[index as usize]
    }

    /// Adds a step behind `parent`.
    pub(crate) fn push(&mut self, parent: u32, edge: E, vertex: V, weight: f64) -> u32 {
        let index = self.nodes.len() as u32;
        let depth = self.node(parent).depth + 1;
        self.nodes.push(Node { vertex, edge: Some(edge), parent, depth, weight });
        index
    }

    /// The steps from `leaf` back to the root, both included.
    pub(crate) fn ancestors(&self, leaf: u32) -> impl Iterator<Item = &Node<V, E>> {
        let mut next = leaf;
        std::iter::from_fn(move || {
            let node = self.nodes.get(next as usize)?;
            next = node.parent;
            Some(node)
        })
    }

    /// Whether the path to `leaf` contains `vertex`.
    pub(crate) fn has_vertex(&self, leaf: u32, vertex: V) -> bool {
        self.ancestors(leaf).any(|node| node.vertex == vertex)
    }

    /// Whether a step fits behind the path to `leaf`, as far as that path decides.
    pub(crate) fn allows_step(&self, options: &TraversalOptions, leaf: u32, edge: E, vertex: V) -> bool {
        (options.unique_edges != UniqueEdges::Path || !self.has_edge(leaf, edge))
            && (options.unique_vertices != UniqueVertices::Path || !self.has_vertex(leaf, vertex))
    }

    /// The path to `leaf`, to be looked at.
    pub(crate) fn visit(&self, leaf: u32) -> Visit<'_, V, E> {
        let node = self.node(leaf);
        Visit {
            depth: node.depth as usize,
            vertex: node.vertex,
            edge: node.edge,
            steps: Steps::Tree { tree: self, leaf },
        }
    }

    /// Whether the path to `leaf` contains `edge`.
    pub(crate) fn has_edge(&self, leaf: u32, edge: E) -> bool {
        self.ancestors(leaf).any(|node| node.edge == Some(edge))
    }
}
