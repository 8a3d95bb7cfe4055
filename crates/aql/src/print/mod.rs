//! Syntax tree to canonical AQL text: one line, upper-case keywords, no more parentheses than meaning needs.
//!
//! Parsing the text again gives an equal tree.

mod expression;
mod statement;

use std::fmt::{self, Display, Formatter, Write};

use crate::ast::{DataSource, Name};
use crate::token::is_plain_identifier;

/// A name, quoted if it must be.
struct Identifier<'a>(&'a str);

impl Display for Identifier<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if is_plain_identifier(self.0) {
            return f.write_str(self.0);
        }
        f.write_char('`')?;
        for character in self.0.chars() {
            if matches!(character, '`' | '\\') {
                f.write_char('\\')?;
            }
            f.write_char(character)?;
        }
        f.write_char('`')
    }
}

impl Display for Name {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Identifier(&self.text).fmt(f)
    }
}

impl Display for DataSource {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => name.fmt(f),
            Self::Parameter(key) => write!(f, "@{}", key.text),
        }
    }
}

/// A string literal.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for character in self.0.chars() {
            match character {
                '"' | '\\' => write!(f, "\\{character}")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                control if u32::from(control) < 0x20 => write!(f, "\\u{:04x}", u32::from(control))?,
                other => f.write_char(other)?,
            }
        }
        f.write_char('"')
    }
}

/// Members with a comma between them.
fn write_list<T: Display>(f: &mut Formatter<'_>, members: &[T]) -> fmt::Result {
    for (i, member) in members.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        member.fmt(f)?;
    }
    Ok(())
}
