//! What can be wrong with JSON text, and where.

use simd_json::ErrorType;

/// Why text is not the JSON that was expected. Positions count bytes from the start of the text.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text breaks the grammar.
    #[error("{message} (at byte {position})")]
    Syntax {
        /// Where it was noticed.
        position: usize,
        /// Which rule is broken.
        message: &'static str,
    },
    /// The text is not UTF-8.
    #[error("JSON text is not valid UTF-8 (at byte {position})")]
    InvalidUtf8 {
        /// The first byte that does not belong.
        position: usize,
    },
    /// Arrays and objects are nested deeper than the options allow.
    #[error("JSON is nested deeper than {depth_max} levels (at byte {position})")]
    TooDeep {
        /// The bracket that opens one level too many.
        position: usize,
        /// How many levels are allowed.
        depth_max: usize,
    },
    /// An attribute name occurs twice in one object, and the options refuse that.
    #[error("attribute name '{name}' occurs twice in one object (at byte {position})")]
    DuplicateName {
        /// The second occurrence.
        position: usize,
        /// The name.
        name: String,
    },
    /// One value of a stream is longer than the limit.
    #[error("JSON value is longer than {bytes_max} bytes (at byte {position})")]
    TooLong {
        /// Where the value starts.
        position: usize,
        /// How many bytes are allowed.
        bytes_max: usize,
    },
    /// The value cannot be represented, for example because it is larger than the format allows.
    #[error("JSON cannot be stored: {0}")]
    VPack(#[from] persea_vpack::Error),
    /// Reading the stream failed.
    #[error("reading JSON failed: {0}")]
    Io(#[from] std::io::Error),
}

impl Error {
    /// Where the fault was noticed, in bytes from the start; 0 where no place can be named.
    pub fn position(&self) -> usize {
        match self {
            Error::Syntax { position, .. }
            | Error::InvalidUtf8 { position }
            | Error::TooDeep { position, .. }
            | Error::DuplicateName { position, .. }
            | Error::TooLong { position, .. } => *position,
            Error::VPack(_) | Error::Io(_) => 0,
        }
    }

    /// The same fault in a text that follows `offset` bytes of other text.
    #[must_use]
    pub(crate) fn moved_by(mut self, offset: usize) -> Error {
        match &mut self {
            Error::Syntax { position, .. }
            | Error::InvalidUtf8 { position }
            | Error::TooDeep { position, .. }
            | Error::DuplicateName { position, .. }
            | Error::TooLong { position, .. } => *position += offset,
            Error::VPack(_) | Error::Io(_) => {}
        }
        self
    }

    /// Explains what simd-json found in `text`.
    #[cold]
    pub(crate) fn explain(error: &simd_json::Error, text: &[u8], depth_max: usize) -> Error {
        // Found before there are positions; each is looked for again.
        if let Err(utf8) = std::str::from_utf8(text) {
            return Error::InvalidUtf8 { position: utf8.valid_up_to() };
        }
        let position = error.index().min(text.len());
        match error.error() {
            ErrorType::DepthLimitExceeded => return Error::TooDeep { position, depth_max },
            ErrorType::TrailingData => return behind_scalar(text),
            // A fault with a place of its own, before the end.
            kind if position > 0
                && !matches!(kind, ErrorType::Syntax | ErrorType::Eof | ErrorType::InternalError) => {}
            _ => {
                if let Some(error) = misplaced(text) {
                    return error;
                }
            }
        }
        Error::Syntax { position, message: message(error.error()) }
    }
}

const BEHIND_VALUE: &str = "expected the end of the text after the value";

/// The place of what follows a string, number or literal that should be alone.
fn behind_scalar(text: &[u8]) -> Error {
    let start = text.len() - text.trim_ascii_start().len();
    let mut at = start;
    let mut in_string = false;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' if at > start => {
                at += 1;
                break;
            }
            b'"' => in_string = true,
            b'\\' => at += 1,
            b' ' | b'\t' | b'\n' | b'\r' | b',' | b':' | b'[' | b']' | b'{' | b'}' if !in_string => break,
            _ => {}
        }
        at += 1;
    }
    let blank = text.get(at..).map_or(0, |rest| rest.len() - rest.trim_ascii_start().len());
    Error::Syntax { position: at + blank, message: BEHIND_VALUE }
}

fn message(error: &ErrorType) -> &'static str {
    match error {
        ErrorType::InputTooLarge => "JSON text is larger than 4 GiB",
        ErrorType::ExpectedNull | ErrorType::ExpectedTrue | ErrorType::ExpectedFalse => {
            "expected null, true or false"
        }
        ErrorType::InvalidEscape => "unknown escape sequence in a string",
        ErrorType::InvalidUnicodeEscape => "\\u must be followed by four hexadecimal digits",
        ErrorType::InvalidUnicodeCodepoint => "\\u escape that is no character",
        ErrorType::InvalidNumber | ErrorType::InvalidExponent | ErrorType::Overflow => "malformed number",
        ErrorType::ExpectedObjectColon => "expected ':' after an attribute name",
        ErrorType::ExpectedObjectKey | ErrorType::KeyMustBeAString => "expected an attribute name in quotes",
        ErrorType::ExpectedObjectContent => "expected an attribute name in quotes, ',' or '}'",
        ErrorType::ExpectedArrayContent | ErrorType::ExpectedArrayComma => "expected ',' or ']'",
        ErrorType::UnterminatedString => "string without closing quote",
        _ => "expected a JSON value",
    }
}

/// Faults that have no place yet: nothing at all, strings and brackets that do not end, control characters, and text
/// behind the end.
fn misplaced(text: &[u8]) -> Option<Error> {
    let syntax = |position, message| Some(Error::Syntax { position, message });
    let mut depth = 0usize;
    let mut any = false;
    let mut ended = false;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        if !byte.is_ascii_whitespace() {
            if ended {
                return syntax(at, BEHIND_VALUE);
            }
            any = true;
        }
        match byte {
            b'"' => {
                let start = at;
                at += 1;
                loop {
                    match text.get(at) {
                        None => return syntax(start, "string without closing quote"),
                        Some(b'"') => break,
                        Some(b'\\') => at += 2,
                        Some(0..=0x1f) => return syntax(at, "control character in a string must be escaped"),
                        Some(_) => at += 1,
                    }
                }
            }
            b'[' | b'{' => depth += 1,
            // More closed than opened is for the parser to explain.
            b']' | b'}' if depth == 0 => return None,
            b']' | b'}' => {
                depth -= 1;
                ended = depth == 0;
            }
            _ => {}
        }
        at += 1;
    }
    match (any, depth) {
        (false, _) => syntax(text.len(), "JSON text is empty"),
        (true, 0) => None,
        (true, _) => syntax(text.len(), "JSON ends in the middle of a value"),
    }
}
