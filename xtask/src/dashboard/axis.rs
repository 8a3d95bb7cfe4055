//! Scales and their ticks.

/// From values to pixels, evenly or by logarithm.
pub struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
    from: f64,
    to: f64,
}

impl Axis {
    /// Evenly from `low` to `high`, drawn between the pixels `from` and `to`.
    pub fn linear(low: f64, high: f64, from: f64, to: f64) -> Axis {
        let high = if high > low { high } else { low + 1.0 };
        Axis { low, high, logarithmic: false, from, to }
    }

    /// By logarithm; both ends must be positive.
    pub fn logarithmic(low: f64, high: f64, from: f64, to: f64) -> Axis {
        let (low, high) = if high > low { (low, high) } else { (low / 2.0, low * 2.0) };
        Axis { low, high, logarithmic: true, from, to }
    }

    /// For times: evenly from zero where they are close to each other, else by logarithm.
    pub fn of_times(low: f64, high: f64, from: f64, to: f64) -> Axis {
        const RATIO_LINEAR_MAX: f64 = 8.0;
        if high <= low * RATIO_LINEAR_MAX {
            Axis::linear(0.0, high * 1.08, from, to)
        } else {
            Axis::logarithmic(low / 1.4, high * 1.4, from, to)
        }
    }

    /// Whether equal distances are equal ratios.
    pub fn is_logarithmic(&self) -> bool {
        self.logarithmic
    }

    /// The pixel of a value.
    pub fn place(&self, value: f64) -> f64 {
        let share = if self.logarithmic {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + share * (self.to - self.from)
    }

    /// Round values between the ends, two to about eight of them.
    pub fn ticks(&self) -> Vec<f64> {
        if self.logarithmic { self.ticks_of_decades() } else { self.ticks_evenly() }
    }

    fn ticks_of_decades(&self) -> Vec<f64> {
        let decades = (self.high / self.low).log10();
        let steps: &[f64] = match decades {
            decades if decades > 3.0 => &[1.0],
            decades if decades > 1.2 => &[1.0, 3.0],
            _ => &[1.0, 2.0, 5.0],
        };
        let first = self.low.log10().floor() as i32;
        let last = self.high.log10().ceil() as i32;
        // More than eight decades get every second one, and so on.
        let stride = ((last - first) / 8 + 1).max(1);
        (first..=last)
            .filter(|decade| (decade - first) % stride == 0)
            .flat_map(|decade| steps.iter().map(move |step| step * 10_f64.powi(decade)))
            .filter(|tick| *tick >= self.low && *tick <= self.high)
            .collect()
    }

    fn ticks_evenly(&self) -> Vec<f64> {
        let rough = (self.high - self.low) / 4.0;
        let magnitude = 10_f64.powf(rough.log10().floor());
        let step =
            [1.0, 2.0, 5.0, 10.0].map(|factor| factor * magnitude).into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(rough);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        (first..=last).map(|count| count as f64 * step).collect()
    }
}

/// A time on an axis: no more digits than it needs.
pub fn time_label(nanoseconds: f64) -> String {
    if nanoseconds == 0.0 {
        return "0".to_owned();
    }
    let (divisor, unit) = match nanoseconds {
        time if time >= 1e9 => (1e9, "s"),
        time if time >= 1e6 => (1e6, "ms"),
        time if time >= 1e3 => (1e3, "µs"),
        time if time >= 1.0 => (1.0, "ns"),
        _ => (1e-3, "ps"),
    };
    format!("{} {unit}", plain(nanoseconds / divisor))
}

/// A size on an axis.
pub fn size_label(size: f64) -> String {
    match size {
        size if size >= 1e9 => format!("{}G", plain(size / 1e9)),
        size if size >= 1e6 => format!("{}M", plain(size / 1e6)),
        size if size >= 1e3 => format!("{}k", plain(size / 1e3)),
        size => plain(size),
    }
}

fn plain(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_times_start_at_zero_and_far_ones_go_by_logarithm() {
        let close = Axis::of_times(30.0, 40.0, 100.0, 0.0);
        assert!(!close.is_logarithmic());
        assert_eq!(close.place(0.0), 100.0);
        assert_eq!(close.ticks(), [0.0, 20.0, 40.0]);
        let far = Axis::of_times(30.0, 4_000.0, 100.0, 0.0);
        assert!(far.is_logarithmic());
        assert_eq!(far.ticks(), [30.0, 100.0, 300.0, 1_000.0, 3_000.0]);
    }

    #[test]
    fn one_value_has_a_place() {
        for axis in [Axis::linear(5.0, 5.0, 0.0, 10.0), Axis::logarithmic(5.0, 5.0, 0.0, 10.0)] {
            assert!(axis.place(5.0).is_finite());
        }
    }

    #[test]
    fn many_decades_are_thinned_out() {
        let ticks = Axis::logarithmic(1e-3, 1e15, 0.0, 1.0).ticks();
        assert!(ticks.len() <= 9, "{ticks:?}");
    }

    #[test]
    fn labels_are_short() {
        for (value, expected) in
            [(0.0, "0"), (0.5, "500 ps"), (20.0, "20 ns"), (1_500.0, "1.5 µs"), (2e9, "2 s")]
        {
            assert_eq!(time_label(value), expected);
        }
        for (value, expected) in [(10.0, "10"), (3_000.0, "3k"), (1e6, "1M")] {
            assert_eq!(size_label(value), expected);
        }
    }
}
