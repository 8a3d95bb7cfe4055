//! What every handler may use.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use persea::{Database, Instance};

use crate::admission::Admission;
use crate::cursors::Cursors;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::options::ServerOptions;
use crate::transactions::Transactions;

/// The server's shared state.
pub struct Context {
    /// The databases.
    pub instance: Instance,
    /// Open cursors.
    pub cursors: Cursors,
    /// Stream transactions.
    pub transactions: Transactions,
    /// Places for requests that run.
    pub admission: Admission,
    /// Settings.
    pub options: ServerOptions,
    /// When the server started.
    pub started: Instant,
    /// Set once the stop began.
    pub stopping: Arc<AtomicBool>,
}

impl Context {
    /// The database a request names.
    ///
    /// # Errors
    /// 404 with number 1228 when there is none of that name.
    pub fn database(&self, request: &Request) -> Result<Database, ApiError> {
        // Nobody learns how a request ended whose client has gone away, so it need not wait for locks.
        Ok(self.instance.database(&request.target.database)?.with_interrupt(request.gone.clone()))
    }

    /// Refuses a request that is not for the `_system` database.
    ///
    /// # Errors
    /// 403 with number 1230 elsewhere; 404 with number 1228 when the database doesn't exist.
    pub fn require_system(&self, request: &Request) -> Result<(), ApiError> {
        if self.database(request)?.name() == "_system" {
            return Ok(());
        }
        Err(persea::Error::with_number(1230, "operation only allowed in system database").into())
    }
}
