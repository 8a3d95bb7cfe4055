//! The combinations of members when terms of an access are lists.

use persea_order::{Value, compare};

use super::access::Access;
use crate::batch::Batch;

/// The members of the lists among the terms of an access: which to visit, and which combination is next.
#[derive(Default)]
pub(super) struct Combinations {
    /// For each term the positions of the members to visit; none for terms that are no lists.
    members: Vec<Option<Vec<u32>>>,
    chosen: Vec<usize>,
    pub(super) is_done: bool,
}

impl Combinations {
    pub(super) fn new(access: &Access<'_>, bounds: &Batch<'_>, row: usize, ascending: bool) -> Self {
        let members: Vec<Option<Vec<u32>>> = access
            .terms
            .iter()
            .map(|(register, is_list)| {
                is_list.then(|| distinct_members(bounds.value(*register, row), ascending))
            })
            .collect();
        let is_done = members.iter().flatten().any(Vec::is_empty);
        Combinations { chosen: vec![0; members.len()], members, is_done }
    }

    /// Turns to the next combination; the last term changes fastest, as in the order of the index.
    pub(super) fn advance(&mut self) {
        for term in (0..self.chosen.len()).rev() {
            let Some(members) = &self.members[term] else { continue };
            self.chosen[term] += 1;
            if self.chosen[term] < members.len() {
                return;
            }
            self.chosen[term] = 0;
        }
        self.is_done = true;
    }

    /// The value of a term in the current combination.
    pub(super) fn value<'s>(&self, term: usize, value: Value<'s>) -> Value<'s> {
        match &self.members[term] {
            Some(members) => value.element(i64::from(members[self.chosen[term]])),
            None => value,
        }
    }
}

/// The positions of the distinct members of a list in the order they are visited; none if it is no list.
fn distinct_members(list: Value<'_>, ascending: bool) -> Vec<u32> {
    if !list.is_array() {
        return Vec::new();
    }
    let values: Vec<Value<'_>> = list.elements().collect();
    let mut positions: Vec<u32> = (0..values.len() as u32).collect();
    positions.sort_by(|&left, &right| compare(values[left as usize], values[right as usize]));
    positions.dedup_by(|left, right| compare(values[*left as usize], values[*right as usize]).is_eq());
    if !ascending {
        positions.reverse();
    }
    positions
}
