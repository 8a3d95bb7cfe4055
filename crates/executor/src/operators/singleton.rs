//! The beginning of a pipeline: one row without columns, or the rows a subquery is run for.

use std::cell::RefCell;
use std::rc::Rc;

use super::Operator;
use crate::Error;
use crate::batch::Batch;
use crate::runtime::Runtime;

/// Where a subquery puts the rows its pipeline is to run for.
#[derive(Debug, Default)]
pub(crate) struct InletRows<'q> {
    /// Taken by the beginning of the pipeline.
    pub(crate) batch: RefCell<Option<Batch<'q>>>,
    /// The same rows, for operators that need them although no row has reached them.
    pub(crate) surrounding: RefCell<Option<Batch<'q>>>,
}

/// An inlet is shared by a subquery and the operators of its pipeline.
pub(crate) type Inlet<'q> = Rc<InletRows<'q>>;

/// See the head of this file.
#[derive(Debug)]
pub(crate) enum Singleton<'q> {
    /// Of the main query.
    Row { runtime: &'q Runtime, is_done: bool },
    /// Of a subquery.
    Inlet(Inlet<'q>),
}

impl<'q> Singleton<'q> {
    pub(crate) fn row(runtime: &'q Runtime) -> Self {
        Singleton::Row { runtime, is_done: false }
    }
}

impl<'q> Operator<'q> for Singleton<'q> {
    fn next(&mut self, _wanted: usize) -> Result<Option<Batch<'q>>, Error> {
        match self {
            Singleton::Row { is_done: true, .. } => Ok(None),
            Singleton::Row { runtime, is_done } => {
                *is_done = true;
                let mut batch = Batch::new(&runtime.memory);
                batch.set_len(1);
                Ok(Some(batch))
            }
            Singleton::Inlet(inlet) => Ok(inlet.batch.borrow_mut().take()),
        }
    }

    fn rewind(&mut self) {
        if let Singleton::Row { is_done, .. } = self {
            *is_done = false;
        }
    }
}
