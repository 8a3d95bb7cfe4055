//! Runs AQL execution plans in batches: one operator a file
