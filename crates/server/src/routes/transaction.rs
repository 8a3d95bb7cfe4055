//! `/_api/transaction`: begin, inspect, commit and abort stream transactions.

use std::time::Duration;

use hyper::{Method, StatusCode};
use persea::{TransactionOptions, UndeclaredCollections};
use persea_vpack::{Builder, Slice, vpack};

use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::options::ServerOptions;
use crate::transactions::Status;

/// How long locks are waited for unless the request tells.
const LOCK_TIMEOUT_DEFAULT: Duration = Duration::from_secs(900);

/// Handles the routes.
pub fn handle(context: &Context, request: &Request) -> Result<Response, ApiError> {
    let database = context.database(request)?;
    let transactions = &context.transactions;
    match (&request.method, request.segment(2), request.segment(3)) {
        (&Method::GET, None, None) => list(&transactions.running(database.name())),
        (&Method::POST, Some("begin"), None) => {
            let options = options(request.value()?.as_slice(), &context.options)?;
            let id = transactions.begin(&database, &options)?;
            // Nobody would ever use or end a transaction whose id nobody learns.
            if request.gone.is_set() {
                transactions.abort(database.name(), &id.to_string())?;
            }
            Ok(answer(StatusCode::CREATED, id, Status::Running))
        }
        (&Method::POST, None, None) => {
            Err(ApiError::not_implemented("transactions in JavaScript are not implemented"))
        }
        (&Method::DELETE, Some("write"), None) => {
            transactions.abort_writing();
            Ok(Response::envelope(StatusCode::OK, vpack!({}).as_slice()))
        }
        (&Method::GET, Some(id), None) => {
            let (id, status) = transactions.status(database.name(), id)?;
            Ok(answer(StatusCode::OK, id, status))
        }
        (&Method::PUT, Some(id), None) => {
            let id = transactions.commit(database.name(), id)?;
            Ok(answer(StatusCode::OK, id, Status::Committed))
        }
        (&Method::DELETE, Some(id), None) => {
            let id = transactions.abort(database.name(), id)?;
            Ok(answer(StatusCode::OK, id, Status::Aborted))
        }
        (&Method::PUT | &Method::DELETE, None, None) => {
            Err(ApiError::bad_request("expecting the transaction's id: /_api/transaction/<transaction-id>"))
        }
        (&Method::GET | &Method::POST | &Method::PUT | &Method::DELETE, ..) => {
            Err(ApiError::unknown_path(&request.path))
        }
        _ => Err(ApiError::method_not_allowed()),
    }
}

/// `{result: {id, status}}`.
fn answer(code: StatusCode, id: u64, status: Status) -> Response {
    Response::result(code, vpack!({ "id": (id.to_string()), "status": (status.name()) }).as_slice())
}

/// `{transactions: [{id, state}]}`.
fn list(ids: &[u64]) -> Result<Response, ApiError> {
    let mut builder = Builder::new();
    builder.open_object();
    builder.key("transactions");
    builder.open_array();
    for id in ids {
        builder.open_object();
        builder.key("id").add_str(&id.to_string());
        builder.key("state").add_str(Status::Running.name());
        builder.close();
    }
    builder.close();
    builder.close();
    Ok(Response::value(StatusCode::OK, builder.finish().map_err(persea::Error::from)?))
}

/// Reads the body of `POST /_api/transaction/begin`.
fn options(body: Slice<'_>, server: &ServerOptions) -> Result<TransactionOptions, ApiError> {
    let collections = body.get("collections").filter(|collections| collections.is_object());
    let collections =
        collections.ok_or_else(|| ApiError::bad_parameter("missing or invalid 'collections'"))?;
    let undeclared = match flag(body, "allowImplicit")? {
        Some(false) => UndeclaredCollections::Refuse,
        Some(true) | None => UndeclaredCollections::Read,
    };
    let lock_timeout = match number(body, "lockTimeout")? {
        None => Some(LOCK_TIMEOUT_DEFAULT),
        // 0 waits as long as it takes.
        Some(0.0) => None,
        Some(seconds) => Some(Duration::from_secs_f64(seconds.min(1e9))),
    };
    let bytes_max = number(body, "maxTransactionSize")?.filter(|bytes| *bytes > 0.0);
    let bytes_max = bytes_max.map_or(u64::MAX, |bytes| bytes as u64).min(server.transaction_bytes_max);
    flag(body, "skipFastLockRound")?;
    Ok(TransactionOptions {
        read: names(collections, "read")?,
        write: names(collections, "write")?,
        exclusive: names(collections, "exclusive")?,
        undeclared,
        wait_for_sync: flag(body, "waitForSync")?.unwrap_or(false),
        lock_timeout,
        write_bytes_max: Some(bytes_max),
        interrupt: None,
    })
}

/// One name, or an array of names.
fn names(collections: Slice<'_>, mode: &str) -> Result<Vec<String>, ApiError> {
    let Some(value) = collections.get(mode).filter(|value| !value.is_null()) else { return Ok(Vec::new()) };
    if let Some(name) = value.as_str() {
        return Ok(vec![name.to_owned()]);
    }
    let names = value.is_array().then(|| {
        value.array_iter().map(|name| name.as_str().map(str::to_owned)).collect::<Option<Vec<String>>>()
    });
    names.flatten().ok_or_else(|| {
        ApiError::bad_parameter(format!("'collections.{mode}' must be a name or an array of names"))
    })
}

fn flag(body: Slice<'_>, name: &str) -> Result<Option<bool>, ApiError> {
    let Some(value) = body.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
    let flag = value.as_bool();
    flag.map(Some).ok_or_else(|| ApiError::bad_parameter(format!("'{name}' must be a boolean")))
}

fn number(body: Slice<'_>, name: &str) -> Result<Option<f64>, ApiError> {
    let Some(value) = body.get(name).filter(|value| !value.is_null()) else { return Ok(None) };
    let number = value.as_f64().filter(|number| *number >= 0.0);
    number
        .map(Some)
        .ok_or_else(|| ApiError::bad_parameter(format!("'{name}' must be a number that is not negative")))
}
