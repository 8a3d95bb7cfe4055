//! Expressions in explain text, in the notation of ArangoDB's shell.

use std::fmt::Write;

use persea_vpack::Slice;

use crate::plan::{ArrayQuantifier, BinaryOperator, Expr, ObjectKey, Plan, Quantifier, UnaryOperator, VarId};

/// Members of arrays and objects shown.
const MEMBERS_MAX: usize = 20;
/// Characters of strings shown.
const STRING_MAX: usize = 1024;

/// How ArangoDB classes an expression.
pub(super) fn expression_type(expr: &Expr) -> &'static str {
    match expr {
        Expr::Const(_) => "json",
        _ if expr.any(|part| matches!(part, Expr::UserCall { .. })) => "v8",
        Expr::Attribute(..) if expr.as_path().is_some() => "attribute",
        _ => "simple",
    }
}

/// An expression as text.
pub(super) fn text(plan: &Plan, expr: &Expr) -> String {
    let mut out = String::new();
    write(&mut out, plan, expr);
    out
}

/// A variable as text: temporaries are marked.
pub(super) fn variable(plan: &Plan, var: VarId) -> String {
    let name = plan.variable(var).map_or("", |variable| &variable.name);
    if name.starts_with(|first: char| first.is_ascii_digit() || first == '_') {
        format!("#{name}")
    } else {
        name.to_owned()
    }
}

fn write(out: &mut String, plan: &Plan, expr: &Expr) {
    match expr {
        Expr::Const(value) => write_value(out, value.as_slice()),
        Expr::Var(var) => out.push_str(&variable(plan, *var)),
        Expr::Attribute(base, name) => {
            write(out, plan, base);
            let _ = write!(out, ".`{name}`");
        }
        Expr::Index(base, index) => {
            write(out, plan, base);
            out.push('[');
            write(out, plan, index);
            out.push(']');
        }
        Expr::Unary(op, operand) => {
            out.push_str(match op {
                UnaryOperator::Plus => "+ ",
                UnaryOperator::Minus => "- ",
                UnaryOperator::Not => "! ",
            });
            write(out, plan, operand);
        }
        Expr::Binary(op, left, right) => write_infix(out, plan, op.symbol(), left, right),
        Expr::ArrayCompare { quantifier, op, left, right } => {
            let quantifier = match quantifier {
                Quantifier::All => "ALL".to_owned(),
                Quantifier::Any => "ANY".to_owned(),
                Quantifier::None => "NONE".to_owned(),
                Quantifier::AtLeast(count) => format!("AT LEAST ({})", text(plan, count)),
            };
            write_infix(out, plan, &format!("{quantifier} {}", op.symbol()), left, right);
        }
        Expr::Ternary { condition, then, otherwise } => {
            out.push('(');
            write(out, plan, condition);
            match then {
                Some(then) => {
                    out.push_str(" ? ");
                    write(out, plan, then);
                    out.push_str(" : ");
                }
                None => out.push_str(" ?: "),
            }
            write(out, plan, otherwise);
            out.push(')');
        }
        Expr::Range(low, high) => {
            write(out, plan, low);
            out.push_str(" .. ");
            write(out, plan, high);
            out.push_str("   /* range */");
        }
        Expr::Array(members) => {
            write_members(out, "[", "]", members.iter(), |out, member| write(out, plan, member));
        }
        Expr::Object(members) => {
            write_members(out, "{", "}", members.iter(), |out, member| {
                match &member.key {
                    ObjectKey::Name(name) => write_string(out, name),
                    ObjectKey::Computed(key) => {
                        out.push('[');
                        write(out, plan, key);
                        out.push(']');
                    }
                }
                out.push_str(" : ");
                write(out, plan, &member.value);
            });
        }
        Expr::Call { function, args } => write_call(out, plan, function, args),
        Expr::UserCall { function, args } => {
            write_call(out, plan, function, args);
            out.push_str("   /* user-defined function */");
        }
        Expr::Expansion { source, flatten, filter, limit, map, .. } => {
            write(out, plan, source);
            out.push('[');
            (0..=*flatten).for_each(|_| out.push('*'));
            write_clause(out, plan, "FILTER", filter.as_deref());
            if let Some(limit) = limit {
                let _ = write!(out, " LIMIT {}, {}", text(plan, &limit.0), text(plan, &limit.1));
            }
            write_clause(out, plan, "RETURN", map.as_deref());
            out.push(']');
        }
        Expr::QuestionMark { source, flatten, quantifier, filter, .. } => {
            write(out, plan, source);
            out.push('[');
            (0..=*flatten).for_each(|_| out.push('?'));
            match quantifier {
                ArrayQuantifier::Any => {}
                ArrayQuantifier::All => out.push_str(" ALL"),
                ArrayQuantifier::None => out.push_str(" NONE"),
                ArrayQuantifier::AtLeast(count) => {
                    let _ = write!(out, " AT LEAST ({})", text(plan, count));
                }
                ArrayQuantifier::Count(count) => {
                    let _ = write!(out, " {}", text(plan, count));
                }
                ArrayQuantifier::Between(low, high) => {
                    let _ = write!(out, " {}..{}", text(plan, low), text(plan, high));
                }
            }
            write_clause(out, plan, "FILTER", filter.as_deref());
            out.push(']');
        }
    }
}

fn write_infix(out: &mut String, plan: &Plan, operator: &str, left: &Expr, right: &Expr) {
    out.push('(');
    write(out, plan, left);
    let _ = write!(out, " {operator} ");
    write(out, plan, right);
    let is_search = operator == BinaryOperator::In.symbol() || operator == BinaryOperator::NotIn.symbol();
    let is_sorted = matches!(right, Expr::Var(var) if plan.variable(*var).is_some_and(|variable| variable.sorted_unique_list));
    if is_search && is_sorted {
        out.push_str("   /* sorted */");
    }
    out.push(')');
}

fn write_call(out: &mut String, plan: &Plan, function: &str, args: &[Expr]) {
    out.push_str(function);
    out.push('(');
    for (position, arg) in args.iter().enumerate() {
        if position > 0 {
            out.push_str(", ");
        }
        write(out, plan, arg);
    }
    out.push(')');
}

fn write_clause(out: &mut String, plan: &Plan, keyword: &str, expr: Option<&Expr>) {
    if let Some(expr) = expr {
        let _ = write!(out, " {keyword} {}", text(plan, expr));
    }
}

fn write_members<T>(
    out: &mut String,
    open: &str,
    close: &str,
    members: impl ExactSizeIterator<Item = T>,
    mut write_one: impl FnMut(&mut String, T),
) {
    let total = members.len();
    out.push_str(open);
    if total == 0 {
        out.push(' ');
    }
    for (position, member) in members.take(MEMBERS_MAX).enumerate() {
        out.push_str(if position == 0 { " " } else { ", " });
        write_one(out, member);
    }
    if total > MEMBERS_MAX {
        out.push_str(", ...");
    }
    if total > 0 {
        out.push(' ');
    }
    out.push_str(close);
}

/// A constant as text.
pub(super) fn write_value(out: &mut String, value: Slice<'_>) {
    if let Some(text) = value.as_str() {
        write_string(out, text);
    } else if value.is_array() {
        let members: Vec<_> = value.array_iter().take(MEMBERS_MAX + 1).collect();
        write_members(out, "[", "]", members.into_iter(), write_value);
    } else if value.is_object() {
        let members: Vec<_> = value.object_iter().take(MEMBERS_MAX + 1).collect();
        write_members(out, "{", "}", members.into_iter(), |out, (name, member)| {
            write_string(out, name);
            out.push_str(" : ");
            write_value(out, member);
        });
    } else {
        let _ = write!(out, "{value}");
    }
}

fn write_string(out: &mut String, text: &str) {
    let cut: String = text.chars().take(STRING_MAX).collect();
    if let Expr::Const(quoted) = crate::value::string(&cut) {
        let _ = write!(out, "{quoted}");
    }
    if cut.len() < text.len() {
        out.push_str("...");
    }
}
