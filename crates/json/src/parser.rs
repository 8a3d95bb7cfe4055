//! JSON text to VelocyPack: simd-json's tape, read straight into a builder.

use std::slice::Iter;

use persea_vpack::{Builder, DEPTH_MAX, VPackBuf};
use simd_json::{Buffers, INPUT_PADDING, Node, StaticNode, Tape, fill_tape_padded};

use crate::{Error, duplicate};

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
    buffers: Buffers,
    tape: Tape<'static>,
    padded: Vec<u8>,
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
        let mut builder = Builder::new();
        builder.reject_duplicates(options.duplicates == Duplicates::Reject);
        Parser {
            options,
            buffers: Buffers::with_max_depth(0, options.max_depth),
            tape: Tape(Vec::new()),
            padded: Vec::new(),
            builder,
        }
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
        value
    }

    /// Parses one complete text and pushes it as one value.
    ///
    /// After an error the builder may hold part of the value and must be cleared. For [`Duplicates::Reject`] to
    /// have an effect, the builder must be set up to reject them, as [`Parser::parse`] does.
    ///
    /// # Errors
    /// Any [`Error`] but those of streams.
    pub fn parse_into(&mut self, text: &[u8], builder: &mut Builder) -> Result<(), Error> {
        let mut tape = std::mem::replace(&mut self.tape, Tape(Vec::new())).reset();
        self.padded.clear();
        self.padded.reserve(text.len() + INPUT_PADDING);
        self.padded.extend_from_slice(text);
        self.padded.resize(text.len() + INPUT_PADDING, b' ');
        let filled = fill_tape_padded(&mut self.padded, text.len(), &mut self.buffers, &mut tape);
        if filled.is_ok() {
            push(&mut tape.0.iter(), builder);
        }
        self.tape = tape.reset();
        let outcome = match filled {
            Ok(()) => builder.error().map_or(Ok(()), |error| Err(refused(error, text))),
            Err(error) => Err(Error::explain(&error, text, self.options.max_depth)),
        };
        if text.len() > KEPT_BYTES_MAX {
            self.release();
        }
        outcome
    }

    fn release(&mut self) {
        self.buffers = Buffers::with_max_depth(0, self.options.max_depth);
        self.tape = Tape(Vec::new());
        self.padded = Vec::new();
    }
}

#[cold]
fn refused(error: &persea_vpack::Error, text: &[u8]) -> Error {
    match error {
        persea_vpack::Error::DuplicateKey { name } => {
            Error::DuplicateName { position: duplicate::locate(text), name: name.clone() }
        }
        other => Error::VPack(other.clone()),
    }
}

/// Pushes the next value of the tape. Its depth was limited when the tape was filled.
fn push(nodes: &mut Iter<'_, Node<'_>>, builder: &mut Builder) {
    match nodes.next() {
        Some(Node::String(text)) => {
            builder.add_str(text);
        }
        Some(Node::Static(number)) => push_scalar(*number, builder),
        Some(Node::Array { len, .. }) => {
            builder.open_array();
            for _ in 0..*len {
                push(nodes, builder);
            }
            builder.close();
        }
        Some(Node::Object { len, .. }) => {
            builder.open_object();
            for _ in 0..*len {
                if let Some(Node::String(name)) = nodes.next() {
                    builder.key(name);
                }
                push(nodes, builder);
            }
            builder.close();
        }
        None => {}
    }
}

#[inline]
fn push_scalar(scalar: StaticNode, builder: &mut Builder) {
    match scalar {
        StaticNode::Null => builder.add_null(),
        StaticNode::Bool(value) => builder.add_bool(value),
        StaticNode::I64(value) => builder.add_i64(value),
        StaticNode::U64(value) => builder.add_u64(value),
        StaticNode::F64(value) => builder.add_f64(value),
    };
}

/// Parses one complete text with the default options.
///
/// # Errors
/// Any [`Error`] but those of streams.
pub fn parse(text: &[u8]) -> Result<VPackBuf, Error> {
    Parser::default().parse(text)
}
