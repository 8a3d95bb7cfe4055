//! Expressions as text.

use std::fmt::{self, Display, Formatter};

use super::{Identifier, Quoted, write_list};
use crate::ast::{
    BinaryOperator, Expansion, Expr, ExprKind, ObjectKey, ObjectMember, Quantifier, UnaryOperator,
};

/// How tightly an expression holds together; see the parser's powers. Forms whose leading word binds differently
/// from their operator (`NOT LIKE`, `ALL ==`) count as their weaker half.
mod level {
    pub const TERNARY: u8 = 1;
    pub const OR: u8 = 2;
    pub const AND: u8 = 3;
    pub const MIXED: u8 = 4;
    pub const EQUALITY: u8 = 6;
    pub const MEMBERSHIP: u8 = 7;
    pub const ORDER: u8 = 8;
    pub const RANGE: u8 = 9;
    pub const SUM: u8 = 10;
    pub const PRODUCT: u8 = 11;
    pub const UNARY: u8 = 12;
    pub const PRIMARY: u8 = 13;
}

fn level_of(expression: &Expr) -> u8 {
    match &expression.kind {
        ExprKind::Ternary { .. } => level::TERNARY,
        ExprKind::ArrayComparison { .. } => level::MIXED,
        ExprKind::Range { .. } => level::RANGE,
        ExprKind::Unary { .. } => level::UNARY,
        ExprKind::Binary { operator, .. } => level_of_operator(*operator),
        _ => level::PRIMARY,
    }
}

fn level_of_operator(operator: BinaryOperator) -> u8 {
    use BinaryOperator as B;
    match operator {
        B::Or => level::OR,
        B::And => level::AND,
        B::NotLike => level::MIXED,
        B::Equal | B::NotEqual | B::Like | B::Match | B::NotMatch => level::EQUALITY,
        B::In | B::NotIn => level::MEMBERSHIP,
        B::Less | B::LessEqual | B::Greater | B::GreaterEqual => level::ORDER,
        B::Add | B::Subtract => level::SUM,
        B::Multiply | B::Divide | B::Modulo => level::PRODUCT,
    }
}

/// An expression, in parentheses if it holds together less than `at_least`.
struct Operand<'a> {
    expression: &'a Expr,
    at_least: u8,
}

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if level_of(self.expression) < self.at_least {
            write!(f, "({})", self.expression)
        } else {
            self.expression.fmt(f)
        }
    }
}

fn operand(expression: &Expr, at_least: u8) -> Operand<'_> {
    Operand { expression, at_least }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ExprKind::Null => f.write_str("null"),
            ExprKind::Bool(value) => value.fmt(f),
            ExprKind::Int(value) => value.fmt(f),
            ExprKind::Double(value) => write!(f, "{value:?}"),
            ExprKind::String(value) => Quoted(value).fmt(f),
            ExprKind::Name(name) => Identifier(name).fmt(f),
            ExprKind::Parameter(key) | ExprKind::DataSourceParameter(key) => write!(f, "@{key}"),
            ExprKind::Element => Ok(()),
            ExprKind::Unary { operator, operand: inner } => {
                let symbol = match operator {
                    UnaryOperator::Plus => "+",
                    UnaryOperator::Minus => "-",
                    UnaryOperator::Not => "!",
                };
                write!(f, "{symbol}{}", operand(inner, level::UNARY))
            }
            ExprKind::Binary { operator, left, right } => write_binary(f, *operator, left, right),
            ExprKind::ArrayComparison { quantifier, operator, left, right } => {
                let (left, right) = (operand(left, level::RANGE), operand(right, level::RANGE));
                write!(f, "{left} {quantifier} {} {right}", operator.symbol())
            }
            ExprKind::Ternary { condition, then, otherwise } => {
                let condition = operand(condition, level::OR);
                match then {
                    Some(then) => write!(f, "{condition} ? {then} : {otherwise}"),
                    None => write!(f, "{condition} ?: {otherwise}"),
                }
            }
            ExprKind::Range { low, high } => {
                write!(f, "{}..{}", operand(low, level::RANGE), operand(high, level::SUM))
            }
            ExprKind::Array(members) => {
                f.write_str("[")?;
                write_list(f, members)?;
                f.write_str("]")
            }
            ExprKind::Object(members) => {
                f.write_str("{")?;
                write_list(f, members)?;
                f.write_str("}")
            }
            ExprKind::Call { name, arguments } => write_call(f, name, arguments),
            ExprKind::Attribute { base, name } => write!(f, "{}.{}", Base(base), Identifier(name)),
            ExprKind::BoundAttribute { base, parameter } => write!(f, "{}.@{parameter}", Base(base)),
            ExprKind::Index { base, index } => write!(f, "{}[{index}]", Base(base)),
            ExprKind::Expansion(expansion) => write_expansion(f, expansion),
            ExprKind::QuestionMark { source, marks, quantifier, filter } => {
                write!(f, "{}[", Base(source))?;
                (0..*marks).try_for_each(|_| f.write_str("?"))?;
                if let Some(quantifier) = quantifier {
                    write!(f, " {quantifier}")?;
                }
                if let Some(filter) = filter {
                    write!(f, " FILTER {filter}")?;
                }
                f.write_str("]")
            }
            ExprKind::Subquery(block) => write!(f, "({block})"),
        }
    }
}

fn write_binary(f: &mut Formatter<'_>, operator: BinaryOperator, left: &Expr, right: &Expr) -> fmt::Result {
    let level = level_of_operator(operator);
    let (left_min, right_min) =
        if level == level::MIXED { (level::RANGE, level::RANGE) } else { (level, level + 1) };
    write!(f, "{} {} {}", operand(left, left_min), operator.symbol(), operand(right, right_min))
}

fn write_call(f: &mut Formatter<'_>, name: &str, arguments: &[Expr]) -> fmt::Result {
    if name == "LIKE" {
        f.write_str("LIKE")?;
    } else {
        for (i, part) in name.split("::").enumerate() {
            if i > 0 {
                f.write_str("::")?;
            }
            Identifier(part).fmt(f)?;
        }
    }
    f.write_str("(")?;
    for (i, argument) in arguments.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        match &argument.kind {
            // The parentheses of the call are enough.
            ExprKind::Subquery(block) => block.fmt(f)?,
            _ => argument.fmt(f)?,
        }
    }
    f.write_str(")")
}

fn write_expansion(f: &mut Formatter<'_>, expansion: &Expansion) -> fmt::Result {
    // Several stars apply to the whole array anyway, so an expansion before them needs no parentheses.
    if expansion.stars > 1 && matches!(expansion.source.kind, ExprKind::Expansion(_)) {
        expansion.source.fmt(f)?;
    } else {
        Base(&expansion.source).fmt(f)?;
    }
    f.write_str("[")?;
    (0..expansion.stars).try_for_each(|_| f.write_str("*"))?;
    if let Some(filter) = &expansion.filter {
        write!(f, " FILTER {filter}")?;
    }
    if let Some(limit) = &expansion.limit {
        match &limit.offset {
            Some(offset) => write!(f, " LIMIT {offset}, {}", limit.count)?,
            None => write!(f, " LIMIT {}", limit.count)?,
        }
    }
    if let Some(projection) = &expansion.projection {
        write!(f, " RETURN {projection}")?;
    }
    write!(f, "]{}", expansion.element)
}

/// What an access is behind.
struct Base<'a>(&'a Expr);

impl Display for Base<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let needs_parentheses = match &self.0.kind {
            ExprKind::Int(_) | ExprKind::Double(_) => true,
            ExprKind::Expansion(_) | ExprKind::QuestionMark { .. } => !starts_at_element(self.0),
            _ => level_of(self.0) < level::PRIMARY,
        };
        if needs_parentheses { write!(f, "({})", self.0) } else { self.0.fmt(f) }
    }
}

/// Whether the chain continues one that is already open.
fn starts_at_element(expression: &Expr) -> bool {
    match &expression.kind {
        ExprKind::Element => true,
        ExprKind::Attribute { base, .. }
        | ExprKind::BoundAttribute { base, .. }
        | ExprKind::Index { base, .. }
        | ExprKind::QuestionMark { source: base, .. } => starts_at_element(base),
        ExprKind::Expansion(expansion) => starts_at_element(&expansion.source),
        _ => false,
    }
}

impl Display for Quantifier {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("ALL"),
            Self::Any => f.write_str("ANY"),
            Self::None => f.write_str("NONE"),
            Self::AtLeast(count) => write!(f, "AT LEAST ({count})"),
            Self::Exactly(count) => count.fmt(f),
        }
    }
}

impl Display for ObjectMember {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.key {
            ObjectKey::Name(name) => write!(f, "{name}: {}", self.value),
            ObjectKey::Shorthand(name) => name.fmt(f),
            ObjectKey::Computed(key) => write!(f, "[{key}]: {}", self.value),
            ObjectKey::Parameter(key) => write!(f, "@{}: {}", key.text, self.value),
        }
    }
}
