//! Geo functions: GeoJSON geometries on a sphere, edges along great circles, the inside of a ring to its left.

mod construct;
mod geometry;
mod measure;
mod relate;
mod sphere;

use persea_order::{Value, View};

use crate::warnings::BAD_PARAMETER;
use crate::{Context, Error, Function};
use geometry::{Geometry, parse};

/// The functions of the family, as the files beside this one register them.
pub(crate) const FUNCTIONS: &[&[Function]] = &[construct::FUNCTIONS, measure::FUNCTIONS, relate::FUNCTIONS];

/// The geometry in an argument, or the answer to give instead.
fn geometry_argument<'a>(ctx: &Context<'a>, value: Value<'a>) -> Result<Result<Geometry, Value<'a>>, Error> {
    if !matches!(value.view(), View::Object(_) | View::Array(_)) {
        return ctx.invalid_argument().map(Err);
    }
    match parse(value) {
        Some(geometry) => Ok(Ok(geometry)),
        None => malformed(ctx).map(Err),
    }
}

fn malformed<'a>(ctx: &Context<'a>) -> Result<Value<'a>, Error> {
    ctx.warn(BAD_PARAMETER, "malformed GeoJSON geometry")
}
