//! Builds arrays and objects for results: a pooled VelocyPack builder whose finished bytes are copied into
//! the arena once, so a call costs no heap allocation after the first.

use bumpalo::Bump;
use persea_order::Value;
use persea_vpack::{Builder, Slice};

use crate::{Environment, Error};

/// Pushes values, then becomes one [`Value`] in the arena.
///
/// What is pushed wrongly (a value where a key belongs) is reported by [`ArenaBuilder::finish`].
pub struct ArenaBuilder<'a> {
    arena: &'a Bump,
    env: &'a Environment,
    builder: Option<Builder>,
}

impl<'a> ArenaBuilder<'a> {
    /// A builder for an arena, with buffers from the environment's pool.
    pub fn new(arena: &'a Bump, env: &'a Environment) -> Self {
        Self { arena, env, builder: Some(env.take_builder()) }
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
        value.write_to(self.inner());
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
    /// [`Error::Build`] if something is left open or was pushed in a wrong order.
    pub fn finish(mut self) -> Result<Value<'a>, Error> {
        self.finish_value()
    }

    /// The finished value; the builder is empty afterwards. For building one value after the other.
    ///
    /// # Errors
    ///
    /// As [`ArenaBuilder::finish`].
    pub fn finish_value(&mut self) -> Result<Value<'a>, Error> {
        let arena = self.arena;
        let builder = self.inner();
        let value = Value::from_slice(Slice::trusted(arena.alloc_slice_copy(builder.as_slice()?.bytes())));
        builder.clear();
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
