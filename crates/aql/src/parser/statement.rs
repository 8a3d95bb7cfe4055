//! Blocks of statements, and the statements that have no file of their own.

use super::{Parser, Result};
use crate::ast::{
    Block, Expr, ExprKind, ObjectKey, SortDirection, SortKey, Statement, StatementKind, Window,
};
use crate::token::{Keyword, TokenKind};

impl Parser<'_> {
    /// Statements up to and with the `RETURN`, or up to the first token after a modification that starts none.
    pub(super) fn block(&mut self) -> Result<Block> {
        self.check_stack()?;
        let outer_loop = std::mem::replace(&mut self.inside_loop, false);
        let mut statements = Vec::new();
        let mut depth_max = 0;
        loop {
            let at_end = !self.starts_statement();
            let is_complete = statements.last().is_some_and(ends_block);
            if at_end && is_complete {
                break;
            }
            let returns = self.at_keyword(Keyword::Return);
            self.depth = 0;
            self.statement(&mut statements)?;
            depth_max = depth_max.max(self.depth);
            if returns {
                break;
            }
        }
        self.inside_loop = outer_loop;
        self.depth = depth_max;
        Ok(Block { statements })
    }

    /// What may follow a block: only `end` after a `RETURN`, anything after a modification.
    pub(super) fn expected_after(&self, block: &Block, end: &'static str) -> &'static [&'static str] {
        let returns =
            matches!(block.statements.last(), Some(s) if matches!(s.kind, StatementKind::Return { .. }));
        match (returns, end) {
            (true, ")") => &[")"],
            (true, _) => &["end of query string"],
            (false, _) => &[],
        }
    }

    /// Whether the current token starts a statement.
    pub(super) fn starts_statement(&self) -> bool {
        starts_statement(self.kind())
    }

    fn statement(&mut self, statements: &mut Vec<Statement>) -> Result<()> {
        let TokenKind::Keyword(keyword) = *self.kind() else {
            return Err(self.unexpected(&[]));
        };
        let parse: fn(&mut Self) -> Result<StatementKind> = match keyword {
            Keyword::Let => return self.let_statement(statements),
            Keyword::For => Self::for_statement,
            Keyword::Filter => Self::filter_statement,
            Keyword::Return => Self::return_statement,
            Keyword::Sort => Self::sort_statement,
            Keyword::Limit => Self::limit_statement,
            Keyword::Collect => Self::collect_statement,
            Keyword::Window => Self::window_statement,
            Keyword::Insert => Self::insert_statement,
            Keyword::Update => Self::update_statement,
            Keyword::Replace => Self::replace_statement,
            Keyword::Remove => Self::remove_statement,
            Keyword::Upsert => Self::upsert_statement,
            _ => return Err(self.unexpected(&[])),
        };
        let position = self.position();
        let kind = parse(self)?;
        statements.push(Statement { kind, position });
        Ok(())
    }

    /// `LET a = 1, b = 2` becomes one statement a variable.
    fn let_statement(&mut self, statements: &mut Vec<Statement>) -> Result<()> {
        let position = self.position();
        self.advance();
        let mut depth_max = 0;
        loop {
            let target = self.pattern()?;
            self.expect(&TokenKind::Assign)?;
            let value = self.expression()?;
            depth_max = depth_max.max(self.depth);
            statements.push(Statement { kind: StatementKind::Let { target, value }, position });
            if !self.eat(&TokenKind::Comma) {
                self.depth = depth_max;
                return Ok(());
            }
        }
    }

    fn filter_statement(&mut self) -> Result<StatementKind> {
        self.advance();
        Ok(StatementKind::Filter(self.expression()?))
    }

    fn return_statement(&mut self) -> Result<StatementKind> {
        self.advance();
        let distinct = self.eat_keyword(Keyword::Distinct);
        if distinct && !self.inside_loop {
            return Err(self.structural("cannot use DISTINCT modifier on top-level query element"));
        }
        Ok(StatementKind::Return { distinct, value: self.expression()? })
    }

    fn sort_statement(&mut self) -> Result<StatementKind> {
        self.advance();
        let mut keys = Vec::new();
        let mut depth_max = 0;
        loop {
            let value = self.expression()?;
            depth_max = depth_max.max(self.depth);
            keys.push(SortKey { value, direction: self.sort_direction()? });
            if !self.eat(&TokenKind::Comma) {
                self.depth = depth_max;
                return Ok(StatementKind::Sort(keys));
            }
        }
    }

    fn sort_direction(&mut self) -> Result<SortDirection> {
        let position = self.position();
        let direction = match self.kind().clone() {
            TokenKind::Keyword(Keyword::Asc) => SortDirection::Ascending,
            TokenKind::Keyword(Keyword::Desc) => SortDirection::Descending,
            TokenKind::QuotedString(text) if text.eq_ignore_ascii_case("asc") => SortDirection::Ascending,
            TokenKind::QuotedString(text) if text.eq_ignore_ascii_case("desc") => SortDirection::Descending,
            TokenKind::Parameter(key) => {
                self.note_parameter(key);
                SortDirection::Parameter(Expr::new(ExprKind::Parameter(key.to_owned()), position))
            }
            TokenKind::QuotedString(_) => {
                return Err(self.structural("expecting 'ASC' or 'DESC' as sort order"));
            }
            _ => return Ok(SortDirection::Ascending),
        };
        self.advance();
        Ok(direction)
    }

    fn limit_statement(&mut self) -> Result<StatementKind> {
        self.advance();
        let first = self.expression()?;
        let first_depth = self.depth;
        if !self.eat(&TokenKind::Comma) {
            return Ok(StatementKind::Limit { offset: None, count: first });
        }
        let count = self.expression()?;
        self.depth = self.depth.max(first_depth);
        Ok(StatementKind::Limit { offset: Some(first), count })
    }

    fn window_statement(&mut self) -> Result<StatementKind> {
        self.advance();
        let starts_with_brace = self.kind() == &TokenKind::ObjectOpen;
        let first = self.expression()?;
        let mut depth_max = self.depth;
        let (range, bounds) = if self.at_keyword(Keyword::With) || !starts_with_brace {
            self.expect_among_many(&TokenKind::Keyword(Keyword::With))?;
            if self.kind() != &TokenKind::ObjectOpen {
                return Err(self.unexpected(&["{"]));
            }
            let bounds = self.object()?;
            depth_max = depth_max.max(self.depth);
            (Some(first), bounds)
        } else {
            (None, first)
        };
        if !self.at_keyword(Keyword::Aggregate) {
            return Err(self.unexpected(&["AGGREGATE keyword"]));
        }
        let aggregates = self.aggregates()?;
        self.depth = depth_max.max(self.depth);
        let mut window = Window { range, preceding: None, following: None, aggregates };
        self.window_bounds(bounds, &mut window)?;
        Ok(StatementKind::Window(window))
    }

    fn window_bounds(&self, bounds: Expr, window: &mut Window) -> Result<()> {
        let members = match bounds.kind {
            ExprKind::Object(members) => members,
            _ => return Err(self.unexpected(&["WITH keyword"])),
        };
        if members.is_empty() {
            return Err(
                self.structural("At least one WINDOW bound must be specified ('preceding'/'following')")
            );
        }
        for member in members {
            let name = match member.key {
                ObjectKey::Name(name) | ObjectKey::Shorthand(name) | ObjectKey::Parameter(name) => name.text,
                ObjectKey::Computed(_) => String::new(),
            };
            let bound = match name.as_str() {
                "preceding" => &mut window.preceding,
                "following" => &mut window.following,
                _ => {
                    return Err(self.structural(&format!(
                        "Invalid WINDOW attribute '{name}'; only \"preceding\" and \"following\" are supported"
                    )));
                }
            };
            if bound.replace(member.value).is_some() {
                return Err(
                    self.structural(&format!("WINDOW attribute '{name}' is specified multiple times"))
                );
            }
        }
        Ok(())
    }

    /// `OPTIONS {...}`, if an identifier follows.
    pub(super) fn options(&mut self) -> Result<Option<Expr>> {
        let TokenKind::Identifier(qualifier) = self.kind().clone() else {
            return Ok(None);
        };
        self.advance();
        if self.kind() != &TokenKind::ObjectOpen {
            return Err(self.unexpected(&["{"]));
        }
        let depth = self.depth;
        let options = self.object()?;
        self.depth = self.depth.max(depth);
        if !qualifier.eq_ignore_ascii_case("OPTIONS") {
            return Err(self.unexpected_qualifier(&qualifier, "'OPTIONS'"));
        }
        Ok(Some(options))
    }

    /// An expression that came where options stand.
    pub(super) fn check_options(&self, options: Expr) -> Result<Expr> {
        match options.kind {
            ExprKind::Object(_) => Ok(options),
            _ => Err(self.structural("'OPTIONS' have to be an object")),
        }
    }
}

fn ends_block(statement: &Statement) -> bool {
    matches!(
        statement.kind,
        StatementKind::Return { .. }
            | StatementKind::Insert { .. }
            | StatementKind::Update(_)
            | StatementKind::Replace(_)
            | StatementKind::Remove { .. }
            | StatementKind::Upsert(_)
    )
}

/// Whether a token starts a statement.
pub(super) fn starts_statement(kind: &TokenKind<'_>) -> bool {
    use Keyword as K;
    matches!(
        kind,
        TokenKind::Keyword(
            K::For
                | K::Let
                | K::Filter
                | K::Return
                | K::Collect
                | K::Sort
                | K::Limit
                | K::Window
                | K::Remove
                | K::Insert
                | K::Update
                | K::Replace
                | K::Upsert
        )
    )
}
