//! FOR over collections and lists, and the destructuring of loop variables and LET.

use std::sync::Arc;

use persea_aql::ast::{self, ExprKind, Pattern};

use super::Builder;
use crate::error::Error;
use crate::plan::{
    AccessMode, CollectionRef, DocumentOutput, EnumerateCollectionNode, EnumerateListNode, Expr, NodeKind,
    VarId,
};
use crate::value;

/// Deepest nesting of a destructuring pattern.
const PATTERN_DEPTH_MAX: usize = 100;

impl Builder<'_> {
    pub(super) fn for_loop(&mut self, statement: &ast::ForLoop) -> Result<(), Error> {
        match self.loop_collection(&statement.source)? {
            Some(name) => self.collection_loop(statement, &name),
            None => self.list_loop(statement),
        }
    }

    /// The name of the collection a FOR runs over, if it is no list.
    fn loop_collection(&self, source: &ast::Expr) -> Result<Option<String>, Error> {
        match &source.kind {
            ExprKind::Name(name) if self.visible(name).is_none() => Ok(Some(name.clone())),
            ExprKind::DataSourceParameter(parameter) => self.bind_name(parameter).map(Some),
            _ => Ok(None),
        }
    }

    fn collection_loop(&mut self, statement: &ast::ForLoop, name: &str) -> Result<(), Error> {
        let meta = self.collection(name, AccessMode::Read)?;
        let collection = CollectionRef::from(&*meta);
        self.check_unmodified(&collection)?;
        reject_search(statement)?;
        let options = self.for_options(statement.options.as_ref())?;
        self.scopes.open_loop();
        let out = self.declare_target(&statement.target)?;
        self.mark_document(out, true);
        let mut output = DocumentOutput::document(out);
        output.max_projections = options.max_projections;
        output.use_cache = options.use_cache;
        self.push(NodeKind::EnumerateCollection(EnumerateCollectionNode {
            collection,
            output,
            random: false,
            hint: options.hint,
            read_own_writes: false,
            count_into: None,
        }))?;
        self.destructure(&statement.target, &Expr::Var(out), 0)
    }

    fn list_loop(&mut self, statement: &ast::ForLoop) -> Result<(), Error> {
        let input = self.operand(&statement.source)?;
        reject_search(statement)?;
        self.for_options(statement.options.as_ref())?;
        self.scopes.open_loop();
        let out = self.declare_target(&statement.target)?;
        self.push(NodeKind::EnumerateList(EnumerateListNode { input, out, filter: None }))?;
        self.destructure(&statement.target, &Expr::Var(out), 0)
    }

    /// Declares the variable of a simple target, or makes a temporary for a pattern.
    fn declare_target(&mut self, target: &Pattern) -> Result<VarId, Error> {
        match target {
            Pattern::Variable(name) => {
                let out = self.new_variable(Some(&name.text));
                self.scopes.declare(&name.text, out)?;
                Ok(out)
            }
            Pattern::Array(_) | Pattern::Object(_) => Ok(self.new_variable(None)),
        }
    }

    pub(super) fn let_statement(&mut self, target: &Pattern, source: &ast::Expr) -> Result<(), Error> {
        let Pattern::Variable(name) = target else {
            let value = self.operand(source)?;
            return self.destructure(target, &Expr::Var(value), 0);
        };
        if self.scopes.find(&name.text).is_some() {
            return Err(Error::VariableRedeclared(name.text.clone()));
        }
        if let ExprKind::Subquery(block) = &source.kind {
            let out = self.new_variable(Some(&name.text));
            self.subquery_into(block, out)?;
            return self.scopes.declare(&name.text, out);
        }
        if let ExprKind::Name(other) = &source.kind
            && let Some(var) = self.visible(other)
        {
            return self.scopes.declare(&name.text, var);
        }
        let expr = self.expression(source)?;
        let out = self.new_variable(Some(&name.text));
        self.calculate_into(expr, out)?;
        self.scopes.declare(&name.text, out)
    }

    /// Binds the parts of a pattern to the parts of a value.
    fn destructure(&mut self, target: &Pattern, source: &Expr, depth: usize) -> Result<(), Error> {
        if depth > PATTERN_DEPTH_MAX {
            return Err(Error::TooMuchNesting);
        }
        match target {
            Pattern::Variable(_) if depth == 0 => Ok(()),
            Pattern::Variable(name) => {
                let out = self.new_variable(Some(&name.text));
                self.calculate_into(source.clone(), out)?;
                self.scopes.declare(&name.text, out)
            }
            Pattern::Array(members) => {
                for (position, member) in members.iter().enumerate() {
                    let Some(member) = member else { continue };
                    let index = value::int(i64::try_from(position).unwrap_or(i64::MAX));
                    let part = Expr::Index(Box::new(source.clone()), Box::new(index));
                    // An index into an object would cast it to an attribute name; a pattern takes arrays only.
                    let is_array = Expr::Call { function: Arc::from("IS_ARRAY"), args: vec![source.clone()] };
                    let part = Expr::Ternary {
                        condition: Box::new(is_array),
                        then: Some(Box::new(part)),
                        otherwise: Box::new(value::null()),
                    };
                    self.destructure(member, &part, depth + 1)?;
                }
                Ok(())
            }
            Pattern::Object(members) => {
                for (name, member) in members {
                    let part = Expr::Attribute(Box::new(source.clone()), Arc::from(name.text.as_str()));
                    self.destructure(member, &part, depth + 1)?;
                }
                Ok(())
            }
        }
    }
}

fn reject_search(statement: &ast::ForLoop) -> Result<(), Error> {
    match statement.search {
        Some(_) => Err(Error::Structure("SEARCH condition used on non-view".into())),
        None => Ok(()),
    }
}
