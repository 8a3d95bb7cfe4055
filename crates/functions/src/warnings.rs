//! Where a query's warnings go: a bounded list, or an error at the first one.

use std::cell::RefCell;
use std::fmt;

use crate::Error;

/// Argument has a type that the function cannot use; the result is `null`.
pub const INVALID_ARGUMENT_TYPE: u32 = 1542;
/// Argument count that only shows at run time.
pub const ARGUMENT_COUNT: u32 = 1541;
/// Pattern is not a legal regular expression.
pub const INVALID_REGEX: u32 = 1543;
/// A member of the list is not a number.
pub const INVALID_ARITHMETIC_VALUE: u32 = 1561;
/// Division or remainder by zero.
pub const DIVISION_BY_ZERO: u32 = 1562;
/// Argument must be an array.
pub const ARRAY_EXPECTED: u32 = 1563;
/// Not a date, or a date out of range.
pub const INVALID_DATE_VALUE: u32 = 1572;
/// `WARN` saw a falsy condition.
pub const USER_WARN: u32 = 1594;
/// Value is of the right type but cannot be used.
pub const BAD_PARAMETER: u32 = 10;
/// Result would be too large.
pub const RESOURCE_LIMIT: u32 = 32;

/// One warning of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// ArangoDB's number.
    pub code: u32,
    /// Text, complete as the user sees it.
    pub message: String,
}

/// The warnings of one query. Keeps at most `max_count` of them (10 unless told otherwise) and drops the rest.
#[derive(Debug)]
pub struct Warnings {
    list: RefCell<Vec<Warning>>,
    max_count: usize,
    fail_on_warning: bool,
}

impl Default for Warnings {
    fn default() -> Self {
        Self::new(10, false)
    }
}

impl Warnings {
    /// An empty list that keeps `max_count` warnings, or turns the first one into an error.
    pub fn new(max_count: usize, fail_on_warning: bool) -> Self {
        Self { list: RefCell::new(Vec::new()), max_count, fail_on_warning }
    }

    /// Records a warning. The message is formatted only if it is kept.
    ///
    /// # Errors
    ///
    /// [`Error::Warning`] if the query fails on warnings.
    pub fn register(&self, code: u32, message: fmt::Arguments<'_>) -> Result<(), Error> {
        if self.fail_on_warning {
            return Err(Error::Warning { code, message: message.to_string() });
        }
        let mut list = self.list.borrow_mut();
        if list.len() < self.max_count {
            list.push(Warning { code, message: message.to_string() });
        }
        Ok(())
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.list.borrow().is_empty()
    }

    /// Takes all recorded warnings out, in order of their registration.
    pub fn take(&self) -> Vec<Warning> {
        std::mem::take(&mut *self.list.borrow_mut())
    }

    /// A copy of what has been recorded so far.
    pub fn to_vec(&self) -> Vec<Warning> {
        self.list.borrow().clone()
    }
}
