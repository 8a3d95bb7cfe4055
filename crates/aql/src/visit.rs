//! Walking a tree without caring for every kind of node.

use crate::ast::{
    Assignment, Block, Collect, CollectInto, Expr, ExprKind, GraphSubject, ObjectKey, Quantifier,
    SortDirection, StatementKind, UpsertSearch,
};

impl Expr {
    /// Calls `visit` with every direct part of this expression, in the order written. Statements of a subquery
    /// aren't parts: see [`Block::for_each_expression`].
    pub fn for_each_part<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match &self.kind {
            ExprKind::Null
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Double(_)
            | ExprKind::String(_)
            | ExprKind::Name(_)
            | ExprKind::Parameter(_)
            | ExprKind::DataSourceParameter(_)
            | ExprKind::Element
            | ExprKind::Subquery(_) => {}
            ExprKind::Unary { operand, .. } => visit(operand),
            ExprKind::Binary { left, right, .. } => {
                visit(left);
                visit(right);
            }
            ExprKind::ArrayComparison { quantifier, left, right, .. } => {
                visit(left);
                quantifier.for_each_part(visit);
                visit(right);
            }
            ExprKind::Ternary { condition, then, otherwise } => {
                visit(condition);
                if let Some(then) = then {
                    visit(then);
                }
                visit(otherwise);
            }
            ExprKind::Range { low, high } => {
                visit(low);
                visit(high);
            }
            ExprKind::Array(members) => members.iter().for_each(visit),
            ExprKind::Object(members) => {
                for member in members {
                    if let ObjectKey::Computed(key) = &member.key {
                        visit(key);
                    }
                    visit(&member.value);
                }
            }
            ExprKind::Call { arguments, .. } => arguments.iter().for_each(visit),
            ExprKind::Attribute { base, .. } | ExprKind::BoundAttribute { base, .. } => visit(base),
            ExprKind::Index { base, index } => {
                visit(base);
                visit(index);
            }
            ExprKind::Expansion(expansion) => {
                visit(&expansion.source);
                expansion.filter.iter().for_each(&mut *visit);
                if let Some(limit) = &expansion.limit {
                    limit.offset.iter().for_each(&mut *visit);
                    visit(&limit.count);
                }
                expansion.projection.iter().for_each(&mut *visit);
                visit(&expansion.element);
            }
            ExprKind::QuestionMark { source, quantifier, filter, .. } => {
                visit(source);
                if let Some(quantifier) = quantifier {
                    quantifier.for_each_part(visit);
                }
                if let Some(filter) = filter {
                    visit(filter);
                }
            }
        }
    }

    /// Whether a subquery stands anywhere in this expression.
    pub fn contains_subquery(&self) -> bool {
        if matches!(self.kind, ExprKind::Subquery(_)) {
            return true;
        }
        let mut found = false;
        self.for_each_part(&mut |part| found = found || part.contains_subquery());
        found
    }
}

impl Quantifier {
    fn for_each_part<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match self {
            Self::All | Self::Any | Self::None => {}
            Self::AtLeast(count) | Self::Exactly(count) => visit(count),
        }
    }
}

impl Block {
    /// Calls `visit` with the outermost expressions of every statement, in order. Collections named where only a
    /// collection may stand aren't among them.
    pub fn for_each_expression<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        for statement in &self.statements {
            statement.kind.for_each_expression(visit);
        }
    }
}

impl StatementKind {
    /// Calls `visit` with the outermost expressions of this statement, in order.
    pub fn for_each_expression<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match self {
            Self::For(for_loop) => {
                visit(&for_loop.source);
                for_loop.search.iter().for_each(&mut *visit);
                for_loop.options.iter().for_each(&mut *visit);
            }
            Self::Traversal(traversal) => {
                traversal.depth.iter().for_each(&mut *visit);
                visit(&traversal.start);
                visit_graph(&traversal.graph, visit);
                if let Some(prune) = &traversal.prune {
                    visit(&prune.condition);
                }
                traversal.options.iter().for_each(&mut *visit);
            }
            Self::PathSearch(search) => {
                search.depth.iter().for_each(&mut *visit);
                visit(&search.start);
                visit(&search.target);
                visit_graph(&search.graph, visit);
                search.options.iter().for_each(&mut *visit);
            }
            Self::Filter(value) | Self::Let { value, .. } | Self::Return { value, .. } => visit(value),
            Self::Sort(keys) => {
                for key in keys {
                    visit(&key.value);
                    if let SortDirection::Parameter(parameter) = &key.direction {
                        visit(parameter);
                    }
                }
            }
            Self::Limit { offset, count } => {
                offset.iter().for_each(&mut *visit);
                visit(count);
            }
            Self::Collect(collect) => visit_collect(collect, visit),
            Self::Window(window) => {
                window.range.iter().for_each(&mut *visit);
                window.preceding.iter().for_each(&mut *visit);
                window.following.iter().for_each(&mut *visit);
                visit_assignments(&window.aggregates, visit);
            }
            Self::Insert { document: value, options, .. } | Self::Remove { key: value, options, .. } => {
                visit(value);
                options.iter().for_each(&mut *visit);
            }
            Self::Update(change) | Self::Replace(change) => {
                change.key.iter().for_each(&mut *visit);
                visit(&change.document);
                change.options.iter().for_each(&mut *visit);
            }
            Self::Upsert(upsert) => {
                match &upsert.search {
                    UpsertSearch::Example(search) | UpsertSearch::Filter(search) => visit(search),
                }
                visit(&upsert.insert);
                visit(&upsert.update);
                upsert.options.iter().for_each(&mut *visit);
            }
        }
    }
}

fn visit_graph<'a>(graph: &'a GraphSubject, visit: &mut dyn FnMut(&'a Expr)) {
    if let GraphSubject::Graph(name) = graph {
        visit(name);
    }
}

fn visit_assignments<'a>(assignments: &'a [Assignment], visit: &mut dyn FnMut(&'a Expr)) {
    assignments.iter().for_each(|assignment| visit(&assignment.value));
}

fn visit_collect<'a>(collect: &'a Collect, visit: &mut dyn FnMut(&'a Expr)) {
    visit_assignments(&collect.groups, visit);
    visit_assignments(&collect.aggregates, visit);
    if let Some(CollectInto::Projection { value, .. }) = &collect.into {
        visit(value);
    }
    collect.options.iter().for_each(visit);
}
