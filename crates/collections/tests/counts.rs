//! Counts of documents: exact in every snapshot, whoever writes at the same time.
#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use persea_collections::{
    Collection, CollectionOptions, Database, Databases, LockMode, Options, Transaction, TransactionOptions,
    View, WriteOptions,
};
use persea_kv::{Direction, Engine, Tree};
use persea_txn::{Durability, TransactionManager};
use persea_vpack::vpack;

fn insert(database: &Database, collection: &Collection, number: u64) {
    let document = vpack!({ "_key": (format!("k{number}")) });
    database.transact(|tx| tx.insert(collection, document.as_slice(), &WriteOptions::default())).unwrap();
}

/// As damage to the log can leave it that was passed over, and as older versions wrote it: a row of 24 bytes.
fn add_row(path: &Path, collection: u64, count: i64) {
    const COUNTS: u64 = 4;
    let engine = Engine::open_lmdb(path, &persea_kv::Options::default()).unwrap();
    let manager = TransactionManager::open(engine).unwrap();
    let mut transaction = manager.begin().unwrap();
    let key = [collection.to_be_bytes(), (1_u64 << 60).to_be_bytes()].concat();
    let row = [count as u64, 0, 0].map(u64::to_be_bytes).concat();
    transaction.put(Tree::Meta, COUNTS, &key, &row).unwrap();
    transaction.commit(Durability::Buffered).unwrap();
}

#[test]
fn a_wrong_count_can_be_corrected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    let open = || Databases::open(&path, &Options::default()).unwrap();
    let id = {
        let databases = open();
        let database = databases.database("_system").unwrap();
        let collection = database.create_collection(CollectionOptions::new("c")).unwrap();
        (0..20).for_each(|number| insert(&database, &collection, number));
        collection.id()
    };
    add_row(&path, id, 5);
    {
        let databases = open();
        let database = databases.database("_system").unwrap();
        let collection = database.collection("c").unwrap();
        assert_eq!(collection.count().unwrap(), 25);
        assert!(!collection.verify().unwrap().is_clean());
        insert(&database, &collection, 20);
        assert_eq!(collection.recalculate_count().unwrap(), 21);
        assert_eq!(collection.recalculate_count().unwrap(), 21);
        assert!(collection.verify().unwrap().is_clean());
    }
    let databases = open();
    let database = databases.database("_system").unwrap();
    let collection = database.collection("c").unwrap();
    insert(&database, &collection, 21);
    assert_eq!(collection.count().unwrap(), 22);
    assert!(collection.verify().unwrap().is_clean());
}

/// What empties a collection corrects its count, so a correction that was found before must not be made as well.
#[test]
fn a_count_is_corrected_once() {
    const N_DOCUMENTS: u64 = 20_000;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    let open = || Databases::open(&path, &Options::default()).unwrap();
    let id = {
        let databases = open();
        let database = databases.database("_system").unwrap();
        let collection = database.create_collection(CollectionOptions::new("c")).unwrap();
        let document = vpack!({ "a": 1 });
        let insert_all = |tx: &mut Transaction| {
            let documents = (0..N_DOCUMENTS).map(|_| document.as_slice());
            tx.insert_and_count(&collection, documents, &WriteOptions::default())
        };
        assert_eq!(database.transact(insert_all).unwrap().created, N_DOCUMENTS);
        collection.id()
    };
    add_row(&path, id, -5);
    let databases = open();
    let database = databases.database("_system").unwrap();
    let collection = database.collection("c").unwrap();
    assert_eq!(collection.count().unwrap(), N_DOCUMENTS - 5);
    std::thread::scope(|scope| {
        let recount = scope.spawn(|| collection.recalculate_count().unwrap());
        // Long before all documents are counted.
        std::thread::sleep(Duration::from_millis(5));
        collection.truncate().unwrap();
        assert!([0, N_DOCUMENTS].contains(&recount.join().unwrap()));
    });
    assert!(collection.verify().unwrap().is_clean());
}

/// Writers of several collections in one transaction, some of which give up, while readers count and scan.
#[test]
fn counts_are_those_of_the_snapshot() {
    let databases = Databases::in_memory().unwrap();
    let database = databases.database("_system").unwrap();
    let collections: Vec<Arc<Collection>> =
        ["a", "b"].map(|name| database.create_collection(CollectionOptions::new(name)).unwrap()).into();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4_u64)
            .map(|writer| {
                let (database, collections) = (&database, &collections);
                scope.spawn(move || {
                    for step in 0..300_u64 {
                        let mut tx = database
                            .begin_with(&TransactionOptions::locking(
                                collections.iter().map(|collection| (collection.id(), LockMode::Write)),
                            ))
                            .unwrap();
                        for collection in collections {
                            let key = format!("{writer}-{step}");
                            let document = vpack!({ "_key": (key.as_str()) });
                            tx.insert(collection, document.as_slice(), &WriteOptions::default()).unwrap();
                            // Not of those that were given up.
                            if step % 5 == 4 && (step - 2) % 3 != 0 {
                                let old = format!("{writer}-{}", step - 2);
                                tx.remove(collection, &old, &WriteOptions::default()).unwrap();
                            }
                        }
                        match step % 3 {
                            0 => drop(tx),
                            _ => tx.commit().unwrap(),
                        }
                    }
                })
            })
            .collect();
        let reader = scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let view: View = database.view().unwrap();
                let (stored, found) = counts(&view, &collections);
                assert_eq!(stored, found);
            }
        });
        let written: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        is_over.store(true, Ordering::Relaxed);
        written.into_iter().for_each(|outcome| outcome.unwrap());
        reader.join().unwrap();
    });
    for collection in &collections {
        assert!(collection.verify().unwrap().is_clean());
    }
}

/// The stored counts, and what scans of the same view find.
fn counts(view: &View, collections: &[Arc<Collection>]) -> (Vec<u64>, Vec<u64>) {
    let stored = collections.iter().map(|collection| view.count(collection).unwrap());
    let found = collections
        .iter()
        .map(|collection| view.scan(collection, Direction::Forward).unwrap().count() as u64);
    (stored.collect(), found.collect())
}
