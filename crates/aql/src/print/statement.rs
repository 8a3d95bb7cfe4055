//! Queries and statements as text.

use std::fmt::{self, Display, Formatter};

use super::write_list;
use crate::ast::{
    Assignment, Block, Change, Collect, CollectInto, DataSource, Direction, Expr, ForLoop, GraphSubject,
    Name, PathSearch, Pattern, QueryRoot, SortDirection, SortKey, Statement, StatementKind, Traversal,
    Upsert, UpsertSearch, Window,
};

impl Display for QueryRoot {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.with.is_empty() {
            f.write_str("WITH ")?;
            write_list(f, &self.with)?;
            f.write_str(" ")?;
        }
        self.body.fmt(f)
    }
}

impl Display for Block {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, statement) in self.statements.iter().enumerate() {
            if i > 0 {
                f.write_str(" ")?;
            }
            statement.fmt(f)?;
        }
        Ok(())
    }
}

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl Display for StatementKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::For(for_loop) => for_loop.fmt(f),
            Self::Traversal(traversal) => traversal.fmt(f),
            Self::PathSearch(search) => search.fmt(f),
            Self::Filter(condition) => write!(f, "FILTER {condition}"),
            Self::Let { target, value } => write!(f, "LET {target} = {value}"),
            Self::Sort(keys) => {
                f.write_str("SORT ")?;
                write_list(f, keys)
            }
            Self::Limit { offset: None, count } => write!(f, "LIMIT {count}"),
            Self::Limit { offset: Some(offset), count } => write!(f, "LIMIT {offset}, {count}"),
            Self::Return { distinct: false, value } => write!(f, "RETURN {value}"),
            Self::Return { distinct: true, value } => write!(f, "RETURN DISTINCT {value}"),
            Self::Collect(collect) => collect.fmt(f),
            Self::Window(window) => window.fmt(f),
            Self::Insert { document, into, options } => {
                write!(f, "INSERT {document} INTO {into}")?;
                write_options(f, options)
            }
            Self::Update(change) => write_change(f, "UPDATE", change),
            Self::Replace(change) => write_change(f, "REPLACE", change),
            Self::Remove { key, from, options } => {
                write!(f, "REMOVE {key} IN {from}")?;
                write_options(f, options)
            }
            Self::Upsert(upsert) => upsert.fmt(f),
        }
    }
}

fn write_options(f: &mut Formatter<'_>, options: &Option<Expr>) -> fmt::Result {
    match options {
        Some(options) => write!(f, " OPTIONS {options}"),
        None => Ok(()),
    }
}

fn write_change(f: &mut Formatter<'_>, keyword: &str, change: &Change) -> fmt::Result {
    match &change.key {
        Some(key) => write!(f, "{keyword} {key} WITH {} IN {}", change.document, change.collection)?,
        None => write!(f, "{keyword} {} IN {}", change.document, change.collection)?,
    }
    write_options(f, &change.options)
}

impl Display for Pattern {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => name.fmt(f),
            Self::Array(members) => {
                f.write_str("[")?;
                for (i, member) in members.iter().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    if let Some(member) = member {
                        member.fmt(f)?;
                    }
                }
                f.write_str("]")
            }
            Self::Object(members) => {
                f.write_str("{")?;
                for (i, (attribute, target)) in members.iter().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    match target {
                        Self::Variable(name) if name == attribute => name.fmt(f)?,
                        _ => write!(f, "{attribute}: {target}")?,
                    }
                }
                f.write_str("}")
            }
        }
    }
}

impl Display for ForLoop {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "FOR {} IN {}", self.target, self.source)?;
        if let Some(search) = &self.search {
            write!(f, " SEARCH {search}")?;
        }
        write_options(f, &self.options)
    }
}

/// `FOR a, b IN depth DIRECTION`.
fn write_graph_head(
    f: &mut Formatter<'_>,
    variables: &[Name],
    depth: &Option<Expr>,
    direction: Direction,
) -> fmt::Result {
    f.write_str("FOR ")?;
    write_list(f, variables)?;
    f.write_str(" IN ")?;
    if let Some(depth) = depth {
        write!(f, "{depth} ")?;
    }
    f.write_str(direction.keyword())
}

impl Display for Traversal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_graph_head(f, &self.variables, &self.depth, self.direction)?;
        write!(f, " {} {}", self.start, self.graph)?;
        if let Some(prune) = &self.prune {
            f.write_str(" PRUNE ")?;
            if let Some(variable) = &prune.variable {
                write!(f, "{variable} = ")?;
            }
            prune.condition.fmt(f)?;
        }
        write_options(f, &self.options)
    }
}

impl Display for PathSearch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_graph_head(f, &self.variables, &self.depth, self.direction)?;
        write!(f, " {} {} TO {} {}", self.kind.keyword(), self.start, self.target, self.graph)?;
        write_options(f, &self.options)
    }
}

impl Display for GraphSubject {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Graph(name) => write!(f, "GRAPH {name}"),
            Self::EdgeCollections(collections) => {
                let shown: Vec<EdgeCollection<'_>> = collections.iter().map(EdgeCollection).collect();
                write_list(f, &shown)
            }
        }
    }
}

struct EdgeCollection<'a>(&'a (Option<Direction>, DataSource));

impl Display for EdgeCollection<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (direction, collection) = self.0;
        match direction {
            Some(direction) => write!(f, "{} {collection}", direction.keyword()),
            None => collection.fmt(f),
        }
    }
}

impl Display for SortKey {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.direction {
            SortDirection::Ascending => self.value.fmt(f),
            SortDirection::Descending => write!(f, "{} DESC", self.value),
            SortDirection::Parameter(parameter) => write!(f, "{} {parameter}", self.value),
        }
    }
}

impl Display for Assignment {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.variable, self.value)
    }
}

impl Display for Collect {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("COLLECT")?;
        if !self.groups.is_empty() {
            f.write_str(" ")?;
            write_list(f, &self.groups)?;
        }
        write_aggregates(f, &self.aggregates)?;
        match &self.into {
            None => {}
            Some(CollectInto::Count(variable)) => write!(f, " WITH COUNT INTO {variable}")?,
            Some(CollectInto::Projection { variable, value }) => write!(f, " INTO {variable} = {value}")?,
            Some(CollectInto::Rows { variable, keep }) => {
                write!(f, " INTO {variable}")?;
                if !keep.is_empty() {
                    f.write_str(" KEEP ")?;
                    write_list(f, keep)?;
                }
            }
        }
        write_options(f, &self.options)
    }
}

fn write_aggregates(f: &mut Formatter<'_>, aggregates: &[Assignment]) -> fmt::Result {
    if aggregates.is_empty() {
        return Ok(());
    }
    f.write_str(" AGGREGATE ")?;
    write_list(f, aggregates)
}

impl Display for Window {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("WINDOW ")?;
        if let Some(range) = &self.range {
            write!(f, "{range} WITH ")?;
        }
        match (&self.preceding, &self.following) {
            (Some(preceding), Some(following)) => {
                write!(f, "{{preceding: {preceding}, following: {following}}}")?;
            }
            (Some(preceding), None) => write!(f, "{{preceding: {preceding}}}")?,
            (None, Some(following)) => write!(f, "{{following: {following}}}")?,
            (None, None) => f.write_str("{}")?,
        }
        write_aggregates(f, &self.aggregates)
    }
}

impl Display for Upsert {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.search {
            UpsertSearch::Example(example) => write!(f, "UPSERT {example}")?,
            UpsertSearch::Filter(condition) => write!(f, "UPSERT FILTER {condition}")?,
        }
        let change = if self.replace { "REPLACE" } else { "UPDATE" };
        write!(f, " INSERT {} {change} {} IN {}", self.insert, self.update, self.collection)?;
        write_options(f, &self.options)
    }
}
