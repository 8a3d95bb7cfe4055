//! A store that only grows: what is put in stays where it is, so it can be borrowed while more is added.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::rc::Rc;

/// Values that live as long as the store. Used for the snapshots a query reads from, some of which are taken while
/// it runs.
#[derive(Debug)]
pub(crate) struct Pinned<T> {
    items: RefCell<Vec<Rc<T>>>,
}

impl<T> Default for Pinned<T> {
    fn default() -> Self {
        Pinned { items: RefCell::new(Vec::new()) }
    }
}

impl<T> Pinned<T> {
    /// Stores a value and lends it for as long as the store is borrowed.
    pub(crate) fn add(&self, value: T) -> &T {
        let item = Rc::new(value);
        let address = Rc::as_ptr(&item);
        self.items.borrow_mut().push(item);
        // SAFETY: the value lies on the heap behind an `Rc` that stays in `items` until the store is dropped, which
        // cannot happen while the result is borrowed; moving the `Rc` does not move the value, and nothing
        // hands out `&mut T`.
        unsafe { &*address }
    }

    /// The value that was added at a position.
    pub(crate) fn get(&self, position: usize) -> Option<&T> {
        let address = self.items.borrow().get(position).map(Rc::as_ptr)?;
        // SAFETY: as in `add`.
        Some(unsafe { &*address })
    }

    /// How many values were added.
    pub(crate) fn len(&self) -> usize {
        self.items.borrow().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_items_stay_valid() {
        let store = Pinned::default();
        let first = store.add(String::from("first"));
        for number in 0..100 {
            store.add(number.to_string());
        }
        assert_eq!(first, "first");
    }
}
