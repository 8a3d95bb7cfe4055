//! Traversal: one row for each path found from the start vertex of a row.
//!
//! Only edge indexes are read to find paths; documents are read for conditions, PRUNE, weights and the variables that
//! later operators use.

mod guide;

use persea_graph::{Order, Traversal as Search, TraversalOptions, UniqueEdges, UniqueVertices};
use persea_order::Value;
use persea_planner::plan::{self, PathParts, TraversalOrder, Uniqueness, VarId};
use persea_vpack::VPackBuf;

use super::graph_source::{EdgeId, GraphReader, Weights, vertex_id};
use super::outer_rows::OuterRows;
use super::path_values::{PathWeights, path_value};
use super::{BoxedOperator, Live, Operator, parameters};
use crate::Error;
use crate::batch::{BATCH_ROWS, Batch, Register, copy_value};
use crate::expression::{Compiled, Compiler};
use crate::runtime::Runtime;
use guide::{Guide, Rules};

/// A path found.
struct Hit<'q> {
    row: u32,
    vertex: &'q str,
    edge: Option<EdgeId>,
    /// The steps of the path, if it is read: where they begin in the lists of all hits.
    steps: std::ops::Range<usize>,
    prune: Option<VPackBuf>,
}

/// The paths found for one output batch.
#[derive(Default)]
struct Hits<'q> {
    hits: Vec<Hit<'q>>,
    vertices: Vec<&'q str>,
    /// One member for each vertex: the edge that led there.
    edges: Vec<Option<EdgeId>>,
    weights: Vec<f64>,
}

/// See the head of this file.
pub(crate) struct Traversal<'q> {
    outer: OuterRows<'q, Batch<'q>>,
    start: [Compiled<'q>; 1],
    options: TraversalOptions,
    rules: Rules<'q>,
    reader: GraphReader<'q>,
    vertex_out: Option<Register>,
    edge_out: Option<Register>,
    path_out: Option<Register>,
    path_parts: PathParts,
    passed: Live,
    live: Live,
    search: Option<Search<&'q str, EdgeId>>,
}

fn options(node: &plan::TraversalNode) -> TraversalOptions {
    let depth = |depth: u64| usize::try_from(depth).unwrap_or(usize::MAX);
    TraversalOptions {
        min_depth: depth(node.min_depth),
        max_depth: depth(node.max_depth),
        order: match node.options.order {
            TraversalOrder::Dfs => Order::DepthFirst,
            TraversalOrder::Bfs => Order::BreadthFirst,
            TraversalOrder::Weighted => Order::Weighted,
        },
        unique_vertices: match node.options.unique_vertices {
            Uniqueness::None => UniqueVertices::None,
            Uniqueness::Path => UniqueVertices::Path,
            Uniqueness::Global => UniqueVertices::Global,
        },
        unique_edges: match node.options.unique_edges {
            Uniqueness::None => UniqueEdges::None,
            Uniqueness::Path | Uniqueness::Global => UniqueEdges::Path,
        },
    }
}

impl<'q> Traversal<'q> {
    pub(crate) fn new(
        input: BoxedOperator<'q>,
        runtime: &'q Runtime,
        node: &'q plan::TraversalNode,
        compiler: Compiler<'q>,
        captures: Live,
        passed: Live,
        live: Live,
    ) -> Result<Self, Error> {
        let options = options(node);
        options.validate().map_err(|error| Error::BadParameter(error.to_string()))?;
        let register = |var: Option<VarId>| var.map(VarId::index);
        let weights = Weights {
            attribute: node.options.weight_attribute.as_deref().filter(|_| options.order == Order::Weighted),
            default: node.options.default_weight,
        };
        Ok(Traversal {
            outer: OuterRows::new(input, runtime),
            start: [compiler.compile(&node.start)],
            options,
            rules: Rules::compile(node, runtime, compiler, captures),
            reader: GraphReader::new(runtime, &node.graph, &node.options.edge_collections, weights)?,
            vertex_out: register(node.vertex_out),
            edge_out: register(node.edge_out),
            path_out: register(node.path_out),
            path_parts: node.path_parts,
            passed,
            live,
            search: None,
        })
    }

    /// Collects up to `most` paths from the current input batch.
    fn collect(&mut self, source: &Batch<'q>, starts: &Batch<'q>, most: usize) -> Result<Hits<'q>, Error> {
        let mut hits = Hits::default();
        let (mut vertices, mut edges) = (Vec::new(), Vec::new());
        let mut weights = Vec::new();
        while self.outer.row < source.len() && hits.hits.len() < most {
            let search = match &mut self.search {
                Some(search) => search,
                none => {
                    let start = vertex_id(starts.value(0, self.outer.row), "traversal", self.rules.runtime)?;
                    let Some(start) = start else {
                        self.outer.row += 1;
                        continue;
                    };
                    self.reader.begin_search()?;
                    let search = Search::new(start, self.options)
                        .map_err(|error| Error::BadParameter(error.to_string()))?;
                    none.insert(search)
                }
            };
            let mut guide = Guide {
                rules: &self.rules,
                reader: &mut self.reader,
                source,
                row: self.outer.row,
                prune_value: None,
            };
            let Some(visit) = search.next(&mut guide)? else {
                self.search = None;
                self.outer.row += 1;
                continue;
            };
            let begin = hits.vertices.len();
            if self.path_out.is_some() {
                visit.vertices_into(&mut vertices);
                visit.edges_into(&mut edges);
                visit.weights_into(&mut weights);
                hits.vertices.extend_from_slice(&vertices);
                hits.edges.push(None);
                hits.edges.extend(edges.iter().copied().map(Some));
                hits.weights.extend_from_slice(&weights);
            }
            hits.hits.push(Hit {
                row: self.outer.row as u32,
                vertex: visit.vertex(),
                edge: visit.edge(),
                steps: begin..hits.vertices.len(),
                prune: guide.prune_value,
            });
        }
        Ok(hits)
    }

    /// The rows of an output batch, documents read.
    fn batch_of(&mut self, source: &Batch<'q>, hits: &Hits<'q>) -> Result<Batch<'q>, Error> {
        let runtime = self.rules.runtime;
        let mut batch = Batch::new(&runtime.memory);
        let rows: Vec<u32> = hits.hits.iter().map(|hit| hit.row).collect();
        batch.gather(source, &rows, &self.passed);
        if let Some(register) = self.vertex_out {
            self.reader.fill_vertices(&mut batch, register, hits.hits.iter().map(|hit| hit.vertex))?;
        }
        if let Some(register) = self.edge_out {
            self.reader.fill_edges(&mut batch, register, hits.hits.iter().map(|hit| hit.edge))?;
        }
        if let Some(register) = self.path_out {
            batch.fill(register, |scope, column| {
                let mut edges = Vec::new();
                for hit in &hits.hits {
                    edges.clear();
                    edges.extend(hits.edges[hit.steps.clone()].iter().copied().flatten());
                    column.push(path_value(
                        &mut self.reader,
                        &hits.vertices[hit.steps.clone()],
                        &edges,
                        PathWeights::Each(&hits.weights[hit.steps.clone()]),
                        self.path_parts,
                        scope.arena(),
                        &runtime.env,
                    )?);
                }
                Ok(())
            })?;
        }
        if let Some(register) = self.rules.prune.as_ref().and_then(|prune| prune.out) {
            batch.fill(register, |scope, column| {
                for hit in &hits.hits {
                    let value =
                        hit.prune.as_ref().map_or(Value::NULL, |value| Value::from_slice(value.as_slice()));
                    column.push(copy_value(value, scope.arena()));
                }
                Ok(())
            })?;
        }
        batch.keep_columns(&self.live);
        Ok(batch)
    }
}

impl<'q> Operator<'q> for Traversal<'q> {
    fn next(&mut self, wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        let most = wanted.clamp(1, BATCH_ROWS);
        while let Some((source, starts)) =
            self.outer.take(wanted, |source| parameters(source, &self.start, self.rules.runtime))?
        {
            let hits = self.collect(&source, &starts, most)?;
            let batch = if hits.hits.is_empty() { None } else { Some(self.batch_of(&source, &hits)?) };
            self.outer.put_back(source, starts);
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
