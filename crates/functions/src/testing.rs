//! Helpers of the tests: a call is written as text, `NAME(argument, …)`, with JSON arguments or `first..last`.

use bumpalo::Bump;
use persea_order::Value;
use persea_vpack::VPackBuf;

use crate::{Context, Environment, Error, NoDocuments, Warnings, lookup};

/// What a call gave: the value as JSON or an error number, and the numbers of its warnings.
pub(crate) struct Outcome {
    pub(crate) result: Result<String, u32>,
    pub(crate) warnings: Vec<u32>,
}

pub(crate) fn json_of(value: Value<'_>) -> String {
    persea_json::to_string(value.to_vpack().unwrap().as_slice())
}

/// Splits `a, [b, c], "d,e"` at the outer commas.
fn split_arguments(text: &str) -> Vec<&str> {
    let (mut depth, mut in_string, mut escaped, mut start) = (0, false, false, 0);
    let mut parts = Vec::new();
    for (at, character) in text.char_indices() {
        match character {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            _ if in_string => {}
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() {
        parts.push(text[start..].trim());
    }
    parts
}

enum Argument {
    Json(VPackBuf),
    Range((i64, i64)),
}

fn parse_argument(text: &str) -> Argument {
    if let Some((first, last)) = text.split_once("..")
        && let (Ok(first), Ok(last)) = (first.parse(), last.parse())
    {
        return Argument::Range((first, last));
    }
    let parsed = persea_json::parse(text.as_bytes());
    Argument::Json(parsed.unwrap_or_else(|error| panic!("argument {text:?}: {error}")))
}

pub(crate) fn with_environment(env: &Environment, call: &str) -> Outcome {
    let (name, rest) = call.split_once('(').unwrap();
    let arguments: Vec<Argument> =
        split_arguments(rest.strip_suffix(')').unwrap()).into_iter().map(parse_argument).collect();
    let values: Vec<Value<'_>> = arguments
        .iter()
        .map(|argument| match argument {
            Argument::Json(json) => Value::from_slice(json.as_slice()),
            Argument::Range(bounds) => Value::range(bounds),
        })
        .collect();
    let arena = Bump::new();
    let ctx = Context::new(&arena, env, &NoDocuments);
    let function = lookup(name).unwrap_or_else(|| panic!("no function {name}"));
    assert!(function.accepts(values.len()), "{call}: wrong number of arguments");
    let result = function.evaluate(&ctx, &values);
    let warnings = env.warnings().take().into_iter().map(|warning| warning.code).collect();
    let result = result.map(json_of).map_err(|error: Error| error.code());
    Outcome { result, warnings }
}

pub(crate) fn outcome(call: &str) -> Outcome {
    with_environment(
        &Environment::new().with_database("_system").with_warnings(Warnings::new(10, false)),
        call,
    )
}

fn same_json(result: &str, expected: &str) -> bool {
    let parse = |text: &str| persea_json::parse(text.as_bytes()).unwrap();
    let (left, right) = (parse(result), parse(expected));
    persea_order::equal(Value::from_slice(left.as_slice()), Value::from_slice(right.as_slice()))
}

/// The call gives this value, without a warning.
pub(crate) fn check(call: &str, expected: &str) {
    let outcome = outcome(call);
    let result = outcome.result.unwrap_or_else(|error| panic!("{call}: error {error}"));
    assert!(same_json(&result, expected), "{call}\n  gave     {result}\n  expected {expected}");
    assert!(outcome.warnings.is_empty(), "{call}: warnings {:?}", outcome.warnings);
}

/// The call gives this value and one warning.
pub(crate) fn check_warning(call: &str, expected: &str, warning: u32) {
    let outcome = outcome(call);
    let result = outcome.result.unwrap_or_else(|error| panic!("{call}: error {error}"));
    assert!(same_json(&result, expected), "{call}\n  gave     {result}\n  expected {expected}");
    assert_eq!(outcome.warnings, [warning], "{call}: warnings");
}

/// The call ends the query.
pub(crate) fn check_error(call: &str, error: u32) {
    assert_eq!(outcome(call).result, Err(error), "{call}");
}

/// The call gives a list of numbers (or one number) close to these.
pub(crate) fn check_near(call: &str, expected: &[f64]) {
    let outcome = outcome(call);
    let result = outcome.result.unwrap_or_else(|error| panic!("{call}: error {error}"));
    let parsed = persea_json::parse(result.as_bytes()).unwrap();
    let value = Value::from_slice(parsed.as_slice());
    let numbers: Vec<f64> = match value.as_f64() {
        Some(number) => vec![number],
        None => value.elements().filter_map(|member| member.as_f64()).collect(),
    };
    assert_eq!(numbers.len(), expected.len(), "{call} gave {result}");
    for (number, wanted) in numbers.iter().zip(expected) {
        let tolerance = 1e-12 * wanted.abs().max(1.0);
        assert!((number - wanted).abs() <= tolerance, "{call}\n  gave     {result}\n  expected {expected:?}");
    }
}
