//! Every failure with its number, HTTP status and message.

mod table;

pub use table::{ErrorCode, TABLE, http_status, lookup};

use persea_vpack::{Slice, VPackBuf, vpack};

/// Result of this crate's functions.
pub type Result<T> = std::result::Result<T, Error>;

/// The part of a query's life in which it failed, as messages name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The text is read and its names are resolved.
    Parsing,
    /// The plan is made and improved.
    Optimizing,
    /// The plan runs.
    Executing,
}

impl Phase {
    /// The phase in which an error of planning belongs: names and values are checked while parsing.
    pub(crate) fn of(error: &persea_planner::Error) -> Phase {
        match error {
            persea_planner::Error::ForcedIndexHint(_) => Phase::Optimizing,
            _ => Phase::Parsing,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Phase::Parsing => "parsing",
            Phase::Optimizing => "optimizing plan",
            Phase::Executing => "executing",
        }
    }
}

/// A failed operation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Databases, collections, documents or indexes refused something.
    #[error(transparent)]
    Collections(#[from] persea_collections::Error),
    /// A query could not be parsed.
    #[error("AQL: {0} (while parsing)")]
    Parse(#[from] persea_aql::ParseError),
    /// A query could not be planned.
    #[error("AQL: {source} (while {})", phase.name())]
    Plan {
        /// When it failed.
        phase: Phase,
        /// Why.
        source: persea_planner::Error,
    },
    /// A query failed while it ran.
    #[error("AQL: {0} (while executing)")]
    Execute(persea_executor::Error),
    /// JSON text is malformed.
    #[error("{0}")]
    Json(#[from] persea_json::Error),
    /// VelocyPack is malformed or could not be built.
    #[error("VelocyPack: {0}")]
    VPack(#[from] persea_vpack::Error),
    /// A typed value could not be converted.
    #[error("cannot convert between document and type: {0}")]
    Convert(String),
    /// A failure that is only a number and a message.
    #[error("{message}")]
    Numbered {
        /// ArangoDB's error number.
        number: u16,
        /// What went wrong.
        message: String,
    },
}

impl Error {
    /// An error of this number.
    pub fn with_number(number: u16, message: impl Into<String>) -> Error {
        Error::Numbered { number, message: message.into() }
    }

    /// The stored document's revision is not the one expected.
    pub fn revision_mismatch(document: Slice<'_>) -> Error {
        let member =
            |name| document.get(name).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
        Error::Collections(persea_collections::Error::RevisionMismatch {
            id: member("_id"),
            key: member("_key"),
            rev: member("_rev"),
        })
    }

    /// Whether a commit that failed took place all the same: everybody sees what was written, and only its sync failed, so
    /// that a power failure may undo it.
    pub fn is_committed(&self) -> bool {
        match self {
            Error::Collections(error) | Error::Execute(persea_executor::Error::Collections(error)) => {
                error.is_committed()
            }
            _ => false,
        }
    }

    /// Whether a store was not opened since its log lacks commits that it had, or has some that can't be read. It opens
    /// without them if [`InstanceOptions::ignore_log_damage`](crate::InstanceOptions::ignore_log_damage) says so.
    pub fn is_log_damage(&self) -> bool {
        matches!(self, Error::Collections(error) if error.is_log_damage())
    }

    /// ArangoDB's error number.
    pub fn number(&self) -> u16 {
        match self {
            Error::Collections(error) => error.error_num(),
            Error::Parse(error) => narrow(error.error_num),
            Error::Plan { source, .. } => narrow(source.number()),
            Error::Execute(persea_executor::Error::Collections(error)) => error.error_num(),
            Error::Execute(error) => narrow(error.code()),
            Error::Json(_) => 600,
            Error::VPack(_) => INTERNAL,
            Error::Convert(_) => 10,
            Error::Numbered { number, .. } => *number,
        }
    }

    /// The HTTP status that goes with the error unless a route says otherwise.
    pub fn http_status(&self) -> u16 {
        http_status(self.number())
    }

    /// `_id`, `_key` and `_rev` of the stored document, when its revision was not the expected one.
    pub fn revision_details(&self) -> Option<VPackBuf> {
        match self {
            Error::Collections(persea_collections::Error::RevisionMismatch { id, key, rev }) => {
                Some(vpack!({ "_id": (id.as_str()), "_key": (key.as_str()), "_rev": (rev.as_str()) }))
            }
            _ => None,
        }
    }
}

const INTERNAL: u16 = 4;

/// Error numbers fit 16 bits; one that doesn't is a bug and shown as an internal error.
fn narrow(number: u32) -> u16 {
    u16::try_from(number).unwrap_or(INTERNAL)
}
