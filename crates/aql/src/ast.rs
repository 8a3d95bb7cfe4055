//! The syntax tree of a query: what was written, by name, before any scope or collection is known.
//!
//! Variables, collections and functions are plain text here. A [`ExprKind::Name`] may turn out to be a
//! variable, a collection, a view or one of the pseudo-variables `CURRENT`, `NEW` and `OLD`: whoever
//! resolves scopes decides, because a variable may shadow each of them.

use std::fmt;

/// Where something starts in the query text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Position {
    /// Bytes from the start of the text.
    pub offset: u32,
    /// Line, counted from 1.
    pub line: u32,
    /// Column in bytes, counted from 1.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A name with its place: a variable, attribute or function.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name without its quotes.
    pub text: String,
    /// Where it stands.
    pub position: Position,
}

impl PartialEq for Name {
    /// Names are equal by text: two trees are the same wherever their parts stood in the text.
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Name {
    /// A name at a place.
    pub fn new(text: impl Into<String>, position: Position) -> Self {
        Self { text: text.into(), position }
    }
}

/// A whole query: the collections of a leading `WITH` and the statements.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryRoot {
    /// Collections announced by `WITH a, b`.
    pub with: Vec<DataSource>,
    /// The statements.
    pub body: Block,
}

/// The statements of a query or subquery, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Never empty in a parsed query; the last one ends the block (`RETURN`), or a modification stands among them.
    pub statements: Vec<Statement>,
}

/// One statement with its place.
#[derive(Clone, Debug)]
pub struct Statement {
    /// What the statement does.
    pub kind: StatementKind,
    /// Where its keyword stands.
    pub position: Position,
}

impl PartialEq for Statement {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

/// The statements of AQL.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `FOR x IN ...` over a collection, view, list, range or subquery.
    For(ForLoop),
    /// `FOR v, e, p IN 1..2 OUTBOUND start ...`.
    Traversal(Traversal),
    /// `FOR ... IN OUTBOUND SHORTEST_PATH a TO b ...` and the other path searches.
    PathSearch(PathSearch),
    /// `FILTER condition`.
    Filter(Expr),
    /// `LET target = value`; a list of assignments becomes one statement each.
    Let {
        /// What receives the value.
        target: Pattern,
        /// The value.
        value: Expr,
    },
    /// `SORT a DESC, b`.
    Sort(Vec<SortKey>),
    /// `LIMIT offset, count`.
    Limit {
        /// Rows to skip.
        offset: Option<Expr>,
        /// Rows to let through; a literal `null` means all.
        count: Expr,
    },
    /// `RETURN [DISTINCT] value`.
    Return {
        /// Whether equal results are returned once.
        distinct: bool,
        /// The result of one row.
        value: Expr,
    },
    /// `COLLECT ...`.
    Collect(Collect),
    /// `WINDOW ...`.
    Window(Window),
    /// `INSERT document INTO collection`.
    Insert {
        /// The new document.
        document: Expr,
        /// Where it goes.
        into: DataSource,
        /// `OPTIONS`.
        options: Option<Expr>,
    },
    /// `UPDATE [key WITH] document IN collection`.
    Update(Change),
    /// `REPLACE [key WITH] document IN collection`.
    Replace(Change),
    /// `REMOVE key IN collection`.
    Remove {
        /// Key or document.
        key: Expr,
        /// Where it is.
        from: DataSource,
        /// `OPTIONS`.
        options: Option<Expr>,
    },
    /// `UPSERT ...`.
    Upsert(Upsert),
}

/// What a loop or `LET` binds: one variable, or the parts of an array or object.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// One variable.
    Variable(Name),
    /// `[a, , [b]]`: by position; `None` leaves a member out.
    Array(Vec<Option<Pattern>>),
    /// `{a, b: c, d: {e}}`: attribute name and what it goes to.
    Object(Vec<(Name, Pattern)>),
}

impl Pattern {
    /// The variables bound, in the order written.
    pub fn variables(&self) -> Vec<&Name> {
        let mut names = Vec::new();
        self.collect_variables(&mut names);
        names
    }

    fn collect_variables<'a>(&'a self, names: &mut Vec<&'a Name>) {
        match self {
            Self::Variable(name) => names.push(name),
            Self::Array(members) => members.iter().flatten().for_each(|m| m.collect_variables(names)),
            Self::Object(members) => members.iter().for_each(|(_, m)| m.collect_variables(names)),
        }
    }
}

/// `FOR target IN source [SEARCH condition] [OPTIONS {...}]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ForLoop {
    /// The loop variable or its parts.
    pub target: Pattern,
    /// A [`ExprKind::Name`] or [`ExprKind::DataSourceParameter`] may mean a collection.
    pub source: Expr,
    /// Only views may be searched.
    pub search: Option<Expr>,
    /// An object literal.
    pub options: Option<Expr>,
}

/// A traversal loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Traversal {
    /// Vertex, edge, path variable; one to three.
    pub variables: Vec<Name>,
    /// `min..max`, one number, or left out (1).
    pub depth: Option<Expr>,
    /// The direction for everything without its own.
    pub direction: Direction,
    /// Id or document the traversal starts at.
    pub start: Expr,
    /// The graph or edge collections.
    pub graph: GraphSubject,
    /// `PRUNE [variable =] condition`.
    pub prune: Option<Prune>,
    /// An object literal.
    pub options: Option<Expr>,
}

/// `PRUNE [variable =] condition`.
#[derive(Clone, Debug, PartialEq)]
pub struct Prune {
    /// The variable that keeps the condition's value.
    pub variable: Option<Name>,
    /// True stops going deeper.
    pub condition: Expr,
}

/// A path search loop.
#[derive(Clone, Debug, PartialEq)]
pub struct PathSearch {
    /// Which search.
    pub kind: PathSearchKind,
    /// `vertex[, edge]` for the shortest path, the path variable for the others.
    pub variables: Vec<Name>,
    /// `min..max`, only with [`PathSearchKind::KPaths`].
    pub depth: Option<Expr>,
    /// The direction for everything without its own.
    pub direction: Direction,
    /// Where paths start.
    pub start: Expr,
    /// Where paths end.
    pub target: Expr,
    /// The graph or edge collections.
    pub graph: GraphSubject,
    /// An object literal.
    pub options: Option<Expr>,
}

/// The path searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathSearchKind {
    /// `SHORTEST_PATH`
    ShortestPath,
    /// `ALL_SHORTEST_PATHS`
    AllShortestPaths,
    /// `K_SHORTEST_PATHS`
    KShortestPaths,
    /// `K_PATHS`
    KPaths,
}

impl PathSearchKind {
    /// The keyword.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::ShortestPath => "SHORTEST_PATH",
            Self::AllShortestPaths => "ALL_SHORTEST_PATHS",
            Self::KShortestPaths => "K_SHORTEST_PATHS",
            Self::KPaths => "K_PATHS",
        }
    }
}

/// Which way edges are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From `_from` to `_to`.
    Outbound,
    /// From `_to` to `_from`.
    Inbound,
    /// Both ways.
    Any,
}

impl Direction {
    /// The keyword.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Outbound => "OUTBOUND",
            Self::Inbound => "INBOUND",
            Self::Any => "ANY",
        }
    }
}

/// What a traversal or path search walks on.
#[derive(Clone, Debug, PartialEq)]
pub enum GraphSubject {
    /// `GRAPH "name"` or `GRAPH name` (a [`ExprKind::String`]) or `GRAPH @name` (a [`ExprKind::Parameter`]).
    Graph(Expr),
    /// Edge collections, each with its own direction if it has one.
    EdgeCollections(Vec<(Option<Direction>, DataSource)>),
}

/// A collection (or view) named where nothing else may stand.
#[derive(Clone, Debug, PartialEq)]
pub enum DataSource {
    /// By name.
    Name(Name),
    /// A bind parameter; the text is its key in the bind values: `@name` when written `@@name`, and `name` when
    /// written `@name` (possible in `WITH` and among edge collections).
    Parameter(Name),
}

impl DataSource {
    /// Where it stands.
    pub fn position(&self) -> Position {
        match self {
            Self::Name(name) | Self::Parameter(name) => name.position,
        }
    }
}

/// One `SORT` element.
#[derive(Clone, Debug, PartialEq)]
pub struct SortKey {
    /// What is sorted by.
    pub value: Expr,
    /// Which way.
    pub direction: SortDirection,
}

/// Which way a `SORT` element sorts.
#[derive(Clone, Debug, PartialEq)]
pub enum SortDirection {
    /// `ASC`, also when nothing is written.
    Ascending,
    /// `DESC`
    Descending,
    /// `@name`, with the string `asc` or `desc` as value.
    Parameter(Expr),
}

/// `COLLECT` in all its forms.
#[derive(Clone, Debug, PartialEq)]
pub struct Collect {
    /// `variable = expression` pairs rows are grouped by.
    pub groups: Vec<Assignment>,
    /// `AGGREGATE variable = FUNCTION(expression)`; the expression is always a [`ExprKind::Call`].
    pub aggregates: Vec<Assignment>,
    /// `INTO` or `WITH COUNT INTO`.
    pub into: Option<CollectInto>,
    /// An object literal.
    pub options: Option<Expr>,
}

/// Where the rows of a group go.
#[derive(Clone, Debug, PartialEq)]
pub enum CollectInto {
    /// `WITH COUNT INTO variable`.
    Count(Name),
    /// `INTO variable = expression`.
    Projection {
        /// The variable.
        variable: Name,
        /// Evaluated for every row of the group.
        value: Expr,
    },
    /// `INTO variable [KEEP a, b]`; without `KEEP` all variables are kept.
    Rows {
        /// The variable.
        variable: Name,
        /// The variables kept; empty when `KEEP` isn't written.
        keep: Vec<Name>,
    },
}

/// `variable = value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// The variable.
    pub variable: Name,
    /// Its value.
    pub value: Expr,
}

/// `WINDOW`.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// The value whose range counts; without it rows are counted.
    pub range: Option<Expr>,
    /// How far back, if written.
    pub preceding: Option<Expr>,
    /// How far ahead, if written.
    pub following: Option<Expr>,
    /// The aggregates; each expression is a [`ExprKind::Call`].
    pub aggregates: Vec<Assignment>,
}

/// The parts of `UPDATE` and `REPLACE`.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The key in the `key WITH document` form.
    pub key: Option<Expr>,
    /// The patch or new document.
    pub document: Expr,
    /// Where it is.
    pub collection: DataSource,
    /// An object literal.
    pub options: Option<Expr>,
}

/// The parts of `UPSERT`.
#[derive(Clone, Debug, PartialEq)]
pub struct Upsert {
    /// How the document is looked up.
    pub search: UpsertSearch,
    /// Inserted when nothing is found.
    pub insert: Expr,
    /// Whether a found document is replaced instead of updated.
    pub replace: bool,
    /// The patch or new document; may use `OLD`.
    pub update: Expr,
    /// The collection.
    pub collection: DataSource,
    /// An object literal.
    pub options: Option<Expr>,
}

/// How `UPSERT` looks a document up.
#[derive(Clone, Debug, PartialEq)]
pub enum UpsertSearch {
    /// An object literal or bind parameter.
    Example(Expr),
    /// `FILTER condition`, over `CURRENT`.
    Filter(Expr),
}

/// An expression with its place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it starts; for a binary operator, where the operator stands.
    pub position: Position,
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Expr {
    /// An expression at a place.
    pub fn new(kind: ExprKind, position: Position) -> Self {
        Self { kind, position }
    }
}

/// The expressions of AQL.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `null`, also a number literal outside the range of a double.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number that fits in 64 bits.
    Int(i64),
    /// Any other number; always finite and never negative.
    Double(f64),
    /// A string.
    String(String),
    /// A variable, collection, view or pseudo-variable.
    Name(String),
    /// `@name`.
    Parameter(String),
    /// `@@name`, as an expression; the text is `name` with one `@`, as in the bind values.
    DataSourceParameter(String),
    /// The member an enclosing [`ExprKind::Expansion`] stands at; only inside its `element`.
    Element,
    /// `-x`, `+x`, `!x`.
    Unary {
        /// The operator.
        operator: UnaryOperator,
        /// Its operand.
        operand: Box<Expr>,
    },
    /// `a + b` and the like.
    Binary {
        /// The operator.
        operator: BinaryOperator,
        /// What stands left.
        left: Box<Expr>,
        /// What stands right.
        right: Box<Expr>,
    },
    /// `a ALL == b`.
    ArrayComparison {
        /// How many members must match.
        quantifier: Quantifier,
        /// A comparison, `IN` or `NOT IN`.
        operator: BinaryOperator,
        /// The array.
        left: Box<Expr>,
        /// What each member is compared with.
        right: Box<Expr>,
    },
    /// `condition ? then : otherwise`; without `then`: `condition ?: otherwise`.
    Ternary {
        /// Decides.
        condition: Box<Expr>,
        /// The value if true; the condition's own if left out.
        then: Option<Box<Expr>>,
        /// The value if false.
        otherwise: Box<Expr>,
    },
    /// `low..high`.
    Range {
        /// First member.
        low: Box<Expr>,
        /// Last member.
        high: Box<Expr>,
    },
    /// `[a, b]`.
    Array(Vec<Expr>),
    /// `{a: b}`.
    Object(Vec<ObjectMember>),
    /// `NAME(a, b)`; the name as written, with its `::` parts.
    Call {
        /// The function's name as written.
        name: String,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// `base.name`.
    Attribute {
        /// The object.
        base: Box<Expr>,
        /// The attribute's name.
        name: String,
    },
    /// `base.@name`: the value is an attribute name or an array of them (a path).
    BoundAttribute {
        /// The object.
        base: Box<Expr>,
        /// The bind parameter's name.
        parameter: String,
    },
    /// `base[index]`.
    Index {
        /// The array or object.
        base: Box<Expr>,
        /// Position or attribute name.
        index: Box<Expr>,
    },
    /// `source[* FILTER f LIMIT l RETURN p].rest`.
    Expansion(Box<Expansion>),
    /// `source[? quantifier FILTER f]`.
    QuestionMark {
        /// The array.
        source: Box<Expr>,
        /// Number of question marks: 1 doesn't flatten, 2 flattens one level of `source`, and so on.
        marks: u32,
        /// How many members must match; any if left out.
        quantifier: Option<Quantifier>,
        /// Over `CURRENT`; every member matches if left out.
        filter: Option<Box<Expr>>,
    },
    /// `(FOR ... RETURN ...)`.
    Subquery(Box<Block>),
}

/// `source[* FILTER f LIMIT l RETURN p]` and the accesses chained behind it.
#[derive(Clone, Debug, PartialEq)]
pub struct Expansion {
    /// The array; what isn't one counts as empty.
    pub source: Expr,
    /// Number of stars: 1 doesn't flatten, 2 flattens one level of `source`, and so on.
    pub stars: u32,
    /// Over `CURRENT`.
    pub filter: Option<Expr>,
    /// `LIMIT offset, count`.
    pub limit: Option<ArrayLimit>,
    /// `RETURN` inside the brackets, over `CURRENT`.
    pub projection: Option<Expr>,
    /// What follows the brackets, applied to every member (or its projection): an expression whose innermost
    /// base is [`ExprKind::Element`]. Just `Element` when nothing follows.
    pub element: Expr,
}

/// `LIMIT` inside `[* ]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrayLimit {
    /// Members to skip.
    pub offset: Option<Expr>,
    /// Members to let through.
    pub count: Expr,
}

/// One member of an object literal.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectMember {
    /// Its name.
    pub key: ObjectKey,
    /// Its value; a shorthand `{a}` has the name `a` as value.
    pub value: Expr,
}

/// The name of an object member.
#[derive(Clone, Debug, PartialEq)]
pub enum ObjectKey {
    /// `name:` or `"name":`.
    Name(Name),
    /// The name of a variable standing alone.
    Shorthand(Name),
    /// `[expression]:`.
    Computed(Expr),
    /// `@name:`.
    Parameter(Name),
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperator {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `!`, `NOT`
    Not,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOperator {
    /// `||`, `OR`
    Or,
    /// `&&`, `AND`
    And,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `IN`
    In,
    /// `NOT IN`
    NotIn,
    /// `LIKE`
    Like,
    /// `NOT LIKE`
    NotLike,
    /// `=~`
    Match,
    /// `!~`
    NotMatch,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
}

impl BinaryOperator {
    /// The operator as written.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Or => "||",
            Self::And => "&&",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::In => "IN",
            Self::NotIn => "NOT IN",
            Self::Like => "LIKE",
            Self::NotLike => "NOT LIKE",
            Self::Match => "=~",
            Self::NotMatch => "!~",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Modulo => "%",
        }
    }
}

/// How many members of an array must match.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantifier {
    /// `ALL`
    All,
    /// `ANY`
    Any,
    /// `NONE`
    None,
    /// `AT LEAST (n)`
    AtLeast(Box<Expr>),
    /// `n` or `low..high` (a [`ExprKind::Range`]); only in `[? ]`.
    Exactly(Box<Expr>),
}
