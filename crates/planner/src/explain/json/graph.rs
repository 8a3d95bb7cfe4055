//! Traversals and path searches in explain JSON.

use super::super::expression;
use super::Writer;
use crate::plan::{Direction, Expr, GraphSource, PathDepth, TraversalNode};

impl Writer<'_> {
    pub(super) fn vertex(&mut self, side: &str, vertex: &Expr) {
        match vertex {
            Expr::Var(var) => self.named(&format!("{side}InVariable"), *var),
            Expr::Const(value) => {
                self.builder.key(&format!("{side}VertexId")).add_slice(value.as_slice());
            }
            other => self.expression(&format!("{side}Expression"), other),
        }
    }

    pub(super) fn weights(&mut self, attribute: Option<&str>, default: f64) {
        self.builder.key("options").open_object();
        if let Some(attribute) = attribute {
            self.text("weightAttribute", attribute);
        }
        self.builder.key("defaultWeight").add_f64(default);
        self.builder.close();
    }

    pub(super) fn graph(&mut self, graph: &GraphSource) {
        self.text("database", &self.plan.database);
        match &graph.name {
            Some(name) => self.text("graph", name),
            None => {
                self.builder.key("graph").open_array();
                for (edge, _) in &graph.edges {
                    self.builder.add_str(&edge.name);
                }
                self.builder.close();
            }
        }
        self.flag("isLocalGraphNode", false);
        self.flag("isUsedAsSatellite", false);
        let number = |direction: Direction| match direction {
            Direction::Any => 0,
            Direction::Inbound => 1,
            Direction::Outbound => 2,
        };
        self.builder.key("defaultDirection").add_u64(number(graph.direction));
        self.builder.key("directions").open_array();
        for (_, direction) in &graph.edges {
            self.builder.add_u64(number(*direction));
        }
        self.builder.close();
        self.builder.key("edgeCollections").open_array();
        for (edge, _) in &graph.edges {
            self.builder.add_str(&edge.name);
        }
        self.builder.close();
        self.builder.key("vertexCollections").open_array();
        for vertex in &graph.vertices {
            self.builder.add_str(&vertex.name);
        }
        self.builder.close();
        self.builder.key("collectionToShard").open_object().close();
        self.flag("isSmart", false);
        self.flag("isDisjoint", false);
    }

    pub(super) fn traversal(&mut self, node: &TraversalNode) {
        self.graph(&node.graph);
        match &node.start {
            Expr::Var(var) => self.named("inVariable", *var),
            Expr::Const(value) => {
                self.builder.key("vertexId").add_slice(value.as_slice());
            }
            other => self.expression("inExpression", other),
        }
        self.optional("vertexOutVariable", node.vertex_out);
        self.optional("edgeOutVariable", node.edge_out);
        self.optional("pathOutVariable", node.path_out);
        if let Some(prune) = &node.prune {
            self.expression("expression", &prune.condition);
            self.builder.key("pruneVars").open_array();
            for var in [prune.vertex, prune.edge, prune.path].into_iter().flatten() {
                self.variable(var);
            }
            self.builder.close();
        }
        for (key, on_edge) in [("edgeConditions", true), ("vertexConditions", false)] {
            self.builder.key(key).open_object();
            for condition in node.conditions.iter().filter(|condition| condition.on_edge == on_edge) {
                if let PathDepth::At(depth) = condition.depth {
                    self.expression(&depth.to_string(), &condition.condition);
                }
            }
            self.builder.close();
        }
        for (key, on_edge) in [("globalEdgeConditions", true), ("globalVertexConditions", false)] {
            self.builder.key(key).open_array();
            for condition in node.conditions.iter().filter(|condition| condition.on_edge == on_edge) {
                if condition.depth == PathDepth::Every {
                    expression::write(self.builder, self.plan, &condition.condition);
                }
            }
            self.builder.close();
        }
        self.builder.key("options").open_object();
        self.builder.key("minDepth").add_u64(node.min_depth);
        self.builder.key("maxDepth").add_u64(node.max_depth);
        self.text("order", node.options.order.as_str());
        self.text("uniqueVertices", node.options.unique_vertices.as_str());
        self.text("uniqueEdges", node.options.unique_edges.as_str());
        self.builder.key("parallelism").add_u64(node.options.parallelism);
        self.builder.key("maxProjections").add_u64(node.options.max_projections as u64);
        self.builder.key("defaultWeight").add_f64(node.options.default_weight);
        if let Some(attribute) = &node.options.weight_attribute {
            self.text("weightAttribute", attribute);
        }
        self.flag("produceVertices", node.vertex_out.is_some() || node.path_parts.vertices);
        self.flag("producePathsVertices", node.path_out.is_some() && node.path_parts.vertices);
        self.flag("producePathsEdges", node.path_out.is_some() && node.path_parts.edges);
        self.flag("producePathsWeights", node.path_out.is_some() && node.path_parts.weights);
        self.text("type", "traversal");
        self.builder.close();
    }
}
