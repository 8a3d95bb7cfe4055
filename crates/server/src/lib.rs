//! Persea's HTTP API, compatible with ArangoDB's
