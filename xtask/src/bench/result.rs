//! What a run of benches leaves behind: the schema of its JSON file, described in `docs/benchmarks.md`.

use serde::{Deserialize, Serialize};

/// The version of the schema; it changes when a reader of the old one would misunderstand the new one.
pub const SCHEMA: u32 = 1;

/// One run: where, when, of what, and all figures.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// [`SCHEMA`].
    pub schema: u32,
    /// When it began, in UTC, ISO 8601.
    pub date: String,
    /// Full hash of the commit; empty outside a checkout.
    pub commit: String,
    /// When that was committed; empty outside a checkout.
    pub commit_date: String,
    /// Whether tracked files differed from the commit.
    pub modified: bool,
    /// The project's version.
    pub version: String,
    /// The compiler.
    pub compiler: String,
    /// Compiler flags beyond the bench profile's.
    pub flags: String,
    /// Whether measuring was cut short, so that the figures are rough.
    pub quick: bool,
    /// Where it ran.
    pub machine: Machine,
    /// The figures.
    pub results: Vec<Measurement>,
}

/// The machine of a run. Absolute times of different machines aren't comparable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// All of the below but the features in one line; equal lines are taken for equal machines.
    pub name: String,
    /// Operating system.
    pub system: String,
    /// Architecture.
    pub architecture: String,
    /// The CPU's model name.
    pub cpu: String,
    /// Cores the process may use.
    pub cores: usize,
    /// Main memory in bytes; 0 when unknown.
    pub memory_bytes: u64,
    /// The CPU's features that matter for builds.
    pub features: Vec<String>,
}

/// One figure.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measurement {
    /// The bench target.
    pub suite: String,
    /// `group / function / parameter`.
    pub name: String,
    /// Criterion's group.
    pub group: String,
    /// Criterion's function; the group's name when the bench has none.
    pub function: String,
    /// Criterion's parameter.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parameter: Option<String>,
    /// Whose figure it is.
    pub role: Role,
    /// Unit of `value` and `spread`.
    pub unit: Unit,
    /// Time for one unit of work; the smaller, the better.
    pub value: f64,
    /// The confidence interval of `value`.
    pub spread: Spread,
    /// Time for one iteration in nanoseconds, whatever amount of work that is.
    pub iteration_ns: f64,
    /// Units of work in an iteration: elements or bytes; 1 when the bench declares none.
    pub work: u64,
    /// Own figures: time against the fastest peer of the same group and parameter; below 1 is faster.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ratio_to_peer: Option<Ratio>,
    /// Own figures: time against the limit of the same group and parameter.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ratio_to_limit: Option<Ratio>,
}

impl Measurement {
    /// The parameter as a size, where it is one. In the suite of numbers it is the digits, and their count the size.
    pub fn size(&self) -> Option<f64> {
        if self.suite == super::numbers::SUITE {
            let digits = self.parameter.as_deref()?;
            return digits.bytes().all(|digit| digit.is_ascii_digit()).then_some(digits.len() as f64);
        }
        let size: f64 = self.parameter.as_deref()?.replace('_', "").parse().ok()?;
        (size.is_finite() && size > 0.0).then_some(size)
    }

    /// How a person reads the time: `1.23 µs/element`.
    pub fn shown(&self) -> String {
        format!("{}{}", duration(self.value), self.unit.per())
    }

    /// How far the confidence interval goes to its wider side, as a share of the value.
    pub fn relative_spread(&self) -> f64 {
        let wider = (self.spread.high - self.value).max(self.value - self.spread.low);
        if self.value > 0.0 { wider / self.value } else { 0.0 }
    }

    /// Work per second, where the bench declares work.
    pub fn rate(&self) -> Option<String> {
        if self.value <= 0.0 {
            return None;
        }
        let per_second = 1e9 / self.value;
        match self.unit {
            Unit::Ns => None,
            Unit::NsPerElement => Some(format!("{}/s", scaled(per_second, &["", " k", " M", " G"]))),
            Unit::NsPerByte => Some(format!("{}B/s", scaled(per_second, &[" ", " k", " M", " G"]))),
        }
    }
}

/// Whose figure it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Ours.
    Own,
    /// Another implementation of the same job.
    Peer,
    /// The least that the job could cost: plain storage without a database above it, say.
    Limit,
}

/// The unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// Nanoseconds an iteration.
    #[serde(rename = "ns")]
    Ns,
    /// Nanoseconds an element, a document say.
    #[serde(rename = "ns/element")]
    NsPerElement,
    /// Nanoseconds a byte.
    #[serde(rename = "ns/byte")]
    NsPerByte,
}

impl Unit {
    /// As in the JSON file.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Ns => "ns",
            Unit::NsPerElement => "ns/element",
            Unit::NsPerByte => "ns/byte",
        }
    }

    /// What follows a duration.
    pub fn per(self) -> &'static str {
        match self {
            Unit::Ns => "",
            Unit::NsPerElement => "/element",
            Unit::NsPerByte => "/byte",
        }
    }
}

/// A 95 % confidence interval.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Spread {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// One time divided by another's.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ratio {
    /// The function divided by.
    pub to: String,
    /// The ratio.
    pub ratio: f64,
}

/// Nanoseconds in the unit that gives one to three digits before the point.
pub fn duration(nanoseconds: f64) -> String {
    if nanoseconds >= 1e9 {
        return format!("{} s", digits(nanoseconds / 1e9));
    }
    if nanoseconds >= 1e6 {
        return format!("{} ms", digits(nanoseconds / 1e6));
    }
    if nanoseconds >= 1e3 {
        return format!("{} µs", digits(nanoseconds / 1e3));
    }
    if nanoseconds >= 1.0 || nanoseconds <= 0.0 {
        return format!("{} ns", digits(nanoseconds));
    }
    format!("{} ps", digits(nanoseconds * 1e3))
}

/// Three significant digits.
pub fn digits(number: f64) -> String {
    match number.abs() {
        size if size >= 100.0 => format!("{number:.0}"),
        size if size >= 10.0 => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    }
}

fn scaled(number: f64, prefixes: &[&str]) -> String {
    let mut rest = number;
    let mut prefixes = prefixes.iter();
    let mut prefix = prefixes.next();
    while rest >= 1000.0 && prefixes.len() > 0 {
        rest /= 1000.0;
        prefix = prefixes.next();
    }
    format!("{}{}", digits(rest), prefix.unwrap_or(&""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_digits() {
        for (nanoseconds, expected) in [
            (0.0, "0.00 ns"),
            (0.25, "250 ps"),
            (1.5, "1.50 ns"),
            (999.0, "999 ns"),
            (12_345.0, "12.3 µs"),
            (12_345_678.0, "12.3 ms"),
            (1.2e10, "12.0 s"),
        ] {
            assert_eq!(duration(nanoseconds), expected);
        }
    }

    #[test]
    fn rates_are_scaled() {
        for (per_second, expected) in
            [(12.0, "12.0"), (1_500.0, "1.50 k"), (2.5e9, "2.50 G"), (2.5e12, "2500 G")]
        {
            assert_eq!(scaled(per_second, &["", " k", " M", " G"]), expected);
        }
    }
}
