//! A running query: the state all operators borrow from, and the operators, in one value.
#![allow(unsafe_code)]

use std::rc::Rc;
use std::sync::Arc;

use persea_collections::{Savepoint, Transaction, View};
use persea_functions::{Environment, Warning};
use persea_order::Value;
use persea_planner::Plan;

use crate::Error;
use crate::batch::{BATCH_ROWS, Batch, Register};
use crate::build::build;
use crate::expression::check_range;
use crate::operators::BoxedOperator;
use crate::runtime::{Access, QueryContext, Runtime};
use crate::stats::QueryStats;

/// What is left of a query when it has ended.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// What it did.
    pub stats: QueryStats,
    /// What it warned of.
    pub warnings: Vec<Warning>,
    /// What it was given to read and write. A transaction holds its writes; committing it is up to the caller.
    pub access: Access,
}

/// A query being run, from which results are pulled.
///
/// It may be moved between threads and kept as long as its snapshot may live. When a call fails, everything the query
/// has written is undone and the query is over. With [`IntermediateCommits`](crate::IntermediateCommits) that is up to
/// the caller, by dropping the transaction.
pub struct Cursor {
    /// Borrows from `runtime`, although its type does not say so; dropped first. None before the first row is asked for and
    /// after the end.
    operators: Option<Root<'static>>,
    runtime: Rc<Runtime>,
    savepoint: Option<Savepoint>,
    is_done: bool,
}

/// The operators of a plan, and results that have been computed but not been asked for.
struct Root<'q> {
    operator: BoxedOperator<'q>,
    result: Option<Register>,
    pending: Option<(Batch<'q>, usize)>,
}

// SAFETY: what keeps a cursor from being `Send` are the `Rc`s and raw pointers inside of it. Every clone of such an `Rc`
// (arenas, memory counter, inlets, the runtime itself) lives in the operators or the runtime of the same cursor, so all
// move together and never are used by two threads at once; no method hands one out. What is borrowed or owned
// besides is `Send`, which `assert_parts_are_send` checks.
unsafe impl Send for Cursor {}

const fn assert_send<T: Send>() {}
const _: () = {
    assert_send::<Transaction>();
    assert_send::<View>();
    assert_send::<Environment>();
    assert_send::<Arc<Plan>>();
    assert_send::<Value<'static>>();
};

impl Cursor {
    /// Prepares a query. Nothing runs before the first row is asked for.
    ///
    /// # Errors
    /// When no snapshot can be taken.
    pub fn new(plan: Arc<Plan>, mut context: QueryContext) -> Result<Self, Error> {
        let savepoint = match &mut context.access {
            // There is no way back behind a commit: whoever gets the transaction back has to drop it.
            _ if context.options.intermediate_commits.is_some() => None,
            Access::Write(transaction) if plan.is_modification => Some(transaction.savepoint()),
            _ => None,
        };
        let runtime = Rc::new(Runtime::new(plan, context)?);
        Ok(Cursor { operators: None, runtime, savepoint, is_done: false })
    }

    /// Passes on up to `most` results; false when there are no more.
    ///
    /// # Errors
    /// Whatever ends the query, what `sink` returns included.
    pub fn next_rows(
        &mut self,
        most: usize,
        sink: &mut dyn FnMut(Value<'_>) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        if self.is_done {
            return Ok(false);
        }
        let result = self.advance(most, sink);
        match result {
            Ok(true) => Ok(true),
            Ok(false) => {
                self.is_done = true;
                self.operators = None;
                Ok(false)
            }
            Err(error) => {
                self.is_done = true;
                self.operators = None;
                self.undo()?;
                Err(error)
            }
        }
    }

    /// Passes on all results.
    ///
    /// # Errors
    /// As [`Cursor::next_rows`].
    pub fn run(&mut self, sink: &mut dyn FnMut(Value<'_>) -> Result<(), Error>) -> Result<(), Error> {
        while self.next_rows(usize::MAX, sink)? {}
        Ok(())
    }

    /// The warnings so far.
    pub fn warnings(&self) -> Vec<Warning> {
        self.runtime.env.warnings().to_vec()
    }

    /// The counters so far.
    pub fn stats(&self) -> QueryStats {
        let mut stats = self.runtime.counters.to_stats();
        stats.execution_time = self.runtime.elapsed();
        stats.peak_memory_usage = self.runtime.memory.peak();
        stats
    }

    /// The plan that is run.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.runtime.plan
    }

    /// Ends the query, whether or not all results have been asked for.
    pub fn finish(mut self) -> Outcome {
        self.operators = None;
        let transaction = self.runtime.transaction.borrow_mut().take();
        let access = match transaction {
            Some(transaction) => Access::Write(transaction),
            None => Access::Read(self.runtime.view.clone()),
        };
        Outcome { stats: self.stats(), warnings: self.warnings(), access }
    }

    fn advance(
        &mut self,
        most: usize,
        sink: &mut dyn FnMut(Value<'_>) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        let root = match &mut self.operators {
            Some(root) => root,
            none => none.insert(open(&self.runtime)?),
        };
        let mut left = most;
        while left > 0 {
            let (batch, next) = match root.pending.take() {
                Some(pending) => pending,
                None => match root.operator.next(left.min(BATCH_ROWS))? {
                    Some(batch) => (batch, 0),
                    None => return Ok(false),
                },
            };
            let Some(result) = root.result else { continue };
            let end = batch.len().min(next.saturating_add(left));
            for row in next..end {
                let value = batch.value(result, row);
                check_range(value)?;
                sink(value)?;
            }
            left -= end - next;
            if end < batch.len() {
                root.pending = Some((batch, end));
            }
        }
        Ok(true)
    }

    /// Undoes what the query has written.
    fn undo(&mut self) -> Result<(), Error> {
        if let (Some(savepoint), Some(transaction)) =
            (self.savepoint.take(), self.runtime.transaction.borrow_mut().as_mut())
        {
            transaction.rollback_to(&savepoint)?;
        }
        Ok(())
    }
}

impl Drop for Cursor {
    fn drop(&mut self) {
        // The operators borrow from the runtime and must go first, whatever the order of the fields.
        self.operators = None;
    }
}

impl std::fmt::Debug for Cursor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cursor").field("is_done", &self.is_done).finish_non_exhaustive()
    }
}

fn open(runtime: &Rc<Runtime>) -> Result<Root<'static>, Error> {
    let address = Rc::as_ptr(runtime);
    // SAFETY: the runtime lies on the heap behind an `Rc` that the cursor holds as long as its operators exist: they are
    // dropped before it. It is never borrowed mutably. The `'static` is private to the cursor, which lends out values for
    // the duration of a call of `sink` only.
    let runtime: &'static Runtime = unsafe { &*address };
    let built = build(runtime)?;
    Ok(Root { operator: built.operator, result: built.result, pending: None })
}

/// Runs a plan to its end, passing its results to `sink` one by one.
///
/// # Errors
/// Whatever ends the query. A transaction that was passed in is then dropped, and with it everything it has written;
/// use a [`Cursor`] to keep it.
pub fn execute(
    plan: Arc<Plan>,
    context: QueryContext,
    mut sink: impl FnMut(Value<'_>) -> Result<(), Error>,
) -> Result<Outcome, Error> {
    let mut cursor = Cursor::new(plan, context)?;
    cursor.run(&mut sink)?;
    Ok(cursor.finish())
}
