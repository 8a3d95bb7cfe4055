//! What was built: the facts that `persea version` prints and `/_admin/version?details=true` answers.

use std::fmt;

use crate::routes::version::COMPATIBLE_VERSION;

/// What only the program around this library knows of its making. Empty text is unknown and left out of the facts.
#[derive(Clone, Debug, Default)]
pub struct BuildInfo {
    /// Full hash of the commit, with `-modified` after it where files differed.
    pub commit: &'static str,
    /// The day of the build.
    pub date: &'static str,
    /// The triple it is built for.
    pub target: &'static str,
    /// Cargo's profile.
    pub profile: &'static str,
    /// The compiler and its version.
    pub compiler: &'static str,
    /// Sanitizers compiled in, separated by blanks.
    pub sanitizers: &'static str,
    /// The memory allocator.
    pub allocator: &'static str,
}

/// One fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// A text.
    Text(String),
    /// Names.
    List(Vec<&'static str>),
    /// Yes or no.
    Flag(bool),
}

impl fmt::Display for Fact {
    /// Names are separated by blanks; no name is `none`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fact::Text(text) => formatter.write_str(text),
            Fact::List(names) if names.is_empty() => formatter.write_str("none"),
            Fact::List(names) => formatter.write_str(&names.join(" ")),
            Fact::Flag(flag) => write!(formatter, "{flag}"),
        }
    }
}

impl BuildInfo {
    /// All facts by name, in the order they are printed.
    pub fn facts(&self) -> Vec<(&'static str, Fact)> {
        let text = |text: &str| Fact::Text(text.to_owned());
        let mut facts = vec![
            ("version", text(env!("CARGO_PKG_VERSION"))),
            ("compatible-with", Fact::Text(format!("ArangoDB {COMPATIBLE_VERSION}"))),
            ("commit", text(self.commit)),
            ("build-date", text(self.date)),
            ("target", text(self.target)),
            ("cpu-architecture", text(std::env::consts::ARCH)),
            ("operating-system", text(std::env::consts::OS)),
            ("profile", text(self.profile)),
            ("compiler", text(self.compiler)),
            ("cpu-features-compiled-in", Fact::List(cpu_features(|(_, compiled_in, _)| compiled_in))),
            ("cpu-features-found", Fact::List(cpu_features(|(_, _, found)| found))),
            ("allocator", text(self.allocator)),
            ("json-implementation", text(persea_json::IMPLEMENTATION)),
            ("storage-engine", Fact::Text(persea::storage_version())),
            ("sanitizers", text(self.sanitizers)),
            ("debug-assertions", Fact::Flag(cfg!(debug_assertions))),
        ];
        facts.retain(|(_, fact)| *fact != Fact::Text(String::new()));
        facts
    }
}

/// Name, whether the code is compiled for it, whether the CPU has it.
type CpuFeature = (&'static str, bool, bool);

fn cpu_features(chosen: impl Fn(CpuFeature) -> bool) -> Vec<&'static str> {
    all_cpu_features().into_iter().filter(|feature| chosen(*feature)).map(|(name, ..)| name).collect()
}

macro_rules! cpu_features {
    ($detected:ident: $($name:tt)*) => {
        vec![$(($name, cfg!(target_feature = $name), std::arch::$detected!($name))),*]
    };
}

/// Those that compilers and hot paths use.
#[cfg(target_arch = "x86_64")]
fn all_cpu_features() -> Vec<CpuFeature> {
    cpu_features!(is_x86_feature_detected:
        "sse2" "sse3" "ssse3" "sse4.1" "sse4.2" "popcnt" "pclmulqdq" "aes" "sha" "movbe" "lzcnt" "bmi1" "bmi2" "adx"
        "avx" "avx2" "fma" "f16c" "gfni" "vaes" "vpclmulqdq" "avx512f" "avx512cd" "avx512dq" "avx512bw" "avx512vl"
        "avx512ifma" "avx512vbmi" "avx512vbmi2" "avx512vnni" "avx512bitalg" "avx512vpopcntdq" "avx512bf16")
}

/// Those that compilers and hot paths use.
#[cfg(target_arch = "aarch64")]
fn all_cpu_features() -> Vec<CpuFeature> {
    cpu_features!(is_aarch64_feature_detected:
        "neon" "crc" "aes" "sha2" "sha3" "lse" "rdm" "fp16" "dotprod" "i8mm" "bf16" "sve" "sve2")
}

/// None is known for this architecture.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn all_cpu_features() -> Vec<CpuFeature> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_facts_are_left_out() {
        let names: Vec<&str> = BuildInfo::default().facts().into_iter().map(|(name, _)| name).collect();
        assert!(names.contains(&"version") && names.contains(&"storage-engine"));
        assert!(!names.contains(&"commit") && !names.contains(&"sanitizers"));
    }

    #[test]
    fn what_is_compiled_in_is_found() {
        let facts = BuildInfo::default().facts();
        let list = |wanted: &str| {
            facts.iter().find_map(|(name, fact)| match fact {
                Fact::List(names) if *name == wanted => Some(names.clone()),
                _ => None,
            })
        };
        let (compiled_in, found) =
            (list("cpu-features-compiled-in").unwrap(), list("cpu-features-found").unwrap());
        assert!(compiled_in.iter().all(|name| found.contains(name)));
    }
}
