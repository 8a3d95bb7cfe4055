//! Scopes: which variable a name means where.

use crate::error::Error;
use crate::plan::VarId;

/// What opened a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScopeKind {
    /// The main query or a subquery: nothing outside of it ends with it.
    Query,
    /// A loop, or what COLLECT leaves visible; lasts to the end of the query level.
    Loop,
}

#[derive(Debug)]
struct Scope {
    kind: ScopeKind,
    variables: Vec<(String, VarId)>,
}

/// The stack of open scopes.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    stack: Vec<Scope>,
}

impl Scopes {
    pub(super) fn open_query(&mut self) {
        self.stack.push(Scope { kind: ScopeKind::Query, variables: Vec::new() });
    }

    pub(super) fn open_loop(&mut self) {
        self.stack.push(Scope { kind: ScopeKind::Loop, variables: Vec::new() });
    }

    /// Ends the loops of the current query level; tells whether there were any.
    pub(super) fn end_loops(&mut self) -> bool {
        let mut any = false;
        while self.stack.last().is_some_and(|scope| scope.kind == ScopeKind::Loop) {
            self.stack.pop();
            any = true;
        }
        any
    }

    /// Ends the current query level.
    pub(super) fn close_query(&mut self) {
        self.end_loops();
        self.stack.pop();
    }

    /// Whether the current query level has a loop.
    pub(super) fn in_loop(&self) -> bool {
        self.stack.last().is_some_and(|scope| scope.kind == ScopeKind::Loop)
    }

    /// The visible variable of that name.
    pub(super) fn find(&self, name: &str) -> Option<VarId> {
        self.stack
            .iter()
            .rev()
            .flat_map(|scope| scope.variables.iter().rev())
            .find(|(known, _)| known == name)
            .map(|(_, var)| *var)
    }

    /// Makes a name visible.
    pub(super) fn declare(&mut self, name: &str, var: VarId) -> Result<(), Error> {
        if self.find(name).is_some() {
            return Err(Error::VariableRedeclared(name.to_owned()));
        }
        if let Some(scope) = self.stack.last_mut() {
            scope.variables.push((name.to_owned(), var));
        }
        Ok(())
    }

    /// The variables a COLLECT of this query level gathers: those of its loops, or all of the level outside of any.
    pub(super) fn collectable(&self) -> Vec<(String, VarId)> {
        let level_start = self.stack.iter().rposition(|scope| scope.kind == ScopeKind::Query).unwrap_or(0);
        let first = if self.in_loop() { level_start + 1 } else { level_start };
        self.stack.iter().skip(first).flat_map(|scope| scope.variables.iter().cloned()).collect()
    }
}
