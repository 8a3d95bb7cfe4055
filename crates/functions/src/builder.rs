//! Builds arrays and objects for results: a pooled VelocyPack builder whose finished bytes are copied into
//! the arena once, so a call costs no heap allocation after the first.

use bumpalo::Bump;
use persea_order::{Value, View};
use persea_vpack::{Builder, Slice};

use crate::watch::{STEPS, Stop};
use crate::{Environment, Error};

/// Buffers larger than this are given back to the system, not to the pool.
const POOLED_BYTES_MAX: usize = 1 << 20;

/// Results up to this size are not held against what is left of the memory.
const UNCHECKED_BYTES: usize = 64 << 10;

/// Pushes values, then becomes one [`Value`] in the arena.
///
/// What is pushed wrongly (a value where a key belongs) is reported by [`ArenaBuilder::finish`].
pub struct ArenaBuilder<'a> {
    arena: &'a Bump,
    env: &'a Environment,
    builder: Option<Builder>,
    arena_bytes_max: usize,
    /// Why the rest was left out.
    stopped: Option<Stop>,
}

impl<'a> ArenaBuilder<'a> {
    /// A builder for an arena, with buffers from the environment's pool.
    pub fn new(arena: &'a Bump, env: &'a Environment) -> Self {
        Self::with_arena_bytes_max(arena, env, usize::MAX)
    }

    pub(crate) fn with_arena_bytes_max(
        arena: &'a Bump,
        env: &'a Environment,
        arena_bytes_max: usize,
    ) -> Self {
        Self { arena, env, builder: Some(env.take_builder()), arena_bytes_max, stopped: None }
    }

    fn inner(&mut self) -> &mut Builder {
        self.builder.get_or_insert_default()
    }

    /// Opens an array.
    pub fn open_array(&mut self) {
        self.inner().open_array();
    }

    /// Opens an object.
    pub fn open_object(&mut self) {
        self.inner().open_object();
    }

    /// Writes an attribute name; the next value belongs to it.
    pub fn key(&mut self, name: &str) {
        self.inner().key(name);
    }

    /// Closes the array or object opened last.
    pub fn close(&mut self) {
        self.inner().close();
    }

    /// Adds any value.
    pub fn add(&mut self, value: Value<'_>) {
        // A range takes no memory before it is laid out, and at least a byte for each member afterwards.
        if let View::Range(..) = value.view() {
            if self.has_room(value.len()) {
                self.add_range(value);
            } else {
                self.stopped = Some(Stop::TooLarge);
                self.add_slice(Slice::NULL);
            }
            return;
        }
        value.write_to(self.inner());
    }

    fn add_range(&mut self, range: Value<'_>) {
        let env = self.env;
        self.open_array();
        for (position, member) in range.elements().enumerate() {
            if position % STEPS == STEPS - 1 && env.has_to_end() {
                self.stopped = Some(Stop::Killed);
                break;
            }
            member.write_to(self.inner());
        }
        self.close();
    }

    fn has_room(&self, bytes: usize) -> bool {
        bytes <= UNCHECKED_BYTES || self.arena.allocated_bytes().saturating_add(bytes) <= self.arena_bytes_max
    }

    /// Fails if what has been added is more than the arena may take: for long loops, so that they end early.
    ///
    /// # Errors
    ///
    /// [`Error::ResourceLimit`], and [`Error::Killed`] if a range was cut short because the query has to end.
    pub fn check_size(&self) -> Result<(), Error> {
        let length = self.builder.as_ref().map_or(0, |builder| builder.bytes().len());
        match self.stopped {
            Some(stop) => Err(stop.into()),
            None if self.has_room(length) => Ok(()),
            None => Err(Error::ResourceLimit),
        }
    }

    /// Adds a string.
    pub fn add_str(&mut self, text: &str) {
        self.inner().add_str(text);
    }

    /// Adds bytes that are VelocyPack already.
    pub fn add_slice(&mut self, slice: Slice<'_>) {
        self.inner().add_slice(slice);
    }

    /// Adds an attribute.
    pub fn entry(&mut self, name: &str, value: Value<'_>) {
        self.key(name);
        self.add(value);
    }

    /// The underlying builder, for parsers that write into one.
    pub fn as_builder(&mut self) -> &mut Builder {
        self.inner()
    }

    /// The finished value.
    ///
    /// # Errors
    ///
    /// [`Error::Build`] if something is left open or was pushed in a wrong order, [`Error::ResourceLimit`] if it is
    /// more than the arena may take.
    pub fn finish(mut self) -> Result<Value<'a>, Error> {
        self.finish_value()
    }

    /// The finished value; the builder is empty afterwards. For building one value after the other.
    ///
    /// # Errors
    ///
    /// As [`ArenaBuilder::finish`].
    pub fn finish_value(&mut self) -> Result<Value<'a>, Error> {
        self.check_size()?;
        let arena = self.arena;
        let builder = self.inner();
        let value = Value::from_slice(Slice::trusted(arena.alloc_slice_copy(builder.as_slice()?.bytes())));
        if builder.bytes().len() > POOLED_BYTES_MAX {
            self.builder = None;
        } else {
            builder.clear();
        }
        Ok(value)
    }
}

impl Drop for ArenaBuilder<'_> {
    fn drop(&mut self) {
        if let Some(builder) = self.builder.take() {
            self.env.give_back_builder(builder);
        }
    }
}
