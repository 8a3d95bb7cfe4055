//! Calls every function with all kinds of arguments: none may panic, and only some may end the query.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use bumpalo::Bump;
use persea_functions::{Context, Environment, Function, NoDocuments, Warnings, all};
use persea_order::Value;
use persea_vpack::VPackBuf;
use proptest::prelude::*;

const SAMPLES: [&str; 16] = [
    "null",
    "true",
    "-1",
    "0",
    "2.5",
    "1e300",
    "18446744073709551615",
    "\"\"",
    "\"größe 🥑\"",
    "\"2024-02-29T12:30:00+01:00\"",
    "\"Europe/Berlin\"",
    "\"[\"",
    "[]",
    "[1,[2,\"a\"],null,{\"a\":1}]",
    "[[0,0],[5,0],[5,5],[0,0]]",
    "{\"a\":{\"b\":[1]},\"_id\":\"c/k\",\"type\":\"Point\",\"coordinates\":[1,2]}",
];

/// What a call may end a query with, given that none of the arguments is a bad name of a function or collection.
const LEGAL_ERRORS: [u32; 13] = [9, 10, 32, 1203, 1504, 1540, 1541, 1542, 1554, 1569, 1578, 1582, 1593];

fn samples() -> Vec<VPackBuf> {
    SAMPLES.iter().map(|text| persea_json::parse(text.as_bytes()).unwrap()).collect()
}

fn call(function: &Function, args: &[Value<'_>]) {
    let (arena, env) =
        (Bump::new(), Environment::new().with_database("_system").with_warnings(Warnings::new(0, false)));
    let ctx = Context::new(&arena, &env, &NoDocuments);
    match function.evaluate(&ctx, args) {
        Ok(value) => {
            let bytes = value.to_vpack().unwrap();
            assert!(persea_vpack::Slice::validate(bytes.bytes()).is_ok(), "{} {args:?}", function.name);
        }
        Err(error) => {
            assert!(LEGAL_ERRORS.contains(&error.code()), "{} {args:?}: {error}", function.name);
        }
    }
}

fn callable() -> impl Iterator<Item = &'static Function> {
    all().iter().filter(|function| function.name != "SLEEP")
}

#[test]
fn one_and_two_arguments() {
    let samples = samples();
    let range = (3, -2);
    let mut values: Vec<Value<'_>> =
        samples.iter().map(|sample| Value::from_slice(sample.as_slice())).collect();
    values.push(Value::range(&range));
    for function in callable() {
        if function.accepts(0) {
            call(function, &[]);
        }
        for first in &values {
            if function.accepts(1) {
                call(function, &[*first]);
            }
            for second in values.iter().filter(|_| function.accepts(2)) {
                call(function, &[*first, *second]);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_arguments(picks in prop::collection::vec(0..SAMPLES.len(), 0..7)) {
        let samples = samples();
        let values: Vec<Value<'_>> = picks.iter().map(|at| Value::from_slice(samples[*at].as_slice())).collect();
        for function in callable().filter(|function| function.accepts(values.len())) {
            call(function, &values);
        }
    }

    #[test]
    fn like_agrees_with_an_expression(pattern in "[ab%_\\\\]{0,8}", text in "[ab%_\\\\]{0,10}") {
        let mut expression = String::from("(?s)^");
        let mut signs = pattern.chars().peekable();
        while let Some(sign) = signs.next() {
            match sign {
                '%' => expression.push_str(".*"),
                '_' => expression.push('.'),
                '\\' => {
                    let literal = signs.next_if(|next| matches!(next, '%' | '_' | '\\')).unwrap_or('\\');
                    expression.push_str(&regex::escape(&literal.to_string()));
                }
                _ => expression.push(sign),
            }
        }
        expression.push('$');
        let expected = regex::Regex::new(&expression).unwrap().is_match(&text);
        prop_assert_eq!(persea_functions::like(&pattern, &text, false), expected);
        prop_assert_eq!(persea_functions::like(&pattern, &text, true), expected);
    }
}
