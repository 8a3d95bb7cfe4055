//! One database: its collections and queries.

use std::path::Path;
use std::sync::Arc;

use persea_collections::{ChangeOptions, CollectionOptions, Interrupt, View};
use persea_vpack::{Slice, VPackBuf};

use crate::collection::Collection;
use crate::error::{Error, Result};
use crate::instance::Instance;
use crate::query::{self, Query};
use crate::transaction::{Bound, Transaction, TransactionOptions};

/// One database. Clones are handles to the same one.
#[derive(Clone)]
pub struct Database {
    inner: Arc<persea_collections::Database>,
    instance: Instance,
    /// The transaction that handles made from this one work inside of.
    transaction: Option<Arc<Bound>>,
    /// Ends the waits of what is done with it.
    interrupt: Option<Interrupt>,
}

impl Database {
    /// Opens the folder `path`, making it when it is missing, and gives its `_system` database.
    ///
    /// # Errors
    /// When the folder can't be opened, another process has it, or its catalog is damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Database> {
        Instance::open(path)?.database("_system")
    }

    /// Opens the folder `path` for reading, while another process may be writing to it, and gives its `_system`
    /// database; see [`Instance::open_read_only`].
    ///
    /// # Errors
    /// As [`Instance::open_read_only`].
    pub fn open_read_only(path: impl AsRef<Path>) -> Result<Database> {
        Instance::open_read_only(path)?.database("_system")
    }

    /// A database in memory only.
    ///
    /// # Errors
    /// When memory can't be had.
    pub fn in_memory() -> Result<Database> {
        Instance::in_memory()?.database("_system")
    }

    pub(crate) fn new(inner: Arc<persea_collections::Database>, instance: Instance) -> Database {
        Database { inner, instance, transaction: None, interrupt: None }
    }

    /// The same database inside of a transaction.
    pub(crate) fn within(&self, transaction: Bound) -> Database {
        Database { transaction: Some(Arc::new(transaction)), ..self.clone() }
    }

    /// The same database with another interrupt: `interrupt` ends the waits for locks of what is done with this handle
    /// and those made from it, with number 21; of queries with 1500. What does not wait goes on.
    #[must_use]
    pub fn with_interrupt(&self, interrupt: Interrupt) -> Database {
        Database { interrupt: Some(interrupt), ..self.clone() }
    }

    pub(crate) fn interrupt(&self) -> Option<&Interrupt> {
        self.interrupt.as_ref()
    }

    /// How a change of a definition waits that is made with this handle.
    ///
    /// # Errors
    /// 1653 and 1654 after the end of the transaction that the handle works in.
    pub(crate) fn change_options(&self) -> Result<ChangeOptions> {
        match self.bound() {
            Some(transaction) => transaction.change_options(self.interrupt()),
            None => Ok(ChangeOptions { interrupt: self.interrupt.clone(), ..ChangeOptions::default() }),
        }
    }

    pub(crate) fn bound(&self) -> Option<&Bound> {
        self.transaction.as_deref()
    }

    /// # Errors
    /// 1651 when this handle works inside of a transaction.
    pub(crate) fn refuse_nesting(&self) -> Result<()> {
        match self.transaction {
            Some(_) => Err(Error::with_number(1651, "a transaction can't begin inside of another one")),
            None => Ok(()),
        }
    }

    /// # Errors
    /// 1004 when the store was opened for reading only.
    pub(crate) fn refuse_writing(&self) -> Result<()> {
        if self.instance.is_read_only() {
            return Err(Error::with_number(1004, "the database was opened for reading only"));
        }
        Ok(())
    }

    /// The latest committed state, or the transaction's.
    pub(crate) fn view(&self) -> Result<View> {
        match self.bound() {
            Some(transaction) => transaction.view(),
            None => Ok(self.inner.view()?),
        }
    }

    pub(crate) fn inner(&self) -> &Arc<persea_collections::Database> {
        &self.inner
    }

    /// The store that this database is part of.
    pub fn instance(&self) -> &Instance {
        &self.instance
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.inner.name()
    }

    /// Its number.
    pub fn id(&self) -> u64 {
        self.inner.id()
    }

    /// Whether it is the `_system` database.
    pub fn is_system(&self) -> bool {
        self.inner.is_system()
    }

    /// All collections, sorted by name, system collections included.
    pub fn collections(&self) -> Vec<Collection> {
        self.inner.collections().into_iter().map(|inner| Collection::new(inner, self.clone())).collect()
    }

    /// The collection of this name, or with this number in decimal digits.
    ///
    /// # Errors
    /// 1203 when there is none.
    pub fn collection(&self, name: &str) -> Result<Collection> {
        Ok(Collection::new(self.inner.collection(name)?, self.clone()))
    }

    /// Makes a document collection.
    ///
    /// # Errors
    /// 1208 for a bad name, 1207 for one that is taken.
    pub fn create_collection(&self, name: &str) -> Result<Collection> {
        self.create(CollectionOptions::new(name))
    }

    /// Makes an edge collection.
    ///
    /// # Errors
    /// As [`create_collection`](Database::create_collection).
    pub fn create_edge_collection(&self, name: &str) -> Result<Collection> {
        self.create(CollectionOptions::edge(name))
    }

    /// Makes a collection with ArangoDB's options: `{ "name": …, "type": 3, "keyOptions": …, … }`.
    ///
    /// # Errors
    /// As [`create_collection`](Database::create_collection); 10 and 1232 for bad options.
    pub fn create_collection_with(&self, options: Slice<'_>) -> Result<Collection> {
        self.create(CollectionOptions::from_vpack(options)?)
    }

    fn create(&self, options: CollectionOptions) -> Result<Collection> {
        Ok(Collection::new(self.inner.create_collection(options)?, self.clone()))
    }

    /// Drops a collection and gives its number. Waits for transactions that write to it; later ones wait.
    ///
    /// # Errors
    /// 1203 when there is none, 11 for a system collection unless allowed, 1942 while a graph uses it; 18 when others
    /// write to it for too long, 1653 inside of a transaction that has locked it, 29 inside of one that these others
    /// wait for.
    pub fn drop_collection(&self, name: &str, allow_system: bool) -> Result<u64> {
        self.refuse_change(name)?;
        Ok(self.inner.drop_collection_with(name, allow_system, &self.change_options()?)?)
    }

    /// Gives a collection another name, in one commit with the graphs that use it. Waits for transactions that write to
    /// it; later ones wait.
    ///
    /// # Errors
    /// 1203 when there is none, 1207 and 1208 for names that are taken or bad, 11 for a system collection; 18, 29 and
    /// 1653 as [`drop_collection`](Database::drop_collection), 1653 also inside of a transaction that has locked
    /// `_graphs` while a graph uses the collection.
    pub fn rename_collection(&self, name: &str, new_name: &str) -> Result<Collection> {
        self.refuse_change(name)?;
        if self.bound().is_some() {
            let old_name = self.inner.collection(name)?.name();
            if self.inner.graphs()?.iter().any(|graph| graph.role_of(&old_name).is_some()) {
                self.refuse_change("_graphs")?;
            }
        }
        self.inner.rename_collection_with(name, new_name, &self.change_options()?)?;
        self.collection(new_name)
    }

    /// # Errors
    /// 1203 when there is no such collection; 1653 inside of a transaction that has locked it.
    fn refuse_change(&self, name: &str) -> Result<()> {
        match self.bound() {
            Some(transaction) => transaction.refuse_change(&*self.inner.collection(name)?),
            None => Ok(()),
        }
    }

    /// A query that isn't run yet: [bind](Query::bind) values, then [run](Query::run) it or iterate over its
    /// [rows](Query::rows).
    pub fn query<'a>(&'a self, text: &'a str) -> Query<'a> {
        Query::new(self, text)
    }

    /// What a query uses, found without running it: `collections`, `bindVars`, `ast`.
    ///
    /// # Errors
    /// 1501 and 1502 when it isn't AQL.
    pub fn parse(&self, text: &str) -> Result<VPackBuf> {
        query::parse(text)
    }

    /// Runs `work` in a transaction: all of its writes happen, or none.
    ///
    /// When another transaction wrote the same documents at the same time, everything is undone and `work` runs again
    /// on the newer state, so it must not change anything outside of the transaction. It also runs again when it was
    /// chosen to end a deadlock. Collections are locked when they are written first, shared with other writers.
    ///
    /// ```
    /// # fn main() -> Result<(), persea::Error> {
    /// let db = persea::Database::in_memory()?;
    /// let accounts = db.create_collection("accounts")?;
    /// accounts.insert(&serde_json::json!({ "_key": "a", "amount": 10 }))?;
    /// accounts.insert(&serde_json::json!({ "_key": "b", "amount": 0 }))?;
    /// db.transaction(|tx| {
    ///     tx.update(&accounts, "a", &serde_json::json!({ "amount": 5 }))?;
    ///     tx.update(&accounts, "b", &serde_json::json!({ "amount": 5 }))?;
    ///     Ok(())
    /// })?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// What `work` returned; 1200 when the transaction lost against others again and again; 1651 inside of another
    /// transaction.
    pub fn transaction<T>(&self, work: impl FnMut(&mut Transaction<'_>) -> Result<T>) -> Result<T> {
        crate::transaction::run(self, work)
    }

    /// As [`transaction`](Database::transaction), with what `options` declare to be written locked beforehand.
    ///
    /// ```
    /// # fn main() -> Result<(), persea::Error> {
    /// let db = persea::Database::in_memory()?;
    /// let counters = db.create_collection("counters")?;
    /// let options = persea::TransactionOptions {
    ///     exclusive: vec!["counters".to_owned()],
    ///     ..persea::TransactionOptions::default()
    /// };
    /// // Nobody else writes to the collection meanwhile.
    /// db.transaction_with(&options, |tx| tx.insert(&counters, &serde_json::json!({ "_key": "a", "n": 1 })))?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// 1203 for a declared collection that doesn't exist, 18 when a lock was not to be had in time, 1652 for what isn't
    /// declared; as [`transaction`](Database::transaction).
    pub fn transaction_with<T>(
        &self,
        options: &TransactionOptions,
        work: impl FnMut(&mut Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        crate::transaction::run_with(self, options, work)
    }
}
