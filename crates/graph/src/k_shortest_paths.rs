//! Paths without repeated vertices by increasing length or weight: Yen's algorithm.

use std::collections::BinaryHeap;
use std::hash::Hash;

use crate::weighted::Cheapest;
use crate::{Neighbors, Path, Set, shortest_path, weighted_shortest_path};

/// A path waiting to be emitted, and the index of the vertex where it left the path it was derived from.
#[derive(Debug)]
struct Candidate<V, E> {
    path: Path<V, E>,
    deviation: usize,
}

/// An enumeration of the paths between two vertices, shortest first.
///
/// Paths do not visit a vertex twice. Each call of [`KShortestPaths::next_path`] searches for as many paths as the
/// one emitted before has vertices.
#[derive(Debug)]
pub struct KShortestPaths<V, E> {
    source: V,
    target: V,
    is_weighted: bool,
    started: bool,
    emitted: Vec<Path<V, E>>,
    last_deviation: usize,
    candidates: Vec<Option<Candidate<V, E>>>,
    open: BinaryHeap<Cheapest<u32>>,
    known: Set<Vec<E>>,
}

impl<V: Copy + Eq + Hash, E: Copy + Eq + Hash> KShortestPaths<V, E> {
    /// Paths by number of edges.
    pub fn by_length(source: V, target: V) -> Self {
        Self::new(source, target, false)
    }

    /// Paths by the sum of the weights of their edges.
    pub fn by_weight(source: V, target: V) -> Self {
        Self::new(source, target, true)
    }

    fn new(source: V, target: V, is_weighted: bool) -> Self {
        KShortestPaths {
            source,
            target,
            is_weighted,
            started: false,
            emitted: Vec::new(),
            last_deviation: 0,
            candidates: Vec::new(),
            open: BinaryHeap::new(),
            known: Set::default(),
        }
    }

    /// Goes on to the next path; `None` when there is none left.
    ///
    /// # Errors
    /// What the graph fails with.
    pub fn next_path<G>(&mut self, graph: &mut G) -> Result<Option<Path<V, E>>, G::Error>
    where
        G: Neighbors<Vertex = V, Edge = E>,
    {
        if self.started {
            self.add_deviations(graph)?;
        } else {
            self.started = true;
            if let Some(path) = self.search(graph, self.source)? {
                self.add_candidate(path, 0);
            }
        }
        let Some(entry) = self.open.pop() else { return Ok(None) };
        let Some(candidate) = self.candidates[entry.item as usize].take() else { return Ok(None) };
        self.last_deviation = candidate.deviation;
        self.emitted.push(candidate.path.clone());
        Ok(Some(candidate.path))
    }

    fn search<G>(&self, graph: &mut G, from: V) -> Result<Option<Path<V, E>>, G::Error>
    where
        G: Neighbors<Vertex = V, Edge = E>,
    {
        if self.is_weighted {
            weighted_shortest_path(graph, from, self.target)
        } else {
            shortest_path(graph, from, self.target)
        }
    }

    fn add_candidate(&mut self, path: Path<V, E>, deviation: usize) {
        if self.known.insert(path.edges.clone()) {
            self.open.push(Cheapest { weight: path.weight, item: self.candidates.len() as u32 });
            self.candidates.push(Some(Candidate { path, deviation }));
        }
    }

    /// Looks for the paths that leave the one emitted last at each of its vertices. Those before the vertex where
    /// that one left its own origin have been tried already.
    fn add_deviations<G>(&mut self, graph: &mut G) -> Result<(), G::Error>
    where
        G: Neighbors<Vertex = V, Edge = E>,
    {
        let Some(last) = self.emitted.last().cloned() else { return Ok(()) };
        let mut root_weight = 0.0;
        for spur in 0..last.edges.len() {
            if spur >= self.last_deviation {
                let root_edges = &last.edges[..spur];
                let vertices: Set<V> = last.vertices[..spur].iter().copied().collect();
                let edges: Set<E> = self
                    .emitted
                    .iter()
                    .filter(|path| path.edges.starts_with(root_edges))
                    .filter_map(|path| path.edges.get(spur).copied())
                    .collect();
                let mut rest = Without { graph: &mut *graph, vertices: &vertices, edges: &edges };
                if let Some(tail) = self.search(&mut rest, last.vertices[spur])? {
                    let mut path = Path {
                        vertices: last.vertices[..spur].to_vec(),
                        edges: root_edges.to_vec(),
                        weight: root_weight + tail.weight,
                    };
                    path.vertices.extend(tail.vertices);
                    path.edges.extend(tail.edges);
                    self.add_candidate(path, spur);
                }
            }
            root_weight += if self.is_weighted { graph.weight(last.edges[spur])? } else { 1.0 };
        }
        Ok(())
    }
}

/// A graph without some of its vertices and edges.
struct Without<'g, G: Neighbors> {
    graph: &'g mut G,
    vertices: &'g Set<G::Vertex>,
    edges: &'g Set<G::Edge>,
}

impl<G: Neighbors> Without<'_, G> {
    /// Removes what is left out from the steps found since there were `from` of them.
    fn retain(&self, out: &mut Vec<(G::Edge, G::Vertex)>, from: usize) {
        let mut kept = from;
        for at in from..out.len() {
            let (edge, vertex) = out[at];
            if !self.edges.contains(&edge) && !self.vertices.contains(&vertex) {
                out[kept] = out[at];
                kept += 1;
            }
        }
        out.truncate(kept);
    }
}

impl<G: Neighbors> Neighbors for Without<'_, G> {
    type Vertex = G::Vertex;
    type Edge = G::Edge;
    type Error = G::Error;

    fn neighbors(
        &mut self,
        vertex: G::Vertex,
        depth: usize,
        out: &mut Vec<(G::Edge, G::Vertex)>,
    ) -> Result<(), G::Error> {
        let from = out.len();
        self.graph.neighbors(vertex, depth, out)?;
        self.retain(out, from);
        Ok(())
    }

    fn predecessors(
        &mut self,
        vertex: G::Vertex,
        out: &mut Vec<(G::Edge, G::Vertex)>,
    ) -> Result<(), G::Error> {
        let from = out.len();
        self.graph.predecessors(vertex, out)?;
        self.retain(out, from);
        Ok(())
    }

    fn weight(&mut self, edge: G::Edge) -> Result<f64, G::Error> {
        self.graph.weight(edge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_graph::{graphs, naive_simple_paths};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn finds_all_simple_paths_in_order(mut graph in graphs(6, 11), target in 0u32..6, weighted in any::<bool>()) {
            let mut expected = naive_simple_paths(&graph, 0, target, 10);
            expected.sort();
            let mut paths =
                if weighted { KShortestPaths::by_weight(0, target) } else { KShortestPaths::by_length(0, target) };
            let mut found = Vec::new();
            let mut previous = 0.0;
            while let Some(path) = paths.next_path(&mut graph).unwrap() {
                graph.assert_path(&path, 0, target);
                let weight = if weighted { graph.weight_of(&path.edges) } else { path.edges.len() as f64 };
                prop_assert_eq!(path.weight, weight);
                prop_assert!(previous <= weight);
                previous = weight;
                found.push(path.edges);
            }
            found.sort();
            prop_assert_eq!(found, expected);
        }
    }
}
