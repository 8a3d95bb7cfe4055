//! Traversal: one row for each path found from the start vertex of a row.
//!
//! Only edge indexes are read to find paths; documents are read for conditions, PRUNE, weights and the variables that
//! later operators use.

use persea_graph::{
    Decision, Neighbors, Order, Steer, Traversal as Search, TraversalOptions, UniqueEdges, UniqueVertices,
    Visit,
};
use persea_order::Value;
use persea_planner::plan::{self, PathDepth, PathParts, TraversalOrder, Uniqueness, VarId};
use persea_vpack::VPackBuf;

use super::graph_source::{EdgeId, GraphReader, Weights, vertex_id};
use super::path_values::{PathWeights, path_value};
use super::{BoxedOperator, Live, Operator, evaluator, parameters};
use crate::Error;
use crate::batch::{BATCH_ROWS, Batch, Register};
use crate::expression::{Compiled, Compiler};
use crate::runtime::Runtime;

/// A condition on the edges or vertices at a depth.
struct Condition<'q> {
    depth: PathDepth,
    on_edge: bool,
    element: Register,
    condition: Compiled<'q>,
}

/// See [`plan::Prune`].
struct Prune<'q> {
    condition: Compiled<'q>,
    vertex: Option<Register>,
    edge: Option<Register>,
    path: Option<Register>,
    out: Option<Register>,
}

/// What steers the search, whatever the row.
struct Rules<'q> {
    runtime: &'q Runtime,
    conditions: Vec<Condition<'q>>,
    prune: Option<Prune<'q>>,
    /// Names of the vertex collections paths may lead through; any if empty.
    vertex_collections: &'q [std::sync::Arc<str>],
    /// Variables of the surrounding row that conditions read.
    captures: Live,
}

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
    input: BoxedOperator<'q>,
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
    current: Option<(Batch<'q>, Batch<'q>)>,
    row: usize,
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
            input,
            start: [compiler.compile(&node.start)],
            options,
            rules: Rules {
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
            },
            reader: GraphReader::new(runtime, &node.graph, &node.options.edge_collections, weights)?,
            vertex_out: register(node.vertex_out),
            edge_out: register(node.edge_out),
            path_out: register(node.path_out),
            path_parts: node.path_parts,
            passed,
            live,
            current: None,
            row: 0,
            search: None,
        })
    }

    /// Collects up to `most` paths from the current input batch.
    fn collect(&mut self, source: &Batch<'q>, starts: &Batch<'q>, most: usize) -> Result<Hits<'q>, Error> {
        let mut hits = Hits::default();
        let (mut vertices, mut edges) = (Vec::new(), Vec::new());
        let mut weights = Vec::new();
        while self.row < source.len() && hits.hits.len() < most {
            let search = match &mut self.search {
                Some(search) => search,
                none => {
                    let start = vertex_id(starts.value(0, self.row), "traversal", self.rules.runtime)?;
                    let Some(start) = start else {
                        self.row += 1;
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
                row: self.row,
                prune_value: None,
            };
            let Some(visit) = search.next(&mut guide)? else {
                self.search = None;
                self.row += 1;
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
                row: self.row as u32,
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
            batch.fill(register, |_, column| {
                for hit in &hits.hits {
                    column.push(self.reader.vertex(hit.vertex)?);
                }
                Ok(())
            })?;
        }
        if let Some(register) = self.edge_out {
            batch.fill(register, |_, column| {
                for hit in &hits.hits {
                    column.push(match hit.edge {
                        Some(edge) => self.reader.edge(edge)?,
                        None => Value::NULL,
                    });
                }
                Ok(())
            })?;
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
                    column.push(crate::batch::copy_value(value, scope.arena()));
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
        loop {
            let (source, starts) = match self.current.take() {
                Some(current) => current,
                None => match self.input.next(wanted)? {
                    Some(source) => {
                        self.row = 0;
                        let starts = parameters(&source, &self.start, self.rules.runtime)?;
                        (source, starts)
                    }
                    None => return Ok(None),
                },
            };
            self.rules.runtime.check()?;
            let hits = self.collect(&source, &starts, most)?;
            let batch = if hits.hits.is_empty() { None } else { Some(self.batch_of(&source, &hits)?) };
            if self.row < source.len() {
                self.current = Some((source, starts));
            }
            if batch.is_some() {
                return Ok(batch);
            }
        }
    }

    fn rewind(&mut self) {
        self.current = None;
        self.search = None;
        self.input.rewind();
    }
}

/// Steers the search of one row.
struct Guide<'g, 'q> {
    rules: &'g Rules<'q>,
    reader: &'g mut GraphReader<'q>,
    source: &'g Batch<'q>,
    row: usize,
    /// The value of the PRUNE condition for the path visited last.
    prune_value: Option<VPackBuf>,
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
