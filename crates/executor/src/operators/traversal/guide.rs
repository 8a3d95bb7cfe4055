//! What steers the search of a traversal: conditions, PRUNE, and the vertex collections it is confined to.

use persea_graph::{Decision, Neighbors, Steer, Visit};
use persea_order::Value;
use persea_planner::plan::{self, PathDepth, PathParts, VarId};
use persea_vpack::VPackBuf;

use crate::Error;
use crate::batch::{Batch, Register};
use crate::expression::{Compiled, Compiler};
use crate::operators::graph_source::{EdgeId, GraphReader};
use crate::operators::path_values::{PathWeights, path_value};
use crate::operators::{Live, evaluator};
use crate::runtime::Runtime;

/// A condition on the edges or vertices at a depth.
pub(super) struct Condition<'q> {
    depth: PathDepth,
    on_edge: bool,
    element: Register,
    condition: Compiled<'q>,
}

/// See [`plan::Prune`].
pub(super) struct Prune<'q> {
    condition: Compiled<'q>,
    vertex: Option<Register>,
    edge: Option<Register>,
    path: Option<Register>,
    pub(super) out: Option<Register>,
}

/// What steers the search, whatever the row.
pub(super) struct Rules<'q> {
    pub(super) runtime: &'q Runtime,
    conditions: Vec<Condition<'q>>,
    pub(super) prune: Option<Prune<'q>>,
    /// Names of the vertex collections paths may lead through; any if empty.
    vertex_collections: &'q [std::sync::Arc<str>],
    /// Variables of the surrounding row that conditions read.
    captures: Live,
}

impl<'q> Rules<'q> {
    pub(super) fn compile(
        node: &'q plan::TraversalNode,
        runtime: &'q Runtime,
        compiler: Compiler<'q>,
        captures: Live,
    ) -> Self {
        let register = |var: Option<VarId>| var.map(VarId::index);
        Rules {
            runtime,
            conditions: node
                .conditions
                .iter()
                .map(|condition| Condition {
                    depth: condition.depth,
                    on_edge: condition.on_edge,
                    element: condition.element.index(),
                    condition: compiler.compile(&condition.condition),
                })
                .collect(),
            prune: node.prune.as_ref().map(|prune| Prune {
                condition: compiler.compile(&prune.condition),
                vertex: register(prune.vertex),
                edge: register(prune.edge),
                path: register(prune.path),
                out: register(prune.out),
            }),
            vertex_collections: &node.options.vertex_collections,
            captures,
        }
    }
}

/// Steers the search of one row.
pub(super) struct Guide<'g, 'q> {
    pub(super) rules: &'g Rules<'q>,
    pub(super) reader: &'g mut GraphReader<'q>,
    pub(super) source: &'g Batch<'q>,
    pub(super) row: usize,
    /// The value of the PRUNE condition for the path visited last.
    pub(super) prune_value: Option<VPackBuf>,
}

impl<'q> Guide<'_, 'q> {
    /// Which of the documents satisfy a condition.
    fn select(&self, condition: &Condition<'q>, documents: Vec<Value<'q>>) -> Result<Vec<u32>, Error> {
        let runtime = self.rules.runtime;
        let mut batch = Batch::new(&runtime.memory);
        let len = documents.len();
        batch.repeat(self.source, self.row, len, &self.rules.captures);
        batch.fill(condition.element, |_, column| {
            *column = documents;
            Ok(())
        })?;
        let mut rows: Vec<u32> = (0..len as u32).collect();
        batch.write(&[], |scope, _| evaluator(scope, runtime).select(&condition.condition, &mut rows))?;
        runtime.counters.filtered.add(len - rows.len());
        Ok(rows)
    }

    /// Removes the steps found from `from` on that a condition excludes.
    fn retain(
        &mut self,
        condition: &Condition<'q>,
        from: usize,
        out: &mut Vec<(EdgeId, &'q str)>,
    ) -> Result<(), Error> {
        let mut documents = Vec::with_capacity(out.len() - from);
        for &(edge, vertex) in &out[from..] {
            documents.push(if condition.on_edge {
                self.reader.edge(edge)?
            } else {
                self.reader.vertex(vertex)?
            });
        }
        let kept = self.select(condition, documents)?;
        for (to, &position) in kept.iter().enumerate() {
            out[from + to] = out[from + position as usize];
        }
        out.truncate(from + kept.len());
        Ok(())
    }

    fn is_allowed(&self, vertex: &str) -> bool {
        let names = self.rules.vertex_collections;
        names.is_empty()
            || vertex
                .split_once('/')
                .is_some_and(|(collection, _)| names.iter().any(|name| **name == *collection))
    }

    /// The value of the PRUNE condition.
    fn prune(&mut self, prune: &Prune<'q>, visit: &Visit<'_, &'q str, EdgeId>) -> Result<bool, Error> {
        let runtime = self.rules.runtime;
        let mut batch = Batch::new(&runtime.memory);
        batch.repeat(self.source, self.row, 1, &self.rules.captures);
        batch.set_len(1);
        if let Some(register) = prune.vertex {
            let vertex = self.reader.vertex(visit.vertex())?;
            batch.fill(register, |_, column| {
                column.push(vertex);
                Ok(())
            })?;
        }
        if let Some(register) = prune.edge {
            let edge = match visit.edge() {
                Some(edge) => self.reader.edge(edge)?,
                None => Value::NULL,
            };
            batch.fill(register, |_, column| {
                column.push(edge);
                Ok(())
            })?;
        }
        if let Some(register) = prune.path {
            let (mut vertices, mut edges, mut weights) = (Vec::new(), Vec::new(), Vec::new());
            visit.vertices_into(&mut vertices);
            visit.edges_into(&mut edges);
            visit.weights_into(&mut weights);
            batch.fill(register, |scope, column| {
                column.push(path_value(
                    self.reader,
                    &vertices,
                    &edges,
                    PathWeights::Each(&weights),
                    PathParts::ALL,
                    scope.arena(),
                    &runtime.env,
                )?);
                Ok(())
            })?;
        }
        let (holds, value) = batch.write(&[], |scope, _| {
            let value = evaluator(scope, runtime).evaluate_row(&prune.condition, 0)?;
            let kept = match prune.out {
                Some(_) => Some(value.to_vpack()?),
                None => None,
            };
            Ok((value.is_truthy(), kept))
        })?;
        self.prune_value = value;
        Ok(holds)
    }
}

fn concerns(condition: &Condition<'_>, on_edge: bool, position: usize) -> bool {
    condition.on_edge == on_edge
        && match condition.depth {
            PathDepth::At(depth) => depth == position as u64,
            PathDepth::Every => true,
        }
}

impl<'q> Neighbors for Guide<'_, 'q> {
    type Vertex = &'q str;
    type Edge = EdgeId;
    type Error = Error;

    fn neighbors(
        &mut self,
        vertex: &'q str,
        depth: usize,
        out: &mut Vec<(EdgeId, &'q str)>,
    ) -> Result<(), Error> {
        let from = out.len();
        self.reader.neighbors(vertex, depth, out)?;
        if !self.rules.vertex_collections.is_empty() {
            let mut kept = from;
            for position in from..out.len() {
                if self.is_allowed(out[position].1) {
                    out[kept] = out[position];
                    kept += 1;
                }
            }
            out.truncate(kept);
        }
        let rules = self.rules;
        for condition in &rules.conditions {
            let is_concerned = concerns(condition, true, depth) || concerns(condition, false, depth + 1);
            if out.len() > from && is_concerned {
                self.retain(condition, from, out)?;
            }
        }
        Ok(())
    }

    fn predecessors(&mut self, vertex: &'q str, out: &mut Vec<(EdgeId, &'q str)>) -> Result<(), Error> {
        self.reader.predecessors(vertex, out)
    }

    fn weight(&mut self, edge: EdgeId) -> Result<f64, Error> {
        self.reader.weight(edge)
    }
}

impl<'q> Steer for Guide<'_, 'q> {
    fn decide(&mut self, visit: &Visit<'_, &'q str, EdgeId>) -> Result<Decision, Error> {
        let rules = self.rules;
        if visit.depth() == 0 {
            for condition in rules.conditions.iter().filter(|condition| concerns(condition, false, 0)) {
                let start = self.reader.vertex(visit.vertex())?;
                if self.select(condition, vec![start])?.is_empty() {
                    return Ok(Decision::Discard);
                }
            }
        }
        match &rules.prune {
            Some(prune) if self.prune(prune, visit)? => Ok(Decision::Prune),
            _ => Ok(Decision::Keep),
        }
    }
}
