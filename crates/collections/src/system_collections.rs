//! The system collections every database has, and the indexes on them.

use persea_vpack::{VPackBuf, vpack};

/// Names of the system collections of a database.
pub(crate) fn names(is_system_database: bool) -> impl Iterator<Item = &'static str> {
    let everywhere =
        ["_graphs", "_analyzers", "_apps", "_appbundles", "_aqlfunctions", "_frontend", "_jobs", "_queues"];
    let system_only = ["_users", "_statistics", "_statistics15", "_statisticsRaw"];
    everywhere.into_iter().chain(system_only.into_iter().filter(move |_| is_system_database))
}

/// Index definitions of a system collection.
pub(crate) fn indexes(collection: &str) -> Vec<VPackBuf> {
    match collection {
        "_users" => {
            vec![vpack!({ "type": "persistent", "fields": ["user"], "unique": true, "sparse": true })]
        }
        "_apps" => {
            vec![vpack!({ "type": "persistent", "fields": ["mount"], "unique": true, "sparse": true })]
        }
        "_jobs" | "_queues" => vec![
            vpack!({ "type": "persistent", "fields": ["queue", "status", "delayUntil"] }),
            vpack!({ "type": "persistent", "fields": ["status", "queue", "delayUntil"] }),
        ],
        "_statistics" | "_statistics15" | "_statisticsRaw" => {
            vec![vpack!({ "type": "persistent", "fields": ["time"] })]
        }
        _ => Vec::new(),
    }
}
