//! Where a request works: in the database, or in the stream transaction that its `x-arango-trx-id` names.

use std::ops::Deref;
use std::sync::Arc;

use persea::Database;

use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::transactions::{Lease, StreamTransaction};

/// A request's database. Inside of a stream transaction it reads and writes what the transaction does, and no other
/// request does so until it is dropped.
pub struct Scope {
    database: Database,
    lease: Option<Lease>,
}

impl Context {
    /// The database a request names, inside of the stream transaction if it names one.
    ///
    /// # Errors
    /// As [`Context::database`]; for the transaction as [`Transactions::lease`](crate::transactions::Transactions::lease).
    pub fn scope(&self, request: &Request) -> Result<Scope, ApiError> {
        let database = self.database(request)?;
        let Some(id) = request.header("x-arango-trx-id") else { return Ok(Scope { database, lease: None }) };
        let lease = self.transactions.lease(database.name(), id.trim())?;
        let database = lease.database().with_interrupt(request.gone.clone());
        Ok(Scope { database, lease: Some(lease) })
    }
}

impl Scope {
    /// The stream transaction.
    pub fn transaction(&self) -> Option<&Arc<StreamTransaction>> {
        self.lease.as_ref().map(Lease::transaction)
    }
}

impl Deref for Scope {
    type Target = Database;

    fn deref(&self) -> &Database {
        &self.database
    }
}
