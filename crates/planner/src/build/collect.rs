//! COLLECT: inputs are computed in front, then all variables of the query level's loops end.

use std::sync::Arc;

use persea_aql::ast::{self, ExprKind};

use super::Builder;
use crate::error::Error;
use crate::plan::{
    Aggregate, CollectContent, CollectGroup, CollectInto, CollectMethod, CollectNode, NodeKind, VarId,
};

impl Builder<'_> {
    pub(super) fn collect(&mut self, statement: &ast::Collect) -> Result<(), Error> {
        let (requested_method, disable_index) = self.collect_options(statement.options.as_ref())?;
        // What the COLLECT introduces is not visible to its own expressions.
        self.hidden = introduced_names(statement);
        let group_inputs: Vec<VarId> =
            statement.groups.iter().map(|group| self.operand(&group.value)).collect::<Result<_, _>>()?;
        let aggregate_inputs: Vec<(Arc<str>, Option<VarId>)> = statement
            .aggregates
            .iter()
            .map(|aggregate| self.aggregate_input(&aggregate.value))
            .collect::<Result<_, _>>()?;
        let content = self.collect_content(statement.into.as_ref())?;
        self.hidden.clear();

        if self.scopes.end_loops() {
            self.scopes.open_loop();
        }
        let mut groups = Vec::with_capacity(group_inputs.len());
        for (group, input) in statement.groups.iter().zip(group_inputs) {
            groups.push(CollectGroup { out: self.declare(&group.variable.text)?, input });
        }
        let mut aggregates = Vec::with_capacity(aggregate_inputs.len());
        for (aggregate, (function, input)) in statement.aggregates.iter().zip(aggregate_inputs) {
            aggregates.push(Aggregate { out: self.declare(&aggregate.variable.text)?, function, input });
        }
        let into = match (&statement.into, content) {
            (Some(ast::CollectInto::Count(name)), _) => {
                let out = self.declare(&name.text)?;
                aggregates.push(Aggregate { out, function: Arc::from("LENGTH"), input: None });
                None
            }
            (
                Some(ast::CollectInto::Projection { variable, .. } | ast::CollectInto::Rows { variable, .. }),
                Some(content),
            ) => Some(CollectInto { out: self.declare(&variable.text)?, content }),
            _ => None,
        };
        self.push(NodeKind::Collect(CollectNode {
            method: requested_method.unwrap_or(CollectMethod::Sorted),
            groups,
            aggregates,
            into,
            requested_method,
            specialized: false,
            is_distinct: false,
            disable_index,
            unsorted: false,
            carried: Vec::new(),
        }))
    }

    /// Declares a variable in the current scope.
    pub(super) fn declare(&mut self, name: &str) -> Result<VarId, Error> {
        let out = self.new_variable(Some(name));
        self.scopes.declare(name, out)?;
        Ok(out)
    }

    fn collect_content(&mut self, into: Option<&ast::CollectInto>) -> Result<Option<CollectContent>, Error> {
        match into {
            None | Some(ast::CollectInto::Count(_)) => Ok(None),
            Some(ast::CollectInto::Projection { value, .. }) => {
                Ok(Some(CollectContent::Value(self.operand(value)?)))
            }
            Some(ast::CollectInto::Rows { keep, .. }) if keep.is_empty() => {
                let variables = self.scopes.collectable();
                Ok(Some(CollectContent::Variables(
                    variables.into_iter().map(|(name, var)| (Arc::from(name), var)).collect(),
                )))
            }
            Some(ast::CollectInto::Rows { keep, .. }) => {
                let mut variables = Vec::with_capacity(keep.len());
                for name in keep {
                    match self.scopes.find(&name.text) {
                        Some(var) => variables.push((Arc::from(name.text.as_str()), var)),
                        None => {
                            let message = format!("use of unknown variable '{}' for KEEP", name.text);
                            return Err(Error::Structure(message));
                        }
                    }
                }
                Ok(Some(CollectContent::Variables(variables)))
            }
        }
    }

    /// Function and argument of an aggregate.
    pub(super) fn aggregate_input(&mut self, call: &ast::Expr) -> Result<(Arc<str>, Option<VarId>), Error> {
        let ExprKind::Call { name, arguments } = &call.kind else {
            return Err(Error::InvalidAggregate("an aggregate function call is needed".into()));
        };
        let Some(function) = aggregate_function(&name.to_ascii_uppercase()) else {
            return Err(Error::InvalidAggregate(format!("{name}() is no aggregate function")));
        };
        let input = match arguments.as_slice() {
            [] if function == "LENGTH" => None,
            [_] if function == "LENGTH" => None,
            [argument] => Some(self.operand(argument)?),
            _ => {
                let min = usize::from(function != "LENGTH");
                return Err(Error::ArgumentCount { name: name.to_ascii_uppercase(), min, max: 1 });
            }
        };
        Ok((Arc::from(function), input))
    }

    fn collect_options(
        &mut self,
        options: Option<&ast::Expr>,
    ) -> Result<(Option<CollectMethod>, bool), Error> {
        let mut method = None;
        let mut disable_index = false;
        self.read_options(options, "COLLECT", |name, value| match (name, value.as_str()) {
            ("method", Some("hash")) => {
                method = Some(CollectMethod::Hash);
                true
            }
            ("method", Some("sorted")) => {
                method = Some(CollectMethod::Sorted);
                true
            }
            ("disableIndex", _) => super::options::set_bool(&mut disable_index, value),
            _ => false,
        })?;
        Ok((method, disable_index))
    }
}

fn introduced_names(statement: &ast::Collect) -> Vec<String> {
    let into = statement.into.as_ref().map(|into| match into {
        ast::CollectInto::Count(variable)
        | ast::CollectInto::Projection { variable, .. }
        | ast::CollectInto::Rows { variable, .. } => variable,
    });
    let groups = statement.groups.iter().chain(&statement.aggregates).map(|assignment| &assignment.variable);
    groups.chain(into).map(|name| name.text.clone()).collect()
}

/// The name under which an aggregate is shown, aliases resolved; `None` if it is no aggregate.
fn aggregate_function(name: &str) -> Option<&'static str> {
    Some(match name {
        "LENGTH" | "COUNT" => "LENGTH",
        "MIN" => "MIN",
        "MAX" => "MAX",
        "SUM" => "SUM",
        "AVG" | "AVERAGE" => "AVG",
        "VARIANCE" | "VARIANCE_POPULATION" => "VARIANCE_POPULATION",
        "VARIANCE_SAMPLE" => "VARIANCE_SAMPLE",
        "STDDEV" | "STDDEV_POPULATION" => "STDDEV_POPULATION",
        "STDDEV_SAMPLE" => "STDDEV_SAMPLE",
        "UNIQUE" => "UNIQUE",
        "SORTED_UNIQUE" => "SORTED_UNIQUE",
        "COUNT_DISTINCT" | "COUNT_UNIQUE" => "COUNT_DISTINCT",
        "BIT_AND" => "BIT_AND",
        "BIT_OR" => "BIT_OR",
        "BIT_XOR" => "BIT_XOR",
        "PUSH" => "PUSH",
        _ => return None,
    })
}
