//! Operators, by precedence climbing.
//!
//! The powers below are the precedence table of AQL, weakest first. Two operators are written with a leading word
//! that binds differently from the operator itself (`a NOT LIKE b`, `a ALL == b`): the leading word decides whether
//! the operator is taken, the operator decides what belongs to its right side.

use super::statement::starts_statement;
use super::{Parser, Result};
use crate::ast::{BinaryOperator, Expr, ExprKind, Quantifier, UnaryOperator};
use crate::token::{Keyword, TokenKind};

mod power {
    pub const TERNARY: u8 = 1;
    pub const OR: u8 = 2;
    pub const AND: u8 = 3;
    pub const QUANTIFIER: u8 = 4;
    pub const AT_LEAST: u8 = 5;
    pub const EQUALITY: u8 = 6;
    pub const MEMBERSHIP: u8 = 7;
    pub const ORDER: u8 = 8;
    pub const RANGE: u8 = 9;
    pub const SUM: u8 = 10;
    pub const PRODUCT: u8 = 11;
}

/// What stands between two operands.
enum Infix {
    Binary(BinaryOperator),
    /// `NOT LIKE` and the like, reached over the token `NOT`.
    Negated,
    Quantified(Quantifier),
    AtLeast,
    Range,
    Ternary,
}

impl Parser<'_> {
    /// A whole expression.
    pub(super) fn expression(&mut self) -> Result<Expr> {
        let outer = std::mem::replace(&mut self.in_ends_operand, false);
        let expression = self.expression_here()?;
        self.in_ends_operand = outer;
        Ok(expression)
    }

    /// A whole expression that ends where the surrounding statement says.
    pub(super) fn expression_here(&mut self) -> Result<Expr> {
        self.binary(power::TERNARY)
    }

    fn binary(&mut self, power_min: u8) -> Result<Expr> {
        self.check_stack()?;
        let mut left = self.unary()?;
        while let Some((infix, power)) = self.infix() {
            if power < power_min {
                break;
            }
            left = self.apply(infix, power, left)?;
        }
        Ok(left)
    }

    /// The operator at the cursor and its power, without stepping over it.
    fn infix(&self) -> Option<(Infix, u8)> {
        use BinaryOperator as B;
        let found = match self.kind() {
            TokenKind::Question => (Infix::Ternary, power::TERNARY),
            TokenKind::Or => (Infix::Binary(B::Or), power::OR),
            TokenKind::And => (Infix::Binary(B::And), power::AND),
            TokenKind::Keyword(Keyword::All) => (Infix::Quantified(Quantifier::All), power::QUANTIFIER),
            TokenKind::Keyword(Keyword::None) => (Infix::Quantified(Quantifier::None), power::QUANTIFIER),
            // Otherwise it is the direction of a traversal.
            TokenKind::Keyword(Keyword::Any) if comparison(self.kind_ahead(1)).is_some() => {
                (Infix::Quantified(Quantifier::Any), power::QUANTIFIER)
            }
            TokenKind::AtLeast => (Infix::AtLeast, power::AT_LEAST),
            TokenKind::Keyword(Keyword::Like) => (Infix::Binary(B::Like), power::EQUALITY),
            TokenKind::RegexMatch => (Infix::Binary(B::Match), power::EQUALITY),
            TokenKind::RegexNonMatch => (Infix::Binary(B::NotMatch), power::EQUALITY),
            TokenKind::Not => (Infix::Negated, power::MEMBERSHIP),
            TokenKind::Keyword(Keyword::In) if self.in_ends_operand && self.in_names_collection() => {
                return None;
            }
            TokenKind::Range => (Infix::Range, power::RANGE),
            TokenKind::Plus => (Infix::Binary(B::Add), power::SUM),
            TokenKind::Minus => (Infix::Binary(B::Subtract), power::SUM),
            TokenKind::Times => (Infix::Binary(B::Multiply), power::PRODUCT),
            TokenKind::Divide => (Infix::Binary(B::Divide), power::PRODUCT),
            TokenKind::Modulo => (Infix::Binary(B::Modulo), power::PRODUCT),
            other => {
                let (operator, power) = comparison(other)?;
                (Infix::Binary(operator), power)
            }
        };
        Some(found)
    }

    /// Whether `IN name` at the cursor is the collection of a modification: nothing that could go on an expression
    /// follows.
    fn in_names_collection(&self) -> bool {
        let is_name = matches!(
            self.kind_ahead(1),
            TokenKind::Identifier(_) | TokenKind::QuotedString(_) | TokenKind::DataSourceParameter(_)
        );
        let after = self.kind_ahead(2);
        is_name
            && (starts_statement(after)
                || matches!(
                    after,
                    TokenKind::End
                        | TokenKind::Identifier(_)
                        | TokenKind::Close
                        | TokenKind::Comma
                        | TokenKind::Unknown
                        | TokenKind::UnknownNonAscii
                        | TokenKind::Invalid(_)
                ))
    }

    fn apply(&mut self, infix: Infix, power: u8, left: Expr) -> Result<Expr> {
        match infix {
            Infix::Binary(operator) => self.binary_operator(operator, power, left),
            Infix::Negated => self.negated_operator(left),
            Infix::Quantified(quantifier) => {
                let depth = self.depth;
                self.advance();
                self.array_comparison(quantifier, depth, left)
            }
            Infix::AtLeast => self.at_least(left),
            Infix::Range => self.range(left),
            Infix::Ternary => self.ternary(left),
        }
    }

    fn binary_operator(&mut self, operator: BinaryOperator, power: u8, left: Expr) -> Result<Expr> {
        let (position, depth) = (self.position(), self.depth);
        self.advance();
        let right = self.binary(power + 1)?;
        let kind = ExprKind::Binary { operator, left: Box::new(left), right: Box::new(right) };
        self.build(kind, position, depth.max(self.depth))
    }

    fn negated_operator(&mut self, left: Expr) -> Result<Expr> {
        let (position, depth) = (self.position(), self.depth);
        self.advance();
        let operator = match self.kind() {
            TokenKind::Keyword(Keyword::Like) => BinaryOperator::NotLike,
            TokenKind::RegexMatch => BinaryOperator::NotMatch,
            // Not not matching is matching.
            TokenKind::RegexNonMatch => BinaryOperator::Match,
            _ => return Err(self.unexpected(&["~= operator", "~! operator", "like operator"])),
        };
        self.advance();
        let right = self.binary(power::EQUALITY + 1)?;
        let kind = ExprKind::Binary { operator, left: Box::new(left), right: Box::new(right) };
        self.build(kind, position, depth.max(self.depth))
    }

    fn array_comparison(&mut self, quantifier: Quantifier, depth: u32, left: Expr) -> Result<Expr> {
        let position = self.position();
        let Some((operator, power)) = comparison(self.kind()) else {
            return Err(self.unexpected(&[]));
        };
        self.advance();
        let right = self.binary(power + 1)?;
        let kind =
            ExprKind::ArrayComparison { quantifier, operator, left: Box::new(left), right: Box::new(right) };
        self.build(kind, position, depth.max(self.depth))
    }

    fn at_least(&mut self, left: Expr) -> Result<Expr> {
        let depth = self.depth;
        let quantifier = self.at_least_quantifier()?;
        self.array_comparison(quantifier, depth.max(self.depth), left)
    }

    /// `AT LEAST (n)`.
    pub(super) fn at_least_quantifier(&mut self) -> Result<Quantifier> {
        self.enter()?;
        self.advance();
        self.expect(&TokenKind::Open)?;
        let count = self.expression()?;
        self.expect_among_many(&TokenKind::Close)?;
        self.leave();
        Ok(Quantifier::AtLeast(Box::new(count)))
    }

    fn range(&mut self, low: Expr) -> Result<Expr> {
        let (position, depth) = (self.position(), self.depth);
        self.advance();
        let high = self.binary(power::RANGE + 1)?;
        let kind = ExprKind::Range { low: Box::new(low), high: Box::new(high) };
        self.build(kind, position, depth.max(self.depth))
    }

    fn ternary(&mut self, condition: Expr) -> Result<Expr> {
        let position = self.position();
        let mut depth = self.depth;
        self.enter()?;
        self.advance();
        let then = if self.kind() == &TokenKind::Colon {
            None
        } else {
            let then = self.expression()?;
            depth = depth.max(self.depth);
            Some(Box::new(then))
        };
        self.expect_among_many(&TokenKind::Colon)?;
        let otherwise = self.binary(power::TERNARY)?;
        self.leave();
        let kind = ExprKind::Ternary { condition: Box::new(condition), then, otherwise: Box::new(otherwise) };
        self.build(kind, position, depth.max(self.depth))
    }

    fn unary(&mut self) -> Result<Expr> {
        let operator = match self.kind() {
            TokenKind::Plus => UnaryOperator::Plus,
            TokenKind::Minus => UnaryOperator::Minus,
            TokenKind::Not => UnaryOperator::Not,
            _ => return self.access_chain(),
        };
        let position = self.position();
        self.enter()?;
        self.advance();
        let operand = self.unary()?;
        self.leave();
        self.build(ExprKind::Unary { operator, operand: Box::new(operand) }, position, self.depth)
    }
}

/// The comparisons a quantifier may stand before, and their power.
fn comparison(kind: &TokenKind<'_>) -> Option<(BinaryOperator, u8)> {
    use BinaryOperator as B;
    Some(match kind {
        TokenKind::Equal => (B::Equal, power::EQUALITY),
        TokenKind::NotEqual => (B::NotEqual, power::EQUALITY),
        TokenKind::Keyword(Keyword::In) => (B::In, power::MEMBERSHIP),
        TokenKind::NotIn => (B::NotIn, power::MEMBERSHIP),
        TokenKind::Less => (B::Less, power::ORDER),
        TokenKind::LessEqual => (B::LessEqual, power::ORDER),
        TokenKind::Greater => (B::Greater, power::ORDER),
        TokenKind::GreaterEqual => (B::GreaterEqual, power::ORDER),
        _ => return None,
    })
}
