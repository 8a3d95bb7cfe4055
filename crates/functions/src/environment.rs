//! What the functions of one query share: its warnings, clock, randomness, compiled patterns, and when it has to end.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use persea_vpack::Builder;
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::date::ZoneCache;
use crate::pattern::RegexCache;
use crate::warnings::Warnings;
use crate::watch::STEPS;

/// The server version that `VERSION()` answers unless the embedder says otherwise.
pub const COMPATIBLE_VERSION: &str = "3.12.5";

/// Most bytes of an arena, unless told otherwise.
const ARENA_BYTES_MAX: usize = 1 << 30;

/// State of one query that its functions share. Lives as long as the query, on one thread at a time.
pub struct Environment {
    warnings: Warnings,
    start_ms: i64,
    database: Option<String>,
    user: Option<String>,
    version: String,
    kill_flag: Option<Arc<AtomicBool>>,
    pub(crate) deadline: Option<Instant>,
    /// Steps of work until the query is next asked whether it has to end.
    pub(crate) steps_left: Cell<usize>,
    /// How many times it may be asked.
    pub(crate) looks_left: Cell<u32>,
    pub(crate) arena_bytes_max: usize,
    rng: RefCell<Option<StdRng>>,
    pub(crate) regexes: RefCell<RegexCache>,
    pub(crate) zones: RefCell<ZoneCache>,
    pub(crate) json_parser: RefCell<Option<persea_json::Parser>>,
    time_zone: String,
    builders: RefCell<Vec<Builder>>,
    /// For text that is put together before it goes into an arena.
    pub(crate) scratch: RefCell<String>,
}

impl Default for Environment {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment")
            .field("database", &self.database)
            .field("user", &self.user)
            .field("start_ms", &self.start_ms)
            .finish_non_exhaustive()
    }
}

impl Environment {
    /// No database, no user, the query starting now, randomness from the operating system.
    ///
    /// Until [`with_database`](Environment::with_database) names one, the environment stands outside of any query, as
    /// when constants are computed while planning: functions that must not be (see
    /// [`Function::foldable`](crate::Function::foldable)) are refused.
    pub fn new() -> Self {
        let start_ms = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .ok()
            .and_then(|since| i64::try_from(since.as_millis()).ok())
            .unwrap_or(0);
        Self {
            warnings: Warnings::default(),
            start_ms,
            database: None,
            user: None,
            version: COMPATIBLE_VERSION.to_owned(),
            kill_flag: None,
            deadline: None,
            steps_left: Cell::new(STEPS),
            looks_left: Cell::new(u32::MAX),
            arena_bytes_max: ARENA_BYTES_MAX,
            rng: RefCell::new(None),
            regexes: RefCell::default(),
            zones: RefCell::default(),
            json_parser: RefCell::default(),
            time_zone: "Etc/UTC".to_owned(),
            builders: RefCell::default(),
            scratch: RefCell::default(),
        }
    }

    /// Collects warnings there.
    #[must_use]
    pub fn with_warnings(mut self, warnings: Warnings) -> Self {
        self.warnings = warnings;
        self
    }

    /// Name of the database the query runs in; makes this the environment of a query.
    #[must_use]
    pub fn with_database(mut self, name: impl Into<String>) -> Self {
        self.database = Some(name.into());
        self
    }

    /// Name of the user the query runs for; `None` without authentication.
    #[must_use]
    pub fn with_user(mut self, name: Option<String>) -> Self {
        self.user = name;
        self
    }

    /// What `VERSION()` answers.
    #[must_use]
    pub fn with_version(mut self, version: impl Into<String>) -> Self {
        self.version = version.into();
        self
    }

    /// Name of the server's time zone: what `DATE_TIMEZONE()` answers.
    #[must_use]
    pub fn with_time_zone(mut self, name: impl Into<String>) -> Self {
        self.time_zone = name.into();
        self
    }

    /// When the query started, in milliseconds since 1970-01-01 UTC: what `DATE_NOW()` answers.
    #[must_use]
    pub fn with_start_ms(mut self, start_ms: i64) -> Self {
        self.start_ms = start_ms;
        self
    }

    /// Makes randomness repeatable.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        *self.rng.borrow_mut() = Some(StdRng::seed_from_u64(seed));
        self
    }

    /// Most bytes that an arena may hold after a call, 1 GiB unless told otherwise: a bound on what a single batch
    /// builds, whatever is left of the query's memory.
    #[must_use]
    pub fn with_arena_bytes_max(mut self, arena_bytes_max: usize) -> Self {
        self.arena_bytes_max = arena_bytes_max;
        self
    }

    /// A flag that ends the running function with [`Error::Killed`](crate::Error::Killed) soon after it is set.
    #[must_use]
    pub fn with_kill_flag(mut self, flag: Arc<AtomicBool>) -> Self {
        self.kill_flag = Some(flag);
        self
    }

    /// When the running function is to be ended with [`Error::Killed`](crate::Error::Killed).
    #[must_use]
    pub fn with_deadline(mut self, deadline: impl Into<Option<Instant>>) -> Self {
        self.deadline = deadline.into();
        self
    }

    /// Ends functions with [`Error::Killed`](crate::Error::Killed) when they have done this many thousand steps of
    /// work: a bound that does not depend on how fast the machine is.
    #[must_use]
    pub fn with_effort_max(self, thousands: u32) -> Self {
        self.looks_left.set(thousands * 1000 / STEPS as u32);
        self
    }

    /// The query's warnings.
    pub fn warnings(&self) -> &Warnings {
        &self.warnings
    }

    /// Milliseconds since 1970-01-01 UTC at which the query started.
    pub fn start_ms(&self) -> i64 {
        self.start_ms
    }

    /// Name of the current database; empty outside of queries.
    pub fn database(&self) -> &str {
        self.database.as_deref().unwrap_or_default()
    }

    /// Whether this is the environment of a query.
    pub fn is_query(&self) -> bool {
        self.database.is_some()
    }

    /// Name of the current user.
    pub fn user(&self) -> Option<&str> {
        self.user.as_deref()
    }

    /// Name of the server's time zone.
    pub fn time_zone(&self) -> &str {
        &self.time_zone
    }

    /// Version that the server presents.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Whether the query has been asked to end.
    pub fn is_killed(&self) -> bool {
        self.kill_flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Runs something with the query's random number generator.
    pub fn with_rng<T>(&self, use_rng: impl FnOnce(&mut StdRng) -> T) -> T {
        use_rng(self.rng.borrow_mut().get_or_insert_with(StdRng::from_os_rng))
    }

    pub(crate) fn take_builder(&self) -> Builder {
        self.builders.borrow_mut().pop().unwrap_or_default()
    }

    pub(crate) fn give_back_builder(&self, mut builder: Builder) {
        // A handful covers the deepest nesting of functions that build; more would only hold memory.
        const POOL_MAX: usize = 8;
        let mut builders = self.builders.borrow_mut();
        if builders.len() < POOL_MAX {
            builder.clear();
            builders.push(builder);
        }
    }
}
