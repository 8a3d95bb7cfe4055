//! The server's settings, with their defaults.

use std::net::SocketAddr;
use std::time::Duration;

use crate::build_info::BuildInfo;

/// How the server listens and what it allows.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The addresses to listen on.
    pub endpoints: Vec<SocketAddr>,
    /// The largest request body in bytes; a larger one answers 413.
    pub body_bytes_max: usize,
    /// Seconds after which an unused cursor goes, when the request names none.
    pub cursor_ttl: Duration,
    /// How many cursors may be open at once.
    pub cursors_max: usize,
    /// Bytes one query may use, when the request names no limit; 0 is none.
    pub query_memory_bytes_max: usize,
    /// How long the stop waits for requests that are running.
    pub shutdown_grace: Duration,
    /// How long an idle connection stays open.
    pub keep_alive: Duration,
    /// What the server tells of its making.
    pub build_info: BuildInfo,
}

impl Default for ServerOptions {
    fn default() -> ServerOptions {
        ServerOptions {
            endpoints: vec![SocketAddr::from(([127, 0, 0, 1], 8529))],
            body_bytes_max: 1 << 30,
            cursor_ttl: Duration::from_secs(30),
            cursors_max: 16_384,
            query_memory_bytes_max: 0,
            shutdown_grace: Duration::from_secs(10),
            keep_alive: Duration::from_secs(300),
            build_info: BuildInfo::default(),
        }
    }
}
