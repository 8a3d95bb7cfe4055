//! Logs with arbitrary changes: reading them neither panics nor makes up records.
#![no_main]

#[path = "../checks.rs"]
mod checks;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| checks::changed_log(input));
