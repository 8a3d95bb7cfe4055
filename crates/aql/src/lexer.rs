//! Text to tokens.
//!
//! The whole text is cut at once. What the lexer rejects becomes a token of its own ([`TokenKind::Invalid`]),
//! so that an earlier mistake in the grammar is reported first.

use std::borrow::Cow;

use crate::ast::Position;
use crate::token::{Keyword, Token, TokenKind};

/// Cuts a text into tokens; the last one is always [`TokenKind::End`] or [`TokenKind::Invalid`].
pub(crate) fn tokenize(text: &str) -> Vec<Token<'_>> {
    let mut lexer =
        Lexer { text, at: 0, line: 1, line_start: 0, last_piece: Position { offset: 0, line: 1, column: 1 } };
    let mut tokens = Vec::with_capacity(text.len() / 4 + 2);
    loop {
        let token = lexer.next_token();
        let ends = matches!(token.kind, TokenKind::End | TokenKind::Invalid(_));
        tokens.push(token);
        if ends {
            return tokens;
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    line_start: usize,
    /// Start of the last run of blanks, line end, comment or token: where the end of the text is reported.
    last_piece: Position,
}

impl<'a> Lexer<'a> {
    fn next_token(&mut self) -> Token<'a> {
        if let Some(invalid) = self.skip_blanks() {
            return invalid;
        }
        let start = self.position();
        let Some(byte) = self.peek(0) else {
            return Token { kind: TokenKind::End, start, report: self.last_piece };
        };
        let (kind, report) = match byte {
            b'"' | b'\'' => {
                self.quoted(1, &[byte], "unexpected unterminated string literal", TokenKind::QuotedString)
            }
            b'`' => self.quoted(1, b"`", "unexpected unterminated identifier", TokenKind::Identifier),
            _ if self.rest().starts_with('\u{b4}') => self.quoted(
                2,
                "\u{b4}".as_bytes(),
                "unexpected unterminated identifier",
                TokenKind::Identifier,
            ),
            b'0'..=b'9' => (self.number(), start),
            b'.' if self.peek(1).is_some_and(|b| b.is_ascii_digit()) => (self.number(), start),
            b'@' => (self.parameter(), start),
            b'$' | b'_' | b'a'..=b'z' | b'A'..=b'Z' => (self.word(), start),
            _ => (self.operator(), start),
        };
        self.last_piece = report;
        Token { kind, start, report }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn position(&self) -> Position {
        self.position_of(self.at)
    }

    /// A place on the current line.
    fn position_of(&self, offset: usize) -> Position {
        let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Position {
            offset: narrow(offset),
            line: self.line,
            column: narrow(offset.saturating_sub(self.line_start)).saturating_add(1),
        }
    }

    fn newline_before(&mut self, offset: usize) {
        self.line = self.line.saturating_add(1);
        self.line_start = offset;
    }

    /// Skips blanks, line ends and comments; an unterminated comment comes back as a token.
    fn skip_blanks(&mut self) -> Option<Token<'a>> {
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some(b' ' | b'\t' | b'\r'), _) => {
                    self.last_piece = self.position();
                    while matches!(self.peek(0), Some(b' ' | b'\t' | b'\r')) {
                        self.at += 1;
                    }
                }
                (Some(b'\n'), _) => {
                    let mut piece = self.position();
                    piece.line = piece.line.saturating_add(1);
                    self.last_piece = piece;
                    self.at += 1;
                    self.newline_before(self.at);
                }
                (Some(b'/'), Some(b'/')) => {
                    self.last_piece = self.position();
                    let comment = self.rest();
                    self.at += comment.find('\n').unwrap_or(comment.len());
                }
                (Some(b'/'), Some(b'*')) => {
                    let start = self.position();
                    if !self.skip_block_comment() {
                        let kind = TokenKind::Invalid("unexpected unterminated multi-line comment");
                        return Some(Token { kind, start, report: start });
                    }
                    self.last_piece = self.position_of(self.at.saturating_sub(2));
                }
                _ => return None,
            }
        }
    }

    fn skip_block_comment(&mut self) -> bool {
        self.at += 2;
        while let Some(byte) = self.peek(0) {
            if byte == b'*' && self.peek(1) == Some(b'/') {
                self.at += 2;
                return true;
            }
            self.at += 1;
            if byte == b'\n' {
                self.newline_before(self.at);
            }
        }
        false
    }

    /// A string or quoted identifier; `quote` is the closing quote.
    fn quoted(
        &mut self,
        opening_bytes: usize,
        quote: &[u8],
        unterminated: &'static str,
        make: fn(Cow<'a, str>) -> TokenKind<'a>,
    ) -> (TokenKind<'a>, Position) {
        let opening = self.position();
        self.at += opening_bytes;
        let content_start = self.at;
        let mut has_escapes = false;
        while let Some(byte) = self.peek(0) {
            if byte == quote[0] && self.text.as_bytes().get(self.at..).is_some_and(|b| b.starts_with(quote)) {
                let content = self.text.get(content_start..self.at).unwrap_or_default();
                let report = self.position();
                self.at += quote.len();
                let value = if has_escapes { Cow::Owned(unescape(content)) } else { Cow::Borrowed(content) };
                return (make(value), report);
            }
            self.at += 1;
            if byte == b'\\' {
                has_escapes = true;
                // An escaped character of several bytes has only continuation bytes left after this step.
                if self.peek(0) == Some(b'\n') {
                    self.newline_before(self.at + 1);
                }
                self.at += usize::from(self.peek(0).is_some());
            } else if byte == b'\n' {
                self.newline_before(self.at);
            }
        }
        (TokenKind::Invalid(unterminated), opening)
    }

    fn take_while(&mut self, accept: impl Fn(u8) -> bool) -> &'a str {
        let start = self.at;
        while self.peek(0).is_some_and(&accept) {
            self.at += 1;
        }
        self.text.get(start..self.at).unwrap_or_default()
    }

    fn number(&mut self) -> TokenKind<'a> {
        if self.peek(0) == Some(b'0') {
            let digits = |b: u8| b.is_ascii_hexdigit();
            match (self.peek(1), self.peek(2)) {
                (Some(b'x' | b'X'), Some(d)) if digits(d) => return self.radix(16, 8, digits),
                (Some(b'b' | b'B'), Some(b'0' | b'1')) => {
                    return self.radix(2, 32, |b| matches!(b, b'0' | b'1'));
                }
                _ => {}
            }
        }
        let start = self.at;
        let mut is_integer = true;
        if self.peek(0) == Some(b'0') {
            self.at += 1;
        } else {
            self.take_while(|b| b.is_ascii_digit());
        }
        if self.peek(0) == Some(b'.') && self.peek(1).is_some_and(|b| b.is_ascii_digit()) {
            is_integer = false;
            self.at += 1;
            self.take_while(|b| b.is_ascii_digit());
        }
        if matches!(self.peek(0), Some(b'e' | b'E')) {
            let sign_bytes = usize::from(matches!(self.peek(1), Some(b'+' | b'-')));
            if self.peek(1 + sign_bytes).is_some_and(|b| b.is_ascii_digit()) {
                is_integer = false;
                self.at += 1 + sign_bytes;
                self.take_while(|b| b.is_ascii_digit());
            }
        }
        let digits = self.text.get(start..self.at).unwrap_or_default();
        if is_integer && let Ok(value) = digits.parse::<i64>() {
            return TokenKind::Integer(value);
        }
        match digits.parse::<f64>() {
            Ok(value) if value.is_finite() && is_integer => TokenKind::LongInteger(value),
            Ok(value) if value.is_finite() => TokenKind::Double(value),
            _ => TokenKind::NumberOutOfRange,
        }
    }

    /// `0x...` and `0b...`, at most 32 bits.
    fn radix(&mut self, radix: u32, max_digits: usize, accept: impl Fn(u8) -> bool) -> TokenKind<'a> {
        self.at += 2;
        let digits = self.take_while(accept);
        match i64::from_str_radix(digits, radix) {
            Ok(value) if digits.len() <= max_digits => TokenKind::Integer(value),
            _ if radix == 2 => TokenKind::Invalid("binary number literals must not have more than 32 digits"),
            _ => TokenKind::Invalid("hexadecimal number literals must not have more than 8 digits"),
        }
    }

    fn parameter(&mut self) -> TokenKind<'a> {
        let is_data_source = self.peek(1) == Some(b'@');
        let name_start = self.at + 1 + usize::from(is_data_source);
        let name_bytes = self.text.as_bytes().get(name_start..).unwrap_or_default();
        let n_underscores = name_bytes.iter().take_while(|b| **b == b'_').count();
        if !name_bytes.get(n_underscores).is_some_and(u8::is_ascii_alphanumeric) {
            self.at += 1;
            return TokenKind::Unknown;
        }
        let key_start = self.at + 1;
        self.at = name_start;
        self.take_while(|b| b.is_ascii_alphanumeric() || b == b'_');
        let key = self.text.get(key_start..self.at).unwrap_or_default();
        if is_data_source { TokenKind::DataSourceParameter(key) } else { TokenKind::Parameter(key) }
    }

    fn word(&mut self) -> TokenKind<'a> {
        let bytes = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let prefix_bytes = match bytes.first() {
            Some(b'$') => 1,
            _ => bytes.iter().take_while(|b| **b == b'_').count(),
        };
        if !bytes.get(prefix_bytes).is_some_and(u8::is_ascii_alphabetic) {
            self.at += 1;
            return TokenKind::Unknown;
        }
        let start = self.at;
        self.at += prefix_bytes;
        self.take_while(|b| b.is_ascii_alphanumeric() || b == b'_');
        let word = self.text.get(start..self.at).unwrap_or_default();
        match Keyword::from_word(word) {
            Some(Keyword::Not) if self.skip_following_word("IN") => TokenKind::NotIn,
            Some(Keyword::Not) => TokenKind::Not,
            Some(Keyword::And) => TokenKind::And,
            Some(Keyword::Or) => TokenKind::Or,
            Some(keyword) => TokenKind::Keyword(keyword),
            None if word.eq_ignore_ascii_case("AT") && self.skip_following_word("LEAST") => {
                TokenKind::AtLeast
            }
            None => TokenKind::Identifier(Cow::Borrowed(word)),
        }
    }

    /// Steps over blanks and `expected` if that is the whole next word; otherwise stays.
    fn skip_following_word(&mut self, expected: &str) -> bool {
        let rest = self.rest();
        let word_start = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
        let after = rest.get(word_start..).unwrap_or_default();
        let word_bytes = after.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        let word = after.get(..word_bytes).unwrap_or_default();
        if word_start == 0 || !word.eq_ignore_ascii_case(expected) {
            return false;
        }
        for (offset, byte) in rest.bytes().take(word_start).enumerate() {
            if byte == b'\n' {
                self.newline_before(self.at + offset + 1);
            }
        }
        self.at += word_start + word_bytes;
        true
    }

    fn operator(&mut self) -> TokenKind<'a> {
        use TokenKind as T;
        let two = match (self.peek(0), self.peek(1)) {
            (Some(b'='), Some(b'~')) => Some(T::RegexMatch),
            (Some(b'!'), Some(b'~')) => Some(T::RegexNonMatch),
            (Some(b'='), Some(b'=')) => Some(T::Equal),
            (Some(b'!'), Some(b'=')) => Some(T::NotEqual),
            (Some(b'>'), Some(b'=')) => Some(T::GreaterEqual),
            (Some(b'<'), Some(b'=')) => Some(T::LessEqual),
            (Some(b'&'), Some(b'&')) => Some(T::And),
            (Some(b'|'), Some(b'|')) => Some(T::Or),
            (Some(b':'), Some(b':')) => Some(T::Scope),
            (Some(b'.'), Some(b'.')) => Some(T::Range),
            _ => None,
        };
        if let Some(kind) = two {
            self.at += 2;
            return kind;
        }
        let character = self.rest().chars().next().unwrap_or_default();
        self.at += character.len_utf8();
        match character {
            '=' => T::Assign,
            '!' => T::Not,
            '<' => T::Less,
            '>' => T::Greater,
            '+' => T::Plus,
            '-' => T::Minus,
            '*' => T::Times,
            '/' => T::Divide,
            '%' => T::Modulo,
            '?' => T::Question,
            ':' => T::Colon,
            '.' => T::Dot,
            ',' => T::Comma,
            '(' => T::Open,
            ')' => T::Close,
            '{' => T::ObjectOpen,
            '}' => T::ObjectClose,
            '[' => T::ArrayOpen,
            ']' => T::ArrayClose,
            other if other.is_ascii() => T::Unknown,
            _ => T::UnknownNonAscii,
        }
    }
}

/// Resolves the escapes of a string or quoted identifier; unknown ones stand for the escaped character.
fn unescape(content: &str) -> String {
    let mut out = String::with_capacity(content.len());
    let mut rest = content;
    while let Some(backslash) = rest.find('\\') {
        out.push_str(rest.get(..backslash).unwrap_or_default());
        let mut after = rest.get(backslash + 1..).unwrap_or_default().chars();
        match after.next() {
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('u') => {
                let (character, remaining) = unicode_escape(after.as_str());
                out.push(character);
                rest = remaining;
                continue;
            }
            Some(other) => out.push(other),
            None => {}
        }
        rest = after.as_str();
    }
    out.push_str(rest);
    out
}

/// Reads what follows `\u`: four hex digits, and a second half if they are a high surrogate.
fn unicode_escape(text: &str) -> (char, &str) {
    let Some(first) = hex4(text) else {
        return ('u', text);
    };
    let rest = text.get(4..).unwrap_or_default();
    if (0xd800..0xdc00).contains(&first)
        && let Some(second) = rest.strip_prefix("\\u").and_then(hex4)
        && (0xdc00..0xe000).contains(&second)
    {
        let combined = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        let character = char::from_u32(combined).unwrap_or(char::REPLACEMENT_CHARACTER);
        return (character, rest.get(6..).unwrap_or_default());
    }
    (char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER), rest)
}

fn hex4(text: &str) -> Option<u32> {
    let digits = text.get(..4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expected: &str) {
        let tokens = tokenize(input);
        let shown: Vec<String> = tokens
            .iter()
            .map(|t| match &t.kind {
                TokenKind::Identifier(name) => format!("name:{name}"),
                TokenKind::QuotedString(text) => format!("string:{text}"),
                TokenKind::Integer(n) => n.to_string(),
                TokenKind::Double(n) | TokenKind::LongInteger(n) => format!("{n:?}"),
                TokenKind::Parameter(name) => format!("@{name}"),
                TokenKind::DataSourceParameter(name) => format!("@{name}"),
                other => other.describe().to_string(),
            })
            .collect();
        let expected = if expected.is_empty() {
            "end of query string".into()
        } else {
            format!("{expected} | end of query string")
        };
        assert_eq!(shown.join(" | "), expected, "tokens of {input}");
    }

    #[test]
    fn names_and_keywords() {
        check("doc $x _key __a9 a_b Z", "name:doc | name:$x | name:_key | name:__a9 | name:a_b | name:Z");
        check("`for` `a\\`b` \u{b4}x y\u{b4}", "name:for | name:a`b | name:x y");
        check("not in", "not in operator");
        check("NOT\n IN x", "not in operator | name:x");
        check("NOT INx", "not operator | name:INx");
        check("at  least atleast at", "at least modifier | name:atleast | name:at");
        check("fOr rEtUrN", "FOR declaration | RETURN declaration");
        check(
            "keep count options prune search to",
            "name:keep | name:count | name:options | name:prune | name:search | name:to",
        );
        check("_", "invalid token");
        check("___", "invalid token | invalid token | invalid token");
        check("$$a", "invalid token | name:$a");
    }

    #[test]
    fn numbers() {
        check("0 17 1.5 .5 1e3 1E-2 2.5e+1", "0 | 17 | 1.5 | 0.5 | 1000.0 | 0.01 | 25.0");
        check(
            "9223372036854775807 9223372036854775808",
            "9223372036854775807 | 9.223372036854775808e18"
                .replace("9.223372036854775808e18", "9.223372036854776e18")
                .as_str(),
        );
        check("0xff 0XABCDEF02 0b101", "255 | 2882400002 | 5");
        check("00 01 1. 0b2 0xg", "0 | 0 | 0 | 1 | 1 | '.' | 0 | name:b2 | 0 | name:xg");
        check("1..3 1...3", "1 | .. | 3 | 1 | .. | 0.3");
        check("1e 1e+", "1 | name:e | 1 | name:e | + operator");
        check("0b11111111111111111111111111111111 0xffffffff", "4294967295 | 4294967295");
        check("1e500", "number");
    }

    #[test]
    fn strings() {
        check(r#""a\"b" 'it\'s' "\u00e4\n\/\q""#, "string:a\"b | string:it's | string:\u{e4}\n/q");
        check(r#""\ud83d\ude00" "\ud83d" "\uzz""#, "string:\u{1f600} | string:\u{fffd} | string:uzz");
        check("'two\nlines'", "string:two\nlines");
        check("\"\u{e4}\\\u{e4}\"", "string:\u{e4}\u{e4}");
    }

    #[test]
    fn parameters() {
        check("@a @1 @_x @@c @@_c", "@a | @1 | @_x | @@c | @@_c");
        check("@ @_ @@", "invalid token | invalid token | invalid token | invalid token | invalid token");
    }

    #[test]
    fn comments_and_places() {
        check("1 // two @x\n3", "1 | 3");
        check("1 /* two\n * / */ 3", "1 | 3");
        let tokens = tokenize("RETURN\n  \u{e4}");
        assert_eq!((tokens[1].start.line, tokens[1].start.column, tokens[1].start.offset), (2, 3, 9));
    }

    #[test]
    fn what_never_ends() {
        for (input, expected) in [
            ("'abc", "unexpected unterminated string literal"),
            ("\"abc\\", "unexpected unterminated string literal"),
            ("`abc", "unexpected unterminated identifier"),
            ("\u{b4}abc\u{c3}", "unexpected unterminated identifier"),
            ("/* abc *", "unexpected unterminated multi-line comment"),
        ] {
            let tokens = tokenize(input);
            assert_eq!(tokens.last().map(|t| t.kind.clone()), Some(TokenKind::Invalid(expected)), "{input}");
        }
    }
}
