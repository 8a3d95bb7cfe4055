//! Statements as nodes, with the variables declared so far.

use super::{AstNode, AstValue, node_type as t};
use crate::ast::{
    Assignment, Block, Change, Collect, CollectInto, DataSource, Direction, Expr, ForLoop, GraphSubject,
    Name, PathSearch, PathSearchKind, Pattern, QueryRoot, SortDirection, SortKey, StatementKind, Traversal,
    Upsert, UpsertSearch, Window,
};

/// Knows the variables visible at the node being built.
#[derive(Default)]
pub(super) struct Converter {
    pub(super) variables: Vec<(String, u32)>,
    next_id: u32,
}

impl Converter {
    pub(super) fn root(&mut self, root: &QueryRoot) -> AstNode {
        let mut sub_nodes = Vec::new();
        if !root.with.is_empty() {
            let collections = root.with.iter().map(data_source).collect();
            sub_nodes.push(AstNode::new(t::WITH, collections));
        }
        sub_nodes.extend(self.statements(&root.body));
        AstNode::new(t::ROOT, sub_nodes)
    }

    pub(super) fn statements(&mut self, block: &Block) -> Vec<AstNode> {
        block.statements.iter().map(|statement| self.statement(&statement.kind)).collect()
    }

    fn statement(&mut self, kind: &StatementKind) -> AstNode {
        match kind {
            StatementKind::For(for_loop) => self.for_loop(for_loop),
            StatementKind::Traversal(traversal) => self.traversal(traversal),
            StatementKind::PathSearch(search) => self.path_search(search),
            StatementKind::Filter(condition) => AstNode::new(t::FILTER, vec![self.expression(condition)]),
            StatementKind::Let { target, value } => self.assignment(target, value),
            StatementKind::Sort(keys) => self.sort(keys),
            StatementKind::Limit { offset, count } => self.limit(offset.as_ref(), count),
            StatementKind::Return { distinct, value } => self.result(*distinct, value),
            StatementKind::Collect(collect) => self.collect(collect),
            StatementKind::Window(window) => self.window(window),
            StatementKind::Insert { document, into, options } => {
                self.modification(t::INSERT, options, into, document)
            }
            StatementKind::Remove { key, from, options } => self.modification(t::REMOVE, options, from, key),
            StatementKind::Update(change) => self.change(t::UPDATE, change),
            StatementKind::Replace(change) => self.change(t::REPLACE, change),
            StatementKind::Upsert(upsert) => self.upsert(upsert),
        }
    }

    fn assignment(&mut self, target: &Pattern, value: &Expr) -> AstNode {
        let value = self.expression(value);
        AstNode::new(t::LET, vec![self.pattern(target), value])
    }

    fn sort(&mut self, keys: &[SortKey]) -> AstNode {
        let elements = keys.iter().map(|key| self.sort_key(key)).collect();
        AstNode::new(t::SORT, vec![AstNode::new(t::ARRAY, elements)])
    }

    fn limit(&mut self, offset: Option<&Expr>, count: &Expr) -> AstNode {
        let offset = offset.map_or_else(|| AstNode::int(0), |offset| self.expression(offset));
        AstNode::new(t::LIMIT, vec![offset, self.expression(count)])
    }

    fn result(&mut self, distinct: bool, value: &Expr) -> AstNode {
        let value = self.expression(value);
        let value = if distinct { AstNode::new(t::DISTINCT, vec![value]) } else { value };
        AstNode::new(t::RETURN, vec![value])
    }

    fn modification(
        &mut self,
        node_type: (u16, &'static str),
        options: &Option<Expr>,
        collection: &DataSource,
        operand: &Expr,
    ) -> AstNode {
        let mut parts = vec![self.optional(options), data_source(collection)];
        parts.push(self.expression(operand));
        AstNode::new(node_type, parts)
    }

    fn declare(&mut self, name: &Name) -> AstNode {
        let id = self.next_id;
        self.next_id += 1;
        self.variables.push((name.text.clone(), id));
        AstNode { id: Some(id), ..AstNode::named(t::VARIABLE, &name.text, Vec::new()) }
    }

    fn pattern(&mut self, pattern: &Pattern) -> AstNode {
        match pattern {
            Pattern::Variable(name) => self.declare(name),
            Pattern::Array(members) => {
                let members = members
                    .iter()
                    .map(|m| m.as_ref().map_or_else(AstNode::no_op, |member| self.pattern(member)))
                    .collect();
                AstNode::new(t::ARRAY, members)
            }
            Pattern::Object(members) => {
                let members = members
                    .iter()
                    .map(|(attribute, target)| {
                        AstNode::named(t::OBJECT_ELEMENT, &attribute.text, vec![self.pattern(target)])
                    })
                    .collect();
                AstNode::new(t::OBJECT, members)
            }
        }
    }

    fn for_loop(&mut self, for_loop: &ForLoop) -> AstNode {
        let source = self.expression(&for_loop.source);
        let target = self.pattern(&for_loop.target);
        let Some(search) = &for_loop.search else {
            return AstNode::new(t::FOR, vec![target, source, self.optional(&for_loop.options)]);
        };
        let search = self.expression(search);
        AstNode::new(t::FOR_VIEW, vec![target, source, search, self.optional(&for_loop.options)])
    }

    fn variables(&mut self, names: &[Name]) -> Vec<AstNode> {
        names.iter().map(|name| self.declare(name)).collect()
    }

    fn direction(&mut self, direction: Direction, depth: &Option<Expr>) -> AstNode {
        let depth = depth.as_ref().map_or_else(|| AstNode::int(1), |d| self.expression(d));
        AstNode::new(t::DIRECTION, vec![AstNode::int(direction_number(direction)), depth])
    }

    fn graph(&mut self, graph: &GraphSubject) -> AstNode {
        match graph {
            GraphSubject::Graph(name) => self.expression(name),
            GraphSubject::EdgeCollections(collections) => {
                let members = collections
                    .iter()
                    .map(|(direction, collection)| match direction {
                        Some(direction) => {
                            let number = AstNode::int(direction_number(*direction));
                            AstNode::new(t::DIRECTION, vec![number, data_source(collection)])
                        }
                        None => data_source(collection),
                    })
                    .collect();
                AstNode::new(t::COLLECTION_LIST, members)
            }
        }
    }

    fn traversal(&mut self, traversal: &Traversal) -> AstNode {
        let mut parts = vec![
            self.direction(traversal.direction, &traversal.depth),
            self.expression(&traversal.start),
            self.graph(&traversal.graph),
        ];
        let variables = self.variables(&traversal.variables);
        parts.push(match &traversal.prune {
            Some(prune) => self.expression(&prune.condition),
            None => AstNode::no_op(),
        });
        if let Some(variable) = traversal.prune.as_ref().and_then(|prune| prune.variable.as_ref()) {
            self.declare(variable);
        }
        parts.push(self.optional(&traversal.options));
        parts.extend(variables);
        AstNode::new(t::TRAVERSAL, parts)
    }

    fn path_search(&mut self, search: &PathSearch) -> AstNode {
        let mut parts = vec![
            self.direction(search.direction, &search.depth),
            self.expression(&search.start),
            self.expression(&search.target),
            self.graph(&search.graph),
            self.optional(&search.options),
        ];
        parts.extend(self.variables(&search.variables));
        let node_type =
            if search.kind == PathSearchKind::ShortestPath { t::SHORTEST_PATH } else { t::ENUMERATE_PATHS };
        AstNode::new(node_type, parts)
    }

    fn sort_key(&mut self, key: &SortKey) -> AstNode {
        let value = self.expression(&key.value);
        let direction = match &key.direction {
            SortDirection::Ascending => AstNode::value(AstValue::Bool(true)),
            SortDirection::Descending => AstNode::value(AstValue::Bool(false)),
            SortDirection::Parameter(parameter) => self.expression(parameter),
        };
        AstNode::new(t::SORT_ELEMENT, vec![value, direction])
    }

    fn assignments(&mut self, assignments: &[Assignment]) -> Vec<AstNode> {
        let values: Vec<AstNode> = assignments.iter().map(|a| self.expression(&a.value)).collect();
        let pairs = assignments.iter().zip(values);
        pairs.map(|(a, value)| AstNode::new(t::ASSIGN, vec![self.declare(&a.variable), value])).collect()
    }

    fn collect(&mut self, collect: &Collect) -> AstNode {
        let options = self.optional(&collect.options);
        let projection = match &collect.into {
            Some(CollectInto::Projection { value, .. }) => self.expression(value),
            _ => AstNode::no_op(),
        };
        let keep = match &collect.into {
            Some(CollectInto::Rows { keep, .. }) if !keep.is_empty() => {
                AstNode::new(t::ARRAY, keep.iter().map(|name| self.name(&name.text)).collect())
            }
            _ => AstNode::no_op(),
        };
        let groups = AstNode::new(t::ARRAY, self.assignments(&collect.groups));
        let aggregates = AstNode::new(t::AGGREGATIONS, self.assignments(&collect.aggregates));
        match &collect.into {
            Some(CollectInto::Count(variable)) => {
                AstNode::new(t::COLLECT_COUNT, vec![options, groups, self.declare(variable)])
            }
            Some(CollectInto::Projection { variable, .. } | CollectInto::Rows { variable, .. }) => {
                let variable = self.declare(variable);
                AstNode::new(t::COLLECT, vec![options, groups, aggregates, variable, projection, keep])
            }
            None => {
                let none = AstNode::no_op();
                AstNode::new(t::COLLECT, vec![options, groups, aggregates, none, projection, keep])
            }
        }
    }

    fn window(&mut self, window: &Window) -> AstNode {
        let mut bounds = Vec::new();
        for (name, bound) in [("preceding", &window.preceding), ("following", &window.following)] {
            if let Some(bound) = bound {
                bounds.push(AstNode::named(t::OBJECT_ELEMENT, name, vec![self.expression(bound)]));
            }
        }
        let range = self.optional(&window.range);
        let aggregates = AstNode::new(t::AGGREGATIONS, self.assignments(&window.aggregates));
        AstNode::new(t::WINDOW, vec![AstNode::new(t::OBJECT, bounds), range, aggregates])
    }

    fn change(&mut self, node_type: (u16, &'static str), change: &Change) -> AstNode {
        let mut parts = vec![
            self.optional(&change.options),
            data_source(&change.collection),
            self.expression(&change.document),
        ];
        parts.push(self.optional(&change.key));
        AstNode::new(node_type, parts)
    }

    fn upsert(&mut self, upsert: &Upsert) -> AstNode {
        let search = match &upsert.search {
            UpsertSearch::Example(example) => AstNode::new(t::EXAMPLE, vec![self.expression(example)]),
            UpsertSearch::Filter(condition) => AstNode::new(t::FILTER, vec![self.expression(condition)]),
        };
        let (change_id, change_name) = if upsert.replace { t::REPLACE } else { t::UPDATE };
        let mut node = AstNode::named(t::UPSERT, change_name, Vec::new());
        node.value = Some(AstValue::Int(i64::from(change_id)));
        node.sub_nodes = vec![
            self.optional(&upsert.options),
            data_source(&upsert.collection),
            search,
            self.expression(&upsert.insert),
            self.expression(&upsert.update),
        ];
        node
    }

    pub(super) fn optional(&mut self, expression: &Option<Expr>) -> AstNode {
        expression.as_ref().map_or_else(AstNode::no_op, |expression| self.expression(expression))
    }

    pub(super) fn name(&self, text: &str) -> AstNode {
        let known = self.variables.iter().rev().find(|(name, _)| name == text);
        match (known, text) {
            (Some((_, id)), _) => AstNode { id: Some(*id), ..AstNode::named(t::REFERENCE, text, Vec::new()) },
            (None, "CURRENT" | "$CURRENT" | "NEW" | "OLD" | "$NEW" | "$OLD") => {
                AstNode::named(t::REFERENCE, text, Vec::new())
            }
            (None, _) => AstNode::named(t::COLLECTION, text, Vec::new()),
        }
    }
}

fn data_source(source: &DataSource) -> AstNode {
    match source {
        DataSource::Name(name) => AstNode::named(t::COLLECTION, &name.text, Vec::new()),
        DataSource::Parameter(key) => AstNode::named(t::DATA_SOURCE_PARAMETER, &key.text, Vec::new()),
    }
}

fn direction_number(direction: Direction) -> i64 {
    match direction {
        Direction::Any => 0,
        Direction::Inbound => 1,
        Direction::Outbound => 2,
    }
}
