//! Accepting connections, reading requests, running handlers, stopping.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Incoming};
use hyper::service::service_fn;
use hyper::{Method, StatusCode, Version};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use persea::Interrupt;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;

use crate::context::Context;
use crate::error::ApiError;
use crate::http::query::QueryParameters;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::target::{TARGET_BYTES_MAX, Target};
use crate::http::{content_encoding, cors, headers};
use crate::router;

/// The largest header block that is accepted, in bytes.
const HEADER_BYTES_MAX: usize = 2 << 20;
/// hyper's smallest limit is 8 KiB; requests are small and responses whole, so a small buffer serves.
const READ_BUFFER_BYTES: usize = HEADER_BYTES_MAX;

/// Connections that may wait to be accepted; the system's own limit may be lower. Beyond it, connections of a burst are
/// reset. The usual default of 128 is less than a pool of clients that starts.
const BACKLOG: u32 = 4_096;

/// Binds every endpoint.
///
/// # Errors
/// When an address can't be bound.
pub fn bind(endpoints: &[SocketAddr]) -> std::io::Result<Vec<TcpListener>> {
    endpoints.iter().map(|endpoint| listen(*endpoint)).collect()
}

fn listen(endpoint: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if endpoint.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // As a server that starts again finds its port in use for a minute otherwise.
    socket.set_reuseaddr(true)?;
    socket.bind(endpoint)?;
    socket.listen(BACKLOG)
}

/// Serves until `stop` turns true, then lets running requests finish within the grace period.
pub async fn serve(listeners: Vec<TcpListener>, context: Arc<Context>, mut stop: watch::Receiver<bool>) {
    let graceful = Arc::new(GracefulShutdown::new());
    let accepting: Vec<_> = listeners
        .into_iter()
        .map(|listener| tokio::spawn(accept(listener, context.clone(), graceful.clone(), stop.clone())))
        .collect();
    stopped(&mut stop).await;
    context.stopping.store(true, Ordering::Release);
    // What waits for a lock may wait for a client that will not come back.
    context.instance.stop_waits();
    for task in accepting {
        let _ = task.await;
    }
    if let Some(graceful) = Arc::into_inner(graceful) {
        let _ = tokio::time::timeout(context.options.shutdown_grace, graceful.shutdown()).await;
    }
}

async fn accept(
    listener: TcpListener,
    context: Arc<Context>,
    graceful: Arc<GracefulShutdown>,
    mut stop: watch::Receiver<bool>,
) {
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => converse(stream, peer, &context, &graceful),
                Err(error) => {
                    // Too many open files and the like: wait for some to close instead of spinning.
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
                }
            },
            () = stopped(&mut stop) => return,
        }
    }
}

/// Returns once the stop has begun, or nobody is left who could begin it.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    let _ = stop.wait_for(|stopping| *stopping).await;
}

fn converse(stream: TcpStream, peer: SocketAddr, context: &Arc<Context>, graceful: &GracefulShutdown) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, %peer, "cannot switch off Nagle's algorithm");
    }
    let context = context.clone();
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(context.options.keep_alive)
        .max_buf_size(READ_BUFFER_BYTES)
        .keep_alive(true);
    let service = service_fn(move |request| answer(context.clone(), request));
    let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
    let watched = graceful.watch(connection);
    tokio::spawn(async move {
        if let Err(error) = watched.await {
            tracing::debug!(%error, %peer, "connection ended");
        }
    });
}

/// Reads one request, runs its handler on a thread that may block, and shapes the answer.
async fn answer(
    context: Arc<Context>,
    wire: hyper::Request<Incoming>,
) -> Result<hyper::Response<Full<Bytes>>, Infallible> {
    let head_only = wire.method() == Method::HEAD;
    let as_vpack = wire
        .headers()
        .get("accept")
        .and_then(|value| value.to_str().ok())
        .is_some_and(headers::accepts_vpack);
    let close = wire
        .headers()
        .get("connection")
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.eq_ignore_ascii_case("close"));
    let version = wire.version();
    let origin = wire.headers().get("origin").cloned();
    let outcome = match read(&context, wire).await {
        Ok(request) => run(context, request).await,
        Err(error) => Err(error),
    };
    let response = outcome.unwrap_or_else(ApiError::into_response);
    let mut response = response.into_http(as_vpack, head_only);
    if let Some(origin) = origin {
        cors::allow(origin, response.headers_mut());
    }
    if version <= Version::HTTP_11 {
        let word = if close || version < Version::HTTP_11 { "Close" } else { "Keep-Alive" };
        response.headers_mut().insert("connection", hyper::header::HeaderValue::from_static(word));
    }
    Ok(response)
}

async fn read(context: &Context, wire: hyper::Request<Incoming>) -> Result<Request, ApiError> {
    if wire.version() < Version::HTTP_11 {
        let status = StatusCode::HTTP_VERSION_NOT_SUPPORTED;
        return Err(ApiError::new(status, status.as_u16(), "HTTP/1.0 is not supported"));
    }
    let (parts, incoming) = wire.into_parts();
    let target_bytes = parts.uri.path_and_query().map_or(0, |target| target.as_str().len());
    if target_bytes > TARGET_BYTES_MAX {
        let status = StatusCode::URI_TOO_LONG;
        return Err(ApiError::new(
            status,
            status.as_u16(),
            format!("the URL is longer than {TARGET_BYTES_MAX} bytes"),
        ));
    }
    let limit = context.options.body_bytes_max;
    // A declared length over the limit is refused before anything is read.
    if incoming.size_hint().lower() > limit as u64 {
        return Err(body_too_large(limit));
    }
    let body = match Limited::new(incoming, limit).collect().await {
        Ok(collected) => collected.to_bytes(),
        Err(error) if error.downcast_ref::<LengthLimitError>().is_some() => {
            return Err(body_too_large(limit));
        }
        Err(error) => return Err(ApiError::bad_request(format!("the request body broke off: {error}"))),
    };
    Ok(Request {
        method: parts.method,
        target: Target::parse(parts.uri.path())?,
        query: QueryParameters::parse(parts.uri.query().unwrap_or("")),
        headers: parts.headers,
        body,
        path: parts.uri.path().to_owned(),
        gone: Interrupt::new(),
    })
}

fn body_too_large(limit: usize) -> ApiError {
    let status = StatusCode::PAYLOAD_TOO_LARGE;
    ApiError::new(status, status.as_u16(), format!("the request body is larger than {limit} bytes"))
}

async fn run(context: Arc<Context>, mut request: Request) -> Result<Response, ApiError> {
    let path = request.path.clone();
    let place = Arc::new(context.admission.admit(&request).await?);
    // A transaction that the request begins may keep the interrupt, but not the place.
    let leaving = Arc::downgrade(&place);
    request.gone = Interrupt::with_wait_hook(move || {
        if let Some(place) = leaving.upgrade() {
            place.leave_for_wait();
        }
    });
    let _gone = SetOnDrop(request.gone.clone());
    let work = move || {
        // Held until the handler is done, even if its client is not there any more.
        let _place = place;
        let dispatch = || {
            let request = content_encoding::unpacked(request, context.options.body_bytes_max)?;
            router::dispatch(&context, &request)
        };
        // A panic is a bug of ours; it ends this request, never the server.
        std::panic::catch_unwind(AssertUnwindSafe(dispatch))
            .unwrap_or_else(|_| Err(internal("the request met a bug in the server; the log has more")))
    };
    match tokio::task::spawn_blocking(work).await {
        Ok(outcome) => outcome,
        Err(error) => {
            tracing::error!(%error, path, "a request's thread was lost");
            Err(internal("the request could not be run"))
        }
    }
}

/// Set when it is dropped, which the future of an answer is when its client goes away. Afterwards it does no harm.
struct SetOnDrop(Interrupt);

impl Drop for SetOnDrop {
    fn drop(&mut self) {
        self.0.set();
    }
}

fn internal(message: &str) -> ApiError {
    ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, 4, message)
}
