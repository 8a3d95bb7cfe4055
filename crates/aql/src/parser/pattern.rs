//! What `LET` and `FOR` bind: a variable, or the parts of an array or object.

use super::{Parser, Result};
use crate::ast::{Name, Pattern};
use crate::token::TokenKind;

impl Parser<'_> {
    pub(super) fn pattern(&mut self) -> Result<Pattern> {
        match self.kind() {
            TokenKind::Identifier(_) => Ok(Pattern::Variable(self.variable()?)),
            TokenKind::ArrayOpen => self.array_pattern(),
            TokenKind::ObjectOpen => self.object_pattern(),
            _ => Err(self.unexpected(&["identifier", "{", "["])),
        }
    }

    /// `[a, , [b]]`, where members may be left out.
    fn array_pattern(&mut self) -> Result<Pattern> {
        self.enter()?;
        self.advance();
        let mut members = Vec::new();
        loop {
            let is_left_out = matches!(self.kind(), TokenKind::Comma | TokenKind::ArrayClose);
            members.push(if is_left_out { None } else { Some(self.pattern()?) });
            if self.eat(&TokenKind::ArrayClose) {
                break;
            }
            if !self.eat(&TokenKind::Comma) {
                return Err(self.unexpected(&[",", "]"]));
            }
        }
        // A member left out at the end binds nothing and changes nothing.
        while members.last().is_some_and(Option::is_none) {
            members.pop();
        }
        if members.is_empty() {
            return Err(self.structural("array destructuring without a variable"));
        }
        self.leave();
        Ok(Pattern::Array(members))
    }

    /// `{a, b: c, d: {e}}`.
    fn object_pattern(&mut self) -> Result<Pattern> {
        self.enter()?;
        self.advance();
        let mut members = Vec::new();
        loop {
            members.push(self.object_pattern_member()?);
            let has_comma = self.eat(&TokenKind::Comma);
            if self.eat(&TokenKind::ObjectClose) {
                break;
            }
            if !has_comma {
                return Err(self.unexpected(&[",", "}"]));
            }
        }
        self.leave();
        Ok(Pattern::Object(members))
    }

    fn object_pattern_member(&mut self) -> Result<(Name, Pattern)> {
        let position = self.position();
        let (text, needs_target) = match self.kind().clone() {
            TokenKind::Identifier(text) => (text, false),
            TokenKind::QuotedString(text) => (text, true),
            _ => return Err(self.unexpected(&["identifier", "quoted string"])),
        };
        self.advance();
        let attribute = Name::new(text, position);
        if self.eat(&TokenKind::Colon) {
            return Ok((attribute, self.pattern()?));
        }
        if needs_target {
            return Err(self.unexpected(&[":"]));
        }
        self.check_variable_name(&attribute.text, position)?;
        Ok((attribute.clone(), Pattern::Variable(attribute)))
    }
}
