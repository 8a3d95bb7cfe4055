//! What writes answer: one item, or an array of items and errors with the error counts in a header.

use std::collections::BTreeMap;

use hyper::StatusCode;
use persea::{Collection, WriteOptions, WriteOutcome};
use persea_vpack::{Builder, VPackBuf, vpack};

use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::http::target::encoded_segment;

/// The status of a write: whether it waited for the disk.
pub fn write_status(collection: &Collection, options: &WriteOptions) -> StatusCode {
    if options.wait_for_sync || collection.waits_for_sync() {
        StatusCode::CREATED
    } else {
        StatusCode::ACCEPTED
    }
}

/// The status of a removal: whether it waited for the disk.
pub fn remove_status(collection: &Collection, options: &WriteOptions) -> StatusCode {
    if options.wait_for_sync || collection.waits_for_sync() { StatusCode::OK } else { StatusCode::ACCEPTED }
}

/// The answer to one successful write.
pub fn one(
    request: &Request,
    collection: &Collection,
    status: StatusCode,
    options: &WriteOptions,
    outcome: &WriteOutcome,
) -> Result<Response, ApiError> {
    let revision = outcome.rev.to_string();
    let body = if options.silent {
        vpack!({})
    } else {
        let mut builder = Builder::new();
        add_item(&mut builder, outcome);
        builder.finish().map_err(persea::Error::from)?
    };
    let mut response = Response::value(status, body).with_etag(&revision);
    if !outcome.key.is_empty() {
        let name = collection.name();
        let [database, name, key] = [&*request.target.database, &name, &outcome.key].map(encoded_segment);
        let location = format!("/_db/{database}/_api/document/{name}/{key}");
        response = response.with_header("location", &location);
    }
    Ok(response)
}

/// The answer to writes of several documents, in their order.
///
/// # Errors
/// When the answer can't be built.
pub fn many(
    status: StatusCode,
    options: &WriteOptions,
    outcomes: &[Result<WriteOutcome, persea::Error>],
) -> Result<Response, ApiError> {
    let mut counts = ErrorCounts::default();
    let mut builder = Builder::new();
    builder.open_array();
    for outcome in outcomes {
        match outcome {
            Ok(outcome) if !options.silent => add_item(&mut builder, outcome),
            Ok(_) => {}
            Err(error) => counts.add(&mut builder, error),
        }
    }
    builder.close();
    // Where nothing was written, nothing was waited for.
    let nothing_written = !counts.is_empty() && outcomes.iter().all(Result::is_err);
    let status = if nothing_written { StatusCode::ACCEPTED } else { status };
    let all_silent = options.silent && counts.is_empty();
    let body = if all_silent { vpack!({}) } else { builder.finish().map_err(persea::Error::from)? };
    Ok(counts.report(Response::value(status, body)))
}

/// How often each error number came up among the items of one call.
#[derive(Default)]
pub struct ErrorCounts(BTreeMap<u16, usize>);

impl ErrorCounts {
    /// Adds an error item to the array that is open in `builder`, and counts it.
    pub fn add(&mut self, builder: &mut Builder, error: &persea::Error) {
        *self.0.entry(error.number()).or_default() += 1;
        builder.open_object();
        builder.key("error");
        builder.add_bool(true);
        builder.key("errorNum");
        builder.add_u64(u64::from(error.number()));
        builder.key("errorMessage");
        builder.add_str(&error.to_string());
        // Only these three members: drivers tell errors from results by the missing `_id`.
        builder.close();
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The response with the counts as `x-arango-error-codes`.
    pub fn report(&self, response: Response) -> Response {
        if self.0.is_empty() {
            return response;
        }
        let counts: Vec<String> =
            self.0.iter().map(|(number, count)| format!("\"{number}\":{count}")).collect();
        response.with_header("x-arango-error-codes", &format!("{{{}}}", counts.join(",")))
    }
}

fn add_item(builder: &mut Builder, outcome: &WriteOutcome) {
    builder.open_object();
    builder.key("_id");
    builder.add_str(&outcome.id);
    builder.key("_key");
    builder.add_str(&outcome.key);
    builder.key("_rev");
    builder.add_str(&outcome.rev.to_string());
    if let Some(old) = &outcome.old_rev {
        builder.key("_oldRev");
        builder.add_str(&old.to_string());
    }
    for (name, document) in [("new", &outcome.new), ("old", &outcome.old)] {
        if let Some(document) = document {
            builder.key(name);
            builder.add_slice(document.as_slice());
        }
    }
    builder.close();
}

/// The item without `_oldRev`, which removals don't answer.
pub fn without_old_revision(mut outcome: WriteOutcome) -> WriteOutcome {
    outcome.old_rev = None;
    outcome
}

/// What `overwriteMode=ignore` left alone is told by its identity only.
pub fn without_ignored(mut outcome: WriteOutcome) -> WriteOutcome {
    if outcome.is_ignored {
        outcome.old = None;
        outcome.new = None;
    }
    outcome
}

/// A failed single write: a failed revision check is a failed precondition and says what is stored.
pub fn failure(error: persea::Error) -> ApiError {
    let details: Option<VPackBuf> = error.revision_details();
    let error = ApiError::from(error);
    match details {
        Some(details) => error.with_status(StatusCode::PRECONDITION_FAILED).with_extra(details),
        None => error,
    }
}
