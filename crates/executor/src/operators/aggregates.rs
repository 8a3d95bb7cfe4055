//! The aggregates of Collect and Window.

use persea_functions::{AggregateKind, aggregate};
use persea_planner::plan::{self, VarId};

use crate::Error;
use crate::batch::Register;

/// Which aggregate, the register of its argument if it has one, and that of its result.
pub(super) type Aggregate = (AggregateKind, Option<Register>, Register);

/// The aggregates of a node.
pub(super) fn aggregates(list: &[plan::Aggregate]) -> Result<Vec<Aggregate>, Error> {
    let compiled = list.iter().map(|item| {
        let kind = aggregate(&item.function)
            .ok_or_else(|| Error::NotImplemented(format!("aggregate {}", item.function)))?;
        Ok((kind, item.input.map(VarId::index), item.out.index()))
    });
    compiled.collect()
}
