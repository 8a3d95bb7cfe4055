//! Paths: owned ones that path searches return, and borrowed views that traversals lend.

use crate::path_tree::PathTree;

/// A path: `vertices` has one member more than `edges`.
#[derive(Debug, Clone, PartialEq)]
pub struct Path<V, E> {
    /// The vertices from the start to the end.
    pub vertices: Vec<V>,
    /// The edges between them.
    pub edges: Vec<E>,
    /// The sum of the weights of the edges; their number where the search does not look at weights.
    pub weight: f64,
}

impl<V: Copy, E: Copy> Path<V, E> {
    /// The path of one vertex.
    pub(crate) fn start(vertex: V) -> Self {
        Path { vertices: vec![vertex], edges: Vec::new(), weight: 0.0 }
    }

    /// Adds an edge and the vertex it leads to; the weight is left alone.
    pub(crate) fn push(&mut self, (edge, vertex): (E, V)) {
        self.edges.push(edge);
        self.vertices.push(vertex);
    }

    /// Makes the end the start.
    pub(crate) fn reverse(&mut self) {
        self.edges.reverse();
        self.vertices.reverse();
    }
}

/// A path a traversal has reached, lent until the traversal goes on.
#[derive(Debug)]
pub struct Visit<'p, V, E> {
    pub(crate) depth: usize,
    pub(crate) vertex: V,
    pub(crate) edge: Option<E>,
    pub(crate) steps: Steps<'p, V, E>,
}

/// Where the steps of a visited path lie.
#[derive(Debug)]
pub(crate) enum Steps<'p, V, E> {
    /// The stack of a depth first search.
    Stack { vertices: &'p [V], edges: &'p [E] },
    /// A leaf of the tree of a breadth first or weighted search.
    Tree { tree: &'p PathTree<V, E>, leaf: u32 },
}

impl<V: Copy + Eq, E: Copy + Eq> Visit<'_, V, E> {
    /// The number of edges.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The vertex at the end.
    pub fn vertex(&self) -> V {
        self.vertex
    }

    /// The last edge; none at depth 0.
    pub fn edge(&self) -> Option<E> {
        self.edge
    }

    /// Replaces the contents of `out` by the vertices from the start to the end.
    pub fn vertices_into(&self, out: &mut Vec<V>) {
        out.clear();
        match &self.steps {
            Steps::Stack { vertices, .. } => out.extend_from_slice(vertices),
            Steps::Tree { tree, leaf } => {
                out.extend(tree.ancestors(*leaf).map(|node| node.vertex));
                out.reverse();
            }
        }
    }

    /// Replaces the contents of `out` by the edges from the start to the end.
    pub fn edges_into(&self, out: &mut Vec<E>) {
        out.clear();
        match &self.steps {
            Steps::Stack { edges, .. } => out.extend_from_slice(edges),
            Steps::Tree { tree, leaf } => {
                out.extend(tree.ancestors(*leaf).filter_map(|node| node.edge));
                out.reverse();
            }
        }
    }

    /// Replaces the contents of `out` by the weight of the path up to each of its vertices.
    ///
    /// Only a weighted traversal sums weights up; with the other orders every edge counts 1.
    pub fn weights_into(&self, out: &mut Vec<f64>) {
        out.clear();
        match &self.steps {
            Steps::Stack { vertices, .. } => out.extend((0..vertices.len()).map(|depth| depth as f64)),
            Steps::Tree { tree, leaf } => {
                out.extend(tree.ancestors(*leaf).map(|node| node.weight));
                out.reverse();
            }
        }
    }
}
