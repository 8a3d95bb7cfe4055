//! `COLLECT` and the aggregates it shares with `WINDOW`.

use super::{Parser, Result};
use crate::ast::{Assignment, Collect, CollectInto, Name, StatementKind};
use crate::token::{Keyword, TokenKind};

impl Parser<'_> {
    pub(super) fn collect_statement(&mut self) -> Result<StatementKind> {
        self.advance();
        let mut depth_max = 0;
        let mut collect = Collect { groups: Vec::new(), aggregates: Vec::new(), into: None, options: None };
        if matches!(self.kind(), TokenKind::Identifier(_)) {
            collect.groups = self.group_assignments()?;
            depth_max = self.depth;
        }
        match self.kind() {
            TokenKind::Keyword(Keyword::With) => collect.into = Some(self.count_into()?),
            TokenKind::Keyword(Keyword::Aggregate) => {
                collect.aggregates = self.aggregates()?;
                depth_max = depth_max.max(self.depth);
                collect.into = self.collect_into()?;
            }
            _ if collect.groups.is_empty() => {
                return Err(self.unexpected(&["WITH keyword", "AGGREGATE keyword", "identifier"]));
            }
            _ => {
                collect.into = self.collect_into()?;
                self.keep(&mut collect.into)?;
            }
        }
        depth_max = depth_max.max(self.depth);
        collect.options = self.options()?;
        self.depth = depth_max.max(self.depth);
        Ok(StatementKind::Collect(collect))
    }

    fn group_assignments(&mut self) -> Result<Vec<Assignment>> {
        let mut groups = Vec::new();
        let mut depth_max = 0;
        loop {
            let variable = self.variable()?;
            self.expect(&TokenKind::Assign)?;
            let value = self.expression()?;
            depth_max = depth_max.max(self.depth);
            groups.push(Assignment { variable, value });
            if !self.eat(&TokenKind::Comma) {
                self.depth = depth_max;
                return Ok(groups);
            }
        }
    }

    /// `AGGREGATE a = F(x), ...`, from the keyword on.
    pub(super) fn aggregates(&mut self) -> Result<Vec<Assignment>> {
        self.advance();
        let mut aggregates = Vec::new();
        let mut depth_max = 0;
        loop {
            let variable = self.variable()?;
            self.expect(&TokenKind::Assign)?;
            if !matches!(self.kind(), TokenKind::Identifier(_)) {
                return Err(self.unexpected(&["identifier"]));
            }
            if !matches!(self.kind_ahead(1), TokenKind::Open | TokenKind::Scope) {
                self.advance();
                return Err(self.unexpected(&["::", "("]));
            }
            let value = self.function_call()?;
            depth_max = depth_max.max(self.depth);
            aggregates.push(Assignment { variable, value });
            if !self.eat(&TokenKind::Comma) {
                self.depth = depth_max;
                return Ok(aggregates);
            }
        }
    }

    fn count_into(&mut self) -> Result<CollectInto> {
        self.advance();
        let (qualifier, _) = self.expect_identifier()?;
        self.expect_keyword(Keyword::Into)?;
        let variable = self.variable()?;
        if !qualifier.eq_ignore_ascii_case("COUNT") {
            return Err(self.unexpected_qualifier(&qualifier, "'COUNT'"));
        }
        Ok(CollectInto::Count(variable))
    }

    fn collect_into(&mut self) -> Result<Option<CollectInto>> {
        if !self.eat_keyword(Keyword::Into) {
            return Ok(None);
        }
        let variable = self.variable()?;
        if !self.eat(&TokenKind::Assign) {
            return Ok(Some(CollectInto::Rows { variable, keep: Vec::new() }));
        }
        let depth = self.depth;
        let value = self.expression()?;
        self.depth = self.depth.max(depth);
        Ok(Some(CollectInto::Projection { variable, value }))
    }

    /// `KEEP a, b`, unless what follows is `OPTIONS {`.
    fn keep(&mut self, into: &mut Option<CollectInto>) -> Result<()> {
        let TokenKind::Identifier(qualifier) = self.kind().clone() else {
            return Ok(());
        };
        if self.kind_ahead(1) == &TokenKind::ObjectOpen {
            return Ok(());
        }
        self.advance();
        if !qualifier.eq_ignore_ascii_case("KEEP") {
            return Err(self.unexpected_qualifier(&qualifier, "'KEEP'"));
        }
        let names = self.kept_variables()?;
        match into {
            Some(CollectInto::Rows { keep, .. }) => {
                *keep = names;
                Ok(())
            }
            Some(CollectInto::Projection { .. }) => {
                Err(self.structural("use of 'KEEP' together with an 'INTO' expression"))
            }
            _ => Err(self.structural("use of 'KEEP' without 'INTO'")),
        }
    }

    fn kept_variables(&mut self) -> Result<Vec<Name>> {
        let mut names = Vec::new();
        loop {
            let (text, position) = self.expect_identifier()?;
            names.push(Name::new(text, position));
            if !self.eat(&TokenKind::Comma) {
                return Ok(names);
            }
        }
    }
}
