//! Going through the parts of nodes and pipelines.

use crate::plan::{CollectContent, Expr, KeyTerm, Node, NodeKind, Pipeline, VarId};

/// Calls a function with every expression of a node that is evaluated, as it is or for changing it.
macro_rules! for_each_expr {
    ($kind:expr, $f:expr, $iter:ident $(, $mutable:tt)?) => {
        match $kind {
            NodeKind::EnumerateCollection(node) => node.output.filter.$iter().for_each($f),
            NodeKind::Index(node) => {
                node.output.filter.$iter().for_each(&mut *$f);
                for access in node.accesses.$iter() {
                    for term in access.terms.$iter() {
                        match term {
                            KeyTerm::Equal(value) | KeyTerm::In(value) => $f(value),
                        }
                    }
                    for bound in access.lower.$iter().chain(access.upper.$iter()) {
                        $f(&$($mutable)? bound.value);
                    }
                }
            }
            NodeKind::EnumerateList(node) => node.filter.$iter().for_each($f),
            NodeKind::Calculation(node) => $f(&$($mutable)? node.expr),
            NodeKind::Subquery(node) => node.guard.$iter().for_each($f),
            NodeKind::Traversal(node) => {
                $f(&$($mutable)? node.start);
                for prune in node.prune.$iter() {
                    $f(&$($mutable)? prune.condition);
                }
                for condition in node.conditions.$iter() {
                    $f(&$($mutable)? condition.condition);
                }
            }
            NodeKind::ShortestPath(node) => {
                $f(&$($mutable)? node.start);
                $f(&$($mutable)? node.target);
            }
            NodeKind::EnumeratePaths(node) => {
                $f(&$($mutable)? node.start);
                $f(&$($mutable)? node.target);
            }
            NodeKind::HashJoin(node) => node.probe_keys.$iter().for_each($f),
            _ => {}
        }
    };
}

/// Calls `f` with every expression of a node (not of nested pipelines).
pub(crate) fn for_each_expr<'a>(kind: &'a NodeKind, f: &mut dyn FnMut(&'a Expr)) {
    for_each_expr!(kind, f, iter);
}

/// Calls `f` with every expression of a node, for changing it (not of nested pipelines). Conditions that are only shown
/// are among them.
pub(crate) fn for_each_expr_mut(kind: &mut NodeKind, f: &mut dyn FnMut(&mut Expr)) {
    for_each_expr!(&mut *kind, &mut *f, iter_mut, mut);
    if let NodeKind::Index(node) = kind {
        node.condition.iter_mut().flatten().for_each(f);
    }
}

/// Calls a function with every variable that a node reads directly, as it is or for changing it.
macro_rules! for_each_input {
    ($kind:expr, $f:expr, $iter:ident $(, $mutable:tt)?) => {
        match $kind {
            NodeKind::EnumerateList(node) => $f(&$($mutable)? node.input),
            NodeKind::Filter { input } | NodeKind::Return { input } => $f(input),
            NodeKind::Sort(node) => node.keys.$iter().for_each(|key| $f(&$($mutable)? key.var)),
            NodeKind::Collect(node) => {
                node.groups.$iter().for_each(|group| $f(&$($mutable)? group.input));
                node.aggregates.$iter().flat_map(|aggregate| aggregate.input.$iter()).for_each(&mut *$f);
                for into in node.into.$iter() {
                    match &$($mutable)? into.content {
                        CollectContent::Value(var) => $f(var),
                        CollectContent::Variables(vars) => vars.$iter().for_each(|(_, var)| $f(var)),
                    }
                }
                node.carried.$iter().for_each($f);
            }
            NodeKind::Window(node) => {
                node.range.$iter().for_each(&mut *$f);
                node.aggregates.$iter().flat_map(|aggregate| aggregate.input.$iter()).for_each($f);
            }
            NodeKind::Insert(node) => $f(&$($mutable)? node.input),
            NodeKind::Update(node) | NodeKind::Replace(node) => {
                $f(&$($mutable)? node.input_doc);
                node.input_key.$iter().for_each($f);
            }
            NodeKind::Remove(node) => $f(&$($mutable)? node.input),
            NodeKind::Upsert(node) => {
                $f(&$($mutable)? node.input_doc);
                $f(&$($mutable)? node.insert);
                $f(&$($mutable)? node.update);
            }
            _ => {}
        }
    };
}

/// Calls `f` with every variable a node reads directly, not through expressions.
pub(crate) fn for_each_input(kind: &NodeKind, f: &mut dyn FnMut(VarId)) {
    let f = &mut |var: &VarId| f(*var);
    for_each_input!(kind, f, iter);
}

/// Calls `f` with every variable a node reads directly (not through expressions), for changing it.
pub(crate) fn for_each_input_mut(kind: &mut NodeKind, f: &mut dyn FnMut(&mut VarId)) {
    for_each_input!(kind, f, iter_mut, mut);
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
