//! Seeds of randomized tests: each run follows from one number, which a failure tells.
//!
//! `PERSEA_SEED=n` replays one run, `PERSEA_SEEDS=n` asks for another number of runs, both together for so many runs
//! from that one on.
#![allow(
    dead_code,
    clippy::print_stdout,
    reason = "tests that share this file need parts of it; they may talk"
)]

use std::io::Write;

/// The number in an environment variable.
pub fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// How many cases of a property to try; proptest's own `PROPTEST_CASES` and `PROPTEST_RNG_SEED` ask for others.
pub fn n_cases(n: u32) -> u32 {
    number("PROPTEST_CASES").and_then(|n| u32::try_from(n).ok()).unwrap_or(n)
}

/// The seed of a property's random cases, which it tells.
///
/// It writes around the capture of what tests print: of a test that never ends nothing else would be known.
pub fn of_cases() -> u64 {
    let clock = || {
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_micros())
    };
    let seed = number("PROPTEST_RNG_SEED").unwrap_or_else(|| clock() as u64);
    let line = format!("to replay: PROPTEST_RNG_SEED={seed} cargo test {}\n", this_test());
    // Where nobody can be told, the test is run all the same.
    let _ = std::io::stderr().write_all(line.as_bytes());
    seed
}

/// What `cargo test` needs to run the test that asks, and no other.
fn this_test() -> String {
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    let (package, file) = (env!("CARGO_PKG_NAME"), env!("CARGO_CRATE_NAME"));
    let is_unit_test = file == package.replace('-', "_");
    let target = if is_unit_test { "--lib".to_owned() } else { format!("--test {file}") };
    format!("-p {package} {target} {test}")
}

/// Runs a check with each seed that is asked for, `n` of them unless the environment says otherwise.
pub fn for_each(n: u64, mut check: impl FnMut(u64)) {
    let first = number("PERSEA_SEED");
    let n = number("PERSEA_SEEDS").unwrap_or(if first.is_some() { 1 } else { n });
    let first = first.unwrap_or(0);
    for seed in first..first.saturating_add(n) {
        let _tell = Tell(seed);
        check(seed);
    }
}

/// Tells how to replay a run that panics.
struct Tell(u64);

impl Drop for Tell {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("to replay: PERSEA_SEED={} cargo test {}", self.0, this_test());
        }
    }
}
