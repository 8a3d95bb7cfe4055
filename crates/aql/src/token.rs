//! The tokens of AQL and the names error messages give them.

use std::borrow::Cow;

use crate::ast::Position;

/// One token and where it starts.
#[derive(Clone, Debug)]
pub(crate) struct Token<'a> {
    pub kind: TokenKind<'a>,
    /// The first byte.
    pub start: Position,
    /// The place error messages name: quoted tokens are reported at their closing quote, as ArangoDB does.
    pub report: Position,
}

/// What a token is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind<'a> {
    Identifier(Cow<'a, str>),
    QuotedString(Cow<'a, str>),
    Integer(i64),
    /// A number with fraction or exponent.
    Double(f64),
    /// Digits only, but more than 64 bits.
    LongInteger(f64),
    /// A number literal that is no finite double.
    NumberOutOfRange,
    Parameter(&'a str),
    /// With one leading `@`.
    DataSourceParameter(&'a str),
    Keyword(Keyword),
    AtLeast,
    NotIn,
    Assign,
    Not,
    And,
    Or,
    RegexMatch,
    RegexNonMatch,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
    Question,
    Colon,
    Scope,
    Range,
    Dot,
    Comma,
    Open,
    Close,
    ObjectOpen,
    ObjectClose,
    ArrayOpen,
    ArrayClose,
    End,
    /// A character that is part of no token.
    Unknown,
    /// A character outside ASCII and outside quotes.
    UnknownNonAscii,
    /// Something the lexer itself rejects, with its message.
    Invalid(&'static str),
}

impl TokenKind<'_> {
    /// The name used in `unexpected ...` and `expecting ...`.
    pub fn describe(&self) -> &'static str {
        match self {
            Self::Identifier(_) => "identifier",
            Self::QuotedString(_) => "quoted string",
            Self::Integer(_) | Self::LongInteger(_) => "integer number",
            Self::Double(_) | Self::NumberOutOfRange => "number",
            Self::Parameter(_) => "bind parameter",
            Self::DataSourceParameter(_) => "bind data source parameter",
            Self::Keyword(keyword) => keyword.describe(),
            Self::AtLeast => "at least modifier",
            Self::NotIn => "not in operator",
            Self::Assign => "assignment",
            Self::Not => "not operator",
            Self::And => "and operator",
            Self::Or => "or operator",
            Self::RegexMatch => "~= operator",
            Self::RegexNonMatch => "~! operator",
            Self::Equal => "== operator",
            Self::NotEqual => "!= operator",
            Self::Less => "< operator",
            Self::LessEqual => "<= operator",
            Self::Greater => "> operator",
            Self::GreaterEqual => ">= operator",
            Self::Plus => "+ operator",
            Self::Minus => "- operator",
            Self::Times => "* operator",
            Self::Divide => "/ operator",
            Self::Modulo => "% operator",
            Self::Question => "?",
            Self::Colon => ":",
            Self::Scope => "::",
            Self::Range => "..",
            Self::Dot => "'.'",
            Self::Comma => ",",
            Self::Open => "(",
            Self::Close => ")",
            Self::ObjectOpen => "{",
            Self::ObjectClose => "}",
            Self::ArrayOpen => "[",
            Self::ArrayClose => "]",
            // The reference parser takes stray non-ASCII bytes for the end of its input.
            Self::End | Self::UnknownNonAscii => "end of query string",
            Self::Unknown => "invalid token",
            Self::Invalid(message) => message,
        }
    }
}

macro_rules! keywords {
    ($($variant:ident $text:literal $description:literal,)*) => {
        /// The reserved words.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Keyword { $($variant,)* }

        impl Keyword {
            /// The keyword spelled by `word` in any case.
            pub fn from_word(word: &str) -> Option<Self> {
                $(if word.eq_ignore_ascii_case($text) { return Some(Self::$variant); })*
                None
            }

            fn describe(self) -> &'static str {
                match self { $(Self::$variant => $description,)* }
            }
        }
    };
}

keywords! {
    For "FOR" "FOR declaration",
    Let "LET" "LET declaration",
    Filter "FILTER" "FILTER declaration",
    Return "RETURN" "RETURN declaration",
    Collect "COLLECT" "COLLECT declaration",
    Sort "SORT" "SORT declaration",
    Limit "LIMIT" "LIMIT declaration",
    Window "WINDOW" "WINDOW declaration",
    Asc "ASC" "ASC keyword",
    Desc "DESC" "DESC keyword",
    In "IN" "IN keyword",
    With "WITH" "WITH keyword",
    Into "INTO" "INTO keyword",
    Aggregate "AGGREGATE" "AGGREGATE keyword",
    Graph "GRAPH" "GRAPH keyword",
    ShortestPath "SHORTEST_PATH" "SHORTEST_PATH keyword",
    KShortestPaths "K_SHORTEST_PATHS" "K_SHORTEST_PATHS keyword",
    KPaths "K_PATHS" "K_PATHS keyword",
    AllShortestPaths "ALL_SHORTEST_PATHS" "ALL_SHORTEST_PATHS keyword",
    Distinct "DISTINCT" "DISTINCT modifier",
    Remove "REMOVE" "REMOVE command",
    Insert "INSERT" "INSERT command",
    Update "UPDATE" "UPDATE command",
    Replace "REPLACE" "REPLACE command",
    Upsert "UPSERT" "UPSERT command",
    Null "NULL" "null",
    True "TRUE" "true",
    False "FALSE" "false",
    Not "NOT" "not operator",
    And "AND" "and operator",
    Or "OR" "or operator",
    Like "LIKE" "like operator",
    Outbound "OUTBOUND" "outbound modifier",
    Inbound "INBOUND" "inbound modifier",
    Any "ANY" "any modifier",
    All "ALL" "all modifier",
    None "NONE" "none modifier",
}

/// Whether a name may stand without quotes: `$?[A-Za-z]\w*` or `_+[A-Za-z]\w*`, and no keyword. `AT` is none, but
/// would make an operator with a name `LEAST` behind it.
pub(crate) fn is_plain_identifier(word: &str) -> bool {
    let rest = word.strip_prefix('$').unwrap_or_else(|| word.trim_start_matches('_'));
    rest.starts_with(|c: char| c.is_ascii_alphabetic())
        && rest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && Keyword::from_word(word).is_none()
        && !word.eq_ignore_ascii_case("AT")
}
