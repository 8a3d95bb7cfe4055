//! Equality and hashing, consistent with the order.
//!
//! Both need no collation: different strings are never equal. They need no sorted attribute names either.

use persea_vpack::{DEPTH_MAX, Slice};
use xxhash_rust::xxh3::xxh3_64;

use crate::compare::number_of;
use crate::elements::Elements;
use crate::number::{self, Number};
use crate::repr::Value;
use crate::view::View;

/// True when the two values are equal in AQL (`==`): numbers by value whatever their representation, strings byte
/// by byte, a missing member or attribute the same as `null`.
#[inline]
pub fn equal(left: Value<'_>, right: Value<'_>) -> bool {
    equal_at(left, right, 0)
}

fn equal_at(left: Value<'_>, right: Value<'_>, depth: usize) -> bool {
    let (left, right) = (left.view(), right.view());
    match (left, right) {
        (View::Null, View::Null) => true,
        (View::Bool(left), View::Bool(right)) => left == right,
        (View::Int(left), View::Int(right)) => left == right,
        (View::Str(left), View::Str(right)) => left == right,
        (View::Array(left), View::Array(right)) | (View::Object(left), View::Object(right))
            if depth >= DEPTH_MAX || left.bytes() == right.bytes() =>
        {
            left.bytes() == right.bytes()
        }
        (View::Array(_) | View::Range(..), View::Array(_) | View::Range(..)) => {
            equal_elements(Elements::of(left), Elements::of(right), depth + 1)
        }
        (View::Object(left), View::Object(right)) => equal_objects(left, right, depth + 1),
        _ => match (number_of(left), number_of(right)) {
            (Some(left), Some(right)) => number::compare(left, right).is_eq(),
            _ => false,
        },
    }
}

fn equal_elements(mut left: Elements<'_>, mut right: Elements<'_>, depth: usize) -> bool {
    loop {
        let (left_member, right_member) = (left.next(), right.next());
        if left_member.is_none() && right_member.is_none() {
            return true;
        }
        if !equal_at(left_member.unwrap_or_default(), right_member.unwrap_or_default(), depth) {
            return false;
        }
    }
}

fn equal_objects(left: Slice<'_>, right: Slice<'_>, depth: usize) -> bool {
    let mut left_count = 0;
    for (name, value) in left.object_iter() {
        let value = Value::from_slice(value);
        if value.is_null() {
            continue;
        }
        left_count += 1;
        let other = right.get(name).map_or(Value::NULL, Value::from_slice);
        if !equal_at(value, other, depth) {
            return false;
        }
    }
    let not_null = right.object_iter().filter(|(_, value)| !Value::from_slice(*value).is_null());
    not_null.count() == left_count
}

/// A hash that equal values share: `1` and `1.0`, `[]` and `[null]`, objects whatever the order of attributes.
///
/// Stable across processes and releases of one major version; not meant to resist chosen collisions.
#[inline]
pub fn hash(value: Value<'_>) -> u64 {
    hash_at(value, 0)
}

/// One seed a type, so that `0`, `false` and `""` differ.
mod seed {
    pub(super) const NULL: u64 = 0x9e37_79b9_7f4a_7c15;
    pub(super) const FALSE: u64 = 0xd1b5_4a32_d192_ed03;
    pub(super) const TRUE: u64 = 0x8cb9_2ba7_2f3d_8dd7;
    pub(super) const WHOLE: u64 = 0xaef1_7502_108e_f2d9;
    pub(super) const FRACTION: u64 = 0xa24b_aed4_963e_e407;
    pub(super) const ARRAY: u64 = 0x9fb2_1c65_1e98_df25;
    pub(super) const OBJECT: u64 = 0xe703_7ed1_a0b4_28db;
}

/// Spreads every input bit over the whole word (the finalizer of MurmurHash3).
fn mix(mut word: u64) -> u64 {
    word ^= word >> 33;
    word = word.wrapping_mul(0xff51_afd7_ed55_8ccd);
    word ^= word >> 33;
    word = word.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    word ^ (word >> 33)
}

fn hash_at(value: Value<'_>, depth: usize) -> u64 {
    let view = value.view();
    match view {
        View::Null => seed::NULL,
        View::Bool(false) => seed::FALSE,
        View::Bool(true) => seed::TRUE,
        View::Int(value) => hash_number(Number::Int(value)),
        View::UInt(value) => hash_number(Number::UInt(value)),
        View::Double(value) => hash_number(Number::Double(value)),
        View::Str(text) => xxh3_64(text.as_bytes()),
        View::Array(_) | View::Object(_) if depth >= DEPTH_MAX => seed::NULL,
        View::Array(_) | View::Range(..) => hash_elements(Elements::of(view), depth + 1),
        View::Object(slice) => hash_object(slice, depth + 1),
    }
}

fn hash_number(value: Number) -> u64 {
    let whole = |bits: u64| mix(bits ^ seed::WHOLE);
    match value {
        Number::Int(value) => whole(value as u64),
        // Above i64::MAX: the same bits as a negative i64, told apart by the turn.
        Number::UInt(value) => whole(value).rotate_left(1),
        Number::Double(value) => match (number::integral_i64(value), number::integral_u64(value)) {
            (Some(value), _) => whole(value as u64),
            (None, Some(value)) => whole(value).rotate_left(1),
            (None, None) => mix(value.to_bits() ^ seed::FRACTION),
        },
    }
}

fn hash_elements(elements: Elements<'_>, depth: usize) -> u64 {
    let mut state = seed::ARRAY;
    // The state after the last member that is not null: trailing nulls count as missing.
    let mut result = state;
    for member in elements {
        state = mix(state.rotate_left(5) ^ hash_at(member, depth));
        if !member.is_null() {
            result = state;
        }
    }
    mix(result)
}

fn hash_object(object: Slice<'_>, depth: usize) -> u64 {
    let attributes = object.object_iter().map(|(name, value)| (name, Value::from_slice(value)));
    let not_null = attributes.filter(|(_, value)| !value.is_null());
    // A sum, because the order of the attributes must not count.
    let sum = not_null.fold(0u64, |sum, (name, value)| {
        sum.wrapping_add(mix(xxh3_64(name.as_bytes()).rotate_left(17) ^ hash_at(value, depth)))
    });
    mix(sum ^ seed::OBJECT)
}
