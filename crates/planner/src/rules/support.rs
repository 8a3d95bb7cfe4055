//! What rules share: definitions and uses of variables, walking pipelines.

use std::collections::HashMap;

use super::Context;
use crate::error::Error;
use crate::flow;
use crate::fold;
use crate::plan::{Expr, Node, NodeKind, Pipeline, Plan, VarId};
use crate::var_set::VarSet;

/// Expressions of all Calculations of a plan.
pub(super) struct Definitions {
    exprs: HashMap<VarId, Expr>,
}

impl Definitions {
    pub(super) fn new(plan: &Plan) -> Self {
        let mut exprs = HashMap::new();
        flow::for_each_node(&plan.root, &mut |node| {
            if let NodeKind::Calculation(calculation) = &node.kind {
                exprs.insert(calculation.out, calculation.expr.clone());
            }
        });
        Self { exprs }
    }

    pub(super) fn get(&self, var: VarId) -> Option<&Expr> {
        self.exprs.get(&var)
    }

    /// The expression with variables that are mere attribute paths of others replaced by those paths.
    pub(super) fn resolve(&self, expr: &Expr) -> Expr {
        let mut resolved = expr.clone();
        // A path may lead to another path; each round goes one definition further back.
        for _ in 0..16 {
            if !resolved.substitute(&|var| self.get(var).filter(|expr| is_path(expr)).cloned()) {
                break;
            }
        }
        resolved
    }

    /// What a variable stands for, paths resolved.
    pub(super) fn resolve_var(&self, var: VarId) -> Expr {
        self.resolve(&Expr::Var(var))
    }

    /// The condition a Filter tests, paths resolved.
    pub(super) fn condition(&self, input: VarId) -> Expr {
        match self.get(input) {
            Some(expr) => self.resolve(expr),
            None => Expr::Var(input),
        }
    }
}

fn is_path(expr: &Expr) -> bool {
    expr.as_path().is_some()
}

/// How often each variable is read in a plan.
pub(super) struct UseCounts {
    counts: Vec<u32>,
}

impl UseCounts {
    pub(super) fn new(plan: &Plan) -> Self {
        let mut counts = vec![0; plan.variables.len()];
        let mut count = |var: VarId| {
            if let Some(slot) = counts.get_mut(var.index()) {
                *slot += 1;
            }
        };
        flow::for_each_node(&plan.root, &mut |node| {
            flow::for_each_input(&node.kind, &mut count);
            flow::for_each_expr(&node.kind, &mut |expr| {
                expr.visit(&mut |part| {
                    if let Expr::Var(var) = part {
                        count(*var);
                    }
                });
            });
            if let NodeKind::HashJoin(join) = &node.kind {
                for key in &join.build_keys {
                    key.visit(&mut |part| {
                        if let Expr::Var(var) = part {
                            count(*var);
                        }
                    });
                }
            }
        });
        Self { counts }
    }

    pub(super) fn of(&self, var: VarId) -> u32 {
        self.counts.get(var.index()).copied().unwrap_or(0)
    }
}

/// Replaces reads of variables everywhere in a plan: in expressions by expressions, in direct inputs by variables.
pub(super) fn replace_everywhere(pipeline: &mut Pipeline, replacement: &HashMap<VarId, VarId>) {
    flow::for_each_node_mut(pipeline, &mut |node| {
        flow::for_each_input_mut(&mut node.kind, &mut |var| {
            if let Some(other) = replacement.get(var) {
                *var = *other;
            }
        });
        flow::for_each_expr_mut(&mut node.kind, &mut |expr| {
            expr.substitute(&|var| replacement.get(&var).map(|other| Expr::Var(*other)));
        });
        if let NodeKind::HashJoin(join) = &mut node.kind {
            for key in &mut join.build_keys {
                key.substitute(&|var| replacement.get(&var).map(|other| Expr::Var(*other)));
            }
        }
        if let NodeKind::Index(index) = &mut node.kind {
            for covered in &mut index.covered {
                covered.substitute(&|var| replacement.get(&var).map(|other| Expr::Var(*other)));
            }
        }
    });
}

/// Calls `f` with every expression of a plan, for changing it; tells whether any call did.
pub(super) fn rewrite_exprs(
    plan: &mut Plan,
    context: &mut Context<'_>,
    rewrite: &mut dyn FnMut(&Expr) -> Option<Expr>,
) -> Result<bool, Error> {
    let mut changed = false;
    let mut result = Ok(());
    flow::for_each_node_mut(&mut plan.root, &mut |node| {
        let mut changed_here = false;
        flow::for_each_expr_mut(&mut node.kind, &mut |expr| {
            if expr.rewrite(rewrite) {
                changed_here = true;
                match refold(std::mem::replace(expr, crate::value::null()), context) {
                    Ok(folded) => *expr = folded,
                    Err(error) => result = Err(error),
                }
            }
        });
        changed |= changed_here;
    });
    if changed {
        note_constants(plan);
    }
    result.map(|()| changed)
}

/// Folds all parts of an expression again.
pub(super) fn refold(mut expr: Expr, context: &mut Context<'_>) -> Result<Expr, Error> {
    let mut result = Ok(());
    expr.for_each_child_mut(&mut |child| {
        let taken = std::mem::replace(child, Expr::Var(VarId(u32::MAX)));
        match refold(taken, context) {
            Ok(folded) => *child = folded,
            Err(error) => result = Err(error),
        }
    });
    result?;
    fold::fold(expr, context.functions, context.evaluator, context.warnings)
}

/// Remembers the values of variables whose expressions became constants.
pub(super) fn note_constants(plan: &mut Plan) {
    let mut found = Vec::new();
    flow::for_each_node(&plan.root, &mut |node| {
        if let NodeKind::Calculation(calculation) = &node.kind
            && let Expr::Const(value) = &calculation.expr
        {
            found.push((calculation.out, value.clone()));
        }
    });
    for (var, value) in found {
        if let Some(variable) = plan.variables.get_mut(var.index()) {
            variable.constant = Some(value);
        }
    }
}

/// Whether a Calculation (or constant-shaped subquery) may be moved or shared: same inputs, same value, whenever.
pub(super) fn is_movable(kind: &NodeKind, context: &Context<'_>) -> bool {
    match kind {
        NodeKind::Calculation(calculation) => {
            let purity = calculation.expr.purity(context.functions);
            purity.deterministic
        }
        NodeKind::Subquery(subquery) => {
            !subquery.row_at_a_time
                && !subquery.pipeline.modifies()
                && flow::pipeline_is_deterministic(&subquery.pipeline, context.functions)
        }
        _ => false,
    }
}

/// Whether rows before and after a node are different things, so that filters and calculations can't pass it.
pub(super) fn is_barrier(kind: &NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::Singleton
            | NodeKind::Collect(_)
            | NodeKind::Window(_)
            | NodeKind::Limit(_)
            | NodeKind::Return { .. }
            | NodeKind::NoResults
    ) || kind.modifies()
}

/// The conditions that rows have to meet once they have left the node at `position`, each with the place of its Filter,
/// paths resolved. Only those that may as well be tested at that node.
pub(super) fn conditions_behind<'p>(
    pipeline: &'p Pipeline,
    position: usize,
    definitions: &'p Definitions,
    context: &'p Context<'_>,
) -> impl Iterator<Item = (usize, Expr)> + 'p {
    let behind = pipeline.nodes.iter().enumerate().skip(position + 1);
    behind.take_while(|(_, node)| !is_barrier(&node.kind)).filter_map(|(at, node)| {
        let NodeKind::Filter { input } = node.kind else { return None };
        let condition = definitions.condition(input);
        condition.purity(context.functions).deterministic.then_some((at, condition))
    })
}

/// Runs `f` on every pipeline of a plan, innermost first; tells whether any call changed something.
pub(super) fn for_each_pipeline(
    plan: &mut Plan,
    f: &mut dyn FnMut(&mut Plan, &mut Pipeline) -> Result<bool, Error>,
) -> Result<bool, Error> {
    let mut root = std::mem::take(&mut plan.root);
    let result = walk_pipelines(plan, &mut root, f);
    plan.root = root;
    result
}

fn walk_pipelines(
    plan: &mut Plan,
    pipeline: &mut Pipeline,
    f: &mut dyn FnMut(&mut Plan, &mut Pipeline) -> Result<bool, Error>,
) -> Result<bool, Error> {
    let mut changed = false;
    for node in &mut pipeline.nodes {
        if let Some(nested) = flow::nested_mut(&mut node.kind) {
            changed |= walk_pipelines(plan, nested, f)?;
        }
    }
    Ok(f(plan, pipeline)? | changed)
}

/// The variables set by some nodes.
pub(super) fn written_by<'a>(nodes: impl IntoIterator<Item = &'a Node>) -> VarSet {
    let mut set = VarSet::new();
    for node in nodes {
        for var in flow::writes(&node.kind) {
            set.insert(var);
        }
        match &node.kind {
            NodeKind::EnumerateCollection(scan) => {
                set.insert(scan.output.out);
            }
            NodeKind::Index(index) => {
                set.insert(index.output.out);
            }
            _ => {}
        }
    }
    set
}

/// The document variable of a node that reads documents of a collection.
pub(super) fn document_variable(kind: &NodeKind) -> Option<VarId> {
    match kind {
        NodeKind::EnumerateCollection(scan) => Some(scan.output.out),
        NodeKind::Index(index) => Some(index.output.out),
        _ => None,
    }
}
