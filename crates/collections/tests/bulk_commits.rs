//! Commits that go past the log, on a disk that fails.
#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

#[path = "../../../tests/support/crashes.rs"]
mod crashes;

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use crashes::fork;
use persea_collections::{Collection, CollectionOptions, Database, Databases, Options, Result, WriteOptions};
use persea_kv::Engine;
use persea_txn::TransactionManager;
use persea_vpack::vpack;
use persea_wal::simulation::{Fault, Operation, SimulatedStorage};

const BULK_BYTES: usize = 20_000;

fn open(engine: Engine, disk: &SimulatedStorage) -> Databases {
    let mut options = persea_txn::Options::default();
    options.sync_interval = None;
    options.checkpoint_interval = Duration::from_secs(3_600);
    options.bulk_bytes_min = BULK_BYTES;
    let manager = TransactionManager::open_on(engine, Arc::new(disk.clone()), options).unwrap();
    Databases::open_manager(manager, &Options::default()).unwrap()
}

fn insert(database: &Database, collection: &Collection, key: &str, text_bytes: usize) -> Result<()> {
    let text = "x".repeat(text_bytes);
    let mut transaction = database.begin()?;
    let document = vpack!({ "_key": key, "text": (text.as_str()) });
    transaction.insert(collection, document.as_slice(), &WriteOptions::default())?;
    transaction.commit()
}

/// A commit was refused that the log may hold nevertheless, since it could not be taken back. What went past the log then
/// would be overwritten by it at the next start.
#[test]
fn nothing_goes_past_a_log_that_was_given_up() {
    for seed in 0..8 {
        let disk = SimulatedStorage::new(seed);
        let engine = Engine::memory();
        let databases = open(engine.clone(), &disk);
        let database = databases.database("_system").unwrap();
        let collection = database.create_collection(CollectionOptions::new("c")).unwrap();
        insert(&database, &collection, "first", 10).unwrap();
        insert(&database, &collection, "bulk", BULK_BYTES).unwrap();
        for (operation, n_failing) in
            [(Operation::Write, 1), (Operation::Truncate, u32::MAX), (Operation::SyncDir, u32::MAX)]
        {
            disk.inject(Fault { operation, n_spared: 0, n_failing, error: ErrorKind::Other });
        }
        insert(&database, &collection, "refused", 10).unwrap_err();
        insert(&database, &collection, "refused", BULK_BYTES).unwrap_err();
        assert_eq!(collection.count().unwrap(), 2);
        let left = fork(&engine);
        let disk = disk.kill();
        disk.heal();
        drop((collection, database, databases));

        let databases = open(left, &disk);
        let database = databases.database("_system").unwrap();
        let collection = database.collection("c").unwrap();
        assert!(collection.verify().unwrap().is_clean(), "seed {seed}");
        assert!(collection.count().unwrap() >= 2, "seed {seed}");
        insert(&database, &collection, "after", BULK_BYTES).unwrap();
    }
}
