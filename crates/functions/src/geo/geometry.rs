//! GeoJSON geometries, read from values.

use persea_order::Value;

use super::sphere::{Ring, Vector, arcs, left_area, left_moment};
use crate::numeric::strict_number;

/// A geometry on the sphere.
#[derive(Debug)]
pub(super) enum Geometry {
    Points(Vec<Vector>),
    Lines(Vec<Vec<Vector>>),
    Polygons(Vec<Polygon>),
}

/// An area: what is left of the outer ring, without the holes.
#[derive(Debug)]
pub(super) struct Polygon {
    pub(super) outer: Ring,
    /// Turned so that the hole is to the left.
    pub(super) holes: Vec<Ring>,
}

impl Polygon {
    fn new(rings: Vec<Ring>) -> Option<Self> {
        let mut rings = rings.into_iter();
        let outer = rings.next()?;
        let holes = rings
            .map(|mut hole| {
                // The smaller side is the hole, whichever way the ring runs.
                if left_area(&hole) > 2.0 * std::f64::consts::PI {
                    hole.reverse();
                }
                hole
            })
            .collect();
        Some(Self { outer, holes })
    }

    pub(super) fn rings(&self) -> impl Iterator<Item = &Ring> {
        std::iter::once(&self.outer).chain(&self.holes)
    }

    /// On the unit sphere.
    pub(super) fn area(&self) -> f64 {
        left_area(&self.outer) - self.holes.iter().map(|hole| left_area(hole)).sum::<f64>()
    }
}

impl Geometry {
    /// The centre of mass.
    pub(super) fn centroid(&self) -> Vector {
        let sum = match self {
            Self::Points(points) => points.iter().copied().fold(Vector::ZERO, Vector::plus),
            Self::Lines(lines) => {
                let arcs = lines.iter().flat_map(|line| line.iter().zip(line.iter().skip(1)));
                arcs.map(|(from, to)| from.plus(*to).normalized().times(2.0 * (from.angle(*to) / 2.0).sin()))
                    .fold(Vector::ZERO, Vector::plus)
            }
            Self::Polygons(polygons) => polygons
                .iter()
                .flat_map(|polygon| {
                    let holes = polygon.holes.iter().map(|hole| left_moment(hole).times(-1.0));
                    std::iter::once(left_moment(&polygon.outer)).chain(holes)
                })
                .fold(Vector::ZERO, Vector::plus),
        };
        sum.normalized()
    }

    /// All vertices.
    pub(super) fn vertices(&self) -> Vec<Vector> {
        match self {
            Self::Points(points) => points.clone(),
            Self::Lines(lines) => lines.concat(),
            Self::Polygons(polygons) => {
                polygons.iter().flat_map(Polygon::rings).flat_map(|ring| ring.iter().copied()).collect()
            }
        }
    }

    /// All arcs of lines and rings.
    pub(super) fn arcs(&self) -> Vec<(Vector, Vector)> {
        match self {
            Self::Points(_) => Vec::new(),
            Self::Lines(lines) => {
                lines.iter().flat_map(|line| line.iter().copied().zip(line.iter().copied().skip(1))).collect()
            }
            Self::Polygons(polygons) => {
                polygons.iter().flat_map(Polygon::rings).flat_map(|ring| arcs(ring)).collect()
            }
        }
    }
}

/// Reads a GeoJSON object, or a pair of longitude and latitude.
pub(super) fn parse(value: Value<'_>) -> Option<Geometry> {
    if value.is_array() {
        return Some(Geometry::Points(vec![position(value)?]));
    }
    let coordinates = value.attribute("coordinates");
    Some(match value.attribute("type").as_str()?.to_ascii_lowercase().as_str() {
        "point" => Geometry::Points(vec![position(coordinates)?]),
        "multipoint" => Geometry::Points(positions(coordinates, 1)?),
        "linestring" => Geometry::Lines(vec![positions(coordinates, 2)?]),
        "multilinestring" => Geometry::Lines(list(coordinates, |line| positions(line, 2))?),
        "polygon" => Geometry::Polygons(vec![polygon(coordinates)?]),
        "multipolygon" => Geometry::Polygons(list(coordinates, polygon)?),
        _ => return None,
    })
}

/// Two numbers, and an elevation that plays no role.
pub(super) fn position(value: Value<'_>) -> Option<Vector> {
    if !value.is_array() || !(2..=3).contains(&value.len()) {
        return None;
    }
    let numbers = [0, 1].map(|at| strict_number(value.element(at)));
    let [Some(longitude), Some(latitude)] = numbers else { return None };
    if longitude.abs() > 180.0 || latitude.abs() > 90.0 {
        return None;
    }
    if value.len() == 3 {
        strict_number(value.element(2))?;
    }
    Some(Vector::from_degrees(longitude, latitude))
}

pub(super) fn positions(value: Value<'_>, min: usize) -> Option<Vec<Vector>> {
    list(value, position).filter(|positions| positions.len() >= min)
}

/// A closed ring of at least four positions; the last one is the first one again and left out.
pub(super) fn ring(value: Value<'_>) -> Option<Ring> {
    let mut vertices = positions(value, 4)?;
    let last = vertices.pop()?;
    (*vertices.first()? == last).then_some(vertices)
}

pub(super) fn polygon(value: Value<'_>) -> Option<Polygon> {
    Polygon::new(list(value, ring)?)
}

fn list<T>(value: Value<'_>, member: impl Fn(Value<'_>) -> Option<T>) -> Option<Vec<T>> {
    if !value.is_array() || value.is_empty() {
        return None;
    }
    value.elements().map(member).collect()
}
