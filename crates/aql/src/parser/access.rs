//! Chains of accesses: `.name`, `[index]`, `[*]` and `[?]` behind a value.
//!
//! Behind an expansion the accesses apply to each member, not to the whole array. Such an *open* expansion is
//! extended at its innermost [`ExprKind::Element`]; parentheses and `[**]` close it.

use super::{Parser, Result};
use crate::ast::{ArrayLimit, Expansion, Expr, ExprKind, Position, Quantifier};
use crate::token::{Keyword, TokenKind};

/// A chain as far as it is parsed.
struct Chain {
    value: Expr,
    /// Whether accesses go to the members of an expansion.
    is_open: bool,
    depth: u32,
}

impl Parser<'_> {
    pub(super) fn access_chain(&mut self) -> Result<Expr> {
        let is_number = matches!(
            self.kind(),
            TokenKind::Integer(_)
                | TokenKind::Double(_)
                | TokenKind::LongInteger(_)
                | TokenKind::NumberOutOfRange
        );
        let value = self.primary()?;
        if !matches!(self.kind(), TokenKind::Dot | TokenKind::ArrayOpen) {
            return Ok(value);
        }
        let mut chain = Chain { value, is_open: false, depth: self.depth };
        loop {
            match self.kind() {
                // A dot behind digits is a broken number.
                TokenKind::Dot if !is_number => self.attribute(&mut chain)?,
                TokenKind::ArrayOpen => self.bracket(&mut chain)?,
                _ => break,
            }
            if chain.depth > super::MAX_NESTING {
                return Err(self.too_much_nesting());
            }
        }
        self.depth = chain.depth;
        Ok(chain.value)
    }

    fn attribute(&mut self, chain: &mut Chain) -> Result<()> {
        let position = self.position();
        self.advance();
        match self.kind().clone() {
            TokenKind::Identifier(name) => {
                let name = name.into_owned();
                chain.extend(position, |base| ExprKind::Attribute { base, name });
            }
            TokenKind::Parameter(key) => {
                self.note_parameter(key);
                let parameter = key.to_owned();
                chain.extend(position, |base| ExprKind::BoundAttribute { base, parameter });
            }
            TokenKind::DataSourceParameter(key) => return Err(self.bad_parameter(key)),
            _ => {
                return Err(self.unexpected(&["identifier", "bind parameter", "bind data source parameter"]));
            }
        }
        self.advance();
        Ok(())
    }

    fn bracket(&mut self, chain: &mut Chain) -> Result<()> {
        let position = self.position();
        self.enter()?;
        self.advance();
        match self.kind() {
            TokenKind::Times => self.expansion(chain, position)?,
            TokenKind::Question => self.question_mark(chain, position)?,
            _ => {
                let index = Box::new(self.expression()?);
                self.expect_among_many(&TokenKind::ArrayClose)?;
                chain.depth = chain.depth.max(self.depth);
                chain.extend(position, |base| ExprKind::Index { base, index });
            }
        }
        self.leave();
        Ok(())
    }

    fn count_repeated(&mut self, kind: &TokenKind<'_>) -> u32 {
        let mut count = 0;
        while self.eat(kind) {
            count += 1;
        }
        count
    }

    /// `[* FILTER f LIMIT l RETURN p]`, from the first star on.
    fn expansion(&mut self, chain: &mut Chain, position: Position) -> Result<()> {
        let stars = self.count_repeated(&TokenKind::Times);
        let mut depth_max = chain.depth;
        let (quantifier, filter) = self.inline_filter()?;
        depth_max = depth_max.max(self.depth);
        let limit = self.inline_limit()?;
        depth_max = depth_max.max(self.depth);
        let projection = if self.eat_keyword(Keyword::Return) { Some(self.expression()?) } else { None };
        depth_max = depth_max.max(self.depth);
        self.expect_among_many(&TokenKind::ArrayClose)?;
        if quantifier.is_some() {
            return Err(self.structural("unexpected quantifier value found for array expansion operation."));
        }
        chain.depth = depth_max;
        chain.expand(position, stars, |source| {
            let element = Expr::new(ExprKind::Element, position);
            ExprKind::Expansion(Box::new(Expansion {
                source: *source,
                stars,
                filter,
                limit,
                projection,
                element,
            }))
        });
        Ok(())
    }

    /// `[? quantifier FILTER f]`, from the first question mark on.
    fn question_mark(&mut self, chain: &mut Chain, position: Position) -> Result<()> {
        let marks = self.count_repeated(&TokenKind::Question);
        let (quantifier, filter) = self.inline_filter()?;
        let depth_max = chain.depth.max(self.depth);
        self.expect_among_many(&TokenKind::ArrayClose)?;
        chain.depth = depth_max;
        let was_open = chain.is_open && marks == 1;
        let filter = filter.map(Box::new);
        chain.expand(position, marks, |source| ExprKind::QuestionMark { source, marks, quantifier, filter });
        chain.is_open = was_open;
        Ok(())
    }

    /// `[quantifier] FILTER condition`, or nothing.
    fn inline_filter(&mut self) -> Result<(Option<Quantifier>, Option<Expr>)> {
        self.depth = 0;
        let ends = matches!(
            self.kind(),
            TokenKind::ArrayClose | TokenKind::Keyword(Keyword::Limit | Keyword::Return)
        );
        if ends {
            return Ok((None, None));
        }
        let quantifier = self.inline_quantifier()?;
        let quantifier_depth = self.depth;
        self.expect_among_many(&TokenKind::Keyword(Keyword::Filter))?;
        let filter = self.expression()?;
        self.depth = self.depth.max(quantifier_depth);
        Ok((quantifier, Some(filter)))
    }

    fn inline_quantifier(&mut self) -> Result<Option<Quantifier>> {
        let quantifier = match self.kind() {
            TokenKind::Keyword(Keyword::Filter) => return Ok(None),
            TokenKind::Keyword(Keyword::All) => Quantifier::All,
            TokenKind::Keyword(Keyword::Any) => Quantifier::Any,
            TokenKind::Keyword(Keyword::None) => Quantifier::None,
            TokenKind::AtLeast => return Ok(Some(self.at_least_quantifier()?)),
            _ => return Ok(Some(Quantifier::Exactly(Box::new(self.expression()?)))),
        };
        self.advance();
        Ok(Some(quantifier))
    }

    fn inline_limit(&mut self) -> Result<Option<ArrayLimit>> {
        if !self.eat_keyword(Keyword::Limit) {
            return Ok(None);
        }
        let first = self.expression()?;
        if !self.eat(&TokenKind::Comma) {
            return Ok(Some(ArrayLimit { offset: None, count: first }));
        }
        let first_depth = self.depth;
        let count = self.expression()?;
        self.depth = self.depth.max(first_depth);
        Ok(Some(ArrayLimit { offset: Some(first), count }))
    }
}

impl Chain {
    /// Adds an access to the value, or to the members of an open expansion.
    fn extend(&mut self, position: Position, wrap: impl FnOnce(Box<Expr>) -> ExprKind) {
        self.depth += 1;
        let value = std::mem::replace(&mut self.value, Expr::new(ExprKind::Null, position));
        self.value = if self.is_open {
            extend_innermost(value, position, wrap)
        } else {
            wrapped(value, position, wrap)
        };
    }

    /// Adds an expansion or question mark. Behind an open expansion one star applies to each member, several to the
    /// whole array.
    fn expand(&mut self, position: Position, stars: u32, wrap: impl FnOnce(Box<Expr>) -> ExprKind) {
        self.depth += 2;
        match &mut self.value.kind {
            ExprKind::Expansion(outer) if self.is_open && stars == 1 => {
                wrap_in_place(&mut outer.element, position, wrap);
            }
            _ => wrap_in_place(&mut self.value, position, wrap),
        }
        self.is_open = true;
    }
}

/// Extends the element of the innermost expansion. As deep as the chain, which is bounded.
fn extend_innermost(value: Expr, position: Position, wrap: impl FnOnce(Box<Expr>) -> ExprKind) -> Expr {
    match value.kind {
        ExprKind::Expansion(mut expansion) => {
            expansion.element = extend_innermost(expansion.element, position, wrap);
            Expr::new(ExprKind::Expansion(expansion), value.position)
        }
        _ => wrapped(value, position, wrap),
    }
}

fn wrapped(base: Expr, position: Position, wrap: impl FnOnce(Box<Expr>) -> ExprKind) -> Expr {
    Expr::new(wrap(Box::new(base)), position)
}

fn wrap_in_place(target: &mut Expr, position: Position, wrap: impl FnOnce(Box<Expr>) -> ExprKind) {
    let base = std::mem::replace(target, Expr::new(ExprKind::Null, position));
    *target = wrapped(base, position, wrap);
}
