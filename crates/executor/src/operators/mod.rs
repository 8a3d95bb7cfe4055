//! The operators, one a file, and what they share.
//!
//! A plan becomes a chain of operators, each pulling batches of rows from the one before it. An operator that stands
//! inside a subquery can be rewound: it forgets its state, and its next batch begins with whatever the inlet of the
//! subquery holds by then.

mod aggregates;
mod calculation;
mod collect;
mod document_output;
mod enumerate_collection;
mod enumerate_list;
mod enumerate_paths;
mod filter;
mod graph_source;
mod hash_join;
mod index;
mod insert;
mod limit;
pub(crate) mod modification;
mod no_results;
mod outer_rows;
mod path_values;
mod profiled;
mod remove;
mod return_rows;
mod shortest_path;
mod singleton;
mod sort;
mod subquery;
mod traversal;
mod update;
mod upsert;
mod window;
mod window_bounds;

pub(crate) use calculation::Calculation;
pub(crate) use collect::collect;
pub(crate) use document_output::DocumentOutput;
pub(crate) use enumerate_collection::{EnumerateCollection, ScanMode};
pub(crate) use enumerate_list::EnumerateList;
pub(crate) use enumerate_paths::EnumeratePaths;
pub(crate) use filter::Filter;
pub(crate) use hash_join::HashJoin;
pub(crate) use index::IndexLookup;
pub(crate) use insert::Insert;
pub(crate) use limit::Limit;
pub(crate) use no_results::NoResults;
pub(crate) use profiled::Profiled;
pub(crate) use remove::Remove;
pub(crate) use return_rows::ReturnRows;
pub(crate) use shortest_path::ShortestPath;
pub(crate) use singleton::{Inlet, InletRows, Singleton};
pub(crate) use sort::Sort;
pub(crate) use subquery::{Subquery, SubqueryMode, SubqueryParts};
pub(crate) use traversal::Traversal;
pub(crate) use update::Update;
pub(crate) use upsert::Upsert;
pub(crate) use window::Window;

use persea_order::{Value, hash};

use crate::Error;
use crate::batch::{Batch, Register, Scope};
use crate::expression::{Compiled, Evaluator, Rows};
use crate::runtime::Runtime;

/// One step of a running plan.
pub(crate) trait Operator<'q> {
    /// The next rows, at least one; `None` when there are no more.
    ///
    /// `wanted` tells how many rows are of use to the caller. More may be returned, but an operator that works for each
    /// row should not work ahead of it.
    fn next(&mut self, wanted: usize) -> Result<Option<Batch<'q>>, Error>;

    /// Back to the beginning, for the next row of the surrounding query.
    fn rewind(&mut self);
}

/// An operator of any kind.
pub(crate) type BoxedOperator<'q> = Box<dyn Operator<'q> + 'q>;

/// The registers that operators behind this one read, ascending.
pub(crate) type Live = Box<[Register]>;

/// An evaluator for the columns of a batch that is being written.
pub(crate) fn evaluator<'s, 'q>(scope: Scope<'s, 'q>, runtime: &'q Runtime) -> Evaluator<'s, 'q>
where
    'q: 's,
{
    Evaluator::new(scope.batch(), scope, runtime)
}

/// An evaluator for the columns of another batch than the one that is being written.
pub(crate) fn evaluator_on<'s, 'q>(
    source: &'s Batch<'q>,
    scope: Scope<'s, 'q>,
    runtime: &'q Runtime,
) -> Evaluator<'s, 'q>
where
    'q: 's,
{
    Evaluator::new(source, scope, runtime)
}

/// The hash of several values, from that of all but the last, and the last. The order of the values matters.
#[inline]
pub(crate) fn combine_hash(combined: u64, value: Value<'_>) -> u64 {
    combined.rotate_left(26).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ hash(value)
}

/// Computes expressions for all rows of a batch into the columns 0, 1, … of a batch of their own.
pub(crate) fn parameters<'q>(
    source: &Batch<'q>,
    exprs: &[Compiled<'q>],
    runtime: &'q Runtime,
) -> Result<Batch<'q>, Error> {
    let mut parameters = Batch::new(&runtime.memory);
    for (register, expr) in exprs.iter().enumerate() {
        parameters.write_from(source, &[register], |scope, source, columns| match columns {
            [column] => evaluator_on(source, scope, runtime).evaluate(expr, Rows::All(source.len()), column),
            _ => Err(Error::Internal("one register has one column")),
        })?;
    }
    parameters.set_len(source.len());
    Ok(parameters)
}

/// Computes an expression for all rows of a batch into a column.
pub(crate) fn compute<'q>(
    batch: &mut Batch<'q>,
    expr: &Compiled<'q>,
    out: Register,
    runtime: &'q Runtime,
) -> Result<(), Error> {
    let len = batch.len();
    batch.fill(out, |scope, column| evaluator(scope, runtime).evaluate(expr, Rows::All(len), column))
}

/// Keeps the rows of a batch for which a condition is truthy; returns how many were dropped.
pub(crate) fn filter_rows<'q>(
    batch: &mut Batch<'q>,
    condition: &Compiled<'q>,
    runtime: &'q Runtime,
) -> Result<usize, Error> {
    let mut rows: Vec<u32> = (0..batch.len() as u32).collect();
    batch.write(&[], |scope, _| evaluator(scope, runtime).select(condition, &mut rows))?;
    let dropped = batch.len() - rows.len();
    batch.keep_rows(&rows);
    Ok(dropped)
}
