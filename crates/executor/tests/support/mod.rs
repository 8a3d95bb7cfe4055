//! A database in memory, and queries on it from text to results.
#![allow(dead_code, missing_docs, reason = "shared by several test programs, each of which uses a part")]
#![allow(clippy::unwrap_used, clippy::new_without_default, reason = "tests")]

use std::sync::Arc;

use persea_collections::{CollectionOptions, Database, Databases, WriteOptions};
use persea_executor::{
    BuiltInFunctions, ConstantFolder, Cursor, DatabaseCatalog, Error, ExecuteOptions, Outcome, QueryContext,
    QueryStats,
};
use persea_planner::PlanOptions;
use persea_planner::plan::Plan;
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
        let view = self.database.view().unwrap();
        let planned = persea_planner::plan(
            &parsed,
            binds.as_slice(),
            &DatabaseCatalog::new(&self.database, &view),
            &BuiltInFunctions,
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
