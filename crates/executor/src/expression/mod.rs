//! Expressions: compiled once for a query, then evaluated a column at a time.
//!
//! [`compile`](compile::Compiler) turns the planner's tree into [`Compiled`]: registers and functions looked up,
//! attribute paths fused, constant lists hashed. [`Evaluator`] computes a compiled expression for many rows in one
//! call; the rows are given as a selection, so that the right side of `AND`, the branches of `?:` and the
//! like are computed only for the rows that need them.

mod arithmetic;
mod comparison;
mod compile;
mod constant;
mod construct;
mod evaluate;
mod expansion;
mod logic;
mod membership;
mod operand;

pub use constant::ConstantFolder;

pub(crate) use comparison::Comparison;
pub(crate) use compile::Compiler;
pub(crate) use construct::check_range;
pub(crate) use evaluate::{Evaluator, follow};
pub(crate) use operand::Rows;

use std::sync::Arc;

use persea_functions::Function;
use persea_order::Value;

use crate::batch::Register;
use arithmetic::Arithmetic;
use membership::ValueSet;

/// An expression ready to be evaluated.
pub(crate) enum Compiled<'q> {
    /// The same value in every row.
    Const(Value<'q>),
    /// A column.
    Column(Register),
    /// An attribute path of a column, e.g. `doc.address.city`.
    Path(Register, Path<'q>),
    /// An attribute path of a computed value.
    Attribute(Box<Compiled<'q>>, Path<'q>),
    /// `base[index]`.
    Index(Box<Compiled<'q>>, Box<Compiled<'q>>),
    /// `+x`
    Plus(Box<Compiled<'q>>),
    /// `-x`
    Minus(Box<Compiled<'q>>),
    /// `!x`
    Not(Box<Compiled<'q>>),
    /// `left && right`: yields an operand.
    And(Box<Compiled<'q>>, Box<Compiled<'q>>),
    /// `left || right`: yields an operand.
    Or(Box<Compiled<'q>>, Box<Compiled<'q>>),
    /// `+ - * / %`
    Arithmetic(Arithmetic, Box<Compiled<'q>>, Box<Compiled<'q>>),
    /// `== != < <= > >=`
    Compare(Comparison, Box<Compiled<'q>>, Box<Compiled<'q>>),
    /// `value IN list` for a list known beforehand.
    InSet { value: Box<Compiled<'q>>, set: ValueSet<'q>, negated: bool },
    /// `value IN list`
    In { value: Box<Compiled<'q>>, list: Box<Compiled<'q>>, negated: bool },
    /// `left ALL|ANY|NONE|AT LEAST (n) op right`
    ArrayCompare {
        quantifier: Quantifier<'q>,
        test: MemberTest,
        left: Box<Compiled<'q>>,
        right: Box<Compiled<'q>>,
    },
    /// `condition ? then : otherwise`; without `then` the condition's own value.
    Ternary { condition: Box<Compiled<'q>>, then: Option<Box<Compiled<'q>>>, otherwise: Box<Compiled<'q>> },
    /// `from..to`
    Range(Box<Compiled<'q>>, Box<Compiled<'q>>),
    /// `[a, b]`
    Array(Vec<Compiled<'q>>),
    /// `{a: b}`
    Object(Vec<(Key<'q>, Compiled<'q>)>),
    /// A function call.
    Call(&'static Function, Vec<Compiled<'q>>),
    /// `source[* FILTER … LIMIT … RETURN …]`
    Expansion(Box<Expansion<'q>>),
    /// `source[? … FILTER …]`
    QuestionMark(Box<QuestionMark<'q>>),
    /// A call of a function that does not exist; fails when it is evaluated.
    UnknownFunction(Arc<str>),
    /// An expression this version does not know; fails when it is evaluated.
    Unsupported,
}

/// Attribute names, outermost first.
pub(crate) type Path<'q> = Box<[&'q str]>;

/// An attribute name of an object constructor.
pub(crate) enum Key<'q> {
    Name(&'q str),
    Computed(Compiled<'q>),
}

/// How many members of an array have to pass a test.
pub(crate) enum Quantifier<'q> {
    All,
    Any,
    None,
    AtLeast(Box<Compiled<'q>>),
    /// Exactly so many, or within a range.
    Count(Box<Compiled<'q>>),
    /// Within both bounds, inclusive.
    Between(Box<Compiled<'q>>, Box<Compiled<'q>>),
}

/// The test of each member in an array comparison.
#[derive(Debug, Clone, Copy)]
pub(crate) enum MemberTest {
    Compare(Comparison),
    In { negated: bool },
}

/// See [`Compiled::Expansion`].
pub(crate) struct Expansion<'q> {
    source: Compiled<'q>,
    flatten: u32,
    current: Register,
    filter: Option<Compiled<'q>>,
    limit: Option<(Compiled<'q>, Compiled<'q>)>,
    map: Option<Compiled<'q>>,
}

/// See [`Compiled::QuestionMark`].
pub(crate) struct QuestionMark<'q> {
    source: Compiled<'q>,
    flatten: u32,
    quantifier: Quantifier<'q>,
    current: Register,
    filter: Option<Compiled<'q>>,
}
