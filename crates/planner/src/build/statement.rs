//! Statements: dispatch, and the simple ones.

use std::sync::Arc;

use persea_aql::ast::{self, SortDirection, StatementKind};

use super::Builder;
use crate::error::Error;
use crate::plan::{
    CollectGroup, CollectMethod, CollectNode, Expr, LimitNode, NodeKind, SortKey, SortNode, VarId,
};
use crate::value;

impl Builder<'_> {
    /// The statements of a query level.
    pub(super) fn block(&mut self, block: &ast::Block) -> Result<(), Error> {
        for statement in &block.statements {
            self.statement(&statement.kind)?;
        }
        Ok(())
    }

    fn statement(&mut self, statement: &StatementKind) -> Result<(), Error> {
        match statement {
            StatementKind::For(statement) => self.for_loop(statement),
            StatementKind::Traversal(statement) => self.traversal(statement),
            StatementKind::PathSearch(statement) => self.path_search(statement),
            StatementKind::Filter(condition) => self.filter(condition),
            StatementKind::Let { target, value } => self.let_statement(target, value),
            StatementKind::Sort(keys) => self.sort(keys),
            StatementKind::Limit { offset, count } => self.limit(offset.as_ref(), count),
            StatementKind::Return { distinct, value } => self.return_statement(*distinct, value),
            StatementKind::Collect(statement) => self.collect(statement),
            StatementKind::Window(statement) => self.window(statement),
            StatementKind::Insert { document, into, options } => {
                self.insert(document, into, options.as_ref())
            }
            StatementKind::Update(change) => self.change(change, false),
            StatementKind::Replace(change) => self.change(change, true),
            StatementKind::Remove { key, from, options } => self.remove(key, from, options.as_ref()),
            StatementKind::Upsert(statement) => self.upsert(statement),
        }
    }

    fn filter(&mut self, condition: &ast::Expr) -> Result<(), Error> {
        let expr = self.expression(condition)?;
        self.filter_by(expr)
    }

    /// Filters by an expression; a constant one needs no filter.
    pub(super) fn filter_by(&mut self, expr: Expr) -> Result<(), Error> {
        if let Expr::Const(constant) = &expr {
            return if value::is_truthy(constant) { Ok(()) } else { self.push(NodeKind::NoResults) };
        }
        let input = self.materialize(expr)?;
        self.push(NodeKind::Filter { input })
    }

    fn sort(&mut self, keys: &[ast::SortKey]) -> Result<(), Error> {
        let after_collect =
            matches!(self.level().nodes.last().map(|node| &node.kind), Some(NodeKind::Collect(_)));
        let mut sort_keys: Vec<SortKey> = Vec::new();
        for key in keys {
            let ascending = self.sort_direction(&key.direction)?;
            if let ast::ExprKind::Name(name) = &key.value.kind
                && let Some(var) = self.visible(name)
                && self.constant_of(var).is_none()
            {
                sort_keys.push(SortKey { var, ascending });
                continue;
            }
            let expr = self.expression(&key.value)?;
            if !matches!(expr, Expr::Const(_)) {
                let var = self.materialize(expr)?;
                sort_keys.push(SortKey { var, ascending });
            }
        }
        if !sort_keys.is_empty() {
            return self.push(NodeKind::Sort(SortNode { keys: sort_keys, limit: None, stable: false }));
        }
        if after_collect
            && let Some(NodeKind::Collect(collect)) = self.level().nodes.last_mut().map(|node| &mut node.kind)
        {
            collect.unsorted = true;
        }
        Ok(())
    }

    fn sort_direction(&mut self, direction: &SortDirection) -> Result<bool, Error> {
        match direction {
            SortDirection::Ascending => Ok(true),
            SortDirection::Descending => Ok(false),
            SortDirection::Parameter(parameter) => {
                let expr = self.expression(parameter)?;
                match expr.as_const_str() {
                    Some(text) if text.eq_ignore_ascii_case("asc") => Ok(true),
                    Some(text) if text.eq_ignore_ascii_case("desc") => Ok(false),
                    _ => Err(Error::Structure("invalid sort direction, expecting 'ASC' or 'DESC'".into())),
                }
            }
        }
    }

    fn limit(&mut self, offset: Option<&ast::Expr>, count: &ast::Expr) -> Result<(), Error> {
        let offset = match offset {
            Some(offset) => self.limit_value(offset)?.unwrap_or(0),
            None => 0,
        };
        let count = self.limit_value(count)?.unwrap_or(u64::MAX);
        let full_count = false;
        self.push(NodeKind::Limit(LimitNode { offset, count, full_count }))
    }

    /// A constant of LIMIT; null means all.
    fn limit_value(&mut self, source: &ast::Expr) -> Result<Option<u64>, Error> {
        let expr = self.expression(source)?;
        let Some(constant) = expr.as_const() else {
            return Err(Error::Structure("LIMIT needs constant values".into()));
        };
        let slice = constant.as_slice();
        if slice.is_null() {
            return Ok(None);
        }
        match slice.as_u64().or_else(|| whole_number(slice.as_f64())) {
            Some(number) => Ok(Some(number)),
            None => Err(Error::NumberOutOfRange("LIMIT needs whole numbers that are not negative".into())),
        }
    }

    fn return_statement(&mut self, distinct: bool, source: &ast::Expr) -> Result<(), Error> {
        if distinct && !self.scopes.in_loop() {
            return Err(Error::Structure("cannot use DISTINCT modifier on top-level query element".into()));
        }
        let mut input = self.operand(source)?;
        if distinct {
            input = self.distinct(input)?;
        }
        self.push(NodeKind::Return { input })
    }

    fn distinct(&mut self, input: VarId) -> Result<VarId, Error> {
        let out = self.new_variable(None);
        self.push(NodeKind::Collect(CollectNode {
            method: CollectMethod::Distinct,
            groups: vec![CollectGroup { out, input }],
            aggregates: Vec::new(),
            into: None,
            requested_method: None,
            specialized: true,
            is_distinct: true,
            disable_index: false,
            unsorted: true,
            carried: Vec::new(),
        }))?;
        Ok(out)
    }

    /// A constant string, or an error naming the clause.
    pub(super) fn constant_string(&mut self, source: &ast::Expr, clause: &str) -> Result<Arc<str>, Error> {
        let expr = self.expression(source)?;
        expr.as_const_str().map(Arc::from).ok_or_else(|| Error::Structure(format!("{clause} needs a string")))
    }
}

/// A floating point number as count, if it is one.
fn whole_number(number: Option<f64>) -> Option<u64> {
    // Casting is exact below 2^53; larger limits mean "all" anyway.
    number.filter(|number| *number >= 0.0).map(|number| number as u64)
}
