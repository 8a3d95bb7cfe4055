//! What is kept about one query.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use persea_collections::Interrupt;
use persea_vpack::{Builder, Slice, VPackBuf};

/// What is kept about one query, from its start on.
#[derive(Clone)]
pub(crate) struct Record {
    pub(crate) text: String,
    /// None when bind values are not to be shown.
    pub(crate) binds: Option<Arc<VPackBuf>>,
    pub(crate) started: Instant,
    pub(crate) started_at: Timestamp,
    pub(crate) is_modification: bool,
    pub(crate) is_stream: bool,
    /// Set to end the query.
    pub(crate) kill: Interrupt,
    /// The most bytes that it held so far, told by the executor.
    pub(crate) peak_memory_bytes: Arc<AtomicUsize>,
}

/// How a query ended.
#[derive(Clone, Copy)]
pub(crate) struct End {
    pub(crate) run_time: Duration,
    /// 0, or the number of the error.
    pub(crate) exit_code: u16,
    pub(crate) n_warnings: usize,
}

impl Record {
    /// Adds the record as an object in ArangoDB's shape: of a running query, or of one that ended.
    pub(crate) fn add_to(&self, builder: &mut Builder, id: u64, database: &str, end: Option<End>) {
        let run_time = end.map_or_else(|| self.started.elapsed(), |end| end.run_time);
        builder.open_object();
        builder.key("id").add_str(&id.to_string());
        builder.key("database").add_str(database);
        builder.key("user").add_str("root");
        builder.key("query").add_str(&self.text);
        builder.key("bindVars");
        match &self.binds {
            Some(binds) => builder.add_slice(binds.as_slice()),
            None => builder.add_slice(Slice::empty_object()),
        };
        builder.key("started").add_str(&format!("{:.0}", self.started_at));
        builder.key("runTime").add_f64(run_time.as_secs_f64());
        builder.key("peakMemoryUsage").add_u64(self.peak_memory_bytes.load(Ordering::Relaxed) as u64);
        builder.key("state").add_str(self.state(end));
        builder.key("stream").add_bool(self.is_stream);
        builder.key("modificationQuery").add_bool(self.is_modification);
        builder.key("warnings").add_u64(end.map_or(0, |end| end.n_warnings) as u64);
        if let Some(end) = end {
            builder.key("exitCode").add_u64(u64::from(end.exit_code));
        }
        builder.close();
    }

    fn state(&self, end: Option<End>) -> &'static str {
        if self.kill.is_set() {
            "killed"
        } else if end.is_some() {
            "finished"
        } else {
            "executing"
        }
    }
}

/// The beginning of a text, of at most `bytes_max` bytes.
pub(crate) fn shortened(text: &str, bytes_max: usize) -> String {
    let end = (0..=bytes_max.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    if end == text.len() { text.to_owned() } else { format!("{}... (truncated)", &text[..end]) }
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn long_texts_are_cut_at_a_character() {
        assert_eq!(shortened("short", 100), "short");
        assert_eq!(shortened("éé", 3), "é... (truncated)");
    }
}
