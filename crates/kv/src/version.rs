//! Which library stores databases on disk.

/// Name and version of the storage library: `LMDB 0.9.70`.
pub fn storage_version() -> String {
    let version = heed::lmdb_version();
    format!("LMDB {}.{}.{}", version.major, version.minor, version.patch)
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_the_library() {
        assert!(super::storage_version().starts_with("LMDB 0."), "{}", super::storage_version());
    }
}
