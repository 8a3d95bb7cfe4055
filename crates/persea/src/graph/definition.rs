//! What an edge collection connects, as programs write it down.

use persea_collections::graph::EdgeDefinition as StoredDefinition;
use persea_vpack::to_vpack;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// Which vertex collections an edge collection of a graph connects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EdgeDefinition {
    /// The edge collection.
    pub collection: String,
    /// Collections that edges may start in.
    pub from: Vec<String>,
    /// Collections that edges may end in.
    pub to: Vec<String>,
}

impl EdgeDefinition {
    /// The edges in `collection` lead from vertices in `from` to vertices in `to`.
    pub fn new<Name: Into<String>>(
        collection: impl Into<String>,
        from: impl IntoIterator<Item = Name>,
        to: impl IntoIterator<Item = Name>,
    ) -> EdgeDefinition {
        let names = |names: Vec<Name>| names.into_iter().map(Into::into).collect();
        EdgeDefinition {
            collection: collection.into(),
            from: names(from.into_iter().collect()),
            to: names(to.into_iter().collect()),
        }
    }

    /// The definition as the store keeps it: sorted, without repetitions.
    pub(super) fn checked(&self) -> Result<StoredDefinition> {
        let value = to_vpack(self).map_err(|error| Error::Convert(error.to_string()))?;
        Ok(StoredDefinition::from_vpack(value.as_slice())?)
    }
}

impl TryFrom<persea_vpack::Slice<'_>> for EdgeDefinition {
    type Error = Error;

    /// Reads `{ "collection": …, "from": […], "to": […] }`; 1923 when it is malformed.
    fn try_from(value: persea_vpack::Slice<'_>) -> Result<EdgeDefinition> {
        Ok(EdgeDefinition::from(&StoredDefinition::from_vpack(value)?))
    }
}

impl From<&StoredDefinition> for EdgeDefinition {
    fn from(stored: &StoredDefinition) -> EdgeDefinition {
        EdgeDefinition {
            collection: stored.collection.clone(),
            from: stored.from.clone(),
            to: stored.to.clone(),
        }
    }
}
