//! LIMIT.

/// LIMIT.
#[derive(Clone, Debug)]
pub struct LimitNode {
    /// Rows to skip.
    pub offset: u64,
    /// Rows to produce (`u64::MAX` for no limit).
    pub count: u64,
    /// Whether the rows behind the limit are to be counted for `stats.fullCount` (all input rows are consumed).
    pub full_count: bool,
}
