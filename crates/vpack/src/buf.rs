//! One value that owns its bytes.

use std::fmt;

use crate::{Error, Slice};

/// An owned VelocyPack value.
///
/// Equality and hash are those of the bytes: `1` and `1.0` differ, as do two orders of the same attributes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct VPackBuf(Vec<u8>);

impl VPackBuf {
    /// Takes bytes from outside after checking them thoroughly.
    ///
    /// # Errors
    /// Whatever [`Slice::validate`] finds.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<VPackBuf, Error> {
        Slice::validate(&bytes)?;
        Ok(VPackBuf(bytes))
    }

    /// Takes bytes that were validated before and hold exactly one value.
    ///
    /// Other bytes do no harm beyond reading as [`Slice::NONE`] or as a shorter value.
    pub fn trusted(bytes: Vec<u8>) -> VPackBuf {
        VPackBuf(bytes)
    }

    /// `null`.
    pub fn null() -> VPackBuf {
        VPackBuf(vec![0x18])
    }

    /// The view on the value.
    #[inline]
    pub fn as_slice(&self) -> Slice<'_> {
        Slice::trusted(&self.0)
    }

    /// The encoded bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Gives up the value for its encoded bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

impl Default for VPackBuf {
    fn default() -> VPackBuf {
        VPackBuf::null()
    }
}

impl From<Slice<'_>> for VPackBuf {
    fn from(slice: Slice<'_>) -> VPackBuf {
        VPackBuf(slice.bytes().to_vec())
    }
}

impl fmt::Display for VPackBuf {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.as_slice(), formatter)
    }
}

impl fmt::Debug for VPackBuf {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.as_slice(), formatter)
    }
}
