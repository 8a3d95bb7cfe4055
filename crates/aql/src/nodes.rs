//! The syntax tree in the shape ArangoDB shows for a parsed query: typed nodes with sub-nodes.
//!
//! Which names are variables is decided by what has been declared further up; everything else counts as a
//! collection. Whoever knows the catalog must not rely on it.

mod convert;
mod expression;

use crate::ast::QueryRoot;

/// One node of the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct AstNode {
    /// ArangoDB's name of the node type, such as `compare ==`.
    pub type_name: &'static str,
    /// ArangoDB's number of the node type.
    pub type_id: u16,
    /// Name of a variable, attribute, collection, function or parameter.
    pub name: Option<String>,
    /// Number of a variable, for `variable` and `reference`.
    pub id: Option<u32>,
    /// Value of a literal.
    pub value: Option<AstValue>,
    /// The parts.
    pub sub_nodes: Vec<AstNode>,
}

/// The value of a literal node.
#[derive(Clone, Debug, PartialEq)]
pub enum AstValue {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Double(f64),
    /// A string.
    String(String),
}

/// The root node of a query.
pub fn to_ast_nodes(root: &QueryRoot) -> AstNode {
    convert::Converter::default().root(root)
}

macro_rules! node_types {
    ($($name:ident = $id:literal $text:literal;)*) => {
        /// ArangoDB's node types: number and name.
        mod node_type {
            $(pub(super) const $name: (u16, &str) = ($id, $text);)*
        }
    };
}

node_types! {
    ROOT = 0 "root";
    FOR = 1 "for";
    LET = 2 "let";
    FILTER = 3 "filter";
    RETURN = 4 "return";
    REMOVE = 5 "remove";
    INSERT = 6 "insert";
    UPDATE = 7 "update";
    REPLACE = 8 "replace";
    COLLECT = 9 "collect";
    SORT = 10 "sort";
    SORT_ELEMENT = 11 "sort element";
    LIMIT = 12 "limit";
    VARIABLE = 13 "variable";
    ASSIGN = 14 "assign";
    UNARY_PLUS = 15 "unary plus";
    UNARY_MINUS = 16 "unary minus";
    UNARY_NOT = 17 "unary not";
    AND = 18 "logical and";
    OR = 19 "logical or";
    PLUS = 20 "plus";
    MINUS = 21 "minus";
    TIMES = 22 "times";
    DIVISION = 23 "division";
    MODULUS = 24 "modulus";
    EQUAL = 25 "compare ==";
    NOT_EQUAL = 26 "compare !=";
    LESS = 27 "compare <";
    LESS_EQUAL = 28 "compare <=";
    GREATER = 29 "compare >";
    GREATER_EQUAL = 30 "compare >=";
    IN = 31 "compare in";
    NOT_IN = 32 "compare not in";
    TERNARY = 33 "ternary";
    SUBQUERY = 34 "subquery";
    ATTRIBUTE_ACCESS = 35 "attribute access";
    BOUND_ATTRIBUTE_ACCESS = 36 "bound attribute access";
    INDEXED_ACCESS = 37 "indexed access";
    EXPANSION = 38 "expansion";
    ITERATOR = 39 "iterator";
    VALUE = 40 "value";
    ARRAY = 41 "array";
    OBJECT = 42 "object";
    OBJECT_ELEMENT = 43 "object element";
    COLLECTION = 44 "collection";
    REFERENCE = 45 "reference";
    PARAMETER = 46 "parameter";
    FUNCTION_CALL = 47 "function call";
    USER_FUNCTION_CALL = 48 "user function call";
    RANGE = 49 "range";
    NO_OP = 50 "no-op";
    COLLECT_COUNT = 51 "collect count";
    CALCULATED_OBJECT_ELEMENT = 53 "calculated object element";
    UPSERT = 54 "upsert";
    EXAMPLE = 55 "example";
    PASSTHRU = 56 "passthru";
    ARRAY_LIMIT = 57 "array limit";
    DISTINCT = 58 "distinct";
    TRAVERSAL = 59 "traversal";
    COLLECTION_LIST = 60 "collection list";
    DIRECTION = 61 "direction";
    AGGREGATIONS = 64 "aggregations array";
    WITH = 65 "with collections";
    ARRAY_EQUAL = 66 "array compare ==";
    ARRAY_NOT_EQUAL = 67 "array compare !=";
    ARRAY_LESS = 68 "array compare <";
    ARRAY_LESS_EQUAL = 69 "array compare <=";
    ARRAY_GREATER = 70 "array compare >";
    ARRAY_GREATER_EQUAL = 71 "array compare >=";
    ARRAY_IN = 72 "array compare in";
    ARRAY_NOT_IN = 73 "array compare not in";
    QUANTIFIER = 74 "quantifier";
    SHORTEST_PATH = 76 "shortest path";
    DATA_SOURCE_PARAMETER = 78 "datasource parameter";
    FOR_VIEW = 79 "for view";
    ENUMERATE_PATHS = 80 "enumerate paths";
    WINDOW = 81 "window";
    ARRAY_FILTER = 82 "array filter";
}

impl AstNode {
    fn new((type_id, type_name): (u16, &'static str), sub_nodes: Vec<Self>) -> Self {
        Self { type_name, type_id, name: None, id: None, value: None, sub_nodes }
    }

    fn named(node_type: (u16, &'static str), name: &str, sub_nodes: Vec<Self>) -> Self {
        Self { name: Some(name.to_owned()), ..Self::new(node_type, sub_nodes) }
    }

    fn value(value: AstValue) -> Self {
        Self { value: Some(value), ..Self::new(node_type::VALUE, Vec::new()) }
    }

    fn string(text: &str) -> Self {
        Self::value(AstValue::String(text.to_owned()))
    }

    fn int(value: i64) -> Self {
        Self::value(AstValue::Int(value))
    }

    fn no_op() -> Self {
        Self::new(node_type::NO_OP, Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(node: &AstNode) -> String {
        let mut shown = node.type_name.to_owned();
        if let Some(name) = &node.name {
            shown += &format!(" {name}");
        }
        if let Some(id) = node.id {
            shown += &format!("#{id}");
        }
        if let Some(value) = &node.value {
            shown += &format!(" {value:?}");
        }
        if !node.sub_nodes.is_empty() {
            let parts: Vec<String> = node.sub_nodes.iter().map(show).collect();
            shown += &format!("({})", parts.join(", "));
        }
        shown
    }

    fn check(query: &str, expected: &str) {
        let parsed = crate::parse(query).unwrap();
        assert_eq!(show(&to_ast_nodes(&parsed.root)), format!("root({expected})"), "{query}");
    }

    #[test]
    fn tells_variables_from_collections() {
        check(
            "FOR p IN products FILTER p.name == @name LIMIT 2 RETURN p.n",
            "for(variable p#0, collection products, no-op), \
             filter(compare ==(attribute access name(reference p#0), parameter name)), \
             limit(value Int(0), value Int(2)), return(attribute access n(reference p#0))",
        );
    }

    #[test]
    fn shows_operators_as_calls_where_arangodb_does() {
        check(
            "RETURN 'a' NOT LIKE 'b'",
            "return(unary not(function call LIKE(array(value String(\"a\"), value String(\"b\")))))",
        );
        check("RETURN a::b(1)", "return(user function call A::B(array(value Int(1))))");
    }

    #[test]
    fn shows_every_statement() {
        for query in [
            "FOR v, e, p IN 1..2 ANY 'a/b' GRAPH 'g' PRUNE x = v.a OPTIONS {order: 'bfs'} RETURN x",
            "FOR v IN OUTBOUND SHORTEST_PATH 'a' TO 'b' e, INBOUND f RETURN v",
            "FOR x IN y COLLECT a = x.a AGGREGATE s = SUM(x.b) INTO g = x OPTIONS {method: 'hash'} RETURN [a, s, g]",
            "FOR x IN y COLLECT a = x WITH COUNT INTO n RETURN n",
            "FOR x IN y WINDOW {preceding: 1} AGGREGATE s = SUM(x) RETURN s",
            "UPSERT {a: 1} INSERT {a: 1} REPLACE OLD IN c RETURN NEW",
            "FOR x IN c UPDATE x WITH {a: [1][* FILTER CURRENT LIMIT 1 RETURN 2].b[? ANY FILTER true]} IN c",
            "LET {a, b: [c]} = {} SORT a DESC, c @d RETURN a ? b : [c AT LEAST (1) IN [1], 1..2, -1, +1, !1]",
        ] {
            let parsed = crate::parse(query).unwrap();
            let root = to_ast_nodes(&parsed.root);
            assert_eq!(root.sub_nodes.len(), parsed.root.body.statements.len(), "{query}");
        }
    }
}
