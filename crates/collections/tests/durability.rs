//! Random document work on a simulated disk that crashes, loses, tears and refuses: afterwards every acknowledged
//! transaction is there, none is half there, and indexes and counts agree with the documents.
//!
//! Every run follows from its seed; `tests/support/seeds.rs` tells how to replay one.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test that can't go on may panic")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use persea_collections::{
    Collection, CollectionOptions, Database, Databases, Direction, Error, OverwriteMode, Replacement,
    Transaction, WriteOptions,
};
use persea_kv::Engine;
use persea_txn::TransactionManager;
use persea_vpack::{Slice, VPackBuf, vpack};
use persea_wal::simulation::{Random, SimulatedStorage};

#[path = "../../../tests/support/crashes.rs"]
mod crashes;
#[path = "../../../tests/support/seeds.rs"]
mod seeds;

use crashes::{await_healthy, fault, fork};

/// A document of either collection: its number, its unique value, its tags or ends.
type Model = BTreeMap<(bool, u8), (Option<u8>, Vec<u8>)>;

fn options() -> persea_txn::Options {
    let mut options = persea_txn::Options::default();
    // Nothing happens by itself, so that a seed gives the same run again.
    options.sync_interval = None;
    options.checkpoint_interval = Duration::from_secs(3600);
    options.bulk_bytes_min = 20_000;
    options.log_segment_bytes = 16 << 10;
    // Else every run would allocate megabytes.
    options.delta_bytes_max = 1 << 20;
    options
}

fn document(is_edge: bool, key: u8, unique: Option<u8>, tags: &[u8]) -> VPackBuf {
    let key = format!("k{key}");
    if is_edge {
        let (from, to) = (format!("c/{}", tags[0]), format!("c/{}", tags[1]));
        return vpack!({ "_key": key, "_from": from, "_to": to, "u": unique });
    }
    // Some are large, so that there are commits of every size.
    let text = "x".repeat(if unique == Some(7) { 9000 } else { 10 });
    vpack!({ "_key": key, "u": unique, "tags": tags, "text": text })
}

/// What the model says of a stored document.
fn read_back(document: Slice<'_>) -> ((bool, u8), (Option<u8>, Vec<u8>)) {
    let text = |name: &str| document.get(name).and_then(|value| value.as_str());
    let key = text("_key").unwrap()[1..].parse().unwrap();
    let byte = |value: Slice<'_>| u8::try_from(value.as_i64().unwrap()).unwrap();
    let unique = document.get("u").filter(|value| !value.is_null()).map(byte);
    let end = |name| text(name).unwrap()[2..].parse::<u8>().unwrap();
    match document.get("tags") {
        Some(tags) => ((false, key), (unique, tags.array_iter().map(byte).collect())),
        None => ((true, key), (unique, vec![end("_from"), end("_to")])),
    }
}

/// The names that the documents' collection has, by turns; a graph uses it.
const NAME: &str = "c";
const OTHER_NAME: &str = "d";

struct Open {
    _databases: Databases,
    database: Arc<Database>,
    documents: Arc<Collection>,
    edges: Arc<Collection>,
    manager: TransactionManager,
}

impl Open {
    fn new(engine: &Engine, disk: &SimulatedStorage) -> Open {
        let manager = TransactionManager::open_on(engine.clone(), Arc::new(disk.clone()), options()).unwrap();
        let databases = Databases::open_manager(manager.clone(), &Default::default()).unwrap();
        let database = databases.system().unwrap();
        let collection = |name: &str, is_edge: bool| {
            let renamed = |error| if is_edge { Err(error) } else { database.collection(OTHER_NAME) };
            database.collection(name).or_else(renamed).unwrap_or_else(|_| {
                let options =
                    if is_edge { CollectionOptions::edge(name) } else { CollectionOptions::new(name) };
                let collection = database.create_collection(options).unwrap();
                let unique =
                    vpack!({ "type": "persistent", "fields": ["u"], "unique": true, "sparse": true });
                collection.create_index(unique.as_slice()).unwrap();
                let tagged =
                    vpack!({ "type": "persistent", "fields": ["tags[*]", "u"], "storedValues": ["_key"] });
                collection.create_index(tagged.as_slice()).unwrap();
                collection
            })
        };
        let (documents, edges) = (collection(NAME, false), collection("e", true));
        if database.graph("g").is_err() {
            let edges = vpack!({ "collection": "e", "from": [NAME], "to": [NAME] });
            let graph = vpack!({ "name": "g", "edgeDefinitions": [(edges)] });
            database.create_graph(graph.as_slice(), &Default::default()).unwrap();
        }
        Open { _databases: databases, database, documents, edges, manager }
    }

    fn of(&self, is_edge: bool) -> &Arc<Collection> {
        if is_edge { &self.edges } else { &self.documents }
    }

    fn read(&self) -> Model {
        let view = self.database.view().unwrap();
        let mut found = Model::new();
        let name = self.documents.name();
        assert_eq!(self.database.graph("g").unwrap().vertex_collections(), [&*name]);
        for collection in [&self.documents, &self.edges] {
            let report = view.verify(collection, &mut |_| {}).unwrap();
            assert!(report.is_clean(), "{report:?}");
            let prefix = format!("{}/", collection.name());
            for row in view.scan(collection, Direction::Forward).unwrap() {
                let document = row.unwrap().1;
                let id = document.get("_id").and_then(|id| id.as_str()).unwrap();
                assert!(id.starts_with(&prefix), "{id} in {prefix}");
                let (key, value) = read_back(document);
                assert_eq!(found.insert(key, value), None, "a key is there twice");
            }
        }
        found
    }

    fn check(&self, model: &Model) {
        assert_eq!(self.read(), *model);
        for is_edge in [false, true] {
            let n_documents = model.keys().filter(|(is_one, _)| *is_one == is_edge).count() as u64;
            let collection = self.of(is_edge);
            assert_eq!(
                (collection.count().unwrap(), collection.count_estimate()),
                (n_documents, n_documents)
            );
        }
    }
}

struct World {
    random: Random,
    disk: SimulatedStorage,
    engine: Engine,
    open: Option<Open>,
    /// The state after each commit since the start of this run of the database; the first is what it began with.
    states: Vec<Model>,
    /// How many of them a power failure can't take back.
    n_durable: usize,
    /// States of commits that failed, and may yet turn up whole after a crash.
    doubtful: Vec<Model>,
}

impl World {
    fn new(seed: u64) -> World {
        let (disk, engine) = (SimulatedStorage::new(seed), Engine::memory());
        let open = Open::new(&engine, &disk);
        open.manager.sync().unwrap();
        World {
            random: Random::new(seed),
            disk,
            engine,
            open: Some(open),
            states: vec![Model::new()],
            n_durable: 1,
            doubtful: Vec::new(),
        }
    }

    fn open(&self) -> &Open {
        self.open.as_ref().unwrap()
    }

    fn last(&self) -> &Model {
        self.states.last().unwrap()
    }

    fn byte(&mut self, bound: u64) -> u8 {
        self.random.below(bound) as u8
    }

    /// One operation on a document; the model says how it must end.
    fn write(&mut self, transaction: &mut Transaction, model: &mut Model) {
        let is_edge = self.random.percent(30);
        let key = (is_edge, self.byte(10));
        let unique = self.random.percent(80).then(|| self.byte(14));
        let n_tags = if is_edge { 2 } else { self.byte(4) };
        let tags: Vec<u8> = (0..n_tags).map(|_| self.byte(5)).collect();
        let text = format!("k{}", key.1);
        let new = document(is_edge, key.1, unique, &tags);
        let is_there = model.contains_key(&key);
        let is_taken = unique.is_some()
            && model
                .iter()
                .any(|(other, (value, _))| other.0 == is_edge && *other != key && *value == unique);
        let choice = self.random.below(10);
        let collection = self.open().of(is_edge);
        let mut options = WriteOptions::default();
        let (outcome, must_exist, may_exist) = match choice {
            0..3 => (transaction.insert(collection, new.as_slice(), &options), false, false),
            3..5 => {
                options.overwrite_mode = OverwriteMode::Replace;
                (transaction.insert(collection, new.as_slice(), &options), false, true)
            }
            5..8 => (transaction.replace(collection, &text, new.as_slice(), &options), true, true),
            _ => {
                let outcome = transaction.remove(collection, &text, &options);
                let expected = if is_there { Ok(()) } else { Err(1202) };
                assert_eq!(outcome.map(drop).map_err(|error| error.error_num()), expected);
                return drop(model.remove(&key));
            }
        };
        let expected = match () {
            () if must_exist && !is_there => Err(1202),
            () if is_there && !may_exist || is_taken => Err(1210),
            () => Ok(()),
        };
        assert_eq!(outcome.map(drop).map_err(|error| error.error_num()), expected);
        if expected.is_ok() {
            model.insert(key, (unique, tags));
        }
    }

    /// A transaction of one part or several; each is there as a whole or not at all.
    fn commit(&mut self) {
        let mut model = self.last().clone();
        let mut transaction = self.open().database.begin().unwrap();
        let is_synced = self.random.percent(30);
        if is_synced {
            transaction.require_sync();
        }
        for _ in 0..self.random.below(3) {
            for _ in 0..self.random.below(4) {
                self.write(&mut transaction, &mut model);
            }
            let is_empty = transaction.is_read_only();
            let outcome = transaction.commit_part();
            if !is_empty && !self.note(outcome, &model, is_synced) {
                return;
            }
        }
        for _ in 0..self.random.below(6) + 1 {
            self.write(&mut transaction, &mut model);
        }
        if self.random.percent(15) {
            return transaction.abort();
        }
        if transaction.is_read_only() {
            // Every operation failed: there is nothing to commit, nor to sync.
            assert_eq!(model, *self.last());
            return transaction.commit().unwrap();
        }
        let outcome = transaction.commit();
        self.note(outcome, &model, is_synced);
    }

    /// Takes note of what a commit said; false if the transaction is over with it.
    fn note(&mut self, outcome: Result<(), Error>, model: &Model, is_synced: bool) -> bool {
        match &outcome {
            Ok(()) => {
                self.states.push(model.clone());
                if is_synced {
                    self.n_durable = self.states.len();
                }
            }
            Err(Error::Storage(persea_txn::Error::SyncFailed(_))) => self.states.push(model.clone()),
            Err(Error::ReadOnly(_)) => {
                if self.disk.has_crashed() {
                    self.doubtful.push(model.clone());
                }
            }
            Err(error) => panic!("{error}"),
        }
        outcome.is_ok()
    }

    /// Makes or drops an index; what crashes is there whole, or not at all, or cleared at the next start.
    fn change_indexes(&mut self) {
        let is_edge = self.random.percent(30);
        let collection = self.open().of(is_edge);
        let name = format!("{}/extra", collection.name());
        let outcome = match collection.index(&name) {
            Ok(_) => collection.drop_index(&name).map(drop),
            Err(_) => {
                let extra = vpack!({ "type": "persistent", "fields": ["text", "u"], "name": "extra" });
                collection.create_index(extra.as_slice()).map(drop)
            }
        };
        assert!(
            matches!(outcome, Ok(()) | Err(Error::ReadOnly(_))) || self.disk.has_crashed(),
            "{outcome:?}"
        );
    }

    /// Gives the documents' collection its other name; the graph goes with it.
    fn rename(&mut self) {
        let open = self.open();
        let name = open.documents.name();
        let new_name = if &*name == NAME { OTHER_NAME } else { NAME };
        let outcome = open.database.rename_collection(&name, new_name);
        let is_refused =
            matches!(outcome, Err(Error::ReadOnly(_) | Error::Storage(persea_txn::Error::SyncFailed(_))));
        assert!(outcome.is_ok() || is_refused, "{outcome:?}");
    }

    /// Replaces the content of a collection, by some commits beside it and one that puts it in its place.
    fn replace_content(&mut self) {
        let is_edge = self.random.percent(30);
        let mut model = self.last().clone();
        model.retain(|(is_one, _), _| *is_one != is_edge);
        let replacement = match self.stage(is_edge, &mut model) {
            Ok(replacement) => replacement,
            Err(Error::ReadOnly(_) | Error::Storage(persea_txn::Error::SyncFailed(_))) => return,
            Err(error) => panic!("{error}"),
        };
        if self.random.percent(25) {
            return drop(replacement);
        }
        let outcome = replacement.commit(None);
        self.note(outcome, &model, false);
    }

    fn stage(&mut self, is_edge: bool, model: &mut Model) -> Result<Replacement, Error> {
        let replacement = self.open().of(is_edge).begin_replacement()?;
        let options = WriteOptions { overwrite_mode: OverwriteMode::Replace, ..WriteOptions::default() };
        for _ in 0..self.random.below(4) {
            let mut transaction = self.open().database.begin()?;
            for _ in 0..self.random.below(5) {
                let key = self.byte(10);
                let tags = [self.byte(5), self.byte(5)];
                let new = document(is_edge, key, Some(key), &tags);
                transaction.insert(replacement.collection(), new.as_slice(), &options)?;
                model.insert((is_edge, key), (Some(key), tags.to_vec()));
            }
            transaction.commit()?;
        }
        Ok(replacement)
    }

    fn crash(&mut self, is_power_failure: bool) {
        // From here on nothing of the old process reaches the log. What a checkpoint under way brings to the engine until
        // it is copied was visible before.
        let disk = if is_power_failure { self.disk.power_failure() } else { self.disk.kill() };
        let engine = fork(&self.engine);
        self.open = None;
        (self.engine, self.disk) = (engine, disk);
        let n_sure = if is_power_failure { self.n_durable } else { self.states.len() };
        let mut possible: Vec<Model> = self.states[n_sure - 1..].to_vec();
        possible.append(&mut self.doubtful);
        let open = Open::new(&self.engine, &self.disk);
        let found = open.read();
        open.check(&found);
        assert!(
            possible.contains(&found),
            "of {} sure commits some are lost, or half of one is there: found {found:?}, sure {:?}, possible {possible:?}",
            n_sure - 1,
            self.states[n_sure - 1],
        );
        self.open = Some(open);
        self.states = vec![found];
        self.n_durable = 1;
    }

    fn refuse(&mut self) {
        self.disk.inject(fault(&mut self.random));
        for _ in 0..self.random.below(5) {
            self.commit();
        }
        self.disk.heal();
        await_healthy(&self.open().manager);
    }

    fn step(&mut self) {
        match self.random.below(100) {
            0..55 => self.commit(),
            55..59 => self.replace_content(),
            59..63 => self.change_indexes(),
            63..66 => self.rename(),
            66..74 => {
                self.open().manager.checkpoint().unwrap();
                self.n_durable = self.states.len();
            }
            74..78 => {
                if self.open().manager.sync().is_ok() {
                    self.n_durable = self.states.len();
                }
            }
            78..80 => {
                self.open = None;
                self.open = Some(Open::new(&self.engine, &self.disk));
                self.states.drain(..self.states.len() - 1);
                self.n_durable = 1;
                self.doubtful.clear();
            }
            80..84 => {
                let is_power_failure = self.random.percent(60);
                self.crash(is_power_failure);
            }
            84..94 => {
                self.disk.crash_after(self.random.below(14));
                for round in 0..20 {
                    match round % 6 {
                        2 => self.change_indexes(),
                        3 => self.replace_content(),
                        4 => self.rename(),
                        _ => self.commit(),
                    }
                    if self.disk.has_crashed() {
                        break;
                    }
                }
                let is_power_failure = self.random.percent(60);
                self.crash(is_power_failure);
            }
            _ => self.refuse(),
        }
        let model = self.last().clone();
        self.open().check(&model);
    }
}

#[test]
fn documents_and_indexes_agree_after_crashes_and_failures() {
    seeds::for_each(15, |seed| {
        let mut world = World::new(seed);
        for _ in 0..50 {
            world.step();
        }
        world.crash(true);
    });
}
