//! What a loop or `LET` binds.

use super::Name;

/// What a loop or `LET` binds: one variable, or the parts of an array or object.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// One variable.
    Variable(Name),
    /// `[a, , [b]]`: by position; `None` leaves a member out.
    Array(Vec<Option<Pattern>>),
    /// `{a, b: c, d: {e}}`: attribute name and what it goes to.
    Object(Vec<(Name, Pattern)>),
}

impl Pattern {
    /// The variables bound, in the order written.
    pub fn variables(&self) -> Vec<&Name> {
        let mut names = Vec::new();
        self.collect_variables(&mut names);
        names
    }

    fn collect_variables<'a>(&'a self, names: &mut Vec<&'a Name>) {
        match self {
            Self::Variable(name) => names.push(name),
            Self::Array(members) => members.iter().flatten().for_each(|m| m.collect_variables(names)),
            Self::Object(members) => members.iter().for_each(|(_, m)| m.collect_variables(names)),
        }
    }
}
