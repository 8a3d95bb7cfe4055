//! What comes out of a query: rows and warnings, or an error.

use std::collections::BTreeSet;

use serde_json::Value;

/// What comes out of a query.
#[derive(Clone, Debug)]
pub enum Outcome {
    Rows {
        /// An array of rows, or the value of a table row.
        value: Value,
        /// Whether the order of the rows doesn't matter.
        unordered: bool,
        /// Numbers of the warnings, each once.
        warnings: BTreeSet<u64>,
    },
    Error {
        number: u64,
        /// Compared when it isn't empty.
        message: String,
    },
}

impl Outcome {
    /// Reads `error 1501 [message]` or `JSON [unordered] [warning 1562 ...]`. Panics on anything else.
    pub fn parse(file: &str, text: &str) -> Outcome {
        let text = text.trim();
        if let Some(rest) = text.strip_prefix("error ") {
            let (number, message) = rest.split_once(' ').unwrap_or((rest, ""));
            let number = number.parse().unwrap_or_else(|_| panic!("{file}: no error number in {text}"));
            return Outcome::Error { number, message: message.trim().to_owned() };
        }
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
        let value = match values.next() {
            Some(Ok(value)) => value,
            other => panic!("{file}: outcome {text} is no JSON: {other:?}"),
        };
        let mut unordered = false;
        let mut warnings = BTreeSet::new();
        for word in text[values.byte_offset()..].split_whitespace() {
            match word {
                "unordered" => unordered = true,
                "warning" => {}
                number => {
                    let number =
                        number.parse().unwrap_or_else(|_| panic!("{file}: what is {number} in {text}?"));
                    warnings.insert(number);
                }
            }
        }
        Outcome::Rows { value, unordered, warnings }
    }

    /// Whether `self`, which was found, is what `expected` asks for.
    pub fn meets(&self, expected: &Outcome) -> bool {
        match (self, expected) {
            (
                Outcome::Rows { value: found, warnings: found_warnings, .. },
                Outcome::Rows { value, unordered, warnings },
            ) => found_warnings == warnings && same_rows(found, value, *unordered),
            (
                Outcome::Error { number: found, message: found_message },
                Outcome::Error { number, message },
            ) => found == number && (message.is_empty() || found_message == message),
            _ => false,
        }
    }

    /// As it is written in a file.
    pub fn show(&self, like: Option<&Outcome>) -> String {
        match self {
            Outcome::Error { number, message } => {
                let with_message =
                    matches!(like, Some(Outcome::Error { message, .. }) if !message.is_empty());
                if with_message { format!("error {number} {message}") } else { format!("error {number}") }
            }
            Outcome::Rows { value, warnings, .. } => {
                let mut text = value.to_string();
                if matches!(like, Some(Outcome::Rows { unordered: true, .. })) {
                    text += " unordered";
                }
                if !warnings.is_empty() {
                    text += " warning";
                }
                for warning in warnings {
                    text += &format!(" {warning}");
                }
                text
            }
        }
    }
}

fn same_rows(found: &Value, expected: &Value, unordered: bool) -> bool {
    match (found, expected) {
        (Value::Array(found), Value::Array(expected)) if unordered => {
            let mut left: Vec<&Value> = expected.iter().collect();
            found.len() == expected.len()
                && found.iter().all(|row| match left.iter().position(|candidate| same(row, candidate)) {
                    Some(position) => {
                        left.swap_remove(position);
                        true
                    }
                    None => false,
                })
        }
        _ => same(found, expected),
    }
}

/// Equality of JSON values; numbers are equal by value, doubles up to rounding.
fn same(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Number(found), Value::Number(expected)) => {
            if let (Some(found), Some(expected)) = (found.as_i64(), expected.as_i64()) {
                return found == expected;
            }
            let (Some(found), Some(expected)) = (found.as_f64(), expected.as_f64()) else { return false };
            found == expected || (found - expected).abs() <= expected.abs() * 1e-12
        }
        (Value::Array(found), Value::Array(expected)) => {
            found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| same(a, b))
        }
        (Value::Object(found), Value::Object(expected)) => {
            found.len() == expected.len()
                && found
                    .iter()
                    .all(|(name, value)| expected.get(name).is_some_and(|other| same(value, other)))
        }
        _ => found == expected,
    }
}
