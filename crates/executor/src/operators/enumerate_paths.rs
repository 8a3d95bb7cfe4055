//! EnumeratePaths: several paths from a start to a target vertex, a row for each path.

use persea_graph::{AllShortestPaths, KPaths, KShortestPaths, Path};
use persea_planner::plan::{self, PathParts, PathsKind, VarId};

use super::graph_source::{EdgeId, GraphReader, Weights, vertex_id};
use super::outer_rows::OuterRows;
use super::path_values::{PathWeights, path_value};
use super::{BoxedOperator, Live, Operator, parameters};
use crate::Error;
use crate::batch::{BATCH_ROWS, Batch, Register};
use crate::expression::{Compiled, Compiler};
use crate::runtime::Runtime;

/// An enumeration under way.
enum Search<'q> {
    KShortest(Box<KShortestPaths<&'q str, EdgeId>>),
    KPaths(Box<KPaths<&'q str, EdgeId>>),
    AllShortest(Box<AllShortestPaths<&'q str, EdgeId>>),
}

impl<'q> Search<'q> {
    fn next(&mut self, reader: &mut GraphReader<'q>) -> Result<Option<Path<&'q str, EdgeId>>, Error> {
        match self {
            Search::KShortest(search) => search.next_path(reader),
            Search::KPaths(search) => search.next_path(reader),
            Search::AllShortest(search) => Ok(search.next_path()),
        }
    }
}

/// See the head of this file.
pub(crate) struct EnumeratePaths<'q> {
    outer: OuterRows<'q, Batch<'q>>,
    runtime: &'q Runtime,
    kind: PathsKind,
    ends: [Compiled<'q>; 2],
    min_depth: usize,
    max_depth: usize,
    is_weighted: bool,
    reader: GraphReader<'q>,
    path_out: Option<Register>,
    path_parts: PathParts,
    passed: Live,
    live: Live,
    search: Option<Search<'q>>,
}

impl<'q> EnumeratePaths<'q> {
    pub(crate) fn new(
        input: BoxedOperator<'q>,
        runtime: &'q Runtime,
        node: &'q plan::EnumeratePathsNode,
        compiler: Compiler<'q>,
        passed: Live,
        live: Live,
    ) -> Result<Self, Error> {
        let depth = |depth: u64| usize::try_from(depth).unwrap_or(usize::MAX);
        let weights = Weights { attribute: node.weight_attribute.as_deref(), default: node.default_weight };
        Ok(EnumeratePaths {
            outer: OuterRows::new(input, runtime),
            runtime,
            kind: node.kind,
            ends: [compiler.compile(&node.start), compiler.compile(&node.target)],
            min_depth: depth(node.min_depth),
            max_depth: depth(node.max_depth),
            is_weighted: node.weight_attribute.is_some(),
            reader: GraphReader::new(runtime, &node.graph, &[], weights)?,
            path_out: node.path_out.map(VarId::index),
            path_parts: node.path_parts,
            passed,
            live,
            search: None,
        })
    }

    /// Begins the search of the current row, if its ends are vertices.
    fn open(&mut self, ends: &Batch<'q>) -> Result<Option<Search<'q>>, Error> {
        let start = vertex_id(ends.value(0, self.outer.row), "Shortest Path", self.runtime)?;
        let target = vertex_id(ends.value(1, self.outer.row), "Shortest Path", self.runtime)?;
        let (Some(start), Some(target)) = (start, target) else { return Ok(None) };
        self.reader.begin_search()?;
        Ok(Some(match self.kind {
            PathsKind::KShortestPaths if self.is_weighted => {
                Search::KShortest(Box::new(KShortestPaths::by_weight(start, target)))
            }
            PathsKind::KShortestPaths => {
                Search::KShortest(Box::new(KShortestPaths::by_length(start, target)))
            }
            PathsKind::KPaths => {
                let (min, max) = (self.min_depth, self.max_depth);
                Search::KPaths(Box::new(KPaths::new(&mut self.reader, start, target, min, max)?))
            }
            PathsKind::AllShortestPaths => {
                Search::AllShortest(Box::new(AllShortestPaths::new(&mut self.reader, start, target)?))
            }
        }))
    }

    fn batch_of(
        &mut self,
        source: &Batch<'q>,
        found: &[(u32, Path<&'q str, EdgeId>)],
    ) -> Result<Batch<'q>, Error> {
        let mut batch = Batch::new(&self.runtime.memory);
        let rows: Vec<u32> = found.iter().map(|(row, _)| *row).collect();
        batch.gather(source, &rows, &self.passed);
        if let Some(register) = self.path_out {
            batch.fill(register, |scope, column| {
                for (_, path) in found {
                    let weights = match self.kind {
                        PathsKind::KShortestPaths => PathWeights::Total(path.weight),
                        PathsKind::KPaths | PathsKind::AllShortestPaths => PathWeights::Hidden,
                    };
                    column.push(path_value(
                        &mut self.reader,
                        &path.vertices,
                        &path.edges,
                        weights,
                        self.path_parts,
                        scope.arena(),
                        &self.runtime.env,
                    )?);
                }
                Ok(())
            })?;
        }
        batch.keep_columns(&self.live);
        Ok(batch)
    }
}

impl<'q> Operator<'q> for EnumeratePaths<'q> {
    fn next(&mut self, wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        let most = wanted.clamp(1, BATCH_ROWS);
        while let Some((source, ends)) =
            self.outer.take(wanted, |source| parameters(source, &self.ends, self.runtime))?
        {
            let mut found = Vec::new();
            while self.outer.row < source.len() && found.len() < most {
                let mut search = match self.search.take() {
                    Some(search) => search,
                    None => match self.open(&ends)? {
                        Some(search) => search,
                        None => {
                            self.outer.row += 1;
                            continue;
                        }
                    },
                };
                match search.next(&mut self.reader)? {
                    Some(path) => {
                        found.push((self.outer.row as u32, path));
                        self.search = Some(search);
                    }
                    None => self.outer.row += 1,
                }
            }
            let batch = if found.is_empty() { None } else { Some(self.batch_of(&source, &found)?) };
            self.outer.put_back(source, ends);
            if batch.is_some() {
                return Ok(batch);
            }
        }
        Ok(None)
    }

    fn rewind(&mut self) {
        self.search = None;
        self.outer.rewind();
    }
}
