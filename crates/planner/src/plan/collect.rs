//! COLLECT and RETURN DISTINCT.

use std::sync::Arc;

use super::VarId;

/// How to group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectMethod {
    /// Hash table; output order undefined.
    Hash,
    /// Input arrives sorted by the group values; output keeps that order.
    Sorted,
    /// Distinct values in order of first occurrence.
    Distinct,
    /// No group values, only a count of all rows.
    Count,
}

impl CollectMethod {
    /// ArangoDB's name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hash => "hash",
            Self::Sorted => "sorted",
            Self::Distinct => "distinct",
            Self::Count => "count",
        }
    }
}

/// COLLECT, COLLECT WITH COUNT INTO and RETURN DISTINCT.
///
/// Without `groups` exactly one row is produced, also for empty input.
#[derive(Clone, Debug)]
pub struct CollectNode {
    /// How to group.
    pub method: CollectMethod,
    /// Group values.
    pub groups: Vec<CollectGroup>,
    /// Aggregates of each group.
    pub aggregates: Vec<Aggregate>,
    /// Collected members of each group.
    pub into: Option<CollectInto>,
    /// Method asked for by OPTIONS.
    pub requested_method: Option<CollectMethod>,
    /// Whether the method is final.
    pub specialized: bool,
    /// Whether it stands for RETURN DISTINCT.
    pub is_distinct: bool,
    /// Whether OPTIONS forbid the use of an index.
    pub disable_index: bool,
    /// Whether the user asked for any order (`SORT null` behind it).
    pub unsorted: bool,
    /// Variables from outside the loops of this query level (LETs before the first FOR, the row of the surrounding
    /// query) that later nodes read: the same in all rows, taken over from any row of the group, null if there is none
    /// and the variable was computed in this pipeline.
    pub carried: Vec<VarId>,
}

/// One group value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectGroup {
    /// The group's value.
    pub out: VarId,
    /// The value of each row.
    pub input: VarId,
}

/// One aggregate.
#[derive(Clone, Debug)]
pub struct Aggregate {
    /// The result.
    pub out: VarId,
    /// Canonical upper-case function name, aliases resolved as ArangoDB shows them (`LENGTH`, `MIN`, `AVG`, …).
    pub function: Arc<str>,
    /// The argument; none counts rows.
    pub input: Option<VarId>,
}

/// INTO of COLLECT.
#[derive(Clone, Debug)]
pub struct CollectInto {
    /// The array of members.
    pub out: VarId,
    /// What each member is.
    pub content: CollectContent,
}

/// Members of INTO.
#[derive(Clone, Debug)]
pub enum CollectContent {
    /// The value of a variable.
    Value(VarId),
    /// An object of variables, in this order.
    Variables(Vec<(Arc<str>, VarId)>),
}
