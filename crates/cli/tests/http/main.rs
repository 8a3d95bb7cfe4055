//! Tests of the HTTP API against the real server process.

mod client;
mod server;

mod collections;
mod cursors;
mod databases;
mod datasets;
mod documents;
mod durability;
mod errors;
mod gharial;
mod import;
mod indexes;
mod limits;
mod version;
