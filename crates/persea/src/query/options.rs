//! How a query is planned and run.

use std::time::Duration;

/// Settings of one query; the defaults are ArangoDB's.
#[derive(Clone, Debug)]
pub struct QueryOptions {
    /// Whether the rows that the last top-level LIMIT left out are counted, as `fullCount`.
    pub full_count: bool,
    /// 0: nothing; 1: durations of the phases; 2: also figures of each node, and the plan.
    pub profile: u8,
    /// Bytes the query may use; 0 is no limit. More ends it with number 32.
    pub memory_bytes_max: usize,
    /// How long the query may run; longer ends it with number 1500.
    pub runtime_max: Option<Duration>,
    /// How many warnings are kept.
    pub warnings_max: usize,
    /// Whether the first warning ends the query as an error.
    pub fail_on_warning: bool,
    /// Optimizer rules to switch: `-name`, `+name`, `-all`, `+all`, from left to right.
    pub rules: Vec<String>,
    /// Whether explain gives all plans that were considered.
    pub all_plans: bool,
    /// Whether the rows are meant to be fetched as they come; the lists of queries show it and measure such a query by a
    /// threshold of its own.
    pub stream: bool,
}

impl Default for QueryOptions {
    fn default() -> QueryOptions {
        QueryOptions {
            full_count: false,
            profile: 0,
            memory_bytes_max: 0,
            runtime_max: None,
            warnings_max: 10,
            fail_on_warning: false,
            rules: Vec::new(),
            all_plans: false,
            stream: false,
        }
    }
}
