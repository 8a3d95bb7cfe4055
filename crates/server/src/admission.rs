//! How many requests run at once, so that slow ones never shut out the ones that end them.
//!
//! A request's handler occupies a thread until it is done. Threads are bounded; were all of them busy with long
//! queries, a request to list and kill those would wait behind them. So ordinary requests share fewer places than there
//! are threads, and urgent ones need none.
//!
//! A request that waits for a lock gives its place back, so that a crowd of writers that waits for one collection does
//! not keep readers waiting, who need no locks. Requests inside of a stream transaction have places of their own, and
//! its end needs none, so that it can always go on and give its locks back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hyper::{Method, StatusCode};
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::ApiError;
use crate::http::request::Request;

/// Threads that a server needs for work that blocks: one a place, and some for what needs none.
pub const BLOCKING_THREADS: usize = 2 * PLACES + LOCK_WAITS + 128;
/// Places for ordinary requests, and as many for those inside of stream transactions.
const PLACES: usize = 448;
/// Requests that may wait for locks without a place. Further ones keep theirs, which bounds the threads.
const LOCK_WAITS: usize = 2_048;

/// The places of a server.
pub struct Admission {
    outside: Arc<Semaphore>,
    inside: Arc<Semaphore>,
    lock_waits: Arc<Semaphore>,
    waiting: AtomicUsize,
    waiting_max: usize,
}

impl Admission {
    /// All places free; at most `waiting_max` requests may wait for one.
    pub fn new(waiting_max: usize) -> Admission {
        Admission {
            outside: Arc::new(Semaphore::new(PLACES)),
            inside: Arc::new(Semaphore::new(PLACES)),
            lock_waits: Arc::new(Semaphore::new(LOCK_WAITS)),
            waiting: AtomicUsize::new(0),
            waiting_max,
        }
    }

    /// A place for a request, once there is one; an urgent request needs none.
    ///
    /// # Errors
    /// 503 with number 21003 when too many wait already.
    pub async fn admit(&self, request: &Request) -> Result<Place, ApiError> {
        let permit = if is_urgent(request) { None } else { self.permit(request).await? };
        Ok(Place { permit: Mutex::new(permit), lock_waits: self.lock_waits.clone() })
    }

    async fn permit(&self, request: &Request) -> Result<Option<OwnedSemaphorePermit>, ApiError> {
        let is_inside = request.header("x-arango-trx-id").is_some();
        let places = if is_inside { &self.inside } else { &self.outside };
        if let Ok(permit) = places.clone().try_acquire_owned() {
            return Ok(Some(permit));
        }
        let _waiting = Waiting::join(&self.waiting, self.waiting_max)?;
        // The semaphore is never closed.
        Ok(places.clone().acquire_owned().await.ok())
    }
}

/// A request's place; free again when dropped.
pub struct Place {
    /// That of a place, or of a wait for a lock instead.
    permit: Mutex<Option<OwnedSemaphorePermit>>,
    lock_waits: Arc<Semaphore>,
}

impl Place {
    /// Gives the place back for good as the request begins to wait for a lock. It does not come back for it: who has
    /// got a lock should use it rather than wait again.
    pub fn leave_for_wait(&self) {
        let mut permit = self.permit.lock();
        let has_place =
            permit.as_ref().is_some_and(|permit| !Arc::ptr_eq(permit.semaphore(), &self.lock_waits));
        if has_place && let Ok(wait) = self.lock_waits.clone().try_acquire_owned() {
            *permit = Some(wait);
        }
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
