#![doc = include_str!("../README.md")]

mod background;
mod batch;
mod damage;
mod error;
mod follower;
mod format;
mod health;
mod log;
mod metrics;
mod options;
mod position;
mod primitives;
mod record;
mod record_reader;
mod recovery;
mod segment;
mod shared;
#[cfg(feature = "simulation")]
pub mod simulation;
mod spares;
mod storage;
mod sync_gate;
mod tail;
mod tail_reader;
mod trim;
mod wakefulness;
mod watch;

pub use batch::{Batch, Payload};
pub use damage::{Damage, DamageKind, Intact};
pub use error::{Error, Result};
pub use follower::Follower;
pub use log::{Appended, Log, Received, inspect};
pub use metrics::{Metrics, N_BATCH_CLASSES};
pub use options::Options;
pub use position::Position;
pub use record::Record;
pub use recovery::{Recovery, TornTail};
pub use storage::{StdStorage, Storage, StorageFile};
pub use tail_reader::{Start, TailReader, Until};
pub use trim::Trimmed;
