//! What the planner asks of a database: its collections and indexes, graphs, and the functions there are.

use std::sync::Arc;

use persea_collections::{Database, Index, IndexKind, View};
use persea_planner::{
    Catalog, CollectionMeta, FunctionCatalog, FunctionMeta, GraphMeta, IndexField, IndexMeta, plan,
};

/// A database as the planner sees it: the collections and indexes that a view reads.
#[derive(Debug, Clone, Copy)]
pub struct DatabaseCatalog<'a> {
    database: &'a Database,
    /// Counts come from the view that the query reads, so that estimates and results agree.
    view: &'a View,
}

impl<'a> DatabaseCatalog<'a> {
    /// The collections of `database` that queries on `view` read.
    #[must_use]
    pub fn new(database: &'a Database, view: &'a View) -> DatabaseCatalog<'a> {
        DatabaseCatalog { database, view }
    }
}

impl Catalog for DatabaseCatalog<'_> {
    fn database(&self) -> &str {
        self.database.name()
    }

    fn collection(&self, name: &str) -> Option<Arc<CollectionMeta>> {
        let collection = self.database.collection(name).ok()?;
        // An index younger than the view lacks what the view sees. What cannot be read here fails again, and is told of,
        // when the query reads the collection.
        let indexes = self.view.indexes(&collection).unwrap_or_default();
        let indexes = indexes.iter().map(|index| index_meta(index)).collect();
        Some(Arc::new(CollectionMeta {
            id: collection.id(),
            name: collection.name(),
            is_edge: collection.is_edge(),
            count: self.view.count(&collection).unwrap_or_else(|_| collection.count_estimate()),
            indexes,
        }))
    }

    fn graph(&self, name: &str) -> Option<Arc<GraphMeta>> {
        let graph = self.database.graph(name).ok()?;
        let names = |list: Vec<&str>| list.into_iter().map(Arc::from).collect();
        Some(Arc::new(GraphMeta {
            name: Arc::from(name),
            edge_collections: names(graph.edge_collections()),
            vertex_collections: names(graph.vertex_collections()),
        }))
    }
}

fn index_meta(index: &Index) -> IndexMeta {
    let definition = index.definition();
    let kind = match index.kind() {
        IndexKind::Primary => plan::IndexKind::Primary,
        IndexKind::Edge => plan::IndexKind::Edge,
        IndexKind::Persistent => plan::IndexKind::Persistent,
    };
    IndexMeta {
        id: index.id(),
        name: Arc::from(index.name()),
        kind,
        type_name: Arc::from(definition.type_name.as_str()),
        fields: definition.fields.iter().map(|path| IndexField::parse(&path.to_string())).collect(),
        unique: definition.unique,
        sparse: definition.sparse,
        selectivity: index.selectivity(),
        stored_values: definition
            .stored_values
            .iter()
            .map(|path| path.to_string().split('.').map(Arc::from).collect())
            .collect(),
        can_cover: false,
        in_progress: false,
        deduplicate: definition.deduplicate,
        estimates: definition.estimates,
        cache_enabled: definition.cache_enabled,
    }
}

/// The built-in functions as the planner sees them.
#[derive(Debug, Clone, Copy, Default)]
pub struct BuiltInFunctions;

impl FunctionCatalog for BuiltInFunctions {
    fn lookup(&self, name: &str) -> Option<FunctionMeta> {
        let function = persea_functions::lookup(name)?;
        Some(FunctionMeta {
            name: Arc::from(function.name),
            min_args: function.min_args,
            max_args: function.max_args,
            deterministic: function.deterministic,
            cacheable: function.cacheable,
            accesses_documents: function.accesses_documents,
            in_prune: function.in_prune,
            collection_args: u64::from(function.takes_collection),
        })
    }
}
