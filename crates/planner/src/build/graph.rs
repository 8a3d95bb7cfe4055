//! Traversals and path searches.

use std::sync::Arc;

use persea_aql::ast;

use super::Builder;
use super::options::{names, set_bool};
use crate::error::Error;
use crate::plan::{
    AccessMode, CollectionRef, Direction, EnumeratePathsNode, Expr, GraphSource, NodeKind, PathParts,
    PathsKind, Prune, ShortestPathNode, TraversalNode, TraversalOptions, TraversalOrder, Uniqueness, VarId,
};

impl Builder<'_> {
    pub(super) fn traversal(&mut self, statement: &ast::Traversal) -> Result<(), Error> {
        let (min_depth, max_depth) = self.depth_range(statement.depth.as_ref())?;
        let graph = self.graph_source(&statement.graph, statement.direction)?;
        let start = self.vertex(&statement.start)?;
        let options = self.traversal_options(statement.options.as_ref())?;
        self.scopes.open_loop();
        let mut outs = Vec::new();
        for name in statement.variables.iter().take(3) {
            outs.push(self.declare(&name.text)?);
        }
        let out = |position: usize| outs.get(position).copied();
        for document in outs.iter().take(2) {
            self.mark_document(*document, true);
        }
        let prune = match &statement.prune {
            Some(prune) => Some(self.prune(prune, [out(0), out(1), out(2)])?),
            None => None,
        };
        self.push(NodeKind::Traversal(Box::new(TraversalNode {
            start,
            min_depth,
            max_depth,
            graph,
            vertex_out: out(0),
            edge_out: out(1),
            path_out: out(2),
            path_parts: PathParts::ALL,
            prune,
            conditions: Vec::new(),
            options,
        })))
    }

    pub(super) fn path_search(&mut self, statement: &ast::PathSearch) -> Result<(), Error> {
        let (min_depth, max_depth) = self.depth_range(statement.depth.as_ref())?;
        let graph = self.graph_source(&statement.graph, statement.direction)?;
        let start = self.vertex(&statement.start)?;
        let target = self.vertex(&statement.target)?;
        let weighted =
            !matches!(statement.kind, ast::PathSearchKind::AllShortestPaths | ast::PathSearchKind::KPaths);
        let (weight_attribute, default_weight) =
            self.path_options(statement.options.as_ref(), statement.kind.keyword(), weighted)?;
        self.scopes.open_loop();
        let mut outs = Vec::new();
        for name in statement.variables.iter().take(2) {
            outs.push(self.declare(&name.text)?);
        }
        let out = |position: usize| outs.get(position).copied();
        let kind = match statement.kind {
            ast::PathSearchKind::ShortestPath => {
                for document in &outs {
                    self.mark_document(*document, true);
                }
                return self.push(NodeKind::ShortestPath(Box::new(ShortestPathNode {
                    start,
                    target,
                    graph,
                    vertex_out: out(0),
                    edge_out: out(1),
                    weight_attribute,
                    default_weight,
                })));
            }
            ast::PathSearchKind::AllShortestPaths => PathsKind::AllShortestPaths,
            ast::PathSearchKind::KShortestPaths => PathsKind::KShortestPaths,
            ast::PathSearchKind::KPaths => PathsKind::KPaths,
        };
        self.push(NodeKind::EnumeratePaths(Box::new(EnumeratePathsNode {
            kind,
            start,
            target,
            min_depth,
            max_depth,
            graph,
            path_out: out(0),
            path_parts: PathParts::ALL,
            weight_attribute,
            default_weight,
        })))
    }

    fn depth_range(&mut self, depth: Option<&ast::Expr>) -> Result<(u64, u64), Error> {
        let Some(depth) = depth else { return Ok((1, 1)) };
        let (min, max) = match self.expression(depth)? {
            Expr::Range(low, high) => (depth_number(&low)?, depth_number(&high)?),
            single => {
                let depth = depth_number(&single)?;
                (depth, depth)
            }
        };
        if min > max {
            return Err(Error::Structure(format!(
                "invalid traversal depth (while min > max: {min} > {max})"
            )));
        }
        Ok((min, max))
    }

    /// Start or target: a constant or a variable.
    fn vertex(&mut self, source: &ast::Expr) -> Result<Expr, Error> {
        match self.expression(source)? {
            Expr::Const(constant) => Ok(Expr::Const(constant)),
            expr => self.materialize(expr).map(Expr::Var),
        }
    }

    fn graph_source(
        &mut self,
        subject: &ast::GraphSubject,
        direction: Direction,
    ) -> Result<GraphSource, Error> {
        if !self.modified.is_empty() {
            return Err(Error::AccessAfterModification("traversal".into()));
        }
        match subject {
            ast::GraphSubject::Graph(name) => self.named_graph(name, direction),
            ast::GraphSubject::EdgeCollections(list) => {
                let mut edges: Vec<(CollectionRef, Direction)> = Vec::new();
                for (own, source) in list {
                    let collection = self.data_source(source, AccessMode::Read)?;
                    if !collection.is_edge {
                        return Err(Error::CollectionType(collection.name.to_string()));
                    }
                    let direction = own.unwrap_or(direction);
                    match edges.iter().find(|(known, _)| known.id == collection.id) {
                        Some((_, known)) if *known != direction => {
                            return Err(Error::Structure(format!(
                                "conflicting directions specified for collection '{}'",
                                collection.name
                            )));
                        }
                        Some(_) => {}
                        None => edges.push((collection, direction)),
                    }
                }
                Ok(GraphSource { name: None, edges, vertices: self.with.clone(), direction })
            }
        }
    }

    fn named_graph(&mut self, name: &ast::Expr, direction: Direction) -> Result<GraphSource, Error> {
        let name = self.constant_string(name, "GRAPH")?;
        let Some(graph) = self.environment.catalog.graph(&name) else {
            return Err(Error::GraphNotFound(name.to_string()));
        };
        let mut edges = Vec::new();
        for edge in &graph.edge_collections {
            edges.push(((&*self.collection(edge, AccessMode::Read)?).into(), direction));
        }
        let mut vertices = Vec::new();
        for vertex in &graph.vertex_collections {
            vertices.push((&*self.collection(vertex, AccessMode::Read)?).into());
        }
        Ok(GraphSource { name: Some(Arc::clone(&graph.name)), edges, vertices, direction })
    }

    fn prune(&mut self, prune: &ast::Prune, outs: [Option<VarId>; 3]) -> Result<Prune, Error> {
        if prune.condition.contains_subquery() {
            return Err(Error::Structure("prune condition must not use a subquery".into()));
        }
        let mut condition = self.expression(&prune.condition)?;
        let forbidden = condition.any(|part| match part {
            Expr::UserCall { .. } => true,
            Expr::Call { function, .. } => {
                self.environment.functions.lookup(function).is_some_and(|function| !function.in_prune)
            }
            _ => false,
        });
        if forbidden {
            return Err(Error::Structure("function is not usable in prune condition".into()));
        }
        // The condition runs for steps that produce no row, so it has variables of its own.
        let reads = condition.reads();
        let own: [Option<(VarId, VarId)>; 3] = outs.map(|out| {
            out.filter(|out| reads.contains(*out)).map(|out| {
                let name = self.variables.get(out.index()).map(|variable| Arc::clone(&variable.name));
                (out, self.new_variable(name.as_deref()))
            })
        });
        condition.substitute(&|var| {
            own.iter().flatten().find(|(out, _)| *out == var).map(|(_, own)| Expr::Var(*own))
        });
        let [vertex, edge, path] = own.map(|pair| pair.map(|(_, own)| own));
        let out = prune.variable.as_ref().map(|name| self.declare(&name.text)).transpose()?;
        Ok(Prune { condition, vertex, edge, path, out })
    }

    fn traversal_options(&mut self, options: Option<&ast::Expr>) -> Result<TraversalOptions, Error> {
        let mut found = TraversalOptions {
            order: TraversalOrder::Dfs,
            unique_vertices: Uniqueness::None,
            unique_edges: Uniqueness::Path,
            edge_collections: Vec::new(),
            vertex_collections: Vec::new(),
            weight_attribute: None,
            default_weight: 1.0,
            parallelism: 1,
            max_projections: 5,
            use_cache: true,
        };
        self.read_options(options, "TRAVERSAL", |name, value| match name {
            "order" => match value.as_str().map(str::to_ascii_lowercase).as_deref() {
                Some("dfs") => assign(&mut found.order, Some(TraversalOrder::Dfs)),
                Some("bfs") => assign(&mut found.order, Some(TraversalOrder::Bfs)),
                Some("weighted") => assign(&mut found.order, Some(TraversalOrder::Weighted)),
                _ => false,
            },
            "bfs" => match value.as_bool() {
                Some(true) => assign(&mut found.order, Some(TraversalOrder::Bfs)),
                other => other.is_some(),
            },
            "uniqueVertices" => assign(&mut found.unique_vertices, value.as_str().and_then(uniqueness)),
            "uniqueEdges" => assign(
                &mut found.unique_edges,
                value.as_str().and_then(uniqueness).filter(|unique| *unique != Uniqueness::Global),
            ),
            "edgeCollections" => assign(&mut found.edge_collections, names(value)),
            "vertexCollections" => assign(&mut found.vertex_collections, names(value)),
            "weightAttribute" => match value.as_str() {
                Some(attribute) => assign(&mut found.weight_attribute, Some(Some(Arc::from(attribute)))),
                None => false,
            },
            "defaultWeight" => assign(&mut found.default_weight, value.as_f64()),
            "parallelism" => assign(&mut found.parallelism, value.as_u64()),
            "maxProjections" => {
                assign(&mut found.max_projections, value.as_u64().and_then(|max| usize::try_from(max).ok()))
            }
            "useCache" => set_bool(&mut found.use_cache, value),
            "indexHint" => value.is_object(),
            _ => false,
        })?;
        if found.unique_vertices == Uniqueness::Global && found.order == TraversalOrder::Dfs {
            return Err(Error::BadParameter(
                "uniqueVertices: 'global' is only supported with order 'bfs' or 'weighted'".into(),
            ));
        }
        for name in &found.edge_collections {
            if !self.collection(name, AccessMode::Read)?.is_edge {
                return Err(Error::CollectionType(name.to_string()));
            }
        }
        for name in &found.vertex_collections {
            self.collection(name, AccessMode::Read)?;
        }
        Ok(found)
    }

    fn path_options(
        &mut self,
        options: Option<&ast::Expr>,
        clause: &str,
        weighted: bool,
    ) -> Result<(Option<Arc<str>>, f64), Error> {
        let mut weight_attribute = None;
        let mut default_weight = 1.0;
        let mut use_cache = true;
        self.read_options(options, clause, |name, value| match name {
            "weightAttribute" if weighted => match value.as_str() {
                Some(attribute) => assign(&mut weight_attribute, Some(Some(Arc::from(attribute)))),
                None => false,
            },
            "defaultWeight" if weighted => assign(&mut default_weight, value.as_f64()),
            "useCache" => set_bool(&mut use_cache, value),
            _ => false,
        })?;
        Ok((weight_attribute, default_weight))
    }
}

fn assign<T>(target: &mut T, value: Option<T>) -> bool {
    match value {
        Some(value) => {
            *target = value;
            true
        }
        None => false,
    }
}

fn uniqueness(name: &str) -> Option<Uniqueness> {
    match name {
        "none" => Some(Uniqueness::None),
        "path" => Some(Uniqueness::Path),
        "global" => Some(Uniqueness::Global),
        _ => None,
    }
}

fn depth_number(expr: &Expr) -> Result<u64, Error> {
    let invalid = || Error::Structure("traversal depths must be whole numbers that are not negative".into());
    let slice = expr.as_const().ok_or_else(invalid)?.as_slice();
    let number = slice.as_f64().filter(|number| slice.is_number() && *number >= 0.0 && number.fract() == 0.0);
    number.map(|number| number as u64).ok_or_else(invalid)
}
