//! `persea serve`: the server process. Options carry arangod's names beside short ones.

mod duration;
mod endpoint;
mod open_files;
mod size;

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use clap::Args;
use persea::{Instance, InstanceOptions};
use persea_server::{Server, ServerOptions};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// arangod's limit.
const TRANSACTION_IDLE_MAX: Duration = Duration::from_secs(120);

/// What to serve and where.
#[derive(Args)]
pub struct Options {
    /// Folder of the database; made when it is missing
    #[arg(long = "data", visible_alias = "database.directory", value_name = "DIR")]
    data: Option<PathBuf>,

    /// Folder of the database, as with --data; either is needed, or --in-memory
    #[arg(value_name = "DIR", conflicts_with = "data")]
    folder: Option<PathBuf>,

    /// Keep everything in memory; nothing is left after the stop
    #[arg(long = "in-memory", conflicts_with_all = ["data", "folder"])]
    in_memory: bool,

    /// Address to listen on, as tcp://HOST:PORT; may be repeated
    #[arg(
        long = "endpoint",
        visible_alias = "server.endpoint",
        value_name = "URL",
        default_value = "tcp://127.0.0.1:8529",
        value_parser = endpoint::parse
    )]
    endpoints: Vec<SocketAddr>,

    /// Whether requests need a user and password. Only `false` is supported so far; without the option,
    /// the server starts on loopback addresses only
    #[arg(long = "server.authentication", value_name = "BOOL", num_args = 0..=1, default_missing_value = "true",
        value_parser = clap::builder::BoolishValueParser::new())]
    authentication: Option<bool>,

    /// Bytes one query may use; 0 is no limit; suffixes like mb and gib are understood
    #[arg(long = "query.memory-limit", value_name = "BYTES", default_value = "0", value_parser = size::parse)]
    query_memory_limit: usize,

    /// Largest request body in bytes
    #[arg(long = "http.body-limit", value_name = "BYTES", default_value = "1gib", value_parser = size::parse)]
    body_limit: usize,

    /// Seconds after which an idle connection is closed
    #[arg(long = "http.keep-alive-timeout", value_name = "SECONDS", default_value = "300", value_parser = duration::parse)]
    keep_alive_timeout: Duration,

    /// Seconds after which a cursor that nobody asks for goes
    #[arg(long = "query.registry-ttl", value_name = "SECONDS", default_value = "30", value_parser = duration::parse)]
    cursor_ttl: Duration,

    /// Seconds after which a stream transaction that nobody uses is aborted; 120 at most
    #[arg(long = "transaction.streaming-idle-timeout", value_name = "SECONDS", default_value = "60", value_parser = duration::parse)]
    transaction_idle: Duration,

    /// Seconds that a request waits for another one in the same stream transaction
    #[arg(long = "transaction.streaming-lock-timeout", value_name = "SECONDS", default_value = "8", value_parser = duration::parse)]
    transaction_busy_wait: Duration,

    /// Bytes that one stream transaction may write
    #[arg(long = "transaction.streaming-max-transaction-size", value_name = "BYTES", default_value = "512mib", value_parser = size::parse)]
    transaction_bytes_max: usize,

    /// How many stream transactions may run at once
    #[arg(long = "transaction.streaming-max-transactions", value_name = "N", default_value_t = 512)]
    transactions_max: usize,

    /// Serve a folder for reading only, also while another process writes to it
    #[arg(long = "read-only", conflicts_with_all = ["in_memory", "wal_ignore_damage"])]
    read_only: bool,

    /// Milliseconds after which writes that nobody waits for are brought to the disk; a power failure may take what is
    /// younger. 0 leaves it to requests with waitForSync
    #[arg(
        long = "wal.sync-interval",
        visible_alias = "rocksdb.sync-interval",
        value_name = "MS",
        default_value_t = 100
    )]
    wal_sync_interval: u64,

    /// Start in spite of damage in the middle of the log, without the commits that can't be read; see persea check
    #[arg(long = "wal.ignore-damage")]
    wal_ignore_damage: bool,

    /// Memory in bytes for commits that are in the log only. A checkpoint brings them to the data file when it is used up
    #[arg(long = "storage.delta-size", value_name = "BYTES", default_value = "64mib", value_parser = size::parse)]
    delta_size: usize,

    /// Seconds after which a checkpoint begins at the latest
    #[arg(long = "storage.checkpoint-interval", value_name = "SECONDS", default_value = "10", value_parser = duration::parse)]
    checkpoint_interval: Duration,

    /// Seconds for which a query or transaction may go on to read an outdated state. The data file keeps what it sees
    /// and grows as long. 0 is no limit; after it, reading on fails with error 1654
    #[arg(long = "transaction.snapshot-age-max", value_name = "SECONDS", default_value = "0", value_parser = duration::parse)]
    snapshot_age_max: Duration,

    /// How much to log: error, warning, info, debug, trace
    #[arg(long = "log.level", value_name = "LEVEL", default_value = "info")]
    log_level: String,

    /// Worker threads that talk to connections; 0 takes one a core
    #[arg(long = "server.io-threads", value_name = "N", default_value_t = 0)]
    io_threads: usize,
}

/// Runs the server.
///
/// # Errors
/// When options don't fit, the folder can't be opened, or an address can't be bound.
pub fn run(options: Options) -> anyhow::Result<()> {
    start_log(&options.log_level)?;
    open_files::raise_limit();
    check_authentication(&options)?;
    let opening = Instant::now();
    let instance = open(&options)?;
    tracing::info!(milliseconds = opening.elapsed().as_millis() as u64, "database opened");
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.max_blocking_threads(persea_server::BLOCKING_THREADS);
    if options.io_threads > 0 {
        runtime.worker_threads(options.io_threads);
    }
    let runtime = runtime.enable_all().build().context("cannot start the server's threads")?;
    let keeper = instance.clone();
    runtime.block_on(listen(instance, server_options(&options)))?;
    runtime.shutdown_timeout(Duration::from_secs(1));
    keeper.sync().context("cannot make the last writes durable")?;
    tracing::info!("stopped");
    Ok(())
}

async fn listen(instance: Instance, options: ServerOptions) -> anyhow::Result<()> {
    // Handlers are in place before anything is promised, so that an early SIGTERM is no crash.
    let mut terminate = signal(SignalKind::terminate()).context("cannot watch for SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot watch for SIGINT")?;
    let endpoints = options.endpoints.clone();
    let server =
        Server::bind(instance, options).await.with_context(|| format!("cannot listen on {endpoints:?}"))?;
    for address in server.addresses() {
        tracing::info!("listening on tcp://{address}");
    }
    tracing::info!("Persea {} is ready for business. Have fun!", env!("CARGO_PKG_VERSION"));
    let (stop, stopping) = watch::channel(false);
    let serving = tokio::spawn(server.run(stopping));
    tokio::select! {
        _ = terminate.recv() => tracing::info!("SIGTERM: stopping"),
        _ = interrupt.recv() => tracing::info!("interrupted: stopping"),
    }
    stop.send(true).context("the server ended before it was told to")?;
    serving.await.context("the server did not stop well")
}

fn open(options: &Options) -> anyhow::Result<Instance> {
    if options.in_memory {
        return Ok(Instance::in_memory()?);
    }
    let Some(folder) = options.data.as_ref().or(options.folder.as_ref()) else {
        bail!("where is the database? Give --data DIR (or --in-memory)");
    };
    let storage = storage_options(options);
    let opened = match options.read_only {
        true => Instance::open_read_only_with(folder, &storage),
        false => Instance::open_with(folder, &storage),
    };
    opened.with_context(|| format!("cannot open the database in {}", folder.display()))
}

fn storage_options(options: &Options) -> InstanceOptions {
    let mut storage = InstanceOptions::default();
    storage.log_sync_interval =
        (options.wal_sync_interval > 0).then(|| Duration::from_millis(options.wal_sync_interval));
    storage.ignore_log_damage = options.wal_ignore_damage;
    storage.delta_bytes_max = options.delta_size;
    storage.checkpoint_interval = at_least_a_moment(options.checkpoint_interval);
    storage.snapshot_age_max = (!options.snapshot_age_max.is_zero()).then_some(options.snapshot_age_max);
    storage
}

fn check_authentication(options: &Options) -> anyhow::Result<()> {
    match options.authentication {
        Some(true) => {
            bail!("authentication is not implemented yet: start with --server.authentication false")
        }
        Some(false) => Ok(()),
        None => {
            let open = options.endpoints.iter().find(|endpoint| !endpoint.ip().is_loopback());
            ensure!(
                open.is_none(),
                "there is no authentication yet: give --server.authentication false to let everybody who reaches {} in",
                open.map(ToString::to_string).unwrap_or_default()
            );
            tracing::warn!("there is no authentication: every local user may read and write everything");
            Ok(())
        }
    }
}

fn server_options(options: &Options) -> ServerOptions {
    ServerOptions {
        endpoints: options.endpoints.clone(),
        body_bytes_max: options.body_limit,
        cursor_ttl: at_least_a_moment(options.cursor_ttl),
        query_memory_bytes_max: options.query_memory_limit,
        transactions_max: options.transactions_max,
        transaction_idle: at_least_a_moment(options.transaction_idle.min(TRANSACTION_IDLE_MAX)),
        transaction_busy_wait: at_least_a_moment(options.transaction_busy_wait),
        transaction_bytes_max: options.transaction_bytes_max as u64,
        keep_alive: at_least_a_moment(options.keep_alive_timeout),
        build_info: crate::version::build_info(),
        ..ServerOptions::default()
    }
}

/// For options where 0 means as good as at once.
fn at_least_a_moment(duration: Duration) -> Duration {
    duration.max(Duration::from_millis(1))
}

fn start_log(level: &str) -> anyhow::Result<()> {
    let level = match level.to_ascii_lowercase().as_str() {
        "fatal" | "error" => tracing::Level::ERROR,
        "warning" | "warn" => tracing::Level::WARN,
        "info" => tracing::Level::INFO,
        "debug" => tracing::Level::DEBUG,
        "trace" => tracing::Level::TRACE,
        other => bail!("unknown log level '{other}'"),
    };
    tracing_subscriber::fmt()
        .with_max_level(level)
        .with_target(false)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr)
        // It would tell of lines that can't be written on standard error, and panic as that can't be written to either.
        .log_internal_errors(false)
        .init();
    Ok(())
}
