//! Sets of variables as bit sets.

use crate::plan::VarId;

/// A set of variable numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VarSet {
    words: Vec<u64>,
}

impl VarSet {
    /// The empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a variable; tells whether it is new.
    pub fn insert(&mut self, var: VarId) -> bool {
        let (word, bit) = (var.index() / 64, 1 << (var.index() % 64));
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        match self.words.get_mut(word) {
            Some(slot) if *slot & bit == 0 => {
                *slot |= bit;
                true
            }
            _ => false,
        }
    }

    /// Removes a variable.
    pub fn remove(&mut self, var: VarId) {
        if let Some(slot) = self.words.get_mut(var.index() / 64) {
            *slot &= !(1 << (var.index() % 64));
        }
    }

    /// Whether the variable is in the set.
    #[must_use]
    pub fn contains(&self, var: VarId) -> bool {
        self.words.get(var.index() / 64).is_some_and(|word| word & (1 << (var.index() % 64)) != 0)
    }

    /// Adds all of `other`.
    pub fn union(&mut self, other: &Self) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    /// Whether the sets have a member in common.
    #[must_use]
    pub fn intersects(&self, other: &Self) -> bool {
        self.words.iter().zip(&other.words).any(|(one, two)| one & two != 0)
    }

    /// Whether every member is in `other`.
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.words.iter().enumerate().all(|(at, word)| word & !other.words.get(at).copied().unwrap_or(0) == 0)
    }

    /// Whether there is no member.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// The members, ascending.
    pub fn iter(&self) -> impl Iterator<Item = VarId> + '_ {
        self.words.iter().enumerate().flat_map(|(at, word)| {
            (0..64u32).filter(move |bit| word & (1 << bit) != 0).map(move |bit| VarId(at as u32 * 64 + bit))
        })
    }
}

impl FromIterator<VarId> for VarSet {
    fn from_iter<T: IntoIterator<Item = VarId>>(iter: T) -> Self {
        let mut set = Self::new();
        for var in iter {
            set.insert(var);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_kept_across_words() {
        let set: VarSet = [3, 64, 200, 3].map(VarId).into_iter().collect();
        assert_eq!(set.iter().map(|var| var.0).collect::<Vec<_>>(), [3, 64, 200]);
        assert!(set.contains(VarId(64)) && !set.contains(VarId(65)));
        let small: VarSet = [VarId(3)].into_iter().collect();
        assert!(small.is_subset(&set) && !set.is_subset(&small) && set.intersects(&small));
    }
}
