//! Collect: groups rows by hash or along their order, counts them, or keeps distinct ones.

mod distinct;
mod groups;
mod hash;
mod sorted;

use persea_planner::plan::{self, CollectContent, CollectMethod};

use super::aggregates::{Aggregate, aggregates};
use super::{BoxedOperator, Inlet, Live};
use crate::Error;
use crate::batch::Register;
use crate::runtime::Runtime;
use distinct::Distinct;
use groups::Groups;
use hash::HashCollect;
use sorted::SortedCollect;

/// What a Collect node computes, with registers instead of variables.
pub(crate) struct Specification<'q> {
    /// Input and output of each group value.
    pub(crate) groups: Vec<(Register, Register)>,
    pub(crate) aggregates: Vec<Aggregate>,
    pub(crate) into: Option<(Content<'q>, Register)>,
    /// Registers that are the same in all rows and stay.
    pub(crate) carried: Vec<Register>,
    /// Where their values are found if there are no rows.
    pub(crate) inlet: Option<Inlet<'q>>,
}

/// The members of INTO.
pub(crate) enum Content<'q> {
    Value(Register),
    Variables(Vec<(&'q str, Register)>),
}

impl Content<'_> {
    /// The registers needed to build members, ascending.
    fn registers(&self) -> Live {
        let mut registers: Vec<Register> = match self {
            Content::Value(register) => vec![*register],
            Content::Variables(variables) => variables.iter().map(|(_, register)| *register).collect(),
        };
        registers.sort_unstable();
        registers.dedup();
        registers.into()
    }
}

impl<'q> Specification<'q> {
    /// The registers that make a group.
    fn inputs(&self) -> Vec<Register> {
        self.groups.iter().map(|(input, _)| *input).collect()
    }

    /// The registers copied for each group: its values, then what is carried along.
    fn kept(&self) -> Vec<Register> {
        self.inputs().into_iter().chain(self.carried.iter().copied()).collect()
    }

    /// The registers the copies go to.
    fn outs(&self) -> Vec<Register> {
        self.groups.iter().map(|(_, out)| *out).chain(self.carried.iter().copied()).collect()
    }

    fn compile(node: &'q plan::CollectNode, inlet: Option<Inlet<'q>>) -> Result<Self, Error> {
        let aggregates = aggregates(&node.aggregates)?;
        Ok(Specification {
            groups: node.groups.iter().map(|group| (group.input.index(), group.out.index())).collect(),
            aggregates,
            into: node.into.as_ref().map(|into| {
                let content = match &into.content {
                    CollectContent::Value(var) => Content::Value(var.index()),
                    CollectContent::Variables(variables) => Content::Variables(
                        variables.iter().map(|(name, var)| (&**name, var.index())).collect(),
                    ),
                };
                (content, into.out.index())
            }),
            carried: node.carried.iter().map(|var| var.index()).collect(),
            inlet,
        })
    }
}

/// The operator for a Collect node.
pub(crate) fn collect<'q>(
    input: BoxedOperator<'q>,
    runtime: &'q Runtime,
    node: &'q plan::CollectNode,
    inlet: Option<Inlet<'q>>,
) -> Result<BoxedOperator<'q>, Error> {
    let specification = Specification::compile(node, inlet)?;
    let only_groups = specification.aggregates.is_empty() && specification.into.is_none();
    Ok(match node.method {
        CollectMethod::Distinct if only_groups => Box::new(Distinct::new(input, runtime, specification)),
        CollectMethod::Sorted if !specification.groups.is_empty() => {
            Box::new(SortedCollect::new(input, runtime, specification))
        }
        _ => Box::new(HashCollect::new(input, runtime, specification)),
    })
}
