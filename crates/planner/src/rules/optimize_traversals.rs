//! `optimize-traversals`: a traversal builds only what is read, and stops early on paths that filters would drop.
//!
//! Conditions on `p.vertices[n]`, `p.edges[n]`, `p.vertices[*]` and `p.edges[*]` are handed to the traversal. The
//! filter itself stays, since paths too short to have the element are for it to decide.

use std::sync::Arc;

use super::Context;
use super::support::{Definitions, UseCounts, conditions_behind, for_each_pipeline};
use super::use_indexes::later_variables;
use crate::error::Error;
use crate::flow;
use crate::plan::{
    BinaryOperator, Expr, NodeKind, PathCondition, PathDepth, PathParts, Pipeline, Plan, Quantifier, VarId,
};
use crate::var_set::VarSet;

pub(super) fn apply(plan: &mut Plan, context: &mut Context<'_>) -> Result<bool, Error> {
    let uses = UseCounts::new(plan);
    let parts = path_parts(plan);
    let definitions = Definitions::new(plan);
    let mut changed = for_each_pipeline(plan, &mut |plan, pipeline| {
        let mut changed = false;
        for position in 0..pipeline.nodes.len() {
            let conditions = path_conditions(plan, pipeline, position, &definitions, context);
            if conditions.is_empty() {
                continue;
            }
            if let Some(NodeKind::Traversal(traversal)) =
                pipeline.nodes.get_mut(position).map(|node| &mut node.kind)
            {
                traversal.conditions = conditions;
                changed = true;
            }
        }
        Ok(changed)
    })?;
    let mut drop_unread = |out: &mut Option<VarId>| {
        if out.is_some_and(|var| uses.of(var) == 0) {
            *out = None;
            changed = true;
        }
    };
    let mut reduced = false;
    let mut reduce = |out: Option<VarId>, current: &mut PathParts| {
        if let Some(wanted) = out.map(&parts)
            && *current != wanted
        {
            *current = wanted;
            reduced = true;
        }
    };
    flow::for_each_node_mut(&mut plan.root, &mut |node| match &mut node.kind {
        NodeKind::Traversal(traversal) => {
            drop_unread(&mut traversal.vertex_out);
            drop_unread(&mut traversal.edge_out);
            drop_unread(&mut traversal.path_out);
            if let Some(prune) = &mut traversal.prune {
                drop_unread(&mut prune.out);
            }
            reduce(traversal.path_out, &mut traversal.path_parts);
        }
        NodeKind::ShortestPath(search) => {
            drop_unread(&mut search.vertex_out);
            drop_unread(&mut search.edge_out);
        }
        NodeKind::EnumeratePaths(search) => {
            drop_unread(&mut search.path_out);
            reduce(search.path_out, &mut search.path_parts);
        }
        _ => {}
    });
    Ok(changed | reduced)
}

/// Which parts of a path variable a plan reads.
fn path_parts(plan: &Plan) -> impl Fn(VarId) -> PathParts + use<> {
    let mut whole = VarSet::new();
    let mut read: Vec<(VarId, Arc<str>)> = Vec::new();
    flow::for_each_node(&plan.root, &mut |node| {
        flow::for_each_input(&node.kind, &mut |var| {
            whole.insert(var);
        });
        flow::for_each_expr(&node.kind, &mut |expr| note_parts(expr, &mut whole, &mut read));
    });
    move |var| {
        if whole.contains(var) {
            return PathParts::ALL;
        }
        let reads =
            |names: &[&str]| read.iter().any(|(known, name)| *known == var && names.contains(&&**name));
        PathParts {
            vertices: reads(&["vertices"]),
            edges: reads(&["edges"]),
            weights: reads(&["weights", "weight"]),
        }
    }
}

fn note_parts(expr: &Expr, whole: &mut VarSet, read: &mut Vec<(VarId, Arc<str>)>) {
    if let Some((var, path)) = expr.as_path() {
        match path.into_iter().next() {
            Some(name) => read.push((var, name)),
            None => {
                whole.insert(var);
            }
        }
        return;
    }
    expr.for_each_child(&mut |child| note_parts(child, whole, read));
}

fn path_conditions(
    plan: &mut Plan,
    pipeline: &Pipeline,
    position: usize,
    definitions: &Definitions,
    context: &Context<'_>,
) -> Vec<PathCondition> {
    let mut found = Vec::new();
    let Some(NodeKind::Traversal(traversal)) = pipeline.nodes.get(position).map(|node| &node.kind) else {
        return found;
    };
    let (Some(path), true) = (traversal.path_out, traversal.conditions.is_empty()) else { return found };
    let later = later_variables(pipeline, position);
    for (_, condition) in conditions_behind(pipeline, position, definitions, context) {
        for part in condition.operands(BinaryOperator::And) {
            if let Some((depth, on_edge, make)) = element_condition(part, path) {
                let element = plan.new_variable();
                let condition = make(element);
                let mut known = later.clone();
                known.remove(element);
                if !condition.reads().intersects(&known) {
                    found.push(PathCondition { depth, on_edge, element, condition });
                }
            }
        }
    }
    found
}

type MakeCondition = Box<dyn Fn(VarId) -> Expr>;

/// The element of the path a condition is about, and the condition in terms of that element.
fn element_condition(part: &Expr, path: VarId) -> Option<(PathDepth, bool, MakeCondition)> {
    if let Expr::ArrayCompare { quantifier, op, left, right } = part {
        return every_element(quantifier, *op, left, right, path);
    }
    // All reads of the path must be of one and the same element.
    let mut elements: Vec<(u64, bool)> = Vec::new();
    if !collect_elements(part, path, &mut elements) || elements.is_empty() {
        return None;
    }
    let (position, on_edge) = *elements.first()?;
    if elements.iter().any(|element| *element != (position, on_edge)) {
        return None;
    }
    let part = part.clone();
    let make = move |element: VarId| {
        let mut condition = part.clone();
        condition.rewrite(&mut |expr| path_element(expr, path).map(|_| Expr::Var(element)));
        condition
    };
    Some((PathDepth::At(position), on_edge, Box::new(make)))
}

/// Adds the elements of `path` read; false if it is read in another way.
fn collect_elements(expr: &Expr, path: VarId, elements: &mut Vec<(u64, bool)>) -> bool {
    if let Some(element) = path_element(expr, path) {
        elements.push(element);
        return true;
    }
    if matches!(expr, Expr::Var(var) if *var == path) {
        return false;
    }
    let mut only_elements = true;
    expr.for_each_child(&mut |child| only_elements &= collect_elements(child, path, elements));
    only_elements
}

/// `path.vertices[n]` or `path.edges[n]` with its position and whether it is an edge.
fn path_element(expr: &Expr, path: VarId) -> Option<(u64, bool)> {
    let Expr::Index(base, index) = expr else { return None };
    let on_edge = path_list(base, path)?;
    let position = index.as_const()?.as_slice();
    position
        .as_i64()
        .filter(|_| position.is_number())
        .and_then(|at| u64::try_from(at).ok())
        .map(|at| (at, on_edge))
}

/// `path.vertices` (false) or `path.edges` (true).
fn path_list(expr: &Expr, path: VarId) -> Option<bool> {
    let (var, names) = expr.as_path()?;
    match names.as_slice() {
        [only] if var == path && &**only == "vertices" => Some(false),
        [only] if var == path && &**only == "edges" => Some(true),
        _ => None,
    }
}

/// `p.edges[*].x ALL == v` and the NONE form.
fn every_element(
    quantifier: &Quantifier,
    op: BinaryOperator,
    left: &Expr,
    right: &Expr,
    path: VarId,
) -> Option<(PathDepth, bool, MakeCondition)> {
    let negate = match quantifier {
        Quantifier::All => false,
        Quantifier::None => true,
        _ => return None,
    };
    let Expr::Expansion { source, flatten: 0, current, filter: None, limit: None, map } = left else {
        return None;
    };
    let on_edge = path_list(source, path)?;
    if right.reads().contains(path) {
        return None;
    }
    let member = map.as_deref().cloned().unwrap_or(Expr::Var(*current));
    let (current, right) = (*current, right.clone());
    let make = move |element: VarId| {
        let mut member = member.clone();
        member.substitute(&|var| (var == current).then_some(Expr::Var(element)));
        let condition = Expr::binary(op, member, right.clone());
        if negate { Expr::negation(condition) } else { condition }
    };
    Some((PathDepth::Every, on_edge, Box::new(make)))
}
