//! `== != < <= > >=`, one value with another or the members of an array with a value.

use std::cmp::Ordering;

use persea_order::{Value, View, compare, equal};
use persea_planner::plan::BinaryOperator;

use super::evaluate::{Evaluator, Frame, follow};
use super::operand::{Operand, Rows};
use super::{Compiled, MemberTest, Quantifier, membership};
use crate::Error;

/// A comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Comparison {
    pub(super) fn from_op(op: BinaryOperator) -> Option<Self> {
        Some(match op {
            BinaryOperator::Equal => Comparison::Equal,
            BinaryOperator::NotEqual => Comparison::NotEqual,
            BinaryOperator::Less => Comparison::Less,
            BinaryOperator::LessEqual => Comparison::LessEqual,
            BinaryOperator::Greater => Comparison::Greater,
            BinaryOperator::GreaterEqual => Comparison::GreaterEqual,
            _ => return None,
        })
    }

    /// The operator that says the same with its sides exchanged.
    pub(super) fn mirrored(self) -> Self {
        match self {
            Comparison::Equal => Comparison::Equal,
            Comparison::NotEqual => Comparison::NotEqual,
            Comparison::Less => Comparison::Greater,
            Comparison::LessEqual => Comparison::GreaterEqual,
            Comparison::Greater => Comparison::Less,
            Comparison::GreaterEqual => Comparison::LessEqual,
        }
    }

    #[inline]
    fn accepts(self, ordering: Ordering) -> bool {
        match self {
            Comparison::Equal => ordering == Ordering::Equal,
            Comparison::NotEqual => ordering != Ordering::Equal,
            Comparison::Less => ordering == Ordering::Less,
            Comparison::LessEqual => ordering != Ordering::Greater,
            Comparison::Greater => ordering == Ordering::Greater,
            Comparison::GreaterEqual => ordering != Ordering::Less,
        }
    }

    /// Whether the comparison holds. Numbers, and equality of strings, are settled here.
    #[inline]
    pub(crate) fn holds(self, left: Value<'_>, right: Value<'_>) -> bool {
        match (left.view(), right.view()) {
            (View::Int(left), View::Int(right)) => self.accepts(left.cmp(&right)),
            (View::Double(left), View::Double(right)) => {
                // Values hold no NaN, so the order is always there.
                self.accepts(left.partial_cmp(&right).unwrap_or(Ordering::Equal))
            }
            (View::Str(left), View::Str(right)) if self == Comparison::Equal => left == right,
            (View::Str(left), View::Str(right)) if self == Comparison::NotEqual => left != right,
            _ => self.holds_for_any(left, right),
        }
    }

    fn holds_for_any(self, left: Value<'_>, right: Value<'_>) -> bool {
        match self {
            Comparison::Equal => equal(left, right),
            Comparison::NotEqual => !equal(left, right),
            _ => self.accepts(compare(left, right)),
        }
    }
}

impl<'s, 'q> Evaluator<'s, 'q> {
    pub(super) fn compare(
        &self,
        comparison: Comparison,
        left: &Compiled<'q>,
        right: &Compiled<'q>,
        frame: &Frame<'_, 's>,
        rows: Rows<'_>,
        out: &mut Vec<Value<'s>>,
    ) -> Result<(), Error> {
        if let (Compiled::Path(register, path), Compiled::Const(right)) = (left, right) {
            self.for_each(frame, *register, rows, |value| {
                out.push(Value::from_bool(comparison.holds(follow(value, path), *right)));
            });
            return Ok(());
        }
        let left = self.operand(left, frame, rows)?;
        let right = self.operand(right, frame, rows)?;
        out.extend(
            (0..rows.len())
                .map(|position| Value::from_bool(comparison.holds(left.get(position), right.get(position)))),
        );
        Ok(())
    }

    /// Removes the rows for which a comparison does not hold, without writing its values anywhere.
    pub(super) fn select_compare(
        &self,
        comparison: Comparison,
        left: &Compiled<'q>,
        right: &Compiled<'q>,
        frame: &Frame<'_, 's>,
        rows: &mut Vec<u32>,
    ) -> Result<(), Error> {
        let simple_left = match left {
            Compiled::Path(register, path) => Some((*register, &**path)),
            Compiled::Column(register) => Some((*register, &[] as &[&str])),
            _ => None,
        };
        if let (Some((register, path)), Compiled::Const(constant)) = (simple_left, right) {
            let mut kept = 0;
            let mut position = 0;
            let selected = std::mem::take(rows);
            let mut result = selected.clone();
            self.for_each(frame, register, Rows::Some(&selected), |value| {
                let value = match path {
                    [name] => value.attribute(name),
                    path => follow(value, path),
                };
                result[kept] = selected[position];
                position += 1;
                kept += usize::from(comparison.holds(value, *constant));
            });
            result.truncate(kept);
            *rows = result;
            return Ok(());
        }
        let left = self.operand(left, frame, Rows::Some(rows))?;
        let right = self.operand(right, frame, Rows::Some(rows))?;
        retain(rows, |position| comparison.holds(left.get(position), right.get(position)));
        Ok(())
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one operator, always together")]
    pub(super) fn array_compare(
        &self,
        quantifier: &Quantifier<'q>,
        test: MemberTest,
        left: &Compiled<'q>,
        right: &Compiled<'q>,
        frame: &Frame<'_, 's>,
        rows: Rows<'_>,
        out: &mut Vec<Value<'s>>,
    ) -> Result<(), Error> {
        let left = self.operand(left, frame, rows)?;
        let right = self.operand(right, frame, rows)?;
        let needed = match quantifier {
            Quantifier::AtLeast(count) => self.operand(count, frame, rows)?,
            _ => Operand::One(Value::NULL),
        };
        for position in 0..rows.len() {
            let (array, other) = (left.get(position), right.get(position));
            if !array.is_array() {
                out.push(Value::FALSE);
                continue;
            }
            let steps = match test {
                MemberTest::Compare(_) => 1,
                MemberTest::In { .. } => membership::steps(other),
            };
            let mut interrupted = Ok(());
            let members = array.elements().take_while(|_| {
                interrupted = self.functions.work(steps);
                interrupted.is_ok()
            });
            let mut passing = members.filter(|&member| match test {
                MemberTest::Compare(comparison) => comparison.holds(member, other),
                MemberTest::In { negated } => membership::contains(other, member) != negated,
            });
            let result = match quantifier {
                Quantifier::Any => passing.next().is_some(),
                Quantifier::None => passing.next().is_none(),
                Quantifier::AtLeast(_) => {
                    let needed = persea_order::to_f64(needed.get(position));
                    needed <= 0.0 || passing.zip(1u64..).any(|(_, count)| count as f64 >= needed)
                }
                _ => passing.count() == array.len(),
            };
            interrupted?;
            out.push(Value::from_bool(result));
        }
        Ok(())
    }
}

/// Keeps the rows for whose position in the list `keep` says so.
pub(super) fn retain(rows: &mut Vec<u32>, mut keep: impl FnMut(usize) -> bool) {
    let mut position = 0;
    rows.retain(|_| {
        let kept = keep(position);
        position += 1;
        kept
    });
}
