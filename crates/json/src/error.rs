//! What can be wrong with JSON text, and where.

use crate::duplicate;

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

    /// What a value that is not accepted means for the text that it comes from.
    #[cold]
    pub(crate) fn refused(error: persea_vpack::Error, text: &[u8]) -> Error {
        match error {
            persea_vpack::Error::DuplicateKey { name } => {
                Error::DuplicateName { position: duplicate::locate(text), name }
            }
            other => Error::VPack(other),
        }
    }

    /// The fault of a text; text that is not UTF-8 at all is always at fault for that, and before all else.
    #[cold]
    pub(crate) fn in_text(fault: Option<Error>, text: &[u8]) -> Error {
        match (std::str::from_utf8(text), fault) {
            (Err(utf8), _) => Error::InvalidUtf8 { position: utf8.valid_up_to() },
            (Ok(_), Some(fault)) => fault,
            (Ok(_), None) => Error::Syntax { position: 0, message: "expected a JSON value" },
        }
    }
}

pub(crate) const BEHIND_VALUE: &str = "expected the end of the text after the value";
pub(crate) const ENDS_INSIDE: &str = "JSON ends in the middle of a value";
