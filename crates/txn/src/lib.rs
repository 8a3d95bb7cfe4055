//! Snapshots, write sets, atomic commits and conflict detection over an ordered key-value engine
