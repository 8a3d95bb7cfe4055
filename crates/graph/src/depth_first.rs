//! Depth first traversal on an explicit stack.

use crate::path::Steps;
use crate::{Steer, TraversalOptions, UniqueEdges, UniqueVertices, Visit};

/// The neighbours of one vertex of the current path that have not been visited yet: a range of the shared buffer.
#[derive(Debug, Clone, Copy)]
struct Frame {
    begin: usize,
    next: usize,
}

/// A depth first traversal.
///
/// The stack of neighbours is one buffer: a frame begins where its parent's ends, so going back truncates it and
/// nothing is allocated once the buffer has grown.
#[derive(Debug)]
pub(crate) struct DepthFirst<V, E> {
    options: TraversalOptions,
    vertices: Vec<V>,
    edges: Vec<E>,
    frames: Vec<Frame>,
    pending: Vec<(E, V)>,
    start: Option<V>,
    /// The path on top has been visited but not expanded.
    expand_top: bool,
}

impl<V: Copy + Eq, E: Copy + Eq> DepthFirst<V, E> {
    pub(crate) fn new(start: V, options: TraversalOptions) -> Self {
        DepthFirst {
            options,
            vertices: Vec::new(),
            edges: Vec::new(),
            frames: Vec::new(),
            pending: Vec::new(),
            start: Some(start),
            expand_top: false,
        }
    }

    pub(crate) fn next<G>(&mut self, graph: &mut G) -> Result<Option<Visit<'_, V, E>>, G::Error>
    where
        G: Steer<Vertex = V, Edge = E>,
    {
        while self.advance(graph)? {
            if self.enter(graph)? {
                return Ok(Some(self.visit()));
            }
        }
        Ok(None)
    }

    /// Makes the next path the current one; false when all paths have been visited.
    fn advance<G: Steer<Vertex = V, Edge = E>>(&mut self, graph: &mut G) -> Result<bool, G::Error> {
        if let Some(start) = self.start.take() {
            self.vertices.push(start);
            return Ok(true);
        }
        if self.expand_top {
            self.expand_top = false;
            if let Some(&vertex) = self.vertices.last() {
                let begin = self.pending.len();
                graph.neighbors(vertex, self.edges.len(), &mut self.pending)?;
                self.frames.push(Frame { begin, next: begin });
            }
        } else {
            self.leave();
        }
        while let Some(frame) = self.frames.last_mut() {
            match self.pending.get(frame.next).copied() {
                Some((edge, vertex)) => {
                    frame.next += 1;
                    if self.may_step(edge, vertex) {
                        self.vertices.push(vertex);
                        self.edges.push(edge);
                        return Ok(true);
                    }
                }
                None => {
                    let begin = frame.begin;
                    self.pending.truncate(begin);
                    self.frames.pop();
                    self.leave();
                }
            }
        }
        Ok(false)
    }

    fn leave(&mut self) {
        self.vertices.pop();
        self.edges.pop();
    }

    fn may_step(&self, edge: E, vertex: V) -> bool {
        (self.options.unique_edges == UniqueEdges::None || !self.edges.contains(&edge))
            && (self.options.unique_vertices == UniqueVertices::None || !self.vertices.contains(&vertex))
    }

    /// Asks for a decision on the current path; true when it is to be emitted.
    fn enter<G: Steer<Vertex = V, Edge = E>>(&mut self, graph: &mut G) -> Result<bool, G::Error> {
        let decision = graph.decide(&self.visit())?;
        let (grows, is_result) = self.options.judge(decision, self.edges.len());
        self.expand_top = grows;
        Ok(is_result)
    }

    fn visit(&self) -> Visit<'_, V, E> {
        Visit {
            depth: self.edges.len(),
            vertex: self.vertices[self.vertices.len() - 1],
            edge: self.edges.last().copied(),
            steps: Steps::Stack { vertices: &self.vertices, edges: &self.edges },
        }
    }
}
