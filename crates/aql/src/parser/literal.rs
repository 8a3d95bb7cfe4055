//! What an access chain starts with: literals, names, calls, arrays, objects, parentheses and subqueries.

use super::{Parser, Result};
use crate::ast::{Expr, ExprKind, Name, ObjectKey, ObjectMember};
use crate::error::ParseWarning;
use crate::token::{Keyword, TokenKind};

impl Parser<'_> {
    pub(super) fn primary(&mut self) -> Result<Expr> {
        match self.kind() {
            TokenKind::Identifier(_) => match self.kind_ahead(1) {
                TokenKind::Open | TokenKind::Scope => self.function_call(),
                _ => self.name(),
            },
            TokenKind::Keyword(Keyword::Like) if self.kind_ahead(1) == &TokenKind::Open => {
                self.function_call()
            }
            TokenKind::Open => self.parenthesis(),
            TokenKind::ArrayOpen => self.array(),
            TokenKind::ObjectOpen => self.object(),
            TokenKind::Parameter(_) | TokenKind::DataSourceParameter(_) => self.bind_parameter(),
            _ => self.scalar(),
        }
    }

    fn name(&mut self) -> Result<Expr> {
        let (name, position) = self.expect_identifier()?;
        self.build(ExprKind::Name(name.into_owned()), position, 0)
    }

    fn scalar(&mut self) -> Result<Expr> {
        let position = self.position();
        let kind = match self.kind().clone() {
            TokenKind::QuotedString(text) => ExprKind::String(text.into_owned()),
            TokenKind::Integer(value) => ExprKind::Int(value),
            TokenKind::Double(value) | TokenKind::LongInteger(value) => ExprKind::Double(value),
            TokenKind::NumberOutOfRange => {
                let message = "number out of range".to_owned();
                self.warnings.push(ParseWarning { code: 1504, message, position });
                ExprKind::Null
            }
            TokenKind::Keyword(Keyword::Null) => ExprKind::Null,
            TokenKind::Keyword(Keyword::True) => ExprKind::Bool(true),
            TokenKind::Keyword(Keyword::False) => ExprKind::Bool(false),
            _ => return Err(self.unexpected(&[])),
        };
        self.advance();
        self.build(kind, position, 0)
    }

    pub(super) fn bind_parameter(&mut self) -> Result<Expr> {
        let position = self.position();
        let kind = match *self.kind() {
            TokenKind::Parameter(key) => {
                self.note_parameter(key);
                ExprKind::Parameter(key.to_owned())
            }
            TokenKind::DataSourceParameter(key) => {
                self.note_parameter(key);
                ExprKind::DataSourceParameter(key.to_owned())
            }
            _ => return Err(self.unexpected(&[])),
        };
        self.advance();
        self.build(kind, position, 0)
    }

    /// `(expression)` or `(subquery)`.
    fn parenthesis(&mut self) -> Result<Expr> {
        self.enter()?;
        let position = self.position();
        self.advance();
        let inner = if self.starts_statement() {
            let block = Box::new(self.block()?);
            if self.kind() != &TokenKind::Close {
                return Err(self.unexpected(self.expected_after(&block, ")")));
            }
            self.build(ExprKind::Subquery(block), position, self.depth)?
        } else {
            self.expression()?
        };
        self.expect_among_many(&TokenKind::Close)?;
        self.leave();
        Ok(inner)
    }

    /// `NAME(...)` or `A::B(...)`.
    pub(super) fn function_call(&mut self) -> Result<Expr> {
        self.enter()?;
        let position = self.position();
        let mut name = if self.eat_keyword(Keyword::Like) {
            "LIKE".to_owned()
        } else {
            self.expect_identifier()?.0.into_owned()
        };
        while self.eat(&TokenKind::Scope) {
            name.push_str("::");
            name.push_str(&self.expect_identifier()?.0);
        }
        if !self.eat(&TokenKind::Open) {
            return Err(self.unexpected(&["::", "("]));
        }
        let (arguments, depth) = self.call_arguments()?;
        self.leave();
        self.build(ExprKind::Call { name, arguments }, position, depth)
    }

    fn call_arguments(&mut self) -> Result<(Vec<Expr>, u32)> {
        let mut arguments = Vec::new();
        let mut depth_max = 0;
        if self.eat(&TokenKind::Close) {
            return Ok((arguments, depth_max));
        }
        loop {
            let argument = if self.starts_statement() { self.bare_subquery()? } else { self.expression()? };
            depth_max = depth_max.max(self.depth);
            arguments.push(argument);
            if !self.eat(&TokenKind::Comma) {
                self.expect(&TokenKind::Close)?;
                return Ok((arguments, depth_max));
            }
        }
    }

    /// A subquery as the argument of a function, without parentheses of its own.
    fn bare_subquery(&mut self) -> Result<Expr> {
        let position = self.position();
        let block = Box::new(self.block()?);
        self.build(ExprKind::Subquery(block), position, self.depth)
    }

    fn array(&mut self) -> Result<Expr> {
        self.enter()?;
        let position = self.position();
        self.advance();
        let mut members = Vec::new();
        let mut depth_max = 0;
        while !self.eat(&TokenKind::ArrayClose) {
            members.push(self.expression()?);
            depth_max = depth_max.max(self.depth);
            if !self.eat(&TokenKind::Comma) {
                self.expect(&TokenKind::ArrayClose)?;
                break;
            }
        }
        self.leave();
        self.build(ExprKind::Array(members), position, depth_max)
    }

    /// `{...}`.
    pub(super) fn object(&mut self) -> Result<Expr> {
        self.enter()?;
        let position = self.position();
        self.advance();
        let mut members = Vec::new();
        let mut depth_max = 0;
        while !self.eat(&TokenKind::ObjectClose) {
            members.push(self.object_member()?);
            depth_max = depth_max.max(self.depth);
            if !self.eat(&TokenKind::Comma) {
                self.expect(&TokenKind::ObjectClose)?;
                break;
            }
        }
        self.leave();
        self.build(ExprKind::Object(members), position, depth_max)
    }

    fn object_member(&mut self) -> Result<ObjectMember> {
        let position = self.position();
        self.depth = 0;
        let key = match self.kind().clone() {
            TokenKind::Identifier(text) => {
                let name = Name::new(text, position);
                self.advance();
                if self.kind() != &TokenKind::Colon {
                    let value = self.build(ExprKind::Name(name.text.clone()), position, 0)?;
                    return Ok(ObjectMember { key: ObjectKey::Shorthand(name), value });
                }
                ObjectKey::Name(name)
            }
            TokenKind::QuotedString(text) => {
                self.advance();
                ObjectKey::Name(Name::new(text, position))
            }
            TokenKind::Parameter(key) => {
                self.note_parameter(key);
                self.advance();
                ObjectKey::Parameter(Name::new(key, position))
            }
            TokenKind::DataSourceParameter(key) => return Err(self.bad_parameter(key)),
            TokenKind::ArrayOpen => {
                self.advance();
                let computed = self.expression()?;
                self.expect_among_many(&TokenKind::ArrayClose)?;
                ObjectKey::Computed(computed)
            }
            _ => return Err(self.unexpected(&[])),
        };
        let key_depth = self.depth;
        self.expect(&TokenKind::Colon)?;
        let value = self.expression()?;
        self.depth = self.depth.max(key_depth);
        Ok(ObjectMember { key, value })
    }
}
