//! How geometries lie to each other: `GEO_CONTAINS`, `GEO_INTERSECTS`, `GEO_EQUALS`, `IS_IN_POLYGON`.

use persea_order::Value;

use super::geometry::{Geometry, Polygon};
use super::geometry_argument;
use super::sphere::{Ring, Vector, arcs_cross, is_left_of_ring, left_area};
use crate::context::arg;
use crate::date::usable;
use crate::numeric::strict_number;
use crate::{Context, Error, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "GEO_CONTAINS",
        (2, 2),
        "GEO_CONTAINS(area, geometry)",
        "Whether an area contains a geometry.",
        geo_contains,
    ),
    Function::new(
        "GEO_EQUALS",
        (2, 2),
        "GEO_EQUALS(geometry1, geometry2)",
        "Whether geometries are the same.",
        geo_equals,
    ),
    Function::new(
        "GEO_INTERSECTS",
        (2, 2),
        "GEO_INTERSECTS(geometry1, geometry2)",
        "Whether geometries have a point in common.",
        geo_intersects,
    ),
    Function::new(
        "IS_IN_POLYGON",
        (2, 3),
        "IS_IN_POLYGON(polygon, latitude [, longitude])",
        "Whether a place lies in a polygon.",
        is_in_polygon,
    ),
];

impl Polygon {
    fn contains_point(&self, point: Vector) -> bool {
        is_left_of_ring(&self.outer, point) && !self.holes.iter().any(|hole| is_left_of_ring(hole, point))
    }

    /// Whether all vertices lie inside or on the boundary, and no arc leaves.
    fn contains_part(&self, part: &Geometry) -> bool {
        let boundary: Vec<(Vector, Vector)> = Geometry::arcs_of_rings(self.rings());
        let corners: Vec<Vector> = boundary.iter().map(|(from, _)| *from).collect();
        let is_corner = |point: Vector| corners.iter().any(|corner| corner.is_near(point));
        let inside = |point: Vector| is_corner(point) || self.contains_point(point);
        part.vertices().into_iter().all(inside) && !cross(&part.arcs(), &boundary) && !self.has_hole_in(part)
    }

    fn has_hole_in(&self, part: &Geometry) -> bool {
        let Geometry::Polygons(polygons) = part else { return false };
        self.holes.iter().flatten().any(|corner| {
            polygons.iter().any(|polygon| {
                let is_own_corner = polygon.rings().flatten().any(|own| own.is_near(*corner));
                !is_own_corner && polygon.contains_point(*corner)
            })
        })
    }
}

impl Geometry {
    fn arcs_of_rings<'r>(rings: impl Iterator<Item = &'r Ring>) -> Vec<(Vector, Vector)> {
        rings.flat_map(|ring| super::sphere::arcs(ring)).collect()
    }

    /// The single points, lines and polygons it consists of.
    fn parts(self) -> Vec<Self> {
        match self {
            Self::Points(points) => points.into_iter().map(|point| Self::Points(vec![point])).collect(),
            Self::Lines(lines) => lines.into_iter().map(|line| Self::Lines(vec![line])).collect(),
            Self::Polygons(polygons) => {
                polygons.into_iter().map(|polygon| Self::Polygons(vec![polygon])).collect()
            }
        }
    }
}

/// Whether an arc of one list properly crosses one of the other; meeting at a vertex is no crossing.
fn cross(left: &[(Vector, Vector)], right: &[(Vector, Vector)]) -> bool {
    left.iter().any(|&(a, b)| {
        right.iter().any(|&(c, d)| {
            let meet = a.is_near(c) || a.is_near(d) || b.is_near(c) || b.is_near(d);
            !meet && arcs_cross(a, b, c, d)
        })
    })
}

fn geo_contains<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let area = usable!(geometry_argument(ctx, arg(args, 0)));
    let geometry = usable!(geometry_argument(ctx, arg(args, 1)));
    let Geometry::Polygons(polygons) = area else { return ctx.invalid_argument() };
    let contains = |part: &Geometry| polygons.iter().any(|polygon| polygon.contains_part(part));
    Ok(Value::from_bool(geometry.parts().iter().all(contains)))
}

fn geo_intersects<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let left = usable!(geometry_argument(ctx, arg(args, 0)));
    let right = usable!(geometry_argument(ctx, arg(args, 1)));
    Ok(Value::from_bool(intersect(&left, &right)))
}

fn intersect(left: &Geometry, right: &Geometry) -> bool {
    let (left_vertices, right_vertices) = (left.vertices(), right.vertices());
    let covers = |area: &Geometry, points: &[Vector]| match area {
        Geometry::Polygons(polygons) => {
            points.iter().any(|point| polygons.iter().any(|polygon| polygon.contains_point(*point)))
        }
        _ => false,
    };
    covers(left, &right_vertices)
        || covers(right, &left_vertices)
        || left_vertices.iter().any(|point| right_vertices.iter().any(|other| point.is_near(*other)))
        || cross(&left.arcs(), &right.arcs())
}

fn geo_equals<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let left = usable!(geometry_argument(ctx, arg(args, 0)));
    let right = usable!(geometry_argument(ctx, arg(args, 1)));
    Ok(Value::from_bool(match (&left, &right) {
        (Geometry::Points(left), Geometry::Points(right)) => same_vertices(left, right),
        (Geometry::Lines(left), Geometry::Lines(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| same_vertices(left, right))
        }
        (Geometry::Polygons(left), Geometry::Polygons(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same_polygon(left, right))
        }
        _ => false,
    }))
}

fn same_vertices(left: &[Vector], right: &[Vector]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left.is_near(*right))
}

fn same_polygon(left: &Polygon, right: &Polygon) -> bool {
    left.holes.len() == right.holes.len()
        && left.rings().zip(right.rings()).all(|(left, right)| same_ring(left, right))
}

/// A ring may start at any of its vertices.
fn same_ring(left: &Ring, right: &Ring) -> bool {
    left.len() == right.len()
        && (0..right.len()).any(|start| {
            let turned = right.iter().cycle().skip(start);
            left.iter().zip(turned).all(|(left, right)| left.is_near(*right))
        })
}

fn is_in_polygon<'a>(ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
    let (polygon, place, third) = (arg(args, 0), arg(args, 1), arg(args, 2));
    let (numbers, longitude_first) = if place.is_array() {
        (pair(place), third.is_truthy())
    } else {
        (strict_number(place).zip(strict_number(third)), false)
    };
    let vector = |(first, second): (f64, f64)| match longitude_first {
        true => Vector::from_degrees(first, second),
        false => Vector::from_degrees(second, first),
    };
    let corners: Option<Ring> = polygon.elements().map(|corner| pair(corner).map(vector)).collect();
    let (Some(point), Some(mut ring)) = (numbers.map(vector), corners) else { return ctx.invalid_argument() };
    if ring.first() == ring.last() {
        ring.pop();
    }
    if !polygon.is_array() || ring.len() < 3 {
        return ctx.invalid_argument();
    }
    // The inside is the smaller side, whichever way the ring runs.
    let inside = is_left_of_ring(&ring, point) == (left_area(&ring) <= 2.0 * std::f64::consts::PI);
    Ok(Value::from_bool(inside))
}

fn pair(value: Value<'_>) -> Option<(f64, f64)> {
    if !value.is_array() || value.len() != 2 {
        return None;
    }
    strict_number(value.element(0)).zip(strict_number(value.element(1)))
}

#[cfg(test)]
mod tests {
    use crate::testing::{check, check_warning};

    const SQUARE: &str = "{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[10,0],[10,10],[0,10],[0,0]]]}";
    const FRAME: &str = "{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[10,0],[10,10],[0,10],[0,0]],[[4,4],[6,4],[6,6],[4,6],[4,4]]]}";

    fn polygon(ring: &str) -> String {
        format!("{{\"type\":\"Polygon\",\"coordinates\":[{ring}]}}")
    }

    #[test]
    fn containment() {
        check(&format!("GEO_CONTAINS({SQUARE},[5,5])"), "true");
        check(&format!("GEO_CONTAINS({SQUARE},[15,5])"), "false");
        check(&format!("GEO_CONTAINS({FRAME},[5,5])"), "false");
        check(&format!("GEO_CONTAINS({FRAME},[2,2])"), "true");
        check(
            &format!("GEO_CONTAINS({SQUARE},{{\"type\":\"LineString\",\"coordinates\":[[1,1],[9,9]]}})"),
            "true",
        );
        check(
            &format!("GEO_CONTAINS({FRAME},{{\"type\":\"LineString\",\"coordinates\":[[1,1],[9,9.5]]}})"),
            "false",
        );
        check(&format!("GEO_CONTAINS({SQUARE},{})", polygon("[[1,1],[2,1],[2,2],[1,1]]")), "true");
        check(&format!("GEO_CONTAINS({SQUARE},{})", polygon("[[1,1],[12,1],[2,2],[1,1]]")), "false");
        check(&format!("GEO_CONTAINS({FRAME},{})", polygon("[[3,3],[7,3],[7,7],[3,7],[3,3]]")), "false");
        check(
            &format!("GEO_CONTAINS({SQUARE},{{\"type\":\"MultiPoint\",\"coordinates\":[[1,1],[11,1]]}})"),
            "false",
        );
        check_warning(&format!("GEO_CONTAINS([1,1],{SQUARE})"), "null", 1542);
        // Clockwise means everything else.
        check(&format!("GEO_CONTAINS({},[5,5])", polygon("[[0,0],[0,10],[10,10],[10,0],[0,0]]")), "false");
    }

    #[test]
    fn intersections() {
        check(
            &format!("GEO_INTERSECTS({SQUARE},{})", polygon("[[5,5],[15,5],[15,15],[5,15],[5,5]]")),
            "true",
        );
        check(
            &format!("GEO_INTERSECTS({SQUARE},{})", polygon("[[15,5],[25,5],[25,15],[15,15],[15,5]]")),
            "false",
        );
        check(
            &format!("GEO_INTERSECTS({SQUARE},{{\"type\":\"LineString\",\"coordinates\":[[-5,5],[15,5]]}})"),
            "true",
        );
        check(&format!("GEO_INTERSECTS({SQUARE},[3,3])"), "true");
        check("GEO_INTERSECTS([3,3],[3,3])", "true");
        check("GEO_INTERSECTS([3,3],[3,4])", "false");
    }

    #[test]
    fn equality() {
        check(&format!("GEO_EQUALS({SQUARE},{SQUARE})"), "true");
        check(&format!("GEO_EQUALS({SQUARE},{})", polygon("[[10,0],[10,10],[0,10],[0,0],[10,0]]")), "true");
        check(&format!("GEO_EQUALS({SQUARE},{FRAME})"), "false");
        check(&format!("GEO_EQUALS({SQUARE},[0,0])"), "false");
        check("GEO_EQUALS([1,2],{\"type\":\"Point\",\"coordinates\":[1,2]})", "true");
    }

    #[test]
    fn old_polygons() {
        check("IS_IN_POLYGON([[0,0],[0,10],[10,10],[10,0]],4,7)", "true");
        check("IS_IN_POLYGON([[0,0],[0,10],[10,10],[10,0]],4,17)", "false");
        check("IS_IN_POLYGON([[0,0],[10,0],[10,10],[0,10]],[7,4],true)", "true");
        check("IS_IN_POLYGON([[0,0],[0,20],[10,20],[10,0]],[7,15])", "true");
        check("IS_IN_POLYGON([[0,0],[0,20],[10,20],[10,0]],[15,7],true)", "false");
        check_warning("IS_IN_POLYGON([[0,0]],4,7)", "null", 1542);
        check_warning("IS_IN_POLYGON([[0,0],[0,1],[1,1]],\"4\",7)", "null", 1542);
    }
}
