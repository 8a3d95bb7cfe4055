//! `/_api/cursor`: run a query, fetch its further batches, drop it.

mod batch;
pub mod input;

use hyper::{Method, StatusCode};
use persea_vpack::vpack;

use crate::context::Context;
use crate::cursors::{Cursor, CursorOptions};
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::scope::Scope;

/// Handles the routes.
pub fn handle(context: &Context, request: &Request) -> Result<Response, ApiError> {
    let database = context.database(request)?;
    match (&request.method, request.segment(2), request.segment(3)) {
        (&Method::POST, None, None) => create(context, request, &context.scope(request)?),
        (&Method::POST | &Method::PUT, Some(id), None) => next(context, database.name(), id),
        (&Method::POST, Some(id), Some(batch)) => again(context, database.name(), id, batch),
        (&Method::DELETE, Some(id), None) => {
            context.cursors.remove(database.name(), id)?;
            Ok(Response::envelope(StatusCode::ACCEPTED, vpack!({ "id": id }).as_slice()))
        }
        (&Method::PUT | &Method::DELETE, None, _) => {
            Err(ApiError::bad_request("expecting the cursor's id: /_api/cursor/<cursor-id>"))
        }
        (&Method::POST | &Method::PUT | &Method::DELETE, ..) => Err(ApiError::unknown_path(&request.path)),
        _ => Err(ApiError::method_not_allowed()),
    }
}

fn create(context: &Context, request: &Request, scope: &Scope) -> Result<Response, ApiError> {
    if request.body.is_empty() {
        return Err(persea::Error::with_number(1502, "query is empty").into());
    }
    let body = request.value()?;
    let input = input::parse(body.as_slice(), &context.options)?;
    let outcome = scope.query(input.query).bind_all(input.bind_vars).options(input.query_options).run()?;
    open(context, scope, outcome, input.cursor)
}

/// Answers the first batch of a result, and keeps what is left of it as a cursor.
///
/// # Errors
/// Number 32 when too many cursors are open.
pub fn open(
    context: &Context,
    scope: &Scope,
    outcome: persea::QueryOutcome,
    options: CursorOptions,
) -> Result<Response, ApiError> {
    let mut cursor = Cursor {
        outcome,
        options,
        position: 0,
        batch: 0,
        batch_start: 0,
        transaction: scope.transaction().cloned(),
    };
    batch::advance(&mut cursor);
    if cursor.position >= cursor.outcome.rows.len() {
        // Nothing is left to fetch, so there is no id to fetch it by; not for asking again either.
        return Ok(Response::value(StatusCode::CREATED, batch::answer(&cursor, None, StatusCode::CREATED)?));
    }
    // The first answer is built before the cursor is handed over, with the id that it will have.
    context.cursors.insert(scope.name(), cursor).and_then(|id| {
        context.cursors.fetch(scope.name(), &id.to_string(), |id, cursor| {
            let answer = batch::answer(cursor, Some(id), StatusCode::CREATED)?;
            Ok((Response::value(StatusCode::CREATED, answer), true))
        })
    })
}

fn next(context: &Context, database: &str, id: &str) -> Result<Response, ApiError> {
    context.cursors.fetch(database, id, |id, cursor| {
        batch::advance(cursor);
        deliver(id, cursor)
    })
}

/// Batch `number` of a cursor: the next one, or once more the one handed out last.
fn again(context: &Context, database: &str, id: &str, number: &str) -> Result<Response, ApiError> {
    let number: u64 = number.parse().map_err(|_| batch_not_found())?;
    context.cursors.fetch(database, id, |id, cursor| {
        let is_next = number == cursor.batch + 1 && cursor.position < cursor.outcome.rows.len();
        let is_last = number == cursor.batch && cursor.options.allow_retry;
        if is_next {
            batch::advance(cursor);
        } else if !is_last {
            return Err(batch_not_found());
        }
        deliver(id, cursor)
    })
}

fn deliver(id: u64, cursor: &Cursor) -> Result<(Response, bool), ApiError> {
    let has_more = cursor.position < cursor.outcome.rows.len();
    let answer = batch::answer(cursor, Some(id), StatusCode::OK)?;
    Ok((Response::value(StatusCode::OK, answer), has_more || cursor.options.allow_retry))
}

fn batch_not_found() -> ApiError {
    persea::Error::with_number(1600, "cursor not found: there is no such batch").into()
}
