//! Explain JSON.

use persea_vpack::{Builder, VPackBuf};

use super::expression;
use super::nodes::{Row, RowKind, pipeline_rows, row_type_name, rows};
use crate::catalog::IndexMeta;
use crate::plan::{
    AccessMode, Aggregate, CollectContent, CollectNode, CollectionRef, DocumentOutput, Expr, GraphSource,
    HashJoinNode, IndexHint, IndexNode, ModificationOptions, NodeKind, OverwriteMode, Plan, SubqueryNode,
    TraversalNode, VarId, WindowBounds, WindowNode,
};
use crate::planner::Planned;
use crate::rules::REGISTRY;

/// The answer of an explain request: `plan` (or `plans`), `cacheable`, `warnings`, `stats`. `rule_times` adds the time
/// each rule took.
#[must_use]
pub fn explain(planned: &Planned, all_plans: bool, rule_times: bool) -> VPackBuf {
    let mut builder = Builder::new();
    builder.open_object();
    if all_plans {
        builder.key("plans").open_array();
        write_plan(&mut builder, &planned.plan);
        for plan in &planned.alternatives {
            write_plan(&mut builder, plan);
        }
        builder.close();
    } else {
        builder.key("plan");
        write_plan(&mut builder, &planned.plan);
        builder.key("cacheable").add_bool(planned.plan.cacheable);
    }
    builder.key("warnings").open_array();
    for (number, message) in &planned.warnings {
        builder.open_object();
        builder.key("code").add_u64(u64::from(*number));
        builder.key("message").add_str(message);
        builder.close();
    }
    builder.close();
    let stats = &planned.stats;
    builder.key("stats").open_object();
    builder.key("rulesExecuted").add_u64(stats.rules_executed);
    builder.key("rulesSkipped").add_u64(stats.rules_skipped);
    builder.key("plansCreated").add_u64(stats.plans_created);
    builder.key("peakMemoryUsage").add_u64(0);
    builder.key("executionTime").add_f64((stats.build_time + stats.optimize_time).as_secs_f64());
    if rule_times {
        builder.key("rules").open_object();
        for (name, time) in &stats.rule_times {
            builder.key(name).add_f64(time.as_secs_f64());
        }
        builder.close();
    }
    builder.close().close();
    builder.finish().unwrap_or_default()
}

/// One plan, as in `extra.plan` of a profiled query.
#[must_use]
pub fn plan_to_vpack(plan: &Plan) -> VPackBuf {
    let mut builder = Builder::new();
    write_plan(&mut builder, plan);
    builder.finish().unwrap_or_default()
}

/// The list of rules, as `GET /_api/query/rules` answers.
#[must_use]
pub fn rules_to_vpack() -> VPackBuf {
    let mut builder = Builder::new();
    builder.open_array();
    for rule in REGISTRY {
        builder.open_object();
        builder.key("name").add_str(rule.name);
        builder.key("description").add_str(rule.description);
        builder.key("flags").open_object();
        builder.key("hidden").add_bool(rule.flags.hidden);
        builder.key("clusterOnly").add_bool(false);
        builder.key("canBeDisabled").add_bool(rule.flags.can_be_disabled);
        builder.key("canCreateAdditionalPlans").add_bool(rule.flags.can_create_additional_plans);
        builder.key("disabledByDefault").add_bool(rule.flags.disabled_by_default);
        builder.key("enterpriseOnly").add_bool(false);
        builder.close().close();
    }
    builder.close();
    builder.finish().unwrap_or_default()
}

fn write_plan(builder: &mut Builder, plan: &Plan) {
    let writer = &mut Writer { builder, plan };
    writer.builder.open_object();
    writer.builder.key("nodes").open_array();
    for row in rows(plan) {
        writer.row(&row);
    }
    writer.builder.close();
    writer.builder.key("rules").open_array();
    for rule in &plan.rules {
        writer.builder.add_str(rule);
    }
    writer.builder.close();
    writer.builder.key("collections").open_array();
    for used in &plan.collections {
        writer.builder.open_object();
        writer.builder.key("name").add_str(&used.collection.name);
        writer.builder.key("type").add_str(match used.mode {
            AccessMode::Read => "read",
            AccessMode::Write => "write",
            AccessMode::Exclusive => "exclusive",
        });
        writer.builder.close();
    }
    writer.builder.close();
    writer.builder.key("variables").open_array();
    for variable in &plan.variables {
        writer.variable(variable.id);
    }
    writer.builder.close();
    writer.builder.key("estimatedCost").add_f64(plan.estimated_cost());
    writer.number("estimatedNrItems", plan.estimated_items());
    writer.builder.key("isModificationQuery").add_bool(plan.is_modification);
    writer.builder.close();
}

struct Writer<'a> {
    builder: &'a mut Builder,
    plan: &'a Plan,
}

impl Writer<'_> {
    fn row(&mut self, row: &Row<'_>) {
        self.builder.open_object();
        self.builder.key("type").add_str(row_type_name(&row.kind));
        self.builder.key("dependencies").open_array();
        if let Some(dependency) = row.dependency {
            self.builder.add_u64(u64::from(dependency));
        }
        self.builder.close();
        self.builder.key("id").add_u64(u64::from(row.id));
        self.builder.key("estimatedCost").add_f64(row.cost);
        self.number("estimatedNrItems", row.items);
        match &row.kind {
            RowKind::Node(node) => self.node(&node.kind),
            RowKind::SubqueryStart(subquery) => self.named("subqueryOutVariable", subquery.out),
            RowKind::SubqueryEnd(subquery, returned) => self.subquery_end(subquery, *returned),
        }
        self.builder.close();
    }

    /// A number without fraction is written as integer.
    fn number(&mut self, key: &str, value: f64) {
        self.builder.key(key);
        // Above 2^53 there is no exact integer to write anyway.
        if value.fract() == 0.0 && (0.0..9e15).contains(&value) {
            self.builder.add_u64(value as u64);
        } else {
            self.builder.add_f64(value.ceil());
        }
    }

    fn flag(&mut self, key: &str, value: bool) {
        self.builder.key(key).add_bool(value);
    }

    fn text(&mut self, key: &str, value: &str) {
        self.builder.key(key).add_str(value);
    }

    fn variable(&mut self, var: VarId) {
        self.builder.open_object();
        self.builder.key("id").add_u64(u64::from(var.0));
        if let Some(variable) = self.plan.variable(var) {
            self.builder.key("name").add_str(&variable.name);
            self.builder.key("isDataFromCollection").add_bool(variable.from_collection);
            self.builder.key("isFullDocumentFromCollection").add_bool(variable.full_document);
            if let Some(constant) = &variable.constant {
                self.builder.key("constantValue").add_slice(constant.as_slice());
            }
        }
        self.builder.close();
    }

    fn named(&mut self, key: &str, var: VarId) {
        self.builder.key(key);
        self.variable(var);
    }

    fn optional(&mut self, key: &str, var: Option<VarId>) {
        if let Some(var) = var {
            self.named(key, var);
        }
    }

    fn expression(&mut self, key: &str, expr: &Expr) {
        self.builder.key(key);
        expression::write(self.builder, self.plan, expr);
    }

    fn subquery_end(&mut self, subquery: &SubqueryNode, returned: Option<VarId>) {
        self.optional("inVariable", returned);
        self.named("outVariable", subquery.out);
        if crate::flow::pipeline_modifies(&subquery.pipeline) {
            self.flag("isModificationSubquery", true);
        }
    }

    fn node(&mut self, kind: &NodeKind) {
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
                self.text("expressionType", super::expression_text::expression_type(&calculation.expr));
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

    fn hint(&mut self, hint: &IndexHint) {
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

    fn path(&mut self, path: &[std::sync::Arc<str>]) {
        self.builder.open_array();
        for name in path {
            self.builder.add_str(name);
        }
        self.builder.close();
    }

    fn output(&mut self, output: &DocumentOutput) {
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

    fn collection(&mut self, collection: &CollectionRef) {
        self.text("database", &self.plan.database);
        self.text("collection", &collection.name);
        self.flag("satellite", false);
        self.flag("isSatellite", false);
        self.builder.key("isSatelliteOf").add_null();
    }

    fn index(&mut self, index: &IndexNode) {
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

    fn index_definition(&mut self, index: &IndexMeta) {
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

    fn aggregates(&mut self, aggregates: &[Aggregate]) {
        self.builder.key("aggregates").open_array();
        for aggregate in aggregates {
            self.builder.open_object();
            self.named("outVariable", aggregate.out);
            self.optional("inVariable", aggregate.input);
            self.text("type", &aggregate.function);
            self.builder.close();
        }
        self.builder.close();
    }

    fn collect(&mut self, collect: &CollectNode) {
        self.builder.key("groups").open_array();
        for group in &collect.groups {
            self.builder.open_object();
            self.named("outVariable", group.out);
            self.named("inVariable", group.input);
            self.builder.close();
        }
        self.builder.close();
        self.aggregates(&collect.aggregates);
        if let Some(into) = &collect.into {
            self.named("outVariable", into.out);
            match &into.content {
                CollectContent::Value(var) => self.named("expressionVariable", *var),
                CollectContent::Variables(variables) => {
                    self.builder.key("keepVariables").open_array();
                    for (name, var) in variables {
                        self.builder.open_object();
                        self.named("variable", *var);
                        self.text("name", name);
                        self.builder.close();
                    }
                    self.builder.close();
                }
            }
        }
        self.flag("isDistinctCommand", collect.is_distinct);
        self.flag("specialized", collect.specialized);
        self.builder.key("collectOptions").open_object();
        self.text("method", collect.method.as_str());
        self.flag("disableIndex", collect.disable_index);
        self.builder.close();
    }

    fn window(&mut self, window: &WindowNode) {
        self.optional("rangeVariable", window.range);
        self.aggregates(&window.aggregates);
        match &window.bounds {
            WindowBounds::Rows { preceding, following } => {
                for (key, bound) in [("preceding", preceding), ("following", following)] {
                    self.builder.key(key);
                    match bound {
                        Some(rows) => self.builder.add_u64(*rows),
                        None => self.builder.add_str("unbounded"),
                    };
                }
            }
            WindowBounds::Range { preceding, following } => {
                self.builder.key("preceding").add_f64(*preceding);
                self.builder.key("following").add_f64(*following);
            }
            WindowBounds::Duration { preceding, following } => {
                self.text("preceding", preceding);
                self.text("following", following);
            }
        }
    }

    fn modification(
        &mut self,
        collection: &CollectionRef,
        options: &ModificationOptions,
        out_old: Option<VarId>,
        out_new: Option<VarId>,
    ) {
        self.collection(collection);
        self.builder.key("indexes").open_array();
        if let Some(primary) = self.plan.collection(collection).and_then(|meta| meta.indexes.first()) {
            self.index_definition(primary);
        }
        self.builder.close();
        self.flag("countStats", true);
        self.flag("producesResults", out_old.is_some() || out_new.is_some());
        self.optional("outVariableOld", out_old);
        self.optional("outVariableNew", out_new);
        self.builder.key("modificationFlags").open_object();
        self.flag("waitForSync", options.wait_for_sync.unwrap_or(false));
        self.flag("validate", true);
        self.flag("keepNull", options.keep_null);
        self.flag("mergeObjects", options.merge_objects);
        self.flag("ignoreRevs", options.ignore_revs);
        self.flag("isRestore", false);
        if options.overwrite_mode != OverwriteMode::Conflict {
            self.text("overwriteMode", options.overwrite_mode.as_str());
        }
        self.flag("ignoreErrors", options.ignore_errors);
        self.flag("ignoreDocumentNotFound", options.ignore_document_not_found);
        self.flag("consultAqlWriteFilter", false);
        self.flag("exclusive", options.exclusive);
        self.flag("refillIndexCaches", options.refill_index_caches);
        if let Some(attribute) = &options.version_attribute {
            self.text("versionAttribute", attribute);
        }
        self.builder.close();
    }

    fn vertex(&mut self, side: &str, vertex: &Expr) {
        match vertex {
            Expr::Var(var) => self.named(&format!("{side}InVariable"), *var),
            Expr::Const(value) => {
                self.builder.key(&format!("{side}VertexId")).add_slice(value.as_slice());
            }
            other => self.expression(&format!("{side}Expression"), other),
        }
    }

    fn weights(&mut self, attribute: Option<&str>, default: f64) {
        self.builder.key("options").open_object();
        if let Some(attribute) = attribute {
            self.text("weightAttribute", attribute);
        }
        self.builder.key("defaultWeight").add_f64(default);
        self.builder.close();
    }

    fn graph(&mut self, graph: &GraphSource) {
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
        let number = |direction: crate::plan::Direction| match direction {
            crate::plan::Direction::Any => 0,
            crate::plan::Direction::Inbound => 1,
            crate::plan::Direction::Outbound => 2,
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

    fn traversal(&mut self, node: &TraversalNode) {
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
                if let crate::plan::PathDepth::At(depth) = condition.depth {
                    self.expression(&depth.to_string(), &condition.condition);
                }
            }
            self.builder.close();
        }
        for (key, on_edge) in [("globalEdgeConditions", true), ("globalVertexConditions", false)] {
            self.builder.key(key).open_array();
            for condition in node.conditions.iter().filter(|condition| condition.on_edge == on_edge) {
                if condition.depth == crate::plan::PathDepth::Every {
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

    fn hash_join(&mut self, join: &HashJoinNode) {
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
