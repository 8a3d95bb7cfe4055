//! The machine a run is measured on, as far as figures depend on it.

use super::result::Machine;
use crate::cpu::Cpu;

/// Looks at this machine. No host name: histories are public.
pub fn describe() -> Machine {
    let cpu = Cpu::detect();
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let memory_bytes = memory_bytes().unwrap_or(0);
    let system = std::env::consts::OS.to_owned();
    let architecture = std::env::consts::ARCH.to_owned();
    let memory = match memory_bytes {
        0 => String::new(),
        bytes => format!(", {:.0} GiB", bytes as f64 / f64::from(1 << 30)),
    };
    Machine {
        name: format!("{}, {cores} cores{memory}, {system} {architecture}", cpu.model),
        system,
        architecture,
        cpu: cpu.model,
        cores,
        memory_bytes,
        features: cpu
            .features
            .into_iter()
            .filter(|(_, found)| *found)
            .map(|(name, _)| name.to_owned())
            .collect(),
    }
}

fn memory_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1024)
}
