//! Sums, averages, variances and standard deviations over a group. Nulls are skipped; any other value that is
//! not a number makes the result null.

use persea_order::{Value, View};

/// The number in a value: `Ok(None)` for null, `Err` for anything else.
pub(crate) fn number_or_null(value: Value<'_>) -> Result<Option<f64>, NotANumber> {
    match value.view() {
        View::Double(number) => Ok(Some(number)),
        View::Int(number) => Ok(Some(number as f64)),
        View::UInt(number) => Ok(Some(number as f64)),
        View::Null => Ok(None),
        _ => Err(NotANumber),
    }
}

/// The value is neither a number nor null.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NotANumber;

#[derive(Debug, Default)]
pub(super) struct Sum {
    total: f64,
    seen: bool,
    invalid: bool,
}

impl Sum {
    pub(super) fn add(&mut self, value: Value<'_>) {
        self.seen = true;
        match number_or_null(value) {
            Ok(Some(number)) => self.total += number,
            Ok(None) => {}
            Err(NotANumber) => self.invalid = true,
        }
    }

    pub(super) fn finish(&self) -> Value<'static> {
        if self.seen && !self.invalid { Value::from_f64(self.total) } else { Value::NULL }
    }
}

#[derive(Debug, Default)]
pub(super) struct Average {
    total: f64,
    count: u64,
    invalid: bool,
}

impl Average {
    pub(super) fn add(&mut self, value: Value<'_>) {
        match number_or_null(value) {
            Ok(Some(number)) => {
                self.total += number;
                self.count += 1;
            }
            Ok(None) => {}
            Err(NotANumber) => self.invalid = true,
        }
    }

    pub(super) fn finish(&self) -> Value<'static> {
        if self.count == 0 || self.invalid {
            return Value::NULL;
        }
        Value::from_f64(self.total / self.count as f64)
    }
}

/// Count, mean and sum of squared distances from the mean, kept up to date by Welford's method so that large
/// means do not swallow small spreads.
#[derive(Debug, Default)]
pub(crate) struct Moments {
    count: u64,
    mean: f64,
    squares: f64,
    invalid: bool,
}

impl Moments {
    pub(crate) fn add(&mut self, value: Value<'_>) {
        match number_or_null(value) {
            Ok(Some(number)) => {
                self.count += 1;
                let distance = number - self.mean;
                self.mean += distance / self.count as f64;
                self.squares += distance * (number - self.mean);
            }
            Ok(None) => {}
            Err(NotANumber) => self.invalid = true,
        }
    }

    pub(crate) fn is_invalid(&self) -> bool {
        self.invalid
    }

    fn variance(&self, n_missing_degrees: u64) -> Option<f64> {
        if self.invalid || self.count <= n_missing_degrees {
            return None;
        }
        Some(self.squares / (self.count - n_missing_degrees) as f64)
    }

    pub(crate) fn variance_population(&self) -> Value<'static> {
        self.variance(0).map_or(Value::NULL, Value::from_f64)
    }

    pub(crate) fn variance_sample(&self) -> Value<'static> {
        self.variance(1).map_or(Value::NULL, Value::from_f64)
    }

    pub(crate) fn stddev_population(&self) -> Value<'static> {
        self.variance(0).map_or(Value::NULL, |variance| Value::from_f64(variance.sqrt()))
    }

    pub(crate) fn stddev_sample(&self) -> Value<'static> {
        self.variance(1).map_or(Value::NULL, |variance| Value::from_f64(variance.sqrt()))
    }
}
