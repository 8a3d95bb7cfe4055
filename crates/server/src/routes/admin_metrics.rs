//! `/_admin/metrics` and `/_admin/metrics/v2`: figures in Prometheus' text format.

use std::fmt::Write;

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

fn figures(storage: &StorageMetrics, uptime: f64) -> [Figure; 27] {
    let number = |number: u64| number as f64;
    [
        ("arangodb_server_statistics_server_uptime_total", Counter, "Seconds since the start", uptime),
        ("persea_commits_total", Counter, "Transactions committed", number(storage.commits)),
        ("persea_aborts_total", Counter, "Transactions aborted", number(storage.aborts)),
        ("persea_last_commit", Gauge, "Number of the newest commit", number(storage.last_commit)),
        (
            "persea_commit_groups_total",
            Counter,
            "Groups of commits written together",
            number(storage.commit_groups),
        ),
        ("persea_grouped_commits_total", Counter, "Commits in these groups", number(storage.grouped_commits)),
        ("persea_commit_group_max", Gauge, "Commits in the largest group", number(storage.group_commits_max)),
        (
            "persea_bulk_commits_total",
            Counter,
            "Commits that went past the log for their size",
            number(storage.bulk_commits),
        ),
        (
            "persea_conflicts_total",
            Counter,
            "Writes of a document or unique value that met another transaction's",
            number(storage.conflicts),
        ),
        ("persea_transactions_active", Gauge, "Transactions running", number(storage.active_transactions)),
        (
            "persea_transactions_waiting",
            Gauge,
            "Transactions that wait for a lock",
            number(storage.waiting_transactions),
        ),
        (
            "persea_collections_locked",
            Gauge,
            "Collections locked for writing or exclusively",
            number(storage.locked_collections),
        ),
        ("persea_lock_waits_total", Counter, "Waits for locks", number(storage.lock_waits)),
        (
            "persea_lock_timeouts_total",
            Counter,
            "Waits for locks that took too long",
            number(storage.lock_timeouts),
        ),
        (
            "persea_deadlocks_total",
            Counter,
            "Deadlocks ended by rolling a transaction back",
            number(storage.deadlocks),
        ),
        ("persea_log_bytes", Gauge, "Bytes of log that a restart reads", number(storage.log_bytes)),
        (
            "persea_log_written_bytes_total",
            Counter,
            "Bytes appended to the log",
            number(storage.log_written_bytes),
        ),
        ("persea_log_syncs_total", Counter, "Syncs of the log", number(storage.log_syncs)),
        (
            "persea_synced_commits_total",
            Counter,
            "Commits that waited for a sync",
            number(storage.synced_commits),
        ),
        (
            "persea_delta_bytes",
            Gauge,
            "Memory of commits that no checkpoint has written yet",
            number(storage.delta_bytes),
        ),
        ("persea_checkpoints_total", Counter, "Checkpoints done", number(storage.checkpoints)),
        (
            "persea_checkpoint_failures_total",
            Counter,
            "Checkpoints that failed",
            number(storage.checkpoint_failures),
        ),
        ("persea_read_only", Gauge, "1 while writes are refused", f64::from(u8::from(storage.is_read_only))),
        (
            "persea_snapshots_live",
            Gauge,
            "States of the database that are being read",
            number(storage.live_snapshots),
        ),
        (
            "persea_snapshot_oldest_age_seconds",
            Gauge,
            "Age of the oldest of them; what it sees stays in the file",
            storage.oldest_snapshot_age.as_secs_f64(),
        ),
        (
            "persea_snapshots_expired_total",
            Counter,
            "Snapshots given up for their age",
            number(storage.expired_snapshots),
        ),
        (
            "persea_clears_pending",
            Gauge,
            "Ranges of dropped collections still to be cleared",
            number(storage.pending_clears),
        ),
    ]
}

fn text(storage: &StorageMetrics, uptime: f64) -> String {
    let mut text = String::new();
    for (name, kind, help, value) in figures(storage, uptime) {
        let kind = match kind {
            Counter => "counter",
            Gauge => "gauge",
        };
        // Writing to a string does not fail.
        let _ = writeln!(text, "# HELP {name} {help}.\n# TYPE {name} {kind}\n{name} {value}");
    }
    text
}
