//! The beginning of a pipeline: one row without columns, or the rows a subquery is run for.

use std::cell::RefCell;
use std::rc::Rc;

use super::Operator;
use crate::Error;
use crate::batch::Batch;
use crate::runtime::Runtime;

/// Where a subquery puts the rows its pipeline is to run for.
pub(crate) type Inlet<'q> = Rc<RefCell<Option<Batch<'q>>>>;

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
            Singleton::Inlet(inlet) => Ok(inlet.borrow_mut().take()),
        }
    }

    fn rewind(&mut self) {
        if let Singleton::Row { is_done, .. } = self {
            *is_done = false;
        }
    }
}
