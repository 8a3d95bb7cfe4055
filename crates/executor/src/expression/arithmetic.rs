//! `+ - * / %` and the sign: operands are cast to numbers, integers stay integers as long as they fit.

use persea_functions::warnings::DIVISION_BY_ZERO;
use persea_order::{Value, View, to_number};

use super::Compiled;
use super::evaluate::{Evaluator, Frame};
use super::operand::Rows;
use crate::Error;

/// An arithmetic operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

/// The divisor is zero.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DivisionByZero;

impl Arithmetic {
    fn symbol(self) -> char {
        match self {
            Arithmetic::Add => '+',
            Arithmetic::Subtract => '-',
            Arithmetic::Multiply => '*',
            Arithmetic::Divide => '/',
            Arithmetic::Modulo => '%',
        }
    }

    /// Applies the operator to any two values.
    #[inline]
    pub(super) fn apply(self, left: Value<'_>, right: Value<'_>) -> Result<Value<'static>, DivisionByZero> {
        match (left.view(), right.view()) {
            (View::Int(left), View::Int(right)) => self.apply_integers(left, right),
            (View::Double(left), View::Double(right)) => self.apply_doubles(left, right),
            _ => self.apply_mixed(to_number(left), to_number(right)),
        }
    }

    #[inline]
    fn apply_integers(self, left: i64, right: i64) -> Result<Value<'static>, DivisionByZero> {
        let exact = match self {
            Arithmetic::Add => left.checked_add(right),
            Arithmetic::Subtract => left.checked_sub(right),
            Arithmetic::Multiply => left.checked_mul(right),
            Arithmetic::Divide => None,
            // The remainder by -1 is 0 but overflows in the processor for the least integer.
            Arithmetic::Modulo if right == 0 => return Err(DivisionByZero),
            Arithmetic::Modulo => Some(left.checked_rem(right).unwrap_or(0)),
        };
        match exact {
            Some(number) => Ok(Value::from_i64(number)),
            None => self.apply_doubles(left as f64, right as f64),
        }
    }

    #[inline]
    fn apply_doubles(self, left: f64, right: f64) -> Result<Value<'static>, DivisionByZero> {
        // Results that are not finite become null in the constructor.
        Ok(Value::from_f64(match self {
            Arithmetic::Add => left + right,
            Arithmetic::Subtract => left - right,
            Arithmetic::Multiply => left * right,
            Arithmetic::Divide | Arithmetic::Modulo if right == 0.0 => return Err(DivisionByZero),
            Arithmetic::Divide => left / right,
            Arithmetic::Modulo => left % right,
        }))
    }

    /// For numbers of different representations.
    #[cold]
    fn apply_mixed(self, left: Value<'_>, right: Value<'_>) -> Result<Value<'static>, DivisionByZero> {
        if let (View::Int(left), View::Int(right)) = (left.view(), right.view()) {
            return self.apply_integers(left, right);
        }
        if let (Some(left), Some(right)) = (integer(left), integer(right)) {
            let exact = match self {
                Arithmetic::Add => left.checked_add(right),
                Arithmetic::Subtract => left.checked_sub(right),
                Arithmetic::Multiply => left.checked_mul(right),
                Arithmetic::Divide => None,
                Arithmetic::Modulo => left.checked_rem(right),
            };
            if let Some(exact) = exact.and_then(integer_value) {
                return Ok(exact);
            }
        }
        self.apply_doubles(left.as_f64().unwrap_or(0.0), right.as_f64().unwrap_or(0.0))
    }
}

/// The whole number in a value.
fn integer(value: Value<'_>) -> Option<i128> {
    match value.view() {
        View::Int(value) => Some(i128::from(value)),
        View::UInt(value) => Some(i128::from(value)),
        _ => None,
    }
}

/// A whole number as a value, if it has a form for it.
fn integer_value(value: i128) -> Option<Value<'static>> {
    match i64::try_from(value) {
        Ok(value) => Some(Value::from_i64(value)),
        Err(_) => u64::try_from(value).ok().map(Value::from_u64),
    }
}

/// `-x`
pub(super) fn negate(value: Value<'_>) -> Value<'static> {
    let number = to_number(value);
    match integer(number) {
        Some(integer) => integer_value(-integer).unwrap_or(Value::from_f64(-(integer as f64))),
        None => Value::from_f64(-number.as_f64().unwrap_or(0.0)),
    }
}

impl<'s, 'q> Evaluator<'s, 'q> {
    pub(super) fn arithmetic(
        &self,
        op: Arithmetic,
        left: &Compiled<'q>,
        right: &Compiled<'q>,
        frame: &Frame<'_, 's>,
        rows: Rows<'_>,
        out: &mut Vec<Value<'s>>,
    ) -> Result<(), Error> {
        let left = self.operand(left, frame, rows)?;
        let right = self.operand(right, frame, rows)?;
        for position in 0..rows.len() {
            match op.apply(left.get(position), right.get(position)) {
                Ok(value) => out.push(value),
                Err(DivisionByZero) => {
                    self.warn_division(op)?;
                    out.push(Value::NULL);
                }
            }
        }
        Ok(())
    }

    #[cold]
    fn warn_division(&self, op: Arithmetic) -> Result<(), Error> {
        let warnings = self.functions.env.warnings();
        if self.is_folding {
            warnings.register(DIVISION_BY_ZERO, format_args!("division by zero"))?;
        } else {
            let symbol = op.symbol();
            warnings.register(DIVISION_BY_ZERO, format_args!("in operator {symbol}: division by zero"))?;
        }
        Ok(())
    }
}
