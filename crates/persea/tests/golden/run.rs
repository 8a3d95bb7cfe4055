//! Running cases: a database made from the file's setup, used until a case writes.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use persea::{Database, QueryOptions};
use serde_json::Value;

use crate::file::{Case, GoldenFile, Setup, Step};
use crate::outcome::Outcome;

/// What a step gave.
pub struct StepResult {
    /// What is wrong, if something is.
    pub failure: Option<String>,
    /// Where the outcome stands in the file.
    pub outcome_lines: Range<usize>,
    /// The outcome as it would be written.
    pub found: String,
}

/// Runs the cases of one file.
pub struct Runner<'a> {
    file: &'a GoldenFile,
    clean: Option<Database>,
}

impl<'a> Runner<'a> {
    pub fn new(file: &'a GoldenFile) -> Runner<'a> {
        Runner { file, clean: None }
    }

    /// Runs a case with all optimizer rules, then with as few as can be.
    pub fn run(&mut self, case: &Case) -> Vec<StepResult> {
        let mut results = self.run_with(case, &[]);
        if case.is_optimized {
            return results;
        }
        for (result, plain) in results.iter_mut().zip(self.run_with(case, &["-all"])) {
            if result.failure.is_none() {
                result.failure =
                    plain.failure.map(|failure| format!("  (without optimizer rules)\n{failure}"));
            }
        }
        results
    }

    fn run_with(&mut self, case: &Case, rules: &[&str]) -> Vec<StepResult> {
        let writes = !case.setup.is_empty() || case.steps.iter().any(writes);
        let database = match self.clean.take() {
            Some(database) => database,
            None => self.database(&case.name),
        };
        set_up(&database, &case.setup, &case.name);
        let results = case.steps.iter().map(|step| run_step(&database, step, rules)).collect();
        self.clean = (!writes).then_some(database);
        results
    }

    fn database(&self, case: &str) -> Database {
        let database = Database::in_memory().expect("a database in memory");
        set_up(&database, &self.file.setup, case);
        database
    }
}

fn writes(step: &Step) -> bool {
    // What doesn't parse doesn't write.
    persea_aql::parse(&step.query).is_ok_and(|query| query.is_modification)
}

fn set_up(database: &Database, setup: &[Setup], case: &str) {
    for step in setup {
        let done = match step {
            Setup::Collection(name) => database.create_collection(name).map(drop),
            Setup::Edges(name) => database.create_edge_collection(name).map(drop),
            Setup::Insert(name, documents) => insert(database, name, documents),
            Setup::Index(name, definition) => index(database, name, definition),
            Setup::Graph(name, definition) => graph(database, name, definition),
        };
        if let Err(error) = done {
            panic!("{case}: setup {step:?}: {error}");
        }
    }
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

fn insert(database: &Database, name: &str, documents: &str) -> persea::Result<()> {
    let collection = database.collection(name)?;
    let Value::Array(documents) = json(documents) else { panic!("{name}: documents must be an array") };
    for inserted in collection.insert_many(&documents)? {
        inserted?;
    }
    Ok(())
}

fn index(database: &Database, name: &str, definition: &str) -> persea::Result<()> {
    let definition = persea_vpack::to_vpack(&json(definition))?;
    database.collection(name)?.create_index(definition.as_slice()).map(drop)
}

/// Named graphs are documents of `_graphs`.
fn graph(database: &Database, name: &str, definition: &str) -> persea::Result<()> {
    let mut definition = json(definition);
    definition["_key"] = name.into();
    database.collection("_graphs")?.insert(&definition).map(drop)
}

fn run_step(database: &Database, step: &Step, rules: &[&str]) -> StepResult {
    let found = catch_unwind(AssertUnwindSafe(|| outcome(database, step, rules)));
    let shown = match &found {
        Ok(found) => found.show(step.expected.as_ref()),
        Err(_) => "panic".to_owned(),
    };
    let is_met = match (&found, &step.expected) {
        (Ok(found), Some(expected)) => found.meets(expected),
        _ => false,
    };
    let expected = step.expected.as_ref().map_or_else(|| "nothing yet".to_owned(), |e| e.show(Some(e)));
    let bind = step.bind.as_ref().map_or_else(String::new, |bind| format!("\n  bind {bind}"));
    let detail = match &found {
        Ok(Outcome::Error { message, .. }) => format!(" ({message})"),
        _ => String::new(),
    };
    let failure = (!is_met).then(|| {
        format!(
            "  {}{bind}\n  expected {expected}\n  found    {shown}{detail}",
            step.query.replace('\n', "\n  ")
        )
    });
    StepResult { failure, outcome_lines: step.outcome_lines.clone(), found: shown }
}

fn outcome(database: &Database, step: &Step, rules: &[&str]) -> Outcome {
    let binds = json(step.bind.as_deref().unwrap_or("{}"));
    let binds = persea_vpack::to_vpack(&binds).expect("bind values");
    let result =
        database.query(&step.query).bind_all(binds.as_slice()).options(query_options(step, rules)).run();
    let outcome = match result {
        Ok(outcome) => outcome,
        Err(error) => {
            return Outcome::Error { number: u64::from(error.number()), message: error.to_string() };
        }
    };
    let mut rows: Vec<Value> = outcome.rows.iter().map(|row| json(&row.to_string())).collect();
    let warnings = outcome.extra.as_slice().get("warnings");
    let codes = warnings.into_iter().flat_map(|warnings| warnings.array_iter());
    let warnings = codes.filter_map(|warning| warning.get("code")?.as_u64()).collect();
    let value = if step.is_table_row && rows.len() == 1 { rows.remove(0) } else { Value::Array(rows) };
    Outcome::Rows { value, unordered: false, warnings }
}

fn query_options(step: &Step, rules: &[&str]) -> QueryOptions {
    let given = json(step.options.as_deref().unwrap_or("{}"));
    QueryOptions {
        runtime_max: Some(Duration::from_secs(20)),
        full_count: given["fullCount"].as_bool().unwrap_or(false),
        fail_on_warning: given["failOnWarning"].as_bool().unwrap_or(false),
        memory_bytes_max: given["memoryLimit"].as_u64().map_or(0, |bytes| bytes as usize),
        rules: rules.iter().map(|rule| (*rule).to_owned()).collect(),
        ..QueryOptions::default()
    }
}
