//! Who is who in a group, and how own figures stand against peers and limits.
//!
//! A function named `limit: …` is a limit, one named `peer: …` a peer. Of the rest, where a group has functions
//! whose name begins with `persea`, those are own and the others peers; where it has none, all are own.

use super::result::{Measurement, Ratio, Role};

/// Fills in roles and ratios.
pub fn fill_in(measurements: &mut [Measurement]) {
    for index in 0..measurements.len() {
        measurements[index].role = role(&measurements[index], measurements);
    }
    for index in 0..measurements.len() {
        if measurements[index].role == Role::Own {
            let own = &measurements[index];
            let to_peer = ratio(own, measurements, Role::Peer);
            let to_limit = ratio(own, measurements, Role::Limit);
            measurements[index].ratio_to_peer = to_peer;
            measurements[index].ratio_to_limit = to_limit;
        }
    }
}

fn role(measurement: &Measurement, all: &[Measurement]) -> Role {
    let function = measurement.function.as_str();
    if function.starts_with("limit") {
        return Role::Limit;
    }
    if function.starts_with("peer") {
        return Role::Peer;
    }
    let group_names_own =
        all.iter().any(|other| same_group(other, measurement) && names_own(&other.function));
    if names_own(function) || !group_names_own { Role::Own } else { Role::Peer }
}

fn names_own(function: &str) -> bool {
    function.to_ascii_lowercase().starts_with("persea")
}

fn same_group(one: &Measurement, other: &Measurement) -> bool {
    one.suite == other.suite && one.group == other.group
}

/// Against the fastest of that role with the same parameter, or with none.
fn ratio(own: &Measurement, all: &[Measurement], role: Role) -> Option<Ratio> {
    let fastest = all
        .iter()
        .filter(|other| other.role == role && same_group(other, own) && other.value > 0.0)
        .filter(|other| other.parameter == own.parameter || other.parameter.is_none())
        .min_by(|one, other| one.value.total_cmp(&other.value))?;
    let to = fastest.function.trim_start_matches("limit: ").trim_start_matches("peer: ").to_owned();
    Some(Ratio { to, ratio: own.value / fastest.value })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::result::{Spread, Unit};
    use super::*;

    /// A figure with everything but its names, size and value filled in.
    pub(crate) fn measurement(
        group: &str,
        function: &str,
        parameter: Option<&str>,
        value: f64,
    ) -> Measurement {
        Measurement {
            suite: "suite".to_owned(),
            name: format!("{group} / {function} / {}", parameter.unwrap_or_default()),
            group: group.to_owned(),
            function: function.to_owned(),
            parameter: parameter.map(str::to_owned),
            role: Role::Own,
            unit: Unit::Ns,
            value,
            spread: Spread { low: value * 0.98, high: value * 1.03 },
            iteration_ns: value,
            work: 1,
            ratio_to_peer: None,
            ratio_to_limit: None,
        }
    }

    #[test]
    fn ratios_are_to_the_fastest_of_the_same_size() {
        let mut figures = [
            measurement("read", "persea", Some("10"), 30.0),
            measurement("read", "persea", Some("100"), 300.0),
            measurement("read", "other", Some("10"), 60.0),
            measurement("read", "faster", Some("10"), 20.0),
            measurement("read", "limit: memory", None, 10.0),
            measurement("write", "alone", None, 5.0),
        ];
        fill_in(&mut figures);
        let peer = figures[0].ratio_to_peer.as_ref().unwrap();
        assert_eq!((peer.to.as_str(), peer.ratio), ("faster", 1.5));
        let limit = figures[1].ratio_to_limit.as_ref().unwrap();
        assert_eq!((limit.to.as_str(), limit.ratio), ("memory", 30.0));
        assert!(figures[1].ratio_to_peer.is_none());
        assert_eq!(figures[2].role, Role::Peer);
        assert_eq!(figures[4].role, Role::Limit);
        assert_eq!(figures[5].role, Role::Own);
    }
}
