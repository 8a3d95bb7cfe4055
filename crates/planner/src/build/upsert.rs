//! UPSERT: a lookup subquery whose conditions can use indexes, then the write.

use std::sync::Arc;

use persea_aql::ast::{self, ExprKind};
use persea_vpack::Slice;

use super::Builder;
use super::options::{ForOptions, Modification};
use crate::error::Error;
use crate::plan::{
    BinaryOperator, CollectionRef, DocumentOutput, EnumerateCollectionNode, Expr, LimitNode, NodeKind,
    ObjectKey, ObjectMember, Pipeline, UpsertNode, VarId,
};
use crate::value;

/// Deepest nesting of an example document.
const EXAMPLE_DEPTH_MAX: usize = 100;

impl Builder<'_> {
    pub(super) fn upsert(&mut self, statement: &ast::Upsert) -> Result<(), Error> {
        let (options, lookup_options, mode) =
            self.modification_options(statement.options.as_ref(), Modification::Upsert)?;
        let collection = self.data_source(&statement.collection, mode)?;
        let document = self.new_variable(Some("$OLD"));
        self.mark_document(document, true);
        let conditions = match &statement.search {
            ast::UpsertSearch::Example(example) => self.example_conditions(example, document)?,
            ast::UpsertSearch::Filter(_) => Vec::new(),
        };
        let own_writes = options.read_own_writes;
        let pipeline = self.nested(|builder| {
            builder.push_lookup_scan(&collection, document, lookup_options, own_writes)?;
            if let ast::UpsertSearch::Filter(condition) = &statement.search {
                builder.currents.push(document);
                let condition = builder.expression(condition);
                builder.currents.pop();
                builder.filter_by(condition?)?;
            }
            if let Some(condition) = Expr::join(BinaryOperator::And, conditions) {
                builder.filter_by(condition)?;
            }
            builder.push(NodeKind::Limit(LimitNode { offset: 0, count: 1, full_count: false }))?;
            builder.push(NodeKind::Return { input: document })
        })?;
        let old = self.push_lookup(pipeline, own_writes)?;
        let insert = self.operand(&statement.insert)?;
        self.level().old = Some(old);
        let update = self.operand(&statement.update)?;
        self.modify(&collection)?;
        let out_new = Some(self.new_variable(Some("$NEW")));
        self.level().new = out_new;
        self.push(NodeKind::Upsert(UpsertNode {
            collection,
            input_doc: old,
            insert,
            update,
            is_replace: statement.replace,
            out_new,
            options,
        }))
    }

    fn push_lookup_scan(
        &mut self,
        collection: &CollectionRef,
        document: VarId,
        options: ForOptions,
        read_own_writes: bool,
    ) -> Result<(), Error> {
        self.check_unmodified(collection)?;
        let mut output = DocumentOutput::document(document);
        output.use_cache = options.use_cache;
        self.push(NodeKind::EnumerateCollection(EnumerateCollectionNode {
            collection: collection.clone(),
            output,
            random: false,
            hint: options.hint,
            read_own_writes,
            count_into: None,
        }))
    }

    /// Emits the lookup; gives the variable with the document found or null.
    fn push_lookup(&mut self, pipeline: Pipeline, row_at_a_time: bool) -> Result<VarId, Error> {
        let found = self.new_variable(None);
        self.push_subquery(pipeline, found, None, row_at_a_time)?;
        let old = self.new_variable(Some("$OLD"));
        let first = Expr::Index(Box::new(Expr::Var(found)), Box::new(value::int(0)));
        self.calculate_into(first, old)?;
        Ok(old)
    }

    /// Conditions that a document equals the example in all attributes the example has.
    fn example_conditions(&mut self, example: &ast::Expr, document: VarId) -> Result<Vec<Expr>, Error> {
        if !matches!(example.kind, ExprKind::Object(_) | ExprKind::Parameter(_)) {
            return Err(Error::Structure(
                "UPSERT needs an object literal or bind parameter to search for".into(),
            ));
        }
        let mut conditions = Vec::new();
        match self.expression(example)? {
            Expr::Const(constant) if constant.as_slice().is_object() => {
                constant_example(constant.as_slice(), &Expr::Var(document), &mut conditions, 0)?;
            }
            Expr::Object(members) => {
                self.object_example(members, &Expr::Var(document), &mut conditions, 0)?
            }
            _ => return Err(Error::Structure("UPSERT needs an object to search for".into())),
        }
        Ok(conditions)
    }

    fn object_example(
        &mut self,
        members: Vec<ObjectMember>,
        base: &Expr,
        conditions: &mut Vec<Expr>,
        depth: usize,
    ) -> Result<(), Error> {
        if depth > EXAMPLE_DEPTH_MAX {
            return Err(Error::TooMuchNesting);
        }
        for member in members {
            let attribute = match member.key {
                ObjectKey::Name(name) => Expr::Attribute(Box::new(base.clone()), name),
                ObjectKey::Computed(key) => {
                    let key = self.materialize(key)?;
                    Expr::Index(Box::new(base.clone()), Box::new(Expr::Var(key)))
                }
            };
            match member.value {
                Expr::Object(members) if !members.is_empty() => {
                    self.object_example(members, &attribute, conditions, depth + 1)?;
                }
                Expr::Const(constant) => {
                    constant_member(constant.as_slice(), attribute, conditions, depth + 1)?;
                }
                value if value.as_path().is_some() => {
                    conditions.push(Expr::binary(BinaryOperator::Equal, attribute, value));
                }
                value => {
                    let value = Expr::Var(self.materialize(value)?);
                    conditions.push(Expr::binary(BinaryOperator::Equal, attribute, value));
                }
            }
        }
        Ok(())
    }
}

fn constant_example(
    example: Slice<'_>,
    base: &Expr,
    conditions: &mut Vec<Expr>,
    depth: usize,
) -> Result<(), Error> {
    if depth > EXAMPLE_DEPTH_MAX {
        return Err(Error::TooMuchNesting);
    }
    for (name, member) in example.object_iter() {
        let attribute = Expr::Attribute(Box::new(base.clone()), Arc::from(name));
        constant_member(member, attribute, conditions, depth + 1)?;
    }
    Ok(())
}

fn constant_member(
    member: Slice<'_>,
    attribute: Expr,
    conditions: &mut Vec<Expr>,
    depth: usize,
) -> Result<(), Error> {
    if member.is_object() && !member.is_empty() {
        return constant_example(member, &attribute, conditions, depth);
    }
    conditions.push(Expr::binary(BinaryOperator::Equal, attribute, Expr::Const(value::copy(member))));
    Ok(())
}
