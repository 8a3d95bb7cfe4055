//! The queries that run now: they can be listed and killed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use jiff::Timestamp;
use parking_lot::Mutex;
use persea_vpack::{Builder, VPackBuf};

use crate::error::{Error, Result};

/// The longest query text that the list shows, in bytes.
const TEXT_BYTES_MAX: usize = 4_096;

struct Entry {
    database: String,
    text: String,
    started: Instant,
    started_at: Timestamp,
    is_modification: bool,
    kill: Arc<AtomicBool>,
}

/// The queries that run now.
#[derive(Default)]
pub(crate) struct RunningQueries {
    entries: Mutex<BTreeMap<u64, Entry>>,
    next_id: AtomicU64,
}

/// A query's place in the list; leaving it when dropped.
pub(crate) struct Registration {
    queries: Arc<RunningQueries>,
    id: u64,
    /// Set to end the query.
    pub(crate) kill: Arc<AtomicBool>,
}

impl RunningQueries {
    pub(crate) fn register(
        self: &Arc<Self>,
        database: &str,
        text: &str,
        is_modification: bool,
    ) -> Registration {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed) + 1;
        let kill = Arc::new(AtomicBool::new(false));
        let entry = Entry {
            database: database.to_owned(),
            text: shortened(text),
            started: Instant::now(),
            started_at: Timestamp::now(),
            is_modification,
            kill: kill.clone(),
        };
        self.entries.lock().insert(id, entry);
        Registration { queries: self.clone(), id, kill }
    }

    pub(crate) fn list(&self, database: &str) -> Result<VPackBuf> {
        let mut builder = Builder::new();
        builder.open_array();
        for (id, entry) in self.entries.lock().iter().filter(|(_, entry)| entry.database == database) {
            builder.open_object();
            builder.key("id").add_str(&id.to_string());
            builder.key("database").add_str(&entry.database);
            builder.key("user").add_str("root");
            builder.key("query").add_str(&entry.text);
            builder.key("started").add_str(&format!("{:.0}", entry.started_at));
            builder.key("runTime").add_f64(entry.started.elapsed().as_secs_f64());
            builder.key("state").add_str(if entry.kill.load(Ordering::Relaxed) {
                "killed"
            } else {
                "executing"
            });
            builder.key("stream").add_bool(false);
            builder.key("modificationQuery").add_bool(entry.is_modification);
            builder.close();
        }
        builder.close();
        Ok(builder.finish()?)
    }

    pub(crate) fn kill(&self, database: &str, id: &str) -> Result<()> {
        let entries = self.entries.lock();
        let entry =
            id.parse().ok().and_then(|id: u64| entries.get(&id)).filter(|entry| entry.database == database);
        let entry = entry.ok_or_else(|| Error::with_number(1591, "query ID not found"))?;
        entry.kill.store(true, Ordering::Relaxed);
        Ok(())
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        self.queries.entries.lock().remove(&self.id);
    }
}

fn shortened(text: &str) -> String {
    let end = (0..=TEXT_BYTES_MAX.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    if end == text.len() { text.to_owned() } else { format!("{}... (truncated)", &text[..end]) }
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn long_texts_are_cut_at_a_character() {
        assert_eq!(shortened("short"), "short");
        assert!(shortened(&"é".repeat(5_000)).ends_with("é... (truncated)"));
    }
}
