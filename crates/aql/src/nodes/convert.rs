//! Building the node tree, with the variables declared so far.

use super::{AstNode, AstValue, node_type as t};
use crate::ast::{
    ArrayLimit, Assignment, BinaryOperator, Block, Change, Collect, CollectInto, DataSource, Direction,
    Expansion, Expr, ExprKind, ForLoop, GraphSubject, Name, ObjectKey, ObjectMember, PathSearch,
    PathSearchKind, Pattern, Quantifier, QueryRoot, SortDirection, SortKey, StatementKind, Traversal,
    UnaryOperator, Upsert, UpsertSearch, Window,
};

/// Knows the variables visible at the node being built.
#[derive(Default)]
pub(super) struct Converter {
    variables: Vec<(String, u32)>,
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

    fn statements(&mut self, block: &Block) -> Vec<AstNode> {
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

    fn optional(&mut self, expression: &Option<Expr>) -> AstNode {
        expression.as_ref().map_or_else(AstNode::no_op, |expression| self.expression(expression))
    }

    fn name(&self, text: &str) -> AstNode {
        let known = self.variables.iter().rev().find(|(name, _)| name == text);
        match (known, text) {
            (Some((_, id)), _) => AstNode { id: Some(*id), ..AstNode::named(t::REFERENCE, text, Vec::new()) },
            (None, "CURRENT" | "$CURRENT" | "NEW" | "OLD" | "$NEW" | "$OLD") => {
                AstNode::named(t::REFERENCE, text, Vec::new())
            }
            (None, _) => AstNode::named(t::COLLECTION, text, Vec::new()),
        }
    }

    /// One level of the tree. Each form has a function of its own, which keeps this one's stack frame small.
    fn expression(&mut self, expression: &Expr) -> AstNode {
        match &expression.kind {
            ExprKind::Null
            | ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Double(_)
            | ExprKind::String(_)
            | ExprKind::Name(_)
            | ExprKind::Parameter(_)
            | ExprKind::DataSourceParameter(_)
            | ExprKind::Element => self.leaf(&expression.kind),
            ExprKind::Unary { operator, operand } => self.unary(*operator, operand),
            ExprKind::Binary { operator, left, right } => binary(*operator, self.pair(left, right)),
            ExprKind::ArrayComparison { quantifier, operator, left, right } => {
                self.array_comparison(quantifier, *operator, left, right)
            }
            ExprKind::Ternary { condition, then, otherwise } => {
                self.ternary(condition, then.as_deref(), otherwise)
            }
            ExprKind::Range { low, high } => AstNode::new(t::RANGE, self.pair(low, high)),
            ExprKind::Array(members) => AstNode::new(t::ARRAY, self.expressions(members)),
            ExprKind::Object(members) => self.object(members),
            ExprKind::Call { name, arguments } => self.call(name, arguments),
            ExprKind::Attribute { base, name } => self.attribute(base, name),
            ExprKind::BoundAttribute { base, parameter } => self.bound_attribute(base, parameter),
            ExprKind::Index { base, index } => self.index(base, index),
            ExprKind::Expansion(expansion) => self.expansion(expansion),
            ExprKind::QuestionMark { source, marks, quantifier, filter } => {
                self.question_mark(source, *marks, quantifier.as_ref(), filter.as_deref())
            }
            ExprKind::Subquery(block) => self.subquery(block),
        }
    }

    fn leaf(&self, kind: &ExprKind) -> AstNode {
        match kind {
            ExprKind::Bool(value) => AstNode::value(AstValue::Bool(*value)),
            ExprKind::Int(value) => AstNode::int(*value),
            ExprKind::Double(value) => AstNode::value(AstValue::Double(*value)),
            ExprKind::String(value) => AstNode::string(value),
            ExprKind::Name(name) => self.name(name),
            ExprKind::Parameter(key) => AstNode::named(t::PARAMETER, key, Vec::new()),
            ExprKind::DataSourceParameter(key) => AstNode::named(t::DATA_SOURCE_PARAMETER, key, Vec::new()),
            ExprKind::Element => AstNode::named(t::REFERENCE, "CURRENT", Vec::new()),
            _ => AstNode::value(AstValue::Null),
        }
    }

    fn pair(&mut self, left: &Expr, right: &Expr) -> Vec<AstNode> {
        let left = self.expression(left);
        vec![left, self.expression(right)]
    }

    fn unary(&mut self, operator: UnaryOperator, operand: &Expr) -> AstNode {
        let node_type = match operator {
            UnaryOperator::Plus => t::UNARY_PLUS,
            UnaryOperator::Minus => t::UNARY_MINUS,
            UnaryOperator::Not => t::UNARY_NOT,
        };
        AstNode::new(node_type, vec![self.expression(operand)])
    }

    fn array_comparison(
        &mut self,
        quantifier: &Quantifier,
        operator: BinaryOperator,
        left: &Expr,
        right: &Expr,
    ) -> AstNode {
        let mut parts = self.pair(left, right);
        parts.push(self.quantifier(quantifier));
        AstNode::new(array_comparison_type(operator), parts)
    }

    fn ternary(&mut self, condition: &Expr, then: Option<&Expr>, otherwise: &Expr) -> AstNode {
        let mut parts = vec![self.expression(condition)];
        parts.extend(then.map(|then| self.expression(then)));
        parts.push(self.expression(otherwise));
        AstNode::new(t::TERNARY, parts)
    }

    fn object(&mut self, members: &[ObjectMember]) -> AstNode {
        AstNode::new(t::OBJECT, members.iter().map(|member| self.object_member(member)).collect())
    }

    fn call(&mut self, name: &str, arguments: &[Expr]) -> AstNode {
        let arguments = AstNode::new(t::ARRAY, self.expressions(arguments));
        let node_type = if name.contains("::") { t::USER_FUNCTION_CALL } else { t::FUNCTION_CALL };
        AstNode::named(node_type, &name.to_ascii_uppercase(), vec![arguments])
    }

    fn attribute(&mut self, base: &Expr, name: &str) -> AstNode {
        AstNode::named(t::ATTRIBUTE_ACCESS, name, vec![self.base(base)])
    }

    fn bound_attribute(&mut self, base: &Expr, key: &str) -> AstNode {
        let mut parts = vec![self.base(base)];
        parts.push(AstNode::named(t::PARAMETER, key, Vec::new()));
        AstNode::new(t::BOUND_ATTRIBUTE_ACCESS, parts)
    }

    fn index(&mut self, base: &Expr, index: &Expr) -> AstNode {
        let mut parts = vec![self.base(base)];
        parts.push(self.expression(index));
        AstNode::new(t::INDEXED_ACCESS, parts)
    }

    fn question_mark(
        &mut self,
        source: &Expr,
        marks: u32,
        quantifier: Option<&Quantifier>,
        filter: Option<&Expr>,
    ) -> AstNode {
        let mut parts = vec![iterator(self.base(source))];
        parts.push(AstNode::named(t::REFERENCE, "CURRENT", Vec::new()));
        let mut condition = vec![quantifier.map_or_else(AstNode::no_op, |q| self.quantifier(q))];
        condition.push(filter.map_or_else(AstNode::no_op, |f| self.expression(f)));
        parts.push(AstNode::new(t::ARRAY_FILTER, condition));
        let mut node = AstNode::new(t::EXPANSION, parts);
        node.value = Some(AstValue::Int(i64::from(marks)));
        node
    }

    /// Variables of a subquery end with it.
    fn subquery(&mut self, block: &Block) -> AstNode {
        let n_visible = self.variables.len();
        let statements = self.statements(block);
        self.variables.truncate(n_visible);
        AstNode::new(t::SUBQUERY, statements)
    }

    fn expressions(&mut self, expressions: &[Expr]) -> Vec<AstNode> {
        expressions.iter().map(|expression| self.expression(expression)).collect()
    }

    /// What an access is behind; parentheses around an expansion show as a node of their own.
    fn base(&mut self, base: &Expr) -> AstNode {
        let node = self.expression(base);
        if matches!(base.kind, ExprKind::Expansion(_)) { AstNode::new(t::PASSTHRU, vec![node]) } else { node }
    }

    fn quantifier(&mut self, quantifier: &Quantifier) -> AstNode {
        match quantifier {
            Quantifier::All => AstNode::named(t::QUANTIFIER, "all", Vec::new()),
            Quantifier::Any => AstNode::named(t::QUANTIFIER, "any", Vec::new()),
            Quantifier::None => AstNode::named(t::QUANTIFIER, "none", Vec::new()),
            Quantifier::AtLeast(count) => {
                AstNode::named(t::QUANTIFIER, "at least", vec![self.expression(count)])
            }
            Quantifier::Exactly(count) => self.expression(count),
        }
    }

    fn object_member(&mut self, member: &ObjectMember) -> AstNode {
        let value = self.expression(&member.value);
        match &member.key {
            ObjectKey::Name(name) | ObjectKey::Shorthand(name) => {
                AstNode::named(t::OBJECT_ELEMENT, &name.text, vec![value])
            }
            ObjectKey::Computed(key) => {
                AstNode::new(t::CALCULATED_OBJECT_ELEMENT, vec![self.expression(key), value])
            }
            ObjectKey::Parameter(key) => {
                let key = AstNode::named(t::PARAMETER, &key.text, Vec::new());
                AstNode::new(t::CALCULATED_OBJECT_ELEMENT, vec![key, value])
            }
        }
    }

    fn expansion(&mut self, expansion: &Expansion) -> AstNode {
        let mut parts = vec![iterator(self.base(&expansion.source))];
        parts.push(self.expression(&expansion.element));
        parts.push(match &expansion.filter {
            Some(filter) => AstNode::new(t::ARRAY_FILTER, vec![AstNode::no_op(), self.expression(filter)]),
            None => AstNode::no_op(),
        });
        parts.push(self.array_limit(expansion.limit.as_ref()));
        parts.push(self.optional(&expansion.projection));
        let mut node = AstNode::new(t::EXPANSION, parts);
        node.value = Some(AstValue::Int(i64::from(expansion.stars)));
        node
    }

    fn array_limit(&mut self, limit: Option<&ArrayLimit>) -> AstNode {
        let Some(ArrayLimit { offset, count }) = limit else {
            return AstNode::no_op();
        };
        let offset = offset.as_ref().map_or_else(|| AstNode::int(0), |o| self.expression(o));
        AstNode::new(t::ARRAY_LIMIT, vec![offset, self.expression(count)])
    }
}

fn iterator(source: AstNode) -> AstNode {
    let variable = AstNode::named(t::VARIABLE, "CURRENT", Vec::new());
    AstNode::new(t::ITERATOR, vec![variable, source])
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

fn binary(operator: BinaryOperator, parts: Vec<AstNode>) -> AstNode {
    use BinaryOperator as B;
    let call = |name, parts| AstNode::named(t::FUNCTION_CALL, name, vec![AstNode::new(t::ARRAY, parts)]);
    let node_type = match operator {
        B::Like => return call("LIKE", parts),
        B::NotLike => return AstNode::new(t::UNARY_NOT, vec![call("LIKE", parts)]),
        B::Match => return call("REGEX_TEST", parts),
        B::NotMatch => return AstNode::new(t::UNARY_NOT, vec![call("REGEX_TEST", parts)]),
        B::Or => t::OR,
        B::And => t::AND,
        B::Equal => t::EQUAL,
        B::NotEqual => t::NOT_EQUAL,
        B::Less => t::LESS,
        B::LessEqual => t::LESS_EQUAL,
        B::Greater => t::GREATER,
        B::GreaterEqual => t::GREATER_EQUAL,
        B::In => t::IN,
        B::NotIn => t::NOT_IN,
        B::Add => t::PLUS,
        B::Subtract => t::MINUS,
        B::Multiply => t::TIMES,
        B::Divide => t::DIVISION,
        B::Modulo => t::MODULUS,
    };
    AstNode::new(node_type, parts)
}

/// The parser lets only comparisons follow a quantifier.
fn array_comparison_type(operator: BinaryOperator) -> (u16, &'static str) {
    use BinaryOperator as B;
    match operator {
        B::NotEqual => t::ARRAY_NOT_EQUAL,
        B::Less => t::ARRAY_LESS,
        B::LessEqual => t::ARRAY_LESS_EQUAL,
        B::Greater => t::ARRAY_GREATER,
        B::GreaterEqual => t::ARRAY_GREATER_EQUAL,
        B::In => t::ARRAY_IN,
        B::NotIn => t::ARRAY_NOT_IN,
        _ => t::ARRAY_EQUAL,
    }
}
