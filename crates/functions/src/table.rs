//! The table of all functions. Sorted by name, which [`lookup`] relies on and a test checks.

use crate::function::Function;
use crate::numeric;

/// Finds a function by its upper-case name.
pub fn lookup(name_upper: &str) -> Option<&'static Function> {
    FUNCTIONS.binary_search_by(|function| function.name.cmp(name_upper)).ok().and_then(|at| FUNCTIONS.get(at))
}

/// All functions, sorted by name.
pub fn all() -> &'static [Function] {
    FUNCTIONS
}

use Function as F;

static FUNCTIONS: &[Function] = &[
    F::new("ABS", (1, 1), "ABS(value)", "Distance of a number from zero.", numeric::abs),
    F::new("SUM", (1, 1), "SUM(list)", "Sum of the numbers in a list.", numeric::sum),
];

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
