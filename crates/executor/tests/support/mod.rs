//! A database in memory, and queries on it from text to results.
#![allow(dead_code, missing_docs, reason = "shared by several test programs, each of which uses a part")]
#![allow(clippy::unwrap_used, clippy::new_without_default, reason = "tests")]

use std::sync::Arc;

use persea_collections::{CollectionOptions, Database, Databases, IndexKind, WriteOptions};
use persea_executor::{ConstantFolder, Cursor, Error, ExecuteOptions, Outcome, QueryContext, QueryStats};
use persea_planner::plan::Plan;
use persea_planner::{
    Catalog, CollectionMeta, FunctionCatalog, FunctionMeta, GraphMeta, IndexField, IndexMeta, PlanOptions,
};
use persea_vpack::Slice;

pub struct TestDatabase {
    pub databases: Databases,
    pub database: Arc<Database>,
}

/// Everything a query came to.
pub struct Answer {
    pub rows: String,
    pub stats: QueryStats,
    pub warnings: Vec<(u32, String)>,
    pub plan: Arc<Plan>,
}

struct TestCatalog<'a>(&'a Database);

impl Catalog for TestCatalog<'_> {
    fn database(&self) -> &str {
        self.0.name()
    }

    fn collection(&self, name: &str) -> Option<Arc<CollectionMeta>> {
        let collection = self.0.collection(name).ok()?;
        let indexes = collection
            .indexes()
            .iter()
            .map(|index| {
                let definition = index.definition();
                IndexMeta {
                    id: index.id(),
                    name: Arc::from(index.name()),
                    kind: match index.kind() {
                        IndexKind::Primary => persea_planner::plan::IndexKind::Primary,
                        IndexKind::Edge => persea_planner::plan::IndexKind::Edge,
                        IndexKind::Persistent => persea_planner::plan::IndexKind::Persistent,
                    },
                    type_name: Arc::from(definition.type_name.as_str()),
                    fields: definition
                        .fields
                        .iter()
                        .map(|path| IndexField::parse(&path.to_string()))
                        .collect(),
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
            })
            .collect();
        Some(Arc::new(CollectionMeta {
            id: collection.id(),
            name: collection.name(),
            is_edge: collection.is_edge(),
            count: collection.count_estimate(),
            indexes,
        }))
    }

    fn graph(&self, _name: &str) -> Option<Arc<GraphMeta>> {
        None
    }
}

struct TestFunctions;

impl FunctionCatalog for TestFunctions {
    fn lookup(&self, name: &str) -> Option<FunctionMeta> {
        let function = persea_functions::lookup(name)?;
        Some(FunctionMeta {
            name: Arc::from(function.name),
            min_args: function.min_args,
            max_args: function.max_args,
            deterministic: function.deterministic,
            cacheable: function.cacheable,
            accesses_documents: function.accesses_documents,
            collection_args: u64::from(function.takes_collection),
        })
    }
}

impl TestDatabase {
    pub fn new() -> Self {
        let databases = Databases::in_memory().unwrap();
        let database = databases.system().unwrap();
        TestDatabase { databases, database }
    }

    /// A document collection with the given documents (JSON, an array).
    pub fn collection(&self, name: &str, documents: &str) -> &Self {
        self.fill(CollectionOptions::new(name), documents)
    }

    /// An edge collection with the given edges (JSON, an array).
    pub fn edges(&self, name: &str, documents: &str) -> &Self {
        self.fill(CollectionOptions::edge(name), documents)
    }

    fn fill(&self, options: CollectionOptions, documents: &str) -> &Self {
        let collection = self.database.create_collection(options).unwrap();
        let documents = persea_json::parse(documents.as_bytes()).unwrap();
        let mut transaction = self.database.begin().unwrap();
        for document in documents.as_slice().array_iter() {
            transaction.insert(&collection, document, &WriteOptions::default()).unwrap();
        }
        transaction.commit().unwrap();
        self
    }

    pub fn index(&self, collection: &str, definition: &str) -> &Self {
        let definition = persea_json::parse(definition.as_bytes()).unwrap();
        self.database.collection(collection).unwrap().create_index(definition.as_slice()).unwrap();
        self
    }

    pub fn plan(&self, query: &str, binds: &str, options: &PlanOptions) -> (Arc<Plan>, Vec<(u32, String)>) {
        let parsed = persea_aql::parse(query).unwrap_or_else(|error| panic!("{query}: {error}"));
        let binds = persea_json::parse(binds.as_bytes()).unwrap();
        let planned = persea_planner::plan(
            &parsed,
            binds.as_slice(),
            &TestCatalog(&self.database),
            &TestFunctions,
            &ConstantFolder,
            options,
        )
        .unwrap_or_else(|error| panic!("{query}: {error}"));
        (Arc::new(planned.plan), planned.warnings)
    }

    /// Runs a query with rules and execution options as given; commits what it writes.
    pub fn run_with(
        &self,
        query: &str,
        binds: &str,
        plan_options: &PlanOptions,
        options: ExecuteOptions,
        chunk: usize,
    ) -> Result<Answer, Error> {
        let (plan, mut warnings) = self.plan(query, binds, plan_options);
        let mut context = if plan.is_modification {
            QueryContext::write(self.database.clone(), self.database.begin().unwrap())
        } else {
            QueryContext::read(self.database.clone()).unwrap()
        };
        context.options = options;
        let mut cursor = Cursor::new(plan.clone(), context)?;
        let mut rows = vec![b'['];
        let mut sink = |value: persea_order::Value<'_>| {
            if rows.len() > 1 {
                rows.push(b',');
            }
            let value = value.to_vpack()?;
            persea_json::write(value.as_slice(), &mut rows);
            Ok(())
        };
        while cursor.next_rows(chunk, &mut sink)? {}
        rows.push(b']');
        let Outcome { stats, warnings: at_run_time, access, .. } = cursor.finish();
        if let persea_executor::Access::Write(transaction) = access {
            transaction.commit().unwrap();
        }
        warnings.extend(at_run_time.into_iter().map(|warning| (warning.code, warning.message)));
        Ok(Answer { rows: String::from_utf8(rows).unwrap(), stats, warnings, plan })
    }

    pub fn run(&self, query: &str) -> Result<Answer, Error> {
        self.run_with(query, "{}", &PlanOptions::default(), ExecuteOptions::default(), 1000)
    }

    /// Results of a query that must not fail, with and without optimizer rules, in large and in small portions.
    pub fn check(&self, query: &str, expected: &str) -> Vec<(u32, String)> {
        let mut warnings = Vec::new();
        let expected = persea_json::parse(expected.as_bytes()).unwrap().as_slice().to_string();
        for rules in [vec![], vec!["-all".to_owned()]] {
            let options = PlanOptions { rules: rules.clone(), ..PlanOptions::default() };
            for chunk in [1000, 1] {
                let answer = self
                    .run_with(query, "{}", &options, ExecuteOptions::default(), chunk)
                    .unwrap_or_else(|error| panic!("{query} {rules:?}: {error}"));
                assert_eq!(answer.rows, expected, "{query} with rules {rules:?}, {chunk} rows at a time");
                warnings = answer.warnings;
                if answer.plan.is_modification {
                    return warnings;
                }
            }
        }
        warnings
    }

    /// The error number of a query that must fail at run time.
    pub fn check_error(&self, query: &str, code: u32) {
        match self.run(query) {
            Ok(answer) => panic!("{query} answers {}", answer.rows),
            Err(error) => assert_eq!(error.code(), code, "{query}: {error}"),
        }
    }
}

/// Attribute of the document that a slice holds, as text.
pub fn text(slice: Slice<'_>, name: &str) -> String {
    slice.get(name).and_then(Slice::as_str).unwrap_or_default().to_owned()
}
