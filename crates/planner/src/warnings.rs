//! Warnings raised while planning.

use crate::error::Error;
use crate::options::PlanOptions;

/// Collects warnings up to a bound, or turns the first one into an error.
#[derive(Debug)]
pub(crate) struct Warnings {
    list: Vec<(u32, String)>,
    max: usize,
    fail: bool,
    /// Whether any was raised, kept or not.
    pub(crate) any: bool,
}

impl Warnings {
    pub(crate) fn new(options: &PlanOptions) -> Self {
        Self { list: Vec::new(), max: options.max_warnings, fail: options.fail_on_warning, any: false }
    }

    /// Adds a warning.
    pub(crate) fn add(&mut self, number: u32, message: impl Into<String>) -> Result<(), Error> {
        let message = message.into();
        if self.fail {
            return Err(Error::Warning { number, message });
        }
        self.any = true;
        if self.list.len() < self.max {
            self.list.push((number, message));
        }
        Ok(())
    }

    pub(crate) fn into_list(self) -> Vec<(u32, String)> {
        self.list
    }
}
