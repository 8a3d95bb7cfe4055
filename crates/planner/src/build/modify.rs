//! INSERT, UPDATE, REPLACE and REMOVE.

use persea_aql::ast;

use super::Builder;
use super::options::Modification;
use crate::error::Error;
use crate::plan::{CollectionRef, InsertNode, NodeKind, OverwriteMode, RemoveNode, UpdateNode};

impl Builder<'_> {
    pub(super) fn insert(
        &mut self,
        document: &ast::Expr,
        into: &ast::DataSource,
        options: Option<&ast::Expr>,
    ) -> Result<(), Error> {
        let input = self.operand(document)?;
        let (options, _, mode) = self.modification_options(options, Modification::Insert)?;
        let collection = self.data_source(into, mode)?;
        self.modify(&collection)?;
        let out_new = Some(self.new_variable(Some("$NEW")));
        let has_old = matches!(options.overwrite_mode, OverwriteMode::Replace | OverwriteMode::Update);
        let out_old = has_old.then(|| self.new_variable(Some("$OLD")));
        let level = self.level();
        level.new = out_new;
        level.old = out_old;
        self.push(NodeKind::Insert(InsertNode { collection, input, out_old, out_new, options }))
    }

    pub(super) fn change(&mut self, change: &ast::Change, replace: bool) -> Result<(), Error> {
        let input_key = change.key.as_ref().map(|key| self.operand(key)).transpose()?;
        let input_doc = self.operand(&change.document)?;
        let statement = if replace { Modification::Replace } else { Modification::Update };
        let (options, _, mode) = self.modification_options(change.options.as_ref(), statement)?;
        let collection = self.data_source(&change.collection, mode)?;
        self.modify(&collection)?;
        let out_old = Some(self.new_variable(Some("$OLD")));
        let out_new = Some(self.new_variable(Some("$NEW")));
        let level = self.level();
        level.old = out_old;
        level.new = out_new;
        let node = UpdateNode { collection, input_doc, input_key, out_old, out_new, options };
        self.push(if replace { NodeKind::Replace(node) } else { NodeKind::Update(node) })
    }

    pub(super) fn remove(
        &mut self,
        key: &ast::Expr,
        from: &ast::DataSource,
        options: Option<&ast::Expr>,
    ) -> Result<(), Error> {
        let input = self.operand(key)?;
        let (options, _, mode) = self.modification_options(options, Modification::Remove)?;
        let collection = self.data_source(from, mode)?;
        self.modify(&collection)?;
        let out_old = Some(self.new_variable(Some("$OLD")));
        let level = self.level();
        level.old = out_old;
        level.new = None;
        self.push(NodeKind::Remove(RemoveNode { collection, input, out_old, options }))
    }

    /// Notes that a collection is modified from here on.
    pub(super) fn modify(&mut self, collection: &CollectionRef) -> Result<(), Error> {
        self.check_unmodified(collection)?;
        self.modified.push(collection.id);
        self.cacheable = false;
        Ok(())
    }
}
