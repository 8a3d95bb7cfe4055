//! One index of a collection: its definition, where its entries lie, and its selectivity estimate.

use persea_index::{IndexDefinition, IndexKind};
use persea_kv::{Direction, Tree};
use persea_txn::{CommitSeq, ReadView};
use persea_vpack::{Slice, VPackBuf};

use crate::error::Result;
use crate::estimates::Estimate;
use crate::keyspaces::META_ESTIMATES;
use crate::read::EVERYTHING;

/// An index of a collection.
#[derive(Debug)]
pub struct Index {
    definition: IndexDefinition,
    /// Keyspace of the entries; of the outgoing direction for the edge index.
    pub(crate) keyspace: u64,
    /// Keyspace of the incoming direction of the edge index, else 0.
    pub(crate) keyspace_in: u64,
    pub(crate) estimate: Estimate,
    /// The commit that completed the index: older snapshots do not see all entries.
    pub(crate) complete_since: CommitSeq,
}

impl Index {
    pub(crate) fn new(definition: IndexDefinition, keyspace: u64, keyspace_in: u64) -> Self {
        let (estimate, complete_since) = (Estimate::default(), CommitSeq::default());
        Self { definition, keyspace, keyspace_in, estimate, complete_since }
    }

    pub(crate) fn primary(keyspace: u64) -> Self {
        Self::new(IndexDefinition::primary(), keyspace, 0)
    }

    pub(crate) fn edge(keyspace_out: u64, keyspace_in: u64) -> Self {
        Self::new(IndexDefinition::edge(), keyspace_out, keyspace_in)
    }

    /// Reads back an index of a stored collection.
    pub(crate) fn restore(definition: Slice<'_>, id: u64, keyspace: u64, keyspace_in: u64) -> Result<Self> {
        let definition = IndexDefinition::restore(definition)?.with_identity(id);
        Ok(Self::new(definition, keyspace, keyspace_in))
    }

    /// The same index, empty, in other keyspaces.
    pub(crate) fn with_keyspaces(&self, keyspace: u64, keyspace_in: u64) -> Self {
        Self::new(self.definition.clone(), keyspace, keyspace_in)
    }

    /// Number within the collection: 0 for the primary index, 1 for the edge index.
    pub fn id(&self) -> u64 {
        self.definition.id
    }

    /// Name, unique in the collection.
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// How it works.
    pub fn kind(&self) -> IndexKind {
        self.definition.kind
    }

    /// The type as users see it.
    pub fn type_name(&self) -> &'static str {
        self.definition.type_name.as_str()
    }

    /// The whole definition.
    pub fn definition(&self) -> &IndexDefinition {
        &self.definition
    }

    /// Indexed paths joined by comma and space, as error messages show them.
    pub(crate) fn fields_text(&self) -> String {
        let fields: Vec<String> = self.definition.fields.iter().map(ToString::to_string).collect();
        fields.join(", ")
    }

    /// Whether a selectivity estimate has to be kept up.
    pub(crate) fn is_estimated(&self) -> bool {
        self.definition.estimates && !self.definition.unique
    }

    /// Share of different keys among the entries, above 0 and at most 1; nothing when it is not kept.
    pub fn selectivity(&self) -> Option<f64> {
        if self.definition.unique {
            (self.definition.estimates || self.kind() == IndexKind::Primary).then_some(1.0)
        } else {
            self.definition.estimates.then(|| self.estimate.value())
        }
    }

    /// The index as answers show it.
    ///
    /// # Errors
    /// Building VelocyPack fails when it grows beyond its limits.
    pub fn to_vpack(&self, collection: &str) -> Result<VPackBuf> {
        Ok(self.definition.to_vpack(collection, self.selectivity())?)
    }

    /// Where the entries lie.
    pub(crate) fn keyspaces(&self) -> impl Iterator<Item = u64> {
        [self.keyspace, self.keyspace_in].into_iter().filter(|keyspace| *keyspace != 0)
    }

    /// Notes in `transaction` that the entries are to be cleared.
    pub(crate) fn retire(&self, transaction: &mut persea_txn::Transaction) -> Result<()> {
        for keyspace in self.keyspaces() {
            transaction.clear_keyspace(Tree::Index, keyspace)?;
        }
        transaction.delete(Tree::Meta, META_ESTIMATES, &self.keyspace.to_be_bytes())?;
        Ok(())
    }

    /// Number of entries and the bytes they take, counted one by one.
    pub(crate) fn entries_and_bytes(&self, view: &ReadView) -> Result<(u64, u64)> {
        let (mut n_entries, mut n_bytes) = (0, 0);
        for entry in view.range(Tree::Index, self.keyspace, EVERYTHING, Direction::Forward)? {
            let (key, value) = entry?;
            n_entries += 1;
            n_bytes += (key.len() + value.len()) as u64;
        }
        Ok((n_entries, n_bytes))
    }
}
