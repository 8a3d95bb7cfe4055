//! One file a route of the HTTP API; file names follow the URLs.

pub mod admin;
pub mod admin_metrics;
pub mod admin_options;
pub mod admin_server;
pub mod aqlfunction;
pub mod collection;
pub mod cursor;
pub mod database;
pub mod document;
pub mod edges;
pub mod engine;
pub mod explain;
pub mod gharial;
pub mod import;
pub mod index;
pub mod job;
pub mod options;
pub mod query;
pub mod query_cache;
pub mod simple;
pub mod transaction;
pub mod user;
pub mod version;
