//! The HTTP rim: requests and responses as the handlers see them, and how they meet the wire.

pub mod body;
pub mod content_encoding;
pub mod cors;
pub mod headers;
pub mod query;
pub mod request;
pub mod response;
pub mod target;
