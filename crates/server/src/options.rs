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
    /// How many stream transactions may run at once. Each may hold a snapshot of its own, and the storage has room for
    /// 1,024 of these.
    pub transactions_max: usize,
    /// How long a stream transaction may stay unused before it is aborted.
    pub transaction_idle: Duration,
    /// How long a request waits for another one in the same stream transaction.
    pub transaction_busy_wait: Duration,
    /// Bytes of keys and values that one stream transaction may write.
    pub transaction_bytes_max: u64,
    /// How many requests may wait for their turn while others run; one more answers 503.
    pub requests_waiting_max: usize,
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
            transactions_max: 512,
            transaction_idle: Duration::from_secs(60),
            transaction_busy_wait: Duration::from_secs(8),
            transaction_bytes_max: 512 << 20,
            requests_waiting_max: 4_096,
            shutdown_grace: Duration::from_secs(10),
            keep_alive: Duration::from_secs(300),
            build_info: BuildInfo::default(),
        }
    }
}
