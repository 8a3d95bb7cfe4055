//! Expressions.

use super::{BinaryOperator, Block, Name, Position, UnaryOperator};

/// An expression with its place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it starts; for a binary operator, where the operator stands.
    pub position: Position,
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Expr {
    /// An expression at a place.
    pub fn new(kind: ExprKind, position: Position) -> Self {
        Self { kind, position }
    }
}

/// The expressions of AQL.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `null`, also a number literal outside the range of a double.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number that fits in 64 bits.
    Int(i64),
    /// Any other number; always finite and never negative.
    Double(f64),
    /// A string.
    String(String),
    /// A variable, collection, view or pseudo-variable.
    Name(String),
    /// `@name`.
    Parameter(String),
    /// `@@name`, as an expression; the text is `name` with one `@`, as in the bind values.
    DataSourceParameter(String),
    /// The member an enclosing [`ExprKind::Expansion`] stands at; only inside its `element`.
    Element,
    /// `-x`, `+x`, `!x`.
    Unary {
        /// The operator.
        operator: UnaryOperator,
        /// Its operand.
        operand: Box<Expr>,
    },
    /// `a + b` and the like.
    Binary {
        /// The operator.
        operator: BinaryOperator,
        /// What stands left.
        left: Box<Expr>,
        /// What stands right.
        right: Box<Expr>,
    },
    /// `a ALL == b`.
    ArrayComparison {
        /// How many members must match.
        quantifier: Quantifier,
        /// A comparison, `IN` or `NOT IN`.
        operator: BinaryOperator,
        /// The array.
        left: Box<Expr>,
        /// What each member is compared with.
        right: Box<Expr>,
    },
    /// `condition ? then : otherwise`; without `then`: `condition ?: otherwise`.
    Ternary {
        /// Decides.
        condition: Box<Expr>,
        /// The value if true; the condition's own if left out.
        then: Option<Box<Expr>>,
        /// The value if false.
        otherwise: Box<Expr>,
    },
    /// `low..high`.
    Range {
        /// First member.
        low: Box<Expr>,
        /// Last member.
        high: Box<Expr>,
    },
    /// `[a, b]`.
    Array(Vec<Expr>),
    /// `{a: b}`.
    Object(Vec<ObjectMember>),
    /// `NAME(a, b)`; the name as written, with its `::` parts.
    Call {
        /// The function's name as written.
        name: String,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// `base.name`.
    Attribute {
        /// The object.
        base: Box<Expr>,
        /// The attribute's name.
        name: String,
    },
    /// `base.@name`: the value is an attribute name or an array of them (a path).
    BoundAttribute {
        /// The object.
        base: Box<Expr>,
        /// The bind parameter's name.
        parameter: String,
    },
    /// `base[index]`.
    Index {
        /// The array or object.
        base: Box<Expr>,
        /// Position or attribute name.
        index: Box<Expr>,
    },
    /// `source[* FILTER f LIMIT l RETURN p].rest`.
    Expansion(Box<Expansion>),
    /// `source[? quantifier FILTER f]`.
    QuestionMark {
        /// The array.
        source: Box<Expr>,
        /// Number of question marks: 1 doesn't flatten, 2 flattens one level of `source`, and so on.
        marks: u32,
        /// How many members must match; any if left out.
        quantifier: Option<Quantifier>,
        /// Over `CURRENT`; every member matches if left out.
        filter: Option<Box<Expr>>,
    },
    /// `(FOR ... RETURN ...)`.
    Subquery(Box<Block>),
}

/// `source[* FILTER f LIMIT l RETURN p]` and the accesses chained behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Expansion {
    /// The array; what isn't one counts as empty.
    pub source: Expr,
    /// Number of stars: 1 doesn't flatten, 2 flattens one level of `source`, and so on.
    pub stars: u32,
    /// Over `CURRENT`.
    pub filter: Option<Expr>,
    /// `LIMIT offset, count`.
    pub limit: Option<ArrayLimit>,
    /// `RETURN` inside the brackets, over `CURRENT`.
    pub projection: Option<Expr>,
    /// What follows the brackets, applied to every member (or its projection): an expression whose innermost
    /// base is [`ExprKind::Element`]. Just `Element` when nothing follows.
    pub element: Expr,
}

/// `LIMIT` inside `[* ]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayLimit {
    /// Members to skip.
    pub offset: Option<Expr>,
    /// Members to let through.
    pub count: Expr,
}

/// One member of an object literal.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectMember {
    /// Its name.
    pub key: ObjectKey,
    /// Its value; a shorthand `{a}` has the name `a` as value.
    pub value: Expr,
}

/// The name of an object member.
#[derive(Clone, Debug, PartialEq)]
pub enum ObjectKey {
    /// `name:` or `"name":`.
    Name(Name),
    /// The name of a variable standing alone.
    Shorthand(Name),
    /// `[expression]:`.
    Computed(Expr),
    /// `@name:`.
    Parameter(Name),
}

/// How many members of an array must match.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantifier {
    /// `ALL`
    All,
    /// `ANY`
    Any,
    /// `NONE`
    None,
    /// `AT LEAST (n)`
    AtLeast(Box<Expr>),
    /// `n` or `low..high` (a [`ExprKind::Range`]); only in `[? ]`.
    Exactly(Box<Expr>),
}
