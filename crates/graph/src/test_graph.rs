//! A small graph in memory and naive searches on it, for tests.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use proptest::prelude::*;

use crate::{Decision, Neighbors, Path, Steer, TraversalOptions, UniqueEdges, UniqueVertices, Visit};

/// Edges by index, each with its ends and weight.
#[derive(Debug, Clone, Default)]
pub(crate) struct TestGraph {
    pub(crate) edges: Vec<(u32, u32, f64)>,
    /// Vertices behind which a traversal does not go.
    pub(crate) pruned: Vec<u32>,
    /// How many vertices have been read.
    pub(crate) expansions: usize,
}

impl TestGraph {
    pub(crate) fn new(edges: &[(u32, u32)]) -> Self {
        let edges = edges.iter().map(|&(from, to)| (from, to, 1.0)).collect();
        TestGraph { edges, ..TestGraph::default() }
    }

    pub(crate) fn weight_of(&self, path: &[u32]) -> f64 {
        path.iter().map(|&edge| self.edges[edge as usize].2).sum()
    }

    pub(crate) fn end_of(&self, start: u32, path: &[u32]) -> u32 {
        path.last().map_or(start, |&edge| self.edges[edge as usize].1)
    }

    /// Asserts that the edges connect the vertices, and these the two ends.
    pub(crate) fn assert_path(&self, path: &Path<u32, u32>, source: u32, target: u32) {
        assert_eq!(path.vertices.len(), path.edges.len() + 1);
        assert_eq!(path.vertices.first(), Some(&source));
        assert_eq!(path.vertices.last(), Some(&target));
        for (at, &edge) in path.edges.iter().enumerate() {
            let (from, to, _) = self.edges[edge as usize];
            assert_eq!((path.vertices[at], path.vertices[at + 1]), (from, to));
        }
    }

    /// For each vertex that can be reached the least number of edges and the least weight (Bellman-Ford).
    pub(crate) fn naive_distances(&self, start: u32) -> BTreeMap<u32, (usize, f64)> {
        let mut distances = BTreeMap::from([(start, (0, 0.0))]);
        for _ in 0..=self.edges.len() {
            for &(from, to, weight) in &self.edges {
                if let Some(&(steps, sum)) = distances.get(&from) {
                    let entry = distances.entry(to).or_insert((usize::MAX, f64::INFINITY));
                    entry.0 = entry.0.min(steps + 1);
                    entry.1 = entry.1.min(sum + weight);
                }
            }
        }
        distances
    }
}

impl Neighbors for TestGraph {
    type Vertex = u32;
    type Edge = u32;
    type Error = Infallible;

    fn neighbors(&mut self, vertex: u32, _depth: usize, out: &mut Vec<(u32, u32)>) -> Result<(), Infallible> {
        self.expansions += 1;
        for (edge, &(from, to, _)) in self.edges.iter().enumerate() {
            if from == vertex {
                out.push((edge as u32, to));
            }
        }
        Ok(())
    }

    fn predecessors(&mut self, vertex: u32, out: &mut Vec<(u32, u32)>) -> Result<(), Infallible> {
        self.expansions += 1;
        for (edge, &(from, to, _)) in self.edges.iter().enumerate() {
            if to == vertex {
                out.push((edge as u32, from));
            }
        }
        Ok(())
    }

    fn weight(&mut self, edge: u32) -> Result<f64, Infallible> {
        Ok(self.edges[edge as usize].2)
    }
}

impl Steer for TestGraph {
    fn decide(&mut self, visit: &Visit<'_, u32, u32>) -> Result<Decision, Infallible> {
        Ok(if self.pruned.contains(&visit.vertex()) { Decision::Prune } else { Decision::Keep })
    }
}

/// Random multigraphs with loops; weights are whole numbers, so sums are exact.
pub(crate) fn graphs(vertices: u32, edges: usize) -> impl Strategy<Value = TestGraph> {
    let edge =
        (0..vertices, 0..vertices, 0u8..6).prop_map(|(from, to, weight)| (from, to, f64::from(weight)));
    prop::collection::vec(edge, 0..edges).prop_map(|edges| TestGraph { edges, ..TestGraph::default() })
}

/// All paths of a traversal from vertex 0, as lists of edges, by plain recursion.
pub(crate) fn naive_traversal(graph: &TestGraph, options: &TraversalOptions) -> Vec<Vec<u32>> {
    fn go(
        graph: &TestGraph,
        options: &TraversalOptions,
        at: u32,
        path: &mut Vec<u32>,
        out: &mut Vec<Vec<u32>>,
    ) {
        if path.len() >= options.min_depth {
            out.push(path.clone());
        }
        if path.len() == options.max_depth {
            return;
        }
        for (edge, &(from, to, _)) in graph.edges.iter().enumerate() {
            let edge = edge as u32;
            let visited: BTreeSet<u32> =
                path.iter().map(|&edge| graph.edges[edge as usize].1).chain([0]).collect();
            let repeats_edge = options.unique_edges == UniqueEdges::Path && path.contains(&edge);
            let repeats_vertex = options.unique_vertices == UniqueVertices::Path && visited.contains(&to);
            if from == at && !repeats_edge && !repeats_vertex {
                path.push(edge);
                go(graph, options, to, path, out);
                path.pop();
            }
        }
    }
    let mut out = Vec::new();
    go(graph, options, 0, &mut Vec::new(), &mut out);
    out
}

/// All simple paths of at most `max` edges that end where they first meet the target.
pub(crate) fn naive_simple_paths(graph: &TestGraph, source: u32, target: u32, max: usize) -> Vec<Vec<u32>> {
    let options = TraversalOptions {
        min_depth: 0,
        max_depth: max,
        unique_vertices: UniqueVertices::Path,
        ..TraversalOptions::default()
    };
    assert_eq!(source, 0, "the naive traversal starts at vertex 0");
    naive_traversal(graph, &options).into_iter().filter(|path| graph.end_of(source, path) == target).collect()
}
