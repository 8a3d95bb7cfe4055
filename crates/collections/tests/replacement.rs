//! Replacing the content of a collection as a whole.
#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use std::ops::Bound;
use std::sync::Arc;
use std::time::Duration;

use persea_collections::{
    Collection, CollectionOptions, Database, Databases, Direction, Error, LockMode, Options,
    TransactionOptions, WriteOptions, WriteOutcome,
};
use persea_kv::{Engine, Store, StoreSnapshot, Tree};
use persea_vpack::{VPackBuf, vpack};

#[path = "../../../tests/support/crashes.rs"]
mod crashes;

use crashes::fork;

struct World {
    databases: Databases,
    database: Arc<Database>,
    collection: Arc<Collection>,
}

impl World {
    /// A collection with the documents `a` and `b`, whose `u` is unique.
    fn new(engine: &Engine) -> World {
        let mut options = Options::default();
        options.transactions.lock_timeouts.collection = Duration::from_millis(30);
        let databases = Databases::open_engine(engine.clone(), &options).unwrap();
        let database = databases.system().unwrap();
        let body = vpack!({ "name": "c", "keyOptions": { "type": "autoincrement" } });
        let options = CollectionOptions::from_vpack(body.as_slice()).unwrap();
        let collection = database.create_collection(options).unwrap();
        let unique = vpack!({ "type": "persistent", "fields": ["u"], "unique": true });
        collection.create_index(unique.as_slice()).unwrap();
        let tagged = vpack!({ "type": "persistent", "fields": ["tag"], "name": "tagged" });
        collection.create_index(tagged.as_slice()).unwrap();
        let world = World { databases, database, collection };
        world.insert(&world.collection, &document("a", 1));
        world.insert(&world.collection, &document("b", 2));
        world
    }

    fn insert(&self, collection: &Collection, document: &VPackBuf) -> WriteOutcome {
        let options = WriteOptions::default();
        self.database
            .transact(|transaction| transaction.insert(collection, document.as_slice(), &options))
            .unwrap()
    }

    fn keys(&self) -> Vec<String> {
        let view = self.database.view().unwrap();
        let rows = view.scan(&self.collection, Direction::Forward).unwrap();
        let keys: Vec<String> =
            rows.map(|row| row.unwrap().1.get("_key").unwrap().as_str().unwrap().to_owned()).collect();
        assert_eq!(self.collection.count().unwrap(), keys.len() as u64);
        assert_eq!(self.collection.count_estimate(), keys.len() as u64);
        let report = self.collection.verify().unwrap();
        assert!(report.is_clean(), "{report:?}");
        keys
    }
}

fn document(key: &str, unique: u64) -> VPackBuf {
    vpack!({ "_key": key, "u": unique, "tag": key })
}

/// Entries of the documents' and of the indexes' tree, and of the catalog, in the engine.
fn n_entries(engine: &Engine) -> [usize; 3] {
    let snapshot = engine.snapshot().unwrap();
    let all = (Bound::Unbounded, Bound::Unbounded);
    Tree::ALL.map(|tree| snapshot.range(tree, all, Direction::Forward).unwrap().count())
}

fn await_cleared(databases: &Databases) {
    while databases.transactions().metrics().pending_clears > 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn the_content_is_replaced_as_a_whole() {
    let world = World::new(&Engine::memory());
    let old_view = world.database.view().unwrap();
    let old_revision = world.collection.revision().unwrap();
    let replacement = world.collection.begin_replacement().unwrap();
    world.insert(replacement.collection(), &document("b", 1));
    world.insert(replacement.collection(), &document("c", 3));
    // Keys are invented together, so none comes twice.
    assert_eq!(world.insert(replacement.collection(), &vpack!({ "u": 4 })).key, "1");
    assert_eq!(world.insert(&world.collection, &vpack!({ "u": 4 })).key, "2");
    assert_eq!(world.keys(), ["a", "b", "2"]);
    replacement.commit(None).unwrap();
    assert_eq!(world.keys(), ["b", "c", "1"]);
    assert!(world.collection.revision().unwrap() > old_revision);
    assert_eq!(world.insert(&world.collection, &vpack!({ "u": 5 })).key, "3");
    let unique = world.database.transact(|transaction| {
        transaction.insert(&world.collection, document("d", 3).as_slice(), &WriteOptions::default())
    });
    assert_eq!(unique.unwrap_err().error_num(), 1210);
    assert_eq!(old_view.count(&world.collection).unwrap(), 2);
    assert!(old_view.by_key(&world.collection, "a").unwrap().is_some());
    let selectivity = world.collection.index("tagged").unwrap().selectivity();
    assert!(selectivity.is_some_and(|share| share > 0.5), "{selectivity:?}");
}

#[test]
fn what_is_given_up_leaves_nothing() {
    let engine = Engine::memory();
    let world = World::new(&engine);
    await_cleared(&world.databases);
    let before = n_entries(&engine);
    let replacement = world.collection.begin_replacement().unwrap();
    let staged = replacement.collection().clone();
    world.insert(&staged, &document("c", 3));
    drop(replacement);
    let late = world.database.transact(|transaction| {
        transaction.insert(&staged, document("d", 4).as_slice(), &WriteOptions::default())
    });
    assert_eq!(late.unwrap_err().error_num(), 1203);
    assert_eq!(world.keys(), ["a", "b"]);
    await_cleared(&world.databases);
    assert_eq!(n_entries(&engine), before);
}

#[test]
fn what_a_crash_leaves_is_cleared() {
    let engine = Engine::memory();
    let world = World::new(&engine);
    await_cleared(&world.databases);
    let before = n_entries(&engine);
    let replacement = world.collection.begin_replacement().unwrap();
    world.insert(replacement.collection(), &document("c", 3));
    let crashed = fork(&engine);
    assert!(n_entries(&crashed) > before);
    let databases = Databases::open_engine(crashed.clone(), &Options::default()).unwrap();
    await_cleared(&databases);
    assert_eq!(n_entries(&crashed), before);
    let collection = databases.system().unwrap().collection("c").unwrap();
    assert_eq!(collection.count().unwrap(), 2);
    assert!(collection.verify().unwrap().is_clean());
}

/// A change that others make, and the number of the error that it makes of a replacement; 0 for none.
type Change = (&'static str, u16, fn(&World));

/// What others do to the collection while its content is written beside it.
#[test]
fn changes_meanwhile() {
    let changes: [Change; 6] = [
        ("documents", 0, |world| drop(world.insert(&world.collection, &document("x", 9)))),
        ("truncation", 0, |world| world.collection.truncate().unwrap()),
        ("replacement", 0, |world| world.collection.begin_replacement().unwrap().commit(None).unwrap()),
        ("index", 1200, |world| {
            let index = vpack!({ "type": "persistent", "fields": ["v"] });
            world.collection.create_index(index.as_slice()).unwrap();
        }),
        ("name", 1200, |world| world.database.rename_collection("c", "d").unwrap()),
        ("end", 1203, |world| {
            world.database.drop_collection("c", false).unwrap();
        }),
    ];
    for (what, number, change) in changes {
        let world = World::new(&Engine::memory());
        let replacement = world.collection.begin_replacement().unwrap();
        world.insert(replacement.collection(), &document("c", 1));
        change(&world);
        let outcome = replacement.commit(None).map_err(|error| error.error_num());
        assert_eq!(outcome, if number == 0 { Ok(()) } else { Err(number) }, "{what}");
        match number {
            0 => assert_eq!(world.keys(), ["c"], "{what}"),
            1200 => assert_eq!(world.keys(), ["a", "b"], "{what}"),
            _ => assert!(world.collection.is_dropped()),
        }
    }
}

#[test]
fn who_writes_meanwhile() {
    let world = World::new(&Engine::memory());
    let mut writer = world.database.begin().unwrap();
    writer.insert(&world.collection, document("w", 9).as_slice(), &WriteOptions::default()).unwrap();
    let replacement = world.collection.begin_replacement().unwrap();
    world.insert(replacement.collection(), &document("c", 3));
    assert!(matches!(replacement.commit(None), Err(Error::LockTimeout { .. })), "it waits for the writer");
    writer.commit().unwrap();
    assert_eq!(world.keys(), ["a", "b", "w"]);

    let alone = TransactionOptions::locking([(world.collection.id(), LockMode::Exclusive)]);
    let holder = world.database.begin_with(&alone).unwrap();
    let replacement = world.collection.begin_replacement().unwrap();
    world.insert(replacement.collection(), &document("d", 4));
    assert!(matches!(replacement.commit(None), Err(Error::LockTimeout { .. })));
    holder.abort();
    assert_eq!(world.keys(), ["a", "b", "w"]);
}
