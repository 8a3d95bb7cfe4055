//! What this machine's CPU can do, as far as it matters for a native build.

use std::fmt;

/// Pairs of feature name and whether the CPU has it.
macro_rules! found {
    ($detected:ident: $($name:tt)*) => { vec![$(($name, std::arch::$detected!($name))),*] };
}

/// The CPU found.
pub struct Cpu {
    /// Model name as the operating system tells it.
    pub model: String,
    /// Feature name and whether the CPU has it.
    pub features: Vec<(&'static str, bool)>,
}

impl Cpu {
    /// Looks at the CPU this process runs on.
    pub fn detect() -> Cpu {
        Cpu { model: model().unwrap_or_else(|| "unknown".to_owned()), features: features() }
    }
}

impl fmt::Display for Cpu {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "CPU {} ({})", self.model, std::env::consts::ARCH)?;
        for (name, found) in &self.features {
            write!(formatter, "\n  {name:<16} {}", if *found { "yes" } else { "no" })?;
        }
        Ok(())
    }
}

/// The features that hot paths gain from, in the order they are printed.
#[cfg(target_arch = "x86_64")]
fn features() -> Vec<(&'static str, bool)> {
    found!(is_x86_feature_detected:
        "sse4.1" "sse4.2" "popcnt" "pclmulqdq" "lzcnt" "bmi1" "bmi2" "movbe" "avx" "avx2" "fma"
        "avx512f" "avx512bw" "avx512vl" "avx512dq" "avx512vbmi" "avx512vbmi2" "avx512vpopcntdq")
}

/// The features that hot paths gain from, in the order they are printed.
#[cfg(target_arch = "aarch64")]
fn features() -> Vec<(&'static str, bool)> {
    found!(is_aarch64_feature_detected: "neon" "crc" "aes" "sha2" "lse" "rdm" "fp16" "dotprod" "sve" "sve2")
}

/// None is known for this architecture.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn features() -> Vec<(&'static str, bool)> {
    Vec::new()
}

fn model() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    // ARM kernels print no model name, only numbers.
    let line = text.lines().find(|line| line.starts_with("model name") || line.starts_with("Model"))?;
    line.split_once(':').map(|(_, name)| name.trim().to_owned())
}
