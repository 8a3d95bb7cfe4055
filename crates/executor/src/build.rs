//! From a plan to a chain of operators.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::rc::Rc;

use persea_order::Value;
use persea_planner::plan::{self, Expr, Node, NodeKind, Pipeline, VarId};

use crate::Error;
use crate::batch::Register;
use crate::expression::{Compiled, Compiler};
use crate::operators::modification::Modification;
use crate::operators::{
    BoxedOperator, Calculation, DocumentOutput, EnumerateCollection, EnumerateList, EnumeratePaths, Filter,
    HashJoin, IndexLookup, Inlet, InletRows, Insert, Limit, Live, NoResults, Profiled, Remove, ReturnRows,
    ScanMode, ShortestPath, Singleton, Sort, Subquery, SubqueryMode, SubqueryParts, Traversal, Update,
    Upsert, Window, collect,
};
use crate::runtime::Runtime;
use crate::stats::{NodeFigures, NodeProfile};

/// A pipeline as operators.
pub(crate) struct Built<'q> {
    pub(crate) operator: BoxedOperator<'q>,
    /// The register of the results; none if the pipeline ends in a modification.
    pub(crate) result: Option<Register>,
}

/// Builds the operators of a whole plan.
pub(crate) fn build<'q>(runtime: &'q Runtime) -> Result<Built<'q>, Error> {
    let builder = Builder {
        runtime,
        compiler: Compiler::new(&runtime.plan.variables),
        next_register: Cell::new(runtime.plan.variables.len()),
    };
    let scope = Scope { extra: Vec::new(), available: BTreeSet::new(), inlet: None };
    builder.pipeline(&runtime.plan.root, Box::new(Singleton::row(runtime)), scope)
}

struct Builder<'q> {
    runtime: &'q Runtime,
    compiler: Compiler<'q>,
    /// Registers that no variable of the plan has.
    next_register: Cell<Register>,
}

/// What the operators of one pipeline have in common.
struct Scope<'q> {
    /// Registers to be kept through the whole pipeline.
    extra: Vec<Register>,
    /// Registers that have columns so far.
    available: BTreeSet<Register>,
    /// Where the rows of the surrounding query come in.
    inlet: Option<Inlet<'q>>,
}

impl Scope<'_> {
    /// The registers kept after a node.
    fn live(&self, node: &Node) -> Live {
        registers(node.live_after.iter().copied(), &self.extra)
    }

    /// The registers of the input that a node copies to its output rows: those kept after it and those `expr` reads.
    fn passed(&self, node: &Node, expr: Option<&Expr>) -> Live {
        let read = expr.map(Expr::reads);
        registers(
            node.live_after.iter().copied().chain(read.iter().flat_map(|read| read.iter())),
            &self.extra,
        )
    }
}

fn registers(vars: impl Iterator<Item = VarId>, extra: &[Register]) -> Live {
    let set: BTreeSet<Register> = vars.map(VarId::index).chain(extra.iter().copied()).collect();
    set.into_iter().collect()
}

/// Whether a node treats each of its input rows by itself and keeps their order.
fn is_row_by_row(kind: &NodeKind) -> bool {
    match kind {
        NodeKind::Singleton
        | NodeKind::EnumerateCollection(_)
        | NodeKind::Index(_)
        | NodeKind::EnumerateList(_)
        | NodeKind::Calculation(_)
        | NodeKind::Filter { .. }
        | NodeKind::Return { .. }
        | NodeKind::Traversal(_)
        | NodeKind::ShortestPath(_)
        | NodeKind::EnumeratePaths(_)
        | NodeKind::NoResults => true,
        NodeKind::HashJoin(node) => !node.build.modifies(),
        NodeKind::Subquery(node) => !node.row_at_a_time && !node.pipeline.modifies(),
        _ => false,
    }
}

impl<'q> Builder<'q> {
    fn pipeline(
        &self,
        pipeline: &'q Pipeline,
        start: BoxedOperator<'q>,
        mut scope: Scope<'q>,
    ) -> Result<Built<'q>, Error> {
        let mut operator = start;
        let mut result = None;
        let mut input_writes = false;
        let mut upstream = None;
        let mut position = 0;
        while let Some(node) = pipeline.nodes.get(position) {
            let rest = &pipeline.nodes[position..];
            position += 1;
            let following = rest.get(1);
            if let Some((condition, filter)) = self.foldable(node, following) {
                let condition = self.compiler.compile(condition);
                let live = scope.live(filter);
                operator = Box::new(Filter { input: operator, runtime: self.runtime, condition, live });
                position += 1;
                continue;
            }
            if let Some((calculations, last)) = self.neighboring_calculations(rest) {
                position += calculations.len() - 1;
                scope.available.extend(calculations.iter().map(|(_, out)| *out));
                operator =
                    Box::new(Calculation::new(operator, self.runtime, calculations, Some(scope.live(last))));
                continue;
            }
            operator = self.with_constants(operator, node, &mut scope);
            if let NodeKind::Return { input } = &node.kind {
                result = Some(input.index());
            }
            let is_last = following.is_none();
            operator = self.node(node, operator, &mut scope, input_writes, is_last)?;
            input_writes |= node.kind.modifies();
            if self.runtime.is_profiled {
                let slot = self.add_profile(node, upstream);
                upstream = Some(slot);
                operator = Box::new(Profiled { inner: operator, runtime: self.runtime, slot });
            }
        }
        Ok(Built { operator, result })
    }

    fn add_profile(&self, node: &Node, upstream: Option<usize>) -> usize {
        let mut nodes = self.runtime.counters.nodes.borrow_mut();
        let profile = NodeProfile { id: node.id.0, ..NodeProfile::default() };
        nodes.push(NodeFigures { profile, upstream });
        nodes.len() - 1
    }

    /// The condition of a Filter whose variable is computed right before and read by nothing else.
    fn foldable(&self, node: &'q Node, following: Option<&'q Node>) -> Option<(&'q Expr, &'q Node)> {
        let (NodeKind::Calculation(calculation), Some(filter)) = (&node.kind, following) else { return None };
        let NodeKind::Filter { input } = &filter.kind else { return None };
        let is_only_use = *input == calculation.out && !filter.live_after.contains(input);
        (is_only_use && !self.runtime.is_profiled).then_some((&calculation.expr, filter))
    }

    /// The Calculations at the beginning of a list of nodes, if there are several, and the last of their nodes. One that
    /// a Filter behind it can be folded with is left out.
    #[allow(clippy::type_complexity, reason = "what one operator is made of")]
    fn neighboring_calculations(
        &self,
        nodes: &'q [Node],
    ) -> Option<(Vec<(Compiled<'q>, Register)>, &'q Node)> {
        if self.runtime.is_profiled {
            return None;
        }
        let mut steps = Vec::new();
        for (position, node) in nodes.iter().enumerate() {
            match &node.kind {
                NodeKind::Calculation(calculation)
                    if self.foldable(node, nodes.get(position + 1)).is_none() =>
                {
                    steps.push((self.compiler.compile(&calculation.expr), calculation.out.index()));
                }
                _ => break,
            }
        }
        let last = nodes.get(steps.len().checked_sub(1)?)?;
        (steps.len() > 1).then_some((steps, last))
    }

    /// Writes columns for constants that a node reads as registers but no earlier node computes.
    fn with_constants(
        &self,
        mut operator: BoxedOperator<'q>,
        node: &'q Node,
        scope: &mut Scope<'q>,
    ) -> BoxedOperator<'q> {
        for var in inputs(&node.kind) {
            let constant = self.runtime.plan.variables.get(var.index()).and_then(|var| var.constant.as_ref());
            if let Some(constant) = constant
                && scope.available.insert(var.index())
            {
                let expr = Compiled::Const(Value::from_slice(constant.as_slice()));
                operator =
                    Box::new(Calculation::new(operator, self.runtime, vec![(expr, var.index())], None));
            }
        }
        operator
    }

    fn node(
        &self,
        node: &'q Node,
        input: BoxedOperator<'q>,
        scope: &mut Scope<'q>,
        input_writes: bool,
        is_last: bool,
    ) -> Result<BoxedOperator<'q>, Error> {
        let (runtime, compiler) = (self.runtime, self.compiler);
        let live = scope.live(node);
        Ok(match &node.kind {
            NodeKind::Singleton => input,
            NodeKind::EnumerateCollection(scan) => {
                let mode = match scan.count_into {
                    Some(out) => ScanMode::Count(out.index()),
                    None if scan.random => ScanMode::Random,
                    None => ScanMode::All,
                };
                Box::new(EnumerateCollection::new(
                    input,
                    runtime,
                    runtime.collection(&scan.collection)?,
                    DocumentOutput::compile(&scan.output, compiler),
                    mode,
                    scan.read_own_writes,
                    scope.passed(node, scan.output.filter.as_ref()),
                    live,
                ))
            }
            NodeKind::Index(index) => {
                let passed = scope.passed(node, index.output.filter.as_ref());
                Box::new(IndexLookup::new(input, runtime, index, compiler, passed, live)?)
            }
            NodeKind::EnumerateList(list) => Box::new(EnumerateList::new(
                input,
                runtime,
                compiler.compile_variable(list.input),
                list.out.index(),
                list.filter.as_ref().map(|filter| compiler.compile(filter)),
                scope.passed(node, list.filter.as_ref()),
                live,
            )),
            NodeKind::Calculation(calculation) => {
                scope.available.insert(calculation.out.index());
                let steps = vec![(compiler.compile(&calculation.expr), calculation.out.index())];
                Box::new(Calculation::new(input, runtime, steps, Some(live)))
            }
            NodeKind::Filter { input: var } => {
                Box::new(Filter { input, runtime, condition: compiler.compile_variable(*var), live })
            }
            NodeKind::Limit(limit) => Box::new(Limit::new(
                input,
                runtime,
                limit.offset,
                limit.count,
                limit.full_count,
                input_writes,
            )),
            NodeKind::Sort(sort) => {
                let keys = sort.keys.iter().map(|key| (key.var.index(), key.ascending)).collect();
                Box::new(Sort::new(input, runtime, keys, sort.limit, live))
            }
            NodeKind::Collect(node) => collect(input, runtime, node, scope.inlet.clone())?,
            NodeKind::Window(window) => Box::new(Window::new(input, runtime, window, live)?),
            NodeKind::Return { input: var } => {
                Box::new(ReturnRows { input, runtime, live: registers(std::iter::once(*var), &scope.extra) })
            }
            NodeKind::NoResults => Box::new(NoResults),
            NodeKind::Subquery(subquery) => self.subquery(subquery, input, live)?,
            NodeKind::Traversal(traversal) => {
                let conditions = traversal.conditions.iter().map(|condition| &condition.condition);
                let prune = traversal.prune.iter().map(|prune| &prune.condition);
                let captures: Live = {
                    let reads: Vec<_> = conditions.chain(prune).map(Expr::reads).collect();
                    registers(reads.iter().flat_map(|set| set.iter()), &[])
                };
                let passed = scope.passed(node, None);
                Box::new(Traversal::new(input, runtime, traversal, compiler, captures, passed, live)?)
            }
            NodeKind::ShortestPath(path) => {
                Box::new(ShortestPath::new(input, runtime, path, compiler, scope.passed(node, None), live)?)
            }
            NodeKind::EnumeratePaths(paths) => Box::new(EnumeratePaths::new(
                input,
                runtime,
                paths,
                compiler,
                scope.passed(node, None),
                live,
            )?),
            NodeKind::HashJoin(join) => self.hash_join(join, input, scope.passed(node, None), live)?,
            kind => self.modification(kind, input, live, is_last)?,
        })
    }

    fn hash_join(
        &self,
        join: &'q plan::HashJoinNode,
        input: BoxedOperator<'q>,
        passed: Live,
        live: Live,
    ) -> Result<BoxedOperator<'q>, Error> {
        let reads: Vec<_> = join.build_keys.iter().map(Expr::reads).collect();
        let kept = registers(reads.iter().flat_map(|set| set.iter()).chain(join.outs.iter().copied()), &[]);
        let scope = Scope { extra: kept.to_vec(), available: BTreeSet::new(), inlet: None };
        let build = self.pipeline(&join.build, Box::new(Singleton::row(self.runtime)), scope)?;
        Ok(Box::new(HashJoin::new(
            input,
            build.operator,
            self.runtime,
            self.compiler.all(&join.build_keys),
            self.compiler.all(&join.probe_keys),
            registers(join.outs.iter().copied(), &[]).to_vec(),
            passed,
            live,
        )))
    }

    fn subquery(
        &self,
        node: &'q plan::SubqueryNode,
        input: BoxedOperator<'q>,
        live: Live,
    ) -> Result<BoxedOperator<'q>, Error> {
        let mut extra = Vec::new();
        let mode = if node.row_at_a_time {
            SubqueryMode::RowAtATime
        } else if node.is_const {
            SubqueryMode::Constant
        } else if node.pipeline.nodes.iter().all(|node| is_row_by_row(&node.kind)) {
            let ordinal = self.next_register.replace(self.next_register.get() + 1);
            extra.push(ordinal);
            SubqueryMode::Batched(ordinal)
        } else {
            SubqueryMode::RowByRow
        };
        let captures = registers(node.captures.iter().copied(), &[]);
        let inlet: Inlet<'q> = Rc::new(InletRows::default());
        let scope =
            Scope { extra, available: captures.iter().copied().collect(), inlet: Some(inlet.clone()) };
        let start = Box::new(Singleton::Inlet(inlet.clone()));
        let built = self.pipeline(&node.pipeline, start, scope)?;
        let parts = SubqueryParts {
            pipeline: built.operator,
            inlet,
            mode,
            result: built.result,
            only_count: node.only_count,
            guard: node.guard.as_ref().map(|guard| self.compiler.compile(guard)),
            captures,
            out: node.out.index(),
        };
        Ok(Box::new(Subquery::new(input, self.runtime, parts, live)))
    }

    fn modification(
        &self,
        kind: &'q NodeKind,
        input: BoxedOperator<'q>,
        live: Live,
        is_last: bool,
    ) -> Result<BoxedOperator<'q>, Error> {
        let common = |input, collection, options, out_old, out_new| {
            Modification::new(input, self.runtime, collection, options, out_old, out_new, live, is_last)
        };
        Ok(match kind {
            NodeKind::Insert(node) => Box::new(Insert {
                common: common(input, &node.collection, &node.options, node.out_old, node.out_new)?,
                document: node.input.index(),
            }),
            NodeKind::Update(node) | NodeKind::Replace(node) => Box::new(Update {
                common: common(input, &node.collection, &node.options, node.out_old, node.out_new)?,
                document: node.input_doc.index(),
                key: node.input_key.map(VarId::index),
                replaces: matches!(kind, NodeKind::Replace(_)),
            }),
            NodeKind::Remove(node) => Box::new(Remove {
                common: common(input, &node.collection, &node.options, node.out_old, None)?,
                key: node.input.index(),
            }),
            NodeKind::Upsert(node) => Box::new(Upsert {
                common: common(input, &node.collection, &node.options, None, node.out_new)?,
                found: node.input_doc.index(),
                insert: node.insert.index(),
                update: node.update.index(),
                replaces: node.is_replace,
            }),
            _ => return Err(Error::NotImplemented("a node of the plan".to_owned())),
        })
    }
}

/// The variables a node reads as registers; others it takes as the constants that they are.
fn inputs(kind: &NodeKind) -> Vec<VarId> {
    let mut inputs = Vec::new();
    if !matches!(kind, NodeKind::EnumerateList(_) | NodeKind::Filter { .. }) {
        kind.for_each_input(&mut |var| inputs.push(var));
    }
    inputs
}
