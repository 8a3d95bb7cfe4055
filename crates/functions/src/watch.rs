//! Ends a call that works through much: the clock, the kill flag and the arena are looked at every few thousand steps.

use std::time::Instant;

use persea_order::{Elements, Value};

use crate::{Context, Environment, Error};

/// Steps between two looks. A step is about the work for one member of an array.
pub(crate) const STEPS: usize = 4096;

/// Why a call has to end.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Stop {
    Killed,
    TooLarge,
}

impl From<Stop> for Error {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Killed => Error::Killed,
            Stop::TooLarge => Error::ResourceLimit,
        }
    }
}

impl Environment {
    /// Whether the query was asked to end, has run for too long or has done all the work it may.
    pub(crate) fn has_to_end(&self) -> bool {
        let looks = self.looks_left.get();
        self.looks_left.set(looks.saturating_sub(1));
        looks == 0 || self.is_killed() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

impl<'a> Context<'a> {
    /// Counts steps of work, and fails if there have been many and the query has to end. To be called in every loop
    /// whose length an argument decides; costs a subtraction.
    ///
    /// # Errors
    ///
    /// As [`Context::check`].
    #[inline]
    pub fn work(&self, steps: usize) -> Result<(), Error> {
        match self.env.steps_left.get().checked_sub(steps) {
            Some(left) => {
                self.env.steps_left.set(left);
                Ok(())
            }
            None => self.check(),
        }
    }

    /// Fails if the query has to end.
    ///
    /// # Errors
    ///
    /// [`Error::Killed`] if it was asked to or has run for too long, [`Error::ResourceLimit`] if it holds too much.
    #[cold]
    pub fn check(&self) -> Result<(), Error> {
        match self.look() {
            Some(stop) => {
                // The next step looks again, so that loops around this one end as well.
                self.env.steps_left.set(0);
                Err(stop.into())
            }
            None => {
                self.env.steps_left.set(STEPS);
                Ok(())
            }
        }
    }

    fn look(&self) -> Option<Stop> {
        if self.env.has_to_end() {
            Some(Stop::Killed)
        } else if self.arena.allocated_bytes() > self.arena_bytes_max() {
            Some(Stop::TooLarge)
        } else {
            None
        }
    }

    /// [`Context::work`] where an error cannot be handed on: false once the query has to end, which the call then
    /// answers with, whatever its result.
    #[inline]
    pub(crate) fn goes_on(&self, steps: usize) -> bool {
        match self.work(steps) {
            Ok(()) => true,
            Err(error) => {
                self.stop(if matches!(error, Error::Killed) { Stop::Killed } else { Stop::TooLarge });
                false
            }
        }
    }

    /// Fails if so many bytes more would be too many.
    ///
    /// # Errors
    ///
    /// [`Error::ResourceLimit`].
    pub fn check_room(&self, bytes: usize) -> Result<(), Error> {
        if self.arena.allocated_bytes().saturating_add(bytes) > self.arena_bytes_max() {
            Err(Error::ResourceLimit)
        } else {
            Ok(())
        }
    }

    /// The members of an array or range; they end early if the query has to, which the call then answers with.
    pub(crate) fn elements(&self, list: Value<'a>) -> Watched<'_, 'a, Elements<'a>> {
        self.watch(list.elements())
    }

    /// Each item is a step of work; they end early if the query has to, which the call then answers with.
    pub(crate) fn watch<I: Iterator>(&self, items: I) -> Watched<'_, 'a, I> {
        Watched { ctx: self, items }
    }
}

/// See [`Context::watch`].
pub(crate) struct Watched<'c, 'a, I> {
    ctx: &'c Context<'a>,
    items: I,
}

impl<I: Iterator> Iterator for Watched<'_, '_, I> {
    type Item = I::Item;

    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        if self.ctx.goes_on(1) { self.items.next() } else { None }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.items.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::time::{Duration, Instant};

    use bumpalo::Bump;
    use persea_order::Value;

    use crate::testing::with_environment;
    use crate::{Context, Environment, NoDocuments, lookup};

    /// Calls which would go on for seconds.
    const LONG: [&str; 18] = [
        "SLEEP(10)",
        "UNIQUE(1..9999999)",
        "SORTED(1..9999999)",
        "SORTED_UNIQUE(1..9999999)",
        "UNION(1..9999999,1..9999999)",
        "UNION_DISTINCT(1..9999999,[1])",
        "INTERSECTION(1..9999999,1..9999999)",
        "MINUS(1..9999999,[1])",
        "FLATTEN(1..9999999)",
        "INTERLEAVE(1..9999999,1..9999999)",
        "RANGE(1,9999999,1)",
        "SUM(1..9999999)",
        "MAX(1..9999999)",
        "MEDIAN(1..9999999)",
        "POSITION(1..9999999,-1)",
        "CONCAT(1..9999999)",
        "REMOVE_VALUE(1..9999999,5)",
        "PUSH([1],1..9999999)",
    ];

    fn environment() -> Environment {
        Environment::new().with_database("_system")
    }

    #[test]
    fn long_calls_end_when_the_query_is_killed() {
        for call in LONG {
            let killed = environment().with_kill_flag(Arc::new(AtomicBool::new(true)));
            assert_eq!(with_environment(&killed, call).result, Err(1500), "{call}");
        }
    }

    #[test]
    fn long_calls_end_in_time() {
        for call in LONG {
            let start = Instant::now();
            let env = environment().with_deadline(start + Duration::from_millis(20));
            assert_eq!(with_environment(&env, call).result, Err(1500), "{call}");
            assert!(start.elapsed() < Duration::from_secs(1), "{call}: {:?}", start.elapsed());
        }
    }

    #[test]
    fn effort_is_bounded() {
        let env = environment().with_effort_max(1);
        assert_eq!(with_environment(&env, "SUM(1..100)").result, Ok("5050".to_owned()));
        assert_eq!(with_environment(&env, "SUM(1..100000)").result, Err(1500));
    }

    #[test]
    fn calls_end_when_little_memory_is_left() {
        let long_text = "a".repeat(100_000);
        let calls: [(&str, Vec<Value<'_>>); 6] = [
            ("UNIQUE", vec![Value::range(&(1, 1_000_000))]),
            ("SORTED", vec![Value::range(&(1, 1_000_000))]),
            ("TO_STRING", vec![Value::range(&(1, 1_000_000))]),
            ("PUSH", vec![Value::range(&(1, 1_000_000)), Value::NULL]),
            ("REPEAT", vec![Value::from_str("abc"), Value::from_i64(1_000_000)]),
            (
                "REGEX_REPLACE",
                vec![Value::from_str(&long_text), Value::from_str("a"), Value::from_str("bbbbbb")],
            ),
        ];
        for (name, args) in calls {
            let (arena, env) = (Bump::new(), environment());
            let ctx = Context::new(&arena, &env, &NoDocuments).with_memory_left(200_000);
            let error = lookup(name).unwrap().evaluate(&ctx, &args).unwrap_err();
            assert_eq!(error.code(), 32, "{name}");
            assert!(arena.allocated_bytes() < 1_000_000, "{name} took {}", arena.allocated_bytes());
        }
    }
}
