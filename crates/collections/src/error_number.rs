//! The public number of each error.

use crate::error::Error;

impl Error {
    /// The public error number.
    pub fn error_num(&self) -> u16 {
        match self {
            Self::WriteConflict(_) | Self::DefinitionChanged(_) | Self::RevisionMismatch { .. } => 1200,
            Self::DocumentNotFound => 1202,
            Self::CollectionNotFound(_) => 1203,
            Self::DocumentHandleBad => 1205,
            Self::DuplicateName(_) => 1207,
            Self::IllegalName(_) => 1208,
            Self::UniqueConstraint { .. } => 1210,
            Self::IndexNotFound => 1212,
            Self::CrossCollection => 1213,
            Self::IndexHandleBad => 1214,
            Self::DocumentTooLarge => 1216,
            Self::CollectionTypeInvalid(_) => 1218,
            Self::IllegalKey => 1221,
            Self::UnexpectedKey => 1222,
            Self::OutOfKeys => 1225,
            Self::KeyMissing => 1226,
            Self::DocumentTypeInvalid => 1227,
            Self::DatabaseNotFound(_) => 1228,
            Self::DatabaseNameInvalid(_) => 1229,
            Self::InvalidKeyGenerator(_) => 1232,
            Self::InvalidEdgeAttribute => 1233,
            Self::SchemaInvalid(_) => 1621,
            Self::NotImplemented(_) => 9,
            Self::BadParameter(_) => 10,
            Self::Forbidden(_) => 11,
            Self::ResourceLimit(_) => 32,
            Self::ReadOnly(_) => 1004,
            Self::LockTimeout(_) => 18,
            Self::Interrupted => 21,
            Self::SnapshotTooOld(_) | Self::PartFailed(_) => 1654,
            Self::Deadlock => 29,
            Self::Stopping => 30,
            Self::Graph(error) => error.error_num(),
            Self::Storage(_) | Self::Corrupt(_) | Self::VPack(_) => 4,
        }
    }

    /// Whether a single document is to blame, so that an operation on many may leave it out and go on. Limits, damage
    /// and failures of the storage are not of this kind, nor is a change of the collection, which concerns them all.
    pub fn is_document_error(&self) -> bool {
        matches!(
            self,
            Self::WriteConflict(_)
                | Self::RevisionMismatch { .. }
                | Self::DocumentNotFound
                | Self::DocumentHandleBad
                | Self::UniqueConstraint { .. }
                | Self::CrossCollection
                | Self::DocumentTooLarge
                | Self::IllegalKey
                | Self::UnexpectedKey
                | Self::KeyMissing
                | Self::DocumentTypeInvalid
                | Self::InvalidEdgeAttribute
        )
    }

    /// Whether stored bytes are to blame, and not the caller or the moment.
    pub fn is_damage(&self) -> bool {
        use persea_txn::Error as Txn;
        match self {
            Self::Corrupt(_) | Self::VPack(_) => true,
            Self::Storage(Txn::Storage(persea_kv::Error::Corrupted(_))) => true,
            Self::Storage(Txn::Log(error)) => {
                matches!(error, persea_wal::Error::Damaged(_) | persea_wal::Error::Replay { .. })
            }
            _ => false,
        }
    }

    /// Whether the log lacks commits that it had, or has some that can't be read.
    pub fn is_log_damage(&self) -> bool {
        matches!(self, Self::Storage(persea_txn::Error::Log(persea_wal::Error::Damaged(_))))
    }

    /// Whether the commit took place: everybody sees what was written, and only its sync failed.
    pub fn is_committed(&self) -> bool {
        matches!(self, Self::Storage(persea_txn::Error::SyncFailed(_)))
    }

    /// Whether the transaction as a whole is concerned, so that no item of a call for many can go on.
    pub fn is_of_transaction(&self) -> bool {
        matches!(
            self,
            Self::Deadlock
                | Self::LockTimeout(_)
                | Self::Interrupted
                | Self::Stopping
                | Self::ReadOnly(_)
                | Self::SnapshotTooOld(_)
                | Self::PartFailed(_)
        )
    }

    /// Whether trying the whole transaction again may succeed.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::WriteConflict(_) | Self::DefinitionChanged(_))
    }
}
