//! Expressions in explain JSON: syntax tree objects with ArangoDB's type names and numbers.

use persea_vpack::{Builder, Slice};

use crate::plan::{ArrayQuantifier, BinaryOperator, Expr, ObjectKey, Plan, Quantifier, UnaryOperator, VarId};

/// Writes an expression.
pub(super) fn write(builder: &mut Builder, plan: &Plan, expr: &Expr) {
    match expr {
        Expr::Const(value) => write_value(builder, value.as_slice()),
        Expr::Var(var) => {
            open(builder, "reference", 45);
            builder.key("name").add_str(plan.variable(*var).map_or("", |variable| &variable.name));
            builder.key("id").add_u64(u64::from(var.0));
            builder.close();
        }
        Expr::Attribute(base, name) => {
            open(builder, "attribute access", 35);
            builder.key("name").add_str(name);
            sub_nodes(builder, plan, &[base]);
        }
        Expr::Index(base, index) => node(builder, plan, "indexed access", 37, &[base, index]),
        Expr::Unary(op, operand) => {
            let (name, id) = match op {
                UnaryOperator::Plus => ("unary plus", 15),
                UnaryOperator::Minus => ("unary minus", 16),
                UnaryOperator::Not => ("unary not", 17),
            };
            node(builder, plan, name, id, &[operand]);
        }
        Expr::Binary(op, left, right) => write_binary(builder, plan, *op, left, right),
        Expr::ArrayCompare { quantifier, op, left, right } => {
            let (name, id) = array_compare(*op);
            open(builder, name, id);
            builder.key("quantifier").add_str(match quantifier {
                Quantifier::All => "all",
                Quantifier::Any => "any",
                Quantifier::None => "none",
                Quantifier::AtLeast(_) => "at least",
            });
            match quantifier {
                Quantifier::AtLeast(count) => sub_nodes(builder, plan, &[left, right, count]),
                _ => sub_nodes(builder, plan, &[left, right]),
            }
        }
        Expr::Ternary { condition, then, otherwise } => match then {
            Some(then) => node(builder, plan, "ternary", 33, &[condition, then, otherwise]),
            None => node(builder, plan, "ternary", 33, &[condition, otherwise]),
        },
        Expr::Range(low, high) => node(builder, plan, "range", 49, &[low, high]),
        Expr::Array(members) => node(builder, plan, "array", 41, &members.iter().collect::<Vec<_>>()),
        Expr::Object(members) => {
            open(builder, "object", 42);
            builder.key("subNodes").open_array();
            for member in members {
                match &member.key {
                    ObjectKey::Name(name) => {
                        open(builder, "object element", 43);
                        builder.key("name").add_str(name);
                        sub_nodes(builder, plan, &[&member.value]);
                    }
                    ObjectKey::Computed(key) => {
                        node(builder, plan, "calculated object element", 53, &[key, &member.value]);
                    }
                }
            }
            builder.close().close();
        }
        Expr::Call { function, args } => write_call(builder, plan, "function call", 47, function, args),
        Expr::UserCall { function, args } => {
            write_call(builder, plan, "user function call", 48, function, args)
        }
        Expr::Expansion { source, flatten, current, filter, limit, map } => {
            open(builder, "expansion", 38);
            builder.key("levels").add_u64(u64::from(*flatten) + 1);
            builder.key("subNodes").open_array();
            write_iterator(builder, plan, *current, source);
            write(builder, plan, &Expr::Var(*current));
            write_optional(builder, plan, filter.as_deref());
            match limit {
                Some(limit) => node(builder, plan, "array limit", 57, &[&limit.0, &limit.1]),
                None => no_op(builder),
            }
            write_optional(builder, plan, map.as_deref());
            builder.close().close();
        }
        Expr::QuestionMark { source, flatten, quantifier, current, filter } => {
            open(builder, "expansion", 38);
            builder.key("levels").add_u64(u64::from(*flatten) + 1);
            builder.key("booleanize").add_bool(true);
            builder.key("subNodes").open_array();
            write_iterator(builder, plan, *current, source);
            write(builder, plan, &Expr::Var(*current));
            open(builder, "array filter", 82);
            builder.key("subNodes").open_array();
            write_quantifier(builder, plan, quantifier);
            write_optional(builder, plan, filter.as_deref());
            builder.close().close();
            no_op(builder);
            no_op(builder);
            builder.close().close();
        }
    }
}

fn open(builder: &mut Builder, name: &str, id: u64) {
    builder.open_object();
    builder.key("type").add_str(name);
    builder.key("typeID").add_u64(id);
}

/// Writes `subNodes` and closes the object.
fn sub_nodes(builder: &mut Builder, plan: &Plan, children: &[&Expr]) {
    if !children.is_empty() {
        builder.key("subNodes").open_array();
        for child in children {
            write(builder, plan, child);
        }
        builder.close();
    }
    builder.close();
}

fn node(builder: &mut Builder, plan: &Plan, name: &str, id: u64, children: &[&Expr]) {
    open(builder, name, id);
    sub_nodes(builder, plan, children);
}

fn no_op(builder: &mut Builder) {
    open(builder, "no-op", 50);
    builder.close();
}

fn write_optional(builder: &mut Builder, plan: &Plan, expr: Option<&Expr>) {
    match expr {
        Some(expr) => write(builder, plan, expr),
        None => no_op(builder),
    }
}

fn write_iterator(builder: &mut Builder, plan: &Plan, current: VarId, source: &Expr) {
    open(builder, "iterator", 39);
    builder.key("subNodes").open_array();
    open(builder, "variable", 13);
    builder.key("name").add_str(plan.variable(current).map_or("", |variable| &variable.name));
    builder.key("id").add_u64(u64::from(current.0));
    builder.close();
    write(builder, plan, source);
    builder.close().close();
}

fn write_quantifier(builder: &mut Builder, plan: &Plan, quantifier: &ArrayQuantifier) {
    match quantifier {
        ArrayQuantifier::Any => write_name(builder, "any"),
        ArrayQuantifier::All => write_name(builder, "all"),
        ArrayQuantifier::None => write_name(builder, "none"),
        ArrayQuantifier::AtLeast(count) | ArrayQuantifier::Count(count) => write(builder, plan, count),
        ArrayQuantifier::Between(low, high) => node(builder, plan, "range", 49, &[low, high]),
    }
}

fn write_name(builder: &mut Builder, name: &str) {
    open(builder, "quantifier", 74);
    builder.key("name").add_str(name);
    builder.close();
}

fn write_call(builder: &mut Builder, plan: &Plan, kind: &str, id: u64, function: &str, args: &[Expr]) {
    open(builder, kind, id);
    builder.key("name").add_str(function);
    builder.key("subNodes").open_array();
    node(builder, plan, "array", 41, &args.iter().collect::<Vec<_>>());
    builder.close().close();
}

fn write_binary(builder: &mut Builder, plan: &Plan, op: BinaryOperator, left: &Expr, right: &Expr) {
    let (name, id) = match op {
        BinaryOperator::And => ("logical and", 18),
        BinaryOperator::Or => ("logical or", 19),
        BinaryOperator::Add => ("plus", 20),
        BinaryOperator::Subtract => ("minus", 21),
        BinaryOperator::Multiply => ("times", 22),
        BinaryOperator::Divide => ("division", 23),
        BinaryOperator::Modulo => ("modulus", 24),
        BinaryOperator::Equal => ("compare ==", 25),
        BinaryOperator::NotEqual => ("compare !=", 26),
        BinaryOperator::Less => ("compare <", 27),
        BinaryOperator::LessEqual => ("compare <=", 28),
        BinaryOperator::Greater => ("compare >", 29),
        BinaryOperator::GreaterEqual => ("compare >=", 30),
        BinaryOperator::In => ("compare in", 31),
        BinaryOperator::NotIn => ("compare not in", 32),
        // LIKE and =~ are calls there.
        BinaryOperator::Like => return write_match(builder, plan, "LIKE", false, left, right),
        BinaryOperator::NotLike => return write_match(builder, plan, "LIKE", true, left, right),
        BinaryOperator::Match => return write_match(builder, plan, "REGEX_TEST", false, left, right),
        BinaryOperator::NotMatch => return write_match(builder, plan, "REGEX_TEST", true, left, right),
    };
    node(builder, plan, name, id, &[left, right]);
}

fn write_match(builder: &mut Builder, plan: &Plan, function: &str, negated: bool, left: &Expr, right: &Expr) {
    if negated {
        open(builder, "unary not", 17);
        builder.key("subNodes").open_array();
    }
    open(builder, "function call", 47);
    builder.key("name").add_str(function);
    builder.key("subNodes").open_array();
    node(builder, plan, "array", 41, &[left, right]);
    builder.close().close();
    if negated {
        builder.close().close();
    }
}

fn array_compare(op: BinaryOperator) -> (&'static str, u64) {
    match op {
        BinaryOperator::NotEqual => ("array compare !=", 67),
        BinaryOperator::Less => ("array compare <", 68),
        BinaryOperator::LessEqual => ("array compare <=", 69),
        BinaryOperator::Greater => ("array compare >", 70),
        BinaryOperator::GreaterEqual => ("array compare >=", 71),
        BinaryOperator::In => ("array compare in", 72),
        BinaryOperator::NotIn => ("array compare not in", 73),
        _ => ("array compare ==", 66),
    }
}

/// A constant: a value node, or array and object nodes of such.
fn write_value(builder: &mut Builder, value: Slice<'_>) {
    if value.is_array() {
        open(builder, "array", 41);
        if !value.is_empty() {
            builder.key("subNodes").open_array();
            for member in value.array_iter() {
                write_value(builder, member);
            }
            builder.close();
        }
        builder.close();
        return;
    }
    if value.is_object() {
        open(builder, "object", 42);
        if !value.is_empty() {
            builder.key("subNodes").open_array();
            for (name, member) in value.object_iter() {
                open(builder, "object element", 43);
                builder.key("name").add_str(name);
                builder.key("subNodes").open_array();
                write_value(builder, member);
                builder.close().close();
            }
            builder.close();
        }
        builder.close();
        return;
    }
    let (name, id) = match () {
        () if value.is_bool() => ("bool", 1),
        () if value.is_double() => ("double", 3),
        () if value.is_number() => ("int", 2),
        () if value.is_string() => ("string", 4),
        () => ("null", 0),
    };
    open(builder, "value", 40);
    builder.key("value").add_slice(value);
    builder.key("vType").add_str(name);
    builder.key("vTypeID").add_u64(id);
    builder.close();
}

/// Writes an index condition: an OR of ANDs.
pub(super) fn write_condition(builder: &mut Builder, plan: &Plan, condition: &[Vec<Expr>]) {
    if condition.is_empty() {
        builder.open_object().close();
        return;
    }
    open(builder, "n-ary or", 63);
    builder.key("subNodes").open_array();
    for conjunction in condition {
        open(builder, "n-ary and", 62);
        sub_nodes(builder, plan, &conjunction.iter().collect::<Vec<_>>());
    }
    builder.close().close();
}
