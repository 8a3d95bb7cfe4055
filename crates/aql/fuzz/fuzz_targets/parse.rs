//! Any text parses or fails without a panic, and what parses prints as text with the same tree.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(parsed) = persea_aql::parse(text) {
        let printed = parsed.root.to_string();
        match persea_aql::parse(&printed) {
            Ok(again) => assert_eq!(again.root, parsed.root, "{printed}"),
            // Printing may add parentheses, which count as nesting.
            Err(error) => assert_eq!(error.error_num, 1524, "{printed}"),
        }
        persea_aql::to_ast_nodes(&parsed.root);
    }
});
