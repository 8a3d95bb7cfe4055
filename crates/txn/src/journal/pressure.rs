//! Slows commits down when they come faster than the engine takes them, and stops them when it takes none.

use std::time::Duration;

use crate::primitives::{Condvar, Mutex, thread};
use crate::{Error, Result};

/// Pause of a commit when the active delta is nearly twice as large as it should be.
const PAUSE_MAX: Duration = Duration::from_millis(2);
/// How often a commit that waits looks again by itself.
const PATIENCE: Duration = Duration::from_millis(100);

/// Gate that commits pass before they are logged.
#[derive(Debug, Default)]
pub(super) struct Pressure {
    /// Why the last checkpoint failed, if it did.
    failure: Mutex<Option<Box<str>>>,
    eased: Condvar,
}

impl Pressure {
    /// Waits until there is room; `load` is above 1 when there should be a checkpoint and one is under way.
    pub(super) fn pass(&self, load: impl Fn() -> f64) -> Result<()> {
        let now = load();
        if now < 1.0 {
            return Ok(());
        }
        if now < 2.0 {
            thread::sleep(PAUSE_MAX.mul_f64(now - 1.0));
            return Ok(());
        }
        let mut failure = self.failure.lock();
        while load() >= 2.0 {
            if let Some(reason) = &*failure {
                return Err(Error::ReadOnly(reason.clone()));
            }
            self.eased.wait_for(&mut failure, PATIENCE);
        }
        Ok(())
    }

    /// A checkpoint has ended.
    pub(super) fn ease(&self) {
        *self.failure.lock() = None;
        self.eased.notify_all();
    }

    /// A checkpoint has failed.
    pub(super) fn fail(&self, reason: String) {
        *self.failure.lock() = Some(reason.into());
        self.eased.notify_all();
    }

    /// # Errors
    /// [`Error::ReadOnly`] if the last checkpoint failed.
    pub(super) fn check(&self) -> Result<()> {
        match &*self.failure.lock() {
            Some(reason) => Err(Error::ReadOnly(reason.clone())),
            None => Ok(()),
        }
    }
}
