//! OPTIONS of statements: constant objects whose unknown attributes raise a warning.

use std::sync::Arc;

use persea_aql::ast;
use persea_vpack::{Slice, VPackBuf};

use super::Builder;
use crate::error::Error;
use crate::plan::{AccessMode, IndexHint, ModificationOptions, OverwriteMode};

/// Number of the warning for an attribute that is unknown or of the wrong type.
const INVALID_OPTION: u32 = 1539;

impl Builder<'_> {
    /// Reads OPTIONS: calls `accept` for each attribute, which tells whether name and type are known.
    pub(super) fn read_options(
        &mut self,
        options: Option<&ast::Expr>,
        clause: &str,
        mut accept: impl FnMut(&str, Slice<'_>) -> bool,
    ) -> Result<(), Error> {
        let Some(value) = self.options_value(options, clause)? else { return Ok(()) };
        for (name, member) in value.as_slice().object_iter() {
            if !accept(name, member) {
                self.warnings.add(
                    INVALID_OPTION,
                    format!("unknown/invalid OPTIONS attribute used: '{name}' in OPTIONS of {clause}"),
                )?;
            }
        }
        Ok(())
    }

    fn options_value(
        &mut self,
        options: Option<&ast::Expr>,
        clause: &str,
    ) -> Result<Option<Arc<VPackBuf>>, Error> {
        let Some(options) = options else { return Ok(None) };
        if options.contains_subquery() {
            return Err(Error::OptionsNotConstant);
        }
        let expr = self.expression(options)?;
        match expr.as_const() {
            Some(value) if value.as_slice().is_object() => Ok(Some(Arc::clone(value))),
            Some(_) => Err(Error::Structure(format!("OPTIONS of {clause} must be an object"))),
            None => Err(Error::OptionsNotConstant),
        }
    }

    /// OPTIONS of a FOR over a collection: index hint, projection bound, cache use.
    pub(super) fn for_options(&mut self, options: Option<&ast::Expr>) -> Result<ForOptions, Error> {
        let mut found = ForOptions { hint: IndexHint::default(), max_projections: 5, use_cache: true };
        self.read_options(options, "FOR", |name, value| found.accept(name, value))?;
        Ok(found)
    }

    /// OPTIONS of a data modification statement.
    pub(super) fn modification_options(
        &mut self,
        options: Option<&ast::Expr>,
        statement: Modification,
    ) -> Result<(ModificationOptions, ForOptions, AccessMode), Error> {
        let mut found = ModificationOptions::default();
        let mut lookup = ForOptions { hint: IndexHint::default(), max_projections: 5, use_cache: true };
        self.read_options(options, statement.name(), |name, value| {
            accept_modification(&mut found, statement, name, value)
                || (statement == Modification::Upsert && lookup.accept(name, value))
        })?;
        let mode = if found.exclusive { AccessMode::Exclusive } else { AccessMode::Write };
        Ok((found, lookup, mode))
    }
}

/// OPTIONS of a FOR over a collection.
#[derive(Clone, Debug)]
pub(super) struct ForOptions {
    pub(super) hint: IndexHint,
    pub(super) max_projections: usize,
    pub(super) use_cache: bool,
}

impl ForOptions {
    fn accept(&mut self, name: &str, value: Slice<'_>) -> bool {
        match name {
            "indexHint" => match names(value) {
                Some(names) => self.hint.names = names,
                None => return false,
            },
            "forceIndexHint" => return set_bool(&mut self.hint.forced, value),
            "disableIndex" => return set_bool(&mut self.hint.disabled, value),
            "useCache" => return set_bool(&mut self.use_cache, value),
            "maxProjections" => match value.as_u64() {
                Some(max) => self.max_projections = usize::try_from(max).unwrap_or(usize::MAX),
                None => return false,
            },
            "lookahead" => return value.is_number(),
            _ => return false,
        }
        true
    }
}

/// The data modification statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Modification {
    Insert,
    Update,
    Replace,
    Remove,
    Upsert,
}

impl Modification {
    fn name(self) -> &'static str {
        match self {
            Self::Insert => "INSERT",
            Self::Update => "UPDATE",
            Self::Replace => "REPLACE",
            Self::Remove => "REMOVE",
            Self::Upsert => "UPSERT",
        }
    }
}

fn accept_modification(
    options: &mut ModificationOptions,
    statement: Modification,
    name: &str,
    value: Slice<'_>,
) -> bool {
    use Modification::{Insert, Remove, Replace, Update, Upsert};
    match name {
        "ignoreErrors" => set_bool(&mut options.ignore_errors, value),
        "waitForSync" => {
            options.wait_for_sync = value.as_bool();
            options.wait_for_sync.is_some()
        }
        "exclusive" => set_bool(&mut options.exclusive, value),
        "refillIndexCaches" => set_bool(&mut options.refill_index_caches, value),
        "overwrite" if statement == Insert => match value.as_bool() {
            Some(true) => {
                options.overwrite_mode = OverwriteMode::Replace;
                true
            }
            other => other.is_some(),
        },
        "overwriteMode" if statement == Insert => match value.as_str() {
            Some("ignore") => set(&mut options.overwrite_mode, OverwriteMode::Ignore),
            Some("replace") => set(&mut options.overwrite_mode, OverwriteMode::Replace),
            Some("update") => set(&mut options.overwrite_mode, OverwriteMode::Update),
            Some("conflict") => set(&mut options.overwrite_mode, OverwriteMode::Conflict),
            _ => false,
        },
        "keepNull" if matches!(statement, Insert | Update | Upsert) => {
            set_bool(&mut options.keep_null, value)
        }
        "mergeObjects" if matches!(statement, Insert | Update | Upsert) => {
            set_bool(&mut options.merge_objects, value)
        }
        "ignoreRevs" if statement != Insert => set_bool(&mut options.ignore_revs, value),
        "versionAttribute" if !matches!(statement, Remove) => match value.as_str() {
            Some(attribute) => {
                options.version_attribute = (!attribute.is_empty()).then(|| Arc::from(attribute));
                matches!(statement, Insert | Update | Replace | Upsert)
            }
            None => false,
        },
        "readOwnWrites" if statement == Upsert => set_bool(&mut options.read_own_writes, value),
        _ => false,
    }
}

fn set<T>(target: &mut T, value: T) -> bool {
    *target = value;
    true
}

pub(super) fn set_bool(target: &mut bool, value: Slice<'_>) -> bool {
    match value.as_bool() {
        Some(value) => set(target, value),
        None => false,
    }
}

/// One name or an array of names.
pub(super) fn names(value: Slice<'_>) -> Option<Vec<Arc<str>>> {
    if let Some(name) = value.as_str() {
        return Some(vec![Arc::from(name)]);
    }
    if !value.is_array() {
        return None;
    }
    value.array_iter().map(|name| name.as_str().map(Arc::from)).collect()
}
