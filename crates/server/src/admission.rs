//! How many requests run at once, so that slow ones never shut out the ones that end them.
//!
//! A request's handler occupies a thread until it is done. Threads are bounded; were all of them busy with long
//! queries, a request to list and kill those would wait behind them. So ordinary requests share fewer places than there
//! are threads, and urgent ones need none.

use std::sync::atomic::{AtomicUsize, Ordering};

use hyper::{Method, StatusCode};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::error::ApiError;
use crate::http::request::Request;

/// Places for ordinary requests: fewer than the 512 threads that the runtime keeps for work that blocks.
const PLACES: usize = 448;

/// The places of a server.
pub struct Admission {
    places: Semaphore,
    waiting: AtomicUsize,
    waiting_max: usize,
}

impl Admission {
    /// All places free; at most `waiting_max` requests may wait for one.
    pub fn new(waiting_max: usize) -> Admission {
        Admission { places: Semaphore::new(PLACES), waiting: AtomicUsize::new(0), waiting_max }
    }

    /// A place for a request, once there is one; none for an urgent request, which needs none.
    ///
    /// # Errors
    /// 503 with number 21003 when too many wait already.
    pub async fn admit(&self, request: &Request) -> Result<Option<SemaphorePermit<'_>>, ApiError> {
        if is_urgent(request) {
            return Ok(None);
        }
        if let Ok(place) = self.places.try_acquire() {
            return Ok(Some(place));
        }
        let _waiting = Waiting::join(&self.waiting, self.waiting_max)?;
        // The semaphore is never closed.
        Ok(self.places.acquire().await.ok())
    }
}

/// What must be answered however busy the server is: who it is, what runs, and the end of what runs.
fn is_urgent(request: &Request) -> bool {
    match (request.segment(0), request.segment(1)) {
        (Some("_api"), Some("version")) | (Some("_admin"), _) => true,
        (Some("_api"), Some("query")) => request.method == Method::GET || request.method == Method::DELETE,
        (Some("_api"), Some("cursor" | "transaction")) => request.method == Method::DELETE,
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
