//! Helpers the test files share.
#![allow(dead_code)]

/// The canonical text of a query, and that it is stable.
pub fn canonical(query: &str) -> String {
    let parsed = match persea_aql::parse(query) {
        Ok(parsed) => parsed,
        Err(error) => panic!("{query}\n  {error}"),
    };
    let text = parsed.root.to_string();
    match persea_aql::parse(&text) {
        Ok(again) => assert_eq!(again.root, parsed.root, "{query}\n  printed as {text}"),
        Err(error) => panic!("{query}\n  printed as {text}\n  {error}"),
    }
    text
}

/// Checks what a query is printed as.
#[track_caller]
pub fn check(query: &str, expected: &str) {
    assert_eq!(canonical(query), expected, "{query}");
}

/// Checks what `RETURN expression` is printed as, without the `RETURN`.
#[track_caller]
pub fn check_expression(expression: &str, expected: &str) {
    assert_eq!(canonical(&format!("RETURN {expression}")), format!("RETURN {expected}"), "{expression}");
}

/// Checks that two expressions have the same tree, which shows how operators bind.
#[track_caller]
pub fn check_same(expression: &str, with_parentheses: &str) {
    let parse = |text: &str| match persea_aql::parse(&format!("RETURN {text}")) {
        Ok(parsed) => parsed.root,
        Err(error) => panic!("{text}\n  {error}"),
    };
    let (left, right) = (parse(expression), parse(with_parentheses));
    assert_eq!(left, right, "{expression} is {left}, expected {with_parentheses}");
    canonical(&format!("RETURN {expression}"));
}

/// Checks an error's number and message.
#[track_caller]
pub fn check_error(query: &str, error_num: u32, message: &str) {
    match persea_aql::parse(query) {
        Ok(parsed) => panic!("{query}\n  parsed as {}", parsed.root),
        Err(error) => {
            assert_eq!((error.error_num, error.message.as_str()), (error_num, message), "{query}");
        }
    }
}

/// Checks that a query is a syntax error, whatever the message.
#[track_caller]
pub fn check_rejected(query: &str) {
    match persea_aql::parse(query) {
        Ok(parsed) => panic!("{query}\n  parsed as {}", parsed.root),
        Err(error) => assert_eq!(error.error_num, 1501, "{query}\n  {error}"),
    }
}
