//! One path of least weight: Dijkstra's algorithm from both ends.

use std::collections::BinaryHeap;
use std::hash::Hash;

use crate::neighbors::{PathOf, expand};
use crate::weighted::Cheapest;
use crate::{Map, Neighbors, Path};

/// A vertex with the least weight known for it, and the step back towards the end the side started from.
#[derive(Clone, Copy)]
struct Label<V, E> {
    weight: f64,
    back: Option<(E, V)>,
    settled: bool,
}

/// What one end of the search has reached. Heap entries are indexes into `order`, so vertices need no order.
struct Side<V, E> {
    labels: Map<V, Label<V, E>>,
    open: BinaryHeap<Cheapest<u32>>,
    order: Vec<V>,
}

impl<V: Copy + Eq + Hash, E: Copy> Side<V, E> {
    fn new(start: V) -> Self {
        let mut side = Side { labels: Map::default(), open: BinaryHeap::new(), order: Vec::new() };
        side.improve(start, 0.0, None);
        side
    }

    /// Records a way to `vertex` if it is the best so far.
    fn improve(&mut self, vertex: V, weight: f64, back: Option<(E, V)>) {
        if self.labels.get(&vertex).is_some_and(|label| label.weight <= weight) {
            return;
        }
        self.labels.insert(vertex, Label { weight, back, settled: false });
        self.open.push(Cheapest { weight, item: self.order.len() as u32 });
        self.order.push(vertex);
    }

    /// The least weight of a vertex that is not settled; infinite when there is none.
    fn next_weight(&self) -> f64 {
        self.open.peek().map_or(f64::INFINITY, |entry| entry.weight)
    }

    /// Settles the nearest open vertex.
    fn settle(&mut self) -> Option<(V, f64)> {
        while let Some(Cheapest { weight, item }) = self.open.pop() {
            let vertex = self.order[item as usize];
            if let Some(label) = self.labels.get_mut(&vertex)
                && !label.settled
            {
                label.settled = true;
                return Some((vertex, weight));
            }
        }
        None
    }

    /// Follows the steps back from `from`; calls `visit` with each.
    fn walk(&self, from: V, mut visit: impl FnMut((E, V))) {
        let mut vertex = from;
        while let Some(step) = self.labels.get(&vertex).and_then(|label| label.back) {
            visit(step);
            vertex = step.1;
        }
    }
}

/// The best connection seen so far: an edge between a vertex of each side.
struct Bridge<V, E> {
    weight: f64,
    before: V,
    edge: E,
    after: V,
}

/// Finds a path of the least weight; `None` when there is none.
///
/// # Errors
/// What the graph fails with, negative weights among it.
pub fn weighted_shortest_path<G: Neighbors>(
    graph: &mut G,
    source: G::Vertex,
    target: G::Vertex,
) -> Result<Option<PathOf<G>>, G::Error> {
    if source == target {
        return Ok(Some(Path::start(source)));
    }
    let mut forward = Side::new(source);
    let mut backward = Side::new(target);
    let mut best: Option<Bridge<G::Vertex, G::Edge>> = None;
    let mut found = Vec::new();
    loop {
        let (next_forward, next_backward) = (forward.next_weight(), backward.next_weight());
        let bound = best.as_ref().map_or(f64::INFINITY, |bridge| bridge.weight);
        if next_forward + next_backward >= bound || next_forward.is_infinite() || next_backward.is_infinite()
        {
            break;
        }
        let from_source = next_forward <= next_backward;
        let (side, other) = if from_source { (&mut forward, &backward) } else { (&mut backward, &forward) };
        let Some((vertex, weight)) = side.settle() else { break };
        expand(graph, vertex, from_source, &mut found)?;
        for &(edge, neighbor) in &found {
            let reached = weight + graph.weight(edge)?;
            if let Some(label) = other.labels.get(&neighbor) {
                let total = reached + label.weight;
                if best.as_ref().is_none_or(|bridge| total < bridge.weight) {
                    let (before, after) = if from_source { (vertex, neighbor) } else { (neighbor, vertex) };
                    best = Some(Bridge { weight: total, before, edge, after });
                }
            }
            side.improve(neighbor, reached, Some((edge, vertex)));
        }
    }
    Ok(best.map(|bridge| join(&forward, &backward, &bridge)))
}

fn join<V: Copy + Eq + Hash, E: Copy>(
    forward: &Side<V, E>,
    backward: &Side<V, E>,
    bridge: &Bridge<V, E>,
) -> Path<V, E> {
    let mut path = Path::start(bridge.before);
    forward.walk(bridge.before, |step| path.push(step));
    path.reverse();
    path.push((bridge.edge, bridge.after));
    backward.walk(bridge.after, |step| path.push(step));
    path.weight = bridge.weight;
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_graph::graphs;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_a_path_of_the_naive_weight(mut graph in graphs(9, 16), target in 0u32..9) {
            let expected = graph.naive_distances(0).get(&target).map(|&(_, weight)| weight);
            let path = weighted_shortest_path(&mut graph, 0, target).unwrap();
            prop_assert_eq!(path.as_ref().map(|path| path.weight), expected);
            if let Some(path) = path {
                graph.assert_path(&path, 0, target);
                prop_assert_eq!(graph.weight_of(&path.edges), path.weight);
            }
        }
    }
}
