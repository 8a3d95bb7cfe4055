//! Settings of one planning.

/// What the user may decide about planning.
#[derive(Clone, Debug)]
pub struct PlanOptions {
    /// Rule switches, applied left to right: `-name`, `+name` or `name`, `-all`, `+all`. Unknown names are ignored.
    pub rules: Vec<String>,
    /// Count the rows behind the last top-level LIMIT.
    pub full_count: bool,
    /// Greatest number of plans to consider.
    pub max_plans: usize,
    /// Give all plans considered, not only the best.
    pub all_plans: bool,
    /// Greatest number of warnings kept.
    pub max_warnings: usize,
    /// The first warning fails the query.
    pub fail_on_warning: bool,
    /// Greatest number of disjuncts of a condition considered for indexes.
    pub max_disjuncts: usize,
    /// Greatest number of collections of a query.
    pub max_collections: usize,
}

impl Default for PlanOptions {
    fn default() -> Self {
        Self {
            rules: Vec::new(),
            full_count: false,
            max_plans: 128,
            all_plans: false,
            max_warnings: 10,
            fail_on_warning: false,
            max_disjuncts: 64,
            max_collections: 2048,
        }
    }
}
