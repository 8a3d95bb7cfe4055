//! Expressions over variables.

use std::sync::Arc;

use super::VarId;
use persea_aql::ast::{BinaryOperator, UnaryOperator};
use persea_vpack::VPackBuf;

/// An expression over variables.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Expr {
    /// A value (literals, bind values, folded expressions).
    Const(Arc<VPackBuf>),
    /// The value of a variable.
    Var(VarId),
    /// `base.name`; null on non-objects and when missing.
    Attribute(Box<Expr>, Arc<str>),
    /// `base[index]`: element of an array (negative from the end) or attribute of an object.
    Index(Box<Expr>, Box<Expr>),
    /// Prefix operators.
    Unary(UnaryOperator, Box<Expr>),
    /// Infix operators. `And` and `Or` evaluate the right side only if needed and yield an operand.
    Binary(BinaryOperator, Box<Expr>, Box<Expr>),
    /// `left ALL|ANY|NONE|AT LEAST(n) op right`; `op` is a comparison, `In` or `NotIn`.
    ArrayCompare {
        /// How many members have to match.
        quantifier: Quantifier,
        /// The comparison of each member.
        op: BinaryOperator,
        /// The array.
        left: Box<Expr>,
        /// What its members are compared with.
        right: Box<Expr>,
    },
    /// `condition ? then : otherwise`; without `then` the condition's own value (`?:`).
    Ternary {
        /// The condition, evaluated once.
        condition: Box<Expr>,
        /// Value if truthy.
        then: Option<Box<Expr>>,
        /// Value if not.
        otherwise: Box<Expr>,
    },
    /// `from..to`, a lazy array of integers.
    Range(Box<Expr>, Box<Expr>),
    /// Array constructor.
    Array(Vec<Expr>),
    /// Object constructor; of equal keys the last one wins.
    Object(Vec<ObjectMember>),
    /// Call of a built-in function.
    Call {
        /// Canonical upper-case name.
        function: Arc<str>,
        /// Arguments.
        args: Vec<Expr>,
    },
    /// Call of a user-defined function.
    UserCall {
        /// Name with its namespace, upper case.
        function: Arc<str>,
        /// Arguments.
        args: Vec<Expr>,
    },
    /// `source[* FILTER … LIMIT … RETURN …]`: filter, then limit, then map of an array; non-arrays give `[]`.
    Expansion {
        /// The array.
        source: Box<Expr>,
        /// How many levels of nested arrays are flattened first (`[*]`: 0, `[**]`: 1).
        flatten: u32,
        /// Stands for the member (CURRENT) in `filter` and `map`.
        current: VarId,
        /// Members to keep.
        filter: Option<Box<Expr>>,
        /// Offset and count.
        limit: Option<Box<(Expr, Expr)>>,
        /// Result for each member; the member itself if absent.
        map: Option<Box<Expr>>,
    },
    /// `source[? quantifier FILTER …]`: whether that many members match.
    QuestionMark {
        /// The array.
        source: Box<Expr>,
        /// How many levels of nested arrays are flattened first.
        flatten: u32,
        /// How many have to match.
        quantifier: ArrayQuantifier,
        /// Stands for the member (CURRENT) in `filter`.
        current: VarId,
        /// The condition; without it every member matches.
        filter: Option<Box<Expr>>,
    },
}

/// Quantifier of array comparisons.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantifier {
    /// Every member.
    All,
    /// At least one.
    Any,
    /// Not one.
    None,
    /// At least so many.
    AtLeast(Box<Expr>),
}

/// Quantifier of `[? …]`.
#[derive(Clone, Debug, PartialEq)]
pub enum ArrayQuantifier {
    /// At least one.
    Any,
    /// Every member.
    All,
    /// Not one.
    None,
    /// At least so many.
    AtLeast(Box<Expr>),
    /// Exactly so many (a number), or a count within (a range).
    Count(Box<Expr>),
    /// A count within both bounds, inclusive.
    Between(Box<Expr>, Box<Expr>),
}

/// Member of an object constructor.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectMember {
    /// The attribute name.
    pub key: ObjectKey,
    /// Its value.
    pub value: Expr,
}

/// Attribute name in an object constructor.
#[derive(Clone, Debug, PartialEq)]
pub enum ObjectKey {
    /// A fixed name.
    Name(Arc<str>),
    /// Computed and cast to a string.
    Computed(Expr),
}
