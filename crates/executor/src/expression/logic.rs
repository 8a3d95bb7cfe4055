//! `AND`, `OR`, `?:` and the selection of rows by a condition: each side is computed only for the rows that need it.

use persea_order::Value;

use super::Compiled;
use super::comparison::retain;
use super::evaluate::{Evaluator, Frame};
use super::operand::Rows;
use crate::Error;

impl<'s, 'q> Evaluator<'s, 'q> {
    pub(super) fn and(
        &self,
        left: &Compiled<'q>,
        right: &Compiled<'q>,
        frame: &Frame<'_, 's>,
        rows: Rows<'_>,
        out: &mut Vec<Value<'s>>,
    ) -> Result<(), Error> {
        let from = out.len();
        self.evaluate_in(left, frame, rows, out)?;
        let needed = positions(&out[from..], |value| value.is_truthy());
        self.overwrite(right, frame, rows, &needed, &mut out[from..])
    }

    pub(super) fn or(
        &self,
        left: &Compiled<'q>,
        right: &Compiled<'q>,
        frame: &Frame<'_, 's>,
        rows: Rows<'_>,
        out: &mut Vec<Value<'s>>,
    ) -> Result<(), Error> {
        let from = out.len();
        self.evaluate_in(left, frame, rows, out)?;
        let needed = positions(&out[from..], |value| !value.is_truthy());
        self.overwrite(right, frame, rows, &needed, &mut out[from..])
    }

    pub(super) fn ternary(
        &self,
        condition: &Compiled<'q>,
        then: Option<&Compiled<'q>>,
        otherwise: &Compiled<'q>,
        frame: &Frame<'_, 's>,
        rows: Rows<'_>,
        out: &mut Vec<Value<'s>>,
    ) -> Result<(), Error> {
        let Some(then) = then else { return self.or(condition, otherwise, frame, rows, out) };
        let from = out.len();
        self.evaluate_in(condition, frame, rows, out)?;
        let truthy = positions(&out[from..], |value| value.is_truthy());
        let falsy = positions(&out[from..], |value| !value.is_truthy());
        self.overwrite(then, frame, rows, &truthy, &mut out[from..])?;
        self.overwrite(otherwise, frame, rows, &falsy, &mut out[from..])
    }

    /// Replaces the values at some positions of the selection by those of another expression.
    fn overwrite(
        &self,
        expr: &Compiled<'q>,
        frame: &Frame<'_, 's>,
        rows: Rows<'_>,
        at: &[u32],
        values: &mut [Value<'s>],
    ) -> Result<(), Error> {
        if at.is_empty() {
            return Ok(());
        }
        let picked;
        let selection = if at.len() == rows.len() {
            rows
        } else {
            picked = rows.pick(at);
            Rows::Some(&picked)
        };
        let replacement = self.operand(expr, frame, selection)?;
        for (from, &to) in at.iter().enumerate() {
            values[to as usize] = replacement.get(from);
        }
        Ok(())
    }

    /// Removes the rows for which the condition is not truthy.
    pub(super) fn select_in(
        &self,
        condition: &Compiled<'q>,
        frame: &Frame<'_, 's>,
        rows: &mut Vec<u32>,
    ) -> Result<(), Error> {
        if rows.is_empty() {
            return Ok(());
        }
        match condition {
            Compiled::Const(value) => {
                if !value.is_truthy() {
                    rows.clear();
                }
            }
            Compiled::And(left, right) => {
                self.select_in(left, frame, rows)?;
                self.select_in(right, frame, rows)?;
            }
            Compiled::Or(left, right) => {
                let mut by_left = rows.clone();
                self.select_in(left, frame, &mut by_left)?;
                let mut rest = difference(rows, &by_left);
                self.select_in(right, frame, &mut rest)?;
                *rows = union(&by_left, &rest);
            }
            Compiled::Not(inner) => {
                let mut matching = rows.clone();
                self.select_in(inner, frame, &mut matching)?;
                *rows = difference(rows, &matching);
            }
            Compiled::Compare(comparison, left, right) => {
                self.select_compare(*comparison, left, right, frame, rows)?;
            }
            Compiled::InSet { value, set, negated } => {
                let value = self.operand(value, frame, Rows::Some(rows))?;
                retain(rows, |position| set.contains(value.get(position)) != *negated);
            }
            _ => {
                let values = self.operand(condition, frame, Rows::Some(rows))?;
                retain(rows, |position| values.get(position).is_truthy());
            }
        }
        Ok(())
    }
}

/// The positions of the values that satisfy a condition.
fn positions(values: &[Value<'_>], satisfies: impl Fn(&Value<'_>) -> bool) -> Vec<u32> {
    values
        .iter()
        .enumerate()
        .filter(|(_, value)| satisfies(value))
        .map(|(position, _)| position as u32)
        .collect()
}

/// What is in the first ascending list but not in the second, which is part of it.
fn difference(all: &[u32], part: &[u32]) -> Vec<u32> {
    let mut part = part.iter().peekable();
    all.iter()
        .copied()
        .filter(|row| {
            let is_in_part = part.peek() == Some(&row);
            if is_in_part {
                part.next();
            }
            !is_in_part
        })
        .collect()
}

/// Merges two ascending lists that share no member.
fn union(left: &[u32], right: &[u32]) -> Vec<u32> {
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.iter().copied().peekable(), right.iter().copied().peekable());
    loop {
        let next = match (left.peek(), right.peek()) {
            (Some(a), Some(b)) if a <= b => left.next(),
            (_, Some(_)) => right.next(),
            (Some(_), None) => left.next(),
            (None, None) => return merged,
        };
        merged.extend(next);
    }
}
