#![doc = include_str!("../README.md")]

mod build_info;
mod connection;
mod context;
mod cursors;
mod error;
mod http;
mod options;
mod router;
mod routes;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use persea::Instance;
use tokio::net::TcpListener;
use tokio::sync::watch;

pub use crate::build_info::{BuildInfo, Fact};
pub use crate::options::ServerOptions;
pub use crate::routes::version::COMPATIBLE_VERSION;

/// How often expired cursors are looked for.
const CURSOR_SWEEP: Duration = Duration::from_secs(1);

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
        let listeners = connection::bind(&options.endpoints).await?;
        let context = Arc::new(context::Context {
            instance,
            cursors: cursors::Cursors::new(options.cursors_max),
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
    let mut tick = tokio::time::interval(CURSOR_SWEEP);
    loop {
        tick.tick().await;
        context.cursors.expire();
    }
}
