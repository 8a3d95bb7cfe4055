//! What the registry knows about one function.

use persea_order::Value;

use crate::context::check_range;
use crate::{Context, Error};

/// The Rust function behind an AQL function: arguments in, one value out. Values it builds live in the
/// context's arena. Argument counts have been checked before.
pub type Scalar = for<'a> fn(&Context<'a>, &[Value<'a>]) -> Result<Value<'a>, Error>;

/// One AQL function, as the table registers it.
#[derive(Clone, Copy)]
pub struct Function {
    /// Upper-case name.
    pub name: &'static str,
    /// Fewest arguments.
    pub min_args: usize,
    /// Most arguments; `None` where there is no bound.
    pub max_args: Option<usize>,
    /// Same arguments, same result within a query.
    pub deterministic: bool,
    /// A query that calls it may be answered from the results cache.
    pub cacheable: bool,
    /// A call with constant arguments may be computed while planning.
    pub foldable: bool,
    /// The first argument may be a bare collection name; the call then receives that name as a string. For
    /// `LENGTH` and `COUNT`, to which a string is just a string, such a call means `COLLECTION_COUNT`.
    pub takes_collection: bool,
    /// Reads documents or the catalog through [`DocumentAccess`](crate::DocumentAccess).
    pub accesses_documents: bool,
    /// May be called through `CALL` and `APPLY`.
    pub dynamic: bool,
    /// May be used in a `PRUNE` condition.
    pub in_prune: bool,
    /// Takes ranges of any length as they are; other functions refuse those too long to be laid out.
    pub long_ranges: bool,
    /// Signature as the manual writes it; square brackets mark optional arguments.
    pub signature: &'static str,
    /// One line on what it returns.
    pub summary: &'static str,
    /// What runs.
    pub call: Scalar,
}

impl Function {
    /// Runs the function.
    ///
    /// The caller has checked the number of arguments (the planner does so once, see [`Function::accepts`]).
    ///
    /// # Errors
    ///
    /// Whatever ends the query: see [`Error`]. Most wrong arguments only give `null` and a warning.
    pub fn evaluate<'a>(&self, ctx: &Context<'a>, args: &[Value<'a>]) -> Result<Value<'a>, Error> {
        if !self.foldable && !ctx.env.is_query() {
            return Err(Error::OutsideOfQuery(self.name));
        }
        if !self.long_ranges {
            args.iter().try_for_each(|value| check_range(*value))?;
        }
        let caller = ctx.enter(self.name);
        let result = (self.call)(ctx, args);
        ctx.leave(caller);
        ctx.check_call()?;
        result
    }

    /// Whether a call with `n_args` arguments is legal.
    pub fn accepts(&self, n_args: usize) -> bool {
        n_args >= self.min_args && self.max_args.is_none_or(|max| n_args <= max)
    }

    pub(crate) const fn new(
        name: &'static str,
        arity: (usize, usize),
        signature: &'static str,
        summary: &'static str,
        call: Scalar,
    ) -> Self {
        Self {
            name,
            min_args: arity.0,
            max_args: if arity.1 == MANY { None } else { Some(arity.1) },
            deterministic: true,
            cacheable: true,
            foldable: true,
            takes_collection: false,
            accesses_documents: false,
            dynamic: true,
            in_prune: true,
            long_ranges: false,
            signature,
            summary,
            call,
        }
    }

    /// Not deterministic: never folded, never cached.
    pub(crate) const fn volatile(mut self) -> Self {
        self.deterministic = false;
        self.cacheable = false;
        self.foldable = false;
        self
    }

    /// Deterministic within a query, but its result must not outlive it.
    pub(crate) const fn uncached(mut self) -> Self {
        self.cacheable = false;
        self
    }

    /// Has an effect besides its value, so each call must happen where it is written.
    pub(crate) const fn effect(mut self) -> Self {
        self.deterministic = false;
        self.foldable = false;
        self
    }

    /// Takes ranges of any length.
    pub(crate) const fn lazy(mut self) -> Self {
        self.long_ranges = true;
        self
    }

    /// Not computed while planning.
    pub(crate) const fn unfoldable(mut self) -> Self {
        self.foldable = false;
        self
    }

    /// First argument may be a bare collection name.
    pub(crate) const fn collection(mut self) -> Self {
        self.takes_collection = true;
        self.accesses_documents = true;
        self.foldable = false;
        self
    }

    /// First argument may be a bare collection name, which the planner turns into a `COLLECTION_COUNT` call.
    pub(crate) const fn counts_collection(mut self) -> Self {
        self.takes_collection = true;
        self
    }

    /// Reads the database.
    pub(crate) const fn reads(mut self) -> Self {
        self.accesses_documents = true;
        self.foldable = false;
        self
    }

    /// Cannot be used in `PRUNE`.
    pub(crate) const fn no_prune(mut self) -> Self {
        self.in_prune = false;
        self
    }

    /// Cannot be called through `CALL` and `APPLY`.
    pub(crate) const fn no_dynamic(mut self) -> Self {
        self.dynamic = false;
        self
    }
}

/// Marks "any number of arguments" in the table.
pub(crate) const MANY: usize = usize::MAX;
