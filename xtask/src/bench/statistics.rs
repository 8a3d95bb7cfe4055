//! A ratio and how sure it is, from pairs of times that were measured one after the other.

/// A ratio with its 95 % confidence interval.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    /// The geometric mean of the pairs' ratios.
    pub ratio: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Estimate {
    /// Whether the interval leaves 1 out, and on which side.
    pub fn verdict(&self) -> &'static str {
        if self.high < 1.0 {
            "faster"
        } else if self.low > 1.0 {
            "slower"
        } else {
            "no difference seen"
        }
    }
}

/// The quantile of Student's t distribution that leaves 2.5 % on each side, by degrees of freedom from 1.
const T_QUANTILES: &[f64] = &[
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/// The quantile for any number of degrees of freedom above the table; a little too wide is on the safe side.
const T_QUANTILE_ABOVE: f64 = 2.042;

/// Estimates `new / old` from pairs `(new, old)`. Drift of the machine between pairs cancels out.
///
/// Ratios are averaged as logarithms: twice as fast and twice as slow are equally far from 1.
/// Returns none for less than two pairs of positive times.
pub fn ratio(pairs: &[(f64, f64)]) -> Option<Estimate> {
    let logarithms: Vec<f64> = pairs
        .iter()
        .filter(|(new, old)| *new > 0.0 && *old > 0.0)
        .map(|(new, old)| (new / old).ln())
        .collect();
    let count = logarithms.len();
    if count < 2 {
        return None;
    }
    let mean = logarithms.iter().sum::<f64>() / count as f64;
    let squares: f64 = logarithms.iter().map(|logarithm| (logarithm - mean).powi(2)).sum();
    let freedom = count - 1;
    let error = (squares / freedom as f64 / count as f64).sqrt();
    let quantile = T_QUANTILES.get(freedom - 1).copied().unwrap_or(T_QUANTILE_ABOVE);
    let half = quantile * error;
    Some(Estimate { ratio: mean.exp(), low: (mean - half).exp(), high: (mean + half).exp() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_pairs_are_certain() {
        let estimate = ratio(&[(50.0, 100.0), (60.0, 120.0), (55.0, 110.0)]).unwrap();
        assert!((estimate.ratio - 0.5).abs() < 1e-9 && (estimate.high - 0.5).abs() < 1e-9);
        assert_eq!(estimate.verdict(), "faster");
    }

    #[test]
    fn noise_hides_small_differences() {
        let estimate = ratio(&[(100.0, 98.0), (97.0, 101.0), (103.0, 100.0), (99.0, 100.0)]).unwrap();
        assert_eq!(estimate.verdict(), "no difference seen");
        assert!(estimate.low < 1.0 && estimate.high > 1.0);
    }

    #[test]
    fn the_interval_is_students() {
        // Logarithms 0.1 and 0.3: mean 0.2, standard error 0.1, quantile for one degree of freedom 12.706.
        let estimate = ratio(&[(0.1_f64.exp(), 1.0), (0.3_f64.exp(), 1.0)]).unwrap();
        assert!((estimate.low.ln() - (0.2 - 1.2706)).abs() < 1e-9);
        assert!((estimate.high.ln() - (0.2 + 1.2706)).abs() < 1e-9);
    }

    #[test]
    fn one_pair_tells_nothing() {
        assert!(ratio(&[(1.0, 2.0)]).is_none());
        assert!(ratio(&[(1.0, 2.0), (0.0, 1.0)]).is_none());
    }
}
