//! `/_admin/metrics` and `/_admin/metrics/v2`: figures in Prometheus' text format.

use std::fmt::Write;
use std::time::Duration;

use hyper::{Method, StatusCode};
use persea::StorageMetrics;

use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;

/// Handles the routes.
pub fn handle(context: &Context, request: &Request) -> Result<Response, ApiError> {
    if request.method != Method::GET && request.method != Method::HEAD {
        return Err(ApiError::method_not_allowed());
    }
    match request.segment(2) {
        None | Some("v2") => {
            let uptime = context.started.elapsed().as_secs_f64();
            Ok(Response::text(StatusCode::OK, text(&context.instance.storage_metrics(), uptime)))
        }
        Some(_) => Err(ApiError::unknown_path(&request.path)),
    }
}

/// A figure: its name, whether it only grows, what it tells, and its value.
type Figure = (&'static str, Kind, &'static str, f64);

#[derive(Clone, Copy)]
enum Kind {
    Counter,
    Gauge,
}
use Kind::{Counter, Gauge};

/// What can be shown as a figure.
trait Number {
    fn number(self) -> f64;
}

impl Number for u64 {
    fn number(self) -> f64 {
        self as f64
    }
}

impl Number for bool {
    fn number(self) -> f64 {
        u8::from(self).into()
    }
}

impl Number for Duration {
    fn number(self) -> f64 {
        self.as_secs_f64()
    }
}

/// Figures of fields. A name is the field's own, `persea_` before it and, if it only grows, `_total` behind it; where
/// Prometheus' habits want another order of words, it is given.
macro_rules! figures {
    ($storage:expr; $($kind:ident $field:ident $(as $name:literal)?: $help:literal;)*) => {
        vec![$((figures!(@name $kind $field $($name)?), $kind, $help, $storage.$field.number()),)*]
    };
    (@name $kind:ident $field:ident $name:literal) => { concat!("persea_", $name) };
    (@name Counter $field:ident) => { concat!("persea_", stringify!($field), "_total") };
    (@name Gauge $field:ident) => { concat!("persea_", stringify!($field)) };
}

fn figures(storage: &StorageMetrics) -> Vec<Figure> {
    figures! { storage;
        Counter commits: "Transactions committed";
        Counter aborts: "Transactions aborted";
        Gauge last_commit: "Number of the newest commit";
        Counter commit_groups: "Groups of commits written together";
        Counter grouped_commits: "Commits in these groups";
        Gauge group_commits_max as "commit_group_max": "Commits in the largest group";
        Counter bulk_commits: "Commits that went past the log for their size";
        Counter conflicts: "Writes of a document or unique value that met another transaction's";
        Gauge active_transactions as "transactions_active": "Transactions running";
        Gauge waiting_transactions as "transactions_waiting": "Transactions that wait for a lock";
        Gauge locked_collections as "collections_locked": "Collections locked for writing or exclusively";
        Counter lock_waits: "Waits for locks";
        Counter lock_timeouts: "Waits for locks that took too long";
        Counter deadlocks: "Deadlocks ended by rolling a transaction back";
        Gauge log_bytes: "Bytes of log that a restart reads";
        Counter log_written_bytes: "Bytes appended to the log";
        Counter log_syncs: "Syncs of the log";
        Counter synced_commits: "Commits that waited for a sync";
        Gauge delta_bytes: "Memory of commits that no checkpoint has written yet";
        Counter checkpoints: "Checkpoints done";
        Counter checkpoint_failures: "Checkpoints that failed";
        Gauge is_read_only as "read_only": "1 while writes are refused";
        Gauge live_snapshots as "snapshots_live": "States of the database that are being read";
        Gauge oldest_snapshot_age as "snapshot_oldest_age_seconds":
            "Age of the oldest of them; what it sees stays in the file";
        Counter expired_snapshots as "snapshots_expired_total": "Snapshots given up for their age";
        Gauge pending_clears as "clears_pending": "Ranges of dropped collections still to be cleared";
    }
}

fn text(storage: &StorageMetrics, uptime: f64) -> String {
    let uptime =
        ("arangodb_server_statistics_server_uptime_total", Counter, "Seconds since the start", uptime);
    let mut text = String::new();
    for (name, kind, help, value) in std::iter::once(uptime).chain(figures(storage)) {
        let kind = match kind {
            Counter => "counter",
            Gauge => "gauge",
        };
        // Writing to a string does not fail.
        let _ = writeln!(text, "# HELP {name} {help}.\n# TYPE {name} {kind}\n{name} {value}");
    }
    text
}
