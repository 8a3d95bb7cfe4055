//! From the planner's expressions to [`Compiled`] ones.

use std::sync::Arc;

use persea_functions::lookup;
use persea_order::Value;
use persea_planner::plan::{self, BinaryOperator, Expr, ObjectKey, UnaryOperator, VarId, Variable};

use super::arithmetic::Arithmetic;
use super::membership::ValueSet;
use super::{Comparison, Compiled, Expansion, Key, MemberTest, Path, Quantifier, QuestionMark};

/// Compiles expressions of one plan.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Compiler<'q> {
    variables: &'q [Variable],
}

impl<'q> Compiler<'q> {
    /// A compiler for expressions over these variables.
    pub(crate) fn new(variables: &'q [Variable]) -> Self {
        Compiler { variables }
    }

    /// Compiles an expression. Recursion is bounded by the nesting the planner admits.
    pub(crate) fn compile(&self, expr: &'q Expr) -> Compiled<'q> {
        match expr {
            Expr::Const(value) => Compiled::Const(Value::from_slice(value.as_slice())),
            Expr::Var(var) => self.compile_variable(*var),
            Expr::Attribute(..) => self.attribute_path(expr),
            Expr::Index(base, index) => match string_of(index) {
                Some(_) => self.attribute_path(expr),
                None => Compiled::Index(self.boxed(base), self.boxed(index)),
            },
            Expr::Unary(op, operand) => match op {
                UnaryOperator::Plus => Compiled::Plus(self.boxed(operand)),
                UnaryOperator::Minus => Compiled::Minus(self.boxed(operand)),
                UnaryOperator::Not => Compiled::Not(self.boxed(operand)),
            },
            Expr::Binary(op, left, right) => self.binary(*op, left, right),
            Expr::ArrayCompare { quantifier, op, left, right } => {
                self.array_compare(quantifier, *op, left, right)
            }
            Expr::Ternary { condition, then, otherwise } => Compiled::Ternary {
                condition: self.boxed(condition),
                then: then.as_deref().map(|then| self.boxed(then)),
                otherwise: self.boxed(otherwise),
            },
            Expr::Range(from, to) => Compiled::Range(self.boxed(from), self.boxed(to)),
            Expr::Array(members) => Compiled::Array(self.all(members)),
            Expr::Object(members) => Compiled::Object(
                members
                    .iter()
                    .map(|member| {
                        let key = match &member.key {
                            ObjectKey::Name(name) => Key::Name(name),
                            ObjectKey::Computed(expr) => Key::Computed(self.compile(expr)),
                        };
                        (key, self.compile(&member.value))
                    })
                    .collect(),
            ),
            Expr::Call { function, args } => self.call(function, args),
            Expr::UserCall { function, .. } => Compiled::UnknownFunction(function.clone()),
            Expr::Expansion { source, flatten, current, filter, limit, map } => {
                Compiled::Expansion(Box::new(Expansion {
                    source: self.compile(source),
                    flatten: *flatten,
                    current: current.index(),
                    filter: filter.as_deref().map(|filter| self.compile(filter)),
                    limit: limit
                        .as_deref()
                        .map(|(offset, count)| (self.compile(offset), self.compile(count))),
                    map: map.as_deref().map(|map| self.compile(map)),
                }))
            }
            Expr::QuestionMark { source, flatten, quantifier, current, filter } => {
                Compiled::QuestionMark(Box::new(QuestionMark {
                    source: self.compile(source),
                    flatten: *flatten,
                    quantifier: self.array_quantifier(quantifier),
                    current: current.index(),
                    filter: filter.as_deref().map(|filter| self.compile(filter)),
                }))
            }
            // The enum may grow; what is not known here must not be guessed at.
            _ => Compiled::Unsupported,
        }
    }

    fn boxed(&self, expr: &'q Expr) -> Box<Compiled<'q>> {
        Box::new(self.compile(expr))
    }

    /// Compiles several expressions.
    pub(crate) fn all(&self, exprs: &'q [Expr]) -> Vec<Compiled<'q>> {
        exprs.iter().map(|expr| self.compile(expr)).collect()
    }

    /// A variable by itself: a column, or a constant.
    pub(crate) fn compile_variable(&self, var: VarId) -> Compiled<'q> {
        match self.variables.get(var.index()).and_then(|variable| variable.constant.as_ref()) {
            Some(value) => Compiled::Const(Value::from_slice(value.as_slice())),
            None => Compiled::Column(var.index()),
        }
    }

    /// Fuses `a.b["c"]` into one path.
    fn attribute_path(&self, expr: &'q Expr) -> Compiled<'q> {
        let mut names: Vec<&'q str> = Vec::new();
        let mut base = expr;
        loop {
            match base {
                Expr::Attribute(inner, name) => {
                    names.push(name);
                    base = inner;
                }
                // `base["0"]` means a position if the base turns out to be an array.
                Expr::Index(inner, index) => match string_of(index) {
                    Some(name) if !is_position(name) => {
                        names.push(name);
                        base = inner;
                    }
                    _ => break,
                },
                _ => break,
            }
        }
        names.reverse();
        let compiled = match base {
            Expr::Index(inner, index) => Compiled::Index(self.boxed(inner), self.boxed(index)),
            base => self.compile(base),
        };
        if names.is_empty() {
            return compiled;
        }
        let path = Path::from(names);
        match compiled {
            Compiled::Column(register) => Compiled::Path(register, path),
            compiled => Compiled::Attribute(Box::new(compiled), path),
        }
    }

    fn call(&self, name: &'q Arc<str>, args: &'q [Expr]) -> Compiled<'q> {
        match lookup(name) {
            Some(function) => Compiled::Call(function, self.all(args)),
            None => Compiled::UnknownFunction(name.clone()),
        }
    }

    fn binary(&self, op: BinaryOperator, left: &'q Expr, right: &'q Expr) -> Compiled<'q> {
        if let Some(comparison) = Comparison::from_op(op) {
            return Compiled::Compare(comparison, self.boxed(left), self.boxed(right)).normalized();
        }
        match op {
            BinaryOperator::And => Compiled::And(self.boxed(left), self.boxed(right)),
            BinaryOperator::Or => Compiled::Or(self.boxed(left), self.boxed(right)),
            BinaryOperator::Add => self.arithmetic(Arithmetic::Add, left, right),
            BinaryOperator::Subtract => self.arithmetic(Arithmetic::Subtract, left, right),
            BinaryOperator::Multiply => self.arithmetic(Arithmetic::Multiply, left, right),
            BinaryOperator::Divide => self.arithmetic(Arithmetic::Divide, left, right),
            BinaryOperator::Modulo => self.arithmetic(Arithmetic::Modulo, left, right),
            BinaryOperator::In => self.membership(left, right, false),
            BinaryOperator::NotIn => self.membership(left, right, true),
            BinaryOperator::Like => self.pattern("LIKE", left, right),
            BinaryOperator::NotLike => Compiled::Not(Box::new(self.pattern("LIKE", left, right))),
            BinaryOperator::Match => self.pattern("REGEX_TEST", left, right),
            BinaryOperator::NotMatch => Compiled::Not(Box::new(self.pattern("REGEX_TEST", left, right))),
            // All comparisons have been dealt with above.
            _ => Compiled::Const(Value::NULL),
        }
    }

    fn arithmetic(&self, op: Arithmetic, left: &'q Expr, right: &'q Expr) -> Compiled<'q> {
        Compiled::Arithmetic(op, self.boxed(left), self.boxed(right))
    }

    fn pattern(&self, function: &'static str, text: &'q Expr, pattern: &'q Expr) -> Compiled<'q> {
        match lookup(function) {
            Some(function) => Compiled::Call(function, vec![self.compile(text), self.compile(pattern)]),
            None => Compiled::UnknownFunction(Arc::from(function)),
        }
    }

    fn membership(&self, value: &'q Expr, list: &'q Expr, negated: bool) -> Compiled<'q> {
        let value = self.boxed(value);
        match self.compile(list) {
            Compiled::Const(list) => Compiled::InSet { value, set: ValueSet::new(list), negated },
            list => Compiled::In { value, list: Box::new(list), negated },
        }
    }

    fn array_compare(
        &self,
        quantifier: &'q plan::Quantifier,
        op: BinaryOperator,
        left: &'q Expr,
        right: &'q Expr,
    ) -> Compiled<'q> {
        let quantifier = match quantifier {
            plan::Quantifier::All => Quantifier::All,
            plan::Quantifier::Any => Quantifier::Any,
            plan::Quantifier::None => Quantifier::None,
            plan::Quantifier::AtLeast(count) => Quantifier::AtLeast(self.boxed(count)),
        };
        let test = match Comparison::from_op(op) {
            Some(comparison) => MemberTest::Compare(comparison),
            None => MemberTest::In { negated: op == BinaryOperator::NotIn },
        };
        Compiled::ArrayCompare { quantifier, test, left: self.boxed(left), right: self.boxed(right) }
    }

    fn array_quantifier(&self, quantifier: &'q plan::ArrayQuantifier) -> Quantifier<'q> {
        match quantifier {
            plan::ArrayQuantifier::Any => Quantifier::Any,
            plan::ArrayQuantifier::All => Quantifier::All,
            plan::ArrayQuantifier::None => Quantifier::None,
            plan::ArrayQuantifier::AtLeast(count) => Quantifier::AtLeast(self.boxed(count)),
            plan::ArrayQuantifier::Count(count) => Quantifier::Count(self.boxed(count)),
            plan::ArrayQuantifier::Between(from, to) => Quantifier::Between(self.boxed(from), self.boxed(to)),
        }
    }
}

impl Compiled<'_> {
    /// Puts the constant of a comparison on the right side, where the evaluator looks for it.
    fn normalized(self) -> Self {
        match self {
            Compiled::Compare(comparison, left, right)
                if matches!(*left, Compiled::Const(_)) && !matches!(*right, Compiled::Const(_)) =>
            {
                Compiled::Compare(comparison.mirrored(), right, left)
            }
            other => other,
        }
    }
}

/// The text of a constant string.
fn string_of(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Const(value) => value.as_slice().as_str(),
        _ => None,
    }
}

/// Whether a string used as an index stands for a position in an array.
pub(super) fn is_position(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}
