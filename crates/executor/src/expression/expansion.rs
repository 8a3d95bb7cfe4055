//! `[*]` and `[?]`: the members of many rows' arrays are laid side by side and the inline expressions evaluated for all of
//! them at once.

use persea_functions::ArenaBuilder;
use persea_order::{Elements, Value, View, to_f64};

use super::construct::check_range;
use super::evaluate::{Evaluator, Frame};
use super::operand::{Operand, Rows};
use super::{Compiled, Expansion, Quantifier, QuestionMark};
use crate::Error;

/// Members are processed in groups of at most so many, wherever the arrays they belong to begin and end: memory does not
/// grow with the length of arrays, and between groups the query can be ended.
const GROUP_MEMBERS: usize = 4096;

/// Some of the members of the arrays of several rows. The first of the arrays may have begun in the group before, the
/// last one may go on in the group after.
struct Members<'s> {
    values: Vec<Value<'s>>,
    /// The row each member came from.
    owners: Vec<u32>,
    /// Where the members of each row end.
    ends: Vec<usize>,
    /// Position of the first row in the selection.
    first_position: usize,
    is_first_continued: bool,
    is_last_incomplete: bool,
}

impl Members<'_> {
    /// For each row, its position in the selection, the end of its members, and whether these are its first and its last.
    fn rows(&self) -> impl Iterator<Item = (usize, usize, bool, bool)> + '_ {
        let last = self.ends.len().wrapping_sub(1);
        self.ends.iter().enumerate().map(move |(row, &end)| {
            let is_begin = row > 0 || !self.is_first_continued;
            let is_end = row < last || !self.is_last_incomplete;
            (self.first_position + row, end, is_begin, is_end)
        })
    }
}

/// How much of a row's members has passed the LIMIT in the groups so far.
#[derive(Default)]
struct Window {
    seen: usize,
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
        let mut walk = Walk::new(&source, expansion.flatten, rows);
        let mut window = Window::default();
        let mut builder = self.functions.builder();
        while let Some(members) = walk.group()? {
            self.functions.work(members.values.len())?;
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
                kept = window.limited(&members, &kept, |row| (offset.get(row), count.get(row)));
            }
            let mapped = match &expansion.map {
                Some(map) if kept.len() == members.values.len() => {
                    self.operand(map, &inner, Rows::All(kept.len()))?
                }
                Some(map) => self.operand(map, &inner, Rows::Some(&kept))?,
                None => Operand::Owned(kept.iter().map(|&member| members.values[member as usize]).collect()),
            };
            arrays(&members, &kept, &mapped, &mut builder, out)?;
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
        let mut walk = Walk::new(&source, question.flatten, rows);
        let (mut matching, mut total) = (0, 0);
        while let Some(members) = walk.group()? {
            self.functions.work(members.values.len())?;
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
            for (position, end, _, is_end) in members.rows() {
                let first = next;
                while next < kept.len() && (kept[next] as usize) < end {
                    next += 1;
                }
                matching += next - first;
                total += end - start;
                start = end;
                if is_end {
                    let holds = source.get(position).is_array()
                        && holds(&question.quantifier, matching, total, bounds.as_ref(), position);
                    out.push(Value::from_bool(holds));
                    (matching, total) = (0, 0);
                }
            }
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

/// Builds the resulting array of each row; that of the last one may stay open for the next group.
fn arrays<'s>(
    members: &Members<'s>,
    kept: &[u32],
    mapped: &Operand<'_, 's>,
    builder: &mut ArenaBuilder<'s>,
    out: &mut Vec<Value<'s>>,
) -> Result<(), Error> {
    let mut next = 0;
    for (_, end, is_begin, is_end) in members.rows() {
        if is_begin {
            builder.open_array();
        }
        while next < kept.len() && (kept[next] as usize) < end {
            let value = mapped.get(next);
            check_range(value)?;
            builder.add(value);
            builder.check_size()?;
            next += 1;
        }
        if is_end {
            builder.close();
            out.push(builder.finish_value()?);
        }
    }
    Ok(())
}

/// Walks through the members of the arrays of several rows.
struct Walk<'w, 's> {
    source: &'w Operand<'w, 's>,
    flatten: usize,
    rows: Rows<'w>,
    position: usize,
    is_inside: bool,
    /// The array of the row under way and the nested arrays inside of it that are being flattened.
    open: Vec<Elements<'s>>,
}

impl<'w, 's> Walk<'w, 's> {
    fn new(source: &'w Operand<'w, 's>, flatten: u32, rows: Rows<'w>) -> Self {
        Walk { source, flatten: flatten as usize, rows, position: 0, is_inside: false, open: Vec::new() }
    }

    /// The next members; none when all rows are done.
    fn group(&mut self) -> Result<Option<Members<'s>>, Error> {
        if self.position >= self.rows.len() {
            return Ok(None);
        }
        let mut members = Members {
            values: Vec::new(),
            owners: Vec::new(),
            ends: Vec::new(),
            first_position: self.position,
            is_first_continued: self.is_inside,
            is_last_incomplete: false,
        };
        while self.position < self.rows.len() && members.values.len() < GROUP_MEMBERS {
            if !self.is_inside {
                let array = self.source.get(self.position);
                check_range(array)?;
                if array.is_array() {
                    self.open.push(array.elements());
                }
            }
            self.is_inside = !self.append(&mut members.values)?;
            members.owners.resize(members.values.len(), self.rows.at(self.position));
            members.ends.push(members.values.len());
            if self.is_inside {
                members.is_last_incomplete = true;
            } else {
                self.position += 1;
            }
        }
        Ok(Some(members))
    }

    /// Appends members of the row under way, those of nested arrays instead of these for as many levels as are flattened;
    /// false if the group is full before the row is done.
    fn append(&mut self, out: &mut Vec<Value<'s>>) -> Result<bool, Error> {
        loop {
            let depth = self.open.len();
            let Some(elements) = self.open.last_mut() else { return Ok(true) };
            let Some(room) = GROUP_MEMBERS.checked_sub(out.len()).filter(|room| *room > 0) else {
                return Ok(false);
            };
            if depth > self.flatten {
                out.extend(elements.take(room));
                if out.len() < GROUP_MEMBERS {
                    self.open.pop();
                }
                continue;
            }
            match elements.next() {
                Some(member) if member.is_array() => {
                    check_range(member)?;
                    self.open.push(member.elements());
                }
                Some(member) => out.push(member),
                None => {
                    self.open.pop();
                }
            }
        }
    }
}

impl Window {
    /// The members within the LIMIT of their row.
    fn limited<'s>(
        &mut self,
        members: &Members<'s>,
        kept: &[u32],
        limit_of: impl Fn(usize) -> (Value<'s>, Value<'s>),
    ) -> Vec<u32> {
        let mut result = Vec::new();
        let mut next = 0;
        for (position, end, is_begin, _) in members.rows() {
            if is_begin {
                self.seen = 0;
            }
            let first = next;
            while next < kept.len() && (kept[next] as usize) < end {
                next += 1;
            }
            let (offset, count) = limit_of(position);
            let (offset, count) = (to_f64(offset), to_f64(count));
            // A negative offset or count leaves nothing.
            if offset >= 0.0 && count > 0.0 {
                let (offset, count) = (offset as usize, count as usize);
                let from = offset.saturating_sub(self.seen);
                let to = offset.saturating_add(count).saturating_sub(self.seen);
                result.extend(kept[first..next].iter().copied().take(to).skip(from));
            }
            self.seen += next - first;
        }
        result
    }
}
