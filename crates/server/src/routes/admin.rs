//! Small routes below `/_admin` and lists that are empty here, which clients ask for at their start.

use std::time::{SystemTime, UNIX_EPOCH};

use hyper::{Method, StatusCode};
use persea_vpack::{Builder, VPackBuf, vpack};

use super::version::{COMPATIBLE_VERSION, hostname};
use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;

/// `GET /_admin/status`: what runs here.
pub fn status(context: &Context, request: &Request) -> Result<Response, ApiError> {
    require(request, &[Method::GET, Method::POST])?;
    let answer = vpack!({
        "server": "arango",
        "license": "community",
        "version": COMPATIBLE_VERSION,
        "pid": (std::process::id()),
        "mode": "server",
        "operationMode": "server",
        "foxxApi": false,
        "host": (hostname()),
        "hostname": (hostname()),
        "serverInfo": {
            "progress": { "phase": "in wait", "feature": "", "recoveryTick": 0 },
            "maintenance": false,
            "role": "SINGLE",
            "writeOpsEnabled": true,
            "readOnly": false,
            "uptime": (context.started.elapsed().as_secs_f64()),
        },
    });
    Ok(Response::value(StatusCode::OK, answer))
}

/// `GET /_admin/time`: seconds since 1970.
pub fn time(_context: &Context, request: &Request) -> Result<Response, ApiError> {
    require(request, &[Method::GET])?;
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |elapsed| elapsed.as_secs_f64());
    Ok(Response::envelope(StatusCode::OK, vpack!({ "time": seconds }).as_slice()))
}

/// `/_admin/license`: none is needed, so none can be set.
pub fn license(_context: &Context, request: &Request) -> Result<Response, ApiError> {
    match request.method {
        Method::GET => Ok(Response::value(StatusCode::OK, vpack!({ "license": "none" }))),
        Method::PUT => Err(ApiError::not_implemented("this server needs no license and takes none")),
        _ => Err(ApiError::method_not_allowed()),
    }
}

/// `GET /_admin/database/target-version`: the version that data is kept in, as one number in text.
pub fn target_version(_context: &Context, request: &Request) -> Result<Response, ApiError> {
    require(request, &[Method::GET])?;
    let number = COMPATIBLE_VERSION
        .split('.')
        .filter_map(|part| part.parse::<u32>().ok())
        .fold(0, |number, part| number * 100 + part);
    Ok(Response::envelope(StatusCode::OK, vpack!({ "version": (number.to_string()) }).as_slice()))
}

/// `/_admin/echo`: the request, sent back.
pub fn echo(_context: &Context, request: &Request) -> Result<Response, ApiError> {
    let mut builder = Builder::new();
    builder.open_object();
    builder.key("authorized");
    builder.add_bool(true);
    builder.key("user");
    builder.add_str("root");
    builder.key("isAdminUser");
    builder.add_bool(true);
    builder.key("database");
    builder.add_str(&request.target.database);
    builder.key("url");
    builder.add_str(&request.path);
    builder.key("protocol");
    builder.add_str("http");
    builder.key("requestType");
    builder.add_str(request.method.as_str());
    builder.key("requestBody");
    builder.add_str(&String::from_utf8_lossy(&request.body));
    builder.key("rawRequestBody");
    builder.add_str(&String::from_utf8_lossy(&request.body));
    builder.key("headers");
    builder.open_object();
    for (name, value) in &request.headers {
        builder.key(name.as_str());
        builder.add_str(&String::from_utf8_lossy(value.as_bytes()));
    }
    builder.close();
    builder.key("suffix");
    builder.open_array();
    for segment in request.target.segments.iter().skip(2) {
        builder.add_str(segment);
    }
    builder.close();
    builder.close();
    Ok(Response::value(StatusCode::OK, finished(&mut builder)?))
}

/// `PUT /_admin/wal/flush` and its like: writes that were acknowledged are made durable.
pub fn wal(context: &Context, request: &Request) -> Result<Response, ApiError> {
    match request.segment(2) {
        Some("flush") if request.method == Method::PUT => {
            context.instance.sync()?;
            Ok(Response::envelope(StatusCode::OK, vpack!({}).as_slice()))
        }
        // Selectivity estimates are kept up with each commit; there is nothing to wait for.
        Some("wait_for_estimator_sync") => Ok(Response::envelope(StatusCode::OK, vpack!({}).as_slice())),
        Some("properties" | "transactions") => Err(ApiError::not_implemented("this engine has no such log")),
        _ => Err(ApiError::unknown_path(&request.path)),
    }
}

/// `POST /_admin/routing/reload`: there are no services to route to.
pub fn routing_reload(_context: &Context, request: &Request) -> Result<Response, ApiError> {
    require(request, &[Method::POST, Method::GET])?;
    Ok(Response::envelope(StatusCode::OK, vpack!({}).as_slice()))
}

/// `/_api/tasks`: no tasks run here, since there is no JavaScript.
pub fn tasks(_context: &Context, request: &Request) -> Result<Response, ApiError> {
    match (&request.method, request.segment(2)) {
        (&Method::GET, None) => Ok(Response::value(StatusCode::OK, vpack!([]))),
        (&Method::GET | &Method::DELETE, Some(_)) => {
            Err(ApiError::new(StatusCode::NOT_FOUND, 1852, "task not found"))
        }
        _ => Err(ApiError::not_implemented("tasks need JavaScript, which is not available")),
    }
}

/// `/_api/foxx`: no services are installed here, since there is no JavaScript.
pub fn foxx(_context: &Context, request: &Request) -> Result<Response, ApiError> {
    match (&request.method, request.segment(2)) {
        (&Method::GET, None) => Ok(Response::value(StatusCode::OK, vpack!([]))),
        _ => Err(ApiError::not_implemented("services need JavaScript, which is not available")),
    }
}

fn require(request: &Request, methods: &[Method]) -> Result<(), ApiError> {
    if methods.contains(&request.method) {
        return Ok(());
    }
    Err(ApiError::method_not_allowed())
}

fn finished(builder: &mut Builder) -> Result<VPackBuf, ApiError> {
    builder.finish().map_err(|error| ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, 4, error.to_string()))
}
