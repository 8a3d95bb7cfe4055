//! Which rows belong to the window of a row.

use std::ops::Range;

use persea_functions::warnings::{INVALID_ARITHMETIC_VALUE, INVALID_DATE_VALUE};
use persea_functions::{Function, lookup};
use persea_order::Value;
use persea_planner::plan::WindowBounds;

use crate::Error;
use crate::batch::{Batch, Register};
use crate::expression::{Compiled, Rows};
use crate::operators::evaluator;
use crate::runtime::Runtime;

/// Computes windows over the rows of all batches, numbered through.
pub(super) enum Bounds<'q> {
    /// So many rows before and after; none is unbounded.
    Rows { preceding: Option<usize>, following: Option<usize> },
    /// Values within a distance.
    Range { register: Register, preceding: f64, following: f64 },
    /// Time stamps within a duration: expressions for the least and the greatest of the window.
    Duration { register: Register, lower: Compiled<'q>, upper: Compiled<'q> },
}

impl<'q> Bounds<'q> {
    pub(super) fn compile(range: Option<Register>, bounds: &'q WindowBounds) -> Result<Self, Error> {
        let missing = Error::Internal("a window over values names the variable");
        let limit = |rows: &Option<u64>| rows.map(|rows| usize::try_from(rows).unwrap_or(usize::MAX));
        Ok(match (bounds, range) {
            (WindowBounds::Rows { preceding, following }, _) => {
                Bounds::Rows { preceding: limit(preceding), following: limit(following) }
            }
            (WindowBounds::Range { preceding, following }, Some(register)) => {
                Bounds::Range { register, preceding: *preceding, following: *following }
            }
            (WindowBounds::Duration { preceding, following }, Some(register)) => Bounds::Duration {
                register,
                lower: shifted(register, "DATE_SUBTRACT", preceding)?,
                upper: shifted(register, "DATE_ADD", following)?,
            },
            (_, None) => return Err(missing),
        })
    }

    /// The window of each row; none for rows whose value cannot be placed.
    pub(super) fn windows(
        &self,
        batches: &mut [Batch<'q>],
        runtime: &'q Runtime,
    ) -> Result<Vec<Option<Range<usize>>>, Error> {
        let total: usize = batches.iter().map(Batch::len).sum();
        if let Bounds::Rows { preceding, following } = self {
            return Ok((0..total)
                .map(|row| {
                    let begin = preceding.map_or(0, |rows| row.saturating_sub(rows));
                    let end =
                        following.map_or(total, |rows| row.saturating_add(rows).saturating_add(1).min(total));
                    Some(begin..end)
                })
                .collect());
        }
        // Value, least and greatest value of the window of each row.
        let mut limits: Vec<Option<(f64, f64, f64)>> = Vec::with_capacity(total);
        for batch in batches {
            self.limits(batch, runtime, &mut limits)?;
        }
        Ok(ranges(&limits))
    }

    fn limits(
        &self,
        batch: &mut Batch<'q>,
        runtime: &'q Runtime,
        out: &mut Vec<Option<(f64, f64, f64)>>,
    ) -> Result<(), Error> {
        match self {
            Bounds::Rows { .. } => {}
            Bounds::Range { register, preceding, following } => {
                for row in 0..batch.len() {
                    let value = batch.value(*register, row).as_f64();
                    if value.is_none() {
                        runtime.warn(INVALID_ARITHMETIC_VALUE, format_args!("invalid arithmetic value"))?;
                    }
                    out.push(value.map(|value| (value, value - preceding, value + following)));
                }
            }
            Bounds::Duration { register, lower, upper } => {
                let rows: Vec<u32> = (0..batch.len() as u32)
                    .filter(|&row| batch.value(*register, row as usize).is_number())
                    .collect();
                for _ in rows.len()..batch.len() {
                    runtime.warn(INVALID_DATE_VALUE, format_args!("invalid date value"))?;
                }
                let from = out.len();
                out.resize(from + batch.len(), None);
                batch.write(&[], |scope, _| {
                    let evaluator = evaluator(scope, runtime);
                    let (mut least, mut greatest) = (Vec::new(), Vec::new());
                    evaluator.evaluate(lower, Rows::Some(&rows), &mut least)?;
                    evaluator.evaluate(upper, Rows::Some(&rows), &mut greatest)?;
                    for (position, &row) in rows.iter().enumerate() {
                        let number = |value: Value<'_>| value.as_f64();
                        let value = number(scope.batch().value(*register, row as usize));
                        if let (Some(value), Some(least), Some(greatest)) =
                            (value, number(least[position]), number(greatest[position]))
                        {
                            out[from + row as usize] = Some((value, least, greatest));
                        }
                    }
                    Ok(())
                })?;
            }
        }
        Ok(())
    }
}

/// Rows are sorted by value, so both ends of the window only move forward.
fn ranges(limits: &[Option<(f64, f64, f64)>]) -> Vec<Option<Range<usize>>> {
    let (mut begin, mut end) = (0, 0);
    limits
        .iter()
        .map(|limit| {
            let (_, least, greatest) = (*limit)?;
            while begin < limits.len() && limits[begin].is_none_or(|(value, ..)| value < least) {
                begin += 1;
            }
            end = end.max(begin);
            while end < limits.len() && limits[end].is_some_and(|(value, ..)| value <= greatest) {
                end += 1;
            }
            Some(begin..end)
        })
        .collect()
}

/// `DATE_TIMESTAMP(function(register, duration))`
fn shifted<'q>(register: Register, function: &str, duration: &'q str) -> Result<Compiled<'q>, Error> {
    let find = |name: &str| -> Result<&'static Function, Error> {
        lookup(name).ok_or_else(|| Error::NotImplemented(format!("WINDOW over durations needs {name}")))
    };
    let moved = Compiled::Call(
        find(function)?,
        vec![Compiled::Column(register), Compiled::Const(Value::from_str(duration))],
    );
    Ok(Compiled::Call(find("DATE_TIMESTAMP")?, vec![moved]))
}
