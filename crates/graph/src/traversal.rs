//! Traversals: one type over the three orders.

use crate::breadth_first::BreadthFirst;
use crate::depth_first::DepthFirst;
use crate::weighted::Weighted;
use crate::{Error, Order, Steer, TraversalOptions, Visit};

/// An enumeration of the paths that begin at one vertex.
///
/// It holds no reference to the graph: each call of [`Traversal::next`] lends it one, so the graph can be used
/// in between.
#[derive(Debug)]
pub struct Traversal<V, E> {
    search: Search<V, E>,
}

#[derive(Debug)]
enum Search<V, E> {
    DepthFirst(DepthFirst<V, E>),
    BreadthFirst(BreadthFirst<V, E>),
    Weighted(Weighted<V, E>),
}

impl<V: Copy + Eq + std::hash::Hash, E: Copy + Eq + std::hash::Hash> Traversal<V, E> {
    /// Prepares a traversal from `start`.
    ///
    /// # Errors
    /// When the options contradict each other, see [`TraversalOptions::validate`].
    pub fn new(start: V, options: TraversalOptions) -> Result<Self, Error> {
        options.validate()?;
        let search = match options.order {
            Order::DepthFirst => Search::DepthFirst(DepthFirst::new(start, options)),
            Order::BreadthFirst => Search::BreadthFirst(BreadthFirst::new(start, options)),
            Order::Weighted => Search::Weighted(Weighted::new(start, options)),
        };
        Ok(Traversal { search })
    }

    /// Goes on to the next path; `None` when there is none left.
    ///
    /// # Errors
    /// What the graph fails with. The traversal should be dropped then.
    pub fn next<G>(&mut self, graph: &mut G) -> Result<Option<Visit<'_, V, E>>, G::Error>
    where
        G: Steer<Vertex = V, Edge = E>,
    {
        match &mut self.search {
            Search::DepthFirst(search) => search.next(graph),
            Search::BreadthFirst(search) => search.next(graph),
            Search::Weighted(search) => search.next(graph),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_graph::{TestGraph, graphs, naive_traversal};
    use crate::{UniqueEdges, UniqueVertices};
    use proptest::prelude::*;

    fn run(graph: &mut TestGraph, options: TraversalOptions) -> Vec<Vec<u32>> {
        let mut traversal = Traversal::new(0, options).unwrap();
        let mut paths = Vec::new();
        let mut edges = Vec::new();
        while let Some(visit) = traversal.next(graph).unwrap() {
            visit.edges_into(&mut edges);
            assert_eq!(edges.len(), visit.depth());
            paths.push(edges.clone());
        }
        paths
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn every_order_finds_the_same_paths_as_the_naive_search(
            mut graph in graphs(6, 9),
            min in 0usize..3,
            more in 0usize..3,
            unique_vertices in 0..2,
            unique_edges in 0..2,
        ) {
            let mut options = TraversalOptions {
                min_depth: min,
                max_depth: min + more,
                order: Order::DepthFirst,
                unique_vertices: if unique_vertices == 0 { UniqueVertices::None } else { UniqueVertices::Path },
                unique_edges: if unique_edges == 0 { UniqueEdges::None } else { UniqueEdges::Path },
            };
            let mut expected = naive_traversal(&graph, &options);
            expected.sort();
            for order in [Order::DepthFirst, Order::BreadthFirst, Order::Weighted] {
                options.order = order;
                let mut paths = run(&mut graph, options);
                if order == Order::BreadthFirst {
                    prop_assert!(paths.windows(2).all(|pair| pair[0].len() <= pair[1].len()));
                }
                if order == Order::Weighted {
                    let weights: Vec<f64> = paths.iter().map(|path| graph.weight_of(path)).collect();
                    prop_assert!(weights.windows(2).all(|pair| pair[0] <= pair[1]));
                }
                paths.sort();
                prop_assert_eq!(&paths, &expected);
            }
        }

        #[test]
        fn global_uniqueness_reaches_each_vertex_once(mut graph in graphs(8, 16), weighted in any::<bool>()) {
            let options = TraversalOptions {
                min_depth: 0,
                max_depth: 100,
                order: if weighted { Order::Weighted } else { Order::BreadthFirst },
                unique_vertices: UniqueVertices::Global,
                unique_edges: UniqueEdges::Path,
            };
            let paths = run(&mut graph, options);
            let mut reached: Vec<u32> = paths.iter().map(|path| graph.end_of(0, path)).collect();
            for path in &paths {
                let target = graph.end_of(0, path);
                let (steps, weight) = graph.naive_distances(0)[&target];
                if weighted {
                    prop_assert_eq!(graph.weight_of(path), weight);
                } else {
                    prop_assert_eq!(path.len(), steps);
                }
            }
            reached.sort_unstable();
            let mut expected: Vec<u32> = graph.naive_distances(0).into_keys().collect();
            expected.sort_unstable();
            prop_assert_eq!(reached, expected);
        }
    }

    #[test]
    fn options_that_contradict_each_other_are_refused() {
        let options =
            TraversalOptions { unique_vertices: UniqueVertices::Global, ..TraversalOptions::default() };
        assert_eq!(Traversal::<u32, u32>::new(0, options).unwrap_err(), Error::GlobalUniquenessNeedsOrder);
        let options = TraversalOptions { min_depth: 3, max_depth: 2, ..TraversalOptions::default() };
        assert_eq!(Traversal::<u32, u32>::new(0, options).unwrap_err(), Error::DepthRange { min: 3, max: 2 });
    }

    #[test]
    fn pruning_emits_the_path_and_goes_no_deeper() {
        for order in [Order::DepthFirst, Order::BreadthFirst, Order::Weighted] {
            let mut graph = TestGraph::new(&[(0, 1), (1, 2), (0, 3), (3, 4)]);
            graph.pruned = vec![1];
            let options = TraversalOptions { max_depth: 5, order, ..TraversalOptions::default() };
            let mut ends: Vec<u32> =
                run(&mut graph, options).iter().map(|path| graph.end_of(0, path)).collect();
            ends.sort_unstable();
            assert_eq!(ends, [1, 3, 4]);
        }
    }

    #[test]
    fn the_deepest_vertices_are_not_expanded() {
        for order in [Order::DepthFirst, Order::BreadthFirst, Order::Weighted] {
            let mut graph = TestGraph::new(&[(0, 1), (0, 2), (1, 3), (2, 3)]);
            let options = TraversalOptions { order, ..TraversalOptions::default() };
            assert_eq!(run(&mut graph, options).len(), 2);
            assert_eq!(graph.expansions, 1);
        }
    }
}
