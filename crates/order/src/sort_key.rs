//! Memcomparable sort keys: bytes whose plain order is AQL's order.
//!
//! One value's key is a tag byte and a body; keys are prefix-free, so several can be written one after the other
//! and still order as a tuple. Equal values have equal keys.
//!
//! | value | bytes |
//! | --- | --- |
//! | null, false, true | `10`, `18`, `19` |
//! | number | `20`, then 8 bytes of the greatest double not above it; from 2^53 in magnitude on 2 bytes of rest |
//! | string | `30`, then ICU's sort key, `00`, and the tie-breaker |
//! | array | `40`, then the members' keys without trailing nulls, `00` |
//! | object | `50`, then for each attribute that is not null, in collation order of names: `01`, the complement of the name's string body, the value's key; then `00` |
//!
//! An attribute name is complemented because the object that has the smaller name next is the greater one: the
//! other has null there. The closing `00` is below everything that could follow in its place, as null is.
//!
//! The tie-breaker of a string orders those that collation calls equal by code point, and costs one byte for
//! ordinary text. Call a string plain when it is ASCII without ignored characters; at most one plain string has a
//! given ICU key. It gets `02`. Any other string gets `01` when it is below the plain string of that ICU key and
//! `03` when above, then its own bytes with `00` written as `01 01` and `01` as `01 02`, then `00`. Which side it
//! lies on shows at its first character that is not plain: a non-ASCII one is above any ASCII character, and an
//! ignored control character is compared with the character that counts after it.

use persea_vpack::DEPTH_MAX;

use crate::collation::Collation;
use crate::compare::{number_of, sorted_attributes};
use crate::number;
use crate::repr::Value;
use crate::view::View;

/// First byte of each value's key; see the file's head. All lie above `TERMINATOR` and below `0xff`.
pub(crate) mod tag {
    pub(crate) const NULL: u8 = 0x10;
    pub(crate) const FALSE: u8 = 0x18;
    pub(crate) const TRUE: u8 = 0x19;
    pub(crate) const NUMBER: u8 = 0x20;
    pub(crate) const STRING: u8 = 0x30;
    pub(crate) const ARRAY: u8 = 0x40;
    pub(crate) const OBJECT: u8 = 0x50;
}

pub(crate) const TERMINATOR: u8 = 0x00;
pub(crate) const ATTRIBUTE: u8 = 0x01;
const BELOW_PLAIN: u8 = 0x01;
pub(crate) const PLAIN: u8 = 0x02;
const ABOVE_PLAIN: u8 = 0x03;
pub(crate) const ESCAPE: u8 = 0x01;

/// Appends the sort key of `value` to `out`.
///
/// For all values, `sort_key(a) < sort_key(b)` as bytes exactly when `compare(a, b)` is less, and no key is a
/// proper prefix of another. Every key starts with a byte from `0x10` to `0x50`.
///
/// ```
/// use persea_order::{Value, sort_key};
///
/// let key = |value| {
///     let mut key = Vec::new();
///     sort_key(value, &mut key);
///     key
/// };
/// assert_eq!(key(Value::from_i64(1)), key(Value::from_f64(1.0)));
/// assert!(key(Value::from_str("B")) < key(Value::from_str("b")));
/// assert!(key(Value::from_str("b")) < key(Value::from_str("É")));
/// ```
#[inline]
pub fn sort_key(value: Value<'_>, out: &mut Vec<u8>) {
    write_value(value, out, 0);
}

/// Turns `key` into the smallest byte string that is greater than every byte string starting with `key`.
///
/// False, leaving `key` empty, when there is none (a key of `0xff` bytes only). Keys that [`sort_key`] made always
/// have one.
///
/// ```
/// let mut key = vec![0x10, 0xff];
/// assert!(persea_order::prefix_successor(&mut key));
/// assert_eq!(key, [0x11]);
/// ```
pub fn prefix_successor(key: &mut Vec<u8>) -> bool {
    while let Some(last) = key.pop() {
        if last < u8::MAX {
            key.push(last + 1);
            return true;
        }
    }
    false
}

/// Appends the byte string that is smallest among those greater than the sort key of `value` and all byte strings
/// starting with it: the exclusive upper end of a scan over entries that begin with that value.
pub fn sort_key_successor(value: Value<'_>, out: &mut Vec<u8>) {
    let start = out.len();
    sort_key(value, out);
    let mut key = out.split_off(start);
    prefix_successor(&mut key);
    out.append(&mut key);
}

fn write_value(value: Value<'_>, out: &mut Vec<u8>, depth: usize) {
    let view = value.view();
    match view {
        View::Null => out.push(tag::NULL),
        View::Bool(false) => out.push(tag::FALSE),
        View::Bool(true) => out.push(tag::TRUE),
        View::Int(_) | View::UInt(_) | View::Double(_) => {
            out.push(tag::NUMBER);
            if let Some(value) = number_of(view) {
                number::encode(value, out);
            }
        }
        View::Str(text) => {
            out.push(tag::STRING);
            write_string(text, out);
        }
        View::Array(slice) if depth >= DEPTH_MAX => {
            out.push(tag::ARRAY);
            write_escaped(slice.bytes(), out);
        }
        View::Array(_) | View::Range(..) => write_array(value, out, depth + 1),
        View::Object(slice) if depth >= DEPTH_MAX => {
            out.push(tag::OBJECT);
            write_escaped(slice.bytes(), out);
        }
        View::Object(slice) => {
            out.push(tag::OBJECT);
            for (name, value) in sorted_attributes(slice) {
                out.push(ATTRIBUTE);
                let start = out.len();
                write_string(name, out);
                out.iter_mut().skip(start).for_each(|byte| *byte = !*byte);
                write_value(Value::from_slice(value), out, depth + 1);
            }
            out.push(TERMINATOR);
        }
    }
}

fn write_array(value: Value<'_>, out: &mut Vec<u8>, depth: usize) {
    out.push(tag::ARRAY);
    let mut end = out.len();
    for member in value.elements() {
        write_value(member, out, depth);
        if !member.is_null() {
            end = out.len();
        }
    }
    out.truncate(end);
    out.push(TERMINATOR);
}

/// Appends ICU's key, a zero byte and the tie-breaker.
fn write_string(text: &str, out: &mut Vec<u8>) {
    let collation = Collation::global();
    collation.write_key(text, out);
    out.push(TERMINATOR);
    match first_not_plain(text, collation) {
        None => out.push(PLAIN),
        Some(position) => {
            let below = is_below_plain(text, position, collation);
            out.push(if below { BELOW_PLAIN } else { ABOVE_PLAIN });
            write_escaped(text.as_bytes(), out);
        }
    }
}

fn first_not_plain(text: &str, collation: &Collation) -> Option<usize> {
    text.bytes().position(|byte| !byte.is_ascii() || collation.ascii().ignores(byte))
}

/// True when `text`, whose first character that is not plain is at `position`, has a smaller character there than
/// the plain string that collates the same.
fn is_below_plain(text: &str, position: usize, collation: &Collation) -> bool {
    let Some(character) = text.as_bytes().get(position).filter(|byte| byte.is_ascii()) else { return false };
    let mut rest = Vec::new();
    collation.write_key(text.get(position..).unwrap_or_default(), &mut rest);
    // The plain characters below this one: had the plain string one of them here, it would be the smaller.
    let smaller = (0..*character).filter(|plain| !collation.ascii().ignores(*plain));
    let plain_is_smaller =
        smaller.into_iter().any(|plain| rest.starts_with(collation.ascii().primary_bytes(plain)));
    // A key that starts with the level separator has no character left that counts: the plain string ends here.
    let plain_has_ended = rest.first().is_none_or(|byte| *byte == 1);
    !plain_is_smaller && !plain_has_ended
}

/// Appends `bytes` such that they hold no zero byte and keep their order, and a zero byte.
fn write_escaped(bytes: &[u8], out: &mut Vec<u8>) {
    for byte in bytes {
        match byte {
            0 | 1 => out.extend_from_slice(&[ESCAPE, byte + 1]),
            _ => out.push(*byte),
        }
    }
    out.push(TERMINATOR);
}
