//! What a function sees besides its arguments: the query's environment and the arena of the batch.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use bumpalo::Bump;
use persea_order::{Value, View, to_string_into};
use persea_vpack::{Builder, Slice};
use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::date::ZoneCache;
use crate::pattern::RegexCache;
use crate::warnings::{self, Warnings};
use crate::watch::{STEPS, Stop};
use crate::{ArenaBuilder, DocumentAccess, Error};

/// The server version that `VERSION()` answers unless the embedder says otherwise.
pub const COMPATIBLE_VERSION: &str = "3.12.5";

/// Most bytes of an arena.
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
    arena_bytes_max: usize,
    rng: RefCell<Option<StdRng>>,
    pub(crate) regexes: RefCell<RegexCache>,
    pub(crate) zones: RefCell<ZoneCache>,
    pub(crate) json_parser: RefCell<Option<persea_json::Parser>>,
    time_zone: String,
    builders: RefCell<Vec<Builder>>,
    scratch: RefCell<String>,
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

    /// A flag that ends the running function with [`Error::Killed`] soon after it is set.
    #[must_use]
    pub fn with_kill_flag(mut self, flag: Arc<AtomicBool>) -> Self {
        self.kill_flag = Some(flag);
        self
    }

    /// When the running function is to be ended with [`Error::Killed`].
    #[must_use]
    pub fn with_deadline(mut self, deadline: impl Into<Option<Instant>>) -> Self {
        self.deadline = deadline.into();
        self
    }

    /// Ends functions with [`Error::Killed`] when they have done this many thousand steps of work: a bound that does
    /// not depend on how fast the machine is.
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

/// What a call sees: the arena for what it builds, the query's environment, and the database.
///
/// Cheap to make; the executor makes one for each batch.
pub struct Context<'a> {
    /// Where results are built.
    pub arena: &'a Bump,
    /// State of the query.
    pub env: &'a Environment,
    /// The database.
    pub documents: &'a dyn DocumentAccess,
    function: Cell<&'static str>,
    depth: Cell<u32>,
    arena_bytes_max: usize,
    stopped: Cell<Option<Stop>>,
}

impl<'a> Context<'a> {
    /// A context over an arena, an environment and a database.
    pub fn new(arena: &'a Bump, env: &'a Environment, documents: &'a dyn DocumentAccess) -> Self {
        Self {
            arena,
            env,
            documents,
            function: Cell::new(""),
            depth: Cell::new(0),
            arena_bytes_max: env.arena_bytes_max,
            stopped: Cell::new(None),
        }
    }

    /// Lets the arena grow by at most so many bytes: what the query may still use of its memory.
    #[must_use]
    pub fn with_memory_left(mut self, bytes: usize) -> Self {
        let limit = self.arena.allocated_bytes().saturating_add(bytes);
        self.arena_bytes_max = self.env.arena_bytes_max.min(limit);
        self
    }

    pub(crate) fn arena_bytes_max(&self) -> usize {
        self.arena_bytes_max
    }

    pub(crate) fn stop(&self, stop: Stop) {
        self.stopped.set(Some(stop));
    }

    /// Name of the function that runs at the moment; empty outside of calls.
    pub fn function(&self) -> &'static str {
        self.function.get()
    }

    pub(crate) fn enter(&self, name: &'static str) -> &'static str {
        self.depth.set(self.depth.get() + 1);
        self.function.replace(name)
    }

    pub(crate) fn leave(&self, caller: &'static str) {
        self.depth.set(self.depth.get().saturating_sub(1));
        self.function.set(caller);
    }

    /// Fails if the call that has returned was to end early, or has let the arena grow too large.
    pub(crate) fn check_call(&self) -> Result<(), Error> {
        if let Some(stop) = self.stopped.get() {
            return Err(stop.into());
        }
        self.check_room(0)
    }

    /// How many calls are under way inside each other; more than one only through `CALL` and `APPLY`.
    pub(crate) fn call_depth(&self) -> u32 {
        self.depth.get()
    }

    /// Registers warning 1542 for the running function; the value is `null`.
    ///
    /// # Errors
    ///
    /// [`Error::Warning`] if the query fails on warnings.
    pub fn invalid_argument(&self) -> Result<Value<'a>, Error> {
        let message = format_args!("invalid argument type in call to function '{}()'", self.function());
        self.env.warnings.register(warnings::INVALID_ARGUMENT_TYPE, message)?;
        Ok(Value::NULL)
    }

    /// Registers warning 1563 for the running function; the value is `null`.
    ///
    /// # Errors
    ///
    /// [`Error::Warning`] if the query fails on warnings.
    pub fn array_expected(&self) -> Result<Value<'a>, Error> {
        self.warn(warnings::ARRAY_EXPECTED, "array expected")
    }

    /// Registers warning 1561 for the running function; the value is `null`.
    ///
    /// # Errors
    ///
    /// [`Error::Warning`] if the query fails on warnings.
    pub fn invalid_arithmetic(&self) -> Result<Value<'a>, Error> {
        self.warn(warnings::INVALID_ARITHMETIC_VALUE, "invalid arithmetic value")
    }

    /// Registers warning 1572 for the running function; the value is `null`.
    ///
    /// # Errors
    ///
    /// [`Error::Warning`] if the query fails on warnings.
    pub fn invalid_date(&self) -> Result<Value<'a>, Error> {
        self.warn(warnings::INVALID_DATE_VALUE, "invalid date value")
    }

    /// Registers warning 1543 for the running function; the value is `null`.
    ///
    /// # Errors
    ///
    /// [`Error::Warning`] if the query fails on warnings.
    pub fn invalid_regex(&self) -> Result<Value<'a>, Error> {
        self.warn(warnings::INVALID_REGEX, "invalid regex value")
    }

    /// Registers any other warning for the running function; the value is `null`.
    ///
    /// # Errors
    ///
    /// [`Error::Warning`] if the query fails on warnings.
    pub fn warn(&self, code: u32, text: &str) -> Result<Value<'a>, Error> {
        self.env.warnings.register(code, format_args!("in function '{}()': {text}", self.function()))?;
        Ok(Value::NULL)
    }

    /// A copy of a text in the arena, as a value.
    pub fn string(&self, text: &str) -> Value<'a> {
        Value::from_str(self.arena.alloc_str(text))
    }

    /// The value cast to a string: borrowed if it is one, otherwise written into the arena.
    pub fn text(&self, value: Value<'a>) -> &'a str {
        match value.view() {
            View::Str(text) => text,
            View::Null => "",
            View::Bool(true) => "true",
            View::Bool(false) => "false",
            // At least a digit and a comma for each member.
            View::Range(..) if self.check_room(value.len().saturating_mul(2)).is_err() => {
                self.stop(Stop::TooLarge);
                ""
            }
            _ => {
                let mut scratch = self.env.scratch.borrow_mut();
                scratch.clear();
                to_string_into(value, &mut scratch);
                self.arena.alloc_str(&scratch)
            }
        }
    }

    /// An empty string in the arena.
    pub fn string_buffer(&self) -> bumpalo::collections::String<'a> {
        bumpalo::collections::String::new_in(self.arena)
    }

    /// A builder whose result lands in the arena.
    pub fn builder(&self) -> ArenaBuilder<'a> {
        ArenaBuilder::with_arena_bytes_max(self.arena, self.env, self.arena_bytes_max)
    }

    /// An empty vector in the arena.
    pub fn vec<T>(&self) -> bumpalo::collections::Vec<'a, T> {
        bumpalo::collections::Vec::new_in(self.arena)
    }

    /// An array of the values, built in the arena.
    ///
    /// # Errors
    ///
    /// [`Error::Build`] if the result cannot be laid out, and as [`Context::check`].
    pub fn array(&self, members: impl IntoIterator<Item = Value<'a>>) -> Result<Value<'a>, Error> {
        let mut builder = self.builder();
        builder.open_array();
        for member in members {
            self.work(1)?;
            builder.add(member);
            builder.check_size()?;
        }
        builder.close();
        builder.finish()
    }

    /// The members of an array or a range, laid out in the arena; `None` if the value is neither.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`] for a range of more than ten million members, [`Error::ResourceLimit`] if they take too
    /// much memory.
    pub fn members(
        &self,
        value: Value<'a>,
    ) -> Result<Option<bumpalo::collections::Vec<'a, Value<'a>>>, Error> {
        if !value.is_array() {
            return Ok(None);
        }
        check_range(value)?;
        self.check_room(value.len().saturating_mul(size_of::<Value<'a>>()))?;
        let mut members = bumpalo::collections::Vec::with_capacity_in(value.len(), self.arena);
        members.extend(self.elements(value));
        Ok(Some(members))
    }

    /// Copies a document into the arena, as a value.
    pub fn adopt(&self, slice: Slice<'_>) -> Value<'a> {
        Value::from_slice(Slice::trusted(self.arena.alloc_slice_copy(slice.bytes())))
    }
}

/// Longest text that a function whose result may be far longer than its arguments builds.
pub(crate) const TEXT_BYTES_MAX: usize = 64 << 20;

/// Refuses a text that has become too long.
pub(crate) fn check_text(length: usize) -> Result<(), Error> {
    if length > TEXT_BYTES_MAX { Err(Error::ResourceLimit) } else { Ok(()) }
}

/// Most members of a range that may be laid out.
pub(crate) const RANGE_MEMBERS_MAX: u64 = 10_000_000;

/// Refuses a range too long to be laid out.
pub(crate) fn check_range(value: Value<'_>) -> Result<(), Error> {
    match value.view() {
        View::Range(first, last) if first.abs_diff(last) >= RANGE_MEMBERS_MAX => Err(Error::OutOfRange),
        _ => Ok(()),
    }
}

/// The argument at a position, `null` if it was left out.
pub(crate) fn arg<'a>(args: &[Value<'a>], position: usize) -> Value<'a> {
    args.get(position).copied().unwrap_or(Value::NULL)
}
