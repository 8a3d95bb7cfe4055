//! Tokens to syntax tree, by recursive descent.
//!
//! This file holds what all parts share: the token cursor, error messages, and the two bounds that keep any input
//! from overflowing the stack (levels of nesting, and bytes of stack used since the parse began).
//! Statements, loops, `COLLECT`, modifications, expressions and access chains have a file each.

mod access;
mod collect;
mod expression;
mod literal;
mod loops;
mod modification;
mod pattern;
mod statement;

use std::borrow::Cow;

use crate::Query;
use crate::ast::{DataSource, Expr, ExprKind, Name, Position, QueryRoot};
use crate::error::{ParseError, ParseWarning};
use crate::lexer::tokenize;
use crate::token::{Keyword, Token, TokenKind};

/// Levels of nesting in one expression, the limit ArangoDB has.
pub const MAX_NESTING: u32 = 500;

/// Bytes of stack a parse may use: half of the 2 MiB that threads usually have, and some.
const MAX_STACK_BYTES: usize = 1_300_000;

/// Characters of the query that an error message repeats.
const SNIPPET_BYTES: usize = 32;

type Result<T> = std::result::Result<T, ParseError>;

/// Parses a whole query.
pub(crate) fn parse(text: &str) -> Result<Query> {
    if text.is_empty() {
        return Err(ParseError { error_num: 1502, message: "query is empty".into(), line: 1, column: 1 });
    }
    let marker = 0u8;
    let mut parser = Parser {
        text,
        tokens: tokenize(text),
        at: 0,
        nesting: 0,
        depth: 0,
        stack_start: std::ptr::from_ref(&marker) as usize,
        in_ends_operand: false,
        inside_loop: false,
        is_modification: false,
        bind_parameters: Vec::new(),
        collections: Vec::new(),
        warnings: Vec::new(),
    };
    let root = parser.query_root()?;
    Ok(Query {
        root,
        bind_parameters: parser.bind_parameters,
        collections: parser.collections,
        is_modification: parser.is_modification,
        warnings: parser.warnings,
    })
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    at: usize,
    /// Open brackets, unary operators and ternary branches around the current token.
    nesting: u32,
    /// Levels of the expression built last.
    depth: u32,
    stack_start: usize,
    /// Whether `IN name` may end the expression instead of testing membership, as in `REMOVE key IN collection`.
    in_ends_operand: bool,
    /// Whether the current query level has a loop.
    inside_loop: bool,
    is_modification: bool,
    bind_parameters: Vec<String>,
    collections: Vec<String>,
    warnings: Vec<ParseWarning>,
}

impl<'a> Parser<'a> {
    fn query_root(&mut self) -> Result<QueryRoot> {
        let with = if self.eat_keyword(Keyword::With) { self.with_collections()? } else { Vec::new() };
        let body = self.block()?;
        if self.kind() != &TokenKind::End {
            return Err(self.unexpected(self.expected_after(&body, "end of query string")));
        }
        Ok(QueryRoot { with, body })
    }

    /// `WITH a, b c`: the commas are optional.
    fn with_collections(&mut self) -> Result<Vec<DataSource>> {
        let mut collections = vec![self.announced_collection()?];
        loop {
            let has_comma = self.eat(&TokenKind::Comma);
            let has_name = matches!(
                self.kind(),
                TokenKind::Identifier(_) | TokenKind::Parameter(_) | TokenKind::DataSourceParameter(_)
            );
            if !has_comma && !has_name {
                return Ok(collections);
            }
            collections.push(self.announced_collection()?);
        }
    }

    fn announced_collection(&mut self) -> Result<DataSource> {
        self.collection_or_parameter(&["identifier", "bind parameter", "bind data source parameter"])
    }

    /// A collection by unquoted name, `@@name` or `@name`.
    fn collection_or_parameter(&mut self, expecting: &[&str]) -> Result<DataSource> {
        let position = self.position();
        match self.kind().clone() {
            TokenKind::Identifier(name) => {
                self.advance();
                Ok(self.named_collection(&name, position))
            }
            TokenKind::Parameter(key) | TokenKind::DataSourceParameter(key) => {
                self.advance();
                Ok(self.collection_parameter(key, position))
            }
            _ => Err(self.unexpected(expecting)),
        }
    }

    fn named_collection(&mut self, name: &str, position: Position) -> DataSource {
        if !self.collections.iter().any(|known| known == name) {
            self.collections.push(name.to_owned());
        }
        DataSource::Name(Name::new(name, position))
    }

    fn collection_parameter(&mut self, key: &str, position: Position) -> DataSource {
        self.note_parameter(key);
        DataSource::Parameter(Name::new(key, position))
    }

    fn note_parameter(&mut self, key: &str) {
        if !self.bind_parameters.iter().any(|known| known == key) {
            self.bind_parameters.push(key.to_owned());
        }
    }
}

/// The token cursor. The last token is never stepped over.
impl<'a> Parser<'a> {
    fn token(&self) -> &Token<'a> {
        // The lexer always ends with a token that `advance` doesn't pass.
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn kind(&self) -> &TokenKind<'a> {
        &self.token().kind
    }

    fn kind_ahead(&self, n_tokens: usize) -> &TokenKind<'a> {
        self.tokens.get(self.at + n_tokens).map_or(&TokenKind::End, |token| &token.kind)
    }

    fn position(&self) -> Position {
        self.token().start
    }

    fn advance(&mut self) {
        self.at = (self.at + 1).min(self.tokens.len() - 1);
    }

    fn eat(&mut self, kind: &TokenKind<'_>) -> bool {
        let matches = self.kind() == kind;
        if matches {
            self.advance();
        }
        matches
    }

    fn at_keyword(&self, keyword: Keyword) -> bool {
        self.kind() == &TokenKind::Keyword(keyword)
    }

    fn eat_keyword(&mut self, keyword: Keyword) -> bool {
        self.eat(&TokenKind::Keyword(keyword))
    }

    fn expect(&mut self, kind: &TokenKind<'_>) -> Result<()> {
        if self.eat(kind) { Ok(()) } else { Err(self.unexpected(&[kind.describe()])) }
    }

    /// Expects a token where so many others could stand that a message names none.
    fn expect_among_many(&mut self, kind: &TokenKind<'_>) -> Result<()> {
        if self.eat(kind) { Ok(()) } else { Err(self.unexpected(&[])) }
    }

    fn expect_keyword(&mut self, keyword: Keyword) -> Result<()> {
        self.expect(&TokenKind::Keyword(keyword))
    }

    fn expect_identifier(&mut self) -> Result<(Cow<'a, str>, Position)> {
        let position = self.position();
        match self.kind() {
            TokenKind::Identifier(name) => {
                let name = name.clone();
                self.advance();
                Ok((name, position))
            }
            _ => Err(self.unexpected(&["identifier"])),
        }
    }

    /// The name of a variable that is declared here.
    fn variable(&mut self) -> Result<Name> {
        let (name, position) = self.expect_identifier()?;
        self.check_variable_name(&name, position)?;
        Ok(Name::new(name, position))
    }

    fn check_variable_name(&self, name: &str, position: Position) -> Result<()> {
        let after_underscores = name.trim_start_matches('_');
        if after_underscores.is_empty() || after_underscores.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(ParseError {
                error_num: 1510,
                message: format!("variable name '{name}' has an invalid format"),
                line: position.line,
                column: position.column,
            });
        }
        Ok(())
    }
}

/// Error messages.
impl Parser<'_> {
    /// The current token is wrong; up to four alternatives are named.
    fn unexpected(&self, expecting: &[&str]) -> ParseError {
        let token = self.token();
        let message = match &token.kind {
            TokenKind::Invalid(message) => (*message).to_owned(),
            kind if expecting.is_empty() => format!("syntax error, unexpected {}", kind.describe()),
            kind => {
                format!("syntax error, unexpected {}, expecting {}", kind.describe(), expecting.join(" or "))
            }
        };
        self.error_at(1501, &message, token.report)
    }

    /// A structural mistake, reported at the current token.
    fn structural(&self, message: &str) -> ParseError {
        self.error_at(1501, message, self.token().report)
    }

    fn unexpected_qualifier(&self, found: &str, expecting: &str) -> ParseError {
        self.structural(&format!("unexpected qualifier '{found}', expecting {expecting}"))
    }

    fn bad_parameter(&self, key: &str) -> ParseError {
        let message = format!("bind parameter '{key}' has an invalid value or type");
        self.error_at(1553, &message, self.token().report)
    }

    fn error_at(&self, error_num: u32, message: &str, place: Position) -> ParseError {
        let snippet = snippet(self.text, place);
        ParseError {
            error_num,
            message: format!("{message} near '{snippet}' at position {place}"),
            line: place.line,
            column: place.column,
        }
    }

    fn too_much_nesting(&self) -> ParseError {
        let Position { line, column, .. } = self.position();
        ParseError { error_num: 1524, message: "too much nesting or too many objects".into(), line, column }
    }
}

/// The text from a place on, cut after [`SNIPPET_BYTES`].
fn snippet(text: &str, place: Position) -> String {
    // The place of an end of line is on the line that follows (see the lexer), where nothing is left to show.
    let rest = text.get(place.offset as usize..).unwrap_or_default();
    if rest == "\n" {
        return String::new();
    }
    if rest.len() < SNIPPET_BYTES {
        return rest.to_owned();
    }
    let mut end = SNIPPET_BYTES;
    while !rest.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}...", rest.get(..end).unwrap_or_default())
}

/// The bounds on nesting.
impl Parser<'_> {
    /// Steps into a nested part; [`Parser::leave`] steps out. Errors end the whole parse, so they needn't.
    fn enter(&mut self) -> Result<()> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(self.too_much_nesting());
        }
        self.check_stack()
    }

    fn leave(&mut self) {
        self.nesting -= 1;
    }

    fn check_stack(&self) -> Result<()> {
        let marker = 0u8;
        let here = std::ptr::from_ref(&marker) as usize;
        if self.stack_start.abs_diff(here) > MAX_STACK_BYTES {
            return Err(self.too_much_nesting());
        }
        Ok(())
    }

    /// Finishes an expression whose deepest part has `part_depth` levels.
    fn build(&mut self, kind: ExprKind, position: Position, part_depth: u32) -> Result<Expr> {
        self.depth = part_depth + 1;
        if self.depth > MAX_NESTING {
            return Err(self.too_much_nesting());
        }
        Ok(Expr::new(kind, position))
    }
}
