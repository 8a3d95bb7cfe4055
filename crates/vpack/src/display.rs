//! Values as compact JSON text, for messages, tests and debugging.

use std::fmt::{self, Write};

use crate::double::DoubleText;
use crate::{DEPTH_MAX, Kind, Slice};

impl fmt::Display for Slice<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_value(formatter, *self, DEPTH_MAX)
    }
}

impl fmt::Debug for Slice<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

fn write_value(out: &mut fmt::Formatter<'_>, value: Slice<'_>, depth_left: usize) -> fmt::Result {
    match value.kind() {
        Kind::Bool => out.write_str(if value.is_true() { "true" } else { "false" }),
        Kind::Int | Kind::UInt => match (value.as_i64(), value.as_u64()) {
            (Some(number), _) => write!(out, "{number}"),
            (None, Some(number)) => write!(out, "{number}"),
            (None, None) => out.write_str("null"),
        },
        Kind::Double => out.write_str(DoubleText::new(value.as_f64().unwrap_or(f64::NAN)).as_str()),
        Kind::UtcDate => write!(out, "{}", value.as_utc_date().unwrap_or(0)),
        Kind::String => write_string(out, value.as_str().unwrap_or("")),
        Kind::Array if depth_left > 0 => write_array(out, value, depth_left - 1),
        Kind::Object if depth_left > 0 => write_object(out, value, depth_left - 1),
        Kind::Tagged => match value.untagged() {
            // A tag chain too long to follow.
            inner if inner.kind() == Kind::Tagged => out.write_str("null"),
            inner => write_value(out, inner, depth_left),
        },
        _ => out.write_str("null"),
    }
}

fn write_array(out: &mut fmt::Formatter<'_>, array: Slice<'_>, depth_left: usize) -> fmt::Result {
    out.write_char('[')?;
    for (index, member) in array.array_iter().enumerate() {
        if index > 0 {
            out.write_char(',')?;
        }
        write_value(out, member, depth_left)?;
    }
    out.write_char(']')
}

fn write_object(out: &mut fmt::Formatter<'_>, object: Slice<'_>, depth_left: usize) -> fmt::Result {
    out.write_char('{')?;
    for (index, (name, value)) in object.object_iter().enumerate() {
        if index > 0 {
            out.write_char(',')?;
        }
        write_string(out, name)?;
        out.write_char(':')?;
        write_value(out, value, depth_left)?;
    }
    out.write_char('}')
}

fn write_string(out: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    out.write_char('"')?;
    for character in text.chars() {
        match character {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\u{8}' => out.write_str("\\b")?,
            '\u{c}' => out.write_str("\\f")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            control if control < ' ' => write!(out, "\\u{:04X}", u32::from(control))?,
            other => out.write_char(other)?,
        }
    }
    out.write_char('"')
}
