//! Tests of looking after a database folder, with the real binary: backup, compact, check, and the options of storage.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test that can't go on fails there and then")]

#[allow(dead_code, reason = "shared with the tests of the HTTP API")]
#[path = "../http/client.rs"]
mod client;
#[allow(dead_code, reason = "shared with the tests of the HTTP API")]
#[path = "../http/server.rs"]
mod server;

mod backup;
mod check;
mod command;
mod compact;
mod full_disk;
mod locks;
mod lost_files;
mod map_size;
mod options;
