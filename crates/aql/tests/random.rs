//! Random queries: the printer gives text that parses to the same tree, and no token soup panics.

use persea_aql::parse;
use proptest::prelude::*;
use proptest::strategy::ValueTree;

fn name() -> BoxedStrategy<String> {
    prop_oneof![
        "[a-e]",
        "[a-c]_[0-9]",
        Just("$v".to_owned()),
        Just("`for`".to_owned()),
        Just("`a b`".to_owned()),
        Just("`\\``".to_owned()),
        Just("keep".to_owned()),
        Just("`at`".to_owned()),
        Just("CURRENT".to_owned()),
    ]
    .boxed()
}

fn scalar() -> BoxedStrategy<String> {
    prop_oneof![
        (0i64..100).prop_map(|n| n.to_string()),
        any::<u64>().prop_map(|n| n.to_string()),
        any::<f64>().prop_filter("finite", |n| n.is_finite()).prop_map(|n| format!("{:?}", n.abs())),
        Just("null".to_owned()),
        Just("true".to_owned()),
        "'[a-z \u{e4}]{0,6}'",
        Just(r#""\"\\\n\u0001""#.to_owned()),
        name(),
        Just("@p".to_owned()),
        Just("@@c".to_owned()),
    ]
    .boxed()
}

fn expression() -> BoxedStrategy<String> {
    scalar()
        .prop_recursive(5, 60, 5, |inner| {
            let inner = inner.boxed();
            let e = || inner.clone();
            prop_oneof![
                (e(), binary_operator(), e()).prop_map(|(a, op, b)| format!("{a} {op} {b}")),
                (e(), binary_operator(), e()).prop_map(|(a, op, b)| format!("({a}) {op} ({b})")),
                (prop_oneof![Just("-"), Just("+"), Just("!"), Just("NOT ")], e())
                    .prop_map(|(op, a)| format!("{op} {a}")),
                (e(), e(), e()).prop_map(|(a, b, c)| format!("{a} ? {b} : {c}")),
                (e(), e()).prop_map(|(a, b)| format!("{a} ?: {b}")),
                (e(), e()).prop_map(|(a, b)| format!("{a} .. {b}")),
                e().prop_map(|a| format!("({a})")),
                prop::collection::vec(e(), 0..4).prop_map(|m| format!("[{}]", m.join(", "))),
                prop::collection::vec((object_key(e()), e()), 0..4).prop_map(|m| {
                    let members: Vec<String> = m.into_iter().map(|(k, v)| format!("{k}: {v}")).collect();
                    format!("{{{}}}", members.join(", "))
                }),
                (prop_oneof![Just("F"), Just("a::b"), Just("LIKE")], prop::collection::vec(e(), 0..4))
                    .prop_map(|(f, args)| format!("{f}({})", args.join(", "))),
                (e(), prop::collection::vec(access(e()), 1..4)).prop_map(|(a, chain)| {
                    // A number can't be followed by a dot.
                    format!("({a}){}", chain.concat())
                }),
                (name(), prop::collection::vec(access(e()), 1..5))
                    .prop_map(|(a, chain)| format!("{a}{}", chain.concat())),
                (statements(e()), e()).prop_map(|(s, r)| format!("({s} RETURN {r})")),
            ]
        })
        .boxed()
}

fn binary_operator() -> BoxedStrategy<String> {
    prop_oneof![
        prop::sample::select(vec![
            "+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "IN", "NOT IN", "LIKE", "NOT LIKE",
            "=~", "!~", "NOT =~", "NOT !~", "&&", "||", "AND", "or",
        ])
        .prop_map(str::to_owned),
        (
            prop::sample::select(vec!["ALL", "ANY", "NONE", "AT LEAST (2)"]),
            prop::sample::select(vec!["==", "!=", "<", "<=", ">", ">=", "IN", "NOT IN"]),
        )
            .prop_map(|(quantifier, operator)| format!("{quantifier} {operator}")),
    ]
    .boxed()
}

fn object_key(inner: BoxedStrategy<String>) -> BoxedStrategy<String> {
    prop_oneof![name(), Just("'a b'".to_owned()), Just("@k".to_owned()), inner.prop_map(|e| format!("[{e}]"))]
        .boxed()
}

fn access(inner: BoxedStrategy<String>) -> BoxedStrategy<String> {
    let e = || inner.clone();
    prop_oneof![
        name().prop_map(|n| format!(".{n}")),
        Just(".@b".to_owned()),
        e().prop_map(|i| format!("[{i}]")),
        Just("[*]".to_owned()),
        Just("[**]".to_owned()),
        Just("[?]".to_owned()),
        Just("[??]".to_owned()),
        (e(), e(), e()).prop_map(|(f, l, r)| format!("[* FILTER {f} LIMIT {l} RETURN {r}]")),
        (e(), e()).prop_map(|(a, b)| format!("[** LIMIT {a}, {b}]")),
        (prop::sample::select(vec!["", "ALL", "ANY", "NONE", "AT LEAST (1)", "1..2"]), e())
            .prop_map(|(quantifier, f)| format!("[? {quantifier} FILTER {f}]")),
    ]
    .boxed()
}

fn pattern() -> BoxedStrategy<String> {
    name()
        .prop_recursive(2, 8, 3, |inner| {
            prop_oneof![
                (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("[{a}, , {b}]")),
                (name(), inner.clone(), name()).prop_map(|(a, p, b)| format!("{{{a}: {p}, {b}}}")),
                inner.prop_map(|a| format!("[, {a}]")),
            ]
        })
        .boxed()
}

fn statements(inner: BoxedStrategy<String>) -> BoxedStrategy<String> {
    let e = || inner.clone();
    let statement = prop_oneof![
        (pattern(), e()).prop_map(|(p, a)| format!("FOR {p} IN {a}")),
        (e(), e()).prop_map(|(a, b)| format!("FOR x IN {a} OPTIONS {{a: {b}}}")),
        (name(), e()).prop_map(|(v, b)| format!("FOR x IN {v} SEARCH {b} OPTIONS {{}}")),
        (e(), e())
            .prop_map(|(a, b)| format!("FOR v, e, p IN {a} ANY {b} GRAPH 'g' PRUNE w = e.a OPTIONS {{}}")),
        e().prop_map(|a| format!("FOR v IN INBOUND {a} e1, ANY e2, @@e3")),
        (e(), e()).prop_map(|(a, b)| format!("FOR v, e IN OUTBOUND SHORTEST_PATH {a} TO {b} GRAPH @g")),
        (e(), e(), e()).prop_map(|(d, a, b)| format!("FOR p IN {d} ANY K_PATHS {a} TO {b} INBOUND c")),
        e().prop_map(|a| format!("FILTER {a}")),
        (pattern(), e()).prop_map(|(p, a)| format!("LET {p} = {a}")),
        (e(), e(), e()).prop_map(|(a, b, c)| format!("SORT {a} DESC, {b}, {c} @d")),
        (e(), e()).prop_map(|(a, b)| format!("LIMIT {a}, {b}")),
        (e(), e()).prop_map(|(a, b)| format!("COLLECT g = {a}, h = {b} INTO i KEEP j, k OPTIONS {{}}")),
        (e(), e()).prop_map(|(a, b)| format!("COLLECT g = {a} AGGREGATE s = SUM({b}) INTO i = {a}")),
        e().prop_map(|a| format!("COLLECT g = {a} WITH COUNT INTO n")),
        (e(), e()).prop_map(|(a, b)| format!("WINDOW {a} WITH {{preceding: {b}}} AGGREGATE s = SUM({a})")),
        e().prop_map(|a| format!("INSERT {a} IN c OPTIONS {{}}")),
        (e(), e()).prop_map(|(a, b)| format!("UPDATE {a} WITH {b} INTO @@c")),
        e().prop_map(|a| format!("REPLACE {a} IN 'c'")),
        e().prop_map(|a| format!("REMOVE {a} IN c")),
        (e(), e()).prop_map(|(a, b)| format!("UPSERT {{a: {a}}} INSERT {b} UPDATE {a} IN c")),
        (e(), e()).prop_map(|(a, b)| format!("UPSERT FILTER {a} INSERT {b} REPLACE {a} INTO c")),
    ];
    prop::collection::vec(statement, 0..4).prop_map(|statements| statements.join(" ")).boxed()
}

fn token() -> BoxedStrategy<String> {
    prop_oneof![
        prop::sample::select(vec![
            "FOR",
            "LET",
            "FILTER",
            "RETURN",
            "COLLECT",
            "SORT",
            "LIMIT",
            "WINDOW",
            "ASC",
            "DESC",
            "IN",
            "WITH",
            "INTO",
            "AGGREGATE",
            "GRAPH",
            "SHORTEST_PATH",
            "K_PATHS",
            "DISTINCT",
            "REMOVE",
            "INSERT",
            "UPDATE",
            "REPLACE",
            "UPSERT",
            "null",
            "true",
            "NOT",
            "AND",
            "OR",
            "LIKE",
            "OUTBOUND",
            "ANY",
            "ALL",
            "NONE",
            "AT LEAST",
            "KEEP",
            "COUNT",
            "OPTIONS",
            "PRUNE",
            "SEARCH",
            "TO",
            "=",
            "==",
            "!=",
            "=~",
            "!~",
            "<",
            "+",
            "-",
            "*",
            "/",
            "%",
            "?",
            ":",
            "::",
            "..",
            ".",
            ",",
            "(",
            ")",
            "{",
            "}",
            "[",
            "]",
            "!",
            "1",
            "1.5",
            "'a'",
            "\"",
            "'",
            "`",
            "\u{b4}",
            "/*",
            "*/",
            "//",
            "\n",
            "@a",
            "@@a",
            "@",
            "\\",
            "x",
            "y",
            "\u{e4}",
            ";",
            "\0",
            "0x",
            "1e",
        ])
        .prop_map(str::to_owned),
        "[a-z@'\"`.0-9]{1,4}",
    ]
    .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn printed_queries_parse_to_the_same_tree((head, result) in (statements(expression()), expression())) {
        let query = format!("{head} RETURN {result}");
        // Some combinations are no queries, such as two operators that don't meet.
        if let Ok(parsed) = parse(&query) {
            let text = parsed.root.to_string();
            match parse(&text) {
                Ok(again) => {
                    prop_assert_eq!(&again.root, &parsed.root, "{} printed as {}", query, text);
                    prop_assert_eq!(again.root.to_string(), text);
                    prop_assert_eq!(again.bind_parameters.len(), parsed.bind_parameters.len());
                }
                Err(error) => prop_assert!(false, "{} printed as {}: {}", query, text, error),
            }
            persea_aql::to_ast_nodes(&parsed.root);
        }
    }

    #[test]
    fn token_soup_never_panics(tokens in prop::collection::vec(token(), 0..40)) {
        let _ = parse(&tokens.join(" "));
        let _ = parse(&tokens.concat());
    }

    #[test]
    fn broken_queries_never_panic(
        (head, result) in (statements(expression()), expression()),
        cut in any::<prop::sample::Index>(),
    ) {
        let query = format!("{head} RETURN {result}");
        let boundaries: Vec<usize> = query.char_indices().map(|(at, _)| at).collect();
        let at = boundaries[cut.index(boundaries.len())];
        let _ = parse(&query[..at]);
        let _ = parse(&query[at..]);
    }

    #[test]
    fn any_text_never_panics(text in "\\PC{0,60}") {
        let _ = parse(&text);
        let _ = parse(&format!("RETURN {text}"));
    }
}

/// Most of the generated queries must be queries, or the tests above show little.
#[test]
fn generated_queries_mostly_parse() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let strategy = (statements(expression()), expression());
    let mut failures = Vec::new();
    for _ in 0..100 {
        let (head, result) = strategy.new_tree(&mut runner).unwrap().current();
        let query = format!("{head} RETURN {result}");
        if let Err(error) = parse(&query) {
            failures.push(format!("{error}\n    {query}"));
        }
    }
    assert!(failures.len() < 40, "{} of 100 fail, such as {}", failures.len(), failures[..3].join("\n"));
}
