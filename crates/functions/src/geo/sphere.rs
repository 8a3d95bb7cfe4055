//! Points, arcs and rings on the unit sphere.

use std::f64::consts::PI;

/// Mean radius in metres.
pub(super) const EARTH_RADIUS: f64 = 6_371_000.0;

/// A vector; a point of the sphere if its length is 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Vector(pub(super) [f64; 3]);

impl Vector {
    pub(super) const ZERO: Self = Self([0.0; 3]);

    pub(super) fn from_degrees(longitude: f64, latitude: f64) -> Self {
        let (sin_longitude, cos_longitude) = longitude.to_radians().sin_cos();
        let (sin_latitude, cos_latitude) = latitude.to_radians().sin_cos();
        Self([cos_latitude * cos_longitude, cos_latitude * sin_longitude, sin_latitude])
    }

    /// Longitude and latitude in degrees.
    pub(super) fn to_degrees(self) -> (f64, f64) {
        let [x, y, z] = self.0;
        (y.atan2(x).to_degrees(), z.atan2(x.hypot(y)).to_degrees())
    }

    pub(super) fn dot(self, other: Self) -> f64 {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        a * x + b * y + c * z
    }

    pub(super) fn cross(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([b * z - c * y, c * x - a * z, a * y - b * x])
    }

    pub(super) fn plus(self, other: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Self([a + x, b + y, c + z])
    }

    pub(super) fn times(self, factor: f64) -> Self {
        Self(self.0.map(|part| part * factor))
    }

    pub(super) fn length(self) -> f64 {
        self.dot(self).sqrt()
    }

    /// The same direction with length 1; zero stays zero.
    pub(super) fn normalized(self) -> Self {
        let length = self.length();
        if length > 0.0 { self.times(1.0 / length) } else { self }
    }

    /// Angle to another vector in radians.
    pub(super) fn angle(self, other: Self) -> f64 {
        self.cross(other).length().atan2(self.dot(other))
    }

    pub(super) fn is_near(self, other: Self) -> bool {
        // About a hundredth of a millimetre on the ground.
        const NEAR: f64 = 1e-12;
        self.angle(other) <= NEAR
    }
}

/// Volume spanned by three vectors: positive if they turn left.
fn turn(a: Vector, b: Vector, c: Vector) -> f64 {
    a.cross(b).dot(c)
}

/// Whether two arcs cross. Points on an arc's great circle count as left of it, so that a path through a vertex
/// crosses one of the arcs that meet there if it changes sides, and none or both if it does not.
pub(super) fn arcs_cross(a: Vector, b: Vector, c: Vector, d: Vector) -> bool {
    let c_is_left = turn(a, b, c) >= 0.0;
    let d_is_left = turn(a, b, d) >= 0.0;
    let a_is_left = turn(c, d, a) >= 0.0;
    let b_is_left = turn(c, d, b) >= 0.0;
    // The arcs meet on this side of the sphere, not on the other, if the pairs are split the opposite way.
    c_is_left != d_is_left && a_is_left != b_is_left && c_is_left != a_is_left
}

/// The vertices of a closed ring, the first one not repeated.
pub(super) type Ring = Vec<Vector>;

/// The arcs of a ring.
pub(super) fn arcs(ring: &[Vector]) -> impl Iterator<Item = (Vector, Vector)> + '_ {
    ring.iter().copied().zip(ring.iter().copied().cycle().skip(1))
}

/// Area to the left of a ring on the unit sphere, from 0 to 4π.
pub(super) fn left_area(ring: &[Vector]) -> f64 {
    let Some((&first, rest)) = ring.split_first() else { return 0.0 };
    let signed: f64 = rest
        .windows(2)
        .map(|pair| match pair {
            &[b, c] => {
                let denominator = 1.0 + first.dot(b) + b.dot(c) + c.dot(first);
                2.0 * turn(first, b, c).atan2(denominator)
            }
            _ => 0.0,
        })
        .sum();
    signed.rem_euclid(4.0 * PI)
}

/// Integral of the position over the area to the left of a ring: its direction is that of the centroid.
pub(super) fn left_moment(ring: &[Vector]) -> Vector {
    arcs(ring)
        .map(|(from, to)| from.cross(to).normalized().times(from.angle(to) / 2.0))
        .fold(Vector::ZERO, Vector::plus)
}

/// Whether a point lies to the left of a ring.
pub(super) fn is_left_of_ring(ring: &[Vector], point: Vector) -> bool {
    // Walks to the point from the middle of that arc whose great circle is farthest from it. The walk starts on the
    // point's side of the arc, and changes sides with each other arc it crosses.
    let distance = |(from, to): (Vector, Vector)| from.cross(to).normalized().dot(point);
    let farthest = arcs(ring)
        .enumerate()
        .map(|(at, arc)| (at, arc, distance(arc)))
        .max_by(|left, right| left.2.abs().total_cmp(&right.2.abs()));
    let Some((start_at, (from, to), side)) = farthest else { return false };
    let start = from.plus(to).normalized();
    let n_crossed = arcs(ring)
        .enumerate()
        .filter(|(at, (from, to))| *at != start_at && arcs_cross(start, point, *from, *to))
        .count();
    (side > 0.0) == (n_crossed % 2 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(points: &[(f64, f64)]) -> Ring {
        points.iter().map(|&(longitude, latitude)| Vector::from_degrees(longitude, latitude)).collect()
    }

    #[test]
    fn crossings() {
        let at = Vector::from_degrees;
        assert!(arcs_cross(at(0.0, -1.0), at(0.0, 1.0), at(-1.0, 0.0), at(1.0, 0.0)));
        assert!(arcs_cross(at(0.0, -1.0), at(0.0, 1.0), at(1.0, 0.0), at(-1.0, 0.0)));
        assert!(!arcs_cross(at(0.0, 1.0), at(0.0, 2.0), at(-1.0, 0.0), at(1.0, 0.0)));
        // The other side of the sphere.
        assert!(!arcs_cross(at(180.0, -1.0), at(180.0, 1.0), at(-1.0, 0.0), at(1.0, 0.0)));
    }

    #[test]
    fn sides_of_rings() {
        let octant = ring(&[(0.0, 0.0), (90.0, 0.0), (0.0, 90.0)]);
        assert!((left_area(&octant) - PI / 2.0).abs() < 1e-12);
        assert!(is_left_of_ring(&octant, Vector::from_degrees(45.0, 30.0)));
        assert!(!is_left_of_ring(&octant, Vector::from_degrees(-45.0, 30.0)));
        assert!(!is_left_of_ring(&octant, Vector::from_degrees(-135.0, -30.0)));
        let reversed: Ring = octant.iter().rev().copied().collect();
        assert!((left_area(&reversed) - PI * 3.5).abs() < 1e-12);
        assert!(!is_left_of_ring(&reversed, Vector::from_degrees(45.0, 30.0)));
        assert!(is_left_of_ring(&reversed, Vector::from_degrees(-45.0, 30.0)));
        let centroid = left_moment(&octant).normalized();
        assert!(centroid.is_near(Vector([1.0, 1.0, 1.0]).normalized()));
    }
}
