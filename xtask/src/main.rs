//! Project scripts.
fn main() {}
