//! Everything that can be wrong with VelocyPack bytes or with the way they are built.

/// Why bytes are not VelocyPack, or why a value could not be built or converted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes break the format; `at` is the offset of the value at fault.
    #[error("invalid VelocyPack at byte {at}: {reason}")]
    Invalid {
        /// Offset of the faulty value from the start of the buffer.
        at: usize,
        /// Which rule is broken.
        reason: &'static str,
    },
    /// The value is complete, but more bytes follow.
    #[error("{extra} bytes follow the VelocyPack value of {size} bytes")]
    TrailingBytes {
        /// Size of the value at the start of the buffer.
        size: usize,
        /// How many bytes come after it.
        extra: usize,
    },
    /// Arrays, objects or tags are nested deeper than [`DEPTH_MAX`](crate::DEPTH_MAX).
    #[error("VelocyPack value is nested deeper than {} levels", crate::DEPTH_MAX)]
    TooDeep,
    /// The builder was used out of order, for example a member of an object without a key.
    #[error("VelocyPack builder misused: {0}")]
    Builder(&'static str),
    /// A key occurs twice in one object, and the builder was told to refuse that.
    #[error("attribute name '{name}' occurs twice in one object")]
    DuplicateKey {
        /// The key.
        name: String,
    },
    /// A conversion between a Rust type and VelocyPack failed.
    #[error("{0}")]
    Convert(String),
}
