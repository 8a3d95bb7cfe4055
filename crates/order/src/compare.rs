//! AQL's total order over all values.
//!
//! null < bool < number < string < array < object. Arrays compare member by member and a missing member counts
//! as `null`, so `[]` equals `[null]`. Objects compare over the union of their attribute names in collation
//! order, and a missing attribute counts as `null`.
//!
//! What is nested deeper than legal VelocyPack can be is compared by its bytes, so that bytes nobody validated
//! cannot exhaust the stack.

use std::cmp::Ordering;

use persea_vpack::{DEPTH_MAX, Slice};
use smallvec::SmallVec;

use crate::collation::compare_str;
use crate::elements::Elements;
use crate::number::{self, Number};
use crate::repr::Value;
use crate::view::{View, range_len};

/// The attributes of an object that are not null, sorted by name.
pub(crate) type Attributes<'a> = SmallVec<[(&'a str, Slice<'a>); 8]>;

/// Compares two values by AQL's order.
///
/// [`Ordering::Equal`] exactly when [`crate::equal`] is true.
///
/// ```
/// use persea_order::{Value, compare};
/// use std::cmp::Ordering::{Equal, Less};
///
/// assert_eq!(compare(Value::NULL, Value::FALSE), Less);
/// assert_eq!(compare(Value::TRUE, Value::from_i64(0)), Less);
/// assert_eq!(compare(Value::from_i64(i64::MAX), Value::from_f64(9223372036854775808.0)), Less);
/// assert_eq!(compare(Value::range(&(1, 3)), Value::range(&(1, 2))), std::cmp::Ordering::Greater);
/// assert_eq!(compare(Value::from_i64(1), Value::from_f64(1.0)), Equal);
/// ```
#[inline]
pub fn compare(left: Value<'_>, right: Value<'_>) -> Ordering {
    compare_at(left, right, 0)
}

/// Position of the type in the order of types.
pub(crate) fn type_rank(view: View<'_>) -> u8 {
    match view {
        View::Null => 0,
        View::Bool(_) => 1,
        View::Int(_) | View::UInt(_) | View::Double(_) => 2,
        View::Str(_) => 3,
        View::Array(_) | View::Range(..) => 4,
        View::Object(_) => 5,
    }
}

/// The number a view holds.
#[inline]
pub(crate) fn number_of(view: View<'_>) -> Option<Number> {
    match view {
        View::Int(value) => Some(Number::Int(value)),
        View::UInt(value) => Some(Number::UInt(value)),
        View::Double(value) => Some(Number::Double(value)),
        _ => None,
    }
}

fn compare_at(left: Value<'_>, right: Value<'_>, depth: usize) -> Ordering {
    let (left, right) = (left.view(), right.view());
    match (left, right) {
        (View::Int(left), View::Int(right)) => left.cmp(&right),
        (View::Str(left), View::Str(right)) => compare_str(left, right),
        (View::Bool(left), View::Bool(right)) => left.cmp(&right),
        (View::Range(a, b), View::Range(c, d)) => compare_ranges((a, b), (c, d)),
        (View::Array(left), View::Array(right)) | (View::Object(left), View::Object(right))
            if depth >= DEPTH_MAX =>
        {
            left.bytes().cmp(right.bytes())
        }
        (View::Array(_) | View::Range(..), View::Array(_) | View::Range(..)) => {
            compare_elements(Elements::of(left), Elements::of(right), depth + 1)
        }
        (View::Object(left), View::Object(right)) => compare_objects(left, right, depth + 1),
        _ => match (number_of(left), number_of(right)) {
            (Some(left), Some(right)) => number::compare(left, right),
            _ => type_rank(left).cmp(&type_rank(right)),
        },
    }
}

fn compare_elements(mut left: Elements<'_>, mut right: Elements<'_>, depth: usize) -> Ordering {
    loop {
        let (left_member, right_member) = (left.next(), right.next());
        if left_member.is_none() && right_member.is_none() {
            return Ordering::Equal;
        }
        let ordering = compare_at(left_member.unwrap_or_default(), right_member.unwrap_or_default(), depth);
        if ordering != Ordering::Equal {
            return ordering;
        }
    }
}

/// Compares two ranges as the arrays they stand for, without walking them.
fn compare_ranges(left: (i64, i64), right: (i64, i64)) -> Ordering {
    // Which way the second member lies from the first: none at all, below, or above.
    let step = |range: (i64, i64)| range.1.cmp(&range.0);
    let first = left.0.cmp(&right.0);
    first.then_with(|| match (step(left), step(right)) {
        (left_step, right_step) if left_step == right_step => {
            range_len(left.0, left.1).cmp(&range_len(right.0, right.1))
        }
        // A range of one member has null where the other has a number.
        (Ordering::Equal, _) => Ordering::Less,
        (_, Ordering::Equal) => Ordering::Greater,
        (left_step, right_step) => left_step.cmp(&right_step),
    })
}

fn compare_objects(left: Slice<'_>, right: Slice<'_>, depth: usize) -> Ordering {
    let (left, right) = (sorted_attributes(left), sorted_attributes(right));
    let mut right = right.iter();
    for (left_name, left_value) in &left {
        // An attribute that only one side has is compared with null, and these values are not null.
        let Some((right_name, right_value)) = right.next() else { return Ordering::Greater };
        let ordering = match compare_str(left_name, right_name) {
            Ordering::Less => Ordering::Greater,
            Ordering::Greater => Ordering::Less,
            Ordering::Equal => {
                compare_at(Value::from_slice(*left_value), Value::from_slice(*right_value), depth)
            }
        };
        if ordering != Ordering::Equal {
            return ordering;
        }
    }
    if right.next().is_some() { Ordering::Less } else { Ordering::Equal }
}

/// The attributes of `object` whose value is not null, by name in collation order.
pub(crate) fn sorted_attributes(object: Slice<'_>) -> Attributes<'_> {
    let attributes = object.object_iter().filter(|(_, value)| !Value::from_slice(*value).is_null());
    let mut attributes: Attributes<'_> = attributes.collect();
    attributes.sort_unstable_by(|left, right| compare_str(left.0, right.0));
    attributes
}
