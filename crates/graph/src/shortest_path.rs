//! One shortest path by number of edges: breadth first from both ends.

use std::hash::Hash;

use crate::neighbors::{PathOf, expand};
use crate::{Map, Neighbors, Path};

/// A found edge and the vertex at its other end.
type Step<V, E> = (E, V);

/// What one end of the search has reached.
struct Side<V, E> {
    /// For each vertex reached the step back towards the end the side started from; none for that end itself.
    back: Map<V, Option<Step<V, E>>>,
    frontier: Vec<V>,
}

impl<V: Copy + Eq + Hash, E: Copy> Side<V, E> {
    fn new(start: V) -> Self {
        let mut back = Map::default();
        back.insert(start, None);
        Side { back, frontier: vec![start] }
    }

    /// Follows the steps back from `from`; calls `visit` with each.
    fn walk(&self, from: V, mut visit: impl FnMut(Step<V, E>)) {
        let mut vertex = from;
        while let Some(Some(step)) = self.back.get(&vertex) {
            visit(*step);
            vertex = step.1;
        }
    }
}

/// Finds a path with as few edges as possible; `None` when there is none.
///
/// Both ends are searched level by level, the side with the smaller frontier first, so that far fewer vertices are
/// read than from one end alone.
///
/// # Errors
/// What the graph fails with.
pub fn shortest_path<G: Neighbors>(
    graph: &mut G,
    source: G::Vertex,
    target: G::Vertex,
) -> Result<Option<PathOf<G>>, G::Error> {
    if source == target {
        return Ok(Some(Path::start(source)));
    }
    let mut forward = Side::new(source);
    let mut backward = Side::new(target);
    let mut found = Vec::new();
    while !forward.frontier.is_empty() && !backward.frontier.is_empty() {
        let from_source = forward.frontier.len() <= backward.frontier.len();
        let (side, other) = if from_source { (&mut forward, &backward) } else { (&mut backward, &forward) };
        // All vertices nearer than the two frontiers are known and none is shared, so the first one met
        // lies on a shortest path.
        let mut frontier = Vec::new();
        for vertex in std::mem::take(&mut side.frontier) {
            expand(graph, vertex, from_source, &mut found)?;
            for &(edge, neighbor) in &found {
                if side.back.contains_key(&neighbor) {
                    continue;
                }
                side.back.insert(neighbor, Some((edge, vertex)));
                if other.back.contains_key(&neighbor) {
                    return Ok(Some(join(&forward, &backward, neighbor)));
                }
                frontier.push(neighbor);
            }
        }
        side.frontier = frontier;
    }
    Ok(None)
}

/// The path through the vertex where both sides met.
fn join<V: Copy + Eq + Hash, E: Copy>(forward: &Side<V, E>, backward: &Side<V, E>, meeting: V) -> Path<V, E> {
    let mut path = Path::start(meeting);
    forward.walk(meeting, |step| path.push(step));
    path.reverse();
    backward.walk(meeting, |step| path.push(step));
    path.weight = path.edges.len() as f64;
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_graph::{TestGraph, graphs};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_a_path_of_the_naive_length(mut graph in graphs(9, 14), target in 0u32..9) {
            let expected = graph.naive_distances(0).get(&target).map(|&(steps, _)| steps);
            let path = shortest_path(&mut graph, 0, target).unwrap();
            prop_assert_eq!(path.as_ref().map(|path| path.edges.len()), expected);
            if let Some(path) = path {
                graph.assert_path(&path, 0, target);
            }
        }
    }

    #[test]
    fn reads_little_of_a_long_star() {
        // 0 is the centre of a large star, 1 hangs on one of its rays: searching from both ends reads three vertices.
        let mut edges: Vec<(u32, u32)> = (2..1000).map(|ray| (0, ray)).collect();
        edges.push((500, 1));
        let mut graph = TestGraph::new(&edges);
        let path = shortest_path(&mut graph, 0, 1).unwrap().unwrap();
        assert_eq!(path.vertices, [0, 500, 1]);
        assert!(graph.expansions <= 3, "{} expansions", graph.expansions);
    }
}
