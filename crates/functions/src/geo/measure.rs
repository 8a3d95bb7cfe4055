//! Distances and areas: `DISTANCE`, `GEO_DISTANCE`, `GEO_IN_RANGE`, `GEO_AREA`.

use geographiclib_rs::{Geodesic, InverseGeodesic, PolygonArea, Winding};
use persea_order::Value;

use super::geometry::Geometry;
use super::geometry_argument;
use super::sphere::{EARTH_RADIUS, Ring, Vector};
use crate::context::arg;
use crate::date::usable;
use crate::numeric::strict_number;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "DISTANCE",
        (4, 4),
        "DISTANCE(latitude1, longitude1, latitude2, longitude2)",
        "Metres between two places.",
        distance,
    ),
    Function::new(
        "GEO_AREA",
        (1, 2),
        "GEO_AREA(geometry [, ellipsoid])",
        "Square metres of an area.",
        geo_area,
    ),
    Function::new(
        "GEO_DISTANCE",
        (2, 3),
        "GEO_DISTANCE(geometry1, geometry2 [, ellipsoid])",
        "Metres between the centroids.",
        geo_distance,
    ),
    Function::new(
        "GEO_IN_RANGE",
        (4, 7),
        "GEO_IN_RANGE(geometry1, geometry2, low, high [, includeLow [, includeHigh [, ellipsoid]]])",
        "Whether the distance lies in a range.",
        geo_in_range,
    ),
];

fn distance<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let numbers = [0, 1, 2, 3].map(|at| strict_number(arg(args, at)));
    let [Some(latitude1), Some(longitude1), Some(latitude2), Some(longitude2)] = numbers else {
        return ctx.invalid_argument();
    };
    let half_sine = |degrees: f64| (degrees.to_radians() / 2.0).sin();
    let (north, east) = (half_sine(latitude2 - latitude1), half_sine(longitude2 - longitude1));
    let square = north * north + latitude1.to_radians().cos() * latitude2.to_radians().cos() * east * east;
    Ok(Value::from_f64(EARTH_RADIUS * 2.0 * square.sqrt().atan2((1.0 - square).sqrt())))
}

/// The shape of the earth.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Earth {
    Sphere,
    Wgs84,
}

/// Anything but the name of the ellipsoid means the sphere.
fn earth(value: Option<&Value<'_>>) -> Earth {
    match value.and_then(|value| value.as_str()) {
        Some(name) if name.eq_ignore_ascii_case("wgs84") => Earth::Wgs84,
        _ => Earth::Sphere,
    }
}

fn metres(earth: Earth, from: Vector, to: Vector) -> f64 {
    if earth == Earth::Sphere {
        return from.angle(to) * EARTH_RADIUS;
    }
    let ((longitude1, latitude1), (longitude2, latitude2)) = (from.to_degrees(), to.to_degrees());
    Geodesic::wgs84().inverse(latitude1, longitude1, latitude2, longitude2)
}

fn geo_distance<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let first = usable!(geometry_argument(ctx, arg(args, 0)));
    let second = usable!(geometry_argument(ctx, arg(args, 1)));
    Ok(Value::from_f64(metres(earth(args.get(2)), first.centroid(), second.centroid())))
}

fn geo_in_range<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let first = usable!(geometry_argument(ctx, arg(args, 0)));
    let second = usable!(geometry_argument(ctx, arg(args, 1)));
    let (Some(low), Some(high)) = (strict_number(arg(args, 2)), strict_number(arg(args, 3))) else {
        return ctx.invalid_argument();
    };
    let flag = |at: usize| args.get(at).map_or(Some(true), |flag| flag.as_bool());
    let (Some(with_low), Some(with_high)) = (flag(4), flag(5)) else { return ctx.invalid_argument() };
    let distance = metres(earth(args.get(6)), first.centroid(), second.centroid());
    let above = if with_low { distance >= low } else { distance > low };
    let below = if with_high { distance <= high } else { distance < high };
    Ok(Value::from_bool(above && below))
}

fn geo_area<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let geometry = usable!(geometry_argument(ctx, arg(args, 0)));
    let Geometry::Polygons(polygons) = geometry else { return Ok(Value::from_f64(0.0)) };
    let area: f64 = match earth(args.get(1)) {
        Earth::Sphere => polygons.iter().map(|polygon| polygon.area() * EARTH_RADIUS * EARTH_RADIUS).sum(),
        Earth::Wgs84 => polygons
            .iter()
            .map(|polygon| {
                let holes: f64 = polygon.holes.iter().map(ellipsoid_area).sum();
                ellipsoid_area(&polygon.outer) - holes
            })
            .sum(),
    };
    Ok(Value::from_f64(area))
}

/// Square metres to the left of a ring.
fn ellipsoid_area(ring: &Ring) -> f64 {
    let geodesic = Geodesic::wgs84();
    let mut area = PolygonArea::new(&geodesic, Winding::CounterClockwise);
    for vertex in ring {
        let (longitude, latitude) = vertex.to_degrees();
        area.add_point(latitude, longitude);
    }
    area.compute(false).1
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_near, check_warning};

    #[test]
    fn distances() {
        check_near("DISTANCE(52.5163,13.3777,50.9322,6.94)", &[476_918.896_883_809_65]);
        check_near("DISTANCE(0,0,0,180)", &[std::f64::consts::PI * 6_371_000.0]);
        check_warning("DISTANCE(0,0,0,\"1\")", "null", 1542);
        check_near(
            "GEO_DISTANCE([13.3777,52.5163],{\"type\":\"Point\",\"coordinates\":[6.94,50.9322]})",
            &[476_918.896_883_8],
        );
        check_near(
            "GEO_DISTANCE([0,0],{\"type\":\"MultiPoint\",\"coordinates\":[[0,1],[0,3]]})",
            &[222_389.853_288_911_74],
        );
        check_near(
            "GEO_DISTANCE([5,5],{\"type\":\"Polygon\",\"coordinates\":[[[4,-5],[6,-5],[6,5],[4,5],[4,-5]]]})",
            &[555_974.633_222_279_4],
        );
        check_warning("GEO_DISTANCE([0,0],1)", "null", 1542);
        check_warning("GEO_DISTANCE([0,0],{\"type\":\"Cube\"})", "null", 10);
        check_warning("GEO_DISTANCE([0,0],[0])", "null", 10);
    }

    #[test]
    fn ellipsoid() {
        // One degree along the equator.
        check_near("GEO_DISTANCE([0,0],[1,0],\"wgs84\")", &[111_319.490_793_273_57]);
        check_near("GEO_DISTANCE([0,0],[1,0],\"sphere\")", &[111_194.926_644_558_73]);
    }

    #[test]
    fn ranges() {
        check("GEO_IN_RANGE([0,0],[1,0],0,111195)", "true");
        check("GEO_IN_RANGE([0,0],[1,0],0,111194)", "false");
        check("GEO_IN_RANGE([0,0],[0,0],0,1,false)", "false");
        check("GEO_IN_RANGE([0,0],[0,0],0,1,true,false)", "true");
        check("GEO_IN_RANGE([0,0],[1,0],111300,111400,true,true,\"wgs84\")", "true");
        check_warning("GEO_IN_RANGE([0,0],[0,0],\"0\",1)", "null", 1542);
        check_warning("GEO_IN_RANGE([0,0],[0,0],0,1,1)", "null", 1542);
    }

    #[test]
    fn areas() {
        let octant = "{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[90,0],[0,90],[0,0]]]}";
        let eighth = std::f64::consts::PI / 2.0 * 6_371_000.0 * 6_371_000.0;
        check_near(&format!("GEO_AREA({octant})"), &[eighth]);
        check_near(&format!("GEO_AREA({octant},\"wgs84\")"), &[510_065_621_724_088.44 / 8.0]);
        check("GEO_AREA([1,2])", "0");
        check("GEO_AREA({\"type\":\"LineString\",\"coordinates\":[[0,0],[1,1]]})", "0");
        check_warning("GEO_AREA(\"x\")", "null", 1542);
    }
}
