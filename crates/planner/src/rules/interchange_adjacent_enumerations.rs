//! `interchange-adjacent-enumerations`: additional plans with loops over collections in another order, where an index
//! could serve a join only in that order. The cheapest plan wins; at equal cost the one as written.

use super::index_match::{Condition, match_index};
use super::support::Definitions;
use crate::flow;
use crate::plan::{BinaryOperator, Expr, Node, NodeKind, Plan, VarId};
use crate::var_set::VarSet;

/// Runs of more loops than this are left as they are: the number of orders grows too fast.
const LOOPS_MAX: usize = 3;

pub(super) fn fork(plan: &Plan, room: usize) -> Vec<Plan> {
    let mut forks = Vec::new();
    let Some(run) = first_run(&plan.root.nodes) else { return forks };
    let loops: Vec<usize> = run.clone().filter(|position| is_collection_loop(plan, *position)).collect();
    if loops.len() < 2 || loops.len() > LOOPS_MAX || !has_indexable_join(plan, &run, &loops) {
        return forks;
    }
    for order in orders(loops.len()).into_iter().skip(1).take(room) {
        forks.push(reordered(plan, &run, &loops, &order));
    }
    forks
}

fn is_collection_loop(plan: &Plan, position: usize) -> bool {
    matches!(plan.root.nodes.get(position).map(|node| &node.kind), Some(NodeKind::EnumerateCollection(_)))
}

/// The nodes from the first collection loop up to whatever is no collection loop, calculation or filter.
fn first_run(nodes: &[Node]) -> Option<std::ops::Range<usize>> {
    let start = nodes.iter().position(|node| flow::is_loop(&node.kind))?;
    let length = nodes
        .iter()
        .skip(start)
        .take_while(|node| match &node.kind {
            NodeKind::EnumerateCollection(scan) => !scan.random,
            NodeKind::Calculation(_) | NodeKind::Filter { .. } => true,
            _ => false,
        })
        .count();
    (length > 1).then(|| start..start + length)
}

/// Whether an equality joins two of the collections, on an attribute an index could look up.
fn has_indexable_join(plan: &Plan, run: &std::ops::Range<usize>, loops: &[usize]) -> bool {
    let definitions = Definitions::new(plan);
    let documents: Vec<(VarId, u64)> = loops
        .iter()
        .filter_map(|position| match plan.root.nodes.get(*position).map(|node| &node.kind) {
            Some(NodeKind::EnumerateCollection(scan)) => Some((scan.output.out, scan.collection.id)),
            _ => None,
        })
        .collect();
    plan.root.nodes.iter().take(run.end).skip(run.start).any(|node| {
        let NodeKind::Filter { input } = node.kind else { return false };
        let condition = definitions.condition(input);
        condition.operands(BinaryOperator::And).into_iter().any(|part| {
            let reads = part.reads();
            let joined = documents.iter().filter(|(document, _)| reads.contains(*document)).count() > 1;
            joined
                && documents.iter().any(|(document, collection)| serves(plan, part, *document, *collection))
        })
    })
}

fn serves(plan: &Plan, part: &Expr, document: VarId, collection: u64) -> bool {
    let own: VarSet = [document].into_iter().collect();
    let condition = [Condition::new(part, document, &own)];
    plan.collections
        .iter()
        .filter(|used| used.collection.id == collection)
        .any(|used| used.meta.indexes.iter().any(|index| match_index(index, &condition).is_some()))
}

/// All orders of `n` things, the natural one first.
fn orders(n: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..n {
        all = all
            .into_iter()
            .flat_map(|order: Vec<usize>| {
                (0..n)
                    .filter(|next| !order.contains(next))
                    .map(|next| {
                        let mut longer = order.clone();
                        longer.push(next);
                        longer
                    })
                    .collect::<Vec<_>>()
            })
            .collect();
    }
    all
}

/// The plan with its loops in another order, calculations and filters of the run behind all of them; later rules
/// move those up again.
fn reordered(plan: &Plan, run: &std::ops::Range<usize>, loops: &[usize], order: &[usize]) -> Plan {
    let mut fork = plan.clone();
    let nodes: Vec<Node> = fork.root.nodes.drain(run.clone()).collect();
    let mut collections = Vec::new();
    let mut others = Vec::new();
    for (position, node) in run.clone().zip(nodes) {
        if loops.contains(&position) {
            collections.push(node);
        } else {
            others.push(node);
        }
    }
    let permuted = order.iter().filter_map(|position| collections.get(*position).cloned());
    let replacement: Vec<Node> = permuted.chain(others).collect();
    fork.root.nodes.splice(run.start..run.start, replacement);
    fork
}
