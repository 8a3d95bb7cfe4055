//! `GEO_POINT`, `GEO_MULTIPOINT`, `GEO_LINESTRING`, `GEO_MULTILINESTRING`, `GEO_POLYGON`, `GEO_MULTIPOLYGON`.

use persea_order::Value;

use super::geometry::{Polygon, polygon, position, positions};
use super::malformed;
use super::sphere::{Vector, arcs, arcs_cross};
use crate::context::arg;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("GEO_LINESTRING", (1, 1), "GEO_LINESTRING(points)", "A GeoJSON line.", geo_linestring),
    Function::new(
        "GEO_MULTILINESTRING",
        (1, 1),
        "GEO_MULTILINESTRING(lines)",
        "GeoJSON lines.",
        geo_multilinestring,
    ),
    Function::new("GEO_MULTIPOINT", (1, 1), "GEO_MULTIPOINT(points)", "GeoJSON points.", geo_multipoint),
    Function::new(
        "GEO_MULTIPOLYGON",
        (1, 1),
        "GEO_MULTIPOLYGON(polygons)",
        "GeoJSON polygons.",
        geo_multipolygon,
    ),
    Function::new(
        "GEO_POINT",
        (2, 3),
        "GEO_POINT(longitude, latitude [, elevation])",
        "A GeoJSON point.",
        geo_point,
    ),
    Function::new("GEO_POLYGON", (1, 1), "GEO_POLYGON(rings)", "A GeoJSON polygon.", geo_polygon),
];

/// Most arcs of a polygon that are checked for crossing each other, all with all.
const CHECKED_ARCS_MAX: usize = 2_000;

fn geo_json<'a>(ctx: &Context<'a>, kind: &str, coordinates: Value<'a>) -> Result<Value<'a>, Error> {
    let mut builder = ctx.builder();
    builder.open_object();
    builder.entry("type", Value::from_str(kind));
    builder.entry("coordinates", coordinates);
    builder.close();
    builder.finish()
}

fn geo_point<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    if !args.iter().all(|number| number.is_number()) {
        return ctx.invalid_argument();
    }
    let coordinates = ctx.array(args.iter().copied())?;
    if position(coordinates).is_none() {
        return malformed(ctx);
    }
    geo_json(ctx, "Point", coordinates)
}

/// Checks the coordinates and wraps them.
fn checked<'a>(
    ctx: &Context<'a>,
    kind: &str,
    coordinates: Value<'a>,
    is_sound: impl FnOnce(Value<'a>) -> bool,
) -> Result<Value<'a>, Error> {
    if !coordinates.is_array() {
        return ctx.invalid_argument();
    }
    if !is_sound(coordinates) {
        return malformed(ctx);
    }
    geo_json(ctx, kind, coordinates)
}

fn geo_multipoint<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    checked(ctx, "MultiPoint", arg(args, 0), |points| positions(points, 2).is_some())
}

fn geo_linestring<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    checked(ctx, "LineString", arg(args, 0), |points| positions(points, 2).is_some())
}

fn geo_multilinestring<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    checked(ctx, "MultiLineString", arg(args, 0), |lines| {
        !lines.is_empty() && lines.elements().all(|line| positions(line, 2).is_some())
    })
}

fn geo_polygon<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let mut rings = arg(args, 0);
    // A single ring need not be wrapped.
    if rings.element(0).element(0).is_number() {
        rings = ctx.array([rings])?;
    }
    checked(ctx, "Polygon", rings, |rings| polygon(rings).is_some_and(|polygon| is_simple(&polygon)))
}

fn geo_multipolygon<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    checked(ctx, "MultiPolygon", arg(args, 0), |polygons| {
        polygons.len() >= 2
            && polygons.elements().all(|rings| polygon(rings).is_some_and(|polygon| is_simple(&polygon)))
    })
}

/// Whether no vertex repeats within a ring and no two arcs cross.
fn is_simple(polygon: &Polygon) -> bool {
    let mut all: Vec<(Vector, Vector)> = Vec::new();
    for ring in polygon.rings() {
        if arcs(ring).any(|(from, to)| from == to) {
            return false;
        }
        all.extend(arcs(ring));
    }
    if all.len() > CHECKED_ARCS_MAX {
        return true;
    }
    all.iter().enumerate().all(|(at, &(a, b))| {
        all.iter().skip(at + 1).all(|&(c, d)| {
            let meet = a == c || a == d || b == c || b == d;
            meet || !arcs_cross(a, b, c, d)
        })
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_warning};

    #[test]
    fn points_and_lines() {
        check("GEO_POINT(1.5,2)", "{\"type\":\"Point\",\"coordinates\":[1.5,2]}");
        check("GEO_POINT(1.5,2,300)", "{\"type\":\"Point\",\"coordinates\":[1.5,2,300]}");
        check_warning("GEO_POINT(1,\"2\")", "null", 1542);
        check_warning("GEO_POINT(1,95)", "null", 10);
        check("GEO_MULTIPOINT([[1,2],[3,4]])", "{\"type\":\"MultiPoint\",\"coordinates\":[[1,2],[3,4]]}");
        check_warning("GEO_MULTIPOINT([[1,2]])", "null", 10);
        check_warning("GEO_MULTIPOINT(1)", "null", 1542);
        check("GEO_LINESTRING([[1,2],[3,4]])", "{\"type\":\"LineString\",\"coordinates\":[[1,2],[3,4]]}");
        check_warning("GEO_LINESTRING([[1,2],[3]])", "null", 10);
        check(
            "GEO_MULTILINESTRING([[[1,2],[3,4]],[[5,6],[7,8]]])",
            "{\"type\":\"MultiLineString\",\"coordinates\":[[[1,2],[3,4]],[[5,6],[7,8]]]}",
        );
        check_warning("GEO_MULTILINESTRING([[[1,2]]])", "null", 10);
    }

    #[test]
    fn polygons() {
        let polygon = "{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[8,2],[0,5],[0,0]]]}";
        check("GEO_POLYGON([[0,0],[8,2],[0,5],[0,0]])", polygon);
        check("GEO_POLYGON([[[0,0],[8,2],[0,5],[0,0]]])", polygon);
        check_warning("GEO_POLYGON([[0,0],[8,2],[0,5]])", "null", 10);
        check_warning("GEO_POLYGON([[0,0],[8,2],[0,5],[1,1]])", "null", 10);
        // A bow tie.
        check_warning("GEO_POLYGON([[0,0],[8,8],[8,0],[0,8],[0,0]])", "null", 10);
        check_warning("GEO_POLYGON(\"x\")", "null", 1542);
        check(
            "GEO_MULTIPOLYGON([[[[0,0],[8,2],[0,5],[0,0]]],[[[10,10],[12,10],[11,12],[10,10]]]])",
            "{\"type\":\"MultiPolygon\",\"coordinates\":[[[[0,0],[8,2],[0,5],[0,0]]],[[[10,10],[12,10],[11,12],[10,10]]]]}",
        );
        check_warning("GEO_MULTIPOLYGON([[[[0,0],[8,2],[0,5],[0,0]]]])", "null", 10);
    }
}
