//! The lock of one collection: who holds it in which mode, and who waits for it, in order.

use std::collections::VecDeque;
use std::sync::Arc;

use smallvec::SmallVec;

use super::graph::Edges;
use super::ticket::{Ticket, WaitOutcome};
use super::{LockMode, TransactionId};

#[derive(Debug)]
struct Waiter {
    transaction: TransactionId,
    mode: LockMode,
    /// Holds the collection in a weaker mode already; goes before those who hold nothing, who would wait for it anyway.
    is_upgrade: bool,
    ticket: Arc<Ticket>,
}

/// Holders and waiters of a collection. A waiter is let in as soon as it is compatible with every other holder and
/// with every waiter before it, so nobody is overtaken by someone it has to wait for.
#[derive(Debug, Default)]
pub(super) struct CollectionLock {
    holders: SmallVec<[(TransactionId, LockMode); 2]>,
    waiters: VecDeque<Waiter>,
}

impl CollectionLock {
    /// Who holds it.
    pub(super) fn into_holders(self) -> impl Iterator<Item = TransactionId> {
        self.holders.into_iter().map(|(holder, _)| holder)
    }

    /// Whether anybody holds it exclusively or waits to.
    pub(super) fn has_exclusive(&self) -> bool {
        self.holders.iter().any(|(_, mode)| *mode == LockMode::Exclusive)
            || self.waiters.iter().any(|waiter| waiter.mode == LockMode::Exclusive)
    }

    /// The tickets of those that wait.
    pub(super) fn tickets(&self) -> impl Iterator<Item = &Arc<Ticket>> {
        self.waiters.iter().map(|waiter| &waiter.ticket)
    }

    pub(super) fn mode_of(&self, transaction: TransactionId) -> Option<LockMode> {
        self.holders.iter().find(|(holder, _)| *holder == transaction).map(|(_, mode)| *mode)
    }

    fn is_free_for(&self, transaction: TransactionId, mode: LockMode, n_waiters_before: usize) -> bool {
        self.holders.iter().all(|(holder, held)| *holder == transaction || mode.is_compatible_with(*held))
            && self
                .waiters
                .iter()
                .take(n_waiters_before)
                .all(|waiter| waiter.transaction == transaction || mode.is_compatible_with(waiter.mode))
    }

    /// Makes a transaction a holder that has had the lock all along.
    pub(super) fn set_holder(&mut self, transaction: TransactionId, mode: LockMode) {
        match self.holders.iter_mut().find(|(holder, _)| *holder == transaction) {
            Some((_, held)) => *held = (*held).max(mode),
            None => self.holders.push((transaction, mode)),
        }
    }

    /// Where a new waiter belongs: upgrades before the others, otherwise in order of arrival.
    fn place_of(&self, is_upgrade: bool) -> usize {
        if is_upgrade {
            self.waiters.iter().take_while(|waiter| waiter.is_upgrade).count()
        } else {
            self.waiters.len()
        }
    }

    /// Takes the lock, or queues for it and returns a ticket.
    pub(super) fn request(&mut self, transaction: TransactionId, mode: LockMode) -> Option<Arc<Ticket>> {
        let is_upgrade = self.mode_of(transaction).is_some();
        let place = self.place_of(is_upgrade);
        if self.is_free_for(transaction, mode, place) {
            self.set_holder(transaction, mode);
            return None;
        }
        let ticket = Ticket::new();
        self.waiters.insert(place, Waiter { transaction, mode, is_upgrade, ticket: ticket.clone() });
        Some(ticket)
    }

    /// Lets in whoever can go now; calls `granted` for each.
    fn let_in(&mut self, mut granted: impl FnMut(TransactionId)) {
        let mut position = 0;
        while let Some(waiter) = self.waiters.get(position) {
            if !self.is_free_for(waiter.transaction, waiter.mode, position) {
                position += 1;
                continue;
            }
            let Some(waiter) = self.waiters.remove(position) else { return };
            self.set_holder(waiter.transaction, waiter.mode);
            granted(waiter.transaction);
            waiter.ticket.decide(WaitOutcome::Granted);
        }
    }

    /// Takes a transaction out of the holders.
    pub(super) fn release(&mut self, transaction: TransactionId, granted: impl FnMut(TransactionId)) {
        self.holders.retain(|(holder, _)| *holder != transaction);
        self.let_in(granted);
    }

    /// Takes a transaction out of the queue.
    pub(super) fn leave_queue(
        &mut self,
        transaction: TransactionId,
        granted: impl FnMut(TransactionId),
    ) -> Option<Arc<Ticket>> {
        let position = self.waiters.iter().position(|waiter| waiter.transaction == transaction)?;
        let waiter = self.waiters.remove(position)?;
        self.let_in(granted);
        Some(waiter.ticket)
    }

    /// Whom a waiter waits for as far as `edges` asks for them.
    pub(super) fn blockers_of(
        &self,
        transaction: TransactionId,
        edges: Edges,
        found: &mut Vec<TransactionId>,
    ) {
        let Some(position) = self.waiters.iter().position(|waiter| waiter.transaction == transaction) else {
            return;
        };
        let Some(mode) = self.waiters.get(position).map(|waiter| waiter.mode) else { return };
        let is_blocked_by = |(other, held): &(TransactionId, LockMode)| {
            *other != transaction && !edges.leaves_out(*other) && !mode.is_compatible_with(*held)
        };
        let earlier =
            self.waiters.iter().take(position).rev().map(|waiter| (waiter.transaction, waiter.mode));
        for (other, held) in earlier.filter(is_blocked_by) {
            found.push(other);
            // It waits itself for everything before it.
            if held == LockMode::Exclusive && edges.are_implied_left_out() {
                return;
            }
        }
        found.extend(self.holders.iter().copied().filter(is_blocked_by).map(|(holder, _)| holder));
    }
}
