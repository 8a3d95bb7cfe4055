//! ShortestPath: one path from a start to a target vertex, a row for each vertex on it.

use persea_graph::{shortest_path, weighted_shortest_path};
use persea_planner::plan::{self, VarId};

use super::graph_source::{EdgeId, GraphReader, Weights, vertex_id};
use super::outer_rows::OuterRows;
use super::{BoxedOperator, Live, Operator, parameters};
use crate::Error;
use crate::batch::{BATCH_ROWS, Batch, Register};
use crate::expression::{Compiled, Compiler};
use crate::runtime::Runtime;

/// A vertex of a path, and the edge that led there.
type Step<'q> = (u32, &'q str, Option<EdgeId>);

/// See the head of this file.
pub(crate) struct ShortestPath<'q> {
    outer: OuterRows<'q, Batch<'q>>,
    runtime: &'q Runtime,
    ends: [Compiled<'q>; 2],
    reader: GraphReader<'q>,
    is_weighted: bool,
    vertex_out: Option<Register>,
    edge_out: Option<Register>,
    passed: Live,
    live: Live,
}

impl<'q> ShortestPath<'q> {
    pub(crate) fn new(
        input: BoxedOperator<'q>,
        runtime: &'q Runtime,
        node: &'q plan::ShortestPathNode,
        compiler: Compiler<'q>,
        passed: Live,
        live: Live,
    ) -> Result<Self, Error> {
        let weights = Weights { attribute: node.weight_attribute.as_deref(), default: node.default_weight };
        Ok(ShortestPath {
            outer: OuterRows::new(input, runtime),
            runtime,
            ends: [compiler.compile(&node.start), compiler.compile(&node.target)],
            reader: GraphReader::new(runtime, &node.graph, &[], weights)?,
            is_weighted: node.weight_attribute.is_some(),
            vertex_out: node.vertex_out.map(VarId::index),
            edge_out: node.edge_out.map(VarId::index),
            passed,
            live,
        })
    }

    /// The steps of the path of the current row.
    fn steps(&mut self, ends: &Batch<'q>, out: &mut Vec<Step<'q>>) -> Result<(), Error> {
        let start = vertex_id(ends.value(0, self.outer.row), "Shortest Path", self.runtime)?;
        let target = vertex_id(ends.value(1, self.outer.row), "Shortest Path", self.runtime)?;
        let (Some(start), Some(target)) = (start, target) else { return Ok(()) };
        self.reader.begin_search()?;
        let found = if self.is_weighted {
            weighted_shortest_path(&mut self.reader, start, target)?
        } else {
            shortest_path(&mut self.reader, start, target)?
        };
        if let Some(path) = found {
            let edges = std::iter::once(None).chain(path.edges.into_iter().map(Some));
            out.extend(
                path.vertices
                    .into_iter()
                    .zip(edges)
                    .map(|(vertex, edge)| (self.outer.row as u32, vertex, edge)),
            );
        }
        Ok(())
    }
}

impl<'q> Operator<'q> for ShortestPath<'q> {
    fn next(&mut self, wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        while let Some((source, ends)) =
            self.outer.take(wanted, |source| parameters(source, &self.ends, self.runtime))?
        {
            let mut steps: Vec<Step<'q>> = Vec::new();
            while self.outer.row < source.len() && steps.len() < wanted.min(BATCH_ROWS) {
                self.steps(&ends, &mut steps)?;
                self.outer.row += 1;
            }
            let mut batch = Batch::new(&self.runtime.memory);
            let rows: Vec<u32> = steps.iter().map(|(row, ..)| *row).collect();
            batch.gather(&source, &rows, &self.passed);
            if let Some(register) = self.vertex_out {
                self.reader.fill_vertices(
                    &mut batch,
                    register,
                    steps.iter().map(|(_, vertex, _)| *vertex),
                )?;
            }
            if let Some(register) = self.edge_out {
                self.reader.fill_edges(&mut batch, register, steps.iter().map(|(.., edge)| *edge))?;
            }
            self.outer.put_back(source, ends);
            if !batch.is_empty() {
                batch.keep_columns(&self.live);
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    fn rewind(&mut self) {
        self.outer.rewind();
    }
}
