//! Why text is not a number.

use core::fmt;

/// Why text is not an integer of the wanted type. Offsets count bytes from the start of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParseError {
    /// There is no digit: the text is empty or only a sign.
    Empty,
    /// A byte that is neither a digit nor a sign in its place.
    InvalidDigit {
        /// Offset of that byte.
        at: usize,
    },
    /// The number does not fit into the type.
    Overflow {
        /// Offset of the first digit that does not fit any more.
        at: usize,
    },
}

impl fmt::Display for ParseError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseError::Empty => formatter.write_str("expected a number, found no digit"),
            ParseError::InvalidDigit { at } => write!(formatter, "expected a digit at byte {at}"),
            ParseError::Overflow { at } => {
                write!(formatter, "number is out of range from the digit at byte {at}")
            }
        }
    }
}

impl core::error::Error for ParseError {}
