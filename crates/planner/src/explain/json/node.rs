//! What explain JSON says of each kind of node.

use super::super::expression_text::expression_type;
use super::super::nodes::pipeline_rows;
use super::Writer;
use crate::plan::{NodeKind, SubqueryNode, VarId};

impl Writer<'_> {
    pub(super) fn node(&mut self, kind: &NodeKind) {
        match kind {
            NodeKind::Singleton | NodeKind::NoResults => {}
            NodeKind::EnumerateCollection(scan) => {
                self.flag("random", scan.random);
                self.hint(&scan.hint);
                self.flag("count", scan.count_into.is_some());
                self.optional("countVariable", scan.count_into);
                self.flag("readOwnWrites", scan.read_own_writes);
                self.output(&scan.output);
                self.collection(&scan.collection);
            }
            NodeKind::Index(index) => self.index(index),
            NodeKind::EnumerateList(list) => {
                self.named("inVariable", list.input);
                self.named("outVariable", list.out);
                if let Some(filter) = &list.filter {
                    self.expression("filter", filter);
                }
                self.text("mode", "array");
            }
            NodeKind::Calculation(calculation) => {
                self.expression("expression", &calculation.expr);
                self.named("outVariable", calculation.out);
                self.flag("canThrow", false);
                self.text("expressionType", expression_type(&calculation.expr));
            }
            NodeKind::Filter { input } => self.named("inVariable", *input),
            NodeKind::Limit(limit) => {
                self.builder.key("offset").add_u64(limit.offset);
                self.builder.key("limit").add_u64(limit.count);
                self.flag("fullCount", limit.full_count);
            }
            NodeKind::Sort(sort) => {
                self.builder.key("elements").open_array();
                for key in &sort.keys {
                    self.builder.open_object();
                    self.named("inVariable", key.var);
                    self.flag("ascending", key.ascending);
                    self.builder.close();
                }
                self.builder.close();
                self.flag("stable", sort.stable);
                self.builder.key("limit").add_u64(sort.limit.unwrap_or(0) as u64);
                self.text("strategy", if sort.limit.is_some() { "constrained-heap" } else { "standard" });
            }
            NodeKind::Collect(collect) => self.collect(collect),
            NodeKind::Window(window) => self.window(window),
            NodeKind::Return { input } => {
                self.named("inVariable", *input);
                self.flag("count", true);
            }
            NodeKind::Subquery(subquery) => {
                self.builder.key("subquery").open_object();
                self.builder.key("nodes").open_array();
                for row in pipeline_rows(&subquery.pipeline, false) {
                    self.row(&row);
                }
                self.builder.close().close();
                self.named("outVariable", subquery.out);
                self.flag("isConst", subquery.is_const);
            }
            NodeKind::Insert(node) => {
                self.named("inVariable", node.input);
                self.modification(&node.collection, &node.options, node.out_old, node.out_new);
            }
            NodeKind::Update(node) | NodeKind::Replace(node) => {
                self.named("inDocVariable", node.input_doc);
                self.optional("inKeyVariable", node.input_key);
                self.modification(&node.collection, &node.options, node.out_old, node.out_new);
            }
            NodeKind::Remove(node) => {
                self.named("inVariable", node.input);
                self.modification(&node.collection, &node.options, node.out_old, None);
            }
            NodeKind::Upsert(node) => {
                self.named("inDocVariable", node.input_doc);
                self.named("insertVariable", node.insert);
                self.named("updateVariable", node.update);
                self.flag("isReplace", node.is_replace);
                self.modification(&node.collection, &node.options, None, node.out_new);
            }
            NodeKind::Traversal(node) => self.traversal(node),
            NodeKind::ShortestPath(node) => {
                self.graph(&node.graph);
                self.vertex("start", &node.start);
                self.vertex("target", &node.target);
                self.optional("vertexOutVariable", node.vertex_out);
                self.optional("edgeOutVariable", node.edge_out);
                self.weights(node.weight_attribute.as_deref(), node.default_weight);
            }
            NodeKind::EnumeratePaths(node) => {
                self.text("shortestPathType", node.kind.as_str());
                self.graph(&node.graph);
                self.vertex("start", &node.start);
                self.vertex("target", &node.target);
                self.optional("pathOutVariable", node.path_out);
                self.weights(node.weight_attribute.as_deref(), node.default_weight);
            }
            NodeKind::HashJoin(join) => self.hash_join(join),
        }
    }

    pub(super) fn subquery_end(&mut self, subquery: &SubqueryNode, returned: Option<VarId>) {
        self.optional("inVariable", returned);
        self.named("outVariable", subquery.out);
        if subquery.pipeline.modifies() {
            self.flag("isModificationSubquery", true);
        }
    }
}
