//! Collection scans, index scans and joins in explain JSON.

use std::sync::Arc;

use super::super::expression;
use super::super::nodes::pipeline_rows;
use super::Writer;
use crate::catalog::IndexMeta;
use crate::plan::{CollectionRef, DocumentOutput, HashJoinNode, IndexHint, IndexNode};

impl Writer<'_> {
    pub(super) fn hint(&mut self, hint: &IndexHint) {
        self.builder.key("indexHint").open_object();
        self.flag("forced", hint.forced);
        let kind = match (hint.disabled, hint.names.is_empty()) {
            (true, _) => "disabled",
            (false, true) => "none",
            (false, false) => "simple",
        };
        self.text("type", kind);
        if !hint.names.is_empty() {
            self.builder.key("hint").open_array();
            for name in &hint.names {
                self.builder.add_str(name);
            }
            self.builder.close();
        }
        self.builder.close();
    }

    fn path(&mut self, path: &[Arc<str>]) {
        self.builder.open_array();
        for name in path {
            self.builder.add_str(name);
        }
        self.builder.close();
    }

    pub(super) fn output(&mut self, output: &DocumentOutput) {
        self.named("outVariable", output.out);
        self.builder.key("projections").open_array();
        for projection in &output.projections {
            self.builder.open_object();
            self.builder.key("path");
            self.path(&projection.path);
            self.named("variable", projection.out);
            self.builder.close();
        }
        self.builder.close();
        if let Some(filter) = &output.filter {
            self.expression("filter", filter);
        }
        self.builder.key("filterProjections").open_array();
        for path in &output.filter_projections {
            self.builder.open_object();
            self.builder.key("path");
            self.path(path);
            self.builder.close();
        }
        self.builder.close();
        let produces = output.produces_document || !output.projections.is_empty();
        self.flag("producesResult", produces);
        self.flag("useCache", output.use_cache);
        self.builder.key("maxProjections").add_u64(output.max_projections as u64);
    }

    pub(super) fn collection(&mut self, collection: &CollectionRef) {
        self.text("database", &self.plan.database);
        self.text("collection", &collection.name);
        self.flag("satellite", false);
        self.flag("isSatellite", false);
        self.builder.key("isSatelliteOf").add_null();
    }

    pub(super) fn index(&mut self, index: &IndexNode) {
        self.output(&index.output);
        self.collection(&index.collection);
        let no_document = index.covering && !index.output.produces_document;
        self.text(
            "strategy",
            match () {
                () if index.count_into.is_some() => "count",
                () if no_document && index.output.projections.is_empty() && index.output.filter.is_none() => {
                    "no result"
                }
                () if no_document => "covering",
                () => "document",
            },
        );
        self.optional("countVariable", index.count_into);
        self.flag("needsGatherNodeSort", index.sorted);
        self.flag("indexCoversProjections", no_document);
        self.flag("indexCoversFilterProjections", no_document && index.output.filter.is_some());
        self.hint(&index.hint);
        self.builder.key("indexes").open_array();
        for access in &index.accesses {
            let definition = self
                .plan
                .collection(&index.collection)
                .and_then(|meta| meta.indexes.iter().find(|definition| definition.id == access.index));
            if let Some(definition) = definition {
                self.index_definition(definition);
            }
        }
        self.builder.close();
        self.builder.key("condition");
        expression::write_condition(self.builder, self.plan, &index.condition);
        let one = index.accesses.windows(2).all(|pair| matches!(pair, [a, b] if a.index == b.index));
        self.flag("allCoveredByOneIndex", one);
        self.flag("sorted", index.sorted);
        self.flag("ascending", index.ascending);
        self.flag("reverse", !index.ascending);
        self.flag("evalFCalls", true);
        self.flag("waitForSync", false);
        self.builder.key("limit").add_u64(index.limit as u64);
        self.flag("isLateMaterialized", false);
        self.flag("readOwnWrites", index.read_own_writes);
        self.builder.key("lookahead").add_u64(1);
    }

    pub(super) fn index_definition(&mut self, index: &IndexMeta) {
        self.builder.open_object();
        self.text("id", &index.id.to_string());
        self.text("type", &index.type_name);
        self.text("name", &index.name);
        self.builder.key("fields").open_array();
        for field in &index.fields {
            self.builder.add_str(&field.to_text());
        }
        self.builder.close();
        if let Some(selectivity) = index.selectivity {
            self.builder.key("selectivityEstimate").add_f64(selectivity);
        }
        self.flag("unique", index.unique);
        self.flag("sparse", index.sparse);
        if !index.stored_values.is_empty() {
            self.builder.key("storedValues").open_array();
            for path in &index.stored_values {
                self.builder.add_str(&path.join("."));
            }
            self.builder.close();
        }
        self.builder.close();
    }

    pub(super) fn hash_join(&mut self, join: &HashJoinNode) {
        self.builder.key("build").open_object();
        self.builder.key("nodes").open_array();
        for row in pipeline_rows(&join.build, false) {
            self.row(&row);
        }
        self.builder.close().close();
        for (key, expressions) in [("buildKeys", &join.build_keys), ("probeKeys", &join.probe_keys)] {
            self.builder.key(key).open_array();
            for expr in expressions {
                expression::write(self.builder, self.plan, expr);
            }
            self.builder.close();
        }
        self.builder.key("outVariables").open_array();
        for var in &join.outs {
            self.variable(*var);
        }
        self.builder.close();
    }
}
