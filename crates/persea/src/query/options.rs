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
    /// The longest wait for a collection that another transaction holds exclusively, or that the query wants for itself;
    /// longer ends it with number 18. `None` is no limit. Inside of a transaction that transaction's own limit counts.
    pub lock_timeout: Option<Duration>,
    /// Bytes of keys and values, those of indexes included, that the query may write between two commits; more ends it
    /// with number 32. `None` is no limit. Inside of a transaction that transaction's own limit counts.
    pub write_bytes_max: Option<u64>,
    /// Commits whenever so many documents were written, so that a large query needs little memory: what was committed
    /// stays when the query fails later. Inside of a transaction nothing is committed early.
    pub intermediate_commit_count: Option<u64>,
    /// The same whenever so many bytes of keys and values, those of indexes included, were written.
    pub intermediate_commit_bytes: Option<u64>,
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
            lock_timeout: Some(Duration::from_secs(900)),
            write_bytes_max: None,
            intermediate_commit_count: None,
            intermediate_commit_bytes: None,
        }
    }
}
