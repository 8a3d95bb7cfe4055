//! Merging a patch into a document, with `keepNull` and `mergeObjects`.

use persea_vpack::{Builder, Slice};

use crate::error::{Error, Result};

/// Deeper than any document that passed validation.
const DEPTH_MAX: usize = 512;

/// How a patch is applied.
#[derive(Debug, Clone, Copy)]
pub(super) struct MergeRules {
    pub(super) keep_null: bool,
    pub(super) merge_objects: bool,
}

impl MergeRules {
    /// Adds the attributes of `old` with those of `patch` over them, leaving out names that `skip` holds back.
    pub(super) fn merge_attributes(
        self,
        old: Slice<'_>,
        patch: Slice<'_>,
        skip: fn(&str) -> bool,
        builder: &mut Builder,
    ) -> Result<()> {
        self.merge_level(old, patch, skip, builder, 0)
    }

    fn merge_level(
        self,
        old: Slice<'_>,
        patch: Slice<'_>,
        skip: fn(&str) -> bool,
        builder: &mut Builder,
        depth: usize,
    ) -> Result<()> {
        if depth > DEPTH_MAX {
            return Err(Error::BadParameter("document is nested too deep".to_owned()));
        }
        for (name, value) in old.object_iter() {
            if skip(name) {
                continue;
            }
            let Some(change) = patch.get(name) else {
                builder.key(name);
                builder.add_slice(value);
                continue;
            };
            if change.is_null() && !self.keep_null {
                continue;
            }
            builder.key(name);
            if self.merge_objects && value.is_object() && change.is_object() {
                builder.open_object();
                self.merge_level(value, change, nothing, builder, depth + 1)?;
                builder.close();
            } else {
                self.add_new(change, builder, depth + 1)?;
            }
        }
        for (name, change) in patch.object_iter() {
            let is_removal = change.is_null() && !self.keep_null;
            if skip(name) || is_removal || old.get(name).is_some() {
                continue;
            }
            builder.key(name);
            self.add_new(change, builder, depth + 1)?;
        }
        Ok(())
    }

    /// Adds a value that has no counterpart; nulls are taken out of objects, never out of arrays.
    fn add_new(self, value: Slice<'_>, builder: &mut Builder, depth: usize) -> Result<()> {
        if self.keep_null || !value.is_object() {
            builder.add_slice(value);
            return Ok(());
        }
        if depth > DEPTH_MAX {
            return Err(Error::BadParameter("document is nested too deep".to_owned()));
        }
        builder.open_object();
        for (name, member) in value.object_iter() {
            if !member.is_null() {
                builder.key(name);
                self.add_new(member, builder, depth + 1)?;
            }
        }
        builder.close();
        Ok(())
    }
}

fn nothing(_name: &str) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, patch: &str, keep_null: bool, merge_objects: bool, expected: &str) {
        let old = persea_json::parse(old.as_bytes()).unwrap();
        let patch = persea_json::parse(patch.as_bytes()).unwrap();
        let mut builder = Builder::new();
        builder.open_object();
        MergeRules { keep_null, merge_objects }
            .merge_attributes(old.as_slice(), patch.as_slice(), |name| name == "_key", &mut builder)
            .unwrap();
        builder.close();
        let merged = builder.finish().unwrap();
        assert_eq!(persea_json::to_string(merged.as_slice()), expected);
    }

    #[test]
    fn merging() {
        check(r#"{"a":{"x":2}}"#, r#"{"a":{"b":1,"c":null}}"#, false, true, r#"{"a":{"x":2,"b":1}}"#);
        check(r#"{"a":{"x":2}}"#, r#"{"a":{"b":1,"c":null}}"#, false, false, r#"{"a":{"b":1}}"#);
        check(r#"{"a":{"x":2}}"#, r#"{"a":{"x":null}}"#, true, true, r#"{"a":{"x":null}}"#);
        check(r#"{"a":{"x":2}}"#, r#"{"a":{"x":null}}"#, false, true, r#"{"a":{}}"#);
        check(r#"{"a":1,"b":2}"#, r#"{"a":null,"c":null}"#, false, true, r#"{"b":2}"#);
        check(r#"{"a":[1,2]}"#, r#"{"a":[null]}"#, false, true, r#"{"a":[null]}"#);
        check(
            r#"{"a":1}"#,
            r#"{"n":{"x":null,"y":[{"z":null}]}}"#,
            false,
            true,
            r#"{"a":1,"n":{"y":[{"z":null}]}}"#,
        );
        check(r#"{"_key":"k","a":1}"#, r#"{"_key":"z","a":2}"#, true, true, r#"{"a":2}"#);
        check(r#"{"":1}"#, r#"{"":{"a":1}}"#, true, true, r#"{"":{"a":1}}"#);
    }
}
