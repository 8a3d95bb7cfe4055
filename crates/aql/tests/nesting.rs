//! No input overflows the stack: everything runs on a thread with 2 MiB.

fn on_small_stack(name: &'static str, run: impl FnOnce() + Send + 'static) {
    let spawned = std::thread::Builder::new().name(name.into()).stack_size(2 << 20).spawn(run);
    assert!(spawned.is_ok_and(|thread| thread.join().is_ok()), "{name}");
}

fn nested(before: &str, middle: &str, after: &str, levels: usize) -> String {
    format!("RETURN {}{middle}{}", before.repeat(levels), after.repeat(levels))
}

const FORMS: &[(&str, &str, &str)] = &[
    ("(", "1", ")"),
    ("[", "1", "]"),
    ("{a: ", "1", "}"),
    ("{[", "1", "]: 1}"),
    ("!", "1", ""),
    ("-", "1", ""),
    ("F(", "1", ")"),
    ("(RETURN ", "1", ")"),
    ("(FOR x IN ", "[]", " RETURN x)"),
    ("(INSERT ", "1", " INTO c)"),
    ("F(RETURN ", "1", ")"),
    ("1 + ", "1", ""),
    ("1 + (", "1", ")"),
    ("1 ? 1 : ", "1", ""),
    ("1 ? ", "1", " : 1"),
    ("1 ?: ", "1", ""),
    ("a[", "1", "]"),
    ("a", "a", ".b"),
    ("", "a", "[0]"),
    ("", "a", "[*]"),
    ("", "a", "[**]"),
    ("", "a", "[?]"),
    ("a[* FILTER ", "1", "]"),
    ("a[? ALL FILTER ", "1", "]"),
    ("a[* RETURN ", "1", "]"),
    ("a ALL == ", "1", ""),
    ("a AT LEAST (", "1", ") == 1"),
    ("1 && (1 == (", "1", "))"),
];

#[test]
fn deep_queries_are_rejected() {
    on_small_stack("rejects", || {
        for (before, middle, after) in FORMS {
            for levels in [501, 5_000, 100_000] {
                if before.len() * levels > 1 << 20 {
                    continue;
                }
                let query = nested(before, middle, after, levels);
                // `aaaa` is one long name.
                if *before == "a" && persea_aql::parse(&query).is_ok() {
                    continue;
                }
                let error = persea_aql::parse(&query).unwrap_err();
                assert_eq!(error.error_num, 1524, "{before}{middle}{after} {levels}: {error}");
            }
        }
    });
}

#[test]
fn queries_of_some_depth_work_whole() {
    on_small_stack("accepts", || {
        for (before, middle, after) in FORMS {
            for levels in [1, 10, 60] {
                let query = nested(before, middle, after, levels);
                let parsed = match persea_aql::parse(&query) {
                    Ok(parsed) => parsed,
                    Err(error) => panic!("{before}{middle}{after} {levels}: {error}"),
                };
                let text = parsed.root.to_string();
                assert_eq!(persea_aql::parse(&text).unwrap().root, parsed.root);
                persea_aql::to_ast_nodes(&parsed.root);
            }
        }
    });
}

#[test]
fn the_deepest_trees_can_be_printed_shown_and_dropped() {
    on_small_stack("deepest", || {
        for (before, middle, after) in FORMS {
            // The deepest that parses: the bound on the stack may come before the bound on levels.
            let parsed = (1..=500)
                .rev()
                .step_by(7)
                .find_map(|levels| persea_aql::parse(&nested(before, middle, after, levels)).ok());
            let parsed = parsed.unwrap();
            let text = parsed.root.to_string();
            assert!(!text.is_empty());
            persea_aql::to_ast_nodes(&parsed.root);
            assert!(parsed.root.clone() == parsed.root);
        }
    });
}

#[test]
fn long_is_not_deep() {
    let sum = format!("RETURN [{}]", "1, ".repeat(50_000));
    assert!(persea_aql::parse(&sum).is_ok());
    let statements = format!("{} RETURN 1", "FILTER true ".repeat(10_000));
    assert!(persea_aql::parse(&statements).is_ok());
    let operands = format!("RETURN 1{}", " + 1".repeat(499));
    assert!(persea_aql::parse(&operands).is_ok());
    let operands = format!("RETURN 1{}", " + 1".repeat(500));
    assert_eq!(persea_aql::parse(&operands).unwrap_err().error_num, 1524);
}
