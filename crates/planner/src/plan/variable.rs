//! Variables: the registers of a plan.

use std::sync::Arc;

use persea_vpack::VPackBuf;

/// Number of a variable: index into [`Plan::variables`](super::Plan::variables).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VarId(pub u32);

impl VarId {
    /// The number as an index.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A variable (register) of the plan.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its number.
    pub id: VarId,
    /// The user's name, or the number in decimal digits for temporaries.
    pub name: Arc<str>,
    /// Whether values come from documents of a collection.
    pub from_collection: bool,
    /// Whether the value is a whole stored document.
    pub full_document: bool,
    /// The value, when it is the same in every row and known at plan time.
    pub constant: Option<Arc<VPackBuf>>,
    /// Whether the value is a list known to be sorted in AQL order without duplicates, so that `IN` may search it
    /// by bisection.
    pub sorted_unique_list: bool,
}
