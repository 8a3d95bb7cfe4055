#![doc = include_str!("../README.md")]

mod admission;
mod build_info;
mod connection;
mod context;
mod cursors;
mod error;
mod http;
mod options;
mod router;
mod routes;
mod scope;
mod transactions;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use persea::Instance;
use tokio::net::TcpListener;
use tokio::sync::watch;

pub use crate::admission::BLOCKING_THREADS;
pub use crate::build_info::{BuildInfo, Fact};
pub use crate::options::ServerOptions;
pub use crate::routes::version::COMPATIBLE_VERSION;

/// How often expired cursors and transactions are looked for.
const SWEEP: Duration = Duration::from_secs(1);

/// A server that is bound to its addresses and not yet running.
pub struct Server {
    listeners: Vec<TcpListener>,
    context: Arc<context::Context>,
}

impl Server {
    /// Binds the endpoints of the options.
    ///
    /// # Errors
    /// When an address can't be bound.
    pub async fn bind(instance: Instance, options: ServerOptions) -> std::io::Result<Server> {
        let listeners = connection::bind(&options.endpoints)?;
        let context = Arc::new(context::Context {
            instance,
            cursors: cursors::Cursors::new(options.cursors_max),
            admission: admission::Admission::new(options.requests_waiting_max),
            transactions: transactions::Transactions::new(transactions::Limits {
                running_max: options.transactions_max,
                idle: options.transaction_idle,
                busy_wait: options.transaction_busy_wait,
            }),
            options,
            started: Instant::now(),
            stopping: Arc::new(AtomicBool::new(false)),
        });
        Ok(Server { listeners, context })
    }

    /// The addresses it listens on; the port is the real one where the options said 0.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.listeners.iter().filter_map(|listener| listener.local_addr().ok()).collect()
    }

    /// Serves until `stop` turns true; requests that are running then may finish within the grace period.
    pub async fn run(self, stop: watch::Receiver<bool>) {
        let sweeper = tokio::spawn(sweep(self.context.clone()));
        connection::serve(self.listeners, self.context, stop).await;
        sweeper.abort();
    }
}

async fn sweep(context: Arc<context::Context>) {
    let mut tick = tokio::time::interval(SWEEP);
    loop {
        tick.tick().await;
        let context = context.clone();
        // Dropping large results and aborting takes its time, which the threads of the connections don't have.
        let swept = tokio::task::spawn_blocking(move || {
            context.cursors.expire();
            context.transactions.expire();
        });
        if let Err(error) = swept.await {
            tracing::error!(%error, "looking for expired cursors and transactions failed");
        }
    }
}
