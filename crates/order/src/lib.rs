//! AQL values and their total order.
//!
//! Every layer that compares, sorts, groups or indexes data has to agree on one order, so it lives here, below
//! storage and queries alike:
//!
//! - [`Value`] is one AQL value in 16 bytes, borrowed from VelocyPack bytes or an arena; [`View`] takes it apart.
//! - [`compare`], [`equal`] and [`hash`] are the order, its equality and a hash to match. [`compare_str`] is the
//!   order of strings: ICU collation, upper case first, ties by code point.
//! - [`sort_key`] writes bytes whose plain order is the same order, for index keys and large sorts;
//!   [`decode_sort_key`] reads scalars back out of them.
//! - [`to_bool`], [`to_number`] and [`to_string_into`] are AQL's casts.
//!
//! ```
//! use std::cmp::Ordering;
//! use persea_order::{Value, compare, sort_key};
//! use persea_vpack::vpack;
//!
//! let person = vpack!({ "name": "Ada", "born": 1815, "tags": ["math", null] });
//! let person = Value::from_slice(person.as_slice());
//! assert_eq!(person.attribute("name").as_str(), Some("Ada"));
//! assert_eq!(person.attribute("tags").element(-2).as_str(), Some("math"));
//! assert!(person.attribute("died").is_null());
//!
//! let other = vpack!({ "name": "ada", "born": 1815.0, "tags": ["math"] });
//! let other = Value::from_slice(other.as_slice());
//! assert_eq!(compare(person.attribute("born"), other.attribute("born")), Ordering::Equal);
//! assert_eq!(compare(person.attribute("tags"), other.attribute("tags")), Ordering::Equal);
//! assert_eq!(compare(person, other), Ordering::Less);
//!
//! let (mut left, mut right) = (Vec::new(), Vec::new());
//! sort_key(person, &mut left);
//! sort_key(other, &mut right);
//! assert!(left < right);
//! ```
//!
//! What it does not know: where values are stored, how queries are written, and how arrays and objects are built
//! (that is `persea-vpack`'s builder).

mod ascii;
mod cast;
mod collation;
mod compare;
mod decode;
mod elements;
mod equal;
mod number;
mod repr;
mod sort_key;
mod view;
mod weight_table;

pub use cast::{to_bool, to_f64, to_number, to_string_into};
pub use collation::{COLLATION_VERSION, compare_str};
pub use compare::compare;
pub use decode::{DecodedKey, decode_sort_key, skip_sort_key};
pub use elements::Elements;
pub use equal::{equal, hash};
pub use repr::Value;
pub use sort_key::{prefix_successor, sort_key, sort_key_successor};
pub use view::View;
