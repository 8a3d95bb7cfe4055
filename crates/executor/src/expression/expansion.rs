//! `[*]` and `[?]`: the members of many rows' arrays are laid side by side and the inline expressions evaluated for all of
//! them at once.

use persea_order::{Value, View, to_f64};

use super::construct::check_range;
use super::evaluate::{Evaluator, Frame};
use super::operand::{Operand, Rows};
use super::{Compiled, Expansion, Quantifier, QuestionMark};
use crate::Error;

/// Members are processed in groups of about this many, so that memory does not grow with the number of rows.
const GROUP_MEMBERS: usize = 4096;

/// The members of the arrays of several rows.
struct Members<'s> {
    values: Vec<Value<'s>>,
    /// The row each member came from.
    owners: Vec<u32>,
    /// Where the members of each row end.
    ends: Vec<usize>,
}

impl<'s, 'q> Evaluator<'s, 'q> {
    pub(super) fn expansion(
        &self,
        expansion: &Expansion<'q>,
        frame: &Frame<'_, 's>,
        rows: Rows<'_>,
        out: &mut Vec<Value<'s>>,
    ) -> Result<(), Error> {
        let source = self.operand(&expansion.source, frame, rows)?;
        let limits = match &expansion.limit {
            Some((offset, count)) => {
                Some((self.operand(offset, frame, rows)?, self.operand(count, frame, rows)?))
            }
            None => None,
        };
        let mut begin = 0;
        while begin < rows.len() {
            let members = gather(&source, expansion.flatten, rows, begin)?;
            let inner = Frame::Members {
                outer: frame,
                owners: &members.owners,
                register: expansion.current,
                values: &members.values,
            };
            let mut kept: Vec<u32> = (0..members.values.len() as u32).collect();
            if let Some(filter) = &expansion.filter {
                self.select_in(filter, &inner, &mut kept)?;
            }
            if let Some((offset, count)) = &limits {
                kept = limited(&members, &kept, |row| (offset.get(begin + row), count.get(begin + row)));
            }
            let mapped = match &expansion.map {
                Some(map) if kept.len() == members.values.len() => {
                    self.operand(map, &inner, Rows::All(kept.len()))?
                }
                Some(map) => self.operand(map, &inner, Rows::Some(&kept))?,
                None => Operand::Owned(kept.iter().map(|&member| members.values[member as usize]).collect()),
            };
            self.arrays(&members, &kept, &mapped, out)?;
            begin += members.ends.len();
        }
        Ok(())
    }

    /// Builds the resulting array of each row.
    fn arrays(
        &self,
        members: &Members<'s>,
        kept: &[u32],
        mapped: &Operand<'_, 's>,
        out: &mut Vec<Value<'s>>,
    ) -> Result<(), Error> {
        let mut next = 0;
        let mut builder = self.functions.builder();
        for &end in &members.ends {
            builder.open_array();
            while next < kept.len() && (kept[next] as usize) < end {
                let value = mapped.get(next);
                check_range(value)?;
                builder.add(value);
                next += 1;
            }
            builder.close();
            out.push(builder.finish_value()?);
        }
        Ok(())
    }

    pub(super) fn question_mark(
        &self,
        question: &QuestionMark<'q>,
        frame: &Frame<'_, 's>,
        rows: Rows<'_>,
        out: &mut Vec<Value<'s>>,
    ) -> Result<(), Error> {
        let source = self.operand(&question.source, frame, rows)?;
        let bounds = self.bounds(&question.quantifier, frame, rows)?;
        let mut begin = 0;
        while begin < rows.len() {
            let members = gather(&source, question.flatten, rows, begin)?;
            let inner = Frame::Members {
                outer: frame,
                owners: &members.owners,
                register: question.current,
                values: &members.values,
            };
            let mut kept: Vec<u32> = (0..members.values.len() as u32).collect();
            if let Some(filter) = &question.filter {
                self.select_in(filter, &inner, &mut kept)?;
            }
            let (mut next, mut start) = (0, 0);
            for (row, &end) in members.ends.iter().enumerate() {
                let first = next;
                while next < kept.len() && (kept[next] as usize) < end {
                    next += 1;
                }
                let (matching, total) = (next - first, end - start);
                start = end;
                let is_array = source.get(begin + row).is_array();
                let holds =
                    is_array && holds(&question.quantifier, matching, total, bounds.as_ref(), begin + row);
                out.push(Value::from_bool(holds));
            }
            begin += members.ends.len();
        }
        Ok(())
    }

    fn bounds<'f>(
        &self,
        quantifier: &Quantifier<'q>,
        frame: &Frame<'f, 's>,
        rows: Rows<'_>,
    ) -> Result<Option<(Operand<'f, 's>, Operand<'f, 's>)>, Error>
    where
        's: 'f,
    {
        let operand = |expr: &Compiled<'q>| self.operand(expr, frame, rows);
        Ok(match quantifier {
            Quantifier::AtLeast(count) | Quantifier::Count(count) => {
                Some((operand(count)?, Operand::One(Value::NULL)))
            }
            Quantifier::Between(from, to) => Some((operand(from)?, operand(to)?)),
            Quantifier::All | Quantifier::Any | Quantifier::None => None,
        })
    }
}

/// Whether the number of matching members is what the quantifier asks for.
fn holds(
    quantifier: &Quantifier<'_>,
    matching: usize,
    total: usize,
    bounds: Option<&(Operand<'_, '_>, Operand<'_, '_>)>,
    row: usize,
) -> bool {
    let bound = |upper: bool| {
        bounds.map_or(Value::NULL, |(from, to)| if upper { to.get(row) } else { from.get(row) })
    };
    let count = matching as f64;
    match quantifier {
        Quantifier::Any => matching > 0,
        Quantifier::All => matching == total,
        Quantifier::None => matching == 0,
        Quantifier::AtLeast(_) => count >= to_f64(bound(false)),
        Quantifier::Count(_) => match bound(false).view() {
            View::Range(first, last) => first as f64 <= count && count <= last as f64,
            _ => count == to_f64(bound(false)).trunc(),
        },
        Quantifier::Between(..) => to_f64(bound(false)) <= count && count <= to_f64(bound(true)),
    }
}

/// Lays out the members of the arrays of the rows from `begin` on, until there are enough of them.
fn gather<'s>(
    source: &Operand<'_, 's>,
    flatten: u32,
    rows: Rows<'_>,
    begin: usize,
) -> Result<Members<'s>, Error> {
    let mut members = Members { values: Vec::new(), owners: Vec::new(), ends: Vec::new() };
    for position in begin..rows.len() {
        let array = source.get(position);
        check_range(array)?;
        if array.is_array() {
            append(array, flatten, &mut members.values)?;
        }
        members.owners.resize(members.values.len(), rows.at(position));
        members.ends.push(members.values.len());
        if members.values.len() >= GROUP_MEMBERS {
            break;
        }
    }
    Ok(members)
}

/// Appends the members of an array, those of nested arrays instead of these for as many levels as are flattened.
fn append<'s>(array: Value<'s>, flatten: u32, out: &mut Vec<Value<'s>>) -> Result<(), Error> {
    for member in array.elements() {
        if flatten > 0 && member.is_array() {
            check_range(member)?;
            append(member, flatten - 1, out)?;
        } else {
            out.push(member);
        }
    }
    Ok(())
}

/// The members within the LIMIT of their row.
fn limited<'s>(
    members: &Members<'s>,
    kept: &[u32],
    limit_of: impl Fn(usize) -> (Value<'s>, Value<'s>),
) -> Vec<u32> {
    let mut result = Vec::new();
    let mut next = 0;
    for (row, &end) in members.ends.iter().enumerate() {
        let first = next;
        while next < kept.len() && (kept[next] as usize) < end {
            next += 1;
        }
        let (offset, count) = limit_of(row);
        let (offset, count) = (to_f64(offset), to_f64(count));
        // A negative offset or count leaves nothing.
        if offset >= 0.0 && count > 0.0 {
            result.extend(kept[first..next].iter().copied().skip(offset as usize).take(count as usize));
        }
    }
    result
}
