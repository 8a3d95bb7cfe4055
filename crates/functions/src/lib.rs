//! The AQL functions
