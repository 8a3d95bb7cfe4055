//! What this machine's CPU can do, as far as it matters for a native build.

use std::fmt;

/// The features that Persea's hot paths gain from, in the order they are printed.
#[cfg(target_arch = "x86_64")]
const FEATURES: &[&str] = &["sse4.2", "popcnt", "pclmulqdq", "avx", "avx2", "bmi1", "bmi2", "fma", "avx512f", "avx512bw", "avx512vl"];
#[cfg(not(target_arch = "x86_64"))]
const FEATURES: &[&str] = &[];

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
        let features = FEATURES.iter().map(|name| (*name, has(name))).collect();
        Cpu { model: model().unwrap_or_else(|| "unknown".to_owned()), features }
    }
}

impl fmt::Display for Cpu {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "CPU {} ({})", self.model, std::env::consts::ARCH)?;
        for (name, found) in &self.features {
            write!(formatter, "\n  {name:<10} {}", if *found { "yes" } else { "no" })?;
        }
        Ok(())
    }
}

fn model() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim().to_owned())
}

#[cfg(target_arch = "x86_64")]
fn has(name: &str) -> bool {
    use std::arch::is_x86_feature_detected as detected;
    match name {
        "sse4.2" => detected!("sse4.2"),
        "popcnt" => detected!("popcnt"),
        "pclmulqdq" => detected!("pclmulqdq"),
        "avx" => detected!("avx"),
        "avx2" => detected!("avx2"),
        "bmi1" => detected!("bmi1"),
        "bmi2" => detected!("bmi2"),
        "fma" => detected!("fma"),
        "avx512f" => detected!("avx512f"),
        "avx512bw" => detected!("avx512bw"),
        "avx512vl" => detected!("avx512vl"),
        _ => false,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn has(_name: &str) -> bool {
    false
}
