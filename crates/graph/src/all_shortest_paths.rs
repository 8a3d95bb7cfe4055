//! All paths with the least number of edges.

use std::hash::Hash;

use crate::neighbors::expand;
use crate::{Map, Neighbors, Path};

/// What one end of the search has reached: the depth of each vertex, and every step back to the level before.
#[derive(Debug)]
struct Side<V, E> {
    depth: usize,
    reached: Map<V, (usize, Vec<(E, V)>)>,
    frontier: Vec<V>,
}

impl<V: Copy + Eq + Hash, E: Copy> Side<V, E> {
    fn new(start: V) -> Self {
        let mut reached = Map::default();
        reached.insert(start, (0, Vec::new()));
        Side { depth: 0, reached, frontier: vec![start] }
    }

    fn steps(&self, vertex: V) -> &[(E, V)] {
        self.reached.get(&vertex).map_or(&[], |(_, steps)| steps)
    }

    /// Records a step from a vertex of the frontier; true when `neighbor` is new.
    fn add(&mut self, vertex: V, edge: E, neighbor: V) -> bool {
        let depth = self.depth;
        let mut is_new = false;
        let (reached_at, steps) = self.reached.entry(neighbor).or_insert_with(|| {
            is_new = true;
            (depth, Vec::new())
        });
        if *reached_at == depth {
            steps.push((edge, vertex));
        }
        is_new
    }
}

/// An enumeration of all paths of least length between two vertices.
///
/// The graph is read when it is made; the paths, of which there can be very many, are put together one at a time.
#[derive(Debug)]
pub struct AllShortestPaths<V, E> {
    forward: Side<V, E>,
    backward: Side<V, E>,
    /// The vertices where the sides met: each path runs through exactly one of them.
    meetings: Vec<V>,
    meeting: usize,
    /// The choice made at each step from the meeting to the source, then from the meeting to the target.
    choices: Vec<usize>,
    started: bool,
}

impl<V: Copy + Eq + Hash, E: Copy> AllShortestPaths<V, E> {
    /// Searches the graph from both ends until they meet.
    ///
    /// # Errors
    /// What the graph fails with.
    pub fn new<G>(graph: &mut G, source: V, target: V) -> Result<Self, G::Error>
    where
        G: Neighbors<Vertex = V, Edge = E>,
    {
        let mut paths = AllShortestPaths {
            forward: Side::new(source),
            backward: Side::new(target),
            meetings: if source == target { vec![source] } else { Vec::new() },
            meeting: 0,
            choices: Vec::new(),
            started: false,
        };
        let mut found = Vec::new();
        while paths.meetings.is_empty()
            && !paths.forward.frontier.is_empty()
            && !paths.backward.frontier.is_empty()
        {
            paths.search_level(graph, &mut found)?;
        }
        Ok(paths)
    }

    /// Reads one whole level of the side with the smaller frontier.
    fn search_level<G>(&mut self, graph: &mut G, found: &mut Vec<(E, V)>) -> Result<(), G::Error>
    where
        G: Neighbors<Vertex = V, Edge = E>,
    {
        let from_source = self.forward.frontier.len() <= self.backward.frontier.len();
        let (side, other) = if from_source {
            (&mut self.forward, &self.backward)
        } else {
            (&mut self.backward, &self.forward)
        };
        side.depth += 1;
        let mut frontier = Vec::new();
        for vertex in std::mem::take(&mut side.frontier) {
            expand(graph, vertex, from_source, found)?;
            for &(edge, neighbor) in found.iter() {
                if side.add(vertex, edge, neighbor) {
                    frontier.push(neighbor);
                    if other.reached.contains_key(&neighbor) {
                        self.meetings.push(neighbor);
                    }
                }
            }
        }
        side.frontier = frontier;
        Ok(())
    }

    /// Goes on to the next path; `None` when there is none left.
    pub fn next_path(&mut self) -> Option<Path<V, E>> {
        if self.started {
            self.next_choices();
        } else {
            self.started = true;
            self.choices = vec![0; self.forward.depth + self.backward.depth];
        }
        let meeting = *self.meetings.get(self.meeting)?;
        let mut path = Path::start(meeting);
        let (to_source, to_target) = self.choices.split_at(self.forward.depth);
        follow(&self.forward, meeting, to_source, |step| path.push(step));
        path.reverse();
        follow(&self.backward, meeting, to_target, |step| path.push(step));
        path.weight = path.edges.len() as f64;
        Some(path)
    }

    /// Turns to the next combination of choices, or to the next meeting when they are used up.
    fn next_choices(&mut self) {
        let Some(&meeting) = self.meetings.get(self.meeting) else { return };
        let split = self.forward.depth;
        if next_in(&self.backward, meeting, &mut self.choices[split..]) {
            return;
        }
        self.choices[split..].fill(0);
        if next_in(&self.forward, meeting, &mut self.choices[..split]) {
            return;
        }
        self.choices.fill(0);
        self.meeting += 1;
    }
}

/// Walks from `from` to the end of a side, taking the given choice at each step.
fn follow<V: Copy + Eq + Hash, E: Copy>(
    side: &Side<V, E>,
    from: V,
    choices: &[usize],
    mut visit: impl FnMut((E, V)),
) {
    let mut vertex = from;
    for &choice in choices {
        if let Some(&step) = side.steps(vertex).get(choice) {
            visit(step);
            vertex = step.1;
        }
    }
}

/// Advances the choices like an odometer whose wheels have as many digits as there are steps; false after the last.
fn next_in<V: Copy + Eq + Hash, E: Copy>(side: &Side<V, E>, from: V, choices: &mut [usize]) -> bool {
    let mut widths = Vec::with_capacity(choices.len());
    let mut vertex = from;
    for &choice in choices.iter() {
        let steps = side.steps(vertex);
        widths.push(steps.len());
        if let Some(&(_, next)) = steps.get(choice) {
            vertex = next;
        }
    }
    for wheel in (0..choices.len()).rev() {
        choices[wheel] += 1;
        if choices[wheel] < widths[wheel] {
            return true;
        }
        choices[wheel] = 0;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_graph::{TestGraph, graphs, naive_simple_paths};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_exactly_the_shortest_of_all_simple_paths(mut graph in graphs(6, 12), target in 0u32..6) {
            let all = naive_simple_paths(&graph, 0, target, 10);
            let least = all.iter().map(Vec::len).min();
            let mut expected: Vec<Vec<u32>> = all.into_iter().filter(|path| Some(path.len()) == least).collect();
            expected.sort();
            let mut paths = AllShortestPaths::new(&mut graph, 0, target).unwrap();
            let mut found = Vec::new();
            while let Some(path) = paths.next_path() {
                graph.assert_path(&path, 0, target);
                found.push(path.edges);
            }
            found.sort();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn parallel_edges_make_different_paths() {
        let mut graph = TestGraph::new(&[(0, 1), (0, 1), (1, 2), (1, 2), (1, 2)]);
        let mut paths = AllShortestPaths::new(&mut graph, 0, 2).unwrap();
        let mut count = 0;
        while paths.next_path().is_some() {
            count += 1;
        }
        assert_eq!(count, 6);
    }
}
