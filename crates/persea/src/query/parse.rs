//! Queries that are parsed and not run, and the optimizer's rules.

use persea_aql::{AstNode, AstValue};
use persea_vpack::{Builder, VPackBuf};

use crate::error::Result;

/// `parsed`, `collections`, `bindVars`, `ast`, `warnings` of a query.
pub(crate) fn parse(text: &str) -> Result<VPackBuf> {
    let query = persea_aql::parse(text)?;
    let root = persea_aql::to_ast_nodes(&query.root);
    // Whether a name is a collection shows only once the variables are known; the nodes tell it.
    let mut collections: Vec<&str> = Vec::new();
    add_collections(&mut collections, &root);
    for name in &query.collections {
        add_once(&mut collections, name);
    }
    let mut builder = Builder::new();
    builder.open_object();
    builder.key("parsed").add_bool(true);
    builder.key("collections").open_array();
    for name in collections {
        builder.add_str(name);
    }
    builder.close();
    builder.key("bindVars").open_array();
    for name in &query.bind_parameters {
        builder.add_str(name);
    }
    builder.close();
    builder.key("ast").open_array();
    add_node(&mut builder, &root);
    builder.close();
    builder.key("warnings").open_array();
    for warning in &query.warnings {
        builder.open_object();
        builder.key("code").add_u64(u64::from(warning.code));
        builder.key("message").add_str(&warning.message);
        builder.close();
    }
    builder.close();
    builder.close();
    Ok(builder.finish()?)
}

/// The collections of a tree, each once, in the order they come up. The parser has bounded the tree's depth.
fn add_collections<'a>(collections: &mut Vec<&'a str>, node: &'a AstNode) {
    if let ("collection", Some(name)) = (node.type_name, &node.name) {
        add_once(collections, name);
    }
    for sub_node in &node.sub_nodes {
        add_collections(collections, sub_node);
    }
}

fn add_once<'a>(collections: &mut Vec<&'a str>, name: &'a str) {
    if !collections.contains(&name) {
        collections.push(name);
    }
}

fn add_node(builder: &mut Builder, node: &AstNode) {
    builder.open_object();
    builder.key("type").add_str(node.type_name);
    builder.key("typeID").add_u64(u64::from(node.type_id));
    if let Some(name) = &node.name {
        builder.key("name").add_str(name);
    }
    if let Some(id) = node.id {
        builder.key("id").add_u64(u64::from(id));
    }
    if let Some(value) = &node.value {
        builder.key("value");
        match value {
            AstValue::Null => builder.add_null(),
            AstValue::Bool(value) => builder.add_bool(*value),
            AstValue::Int(value) => builder.add_i64(*value),
            AstValue::Double(value) => builder.add_f64(*value),
            AstValue::String(value) => builder.add_str(value),
        };
    }
    if !node.sub_nodes.is_empty() {
        builder.key("subNodes").open_array();
        for sub_node in &node.sub_nodes {
            add_node(builder, sub_node);
        }
        builder.close();
    }
    builder.close();
}

/// Every rule of the optimizer, in the order they run: `name`, `description`, `flags`.
pub fn optimizer_rules() -> VPackBuf {
    persea_planner::rules_to_vpack()
}
