//! The check of the fuzz target, on random input.
#![allow(clippy::expect_used, missing_docs, reason = "a test that fails panics")]

#[path = "../fuzz/checks.rs"]
mod checks;

use proptest::prelude::*;

fn n_cases() -> u32 {
    std::env::var("PERSEA_WAL_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(256)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: n_cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn neither_panic_nor_make_up_records(input in prop::collection::vec(any::<u8>(), 0..400)) {
        checks::changed_log(&input);
    }
}
