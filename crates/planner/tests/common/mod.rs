//! A catalog, functions and an evaluator that exist only in memory.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::sync::Arc;

use persea_order::{Value, compare, equal};
use persea_planner::plan::{BinaryOperator, Expr, IndexKind, UnaryOperator};
use persea_planner::{
    Catalog, CollectionMeta, ConstantEvaluator, Error, Evaluated, FunctionCatalog, FunctionMeta, GraphMeta,
    IndexField, IndexMeta, PlanOptions, Planned,
};
use persea_vpack::{Builder, Slice, VPackBuf};

pub struct Mock;

pub fn index(id: u64, name: &str, fields: &[&str]) -> IndexMeta {
    IndexMeta {
        id,
        name: name.into(),
        kind: IndexKind::Persistent,
        type_name: "persistent".into(),
        fields: fields.iter().map(|field| IndexField::parse(field)).collect(),
        unique: false,
        sparse: false,
        selectivity: Some(0.5),
        stored_values: Vec::new(),
        can_cover: true,
        in_progress: false,
        deduplicate: true,
        estimates: true,
        cache_enabled: false,
    }
}

fn collection(id: u64, name: &str, count: u64, is_edge: bool, more: Vec<IndexMeta>) -> Arc<CollectionMeta> {
    let mut primary = index(0, "primary", &["_key"]);
    primary.kind = IndexKind::Primary;
    primary.type_name = "primary".into();
    primary.unique = true;
    primary.selectivity = Some(1.0);
    let mut indexes = vec![primary];
    if is_edge {
        let mut edge = index(1, "edge", &["_from", "_to"]);
        edge.kind = IndexKind::Edge;
        edge.type_name = "edge".into();
        edge.can_cover = false;
        indexes.push(edge);
    }
    indexes.extend(more);
    Arc::new(CollectionMeta { id, name: name.into(), is_edge, count, indexes })
}

impl Catalog for Mock {
    fn database(&self) -> &str {
        "_system"
    }

    /// `plain` has no index; `c` has several; `small` and `big` are for joins; `edges` are edges.
    fn collection(&self, name: &str) -> Option<Arc<CollectionMeta>> {
        let mut sparse = index(4, "idx_sparse", &["s"]);
        sparse.sparse = true;
        let mut unique = index(5, "idx_unique", &["u"]);
        unique.unique = true;
        Some(match name {
            "plain" => collection(1, "plain", 1000, false, vec![]),
            "c" => collection(
                2,
                "c",
                1000,
                false,
                vec![
                    index(2, "idx_value", &["value"]),
                    index(3, "idx_ab", &["a", "b"]),
                    sparse,
                    unique,
                    index(6, "idx_tags", &["tags[*]"]),
                ],
            ),
            "small" => collection(3, "small", 10, false, vec![index(2, "idx_k", &["k"])]),
            "big" => collection(4, "big", 100_000, false, vec![]),
            "edges" => collection(5, "edges", 500, true, vec![]),
            "vertices" => collection(6, "vertices", 100, false, vec![]),
            "target" => collection(7, "target", 0, false, vec![]),
            _ => return None,
        })
    }

    fn graph(&self, name: &str) -> Option<Arc<GraphMeta>> {
        (name == "g").then(|| {
            Arc::new(GraphMeta {
                name: "g".into(),
                edge_collections: vec!["edges".into()],
                vertex_collections: vec!["vertices".into()],
            })
        })
    }
}

impl FunctionCatalog for Mock {
    fn lookup(&self, name: &str) -> Option<FunctionMeta> {
        let (min_args, max_args, deterministic) = match name {
            "LENGTH" | "COUNT" | "FIRST" | "LAST" | "SORTED_UNIQUE" | "IS_ARRAY" | "LOWER" | "ABS" => {
                (1, Some(1), true)
            }
            "CONCAT" => (1, None, true),
            "RAND" => (0, Some(0), false),
            "NOOPT" => (1, Some(1), false),
            "DOCUMENT" => (1, Some(2), true),
            "COLLECTION_COUNT" => (1, Some(1), true),
            _ => return None,
        };
        let reads = matches!(name, "DOCUMENT" | "COLLECTION_COUNT");
        Some(FunctionMeta {
            name: name.into(),
            min_args,
            max_args,
            deterministic,
            cacheable: deterministic && !reads,
            accesses_documents: reads,
            in_prune: !reads,
            collection_args: u64::from(reads),
        })
    }

    fn user_function(&self, name: &str) -> bool {
        name == "MY::FUNCTION"
    }
}

impl ConstantEvaluator for Mock {
    fn evaluate(&self, expr: &Expr) -> Option<Evaluated> {
        let mut warnings = Vec::new();
        let value = evaluate(expr, &mut warnings)?;
        Some(Evaluated { value, warnings })
    }
}

fn build(fill: impl FnOnce(&mut Builder) -> &mut Builder) -> VPackBuf {
    let mut builder = Builder::new();
    fill(&mut builder);
    builder.finish().unwrap()
}

fn evaluate(expr: &Expr, warnings: &mut Vec<(u32, String)>) -> Option<VPackBuf> {
    let bool = |truth: bool| Some(build(|builder| builder.add_bool(truth)));
    match expr {
        Expr::Const(value) => Some((**value).clone()),
        Expr::Unary(op, operand) => {
            let operand = evaluate(operand, warnings)?;
            let value = Value::from_slice(operand.as_slice());
            match op {
                UnaryOperator::Not => bool(!value.is_truthy()),
                UnaryOperator::Minus => {
                    let number = operand.as_slice().as_f64()?;
                    Some(build(|builder| builder.add_i64(-(number as i64))))
                }
                UnaryOperator::Plus => None,
            }
        }
        Expr::Binary(op, left, right) => {
            let (left, right) = (evaluate(left, warnings)?, evaluate(right, warnings)?);
            let (one, two) = (Value::from_slice(left.as_slice()), Value::from_slice(right.as_slice()));
            match op {
                BinaryOperator::Equal => bool(equal(one, two)),
                BinaryOperator::NotEqual => bool(!equal(one, two)),
                BinaryOperator::Less => bool(compare(one, two).is_lt()),
                BinaryOperator::Greater => bool(compare(one, two).is_gt()),
                BinaryOperator::Add => {
                    let sum = left.as_slice().as_i64()? + right.as_slice().as_i64()?;
                    Some(build(|builder| builder.add_i64(sum)))
                }
                BinaryOperator::Divide if right.as_slice().as_f64()? == 0.0 => {
                    warnings.push((1562, "in operator /: division by zero".into()));
                    Some(VPackBuf::null())
                }
                _ => None,
            }
        }
        Expr::Call { function, args } if &**function == "SORTED_UNIQUE" => {
            let list = evaluate(args.first()?, warnings)?;
            let mut members: Vec<Slice<'_>> = list.as_slice().array_iter().collect();
            members.sort_by(|one, two| compare(Value::from_slice(*one), Value::from_slice(*two)));
            members.dedup_by(|one, two| equal(Value::from_slice(*one), Value::from_slice(*two)));
            Some(build(|builder| {
                builder.open_array();
                for member in members {
                    builder.add_slice(member);
                }
                builder.close()
            }))
        }
        _ => None,
    }
}

pub fn plan_with(query: &str, binds: &VPackBuf, options: &PlanOptions) -> Result<Planned, Error> {
    let parsed = persea_aql::parse(query).unwrap_or_else(|error| panic!("{query}: {error}"));
    persea_planner::plan(&parsed, binds.as_slice(), &Mock, &Mock, &Mock, options)
}

pub fn plan(query: &str) -> Planned {
    plan_with(query, &VPackBuf::null(), &PlanOptions::default())
        .unwrap_or_else(|error| panic!("{query}: {error}"))
}

/// The explained nodes' short type names, joined by blanks.
pub fn types(planned: &Planned) -> String {
    let explained = persea_planner::explain(planned, false, false);
    let nodes = explained.as_slice().get("plan").unwrap().get("nodes").unwrap();
    let names: Vec<String> = nodes
        .array_iter()
        .map(|node| node.get("type").unwrap().as_str().unwrap().trim_end_matches("Node").to_owned())
        .collect();
    names.join(" ")
}
