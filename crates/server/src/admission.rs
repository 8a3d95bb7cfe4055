//! How many requests run at once, so that slow ones never shut out the ones that end them.
//!
//! A request's handler occupies a thread until it is done. Threads are bounded; were all of them busy with long
//! queries, a request to list and kill those would wait behind them. So ordinary requests share fewer places than there
//! are threads, and urgent ones need none.
//!
//! Requests may wait for a lock that a stream transaction holds. Those inside of a stream transaction have places of
//! their own, and its end needs none, so that it can always go on and give the lock back.

use std::sync::atomic::{AtomicUsize, Ordering};

use hyper::{Method, StatusCode};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::error::ApiError;
use crate::http::request::Request;

/// Threads that a server needs for work that blocks: one a place, and some for what needs none.
pub const BLOCKING_THREADS: usize = 2 * PLACES + 128;
/// Places for ordinary requests, and as many for those inside of stream transactions.
const PLACES: usize = 448;

/// The places of a server.
pub struct Admission {
    outside: Semaphore,
    inside: Semaphore,
    waiting: AtomicUsize,
    waiting_max: usize,
}

impl Admission {
    /// All places free; at most `waiting_max` requests may wait for one.
    pub fn new(waiting_max: usize) -> Admission {
        Admission {
            outside: Semaphore::new(PLACES),
            inside: Semaphore::new(PLACES),
            waiting: AtomicUsize::new(0),
            waiting_max,
        }
    }

    /// A place for a request, once there is one; none for an urgent request, which needs none.
    ///
    /// # Errors
    /// 503 with number 21003 when too many wait already.
    pub async fn admit(&self, request: &Request) -> Result<Option<SemaphorePermit<'_>>, ApiError> {
        if is_urgent(request) {
            return Ok(None);
        }
        let is_inside = request.header("x-arango-trx-id").is_some();
        let places = if is_inside { &self.inside } else { &self.outside };
        if let Ok(place) = places.try_acquire() {
            return Ok(Some(place));
        }
        let _waiting = Waiting::join(&self.waiting, self.waiting_max)?;
        // The semaphore is never closed.
        Ok(places.acquire().await.ok())
    }
}

/// What must be answered however busy the server is: who it is, what runs, and the end of what runs.
fn is_urgent(request: &Request) -> bool {
    match (request.segment(0), request.segment(1)) {
        (Some("_api"), Some("version")) | (Some("_admin"), _) => true,
        (Some("_api"), Some("query")) => request.method == Method::GET || request.method == Method::DELETE,
        (Some("_api"), Some("cursor")) => request.method == Method::DELETE,
        (Some("_api"), Some("transaction")) => {
            request.method == Method::DELETE || request.method == Method::PUT
        }
        _ => false,
    }
}

/// A request's place among those that wait; left when dropped, also when the client goes away.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn join(waiting: &'a AtomicUsize, waiting_max: usize) -> Result<Waiting<'a>, ApiError> {
        let joined = Waiting(waiting);
        if waiting.fetch_add(1, Ordering::Relaxed) < waiting_max {
            return Ok(joined);
        }
        Err(ApiError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            21003,
            "the server is too busy: its queue is full",
        ))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
