//! Open cursors: results that clients fetch batch by batch.
//!
//! A cursor goes when its last batch was fetched, when it is deleted, or when nobody asked for it for its
//! time to live. A stream cursor also goes with the stream transaction it was opened in. With retry allowed it stays after the last batch, and keeps that batch for asking again.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use persea::QueryOutcome;

use crate::error::ApiError;
use crate::transactions::StreamTransaction;

/// How a cursor hands out its rows.
#[derive(Clone, Copy, Debug)]
pub struct CursorOptions {
    /// Rows a batch.
    pub batch_rows: usize,
    /// Whether answers tell the number of all rows.
    pub count: bool,
    /// How long it stays without being asked.
    pub ttl: Duration,
    /// Whether the last batch can be asked for again.
    pub allow_retry: bool,
    /// Whether rows are meant to be fetched as they come: nothing is told of the whole result before its last batch.
    pub stream: bool,
}

/// One cursor's state.
pub struct Cursor {
    /// The rows and what is told about them.
    pub outcome: QueryOutcome,
    /// Its options.
    pub options: CursorOptions,
    /// The row after the last one handed out.
    pub position: usize,
    /// The number of the batch handed out last; the first is 1.
    pub batch: u64,
    /// The row that batch began with.
    pub batch_start: usize,
    /// The stream transaction it was opened in.
    pub transaction: Option<Arc<StreamTransaction>>,
}

impl Cursor {
    /// Whether it went with its transaction. What was read whole is the client's, however the transaction ends.
    fn is_over(&self) -> bool {
        self.options.stream && self.transaction.as_ref().is_some_and(|transaction| !transaction.is_running())
    }
}

struct Entry {
    database: String,
    /// Locked while a batch is fetched; a second fetch at the same time is refused.
    cursor: Arc<Mutex<Cursor>>,
    ttl: Duration,
    deadline: Instant,
}

/// All open cursors of the server.
pub struct Cursors {
    entries: Mutex<HashMap<u64, Entry>>,
    next_id: AtomicU64,
    limit: usize,
}

impl Cursors {
    /// No cursors yet; at most `limit` at once.
    pub fn new(limit: usize) -> Cursors {
        // Ids start at the clock so that one from before a restart doesn't meet another's cursor.
        let seed = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(1, |elapsed| elapsed.as_secs() << 16);
        Cursors { entries: Mutex::new(HashMap::new()), next_id: AtomicU64::new(seed), limit }
    }

    /// Keeps a cursor and gives its id.
    ///
    /// # Errors
    /// Number 32 when too many are open.
    pub fn insert(&self, database: &str, cursor: Cursor) -> Result<u64, ApiError> {
        let mut entries = self.entries.lock();
        remove_expired(&mut entries);
        if entries.len() >= self.limit {
            return Err(
                persea::Error::with_number(32, format!("more than {} cursors are open", self.limit)).into()
            );
        }
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let ttl = cursor.options.ttl;
        let entry = Entry {
            database: database.to_owned(),
            cursor: Arc::new(Mutex::new(cursor)),
            ttl,
            deadline: Instant::now() + ttl,
        };
        entries.insert(id, entry);
        Ok(id)
    }

    /// Runs `fetch` on a cursor, and restarts its time to live. `fetch` answers whether the cursor is to stay.
    ///
    /// # Errors
    /// 1600 when there is no such cursor in this database, 1601 while another request fetches from it; `fetch`'s own.
    pub fn fetch<T>(
        &self,
        database: &str,
        id: &str,
        fetch: impl FnOnce(u64, &mut Cursor) -> Result<(T, bool), ApiError>,
    ) -> Result<T, ApiError> {
        let number: u64 = id.parse().map_err(|_| not_found())?;
        let cursor = {
            let mut entries = self.entries.lock();
            remove_expired(&mut entries);
            let entry =
                entries.get_mut(&number).filter(|entry| entry.database == database).ok_or_else(not_found)?;
            entry.deadline = Instant::now() + entry.ttl;
            entry.cursor.clone()
        };
        let mut cursor = cursor
            .try_lock()
            .ok_or_else(|| ApiError::from(persea::Error::with_number(1601, "cursor is busy")))?;
        if cursor.is_over() {
            drop(cursor);
            self.entries.lock().remove(&number);
            return Err(not_found());
        }
        if let Some(transaction) = &cursor.transaction {
            transaction.touch();
        }
        let (answer, stays) = fetch(number, &mut cursor)?;
        if !stays {
            self.entries.lock().remove(&number);
        }
        Ok(answer)
    }

    /// Removes a cursor.
    ///
    /// # Errors
    /// 1600 when there is no such cursor in this database.
    pub fn remove(&self, database: &str, id: &str) -> Result<(), ApiError> {
        let number: u64 = id.parse().map_err(|_| not_found())?;
        let mut entries = self.entries.lock();
        if entries.get(&number).is_none_or(|entry| entry.database != database) {
            return Err(not_found());
        }
        entries.remove(&number);
        Ok(())
    }

    /// Removes all cursors of a database.
    pub fn remove_database(&self, database: &str) {
        self.entries.lock().retain(|_, entry| entry.database != database);
    }

    /// Removes cursors nobody asked for in time.
    pub fn expire(&self) {
        remove_expired(&mut self.entries.lock());
    }
}

fn remove_expired(entries: &mut HashMap<u64, Entry>) {
    let now = Instant::now();
    entries.retain(|_, entry| entry.deadline > now);
}

fn not_found() -> ApiError {
    persea::Error::with_number(1600, "cursor not found").into()
}
