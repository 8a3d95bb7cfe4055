//! Options of document writes and what a write answers.

use persea_vpack::VPackBuf;

use crate::revision::Revision;

/// What inserting does when the key exists already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OverwriteMode {
    /// Fail with a unique constraint violation.
    #[default]
    Conflict,
    /// Leave the existing document alone.
    Ignore,
    /// Replace the existing document.
    Replace,
    /// Merge the new document into the existing one.
    Update,
}

impl OverwriteMode {
    /// Reads the public name of a mode.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "conflict" => Some(Self::Conflict),
            "ignore" => Some(Self::Ignore),
            "replace" => Some(Self::Replace),
            "update" => Some(Self::Update),
            _ => None,
        }
    }
}

/// Options of document writes. The default is what the API does when nothing is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteOptions {
    /// Insert only: what to do when the key exists.
    pub overwrite_mode: OverwriteMode,
    /// Update: whether an attribute set to null is stored (true) or removed (false).
    pub keep_null: bool,
    /// Update: whether objects are merged (true) or replaced (false).
    pub merge_objects: bool,
    /// Whether `_rev` in the given document is ignored (true) or has to match the stored one (false).
    pub ignore_revs: bool,
    /// Revision the stored document has to have, whatever `ignore_revs` says.
    pub if_match: Option<String>,
    /// Whether the commit waits until the write is on disk; collections may demand it as well.
    pub wait_for_sync: bool,
    /// Whether the outcome holds the document before the write.
    pub return_old: bool,
    /// Whether the outcome holds the document after the write.
    pub return_new: bool,
    /// Whether `key` and `id` of the outcome stay empty, which saves work.
    pub silent: bool,
    /// Whether the given `_rev` is kept, as restoring needs.
    pub is_restore: bool,
    /// Update and replace: write only when the number in this attribute rises.
    pub version_attribute: Option<String>,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self {
            overwrite_mode: OverwriteMode::Conflict,
            keep_null: true,
            merge_objects: true,
            ignore_revs: true,
            if_match: None,
            wait_for_sync: false,
            return_old: false,
            return_new: false,
            silent: false,
            is_restore: false,
            version_attribute: None,
        }
    }
}

/// What a write did.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct WriteOutcome {
    /// Key of the document; empty when silent.
    pub key: String,
    /// Full identifier of the document; empty when silent.
    pub id: String,
    /// Revision after the write; of the removed document when removing.
    pub rev: Revision,
    /// Revision before the write, when a document existed.
    pub old_rev: Option<Revision>,
    /// The document before the write, when asked for.
    pub old: Option<VPackBuf>,
    /// The document after the write, when asked for.
    pub new: Option<VPackBuf>,
    /// Whether nothing was written, because of `overwriteMode: ignore` or the version attribute.
    pub is_ignored: bool,
}
