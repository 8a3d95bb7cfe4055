//! The graph a path statement runs on, read from edge indexes: the neighbour trait of the search algorithms over a
//! snapshot.

use hashbrown::HashMap;
use persea_collections::{Collection, EdgeDirection, LocalId, View};
use persea_graph::{Neighbors, Steer};
use persea_order::{Value, View as ValueView};
use persea_planner::plan::{self, Direction};

use crate::Error;
use crate::batch::{Batch, Register};
use crate::memory::Reservation;
use crate::runtime::Runtime;

/// Vertex and edge documents kept for reuse; beyond that the caches start anew.
const CACHED_DOCUMENTS_MAX: usize = 50_000;
/// Expansions between two looks at the limits of the query.
const EXPANSIONS_PER_CHECK: usize = 64;
/// Bytes a search holds for each edge it has seen: a step of the path tree, an entry of the queue, the visited set.
const SEARCH_BYTES_PER_EDGE: usize = 96;

/// An edge: which of the edge collections, and the document in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct EdgeId {
    collection: u32,
    local_id: LocalId,
}

/// One edge collection with the directions it is followed in.
struct EdgeSource<'q> {
    collection: &'q Collection,
    outbound: bool,
    inbound: bool,
}

/// Weights of edges: the attribute, and the weight of edges without it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Weights<'q> {
    pub(crate) attribute: Option<&'q str>,
    pub(crate) default: f64,
}

/// Reads vertices and edges. Vertices are identifiers that live as long as the query.
pub(crate) struct GraphReader<'q> {
    runtime: &'q Runtime,
    view: &'q View,
    edges: Vec<EdgeSource<'q>>,
    weights: Weights<'q>,
    vertex_documents: HashMap<&'q str, Value<'q>, ahash::RandomState>,
    edge_documents: HashMap<EdgeId, Value<'q>, ahash::RandomState>,
    collections: Vec<(String, Option<&'q Collection>)>,
    expansions: usize,
    /// What the running search is assumed to hold.
    reservation: Reservation,
}

impl<'q> GraphReader<'q> {
    /// A reader of the given edge collections; of all if `only` is empty, else of those it names.
    pub(crate) fn new(
        runtime: &'q Runtime,
        graph: &'q plan::GraphSource,
        only: &[std::sync::Arc<str>],
        weights: Weights<'q>,
    ) -> Result<Self, Error> {
        let mut edges = Vec::with_capacity(graph.edges.len());
        for (collection, direction) in &graph.edges {
            if !only.is_empty() && !only.contains(&collection.name) {
                continue;
            }
            edges.push(EdgeSource {
                collection: runtime.collection(collection)?,
                outbound: *direction != Direction::Inbound,
                inbound: *direction != Direction::Outbound,
            });
        }
        Ok(GraphReader {
            runtime,
            view: &runtime.view,
            edges,
            weights,
            vertex_documents: HashMap::default(),
            edge_documents: HashMap::default(),
            collections: Vec::new(),
            expansions: 0,
            reservation: Reservation::new(&runtime.memory),
        })
    }

    /// Called when a search begins: what the one before held is free again.
    pub(crate) fn begin_search(&mut self) -> Result<(), Error> {
        self.reservation.resize(0)
    }

    /// Appends the edges at a vertex, against their directions if `reversed`.
    fn expand(
        &mut self,
        vertex: &str,
        reversed: bool,
        out: &mut Vec<(EdgeId, &'q str)>,
    ) -> Result<(), Error> {
        let before = out.len();
        for (number, source) in self.edges.iter().enumerate() {
            let both = source.outbound && source.inbound;
            for direction in [EdgeDirection::Outbound, EdgeDirection::Inbound] {
                let is_outbound = (direction == EdgeDirection::Outbound) != reversed;
                if !(if is_outbound { source.outbound } else { source.inbound }) {
                    continue;
                }
                for found in self.view.edges(source.collection, direction, vertex)? {
                    let (local_id, opposite) = found?;
                    // A loop is found from both of its ends, which are one.
                    if both && direction == EdgeDirection::Inbound && opposite == vertex {
                        continue;
                    }
                    out.push((EdgeId { collection: number as u32, local_id }, opposite));
                }
                self.runtime.counters.seeks.add(1);
            }
        }
        let found = out.len() - before;
        self.runtime.counters.scanned_index.add(found);
        self.reservation.grow(found * SEARCH_BYTES_PER_EDGE)?;
        self.expansions += 1;
        if self.expansions.is_multiple_of(EXPANSIONS_PER_CHECK) {
            self.runtime.check()?;
        }
        Ok(())
    }

    /// The document of a vertex; null if there is none.
    pub(crate) fn vertex(&mut self, id: &'q str) -> Result<Value<'q>, Error> {
        if let Some(document) = self.vertex_documents.get(id) {
            return Ok(*document);
        }
        let mut document = Value::NULL;
        if let Some((name, key)) = id.split_once('/')
            && let Some(collection) = self.collection(name)?
        {
            self.runtime.counters.document_lookups.add(1);
            if let Some((_, found)) = self.view.by_key(collection, key)? {
                document = Value::from_slice(found);
            }
        }
        if self.vertex_documents.len() >= CACHED_DOCUMENTS_MAX {
            self.vertex_documents.clear();
        }
        self.vertex_documents.insert(id, document);
        Ok(document)
    }

    /// The document of an edge.
    pub(crate) fn edge(&mut self, id: EdgeId) -> Result<Value<'q>, Error> {
        if let Some(document) = self.edge_documents.get(&id) {
            return Ok(*document);
        }
        let source = self.edges.get(id.collection as usize);
        let source = source.ok_or(Error::Internal("an edge is in one of the graph's collections"))?;
        self.runtime.counters.document_lookups.add(1);
        let document = Value::from_slice(self.view.indexed_document(source.collection, id.local_id)?);
        if self.edge_documents.len() >= CACHED_DOCUMENTS_MAX {
            self.edge_documents.clear();
        }
        self.edge_documents.insert(id, document);
        Ok(document)
    }

    /// Fills a column with vertex documents.
    pub(crate) fn fill_vertices(
        &mut self,
        batch: &mut Batch<'q>,
        register: Register,
        ids: impl Iterator<Item = &'q str>,
    ) -> Result<(), Error> {
        batch.fill(register, |_, column| {
            for id in ids {
                column.push(self.vertex(id)?);
            }
            Ok(())
        })
    }

    /// Fills a column with edge documents, and null where no edge leads to a vertex.
    pub(crate) fn fill_edges(
        &mut self,
        batch: &mut Batch<'q>,
        register: Register,
        ids: impl Iterator<Item = Option<EdgeId>>,
    ) -> Result<(), Error> {
        batch.fill(register, |_, column| {
            for id in ids {
                column.push(id.map_or(Ok(Value::NULL), |id| self.edge(id))?);
            }
            Ok(())
        })
    }

    fn collection(&mut self, name: &str) -> Result<Option<&'q Collection>, Error> {
        if let Some((_, collection)) = self.collections.iter().find(|(known, _)| known == name) {
            return Ok(*collection);
        }
        let collection = self.runtime.readable_collection(name)?;
        self.collections.push((name.to_owned(), collection));
        Ok(collection)
    }
}

impl<'q> Neighbors for GraphReader<'q> {
    type Vertex = &'q str;
    type Edge = EdgeId;
    type Error = Error;

    fn neighbors(
        &mut self,
        vertex: &'q str,
        _depth: usize,
        out: &mut Vec<(EdgeId, &'q str)>,
    ) -> Result<(), Error> {
        self.expand(vertex, false, out)
    }

    fn predecessors(&mut self, vertex: &'q str, out: &mut Vec<(EdgeId, &'q str)>) -> Result<(), Error> {
        self.expand(vertex, true, out)
    }

    fn weight(&mut self, edge: EdgeId) -> Result<f64, Error> {
        let Some(attribute) = self.weights.attribute else { return Ok(1.0) };
        let weight = self.edge(edge)?.attribute(attribute).as_f64().unwrap_or(self.weights.default);
        if weight < 0.0 { Err(Error::NegativeEdgeWeight) } else { Ok(weight) }
    }
}

impl Steer for GraphReader<'_> {}

/// The identifier in a start or target vertex; registers a warning and gives `None` for values that hold none.
pub(crate) fn vertex_id<'q>(
    value: Value<'_>,
    statement: &str,
    runtime: &'q Runtime,
) -> Result<Option<&'q str>, Error> {
    let id = match value.view() {
        ValueView::Str(text) => Some(text),
        ValueView::Object(_) => value.attribute("_id").as_str(),
        _ => None,
    };
    match id.filter(|id| id.contains('/')) {
        Some(id) => Ok(Some(runtime.intern(id))),
        None => {
            let message = "Only id strings or objects with _id are allowed";
            runtime.warn(
                persea_functions::warnings::BAD_PARAMETER,
                format_args!("Invalid input for {statement}: {message}"),
            )?;
            Ok(None)
        }
    }
}
