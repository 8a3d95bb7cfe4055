//! Queries: bind values, plan, run, explain.

mod access;
mod extra;
mod options;
mod parse;
mod row_set;
mod rows;
mod run;
mod tracking;

use std::sync::Arc;
use std::time::Instant;

use persea_vpack::{Builder, Slice, VPackBuf};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::database::Database;
use crate::error::{Error, Result};
use crate::transaction::vpack_of;

pub use options::QueryOptions;
pub use parse::optimizer_rules;
pub(crate) use parse::parse;
pub use row_set::RowSet;
pub use rows::Rows;
pub(crate) use tracking::RunningQueries;

/// A query that isn't run yet.
pub struct Query<'a> {
    database: &'a Database,
    text: &'a str,
    binds: Vec<(String, VPackBuf)>,
    /// Bind values that are no object; told when the query runs.
    bad_binds: bool,
    options: QueryOptions,
    /// A value that could not be bound; told when the query runs.
    failed: Option<Error>,
}

/// A finished query.
#[derive(Clone, Debug)]
pub struct QueryOutcome {
    /// Its rows.
    pub rows: RowSet,
    /// ArangoDB's `extra`: `warnings`, `stats`, and with a profile `profile` and `plan`.
    pub extra: VPackBuf,
}

impl<'a> Query<'a> {
    pub(crate) fn new(database: &'a Database, text: &'a str) -> Query<'a> {
        Query {
            database,
            text,
            binds: Vec::new(),
            bad_binds: false,
            options: QueryOptions::default(),
            failed: None,
        }
    }

    /// Gives a bind parameter its value. A collection parameter `@@name` is bound as `@name`.
    #[must_use]
    pub fn bind<T: Serialize + ?Sized>(mut self, name: &str, value: &T) -> Query<'a> {
        match vpack_of(&value) {
            Ok(value) => self.binds.push((name.to_owned(), value)),
            Err(error) => self.failed = self.failed.or(Some(error)),
        }
        self
    }

    /// Gives a bind parameter its value as VelocyPack.
    #[must_use]
    pub fn bind_value(mut self, name: &str, value: Slice<'_>) -> Query<'a> {
        self.binds.push((name.to_owned(), VPackBuf::from(value)));
        self
    }

    /// Gives bind parameters their values, by an object; null binds nothing.
    #[must_use]
    pub fn bind_all(mut self, values: Slice<'_>) -> Query<'a> {
        self.bad_binds |= !values.is_object() && !values.is_null();
        self.binds.extend(values.object_iter().map(|(name, value)| (name.to_owned(), VPackBuf::from(value))));
        self
    }

    /// Replaces the options.
    #[must_use]
    pub fn options(mut self, options: QueryOptions) -> Query<'a> {
        self.options = options;
        self
    }

    /// Runs the query to its end; it is one transaction, unless its options ask for commits in between.
    ///
    /// # Errors
    /// Whatever is wrong with the text, the bind values or at run time; nothing is written then but what was committed
    /// in between.
    pub fn run(mut self) -> Result<QueryOutcome> {
        let started = Instant::now();
        let binds = Arc::new(self.bind_values()?);
        run::run(self.database, self.text, &binds, &self.options, started)
    }

    /// Runs the query and gives its rows as a Rust type, one after the other.
    ///
    /// # Errors
    /// As [`run`](Query::run); a row that doesn't fit the type is an error of its own.
    pub fn rows<T: DeserializeOwned>(self) -> Result<Rows<T>> {
        Ok(Rows::new(self.run()?.rows))
    }

    /// Tells how the query would run, in ArangoDB's shape: `plan` (or `plans`), `warnings`, `stats`, `cacheable`.
    ///
    /// # Errors
    /// Whatever is wrong with the text or the bind values.
    pub fn explain(mut self) -> Result<VPackBuf> {
        let binds = self.bind_values()?;
        run::explain(self.database, self.text, binds.as_slice(), &self.options)
    }

    /// Tells how the query would run, as a text for a person: the plan, its indexes, the optimizer's rules.
    ///
    /// # Errors
    /// As [`explain`](Query::explain).
    pub fn explain_text(mut self) -> Result<String> {
        let binds = self.bind_values()?;
        run::explain_text(self.database, self.text, binds.as_slice(), &self.options)
    }

    fn bind_values(&mut self) -> Result<VPackBuf> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        if self.bad_binds {
            return Err(Error::with_number(1550, "invalid structure of bind parameters"));
        }
        let mut builder = Builder::new();
        builder.open_object();
        for (name, value) in &self.binds {
            builder.key(name).add_slice(value.as_slice());
        }
        builder.close();
        Ok(builder.finish()?)
    }
}
