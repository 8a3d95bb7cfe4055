//! `range`: documents whose attribute lies between two values; a sorted index over it must exist.

use persea_vpack::{VPackBuf, to_vpack};

use super::{Call, list, missing};
use crate::error::ApiError;
use crate::http::response::Response;

/// `PUT /_api/simple/range`: from `left` on, up to `right`, which is included only if `closed`.
pub fn handle(call: &Call<'_>) -> Result<Response, ApiError> {
    let path = path(call)?;
    require_index(call, &path.join("."))?;
    let path: VPackBuf = to_vpack(&path).map_err(persea::Error::from)?;
    let end = if call.flag("closed", false) { "<=" } else { "<" };
    let text = format!(
        "FOR d IN @@collection FILTER d.@path >= @left AND d.@path {end} @right SORT d.@path {} RETURN d",
        list::limit(call)?
    );
    let binds = [
        ("path".to_owned(), path.as_slice()),
        ("left".to_owned(), call.required("left")?),
        ("right".to_owned(), call.required("right")?),
    ];
    list::answer(call, &text, &binds)
}

/// The attribute's path: a name, perhaps with dots, or an array of names.
fn path<'a>(call: &'a Call<'_>) -> Result<Vec<&'a str>, ApiError> {
    let attribute = call.required("attribute")?;
    let path: Option<Vec<&str>> = match attribute.as_str() {
        Some(name) => Some(name.split('.').collect()),
        None => attribute.array_iter().map(|name| name.as_str()).collect(),
    };
    path.filter(|path| !path.is_empty()).ok_or_else(|| missing("attribute"))
}

fn require_index(call: &Call<'_>, path: &str) -> Result<(), ApiError> {
    for index in call.collection.indexes()? {
        let index = index.as_slice();
        let is_sorted = index
            .get("type")
            .and_then(|kind| kind.as_str())
            .is_some_and(|kind| kind != "primary" && kind != "edge");
        let first = index.get("fields").and_then(|fields| fields.at(0)).and_then(|field| field.as_str());
        if is_sorted && first == Some(path) {
            return Ok(());
        }
    }
    Err(persea::Error::with_number(1209, format!("no sorted index over '{path}'")).into())
}
