//! Tests of the HTTP API against the real server process.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that can't go on fails there and then"
)]

mod arrays_and_locks;
mod client;
#[path = "../../../../tests/support/seeds.rs"]
mod seeds;
#[allow(dead_code, reason = "shared with the tests of maintenance")]
mod server;

mod collections;
mod cursors;
mod databases;
mod datasets;
mod documents;
mod durability;
mod errors;
mod gharial;
mod histories;
mod import;
mod import_overwrite;
mod indexes;
mod intermediate_commits;
mod kill;
mod limits;
mod query_tracking;
mod simple;
mod transaction_locks;
mod transactions;
mod version;
mod wire;
