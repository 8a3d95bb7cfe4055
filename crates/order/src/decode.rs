//! Reading values back out of sort keys, so that an index scan can answer without the documents.
//!
//! Scalars come back as they were, with two exceptions that do not show in JSON: a double without a fraction comes
//! back as an integer, and `-0.0` as `0`. Where more is lost, which is arrays (trailing nulls), objects (null
//! attributes, attribute order) and whole numbers from 2^53 in magnitude on (integer or double), the key says so.

use persea_vpack::DEPTH_MAX;

use crate::collation::Collation;
use crate::number;
use crate::repr::Value;
use crate::sort_key::{ATTRIBUTE, ESCAPE, PLAIN, TERMINATOR, tag};

/// What [`decode_sort_key`] found at the start of a key.
#[derive(Clone, Copy, Debug)]
pub enum DecodedKey<'t> {
    /// The value.
    Value(Value<'t>),
    /// A value that its key does not tell exactly; read it from the document.
    Inexact,
}

/// Reads one value from the start of `key` and returns it with the bytes behind it; `None` if `key` was not made by
/// [`sort_key`](crate::sort_key). A string is written over `text` and borrowed from there.
///
/// ```
/// use persea_order::{DecodedKey, Value, decode_sort_key, sort_key};
///
/// let mut key = Vec::new();
/// sort_key(Value::from_str("Oslo"), &mut key);
/// sort_key(Value::from_f64(2.5), &mut key);
///
/// let mut text = String::new();
/// let (city, rest) = decode_sort_key(&key, &mut text).unwrap();
/// assert!(matches!(city, DecodedKey::Value(city) if city.as_str() == Some("Oslo")));
/// let (score, rest) = decode_sort_key(rest, &mut text).unwrap();
/// assert!(matches!(score, DecodedKey::Value(score) if score.as_f64() == Some(2.5)));
/// assert!(rest.is_empty());
/// ```
pub fn decode_sort_key<'k, 't>(key: &'k [u8], text: &'t mut String) -> Option<(DecodedKey<'t>, &'k [u8])> {
    let (tag, body) = key.split_first()?;
    match *tag {
        tag::NULL => Some((DecodedKey::Value(Value::NULL), body)),
        tag::FALSE => Some((DecodedKey::Value(Value::FALSE), body)),
        tag::TRUE => Some((DecodedKey::Value(Value::TRUE), body)),
        tag::NUMBER => {
            let (number, rest) = number::decode(body)?;
            Some((number.map_or(DecodedKey::Inexact, DecodedKey::Value), rest))
        }
        tag::STRING => {
            text.clear();
            let (is_exact, rest) = decode_string(body, text)?;
            let decoded =
                if is_exact { DecodedKey::Value(Value::from_str(text)) } else { DecodedKey::Inexact };
            Some((decoded, rest))
        }
        _ => Some((DecodedKey::Inexact, skip_value(key, 0)?)),
    }
}

/// The bytes behind the first value's key; `None` if `key` was not made by [`sort_key`](crate::sort_key).
pub fn skip_sort_key(key: &[u8]) -> Option<&[u8]> {
    skip_value(key, 0)
}

fn decode_string<'k>(body: &'k [u8], text: &mut String) -> Option<(bool, &'k [u8])> {
    let (collated, rest) = split_at_terminator(body, TERMINATOR)?;
    let (marker, rest) = rest.split_first()?;
    if *marker == PLAIN {
        return Some((Collation::global().ascii().decode(collated, text), rest));
    }
    let (escaped, rest) = split_at_terminator(rest, TERMINATOR)?;
    let bytes = std::mem::take(text).into_bytes();
    let decoded = String::from_utf8(unescape(escaped, bytes));
    let is_exact = decoded.is_ok();
    *text = decoded.unwrap_or_default();
    Some((is_exact, rest))
}

fn unescape(escaped: &[u8], mut out: Vec<u8>) -> Vec<u8> {
    let mut escaped = escaped.iter();
    while let Some(byte) = escaped.next() {
        match *byte {
            ESCAPE => out.extend(escaped.next().map(|byte| byte.wrapping_sub(1))),
            byte => out.push(byte),
        }
    }
    out
}

fn skip_value(key: &[u8], depth: usize) -> Option<&[u8]> {
    let (tag, body) = key.split_first()?;
    match *tag {
        tag::NULL | tag::FALSE | tag::TRUE => Some(body),
        tag::NUMBER => number::decode(body).map(|(_, rest)| rest),
        tag::STRING => skip_string(body, 0),
        tag::ARRAY | tag::OBJECT if depth >= DEPTH_MAX => Some(split_at_terminator(body, TERMINATOR)?.1),
        tag::ARRAY => {
            let mut rest = body;
            while *rest.first()? != TERMINATOR {
                rest = skip_value(rest, depth + 1)?;
            }
            rest.get(1..)
        }
        tag::OBJECT => {
            let mut rest = body;
            while *rest.first()? == ATTRIBUTE {
                rest = skip_value(skip_string(rest.get(1..)?, 0xff)?, depth + 1)?;
            }
            rest.get(1..)
        }
        _ => None,
    }
}

/// Skips a string's body whose bytes were combined with `mask` by exclusive or.
fn skip_string(body: &[u8], mask: u8) -> Option<&[u8]> {
    let (_, rest) = split_at_terminator(body, TERMINATOR ^ mask)?;
    let (marker, rest) = rest.split_first()?;
    if marker ^ mask == PLAIN {
        return Some(rest);
    }
    Some(split_at_terminator(rest, TERMINATOR ^ mask)?.1)
}

fn split_at_terminator(bytes: &[u8], terminator: u8) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == terminator)?;
    Some((bytes.get(..end)?, bytes.get(end + 1..)?))
}
