//! Changes of definitions beside those who write: who waits for whom, what ends a wait, and who keeps what he has done.

#![allow(clippy::unwrap_used)] // A failed helper is a failed test.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use persea_collections::graph::UnusedCollections;
use persea_collections::{
    ChangeOptions, Collection, CollectionOptions, Database, Databases, Error, Interrupt, LockMode, Options,
    Result, Transaction, TransactionOptions, WriteOptions,
};
use persea_vpack::{VPackBuf, vpack};

const SHORT: Duration = Duration::from_millis(30);

/// A store with the collections `c`, which has an index `old`, `other`, and `v` with `e` in a graph.
struct Setup {
    databases: Databases,
    database: Arc<Database>,
    collection: Arc<Collection>,
}

impl Setup {
    fn new() -> Setup {
        Setup::on(Databases::in_memory().unwrap())
    }

    fn on(databases: Databases) -> Setup {
        let database = databases.create_database("d").unwrap();
        let collection = database.create_collection(CollectionOptions::new("c")).unwrap();
        collection.create_index(index("old").as_slice()).unwrap();
        database.create_collection(CollectionOptions::new("other")).unwrap();
        let edges = vpack!({ "collection": "e", "from": ["v"], "to": ["v"] });
        let graph = vpack!({ "name": "g", "edgeDefinitions": [(edges)] });
        database.create_graph(graph.as_slice(), &Default::default()).unwrap();
        Setup { databases, database, collection }
    }

    fn locking(&self, name: &str, mode: LockMode) -> Transaction {
        let id = self.database.collection(name).unwrap().id();
        self.database.begin_with(&TransactionOptions::locking([(id, mode)])).unwrap()
    }

    fn insert(&self, name: &str, key: &str) -> Result<()> {
        let collection = self.database.collection(name)?;
        self.database.transact(|transaction| insert(transaction, &collection, key))
    }

    /// Returns once so many transactions wait for locks.
    fn await_waiting(&self, n_waiting: usize) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while self.databases.transactions().metrics().waiting_transactions < n_waiting {
            assert!(Instant::now() < deadline, "they don't wait");
            std::thread::yield_now();
        }
    }
}

fn index(field: &str) -> VPackBuf {
    vpack!({ "type": "persistent", "fields": [field], "name": field })
}

fn insert(transaction: &mut Transaction, collection: &Collection, key: &str) -> Result<()> {
    let edge = vpack!({ "_key": key, "_from": "v/1", "_to": "v/2", "old": key, "new": key });
    transaction.insert(collection, edge.as_slice(), &WriteOptions::default()).map(drop)
}

type Change = fn(&Setup, &ChangeOptions) -> Result<()>;

/// Every change that waits for writers, with the collection that it changes.
const CHANGES: [(&str, &str, Change); 7] = [
    ("create an index", "c", |setup, options| {
        setup.collection.create_index_with(index("new").as_slice(), options).map(drop)
    }),
    ("drop an index", "c", |setup, options| setup.collection.drop_index_with("old", options).map(drop)),
    ("truncate", "c", |setup, options| setup.collection.truncate_with(options)),
    ("rename", "c", |setup, options| setup.database.rename_collection_with("c", "d", options)),
    ("rename in a graph", "v", |setup, options| setup.database.rename_collection_with("v", "d", options)),
    ("drop", "c", |setup, options| setup.database.drop_collection_with("c", false, options).map(drop)),
    ("drop with a graph", "e", |setup, options| {
        setup.database.drop_graph("g", UnusedCollections::Drop, options)
    }),
];

#[test]
fn changes_wait_for_writers_no_longer_than_allowed() {
    let interrupt = Interrupt::new();
    interrupt.set();
    for mode in [LockMode::Write, LockMode::Exclusive] {
        for (name, collection, change) in CHANGES {
            let setup = Setup::new();
            let mut writer = setup.locking(collection, mode);
            let collection = setup.database.collection(collection).unwrap();
            insert(&mut writer, &collection, "1").unwrap();
            let impatient = ChangeOptions { lock_timeout: Some(SHORT), ..ChangeOptions::default() };
            let refusal = change(&setup, &impatient).unwrap_err();
            assert!(matches!(refusal, Error::LockTimeout(_)), "{name}: {refusal:?}");
            let abandoned = ChangeOptions { interrupt: Some(interrupt.clone()), ..ChangeOptions::default() };
            let refusal = change(&setup, &abandoned).unwrap_err();
            assert!(matches!(refusal, Error::Interrupted), "{name}: {refusal:?}");
            insert(&mut writer, &collection, "2").unwrap();
            writer.commit().unwrap();
            assert_eq!(collection.count().unwrap(), 2, "{name}");
            let report = collection.verify().unwrap();
            assert!(report.is_clean(), "{name}: {report:?}");
            // Nobody is in its way any more, and it leaves nothing behind.
            change(&setup, &impatient).unwrap();
            assert_eq!(setup.databases.transactions().metrics().locked_collections, 0, "{name}");
        }
    }
}

#[test]
fn writers_keep_their_work_and_later_ones_come_after_the_change() {
    for (name, changed, change) in CHANGES {
        let setup = Setup::new();
        setup.insert(changed, "0").unwrap();
        let collection = setup.database.collection(changed).unwrap();
        let mut writer = setup.locking(changed, LockMode::Write);
        insert(&mut writer, &collection, "1").unwrap();
        let later = std::thread::scope(|scope| {
            let changing = scope.spawn(|| change(&setup, &ChangeOptions::default()));
            setup.await_waiting(1);
            let later = scope.spawn(|| setup.insert(changed, "later"));
            setup.await_waiting(2);
            // Who reads or has to do with others does not notice.
            let view = setup.database.view().unwrap();
            assert!(view.by_key(&collection, "0").unwrap().is_some() && !changing.is_finished(), "{name}");
            setup.insert("other", "1").unwrap();
            setup.database.create_collection(CollectionOptions::new("third")).unwrap();
            insert(&mut writer, &collection, "2").unwrap();
            writer.commit().unwrap();
            changing.join().unwrap().unwrap();
            later.join().unwrap()
        });
        match name {
            "drop" | "drop with a graph" => {
                assert_eq!(later.unwrap_err().error_num(), 1203, "{name}");
                assert!(setup.database.collection(changed).is_err(), "{name}");
                continue;
            }
            "truncate" => assert_eq!(collection.count().unwrap(), 1, "{name}"),
            _ => assert_eq!(collection.count().unwrap(), 4, "{name}"),
        }
        later.unwrap();
        let report = collection.verify().unwrap();
        assert!(report.is_clean(), "{name}: {report:?}");
        assert_eq!(setup.databases.transactions().metrics().conflicts, 0, "{name}");
    }
}

#[test]
fn the_end_of_the_store_ends_a_change_that_waits() {
    for (name, changed, change) in CHANGES {
        let setup = Setup::new();
        let writer = setup.locking(changed, LockMode::Write);
        std::thread::scope(|scope| {
            let changing = scope.spawn(|| change(&setup, &ChangeOptions::default()));
            setup.await_waiting(1);
            setup.databases.stop_waits();
            assert!(matches!(changing.join().unwrap(), Err(Error::Stopping)), "{name}");
        });
        writer.abort();
    }
}

#[test]
fn properties_change_beside_writers() {
    let setup = Setup::new();
    let mut writer = setup.locking("c", LockMode::Exclusive);
    insert(&mut writer, &setup.collection, "1").unwrap();
    let changes = vpack!({ "waitForSync": true });
    let changes = persea_collections::PropertyChanges::from_vpack(changes.as_slice()).unwrap();
    setup.collection.change_properties(&changes).unwrap();
    assert!(setup.collection.wait_for_sync());
    insert(&mut writer, &setup.collection, "2").unwrap();
    writer.commit().unwrap();
    assert_eq!(setup.collection.count().unwrap(), 2);
}

#[test]
fn a_database_is_dropped_once_nobody_writes_to_it() {
    let setup = Setup::new();
    let mut writer = setup.locking("other", LockMode::Write);
    let other = setup.database.collection("other").unwrap();
    insert(&mut writer, &other, "1").unwrap();
    let impatient = ChangeOptions { lock_timeout: Some(SHORT), ..ChangeOptions::default() };
    assert_eq!(setup.databases.drop_database_with("d", &impatient).unwrap_err().error_num(), 18);
    let interrupt = Interrupt::new();
    let abandoned = ChangeOptions { interrupt: Some(interrupt.clone()), ..ChangeOptions::default() };
    std::thread::scope(|scope| {
        let dropping = scope.spawn(|| setup.databases.drop_database_with("d", &abandoned));
        setup.await_waiting(1);
        interrupt.set();
        assert_eq!(dropping.join().unwrap().unwrap_err().error_num(), 21);
    });
    // Nothing has changed.
    setup.insert("c", "1").unwrap();
    std::thread::scope(|scope| {
        let dropping = scope.spawn(|| setup.databases.drop_database("d"));
        setup.await_waiting(1);
        // Others make and drop databases, and somebody makes a collection in this one.
        setup.databases.create_database("e").unwrap();
        setup.databases.drop_database("e").unwrap();
        setup.database.create_collection(CollectionOptions::new("new")).unwrap();
        let late = scope.spawn(|| setup.insert("c", "2"));
        setup.await_waiting(2);
        insert(&mut writer, &other, "2").unwrap();
        writer.commit().unwrap();
        dropping.join().unwrap().unwrap();
        // The new collection has to be locked too: the others are free for a moment then.
        let late = late.join().unwrap().map_err(|error| error.error_num());
        assert!(matches!(late, Ok(()) | Err(1203)), "{late:?}");
    });
    assert_eq!(setup.databases.names(), ["_system"]);
    assert_eq!(setup.database.collections().len(), 0);
    let late = setup.database.create_collection(CollectionOptions::new("late"));
    assert_eq!(late.unwrap_err().error_num(), 1228);
    assert_eq!(setup.databases.drop_database("d").unwrap_err().error_num(), 1228);
    setup.databases.create_database("d").unwrap();
}

/// The change waits for one writer, who waits for a document of another one, who waits behind the change.
#[test]
fn a_change_gives_way_where_writers_would_wait_for_each_other() {
    for (name, changed, change) in CHANGES {
        let setup = Setup::new();
        let (other, collection) =
            (setup.database.collection("other").unwrap(), setup.database.collection(changed).unwrap());
        setup.insert("other", "1").unwrap();
        let remove = |transaction: &mut Transaction| {
            transaction.remove(&other, "1", &WriteOptions::default()).map(drop)
        };
        let mut first = setup.locking(changed, LockMode::Write);
        let mut second = setup.locking("other", LockMode::Write);
        remove(&mut second).unwrap();
        std::thread::scope(|scope| {
            let changing = scope.spawn(|| change(&setup, &ChangeOptions::default()));
            setup.await_waiting(1);
            let first = scope.spawn(|| {
                let outcome = remove(&mut first).map(drop);
                first.abort();
                outcome
            });
            setup.await_waiting(2);
            insert(&mut second, &collection, "1").unwrap();
            second.commit().unwrap();
            assert_eq!(first.join().unwrap().unwrap_err().error_num(), 1200, "{name}");
            changing.join().unwrap().unwrap();
        });
        assert!(setup.databases.transactions().metrics().deadlocks >= 1, "{name}");
    }
}

/// The transaction around the change holds what somebody wants who holds what is changed.
#[test]
fn a_change_inside_of_a_transaction_is_told_of_a_deadlock() {
    for (name, changed, change) in CHANGES {
        let setup = Setup::new();
        let around = setup.locking("other", LockMode::Write);
        let mut writer = setup.locking(changed, LockMode::Write);
        let other = setup.database.collection("other").unwrap();
        std::thread::scope(|scope| {
            let writer = scope.spawn(move || {
                writer.lock_collection(&other, LockMode::Exclusive)?;
                writer.commit()
            });
            setup.await_waiting(1);
            let options = ChangeOptions { inside_of: Some(around.number()), ..ChangeOptions::default() };
            assert_eq!(change(&setup, &options).unwrap_err().error_num(), 29, "{name}");
            // Both go on, and the change can be tried again.
            around.commit().unwrap();
            writer.join().unwrap().unwrap();
        });
        change(&setup, &ChangeOptions::default()).unwrap();
    }
}

/// Documents of a large collection: more than are indexed at once.
const N_LARGE: u64 = 60_000;

fn large() -> Setup {
    let setup = Setup::new();
    let collection = &setup.collection;
    setup
        .database
        .transact(|transaction| {
            (0..N_LARGE).try_for_each(|number| {
                let document =
                    vpack!({ "_key": format!("k{number}"), "n": number, "tags": [(number % 7), "x"] });
                transaction.insert(collection, document.as_slice(), &WriteOptions::default()).map(drop)
            })
        })
        .unwrap();
    setup
}

/// Updates, removes and inserts documents, each in a commit of its own; gives how many there were.
fn write_until(setup: &Setup, is_over: &AtomicBool, seed: u64) -> u64 {
    let options = WriteOptions { silent: true, ..WriteOptions::default() };
    let mut state = seed;
    let mut random = move |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let mut n_commits = 0;
    while !is_over.load(Ordering::Relaxed) {
        let (action, number) = (random(4), random(2 * N_LARGE));
        let outcome = setup.database.transact(|transaction| {
            let key = format!("k{number}");
            // Unique among all: even ones for inserts, odd ones for updates.
            let value = 10 * N_LARGE + 2 * number;
            let tags = [random(9), random(9)];
            match action {
                0 => transaction.remove(&setup.collection, &key, &options),
                1 => {
                    let document = vpack!({ "_key": key, "n": value, "tags": [(tags[0]), (tags[1])] });
                    transaction.insert(&setup.collection, document.as_slice(), &options)
                }
                _ => {
                    let patch = vpack!({ "n": (value + 1), "tags": [(tags[0])] });
                    transaction.update(&setup.collection, &key, patch.as_slice(), &options)
                }
            }
        });
        match outcome {
            Ok(_) => n_commits += 1,
            Err(error) => assert!(matches!(error.error_num(), 1200 | 1202 | 1210), "{error}"),
        }
    }
    n_commits
}

#[test]
fn others_write_while_an_index_is_filled() {
    let setup = large();
    let (is_over, n_commits) = (AtomicBool::new(false), AtomicU64::new(0));
    let definitions = [
        vpack!({ "type": "persistent", "fields": ["n"], "unique": true, "name": "unique" }),
        vpack!({ "type": "persistent", "fields": ["tags[*]", "n"], "storedValues": ["_key"], "name": "tags" }),
        vpack!({ "type": "persistent", "fields": ["_key"], "sparse": true, "name": "keys" }),
    ];
    std::thread::scope(|scope| {
        for seed in 0..2 {
            let (setup, is_over, n_commits) = (&setup, &is_over, &n_commits);
            scope.spawn(move || n_commits.fetch_add(write_until(setup, is_over, seed), Ordering::Relaxed));
        }
        // Some are made at once, and another one goes meanwhile.
        let threads: Vec<_> = definitions
            .iter()
            .map(|definition| scope.spawn(|| setup.collection.create_index(definition.as_slice()).map(drop)))
            .collect();
        setup.collection.drop_index("old").unwrap();
        let outcomes: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        is_over.store(true, Ordering::Relaxed);
        outcomes.into_iter().for_each(|outcome| outcome.unwrap());
    });
    let report = setup.collection.verify().unwrap();
    assert!(report.is_clean(), "{report:?}");
    assert_eq!(setup.collection.indexes().len(), 4);
    assert!(n_commits.into_inner() > 100, "the writers stood still");
}

/// A writer that began before the index and ends after it was filled.
#[test]
fn what_was_written_before_and_committed_during_a_build_is_indexed() {
    let setup = Setup::new();
    for key in ["changed", "removed", "stays"] {
        setup.insert("c", key).unwrap();
    }
    let mut writer = setup.locking("c", LockMode::Write);
    let options = WriteOptions::default();
    writer.update(&setup.collection, "changed", vpack!({ "new": 7 }).as_slice(), &options).unwrap();
    writer.remove(&setup.collection, "removed", &options).unwrap();
    std::thread::scope(|scope| {
        let creating = scope.spawn(|| setup.collection.create_index(index("new").as_slice()).map(drop));
        setup.await_waiting(1);
        insert(&mut writer, &setup.collection, "added").unwrap();
        writer.commit().unwrap();
        creating.join().unwrap().unwrap();
    });
    let report = setup.collection.verify().unwrap();
    assert!(report.is_clean() && report.n_documents == 3, "{report:?}");
    // The estimate has followed: three documents, three values.
    assert_eq!(setup.collection.index("new").unwrap().selectivity(), Some(1.0));
}

#[test]
fn a_unique_index_refuses_what_comes_to_violate_it_during_the_build() {
    let unique = vpack!({ "type": "persistent", "fields": ["new"], "unique": true, "name": "new" });
    for (value, is_refused) in [("1", true), ("2", false)] {
        let setup = Setup::new();
        setup.insert("c", "1").unwrap();
        let mut writer = setup.locking("c", LockMode::Write);
        let document = vpack!({ "new": value });
        writer.insert(&setup.collection, document.as_slice(), &WriteOptions::default()).unwrap();
        let outcome = std::thread::scope(|scope| {
            let creating = scope.spawn(|| setup.collection.create_index(unique.as_slice()).map(drop));
            setup.await_waiting(1);
            writer.commit().unwrap();
            creating.join().unwrap()
        });
        let refusal = outcome.map_err(|error| error.error_num());
        assert_eq!(refusal, if is_refused { Err(1210) } else { Ok(()) });
        assert_eq!(setup.collection.indexes().len(), if is_refused { 2 } else { 3 });
        assert!(setup.collection.verify().unwrap().is_clean());
    }
}

#[test]
fn a_drop_does_not_wait_for_an_index_that_is_being_filled() {
    for whole_database in [false, true] {
        let setup = large();
        let mut writer = setup.locking("c", LockMode::Write);
        insert(&mut writer, &setup.collection, "1").unwrap();
        std::thread::scope(|scope| {
            // Until it waits, it fills the index.
            let creating = scope.spawn(|| setup.collection.create_index(index("n").as_slice()).map(drop));
            let dropping = scope.spawn(|| match whole_database {
                true => setup.databases.drop_database("d"),
                false => setup.database.drop_collection("c", false).map(drop),
            });
            setup.await_waiting(1);
            writer.commit().unwrap();
            dropping.join().unwrap().unwrap();
            // It has been told, has found the collection gone, or was done before.
            let outcome = creating.join().unwrap().map_err(|error| error.error_num());
            assert!(matches!(outcome, Ok(()) | Err(1203)), "{outcome:?}");
        });
        assert!(setup.collection.is_dropped());
    }
}

#[test]
fn an_index_is_filled_again_when_a_drop_is_given_up() {
    let setup = large();
    let mut writer = setup.locking("c", LockMode::Write);
    insert(&mut writer, &setup.collection, "1").unwrap();
    std::thread::scope(|scope| {
        let creating = scope.spawn(|| setup.collection.create_index(index("n").as_slice()).map(drop));
        let options = ChangeOptions { lock_timeout: Some(SHORT), ..ChangeOptions::default() };
        for _ in 0..3 {
            let dropped = setup.database.drop_collection_with("c", false, &options).map(drop);
            assert_eq!(dropped.map_err(|error| error.error_num()), Err(18));
        }
        writer.commit().unwrap();
        creating.join().unwrap().unwrap();
    });
    assert!(setup.collection.index("n").is_ok());
    let report = setup.collection.verify().unwrap();
    assert!(report.is_clean(), "{report:?}");
}

#[test]
fn a_rename_is_one_commit_with_its_graphs() {
    // With a log, which numbers commits.
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::on(Databases::open(folder.path(), &Options::default()).unwrap());
    let another = vpack!({ "name": "h", "orphanCollections": ["v"] });
    setup.database.create_graph(another.as_slice(), &Default::default()).unwrap();
    setup.insert("v", "1").unwrap();
    let vertices = setup.database.collection("v").unwrap();
    let before = setup.databases.transactions().latest_commit().0;
    setup.database.rename_collection("v", "w").unwrap();
    assert_eq!(setup.databases.transactions().latest_commit().0, before + 1);
    assert_eq!(setup.database.graph("g").unwrap().vertex_collections(), ["w"]);
    assert_eq!(setup.database.graph("h").unwrap().orphan_collections, ["w"]);
    assert_eq!(&*vertices.name(), "w");
    assert!(vertices.verify().unwrap().is_clean());
    let graphs = setup.database.collection("_graphs").unwrap();
    assert_eq!(graphs.count().unwrap(), 2);
    assert!(graphs.verify().unwrap().is_clean());
}

#[test]
fn a_graph_is_dropped_in_one_commit_with_its_collections() {
    let folder = tempfile::tempdir().unwrap();
    let setup = Setup::on(Databases::open(folder.path(), &Options::default()).unwrap());
    setup.insert("v", "1").unwrap();
    let before = setup.databases.transactions().latest_commit().0;
    setup.database.drop_graph("g", UnusedCollections::Drop, &Default::default()).unwrap();
    assert_eq!(setup.databases.transactions().latest_commit().0, before + 1);
    assert_eq!(setup.database.graphs().unwrap(), []);
    assert!(["v", "e"].iter().all(|name| setup.database.collection(name).is_err()));
}

/// Graphs are made, and collections renamed and dropped, at once: no graph is left with a collection that is not there.
#[test]
fn graphs_never_name_collections_that_are_gone() {
    let setup = Setup::new();
    let database = &setup.database;
    std::thread::scope(|scope| {
        for thread in 0..2 {
            scope.spawn(move || {
                for round in 0..40 {
                    let name = format!("g{thread}_{round}");
                    let orphan = format!("p{}", (round + thread) % 3);
                    let graph = vpack!({ "name": (name.as_str()), "orphanCollections": [(orphan.as_str())] });
                    database.create_graph(graph.as_slice(), &Default::default()).unwrap();
                    let unused = if round % 2 == 0 { UnusedCollections::Keep } else { UnusedCollections::Drop };
                    database.drop_graph(&name, unused, &Default::default()).unwrap();
                    let graph = vpack!({ "name": format!("stays{thread}_{round}"), "orphanCollections": [(orphan.as_str())] });
                    database.create_graph(graph.as_slice(), &Default::default()).unwrap();
                }
            });
            scope.spawn(move || {
                for round in 0..60 {
                    let number = (round + thread) % 3;
                    let outcomes = [
                        database.rename_collection(&format!("p{number}"), &format!("q{thread}_{round}")),
                        database.drop_collection(&format!("p{}", (number + 1) % 3), false).map(drop),
                    ];
                    for outcome in outcomes {
                        let number = outcome.map_err(|error| error.error_num());
                        assert!(matches!(number, Ok(()) | Err(1203 | 1942 | 1200 | 1207)), "{number:?}");
                    }
                }
            });
        }
    });
    for graph in database.graphs().unwrap() {
        for name in graph.vertex_collections() {
            assert!(database.collection(name).is_ok(), "{} has {name}", graph.name);
        }
    }
}
