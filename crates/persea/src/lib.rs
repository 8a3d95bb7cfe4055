#![doc = include_str!("../README.md")]

mod collection;
mod database;
mod error;
mod graph;
mod import;
mod instance;
pub mod maintenance;
mod metrics;
mod query;
mod transaction;

pub use collection::{Collection, DocumentMeta};
pub use database::Database;
pub use error::{Error, ErrorCode, Phase, Result, TABLE as ERROR_CODES, http_status, lookup as error_code};
pub use graph::{EdgeDefinition, EdgeDirection, Graph, GraphCollection};
pub use import::{Import, ImportOptions, ImportReport, OnDuplicate};
pub use instance::{Instance, InstanceOptions};
pub use metrics::StorageMetrics;
pub use query::{Query, QueryOptions, QueryOutcome, RowSet, Rows, optimizer_rules};
pub use transaction::{OwnedTransaction, Transaction, TransactionOptions, UndeclaredCollections};

pub use persea_collections::{
    Interrupt, KEY_GENERATORS, OverwriteMode, Revision, WriteOptions, WriteOutcome, storage_version,
};
pub use persea_vpack::{Slice, VPackBuf, vpack};
