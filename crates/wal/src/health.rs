//! Remembers the failure after which the log takes no more records.

use std::io;
use std::sync::{Arc, OnceLock};

use crate::{Error, Result};

#[derive(Debug, Default)]
pub(crate) struct Health(OnceLock<Failure>);

#[derive(Debug)]
struct Failure {
    operation: &'static str,
    file: String,
    cause: Arc<io::Error>,
}

impl Health {
    /// Poisons the log; the first cause stays.
    pub(crate) fn poison(&self, operation: &'static str, file: &str, cause: io::Error) -> Error {
        let failure =
            self.0.get_or_init(|| Failure { operation, file: file.to_owned(), cause: Arc::new(cause) });
        failure.error()
    }

    /// # Errors
    /// [`Error::Poisoned`] after a failure that cannot be got over.
    pub(crate) fn check(&self) -> Result<()> {
        self.0.get().map_or(Ok(()), |failure| Err(failure.error()))
    }
}

impl Failure {
    fn error(&self) -> Error {
        Error::Poisoned { operation: self.operation, file: self.file.clone(), cause: self.cause.clone() }
    }
}
