//! All paths of bounded length between two vertices that visit no vertex twice.

use std::hash::Hash;
use std::ops::Range;

use crate::{Map, Neighbors, Path};

/// An enumeration of the simple paths between two vertices with at least and at most so many edges.
///
/// How far each vertex is from the target is found out first, by searching backward; the forward search then never
/// enters a vertex from which the target is out of reach. Each vertex is read once.
#[derive(Debug)]
pub struct KPaths<V, E> {
    target: V,
    min_depth: usize,
    max_depth: usize,
    distances: Map<V, usize>,
    read: Map<V, Range<usize>>,
    steps: Vec<(E, V)>,
    vertices: Vec<V>,
    edges: Vec<E>,
    /// The steps not yet taken from each vertex of the current path.
    frames: Vec<Range<usize>>,
    start: Option<V>,
}

impl<V: Copy + Eq + Hash, E: Copy> KPaths<V, E> {
    /// Searches backward from the target, as deep as a path may be long.
    ///
    /// # Errors
    /// What the graph fails with.
    pub fn new<G>(
        graph: &mut G,
        source: V,
        target: V,
        min_depth: usize,
        max_depth: usize,
    ) -> Result<Self, G::Error>
    where
        G: Neighbors<Vertex = V, Edge = E>,
    {
        let distances = distances_to(graph, target, max_depth)?;
        let start = distances.contains_key(&source).then_some(source);
        Ok(KPaths {
            target,
            min_depth,
            max_depth,
            distances,
            read: Map::default(),
            steps: Vec::new(),
            vertices: Vec::new(),
            edges: Vec::new(),
            frames: Vec::new(),
            start,
        })
    }

    /// Goes on to the next path; `None` when there is none left.
    ///
    /// # Errors
    /// What the graph fails with.
    pub fn next_path<G>(&mut self, graph: &mut G) -> Result<Option<Path<V, E>>, G::Error>
    where
        G: Neighbors<Vertex = V, Edge = E>,
    {
        if let Some(start) = self.start.take()
            && let Some(path) = self.enter(graph, start)?
        {
            return Ok(Some(path));
        }
        while let Some(frame) = self.frames.last_mut() {
            let Some(at) = frame.next() else {
                self.frames.pop();
                self.vertices.pop();
                self.edges.pop();
                continue;
            };
            let (edge, vertex) = self.steps[at];
            let remaining = self.max_depth - self.edges.len() - 1;
            let in_reach = self.distances.get(&vertex).is_some_and(|&distance| distance <= remaining);
            if !in_reach || self.vertices.contains(&vertex) {
                continue;
            }
            self.edges.push(edge);
            if let Some(path) = self.enter(graph, vertex)? {
                return Ok(Some(path));
            }
        }
        Ok(None)
    }

    /// Appends a vertex to the current path. At the target the path ends: it is returned when it is long enough.
    fn enter<G>(&mut self, graph: &mut G, vertex: V) -> Result<Option<Path<V, E>>, G::Error>
    where
        G: Neighbors<Vertex = V, Edge = E>,
    {
        self.vertices.push(vertex);
        if vertex != self.target && self.edges.len() < self.max_depth {
            let frame = self.steps_from(graph, vertex)?;
            self.frames.push(frame);
            return Ok(None);
        }
        let path = (vertex == self.target && self.edges.len() >= self.min_depth).then(|| Path {
            vertices: self.vertices.clone(),
            edges: self.edges.clone(),
            weight: self.edges.len() as f64,
        });
        self.vertices.pop();
        self.edges.pop();
        Ok(path)
    }

    fn steps_from<G>(&mut self, graph: &mut G, vertex: V) -> Result<Range<usize>, G::Error>
    where
        G: Neighbors<Vertex = V, Edge = E>,
    {
        if let Some(range) = self.read.get(&vertex) {
            return Ok(range.clone());
        }
        let begin = self.steps.len();
        graph.neighbors(vertex, 0, &mut self.steps)?;
        let range = begin..self.steps.len();
        self.read.insert(vertex, range.clone());
        Ok(range)
    }
}

/// The number of edges from each vertex to the target, for those within `max_depth`.
fn distances_to<G: Neighbors>(
    graph: &mut G,
    target: G::Vertex,
    max_depth: usize,
) -> Result<Map<G::Vertex, usize>, G::Error> {
    let mut distances = Map::default();
    distances.insert(target, 0);
    let mut frontier = vec![target];
    let mut found = Vec::new();
    for distance in 1..=max_depth {
        let mut next = Vec::new();
        for vertex in frontier {
            found.clear();
            graph.predecessors(vertex, &mut found)?;
            for &(_, neighbor) in &found {
                if !distances.contains_key(&neighbor) {
                    distances.insert(neighbor, distance);
                    next.push(neighbor);
                }
            }
        }
        if next.is_empty() {
            break;
        }
        frontier = next;
    }
    Ok(distances)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_graph::{graphs, naive_simple_paths};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn finds_all_simple_paths_of_bounded_length(
            mut graph in graphs(7, 13),
            target in 0u32..7,
            min in 0usize..4,
            more in 0usize..4,
        ) {
            let mut expected: Vec<Vec<u32>> = naive_simple_paths(&graph, 0, target, min + more)
                .into_iter()
                .filter(|path| path.len() >= min)
                .collect();
            expected.sort();
            let mut paths = KPaths::new(&mut graph, 0, target, min, min + more).unwrap();
            let mut found = Vec::new();
            while let Some(path) = paths.next_path(&mut graph).unwrap() {
                graph.assert_path(&path, 0, target);
                found.push(path.edges);
            }
            found.sort();
            prop_assert_eq!(found, expected);
        }
    }
}
