//! `INSERT`, `UPDATE`, `REPLACE`, `REMOVE` and `UPSERT`.

use super::{Parser, Result};
use crate::ast::{Change, DataSource, Expr, StatementKind, Upsert, UpsertSearch};
use crate::token::{Keyword, TokenKind};

impl Parser<'_> {
    pub(super) fn insert_statement(&mut self) -> Result<StatementKind> {
        self.begin_modification();
        let document = self.operand()?;
        let into = self.target_collection()?;
        Ok(StatementKind::Insert { document, into, options: self.options()? })
    }

    pub(super) fn remove_statement(&mut self) -> Result<StatementKind> {
        self.begin_modification();
        let key = self.operand()?;
        let from = self.target_collection()?;
        Ok(StatementKind::Remove { key, from, options: self.options()? })
    }

    pub(super) fn update_statement(&mut self) -> Result<StatementKind> {
        Ok(StatementKind::Update(self.change()?))
    }

    pub(super) fn replace_statement(&mut self) -> Result<StatementKind> {
        Ok(StatementKind::Replace(self.change()?))
    }

    /// `document IN collection` or `key WITH document IN collection`.
    fn change(&mut self) -> Result<Change> {
        self.begin_modification();
        let first = self.operand()?;
        let (key, document) = if self.eat_keyword(Keyword::With) {
            let key_depth = self.depth;
            let document = self.operand()?;
            self.depth = self.depth.max(key_depth);
            (Some(first), document)
        } else {
            (None, first)
        };
        let collection = self.target_collection()?;
        Ok(Change { key, document, collection, options: self.options()? })
    }

    pub(super) fn upsert_statement(&mut self) -> Result<StatementKind> {
        self.begin_modification();
        let search = self.upsert_search()?;
        let mut depth_max = self.depth;
        self.expect_keyword(Keyword::Insert)?;
        let insert = self.expression()?;
        depth_max = depth_max.max(self.depth);
        let replace = self.at_keyword(Keyword::Replace);
        if !replace && !self.at_keyword(Keyword::Update) {
            return Err(self.unexpected(&[]));
        }
        self.advance();
        let update = self.operand()?;
        depth_max = depth_max.max(self.depth);
        let collection = self.target_collection()?;
        let options = self.options()?;
        self.depth = depth_max.max(self.depth);
        Ok(StatementKind::Upsert(Upsert { search, insert, replace, update, collection, options }))
    }

    fn upsert_search(&mut self) -> Result<UpsertSearch> {
        match self.kind() {
            TokenKind::Keyword(Keyword::Filter) => {
                self.advance();
                Ok(UpsertSearch::Filter(self.expression()?))
            }
            TokenKind::ObjectOpen => Ok(UpsertSearch::Example(self.object()?)),
            TokenKind::Parameter(_) | TokenKind::DataSourceParameter(_) => {
                Ok(UpsertSearch::Example(self.bind_parameter()?))
            }
            _ => Err(self.unexpected(&[
                "FILTER declaration",
                "bind parameter",
                "bind data source parameter",
                "{",
            ])),
        }
    }

    fn begin_modification(&mut self) {
        self.is_modification = true;
        self.advance();
    }

    /// An expression that `IN collection` may follow.
    fn operand(&mut self) -> Result<Expr> {
        let outer = std::mem::replace(&mut self.in_ends_operand, true);
        let operand = self.expression_here()?;
        self.in_ends_operand = outer;
        Ok(operand)
    }

    /// `IN` or `INTO` and a collection.
    fn target_collection(&mut self) -> Result<DataSource> {
        if !self.eat_keyword(Keyword::In) && !self.eat_keyword(Keyword::Into) {
            return Err(self.unexpected(&[]));
        }
        let position = self.position();
        match self.kind().clone() {
            TokenKind::Identifier(name) | TokenKind::QuotedString(name) => {
                self.advance();
                Ok(self.named_collection(&name, position))
            }
            TokenKind::DataSourceParameter(key) => {
                self.advance();
                Ok(self.collection_parameter(key, position))
            }
            _ => Err(self.unexpected(&["identifier", "quoted string", "bind data source parameter"])),
        }
    }
}
