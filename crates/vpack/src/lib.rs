#![doc = include_str!("../README.md")]

mod append;
mod attribute;
mod buf;
mod builder;
mod container;
mod deserialize;
mod display;
mod double;
mod error;
mod integer;
mod kind;
mod layout;
mod macros;
mod raw;
mod serialize;
mod slice;
mod utf8;
mod validate;

pub use append::{append_between, append_short};
pub use attribute::{attribute_code, attribute_name};
pub use buf::VPackBuf;
pub use builder::{Appender, Builder, Open};
pub use container::{ArrayIter, ObjectIter};
pub use deserialize::from_slice;
pub use double::DoubleText;
pub use error::Error;
pub use integer::IntegerText;
pub use kind::Kind;
pub use macros::ToVPack;
pub use serialize::{append, to_vpack};
pub use slice::Slice;

/// Deepest nesting of arrays, objects and tags that the builder writes and the validator accepts.
///
/// Twice the limit of JSON text, so that a query can wrap the deepest parsed document, and small enough for
/// recursive readers to run on an ordinary thread's stack.
pub const DEPTH_MAX: usize = 400;
