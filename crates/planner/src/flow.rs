//! Data flow: which variables nodes read and set, and what has to be kept between them.

use crate::plan::{
    CollectContent, DocumentOutput, Expr, IndexAccess, KeyTerm, Node, NodeKind, Pipeline, Plan, VarId,
};
use crate::var_set::VarSet;

/// Calls `f` with every expression of a node (not of nested pipelines).
pub(crate) fn for_each_expr<'a>(kind: &'a NodeKind, f: &mut dyn FnMut(&'a Expr)) {
    match kind {
        NodeKind::EnumerateCollection(node) => {
            if let Some(filter) = &node.output.filter {
                f(filter);
            }
        }
        NodeKind::Index(node) => {
            if let Some(filter) = &node.output.filter {
                f(filter);
            }
            for access in &node.accesses {
                for_each_access_expr(access, f);
            }
        }
        NodeKind::EnumerateList(node) => {
            if let Some(filter) = &node.filter {
                f(filter);
            }
        }
        NodeKind::Calculation(node) => f(&node.expr),
        NodeKind::Subquery(node) => {
            if let Some(guard) = &node.guard {
                f(guard);
            }
        }
        NodeKind::Traversal(node) => {
            f(&node.start);
            if let Some(prune) = &node.prune {
                f(&prune.condition);
            }
            for condition in &node.conditions {
                f(&condition.condition);
            }
        }
        NodeKind::ShortestPath(node) => {
            f(&node.start);
            f(&node.target);
        }
        NodeKind::EnumeratePaths(node) => {
            f(&node.start);
            f(&node.target);
        }
        NodeKind::HashJoin(node) => node.probe_keys.iter().for_each(f),
        _ => {}
    }
}

fn for_each_access_expr<'a>(access: &'a IndexAccess, f: &mut dyn FnMut(&'a Expr)) {
    for term in &access.terms {
        match term {
            KeyTerm::Equal(value) | KeyTerm::In(value) => f(value),
        }
    }
    for bound in [&access.lower, &access.upper].into_iter().flatten() {
        f(&bound.value);
    }
}

/// Calls `f` with every expression of a node, for changing it (not of nested pipelines).
pub(crate) fn for_each_expr_mut(kind: &mut NodeKind, f: &mut dyn FnMut(&mut Expr)) {
    match kind {
        NodeKind::EnumerateCollection(node) => {
            if let Some(filter) = &mut node.output.filter {
                f(filter);
            }
        }
        NodeKind::Index(node) => {
            if let Some(filter) = &mut node.output.filter {
                f(filter);
            }
            for access in &mut node.accesses {
                for term in &mut access.terms {
                    match term {
                        KeyTerm::Equal(value) | KeyTerm::In(value) => f(value),
                    }
                }
                for bound in [&mut access.lower, &mut access.upper].into_iter().flatten() {
                    f(&mut bound.value);
                }
            }
            node.condition.iter_mut().flatten().for_each(f);
        }
        NodeKind::EnumerateList(node) => {
            if let Some(filter) = &mut node.filter {
                f(filter);
            }
        }
        NodeKind::Calculation(node) => f(&mut node.expr),
        NodeKind::Subquery(node) => {
            if let Some(guard) = &mut node.guard {
                f(guard);
            }
        }
        NodeKind::Traversal(node) => {
            f(&mut node.start);
            if let Some(prune) = &mut node.prune {
                f(&mut prune.condition);
            }
            for condition in &mut node.conditions {
                f(&mut condition.condition);
            }
        }
        NodeKind::ShortestPath(node) => {
            f(&mut node.start);
            f(&mut node.target);
        }
        NodeKind::EnumeratePaths(node) => {
            f(&mut node.start);
            f(&mut node.target);
        }
        NodeKind::HashJoin(node) => node.probe_keys.iter_mut().for_each(f),
        _ => {}
    }
}

/// Calls `f` with every variable a node reads directly (not through expressions), for changing it.
pub(crate) fn for_each_input_mut(kind: &mut NodeKind, f: &mut dyn FnMut(&mut VarId)) {
    match kind {
        NodeKind::EnumerateList(node) => f(&mut node.input),
        NodeKind::Filter { input } | NodeKind::Return { input } => f(input),
        NodeKind::Sort(node) => node.keys.iter_mut().for_each(|key| f(&mut key.var)),
        NodeKind::Collect(node) => {
            node.groups.iter_mut().for_each(|group| f(&mut group.input));
            node.aggregates.iter_mut().filter_map(|aggregate| aggregate.input.as_mut()).for_each(&mut *f);
            match node.into.as_mut().map(|into| &mut into.content) {
                Some(CollectContent::Value(var)) => f(var),
                Some(CollectContent::Variables(vars)) => vars.iter_mut().for_each(|(_, var)| f(var)),
                None => {}
            }
            node.carried.iter_mut().for_each(f);
        }
        NodeKind::Window(node) => {
            node.range.as_mut().into_iter().for_each(&mut *f);
            node.aggregates.iter_mut().filter_map(|aggregate| aggregate.input.as_mut()).for_each(f);
        }
        NodeKind::Insert(node) => f(&mut node.input),
        NodeKind::Update(node) | NodeKind::Replace(node) => {
            f(&mut node.input_doc);
            node.input_key.as_mut().into_iter().for_each(f);
        }
        NodeKind::Remove(node) => f(&mut node.input),
        NodeKind::Upsert(node) => {
            f(&mut node.input_doc);
            f(&mut node.insert);
            f(&mut node.update);
        }
        _ => {}
    }
}

/// Calls `f` with every variable a node reads directly, not through expressions.
pub(crate) fn for_each_input(kind: &NodeKind, f: &mut dyn FnMut(VarId)) {
    match kind {
        NodeKind::EnumerateList(node) => f(node.input),
        NodeKind::Filter { input } | NodeKind::Return { input } => f(*input),
        NodeKind::Sort(node) => node.keys.iter().for_each(|key| f(key.var)),
        NodeKind::Collect(node) => {
            node.groups.iter().for_each(|group| f(group.input));
            node.aggregates.iter().filter_map(|aggregate| aggregate.input).for_each(&mut *f);
            match node.into.as_ref().map(|into| &into.content) {
                Some(CollectContent::Value(var)) => f(*var),
                Some(CollectContent::Variables(vars)) => vars.iter().for_each(|(_, var)| f(*var)),
                None => {}
            }
            node.carried.iter().copied().for_each(f);
        }
        NodeKind::Window(node) => {
            node.range.into_iter().for_each(&mut *f);
            node.aggregates.iter().filter_map(|aggregate| aggregate.input).for_each(f);
        }
        NodeKind::Insert(node) => f(node.input),
        NodeKind::Update(node) | NodeKind::Replace(node) => {
            f(node.input_doc);
            node.input_key.into_iter().for_each(f);
        }
        NodeKind::Remove(node) => f(node.input),
        NodeKind::Upsert(node) => {
            f(node.input_doc);
            f(node.insert);
            f(node.update);
        }
        _ => {}
    }
}

/// The pipeline nested in a node, if there is one.
pub(crate) fn nested(kind: &NodeKind) -> Option<&Pipeline> {
    match kind {
        NodeKind::Subquery(node) => Some(&node.pipeline),
        NodeKind::HashJoin(node) => Some(&node.build),
        _ => None,
    }
}

/// The pipeline nested in a node, if there is one, for changing it.
pub(crate) fn nested_mut(kind: &mut NodeKind) -> Option<&mut Pipeline> {
    match kind {
        NodeKind::Subquery(node) => Some(&mut node.pipeline),
        NodeKind::HashJoin(node) => Some(&mut node.build),
        _ => None,
    }
}

/// The variables a node needs from the row it gets (those of nested pipelines included).
pub(crate) fn reads(kind: &NodeKind) -> VarSet {
    let mut set = VarSet::new();
    for_each_input(kind, &mut |var| {
        set.insert(var);
    });
    for_each_expr(kind, &mut |expr| expr.collect_reads(&mut set));
    if let Some(pipeline) = nested(kind) {
        set.union(&pipeline_reads(pipeline));
    }
    // Variables an expression of the node gets from the node itself.
    for var in own_variables(kind) {
        set.remove(var);
    }
    set
}

/// Variables bound inside the node for its own expressions.
fn own_variables(kind: &NodeKind) -> Vec<VarId> {
    match kind {
        NodeKind::EnumerateCollection(node) => vec![node.output.out],
        NodeKind::Index(node) => vec![node.output.out],
        NodeKind::EnumerateList(node) => vec![node.out],
        NodeKind::Traversal(node) => {
            let prune = node.prune.iter().flat_map(|prune| [prune.vertex, prune.edge, prune.path]).flatten();
            node.conditions.iter().map(|condition| condition.element).chain(prune).collect()
        }
        _ => Vec::new(),
    }
}

/// The variables a pipeline needs from the surrounding row.
pub(crate) fn pipeline_reads(pipeline: &Pipeline) -> VarSet {
    let mut set = VarSet::new();
    let mut set_here = VarSet::new();
    for node in &pipeline.nodes {
        set.union(&reads(&node.kind));
        for var in writes(&node.kind) {
            set_here.insert(var);
        }
        if let Some(var) = bound_inside(&node.kind) {
            set_here.insert(var);
        }
    }
    for var in set_here.iter() {
        set.remove(var);
    }
    set
}

/// Document variables a node knows although it does not produce them.
fn bound_inside(kind: &NodeKind) -> Option<VarId> {
    match kind {
        NodeKind::EnumerateCollection(node) => Some(node.output.out),
        NodeKind::Index(node) => Some(node.output.out),
        _ => None,
    }
}

fn document_writes(output: &DocumentOutput, set: &mut Vec<VarId>) {
    if output.produces_document {
        set.push(output.out);
    }
    set.extend(output.projections.iter().map(|projection| projection.out));
}

/// The variables a node sets.
pub(crate) fn writes(kind: &NodeKind) -> Vec<VarId> {
    let mut set = Vec::new();
    match kind {
        NodeKind::EnumerateCollection(node) => {
            document_writes(&node.output, &mut set);
            set.extend(node.count_into);
        }
        NodeKind::Index(node) => {
            document_writes(&node.output, &mut set);
            set.extend(node.count_into);
        }
        NodeKind::EnumerateList(node) => set.push(node.out),
        NodeKind::Calculation(node) => set.push(node.out),
        NodeKind::Collect(node) => {
            set.extend(node.groups.iter().map(|group| group.out));
            set.extend(node.aggregates.iter().map(|aggregate| aggregate.out));
            set.extend(node.into.iter().map(|into| into.out));
        }
        NodeKind::Window(node) => set.extend(node.aggregates.iter().map(|aggregate| aggregate.out)),
        NodeKind::Subquery(node) => set.push(node.out),
        NodeKind::Insert(node) => set.extend(node.out_old.into_iter().chain(node.out_new)),
        NodeKind::Update(node) | NodeKind::Replace(node) => {
            set.extend(node.out_old.into_iter().chain(node.out_new));
        }
        NodeKind::Remove(node) => set.extend(node.out_old),
        NodeKind::Upsert(node) => set.extend(node.out_new),
        NodeKind::Traversal(node) => {
            set.extend([node.vertex_out, node.edge_out, node.path_out].into_iter().flatten());
            set.extend(node.prune.iter().filter_map(|prune| prune.out));
        }
        NodeKind::ShortestPath(node) => set.extend(node.vertex_out.into_iter().chain(node.edge_out)),
        NodeKind::EnumeratePaths(node) => set.extend(node.path_out),
        NodeKind::HashJoin(node) => set.extend(node.outs.iter().copied()),
        NodeKind::Singleton
        | NodeKind::Filter { .. }
        | NodeKind::Limit(_)
        | NodeKind::Sort(_)
        | NodeKind::Return { .. }
        | NodeKind::NoResults => {}
    }
    set
}

/// Whether a node can produce more than one row for a row it gets.
pub(crate) fn is_loop(kind: &NodeKind) -> bool {
    matches!(
        kind,
        NodeKind::EnumerateCollection(_)
            | NodeKind::Index(_)
            | NodeKind::EnumerateList(_)
            | NodeKind::Traversal(_)
            | NodeKind::ShortestPath(_)
            | NodeKind::EnumeratePaths(_)
            | NodeKind::HashJoin(_)
    )
}

/// Whether a node writes documents, or holds one that does.
pub(crate) fn is_modification(kind: &NodeKind) -> bool {
    match kind {
        NodeKind::Insert(_)
        | NodeKind::Update(_)
        | NodeKind::Replace(_)
        | NodeKind::Remove(_)
        | NodeKind::Upsert(_) => true,
        _ => nested(kind).is_some_and(pipeline_modifies),
    }
}

/// Whether a pipeline writes documents.
pub(crate) fn pipeline_modifies(pipeline: &Pipeline) -> bool {
    pipeline.nodes.iter().any(|node| is_modification(&node.kind))
}

/// Calls `f` on every pipeline, innermost first.
pub(crate) fn for_each_pipeline_mut(pipeline: &mut Pipeline, f: &mut dyn FnMut(&mut Pipeline)) {
    for node in &mut pipeline.nodes {
        if let Some(nested) = nested_mut(&mut node.kind) {
            for_each_pipeline_mut(nested, f);
        }
    }
    f(pipeline);
}

/// Calls `f` on every node, those of nested pipelines before the node they are in.
pub(crate) fn for_each_node<'a>(pipeline: &'a Pipeline, f: &mut dyn FnMut(&'a Node)) {
    for node in &pipeline.nodes {
        if let Some(nested) = nested(&node.kind) {
            for_each_node(nested, f);
        }
        f(node);
    }
}

/// Calls `f` on every node, for changing it, those of nested pipelines before the node they are in.
pub(crate) fn for_each_node_mut(pipeline: &mut Pipeline, f: &mut dyn FnMut(&mut Node)) {
    for node in &mut pipeline.nodes {
        if let Some(nested) = nested_mut(&mut node.kind) {
            for_each_node_mut(nested, f);
        }
        f(node);
    }
}

/// Fills in what the executor needs to know about data flow: live variables, captures of subqueries, carried
/// variables of COLLECT, and which subqueries are constant.
pub(crate) fn annotate(plan: &mut Plan, functions: &dyn crate::catalog::FunctionCatalog) {
    annotate_pipeline(&mut plan.root, &VarSet::new(), functions);
}

fn annotate_pipeline(
    pipeline: &mut Pipeline,
    needed: &VarSet,
    functions: &dyn crate::catalog::FunctionCatalog,
) {
    let mut live = needed.clone();
    for node in pipeline.nodes.iter_mut().rev() {
        node.live_after = live.iter().collect();
        let written = writes(&node.kind);
        if let NodeKind::Collect(collect) = &mut node.kind {
            collect.carried = live.iter().filter(|var| !written.contains(var)).collect();
        }
        match &mut node.kind {
            NodeKind::Subquery(subquery) => {
                annotate_pipeline(&mut subquery.pipeline, &VarSet::new(), functions);
                subquery.captures = pipeline_reads(&subquery.pipeline).iter().collect();
                subquery.is_const = subquery.captures.is_empty()
                    && subquery.guard.is_none()
                    && !pipeline_modifies(&subquery.pipeline)
                    && !subquery.row_at_a_time
                    && pipeline_is_deterministic(&subquery.pipeline, functions);
            }
            NodeKind::HashJoin(join) => {
                let built: VarSet = join.build.nodes.iter().flat_map(|node| writes(&node.kind)).collect();
                join.outs = live.iter().filter(|var| built.contains(*var)).collect();
                let mut needed: VarSet = join.outs.iter().copied().collect();
                join.build_keys.iter().for_each(|key| key.collect_reads(&mut needed));
                annotate_pipeline(&mut join.build, &needed, functions);
            }
            _ => {}
        }
        for var in written {
            live.remove(var);
        }
        live.union(&reads(&node.kind));
    }
}

/// Whether equal surrounding rows give equal results.
pub(crate) fn pipeline_is_deterministic(
    pipeline: &Pipeline,
    functions: &dyn crate::catalog::FunctionCatalog,
) -> bool {
    let mut deterministic = true;
    for_each_node(pipeline, &mut |node| {
        for_each_expr(&node.kind, &mut |expr| deterministic &= expr.purity(functions).deterministic);
        if let NodeKind::EnumerateCollection(scan) = &node.kind {
            deterministic &= !scan.random;
        }
    });
    deterministic
}
