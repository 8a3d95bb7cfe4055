//! The persea command.
fn main() {}
