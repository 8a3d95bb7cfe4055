//! One batch of a cursor's rows as the answer's body.

use hyper::StatusCode;
use persea_vpack::{Builder, VPackBuf};

use crate::cursors::Cursor;
use crate::error::ApiError;

/// Moves a cursor on to its next batch.
pub fn advance(cursor: &mut Cursor) {
    cursor.batch_start = cursor.position;
    cursor.position =
        cursor.outcome.rows.len().min(cursor.position.saturating_add(cursor.options.batch_rows));
    cursor.batch += 1;
}

/// The body of the batch that `cursor` stands at: `result`, `hasMore`, `id` while there is more, `count`, `extra`.
///
/// # Errors
/// When the body would be too large to build.
pub fn answer(cursor: &Cursor, id: Option<u64>, status: StatusCode) -> Result<VPackBuf, ApiError> {
    let outcome = &cursor.outcome;
    let has_more = cursor.position < outcome.rows.len();
    let mut builder = Builder::new();
    builder.open_object();
    builder.key("result");
    builder.open_array();
    for row in outcome.rows.range(cursor.batch_start..cursor.position) {
        builder.add_slice(row);
    }
    builder.close();
    builder.key("hasMore");
    builder.add_bool(has_more);
    if let Some(id) = id.filter(|_| has_more) {
        builder.key("id");
        builder.add_str(&id.to_string());
        builder.key("nextBatchId");
        builder.add_str(&(cursor.batch + 1).to_string());
    }
    if cursor.options.count {
        builder.key("count");
        builder.add_u64(outcome.rows.len() as u64);
    }
    builder.key("cached");
    builder.add_bool(false);
    if !(cursor.options.stream && has_more) {
        builder.key("extra");
        builder.add_slice(outcome.extra.as_slice());
    }
    builder.key("error");
    builder.add_bool(false);
    builder.key("code");
    builder.add_u64(u64::from(status.as_u16()));
    builder.close();
    Ok(builder.finish().map_err(persea::Error::from)?)
}
