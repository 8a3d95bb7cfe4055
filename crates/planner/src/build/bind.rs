//! Bind parameters: values and names given beside the query text.

use std::sync::Arc;

use persea_aql::Query;
use persea_aql::ast::DataSource;
use persea_vpack::Slice;

use super::Builder;
use crate::error::Error;
use crate::plan::{AccessMode, AttributePath, CollectionRef, Expr};
use crate::value;

/// Checks that declared and given parameters are the same.
pub(super) fn check(query: &Query, binds: Slice<'_>) -> Result<(), Error> {
    if !binds.is_object() {
        let nothing = binds.is_null() || binds.byte_size() == 0;
        if !nothing {
            return Err(Error::BindParametersInvalid);
        }
        return match query.bind_parameters.first() {
            Some(name) => Err(Error::BindParameterMissing(name.clone())),
            None => Ok(()),
        };
    }
    if let Some(missing) = query.bind_parameters.iter().find(|name| binds.get(name).is_none()) {
        return Err(Error::BindParameterMissing(missing.clone()));
    }
    for (given, _) in binds.object_iter() {
        if !query.bind_parameters.iter().any(|name| name == given) {
            return Err(Error::BindParameterUndeclared(given.to_owned()));
        }
    }
    Ok(())
}

impl Builder<'_> {
    fn bind_value(&self, name: &str) -> Result<Slice<'_>, Error> {
        self.binds.get(name).ok_or_else(|| Error::BindParameterMissing(name.to_owned()))
    }

    /// The value of `@name`.
    pub(super) fn bind_constant(&self, name: &str) -> Result<Expr, Error> {
        Ok(Expr::Const(value::copy(self.bind_value(name)?)))
    }

    /// The value of a parameter that has to be a name.
    pub(super) fn bind_name(&self, name: &str) -> Result<String, Error> {
        match self.bind_value(name)?.as_str() {
            Some(text) if !text.is_empty() => Ok(text.to_owned()),
            _ => Err(Error::BindParameterType(name.to_owned())),
        }
    }

    /// The path a parameter behind a dot stands for.
    pub(super) fn bind_path(&self, name: &str) -> Result<AttributePath, Error> {
        let value = self.bind_value(name)?;
        if let Some(text) = value.as_str() {
            return Ok(vec![Arc::from(text)]);
        }
        let path: Option<AttributePath> = match value.is_array() {
            true => value.array_iter().map(|part| part.as_str().map(Arc::from)).collect(),
            false => None,
        };
        path.filter(|path| !path.is_empty()).ok_or_else(|| Error::BindParameterType(name.to_owned()))
    }

    /// The collection a modification, WITH or edge list names.
    pub(super) fn data_source(
        &mut self,
        source: &DataSource,
        mode: AccessMode,
    ) -> Result<CollectionRef, Error> {
        let name = match source {
            DataSource::Name(name) => name.text.clone(),
            DataSource::Parameter(name) => self.bind_name(&name.text)?,
        };
        Ok(CollectionRef::from(&*self.collection(&name, mode)?))
    }
}
