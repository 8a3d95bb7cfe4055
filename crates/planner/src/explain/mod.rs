//! Plans for people and tools: ArangoDB's explain JSON and its text form.

mod expression;
mod expression_text;
mod json;
mod nodes;
mod text;

pub use json::{explain, plan_to_vpack, rules_to_vpack};
pub use nodes::node_type_name;
pub use text::{TextOptions, explain_text};
