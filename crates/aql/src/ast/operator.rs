//! Unary and binary operators.

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    /// `+`: cast to number
    Plus,
    /// `-`: negated number
    Minus,
    /// `!`, `NOT`: negated truth
    Not,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    /// `||`, `OR`
    Or,
    /// `&&`, `AND`
    And,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `IN`; false if the right side is no array
    In,
    /// `NOT IN`
    NotIn,
    /// `LIKE`
    Like,
    /// `NOT LIKE`
    NotLike,
    /// `=~`
    Match,
    /// `!~`
    NotMatch,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
}

impl BinaryOperator {
    /// The operator as written.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Or => "||",
            Self::And => "&&",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::In => "IN",
            Self::NotIn => "NOT IN",
            Self::Like => "LIKE",
            Self::NotLike => "NOT LIKE",
            Self::Match => "=~",
            Self::NotMatch => "!~",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Modulo => "%",
        }
    }

    /// The operator with exchanged sides, for comparisons: `a < b` is `b > a`.
    #[must_use]
    pub fn mirrored(self) -> Option<Self> {
        match self {
            Self::Equal => Some(Self::Equal),
            Self::NotEqual => Some(Self::NotEqual),
            Self::Less => Some(Self::Greater),
            Self::LessEqual => Some(Self::GreaterEqual),
            Self::Greater => Some(Self::Less),
            Self::GreaterEqual => Some(Self::LessEqual),
            _ => None,
        }
    }

    /// The operator with the opposite result, for those whose result is always true or false.
    #[must_use]
    pub fn negated(self) -> Option<Self> {
        match self {
            Self::Equal => Some(Self::NotEqual),
            Self::NotEqual => Some(Self::Equal),
            Self::Less => Some(Self::GreaterEqual),
            Self::LessEqual => Some(Self::Greater),
            Self::Greater => Some(Self::LessEqual),
            Self::GreaterEqual => Some(Self::Less),
            Self::In => Some(Self::NotIn),
            Self::NotIn => Some(Self::In),
            _ => None,
        }
    }
}
