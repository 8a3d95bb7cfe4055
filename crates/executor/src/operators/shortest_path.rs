//! ShortestPath: one path from a start to a target vertex, a row for each vertex on it.

use persea_graph::{shortest_path, weighted_shortest_path};
use persea_order::Value;
use persea_planner::plan::{self, VarId};

use super::graph_source::{EdgeId, GraphReader, Weights, vertex_id};
use super::{BoxedOperator, Live, Operator, parameters};
use crate::Error;
use crate::batch::{BATCH_ROWS, Batch, Register};
use crate::expression::{Compiled, Compiler};
use crate::runtime::Runtime;

/// A vertex of a path, and the edge that led there.
type Step<'q> = (u32, &'q str, Option<EdgeId>);

/// See the head of this file.
pub(crate) struct ShortestPath<'q> {
    input: BoxedOperator<'q>,
    runtime: &'q Runtime,
    ends: [Compiled<'q>; 2],
    reader: GraphReader<'q>,
    is_weighted: bool,
    vertex_out: Option<Register>,
    edge_out: Option<Register>,
    passed: Live,
    live: Live,
    current: Option<(Batch<'q>, Batch<'q>)>,
    row: usize,
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
            input,
            runtime,
            ends: [compiler.compile(&node.start), compiler.compile(&node.target)],
            reader: GraphReader::new(runtime, &node.graph, &[], weights)?,
            is_weighted: node.weight_attribute.is_some(),
            vertex_out: node.vertex_out.map(VarId::index),
            edge_out: node.edge_out.map(VarId::index),
            passed,
            live,
            current: None,
            row: 0,
        })
    }

    /// The steps of the path of the current row.
    fn steps(&mut self, ends: &Batch<'q>, out: &mut Vec<Step<'q>>) -> Result<(), Error> {
        let start = vertex_id(ends.value(0, self.row), "Shortest Path", self.runtime)?;
        let target = vertex_id(ends.value(1, self.row), "Shortest Path", self.runtime)?;
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
                path.vertices.into_iter().zip(edges).map(|(vertex, edge)| (self.row as u32, vertex, edge)),
            );
        }
        Ok(())
    }
}

impl<'q> Operator<'q> for ShortestPath<'q> {
    fn next(&mut self, wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        loop {
            let (source, ends) = match self.current.take() {
                Some(current) => current,
                None => match self.input.next(wanted)? {
                    Some(source) => {
                        self.row = 0;
                        let ends = parameters(&source, &self.ends, self.runtime)?;
                        (source, ends)
                    }
                    None => return Ok(None),
                },
            };
            self.runtime.check()?;
            let mut steps: Vec<Step<'q>> = Vec::new();
            while self.row < source.len() && steps.len() < wanted.min(BATCH_ROWS) {
                self.steps(&ends, &mut steps)?;
                self.row += 1;
            }
            let mut batch = Batch::new(&self.runtime.memory);
            let rows: Vec<u32> = steps.iter().map(|(row, ..)| *row).collect();
            batch.gather(&source, &rows, &self.passed);
            if let Some(register) = self.vertex_out {
                batch.fill(register, |_, column| {
                    for (_, vertex, _) in &steps {
                        column.push(self.reader.vertex(vertex)?);
                    }
                    Ok(())
                })?;
            }
            if let Some(register) = self.edge_out {
                batch.fill(register, |_, column| {
                    for (_, _, edge) in &steps {
                        column.push(match edge {
                            Some(edge) => self.reader.edge(*edge)?,
                            None => Value::NULL,
                        });
                    }
                    Ok(())
                })?;
            }
            if self.row < source.len() {
                self.current = Some((source, ends));
            }
            if !batch.is_empty() {
                batch.keep_columns(&self.live);
                return Ok(Some(batch));
            }
        }
    }

    fn rewind(&mut self) {
        self.current = None;
        self.input.rewind();
    }
}
