//! Subqueries: a nested pipeline in front of the expression that uses its result.

use persea_aql::ast;

use super::Builder;
use crate::error::Error;
use crate::plan::{NodeKind, Pipeline, SubqueryNode, VarId};

impl Builder<'_> {
    /// Emits a Subquery node whose results go to `out`.
    pub(super) fn subquery_into(&mut self, block: &ast::Block, out: VarId) -> Result<(), Error> {
        let pipeline = self.nested(|builder| builder.block(block))?;
        let uses_current = pipeline_reads_any(&pipeline, &self.currents);
        if uses_current {
            return Err(Error::NotImplemented("subqueries that use CURRENT".into()));
        }
        let guard = self.guard();
        self.push_subquery(pipeline, out, guard, false)
    }

    /// Builds a pipeline in a query level of its own.
    pub(super) fn nested(
        &mut self,
        build: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<Pipeline, Error> {
        let guards = std::mem::take(&mut self.guards);
        self.scopes.open_query();
        self.open_level()?;
        build(self)?;
        self.scopes.close_query();
        self.guards = guards;
        let nodes = self.levels.pop().map(|level| level.nodes).unwrap_or_default();
        Ok(Pipeline { nodes })
    }

    pub(super) fn push_subquery(
        &mut self,
        pipeline: Pipeline,
        out: VarId,
        guard: Option<crate::plan::Expr>,
        row_at_a_time: bool,
    ) -> Result<(), Error> {
        self.push(NodeKind::Subquery(SubqueryNode {
            pipeline,
            out,
            captures: Vec::new(),
            is_const: false,
            guard,
            row_at_a_time,
            only_count: false,
        }))
    }
}

fn pipeline_reads_any(pipeline: &Pipeline, vars: &[VarId]) -> bool {
    !vars.is_empty() && {
        let reads = crate::flow::pipeline_reads(pipeline);
        vars.iter().any(|var| reads.contains(*var))
    }
}
