//! What the operators of one query share: snapshot, transaction, environment, limits and counters.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bumpalo::Bump;
use persea_collections::{Collection, Database, Index, Transaction, View};
use persea_functions::{CollectionEntry, DocumentAccess, Environment, Warnings};
use persea_planner::Plan;
use persea_planner::plan::CollectionRef;
use persea_vpack::{Slice, VPackBuf};

use crate::Error;
use crate::memory::Memory;
use crate::pinned::Pinned;
use crate::stats::Counters;

/// What a query may read and write.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one for each query, never a list of them")]
pub enum Access {
    /// A snapshot; a plan that writes fails.
    Read(View),
    /// A transaction. It is handed back when the query ends; committing it is the caller's business.
    Write(Transaction),
}

/// Bounds of a query's resources.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Most bytes held at one time; 0 is no limit.
    pub memory_bytes: usize,
    /// Longest run time.
    pub max_runtime: Option<Duration>,
    /// Ends the query soon after it is set.
    pub kill_flag: Arc<AtomicBool>,
    /// Told once a batch, for whoever watches the query: the most bytes held so far.
    pub peak_memory_bytes: Arc<AtomicUsize>,
}

/// How a query is run.
#[derive(Debug, Clone)]
pub struct ExecuteOptions {
    /// Most warnings kept.
    pub max_warning_count: usize,
    /// The first warning ends the query.
    pub fail_on_warning: bool,
    /// Keep figures for each node.
    pub profile: bool,
    /// The user the query runs for.
    pub user: Option<String>,
    /// The start of the query in milliseconds since 1970-01-01 UTC, if not now.
    pub start_ms: Option<i64>,
    /// Seed of random functions, for repeatable runs.
    pub seed: Option<u64>,
    /// Commits what was written whenever there is so much of it, so that the end of the query leaves it in place.
    pub intermediate_commits: Option<IntermediateCommits>,
    /// The numbers of the collections that may be read besides those of the plan, by functions and traversals which
    /// find out at run time what they read; `None` allows all.
    pub readable_collections: Option<Arc<[u64]>>,
}

impl Default for ExecuteOptions {
    fn default() -> Self {
        ExecuteOptions {
            max_warning_count: 10,
            fail_on_warning: false,
            profile: false,
            user: None,
            start_ms: None,
            seed: None,
            intermediate_commits: None,
            readable_collections: None,
        }
    }
}

/// When a query commits before its end: at whichever comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntermediateCommits {
    /// So many documents were written.
    pub writes: u64,
    /// So many bytes of keys and values were written, those of indexes included.
    pub bytes: u64,
}

/// Everything a plan needs to run.
#[derive(Debug)]
pub struct QueryContext {
    /// The database the plan was made for.
    pub database: Arc<Database>,
    /// What may be read and written.
    pub access: Access,
    /// Bounds.
    pub limits: Limits,
    /// Options.
    pub options: ExecuteOptions,
}

impl QueryContext {
    /// Reads the latest state of a database, without limits.
    ///
    /// # Errors
    /// Storage errors.
    pub fn read(database: Arc<Database>) -> Result<Self, Error> {
        let access = Access::Read(database.view()?);
        Ok(QueryContext { database, access, limits: Limits::default(), options: ExecuteOptions::default() })
    }

    /// Writes in a transaction, without limits.
    pub fn write(database: Arc<Database>, transaction: Transaction) -> Self {
        let access = Access::Write(transaction);
        QueryContext { database, access, limits: Limits::default(), options: ExecuteOptions::default() }
    }
}

/// State of one running query. Operators borrow it for `'q`, the life of the query.
#[derive(Debug)]
pub(crate) struct Runtime {
    pub(crate) plan: Arc<Plan>,
    pub(crate) database: Arc<Database>,
    /// The state before the query.
    pub(crate) view: View,
    pub(crate) transaction: RefCell<Option<Transaction>>,
    pub(crate) env: Environment,
    pub(crate) memory: Memory,
    pub(crate) counters: Counters,
    pub(crate) is_profiled: bool,
    intermediate_commits: Option<IntermediateCommits>,
    /// Documents written since the last commit; counted only when that matters.
    uncommitted_writes: Cell<u64>,
    readable_collections: Option<Arc<[u64]>>,
    kill_flag: Arc<AtomicBool>,
    peak_memory_bytes: Arc<AtomicUsize>,
    started: Instant,
    deadline: Option<Instant>,
    later_views: Pinned<View>,
    /// The view of the transaction's current state, if nothing was written since it was taken.
    current_view: Cell<Option<usize>>,
    collections: Pinned<Arc<Collection>>,
    indexes: Pinned<Arc<Index>>,
    texts: Bump,
}

impl Runtime {
    pub(crate) fn new(plan: Arc<Plan>, context: QueryContext) -> Result<Self, Error> {
        let QueryContext { database, access, limits, options } = context;
        let (view, transaction) = match access {
            Access::Read(view) => (view, None),
            Access::Write(mut transaction) => (transaction.view()?, Some(transaction)),
        };
        let started = Instant::now();
        let deadline = limits.max_runtime.and_then(|duration| started.checked_add(duration));
        let mut env = Environment::new()
            .with_warnings(Warnings::new(options.max_warning_count, options.fail_on_warning))
            .with_database(database.name())
            .with_user(options.user)
            .with_kill_flag(limits.kill_flag.clone())
            .with_deadline(deadline);
        if let Some(start_ms) = options.start_ms {
            env = env.with_start_ms(start_ms);
        }
        if let Some(seed) = options.seed {
            env = env.with_seed(seed);
        }
        Ok(Runtime {
            plan,
            database,
            view,
            transaction: RefCell::new(transaction),
            env,
            memory: Memory::with_limit(limits.memory_bytes),
            counters: Counters::default(),
            is_profiled: options.profile,
            intermediate_commits: options.intermediate_commits,
            uncommitted_writes: Cell::new(0),
            readable_collections: options.readable_collections,
            kill_flag: limits.kill_flag,
            peak_memory_bytes: limits.peak_memory_bytes,
            started,
            deadline,
            later_views: Pinned::default(),
            current_view: Cell::new(None),
            collections: Pinned::default(),
            indexes: Pinned::default(),
            texts: Bump::new(),
        })
    }

    /// Called by every operator once a batch.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.kill_flag.load(Ordering::Relaxed) {
            return Err(Error::Killed);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Error::Killed);
        }
        self.view.check_age()?;
        self.peak_memory_bytes.store(self.memory.peak(), Ordering::Relaxed);
        self.memory.check()
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// The collection of a plan.
    pub(crate) fn collection(&self, collection: &CollectionRef) -> Result<&Collection, Error> {
        let missing = || Error::CollectionNotFound(collection.name.to_string());
        let found = self.database.collection_by_id(collection.id).ok_or_else(missing)?;
        Ok(self.collections.add(found))
    }

    /// Keeps an index for as long as the query runs.
    pub(crate) fn keep_index(&self, index: Arc<Index>) -> &Index {
        self.indexes.add(index)
    }

    /// Copies a text to where it lives as long as the query.
    pub(crate) fn intern(&self, text: &str) -> &str {
        self.texts.alloc_str(text)
    }

    /// The collection with a name, remembered for the rest of the query.
    pub(crate) fn collection_by_name(&self, name: &str) -> Option<&Collection> {
        let known = (0..self.collections.len())
            .filter_map(|position| self.collections.get(position))
            .find(|collection| &*collection.name() == name);
        if let Some(collection) = known {
            return Some(collection);
        }
        self.database.collection(name).ok().map(|collection| &**self.collections.add(collection))
    }

    /// The collection with a name that came up at run time.
    pub(crate) fn readable_collection(&self, name: &str) -> Result<Option<&Collection>, Error> {
        let Some(collection) = self.collection_by_name(name) else { return Ok(None) };
        let is_planned = |id| self.plan.collections.iter().any(|used| used.collection.id == id);
        match &self.readable_collections {
            Some(readable) if !readable.contains(&collection.id()) && !is_planned(collection.id()) => {
                Err(Error::CollectionNotDeclared(name.to_owned()))
            }
            _ => Ok(Some(collection)),
        }
    }

    /// The state including what the query has written so far.
    pub(crate) fn latest_view(&self) -> Result<&View, Error> {
        if let Some(view) = self.current_view.get().and_then(|position| self.later_views.get(position)) {
            return Ok(view);
        }
        match self.transaction.borrow_mut().as_mut() {
            Some(transaction) => {
                let view = self.later_views.add(transaction.view()?);
                self.current_view.set(Some(self.later_views.len() - 1));
                Ok(view)
            }
            None => Ok(&self.view),
        }
    }

    /// Runs something that writes.
    pub(crate) fn with_transaction<R>(
        &self,
        write: impl FnOnce(&mut Transaction) -> Result<R, Error>,
    ) -> Result<R, Error> {
        self.current_view.set(None);
        write(self.transaction.borrow_mut().as_mut().ok_or(Error::ReadOnly)?)
    }

    /// Called after each document that was written: commits if it is time.
    #[inline]
    pub(crate) fn written(&self, transaction: &mut Transaction) -> Result<(), Error> {
        let Some(limits) = &self.intermediate_commits else { return Ok(()) };
        let n_writes = self.uncommitted_writes.get() + 1;
        if n_writes < limits.writes && (transaction.write_bytes() as u64) < limits.bytes {
            self.uncommitted_writes.set(n_writes);
            return Ok(());
        }
        transaction.commit_part()?;
        self.uncommitted_writes.set(0);
        self.counters.intermediate_commits.add(1);
        Ok(())
    }

    /// Registers a warning that does not come from a function.
    pub(crate) fn warn(&self, code: u32, message: std::fmt::Arguments<'_>) -> Result<(), Error> {
        Ok(self.env.warnings().register(code, message)?)
    }

    fn named(&self, name: &str) -> Result<&Collection, persea_functions::Error> {
        self.readable_collection(name)
            .map_err(refused)?
            .ok_or_else(|| persea_functions::Error::CollectionNotFound(name.to_owned()))
    }
}

fn refused(error: Error) -> persea_functions::Error {
    persea_functions::Error::Access { code: error.code(), message: error.to_string() }
}

fn access_error(error: persea_collections::Error) -> persea_functions::Error {
    persea_functions::Error::Access { code: u32::from(error.error_num()), message: error.to_string() }
}

impl DocumentAccess for Runtime {
    fn document(&self, collection: &str, key: &str) -> Result<Option<Slice<'_>>, persea_functions::Error> {
        let Some(collection) = self.readable_collection(collection).map_err(refused)? else {
            return Ok(None);
        };
        self.counters.document_lookups.add(1);
        let found = self.view.by_key(collection, key).map_err(access_error)?;
        Ok(found.map(|(_, document)| document))
    }

    fn collection_count(&self, collection: &str) -> Result<u64, persea_functions::Error> {
        self.view.count(self.named(collection)?).map_err(access_error)
    }

    fn collections(&self) -> Result<Vec<CollectionEntry>, persea_functions::Error> {
        let mut entries: Vec<CollectionEntry> = self
            .database
            .collections()
            .iter()
            .map(|collection| CollectionEntry {
                id: collection.id().to_string(),
                name: collection.name().to_string(),
            })
            .collect();
        entries.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(entries)
    }

    fn schema(&self, collection: &str) -> Result<Option<VPackBuf>, persea_functions::Error> {
        let properties = self.named(collection)?.properties().map_err(access_error)?;
        let schema = properties.as_slice().get("schema").filter(|schema| schema.is_object());
        Ok(schema.map(VPackBuf::from))
    }

    fn validate(
        &self,
        _document: Slice<'_>,
        _schema: Slice<'_>,
    ) -> Result<Option<String>, persea_functions::Error> {
        Err(persea_functions::Error::NotImplemented {
            function: "SCHEMA_VALIDATE",
            reason: "schemas cannot be checked inside of queries",
        })
    }
}
