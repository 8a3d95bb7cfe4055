//! JSON text to VelocyPack: what the caller sees.

use persea_vpack::{Builder, DEPTH_MAX, VPackBuf};

use crate::Error;
use crate::reader::{Reader, Shapes};

/// Buffers that grew beyond this are given back after the text.
const KEPT_BYTES_MAX: usize = 16 << 20;

/// What the parser accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Deepest nesting of arrays and objects; 200 by default, at most [`persea_vpack::DEPTH_MAX`].
    pub max_depth: usize,
    /// What an attribute name that occurs twice in one object means.
    pub duplicates: Duplicates,
}

/// What an attribute name that occurs twice in one object means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Duplicates {
    /// The last value stays, the others are dropped.
    #[default]
    LastWins,
    /// The text is refused.
    Reject,
}

impl Default for Options {
    fn default() -> Options {
        Options { max_depth: 200, duplicates: Duplicates::LastWins }
    }
}

impl Options {
    /// The same options with another limit on nesting.
    #[must_use]
    pub fn with_max_depth(mut self, max_depth: usize) -> Options {
        self.max_depth = max_depth;
        self
    }

    /// The same options with another meaning of duplicate names.
    #[must_use]
    pub fn with_duplicates(mut self, duplicates: Duplicates) -> Options {
        self.duplicates = duplicates;
        self
    }
}

/// Parses one text after the other and keeps its buffers in between.
pub struct Parser {
    options: Options,
    unescaped: Vec<u8>,
    shapes: Shapes,
    builder: Builder,
}

impl std::fmt::Debug for Parser {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Parser").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Default for Parser {
    fn default() -> Parser {
        Parser::new(Options::default())
    }
}

impl Parser {
    /// A parser with empty buffers.
    pub fn new(mut options: Options) -> Parser {
        options.max_depth = options.max_depth.min(DEPTH_MAX);
        let mut parser =
            Parser { options, unescaped: Vec::new(), shapes: Shapes::default(), builder: Builder::new() };
        parser.release();
        parser
    }

    /// The options in force.
    pub fn options(&self) -> Options {
        self.options
    }

    /// Parses one complete text; white space around the value is allowed.
    ///
    /// # Errors
    /// Any [`Error`] but those of streams.
    pub fn parse(&mut self, text: &[u8]) -> Result<VPackBuf, Error> {
        let mut builder = std::mem::take(&mut self.builder);
        builder.clear();
        let parsed = self.parse_into(text, &mut builder);
        let value = parsed.and_then(|()| Ok(builder.finish()?));
        self.builder = builder;
        if text.len() > KEPT_BYTES_MAX {
            self.release();
        }
        value
    }

    /// Parses one complete text and pushes it as one value.
    ///
    /// After an error the builder holds part of the value, refuses more, and must be cleared. For [`Duplicates::Reject`] to
    /// have an effect, the builder must be set up to reject them, as [`Parser::parse`] does.
    ///
    /// # Errors
    /// Any [`Error`] but those of streams.
    pub fn parse_into(&mut self, text: &[u8], builder: &mut Builder) -> Result<(), Error> {
        let room = DEPTH_MAX.saturating_sub(builder.depth());
        let Some(out) = builder.append() else {
            let misuse = persea_vpack::Error::Builder("a value where none is due");
            return Err(Error::VPack(builder.error().cloned().unwrap_or(misuse)));
        };
        let depth_max = self.options.max_depth.min(room);
        let read = Reader::new(text, out, &mut self.unescaped, &mut self.shapes, depth_max).read();
        if read.is_err() {
            builder.give_up();
        }
        match read {
            Err(Error::TooDeep { .. }) if room < self.options.max_depth => {
                Err(Error::VPack(persea_vpack::Error::TooDeep))
            }
            other => other,
        }
    }

    fn release(&mut self) {
        self.unescaped = Vec::new();
        self.builder = Builder::new();
        self.builder.reject_duplicates(self.options.duplicates == Duplicates::Reject);
    }
}

/// Parses one complete text with the default options.
///
/// # Errors
/// Any [`Error`] but those of streams.
pub fn parse(text: &[u8]) -> Result<VPackBuf, Error> {
    Parser::default().parse(text)
}
