//! What a call sees besides its arguments: the arena of the batch, the query's environment, and the database.

use std::cell::Cell;

use bumpalo::Bump;
use persea_order::{Value, View, to_string_into};
use persea_vpack::Slice;

use crate::watch::Stop;
use crate::{ArenaBuilder, DocumentAccess, Environment, Error, warnings};

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
        self.env.warnings().register(warnings::INVALID_ARGUMENT_TYPE, message)?;
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
        self.env.warnings().register(code, format_args!("in function '{}()': {text}", self.function()))?;
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
