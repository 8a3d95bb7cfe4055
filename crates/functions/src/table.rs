//! The table of all functions. Each is registered beside its code, in the list of its file; here they are put together.

use std::sync::LazyLock;

use crate::{Function, array, date, geo, misc, numeric, object, string, type_cast, type_check};

static FAMILIES: [&[&[Function]]; 8] = [
    array::FUNCTIONS,
    date::FUNCTIONS,
    geo::FUNCTIONS,
    misc::FUNCTIONS,
    numeric::FUNCTIONS,
    object::FUNCTIONS,
    string::FUNCTIONS,
    &[type_cast::FUNCTIONS, type_check::FUNCTIONS],
];

static BY_NAME: LazyLock<Vec<Function>> = LazyLock::new(|| {
    let mut functions: Vec<Function> = FAMILIES.concat().concat();
    functions.sort_unstable_by_key(|function| function.name);
    functions
});

/// Finds a function by its upper-case name.
pub fn lookup(name_upper: &str) -> Option<&'static Function> {
    let functions = all();
    functions.binary_search_by(|function| function.name.cmp(name_upper)).ok().and_then(|at| functions.get(at))
}

/// All functions, sorted by name.
pub fn all() -> &'static [Function] {
    &BY_NAME
}

#[cfg(test)]
mod tests {
    use super::{all, lookup};

    #[test]
    fn names_are_sorted_and_found() {
        assert!(all().is_sorted_by(|left, right| left.name < right.name));
        assert!(all().iter().all(|function| lookup(function.name).is_some()));
        assert!(lookup("NO_SUCH_FUNCTION").is_none());
    }

    #[test]
    fn every_entry_is_documented() {
        for function in all() {
            assert!(function.signature.starts_with(function.name), "{}", function.name);
            assert!(function.summary.ends_with('.'), "{}", function.name);
            assert!(function.max_args.is_none_or(|max| max >= function.min_args), "{}", function.name);
        }
    }
}
