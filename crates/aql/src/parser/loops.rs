//! `FOR` over values and collections, traversals and path searches.

use super::{Parser, Result};
use crate::ast::{
    DataSource, Direction, Expr, ExprKind, ForLoop, GraphSubject, Name, PathSearch, PathSearchKind, Pattern,
    Prune, StatementKind, Traversal,
};
use crate::token::{Keyword, TokenKind};

impl Parser<'_> {
    pub(super) fn for_statement(&mut self) -> Result<StatementKind> {
        self.advance();
        let mut targets = vec![self.pattern()?];
        while self.eat(&TokenKind::Comma) {
            targets.push(self.pattern()?);
        }
        self.expect_keyword(Keyword::In)?;
        if let Some(direction) = self.direction() {
            return self.graph_loop(targets, None, direction);
        }
        let source = self.expression()?;
        match self.direction() {
            Some(direction) => self.graph_loop(targets, Some(source), direction),
            None => self.value_loop(targets, source),
        }
    }

    fn value_loop(&mut self, mut targets: Vec<Pattern>, source: Expr) -> Result<StatementKind> {
        let target = match targets.pop() {
            Some(target) if targets.is_empty() => target,
            _ => {
                return Err(
                    self.structural("Collections and views FOR loops only allow a single return variable")
                );
            }
        };
        self.inside_loop = true;
        let mut depth_max = self.depth;
        let mut for_loop = ForLoop { target, source, search: None, options: None };
        if let TokenKind::Identifier(qualifier) = self.kind().clone() {
            self.advance();
            let value = self.expression()?;
            depth_max = depth_max.max(self.depth);
            self.loop_qualifiers(&qualifier, value, &mut for_loop)?;
        }
        self.depth = depth_max.max(self.depth);
        if for_loop.search.is_some() && !may_be_view(&for_loop.source) {
            return Err(self.structural("SEARCH condition used on non-view"));
        }
        Ok(StatementKind::For(for_loop))
    }

    /// `SEARCH a`, `OPTIONS b` or `SEARCH a OPTIONS b`; the first qualifier and its value are parsed.
    fn loop_qualifiers(&mut self, qualifier: &str, value: Expr, for_loop: &mut ForLoop) -> Result<()> {
        let is_search = qualifier.eq_ignore_ascii_case("SEARCH");
        if let TokenKind::Identifier(second) = self.kind().clone() {
            self.advance();
            let options = self.expression()?;
            if !is_search || !second.eq_ignore_ascii_case("OPTIONS") {
                return Err(self.unexpected_qualifier(qualifier, "'SEARCH' and 'OPTIONS'"));
            }
            for_loop.search = Some(value);
            for_loop.options = Some(self.check_options(options)?);
        } else if is_search {
            for_loop.search = Some(value);
        } else if qualifier.eq_ignore_ascii_case("OPTIONS") {
            for_loop.options = Some(self.check_options(value)?);
        } else {
            return Err(self.unexpected_qualifier(qualifier, "'SEARCH' or 'OPTIONS'"));
        }
        Ok(())
    }

    /// Steps over a direction, if there is one.
    fn direction(&mut self) -> Option<Direction> {
        let direction = match self.kind() {
            TokenKind::Keyword(Keyword::Outbound) => Direction::Outbound,
            TokenKind::Keyword(Keyword::Inbound) => Direction::Inbound,
            TokenKind::Keyword(Keyword::Any) => Direction::Any,
            _ => return None,
        };
        self.advance();
        Some(direction)
    }

    fn graph_loop(
        &mut self,
        targets: Vec<Pattern>,
        depth: Option<Expr>,
        direction: Direction,
    ) -> Result<StatementKind> {
        let kind = match self.kind() {
            TokenKind::Keyword(Keyword::ShortestPath) => PathSearchKind::ShortestPath,
            TokenKind::Keyword(Keyword::AllShortestPaths) => PathSearchKind::AllShortestPaths,
            TokenKind::Keyword(Keyword::KShortestPaths) => PathSearchKind::KShortestPaths,
            TokenKind::Keyword(Keyword::KPaths) => PathSearchKind::KPaths,
            _ => return self.traversal(targets, depth, direction),
        };
        if depth.is_some() && kind != PathSearchKind::KPaths {
            return Err(self.unexpected(&[]));
        }
        self.advance();
        self.path_search(kind, targets, depth, direction)
    }

    fn traversal(
        &mut self,
        targets: Vec<Pattern>,
        depth: Option<Expr>,
        direction: Direction,
    ) -> Result<StatementKind> {
        let mut depth_max = self.depth;
        let start = self.expression()?;
        depth_max = depth_max.max(self.depth);
        let graph = self.graph_subject()?;
        let message = "Traversals only have one, two or three return variables";
        let variables = self.graph_variables(targets, 3, message)?;
        self.inside_loop = true;
        let (prune, options) = self.prune_and_options()?;
        self.depth = depth_max.max(self.depth);
        Ok(StatementKind::Traversal(Traversal { variables, depth, direction, start, graph, prune, options }))
    }

    fn path_search(
        &mut self,
        kind: PathSearchKind,
        targets: Vec<Pattern>,
        depth: Option<Expr>,
        direction: Direction,
    ) -> Result<StatementKind> {
        let mut depth_max = self.depth;
        let start = self.expression()?;
        depth_max = depth_max.max(self.depth);
        let TokenKind::Identifier(qualifier) = self.kind().clone() else {
            return Err(self.unexpected(&[]));
        };
        self.advance();
        let target = self.expression()?;
        depth_max = depth_max.max(self.depth);
        let graph = self.graph_subject()?;
        let options = self.options()?;
        self.depth = depth_max.max(self.depth);
        if !qualifier.eq_ignore_ascii_case("TO") {
            return Err(self.unexpected_qualifier(&qualifier, "'TO'"));
        }
        let (variables_max, message) = match kind {
            PathSearchKind::ShortestPath => (2, "SHORTEST_PATH must have one or two return variables"),
            PathSearchKind::AllShortestPaths => (1, "ALL_SHORTEST_PATHS only has one return variable"),
            PathSearchKind::KShortestPaths => (1, "K_SHORTEST_PATHS only has one return variable"),
            PathSearchKind::KPaths => (1, "K_PATHS only has one return variable"),
        };
        let variables = self.graph_variables(targets, variables_max, message)?;
        self.inside_loop = true;
        let search = PathSearch { kind, variables, depth, direction, start, target, graph, options };
        Ok(StatementKind::PathSearch(search))
    }

    fn graph_variables(&self, targets: Vec<Pattern>, n_max: usize, message: &str) -> Result<Vec<Name>> {
        if targets.len() > n_max {
            return Err(self.structural(message));
        }
        targets
            .into_iter()
            .map(|target| match target {
                Pattern::Variable(name) => Ok(name),
                _ => Err(self.structural("graph loops cannot destructure their variables")),
            })
            .collect()
    }

    fn graph_subject(&mut self) -> Result<GraphSubject> {
        if self.eat_keyword(Keyword::Graph) {
            return self.graph_name();
        }
        let mut collections = vec![self.edge_collection()?];
        while self.eat(&TokenKind::Comma) {
            collections.push(self.edge_collection()?);
        }
        Ok(GraphSubject::EdgeCollections(collections))
    }

    fn graph_name(&mut self) -> Result<GraphSubject> {
        let position = self.position();
        let kind = match self.kind().clone() {
            TokenKind::Identifier(name) | TokenKind::QuotedString(name) => {
                ExprKind::String(name.into_owned())
            }
            TokenKind::Parameter(key) => {
                self.note_parameter(key);
                ExprKind::Parameter(key.to_owned())
            }
            TokenKind::DataSourceParameter(key) => return Err(self.bad_parameter(key)),
            _ => return Err(self.unexpected(&["identifier", "quoted string", "bind parameter"])),
        };
        self.advance();
        Ok(GraphSubject::Graph(Expr::new(kind, position)))
    }

    fn edge_collection(&mut self) -> Result<(Option<Direction>, DataSource)> {
        let direction = self.direction();
        let collection = if direction.is_some() {
            self.collection_or_parameter(&["identifier", "bind parameter", "bind data source parameter"])?
        } else {
            self.collection_or_parameter(&[])?
        };
        Ok((direction, collection))
    }

    fn prune_and_options(&mut self) -> Result<(Option<Prune>, Option<Expr>)> {
        let TokenKind::Identifier(qualifier) = self.kind().clone() else {
            return Ok((None, None));
        };
        self.advance();
        let has_variable =
            matches!(self.kind(), TokenKind::Identifier(_)) && self.kind_ahead(1) == &TokenKind::Assign;
        let variable = if has_variable { Some(self.variable()?) } else { None };
        if has_variable {
            self.advance();
        }
        let value = self.expression()?;
        if qualifier.eq_ignore_ascii_case("OPTIONS") && variable.is_none() {
            return Ok((None, Some(self.check_options(value)?)));
        }
        if !qualifier.eq_ignore_ascii_case("PRUNE") {
            return Err(self.unexpected_qualifier(&qualifier, "'PRUNE' or 'OPTIONS'"));
        }
        if value.contains_subquery() {
            return Err(self.structural("PRUNE condition must not use a subquery"));
        }
        let options = self.options()?;
        Ok((Some(Prune { variable, condition: value }), options))
    }
}

fn may_be_view(source: &Expr) -> bool {
    matches!(source.kind, ExprKind::Name(_) | ExprKind::DataSourceParameter(_))
}
