//! `IN`: membership in arrays and ranges, with a hash table where the list is long and used often.

use hashbrown::HashTable;
use persea_order::{Value, View, equal, hash};

use super::Compiled;
use super::evaluate::{Evaluator, Frame};
use super::operand::Rows;
use crate::Error;

/// Lists up to this length are searched member by member.
const LINEAR_MAX: usize = 8;

/// A list that is searched many times.
#[derive(Debug)]
pub(crate) enum ValueSet<'q> {
    /// A short list, a range, or no list at all.
    List(Value<'q>),
    /// A long list.
    Hashed(HashTable<Value<'q>>),
}

impl<'q> ValueSet<'q> {
    /// Prepares a list; of a value that is no array nothing is a member.
    pub(crate) fn new(list: Value<'q>) -> Self {
        let View::Array(_) = list.view() else { return ValueSet::List(list) };
        if list.len() <= LINEAR_MAX {
            return ValueSet::List(list);
        }
        let mut table = HashTable::with_capacity(list.len());
        for member in list.elements() {
            let member_hash = hash(member);
            if table.find(member_hash, |&other| equal(member, other)).is_none() {
                table.insert_unique(member_hash, member, |&value| hash(value));
            }
        }
        ValueSet::Hashed(table)
    }

    /// Whether a member equals the value.
    #[inline]
    pub(crate) fn contains(&self, value: Value<'_>) -> bool {
        match self {
            ValueSet::List(list) => contains(*list, value),
            ValueSet::Hashed(table) => table.find(hash(value), |&member| equal(member, value)).is_some(),
        }
    }
}

/// Whether the list has a member that equals the value; not if it is no list.
pub(super) fn contains(list: Value<'_>, value: Value<'_>) -> bool {
    match list.view() {
        View::Range(first, last) => {
            let (low, high) = (first.min(last), first.max(last));
            value.as_i64().is_some_and(|number| low <= number && number <= high)
        }
        View::Array(_) => list.elements().any(|member| equal(member, value)),
        _ => false,
    }
}

/// Steps of work to search a list.
pub(super) fn steps(list: Value<'_>) -> usize {
    match list.view() {
        View::Array(_) => list.len().max(1),
        _ => 1,
    }
}

/// What identifies the bytes of a list.
fn identity(list: Value<'_>) -> Option<(*const u8, usize)> {
    list.as_slice().map(|slice| (slice.bytes().as_ptr(), slice.bytes().len()))
}

impl<'s, 'q> Evaluator<'s, 'q> {
    pub(super) fn membership(
        &self,
        value: &Compiled<'q>,
        list: &Compiled<'q>,
        negated: bool,
        frame: &Frame<'_, 's>,
        rows: Rows<'_>,
        out: &mut Vec<Value<'s>>,
    ) -> Result<(), Error> {
        let value = self.operand(value, frame, rows)?;
        let list = self.operand(list, frame, rows)?;
        // A list from outside of the loop is the same bytes in all rows: it is hashed once for them.
        let mut shared: Option<((*const u8, usize), ValueSet<'s>)> = None;
        for position in 0..rows.len() {
            let members = list.get(position);
            let id = identity(members).filter(|_| members.len() > LINEAR_MAX);
            if let Some(id) = id
                && shared.as_ref().is_none_or(|(known, _)| *known != id)
                && position + 1 < rows.len()
                && identity(list.get(position + 1)) == Some(id)
            {
                shared = Some((id, ValueSet::new(members)));
            }
            let found = match &shared {
                Some((known, set)) if Some(*known) == id => set.contains(value.get(position)),
                _ => {
                    if id.is_some() {
                        self.functions.work(steps(members))?;
                    }
                    contains(members, value.get(position))
                }
            };
            out.push(Value::from_bool(found != negated));
        }
        Ok(())
    }
}
