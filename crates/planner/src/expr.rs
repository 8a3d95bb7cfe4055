//! Looking into and rewriting expressions.

use std::sync::Arc;

use persea_vpack::VPackBuf;

use crate::catalog::FunctionCatalog;
use crate::plan::{
    ArrayQuantifier, AttributePath, BinaryOperator, Expr, ObjectKey, Quantifier, UnaryOperator, VarId,
};
use crate::var_set::VarSet;

/// Calls a function with each direct operand, as it is or for changing it.
macro_rules! for_each_child {
    ($expr:expr, $f:expr, $iter:ident $(, $mutable:tt)?) => {
        match $expr {
            Expr::Const(_) | Expr::Var(_) => {}
            Expr::Attribute(base, _) | Expr::Unary(_, base) => $f(base),
            Expr::Index(left, right) | Expr::Binary(_, left, right) | Expr::Range(left, right) => {
                $f(left);
                $f(right);
            }
            Expr::ArrayCompare { quantifier, left, right, .. } => {
                $f(left);
                $f(right);
                if let Quantifier::AtLeast(count) = quantifier {
                    $f(count);
                }
            }
            Expr::Ternary { condition, then, otherwise } => {
                $f(condition);
                if let Some(then) = then {
                    $f(then);
                }
                $f(otherwise);
            }
            Expr::Array(members) => members.$iter().for_each($f),
            Expr::Object(members) => {
                for member in members.$iter() {
                    if let ObjectKey::Computed(key) = &$($mutable)? member.key {
                        $f(key);
                    }
                    $f(&$($mutable)? member.value);
                }
            }
            Expr::Call { args, .. } | Expr::UserCall { args, .. } => args.$iter().for_each($f),
            Expr::Expansion { source, filter, limit, map, .. } => {
                $f(source);
                if let Some(filter) = filter {
                    $f(filter);
                }
                if let Some(limit) = limit {
                    $f(&$($mutable)? limit.0);
                    $f(&$($mutable)? limit.1);
                }
                if let Some(map) = map {
                    $f(map);
                }
            }
            Expr::QuestionMark { source, quantifier, filter, .. } => {
                $f(source);
                match quantifier {
                    ArrayQuantifier::Any | ArrayQuantifier::All | ArrayQuantifier::None => {}
                    ArrayQuantifier::AtLeast(count) | ArrayQuantifier::Count(count) => $f(count),
                    ArrayQuantifier::Between(low, high) => {
                        $f(low);
                        $f(high);
                    }
                }
                if let Some(filter) = filter {
                    $f(filter);
                }
            }
        }
    };
}

impl Expr {
    /// Calls `f` with each direct operand.
    pub fn for_each_child<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        for_each_child!(self, f, iter);
    }

    /// Calls `f` with each direct operand, for changing it.
    pub fn for_each_child_mut(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        for_each_child!(self, f, iter_mut, mut);
    }

    /// Calls `f` with this expression and everything in it, outermost first.
    pub fn visit<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        f(self);
        self.for_each_child(&mut |child| child.visit(f));
    }

    /// Whether any part satisfies `test`.
    pub fn any(&self, mut test: impl FnMut(&Expr) -> bool) -> bool {
        let mut found = false;
        self.visit(&mut |part| found = found || test(part));
        found
    }

    /// Adds the variables read (without the CURRENT of own expansions) to `set`.
    pub fn collect_reads(&self, set: &mut VarSet) {
        let mut reads = VarSet::new();
        let mut bound = Vec::new();
        self.visit(&mut |part| match part {
            Self::Var(var) => {
                reads.insert(*var);
            }
            Self::Expansion { current, .. } | Self::QuestionMark { current, .. } => bound.push(*current),
            _ => {}
        });
        for var in bound {
            reads.remove(var);
        }
        set.union(&reads);
    }

    /// The variables read.
    #[must_use]
    pub fn reads(&self) -> VarSet {
        let mut set = VarSet::new();
        self.collect_reads(&mut set);
        set
    }

    /// Replaces variables by what `replacement` gives for them; tells whether there were any.
    pub fn substitute(&mut self, replacement: &dyn Fn(VarId) -> Option<Expr>) -> bool {
        if let Self::Var(var) = self {
            return match replacement(*var) {
                Some(expr) => {
                    *self = expr;
                    true
                }
                None => false,
            };
        }
        let mut changed = false;
        self.for_each_child_mut(&mut |child| changed |= child.substitute(replacement));
        changed
    }

    /// Calls `rewrite` on every part, innermost first; a part for which it gives an expression is replaced by that.
    /// Tells whether any was.
    pub fn rewrite(&mut self, rewrite: &mut dyn FnMut(&Expr) -> Option<Expr>) -> bool {
        let mut changed = false;
        self.for_each_child_mut(&mut |child| changed |= child.rewrite(rewrite));
        if let Some(expr) = rewrite(self) {
            *self = expr;
            changed = true;
        }
        changed
    }

    /// The constant, if this is one.
    #[must_use]
    pub fn as_const(&self) -> Option<&Arc<VPackBuf>> {
        match self {
            Self::Const(value) => Some(value),
            _ => None,
        }
    }

    /// The text of a constant string.
    #[must_use]
    pub fn as_const_str(&self) -> Option<&str> {
        self.as_const().and_then(|value| value.as_slice().as_str())
    }

    /// For `var.a.b` the variable and the path; a plain variable has an empty path.
    #[must_use]
    pub fn as_path(&self) -> Option<(VarId, AttributePath)> {
        let mut path = Vec::new();
        let mut part = self;
        loop {
            match part {
                Self::Var(var) => {
                    path.reverse();
                    return Some((*var, path));
                }
                Self::Attribute(base, name) => {
                    path.push(Arc::clone(name));
                    part = base;
                }
                _ => return None,
            }
        }
    }

    /// The attribute path `var.a.b` as expression.
    #[must_use]
    pub fn path(var: VarId, path: &[Arc<str>]) -> Self {
        path.iter().fold(Self::Var(var), |base, name| Self::Attribute(Box::new(base), Arc::clone(name)))
    }

    /// `left op right`.
    #[must_use]
    pub fn binary(op: BinaryOperator, left: Self, right: Self) -> Self {
        Self::Binary(op, Box::new(left), Box::new(right))
    }

    /// `!operand`.
    #[must_use]
    pub fn negation(operand: Self) -> Self {
        Self::Unary(UnaryOperator::Not, Box::new(operand))
    }

    /// The operands of a chain of `op` (`And` or `Or`), in order; the expression itself if it is none.
    #[must_use]
    pub fn operands(&self, op: BinaryOperator) -> Vec<&Expr> {
        let mut found = Vec::new();
        let mut pending = vec![self];
        while let Some(expr) = pending.pop() {
            match expr {
                Self::Binary(this, left, right) if *this == op => {
                    pending.push(right);
                    pending.push(left);
                }
                other => found.push(other),
            }
        }
        found
    }

    /// Joins expressions by `op`; `None` if there are none.
    pub fn join(op: BinaryOperator, operands: impl IntoIterator<Item = Expr>) -> Option<Self> {
        operands.into_iter().reduce(|left, right| Self::binary(op, left, right))
    }

    /// What is known of the functions called.
    #[must_use]
    pub fn purity(&self, functions: &dyn FunctionCatalog) -> Purity {
        let mut purity = Purity { deterministic: true, cacheable: true, accesses_documents: false };
        self.visit(&mut |part| match part {
            Self::Call { function, .. } => match functions.lookup(function) {
                Some(meta) => {
                    purity.deterministic &= meta.deterministic;
                    purity.cacheable &= meta.cacheable;
                    purity.accesses_documents |= meta.accesses_documents;
                }
                None => purity.deterministic = false,
            },
            Self::UserCall { .. } => {
                purity.deterministic = false;
                purity.cacheable = false;
            }
            _ => {}
        });
        purity
    }
}

/// How much an expression depends on more than its variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Purity {
    /// Equal variables give equal values within the query.
    pub deterministic: bool,
    /// Values may be kept beyond the query.
    pub cacheable: bool,
    /// Reads documents on its own.
    pub accesses_documents: bool,
}

impl PartialEq for Expr {
    /// Structural equality; constants are equal by their bytes, expansions by their shape.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Const(one), Self::Const(two)) => {
                Arc::ptr_eq(one, two) || one.as_slice().bytes() == two.as_slice().bytes()
            }
            (Self::Var(one), Self::Var(two)) => one == two,
            (Self::Attribute(base, name), Self::Attribute(base2, name2)) => name == name2 && base == base2,
            (Self::Index(a, b), Self::Index(c, d)) | (Self::Range(a, b), Self::Range(c, d)) => {
                a == c && b == d
            }
            (Self::Unary(op, a), Self::Unary(op2, b)) => op == op2 && a == b,
            (Self::Binary(op, a, b), Self::Binary(op2, c, d)) => op == op2 && a == c && b == d,
            (
                Self::ArrayCompare { quantifier, op, left, right },
                Self::ArrayCompare { quantifier: quantifier2, op: op2, left: left2, right: right2 },
            ) => quantifier == quantifier2 && op == op2 && left == left2 && right == right2,
            (
                Self::Ternary { condition, then, otherwise },
                Self::Ternary { condition: condition2, then: then2, otherwise: otherwise2 },
            ) => condition == condition2 && then == then2 && otherwise == otherwise2,
            (Self::Array(a), Self::Array(b)) => a == b,
            (Self::Object(a), Self::Object(b)) => a == b,
            (Self::Call { function, args }, Self::Call { function: function2, args: args2 })
            | (Self::UserCall { function, args }, Self::UserCall { function: function2, args: args2 }) => {
                function == function2 && args == args2
            }
            (
                Self::Expansion { source, flatten, current, filter, limit, map },
                Self::Expansion {
                    source: source2,
                    flatten: flatten2,
                    current: current2,
                    filter: filter2,
                    limit: limit2,
                    map: map2,
                },
            ) => {
                source == source2
                    && flatten == flatten2
                    && limit == limit2
                    && same_under(*current, filter.as_deref(), *current2, filter2.as_deref())
                    && same_under(*current, map.as_deref(), *current2, map2.as_deref())
            }
            (
                Self::QuestionMark { source, flatten, quantifier, current, filter },
                Self::QuestionMark {
                    source: source2,
                    flatten: flatten2,
                    quantifier: quantifier2,
                    current: current2,
                    filter: filter2,
                },
            ) => {
                source == source2
                    && flatten == flatten2
                    && quantifier == quantifier2
                    && same_under(*current, filter.as_deref(), *current2, filter2.as_deref())
            }
            _ => false,
        }
    }
}

/// Whether two bodies are equal when their CURRENT variables are taken as the same.
fn same_under(one_current: VarId, one: Option<&Expr>, two_current: VarId, two: Option<&Expr>) -> bool {
    match (one, two) {
        (None, None) => true,
        (Some(one), Some(two)) if one_current == two_current => one == two,
        (Some(one), Some(two)) => {
            let mut renamed = two.clone();
            renamed.substitute(&|var| (var == two_current).then_some(Expr::Var(one_current)));
            *one == renamed
        }
        _ => false,
    }
}
