//! Expressions as nodes.

use super::convert::Converter;
use super::{AstNode, AstValue, node_type as t};
use crate::ast::{
    ArrayLimit, BinaryOperator, Block, Expansion, Expr, ExprKind, ObjectKey, ObjectMember, Quantifier,
    UnaryOperator,
};

impl Converter {
    /// One level of the tree. Each form has a function of its own, which keeps this one's stack frame small.
    pub(super) fn expression(&mut self, expression: &Expr) -> AstNode {
        match &expression.kind {
            ExprKind::Null
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Double(_)
            | ExprKind::String(_)
            | ExprKind::Name(_)
            | ExprKind::Parameter(_)
            | ExprKind::DataSourceParameter(_)
            | ExprKind::Element => self.leaf(&expression.kind),
            ExprKind::Unary { operator, operand } => self.unary(*operator, operand),
            ExprKind::Binary { operator, left, right } => binary(*operator, self.pair(left, right)),
            ExprKind::ArrayComparison { quantifier, operator, left, right } => {
                self.array_comparison(quantifier, *operator, left, right)
            }
            ExprKind::Ternary { condition, then, otherwise } => {
                self.ternary(condition, then.as_deref(), otherwise)
            }
            ExprKind::Range { low, high } => AstNode::new(t::RANGE, self.pair(low, high)),
            ExprKind::Array(members) => AstNode::new(t::ARRAY, self.expressions(members)),
            ExprKind::Object(members) => self.object(members),
            ExprKind::Call { name, arguments } => self.call(name, arguments),
            ExprKind::Attribute { base, name } => self.attribute(base, name),
            ExprKind::BoundAttribute { base, parameter } => self.bound_attribute(base, parameter),
            ExprKind::Index { base, index } => self.index(base, index),
            ExprKind::Expansion(expansion) => self.expansion(expansion),
            ExprKind::QuestionMark { source, marks, quantifier, filter } => {
                self.question_mark(source, *marks, quantifier.as_ref(), filter.as_deref())
            }
            ExprKind::Subquery(block) => self.subquery(block),
        }
    }

    fn leaf(&self, kind: &ExprKind) -> AstNode {
        match kind {
            ExprKind::Bool(value) => AstNode::value(AstValue::Bool(*value)),
            ExprKind::Int(value) => AstNode::int(*value),
            ExprKind::Double(value) => AstNode::value(AstValue::Double(*value)),
            ExprKind::String(value) => AstNode::string(value),
            ExprKind::Name(name) => self.name(name),
            ExprKind::Parameter(key) => AstNode::named(t::PARAMETER, key, Vec::new()),
            ExprKind::DataSourceParameter(key) => AstNode::named(t::DATA_SOURCE_PARAMETER, key, Vec::new()),
            ExprKind::Element => AstNode::named(t::REFERENCE, "CURRENT", Vec::new()),
            _ => AstNode::value(AstValue::Null),
        }
    }

    fn pair(&mut self, left: &Expr, right: &Expr) -> Vec<AstNode> {
        let left = self.expression(left);
        vec![left, self.expression(right)]
    }

    fn unary(&mut self, operator: UnaryOperator, operand: &Expr) -> AstNode {
        let node_type = match operator {
            UnaryOperator::Plus => t::UNARY_PLUS,
            UnaryOperator::Minus => t::UNARY_MINUS,
            UnaryOperator::Not => t::UNARY_NOT,
        };
        AstNode::new(node_type, vec![self.expression(operand)])
    }

    fn array_comparison(
        &mut self,
        quantifier: &Quantifier,
        operator: BinaryOperator,
        left: &Expr,
        right: &Expr,
    ) -> AstNode {
        let mut parts = self.pair(left, right);
        parts.push(self.quantifier(quantifier));
        AstNode::new(array_comparison_type(operator), parts)
    }

    fn ternary(&mut self, condition: &Expr, then: Option<&Expr>, otherwise: &Expr) -> AstNode {
        let mut parts = vec![self.expression(condition)];
        parts.extend(then.map(|then| self.expression(then)));
        parts.push(self.expression(otherwise));
        AstNode::new(t::TERNARY, parts)
    }

    fn object(&mut self, members: &[ObjectMember]) -> AstNode {
        AstNode::new(t::OBJECT, members.iter().map(|member| self.object_member(member)).collect())
    }

    fn call(&mut self, name: &str, arguments: &[Expr]) -> AstNode {
        let arguments = AstNode::new(t::ARRAY, self.expressions(arguments));
        let node_type = if name.contains("::") { t::USER_FUNCTION_CALL } else { t::FUNCTION_CALL };
        AstNode::named(node_type, &name.to_ascii_uppercase(), vec![arguments])
    }

    fn attribute(&mut self, base: &Expr, name: &str) -> AstNode {
        AstNode::named(t::ATTRIBUTE_ACCESS, name, vec![self.base(base)])
    }

    fn bound_attribute(&mut self, base: &Expr, key: &str) -> AstNode {
        let mut parts = vec![self.base(base)];
        parts.push(AstNode::named(t::PARAMETER, key, Vec::new()));
        AstNode::new(t::BOUND_ATTRIBUTE_ACCESS, parts)
    }

    fn index(&mut self, base: &Expr, index: &Expr) -> AstNode {
        let mut parts = vec![self.base(base)];
        parts.push(self.expression(index));
        AstNode::new(t::INDEXED_ACCESS, parts)
    }

    fn question_mark(
        &mut self,
        source: &Expr,
        marks: u32,
        quantifier: Option<&Quantifier>,
        filter: Option<&Expr>,
    ) -> AstNode {
        let mut parts = vec![iterator(self.base(source))];
        parts.push(AstNode::named(t::REFERENCE, "CURRENT", Vec::new()));
        let mut condition = vec![quantifier.map_or_else(AstNode::no_op, |q| self.quantifier(q))];
        condition.push(filter.map_or_else(AstNode::no_op, |f| self.expression(f)));
        parts.push(AstNode::new(t::ARRAY_FILTER, condition));
        let mut node = AstNode::new(t::EXPANSION, parts);
        node.value = Some(AstValue::Int(i64::from(marks)));
        node
    }

    /// Variables of a subquery end with it.
    fn subquery(&mut self, block: &Block) -> AstNode {
        let n_visible = self.variables.len();
        let statements = self.statements(block);
        self.variables.truncate(n_visible);
        AstNode::new(t::SUBQUERY, statements)
    }

    fn expressions(&mut self, expressions: &[Expr]) -> Vec<AstNode> {
        expressions.iter().map(|expression| self.expression(expression)).collect()
    }

    /// What an access is behind; parentheses around an expansion show as a node of their own.
    fn base(&mut self, base: &Expr) -> AstNode {
        let node = self.expression(base);
        if matches!(base.kind, ExprKind::Expansion(_)) { AstNode::new(t::PASSTHRU, vec![node]) } else { node }
    }

    fn quantifier(&mut self, quantifier: &Quantifier) -> AstNode {
        match quantifier {
            Quantifier::All => AstNode::named(t::QUANTIFIER, "all", Vec::new()),
            Quantifier::Any => AstNode::named(t::QUANTIFIER, "any", Vec::new()),
            Quantifier::None => AstNode::named(t::QUANTIFIER, "none", Vec::new()),
            Quantifier::AtLeast(count) => {
                AstNode::named(t::QUANTIFIER, "at least", vec![self.expression(count)])
            }
            Quantifier::Exactly(count) => self.expression(count),
        }
    }

    fn object_member(&mut self, member: &ObjectMember) -> AstNode {
        let value = self.expression(&member.value);
        match &member.key {
            ObjectKey::Name(name) | ObjectKey::Shorthand(name) => {
                AstNode::named(t::OBJECT_ELEMENT, &name.text, vec![value])
            }
            ObjectKey::Computed(key) => {
                AstNode::new(t::CALCULATED_OBJECT_ELEMENT, vec![self.expression(key), value])
            }
            ObjectKey::Parameter(key) => {
                let key = AstNode::named(t::PARAMETER, &key.text, Vec::new());
                AstNode::new(t::CALCULATED_OBJECT_ELEMENT, vec![key, value])
            }
        }
    }

    fn expansion(&mut self, expansion: &Expansion) -> AstNode {
        let mut parts = vec![iterator(self.base(&expansion.source))];
        parts.push(self.expression(&expansion.element));
        parts.push(match &expansion.filter {
            Some(filter) => AstNode::new(t::ARRAY_FILTER, vec![AstNode::no_op(), self.expression(filter)]),
            None => AstNode::no_op(),
        });
        parts.push(self.array_limit(expansion.limit.as_ref()));
        parts.push(self.optional(&expansion.projection));
        let mut node = AstNode::new(t::EXPANSION, parts);
        node.value = Some(AstValue::Int(i64::from(expansion.stars)));
        node
    }

    fn array_limit(&mut self, limit: Option<&ArrayLimit>) -> AstNode {
        let Some(ArrayLimit { offset, count }) = limit else {
            return AstNode::no_op();
        };
        let offset = offset.as_ref().map_or_else(|| AstNode::int(0), |o| self.expression(o));
        AstNode::new(t::ARRAY_LIMIT, vec![offset, self.expression(count)])
    }
}

fn iterator(source: AstNode) -> AstNode {
    let variable = AstNode::named(t::VARIABLE, "CURRENT", Vec::new());
    AstNode::new(t::ITERATOR, vec![variable, source])
}

fn binary(operator: BinaryOperator, parts: Vec<AstNode>) -> AstNode {
    use BinaryOperator as B;
    let call = |name, parts| AstNode::named(t::FUNCTION_CALL, name, vec![AstNode::new(t::ARRAY, parts)]);
    let node_type = match operator {
        B::Like => return call("LIKE", parts),
        B::NotLike => return AstNode::new(t::UNARY_NOT, vec![call("LIKE", parts)]),
        B::Match => return call("REGEX_TEST", parts),
        B::NotMatch => return AstNode::new(t::UNARY_NOT, vec![call("REGEX_TEST", parts)]),
        B::Or => t::OR,
        B::And => t::AND,
        B::Equal => t::EQUAL,
        B::NotEqual => t::NOT_EQUAL,
        B::Less => t::LESS,
        B::LessEqual => t::LESS_EQUAL,
        B::Greater => t::GREATER,
        B::GreaterEqual => t::GREATER_EQUAL,
        B::In => t::IN,
        B::NotIn => t::NOT_IN,
        B::Add => t::PLUS,
        B::Subtract => t::MINUS,
        B::Multiply => t::TIMES,
        B::Divide => t::DIVISION,
        B::Modulo => t::MODULUS,
    };
    AstNode::new(node_type, parts)
}

/// The parser lets only comparisons follow a quantifier.
fn array_comparison_type(operator: BinaryOperator) -> (u16, &'static str) {
    use BinaryOperator as B;
    match operator {
        B::NotEqual => t::ARRAY_NOT_EQUAL,
        B::Less => t::ARRAY_LESS,
        B::LessEqual => t::ARRAY_LESS_EQUAL,
        B::Greater => t::ARRAY_GREATER,
        B::GreaterEqual => t::ARRAY_GREATER_EQUAL,
        B::In => t::ARRAY_IN,
        B::NotIn => t::ARRAY_NOT_IN,
        _ => t::ARRAY_EQUAL,
    }
}
