//! Seeds of randomized tests: each run follows from one number, which a failure tells.
//!
//! `PERSEA_SEED=n` replays one run, `PERSEA_SEEDS=n` asks for another number of runs, both together for so many runs
//! from that one on.
#![allow(dead_code, reason = "not every test that shares this file needs all of it")]

/// The number in an environment variable.
pub fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
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
            let test = std::thread::current().name().unwrap_or_default().to_owned();
            let (package, file) = (env!("CARGO_PKG_NAME"), env!("CARGO_CRATE_NAME"));
            println!("to replay: PERSEA_SEED={} cargo test -p {package} --test {file} {test}", self.0);
        }
    }
}
