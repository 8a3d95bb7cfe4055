//! `COLLECT` and `WINDOW`.

use super::{Expr, Name};

/// `COLLECT` in all its forms.
#[derive(Clone, Debug, PartialEq)]
pub struct Collect {
    /// `variable = expression` pairs rows are grouped by.
    pub groups: Vec<Assignment>,
    /// `AGGREGATE variable = FUNCTION(expression)`; the expression is always a [`ExprKind::Call`](super::ExprKind::Call).
    pub aggregates: Vec<Assignment>,
    /// `INTO` or `WITH COUNT INTO`.
    pub into: Option<CollectInto>,
    /// An object literal.
    pub options: Option<Expr>,
}

/// Where the rows of a group go.
#[derive(Clone, Debug, PartialEq)]
pub enum CollectInto {
    /// `WITH COUNT INTO variable`.
    Count(Name),
    /// `INTO variable = expression`.
    Projection {
        /// The variable.
        variable: Name,
        /// Evaluated for every row of the group.
        value: Expr,
    },
    /// `INTO variable [KEEP a, b]`; without `KEEP` all variables are kept.
    Rows {
        /// The variable.
        variable: Name,
        /// The variables kept; empty when `KEEP` isn't written.
        keep: Vec<Name>,
    },
}

/// `variable = value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// The variable.
    pub variable: Name,
    /// Its value.
    pub value: Expr,
}

/// `WINDOW`.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// The value whose range counts; without it rows are counted.
    pub range: Option<Expr>,
    /// How far back, if written.
    pub preceding: Option<Expr>,
    /// How far ahead, if written.
    pub following: Option<Expr>,
    /// The aggregates; each expression is a [`ExprKind::Call`](super::ExprKind::Call).
    pub aggregates: Vec<Assignment>,
}
