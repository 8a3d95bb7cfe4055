//! Behaviour of the catalog: databases, collections, indexes, and what survives a restart.

#![allow(clippy::unwrap_used)] // A failed helper is a failed test.

use std::time::Duration;

use persea_collections::graph::UnusedCollections;
use persea_collections::{
    Collection, CollectionKind, CollectionOptions, Database, Databases, Direction, EdgeDirection, Error,
    IndexBounds, Options, PropertyChanges, Transaction, View, WriteOptions,
};
use persea_kv::Engine;
use persea_order::Value;
use persea_vpack::{VPackBuf, vpack};

fn json(text: &str) -> VPackBuf {
    persea_json::parse(text.as_bytes()).unwrap()
}

fn attribute_names(properties: &VPackBuf) -> Vec<String> {
    properties.as_slice().object_iter().map(|(name, _)| name.to_owned()).collect()
}

/// Numbers from 2^63 on name the right to change a collection, which would be in its own way.
#[test]
fn a_dumped_identifier_out_of_range_is_replaced() {
    let databases = Databases::in_memory().unwrap();
    let database = databases.create_database("d").unwrap();
    for (name, id, is_kept) in [("a", 1_u64 << 63, false), ("b", u64::MAX, false), ("c", 123_456_789, true)] {
        let mut options = CollectionOptions::new(name);
        options.id = Some(id);
        let collection = database.create_collection(options).unwrap();
        assert_eq!(collection.id() == id, is_kept, "{name}");
        database.rename_collection(name, &format!("{name}2")).unwrap();
        database.drop_collection(&format!("{name}2"), false).unwrap();
    }
}

#[test]
fn databases_come_and_go() {
    let databases = Databases::in_memory().unwrap();
    assert_eq!(databases.names(), ["_system"]);
    let shop = databases.create_database("shop").unwrap();
    assert_eq!(databases.names(), ["_system", "shop"]);
    assert_eq!(databases.create_database("shop").unwrap_err().error_num(), 1207);
    assert_eq!(databases.create_database("1shop").unwrap_err().error_num(), 1229);
    assert_eq!(databases.create_database("_x").unwrap_err().error_num(), 1229);
    assert_eq!(databases.drop_database("_system").unwrap_err().error_num(), 11);
    assert_eq!(databases.drop_database("nope").unwrap_err().error_num(), 1228);
    assert!(shop.collection("_graphs").unwrap().is_system());
    assert!(shop.collection("_users").is_err());
    let users = databases.system().unwrap().collection("_users").unwrap();
    assert_eq!(users.indexes().len(), 2);
    databases.drop_database("shop").unwrap();
    assert_eq!(databases.database("shop").unwrap_err().error_num(), 1228);
}

#[test]
fn collections_are_created_as_asked() {
    let databases = Databases::in_memory().unwrap();
    let database = databases.system().unwrap();
    let create = |body: &str| {
        CollectionOptions::from_vpack(json(body).as_slice())
            .and_then(|options| database.create_collection(options))
            .map_err(|error| error.error_num())
    };
    let edges = create(r#"{"name":"knows","type":"edge","waitForSync":true,"numberOfShards":3}"#).unwrap();
    assert_eq!(edges.kind(), CollectionKind::Edge);
    assert!(edges.wait_for_sync());
    for (body, expected) in [
        (r#"{}"#, 1208),
        (r#"{"name":""}"#, 1208),
        (r#"{"name":"_x"}"#, 1208),
        (r#"{"name":"1x"}"#, 1208),
        (r#"{"name":"a/b"}"#, 1208),
        (r#"{"name":"knows"}"#, 1207),
        (r#"{"name":"x","type":7}"#, 1218),
        (r#"{"name":"x","waitForSync":1}"#, 10),
        (r#"{"name":"x","keyOptions":{"type":"nope"}}"#, 1232),
        (r#"{"name":"x","schema":{"rule":{}}}"#, 9),
        (r#"{"name":"x","schema":5}"#, 1621),
        (r#"{"name":"x","computedValues":[{"name":"a"}]}"#, 9),
        (r#"{"name":"x","computedValues":{}}"#, 10),
    ] {
        assert_eq!(create(body).unwrap_err(), expected, "{body}");
    }
    create(r#"{"name":"x","schema":null,"computedValues":[]}"#).unwrap();
    let by_id = database.collection(&edges.id().to_string()).unwrap();
    assert_eq!(&*by_id.name(), "knows");
}

#[test]
fn properties_have_the_expected_shape() {
    let databases = Databases::in_memory().unwrap();
    let database = databases.system().unwrap();
    let collection = database.create_collection(CollectionOptions::new("c")).unwrap();
    let properties = collection.properties().unwrap();
    assert_eq!(
        attribute_names(&properties),
        [
            "writeConcern",
            "waitForSync",
            "usesRevisionsAsDocumentIds",
            "syncByRevision",
            "supportsRBAC",
            "statusString",
            "id",
            "isSmartChild",
            "schema",
            "name",
            "type",
            "status",
            "cacheEnabled",
            "isSystem",
            "internalValidatorType",
            "globallyUniqueId",
            "keyOptions",
            "computedValues",
            "objectId"
        ]
    );
    assert_eq!(
        attribute_names(&collection.basic_properties().unwrap()),
        ["id", "name", "status", "type", "isSystem", "globallyUniqueId"]
    );
    let changes = PropertyChanges::from_vpack(vpack!({ "waitForSync": true, "foo": 1 }).as_slice()).unwrap();
    collection.change_properties(&changes).unwrap();
    assert!(collection.wait_for_sync());
    let refused = PropertyChanges::from_vpack(vpack!({ "schema": { "rule": {} } }).as_slice());
    assert_eq!(refused.unwrap_err().error_num(), 9);
    let system = database.collection("_graphs").unwrap();
    assert_eq!(system.globally_unique_id(), "_graphs");
    assert_eq!(collection.revision_text().unwrap(), "0");
    assert_eq!(collection.checksum(true, true).unwrap(), 0);
}

#[test]
fn key_options_are_obeyed() {
    let databases = Databases::in_memory().unwrap();
    let database = databases.system().unwrap();
    let body = r#"{"name":"c","keyOptions":{"type":"autoincrement","offset":2,"increment":5,"allowUserKeys":false}}"#;
    let options = CollectionOptions::from_vpack(json(body).as_slice()).unwrap();
    let collection = database.create_collection(options).unwrap();
    let insert = |document: VPackBuf| {
        database.transact(|transaction| {
            transaction.insert(&collection, document.as_slice(), &WriteOptions::default())
        })
    };
    let keys: Vec<String> = (0..3).map(|_| insert(vpack!({})).unwrap().key).collect();
    assert_eq!(keys, ["2", "7", "12"]);
    assert_eq!(insert(vpack!({ "_key": "x" })).unwrap_err().error_num(), 1222);
    let properties = collection.properties().unwrap();
    let key_options = properties.as_slice().get("keyOptions").unwrap();
    assert_eq!(
        persea_json::to_string(key_options),
        r#"{"allowUserKeys":false,"increment":5,"offset":2,"type":"autoincrement","lastValue":12}"#
    );
}

#[test]
fn index_creation_finds_clashes_and_existing_indexes() {
    let databases = Databases::in_memory().unwrap();
    let database = databases.system().unwrap();
    let collection = database.create_collection(CollectionOptions::new("c")).unwrap();
    let options = WriteOptions::default();
    database
        .transact(|transaction| {
            for number in 0..100 {
                let document = vpack!({ "_key": format!("k{number}"), "n": number, "group": number % 10 });
                transaction.insert(&collection, document.as_slice(), &options)?;
            }
            Ok(())
        })
        .unwrap();
    let create = |body: &str| collection.create_index(json(body).as_slice());
    let (by_group, is_new) =
        create(r#"{"type":"persistent","fields":["group"],"name":"g","storedValues":["n"]}"#).unwrap();
    assert!(is_new);
    assert!((by_group.selectivity().unwrap() - 0.1).abs() < 0.001);
    let (same, is_new) = create(r#"{"type":"persistent","fields":["group"],"name":"other"}"#).unwrap();
    assert!(!is_new && same.id() == by_group.id());
    for (body, expected) in [
        (r#"{"type":"persistent","fields":["n"],"name":"g"}"#, 1207),
        (r#"{"type":"persistent","fields":["n"],"name":"a/b"}"#, 1208),
        (r#"{"type":"persistent","fields":["group"],"unique":true}"#, 1210),
        (r#"{"type":"persistent","fields":["_id"]}"#, 10),
        (r#"{"type":"foo","fields":["n"]}"#, 10),
        (r#"{"type":"geo","fields":["n"]}"#, 9),
        (r#"{"type":"persistent","fields":[]}"#, 10),
    ] {
        assert_eq!(create(body).unwrap_err().error_num(), expected, "{body}");
    }
    assert_eq!(collection.indexes().len(), 2);
    create(r#"{"type":"persistent","fields":["n"],"unique":true}"#).unwrap();

    let view = database.view().unwrap();
    let group = [Value::from_i64(3)];
    let entries: Vec<_> = view
        .index_scan(&collection, &by_group, &IndexBounds::equal(&group), Default::default())
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let numbers: Vec<i64> =
        entries.iter().map(|entry| entry.stored.at(0).unwrap().as_i64().unwrap()).collect();
    assert_eq!(numbers, [3, 13, 23, 33, 43, 53, 63, 73, 83, 93]);

    assert_eq!(collection.drop_index("primary").unwrap_err().error_num(), 11);
    assert_eq!(collection.drop_index("c/0").unwrap_err().error_num(), 11);
    assert_eq!(collection.drop_index("999999").unwrap_err().error_num(), 1212);
    assert_eq!(collection.drop_index("c/g").unwrap(), by_group.id());
    let view_after = database.view().unwrap();
    let dropped = view_after.index_scan(&collection, &by_group, &IndexBounds::default(), Default::default());
    assert!(matches!(dropped.err(), Some(Error::IndexNotFound)));
    let entries = view.index_scan(&collection, &by_group, &IndexBounds::default(), Default::default());
    assert_eq!(entries.unwrap().count(), 100);
    assert!(collection.verify().unwrap().is_clean());
}

#[test]
fn transactions_older_than_an_index_cannot_use_it() {
    let databases = Databases::in_memory().unwrap();
    let database = databases.system().unwrap();
    let collection = database.create_collection(CollectionOptions::new("c")).unwrap();
    let options = WriteOptions::default();
    let mut transaction = database.begin().unwrap();
    database.transact(|other| other.insert(&collection, vpack!({ "a": 2 }).as_slice(), &options)).unwrap();
    let definition = vpack!({ "type": "persistent", "fields": ["a"] });
    let (index, _) = collection.create_index(definition.as_slice()).unwrap();
    assert!(!transaction.view().unwrap().can_use(&index));
    let late = transaction.insert(&collection, vpack!({ "a": 1 }).as_slice(), &options);
    assert!(late.unwrap_err().is_retryable());
    assert!(database.view().unwrap().can_use(&index));
    assert!(collection.verify().unwrap().is_clean());
}

/// A transaction that began before the definition of its collection changed and writes only afterwards.
#[test]
fn transactions_older_than_the_definition_cannot_write() {
    type Change = fn(&Database, &Collection);
    let unique = || vpack!({ "type": "persistent", "fields": ["a"], "unique": true });
    let changes: [(&str, Change); 4] = [
        ("create an index", |_, collection| {
            let definition = vpack!({ "type": "persistent", "fields": ["a"], "unique": true, "name": "new" });
            collection.create_index(definition.as_slice()).unwrap();
        }),
        ("drop an index", |_, collection| {
            collection.drop_index("b").unwrap();
        }),
        ("truncate", |_, collection| collection.truncate().unwrap()),
        ("rename", |database, _| database.rename_collection("c", "d").unwrap()),
    ];
    for (name, change) in changes {
        let databases = Databases::in_memory().unwrap();
        let database = databases.system().unwrap();
        let collection = database.create_collection(CollectionOptions::new("c")).unwrap();
        let by_b = vpack!({ "type": "persistent", "fields": ["b"], "name": "b" });
        collection.create_index(by_b.as_slice()).unwrap();
        let options = WriteOptions::default();
        let insert = |transaction: &mut Transaction, key: &str| {
            transaction.insert(&collection, vpack!({ "_key": key, "a": 1 }).as_slice(), &options)
        };
        database.transact(|transaction| insert(transaction, "old")).unwrap();
        let mut transaction = database.begin().unwrap();
        change(&database, &collection);
        for key in ["new", "old"] {
            let error = insert(&mut transaction, key).unwrap_err();
            assert!(error.is_retryable(), "{name}: {error}");
            assert_eq!(error.error_num(), 1200, "{name}");
        }
        transaction.commit().unwrap();
        let again = database.transact(|transaction| insert(transaction, "new"));
        let is_unique = collection.index("new").is_ok();
        assert_eq!(again.err().map(|error| error.error_num()), is_unique.then_some(1210), "{name}");
        assert!(collection.verify().unwrap().is_clean(), "{name}");
        let exists = collection.create_index(unique().as_slice());
        assert_eq!(exists.is_ok(), is_unique || name == "truncate", "{name}");
    }
}

/// A view shows its moment, whether it used the collection before the change or not.
#[test]
fn views_outlive_changes_of_the_definition() {
    type Change = fn(&Database, &Collection);
    let changes: [(&str, Change); 5] = [
        ("truncate", |_, collection| collection.truncate().unwrap()),
        ("truncate twice", |_, collection| {
            collection.truncate().unwrap();
            collection.truncate().unwrap();
        }),
        ("rename", |database, _| database.rename_collection("c", "d").unwrap()),
        ("drop an index", |_, collection| {
            collection.drop_index("a").unwrap();
        }),
        ("drop", |database, _| {
            database.drop_collection("c", false).unwrap();
        }),
    ];
    for (name, change) in changes {
        let databases = Databases::in_memory().unwrap();
        let database = databases.system().unwrap();
        let collection = database.create_collection(CollectionOptions::edge("c")).unwrap();
        let by_a = vpack!({ "type": "persistent", "fields": ["a"], "name": "a" });
        let (index, _) = collection.create_index(by_a.as_slice()).unwrap();
        let insert = |transaction: &mut Transaction, key: &str| {
            let edge = vpack!({ "_key": key, "_from": "v/1", "_to": "v/2", "a": key });
            transaction.insert(&collection, edge.as_slice(), &WriteOptions::default()).map(drop)
        };
        let fill = |transaction: &mut Transaction| -> Result<(), Error> {
            (0..1500).try_for_each(|number| insert(transaction, &number.to_string()))
        };
        database.transact(fill).unwrap();
        let check = |view: &View, n_documents: usize| {
            let all: Vec<_> =
                view.scan(&collection, Direction::Forward).unwrap().map(|row| row.unwrap().1).collect();
            assert_eq!(all.len(), n_documents, "{name}");
            assert!(
                all.iter()
                    .all(|document| { document.get("_id").unwrap().as_str().unwrap().starts_with("c/") })
            );
            let entries: Vec<_> = view
                .index_scan(&collection, &index, &IndexBounds::default(), Direction::Forward)
                .unwrap()
                .map(Result::unwrap)
                .collect();
            assert_eq!(entries.len(), n_documents, "{name}");
            for entry in &entries {
                assert!(view.indexed_document(&collection, entry.local_id).unwrap().is_object(), "{name}");
            }
            let edges = view.edges(&collection, EdgeDirection::Inbound, "v/2").unwrap();
            assert_eq!(edges.count(), n_documents, "{name}");
            assert!(view.by_key(&collection, "1499").unwrap().is_some(), "{name}");
            assert_eq!(view.count(&collection).unwrap(), n_documents as u64, "{name}");
            assert_eq!(view.collection_name(&collection).unwrap(), "c");
            assert_eq!(view.indexes(&collection).unwrap().len(), 3, "{name}");
            assert!(view.verify(&collection, &mut |_| {}).unwrap().is_clean(), "{name}");
        };
        let (used, unused) = (database.view().unwrap(), database.view().unwrap());
        let mut transaction = database.begin().unwrap();
        check(&used, 1500);
        change(&database, &collection);
        // Retired keyspaces are cleared in the background, meanwhile and later.
        std::thread::sleep(Duration::from_millis(20));
        check(&used, 1500);
        check(&unused, 1500);
        check(&transaction.view().unwrap(), 1500);
        assert!(transaction.get(&collection, "7").unwrap().is_some(), "{name}");
        // What it reads is not what it would write to.
        let refusal = insert(&mut transaction, "own").unwrap_err().error_num();
        assert_eq!(refusal, if name == "drop" { 1203 } else { 1200 }, "{name}");

        let view = database.view().unwrap();
        match name {
            "drop" => assert_eq!(view.by_key(&collection, "7").unwrap_err().error_num(), 1203),
            "truncate" | "truncate twice" => assert!(view.by_key(&collection, "7").unwrap().is_none()),
            _ => assert!(view.by_key(&collection, "7").unwrap().is_some()),
        }
    }
}

#[test]
fn truncating_keeps_indexes_and_last_keys() {
    let databases = Databases::in_memory().unwrap();
    let database = databases.system().unwrap();
    let body = r#"{"name":"c","keyOptions":{"type":"autoincrement"}}"#;
    let collection =
        database.create_collection(CollectionOptions::from_vpack(json(body).as_slice()).unwrap()).unwrap();
    let definition = vpack!({ "type": "persistent", "fields": ["a"], "unique": true });
    collection.create_index(definition.as_slice()).unwrap();
    let insert = || {
        database.transact(|transaction| {
            transaction.insert(&collection, vpack!({ "a": 1 }).as_slice(), &WriteOptions::default())
        })
    };
    insert().unwrap();
    let old_view = database.view().unwrap();
    collection.truncate().unwrap();
    assert_eq!(collection.count().unwrap(), 0);
    assert_eq!(old_view.count(&collection).unwrap(), 1);
    assert_eq!(insert().unwrap().key, "2");
    assert_eq!(collection.indexes().len(), 2);
    assert!(collection.verify().unwrap().is_clean());

    let mut transaction = database.begin().unwrap();
    assert_eq!(transaction.truncate(&collection).unwrap(), 1);
    drop(transaction);
    assert_eq!(collection.count().unwrap(), 1);
}

#[test]
fn renaming_rewrites_ids_and_graphs() {
    let databases = Databases::in_memory().unwrap();
    let database = databases.system().unwrap();
    let body = r#"{"name":"g","edgeDefinitions":[{"collection":"e","from":["v"],"to":["v"]}]}"#;
    database.create_graph(json(body).as_slice(), &Default::default()).unwrap();
    let vertices = database.collection("v").unwrap();
    let definition = vpack!({ "type": "persistent", "fields": ["a"], "storedValues": ["_id"] });
    let (index, _) = vertices.create_index(definition.as_slice()).unwrap();
    database
        .transact(|transaction| {
            transaction.insert(
                &vertices,
                vpack!({ "_key": "1", "a": 5 }).as_slice(),
                &WriteOptions::default(),
            )
        })
        .unwrap();
    database.create_collection(CollectionOptions::new("taken")).unwrap();
    for (name, expected) in [("", 10), ("taken", 1207), ("_w", 1208), ("a/b", 1208)] {
        assert_eq!(database.rename_collection("v", name).unwrap_err().error_num(), expected, "{name}");
    }
    assert_eq!(database.rename_collection("_graphs", "x").unwrap_err().error_num(), 11);
    database.rename_collection("v", "v").unwrap();
    database.rename_collection("v", "w").unwrap();
    assert!(database.collection("v").is_err());
    assert_eq!(&*vertices.name(), "w");
    let view = database.view().unwrap();
    let (_, document) = view.by_key(&vertices, "1").unwrap().unwrap();
    assert_eq!(document.get("_id").unwrap().as_str(), Some("w/1"));
    assert_eq!(database.graph("g").unwrap().vertex_collections(), ["w"]);
    let entry = view
        .index_scan(&vertices, &index, &IndexBounds::default(), Default::default())
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    assert_eq!(entry.stored.at(0).unwrap().as_str(), Some("w/1"));
    assert!(vertices.verify().unwrap().is_clean());
}

#[test]
fn dropping_respects_graphs_and_system_collections() {
    let databases = Databases::in_memory().unwrap();
    let database = databases.system().unwrap();
    let body = r#"{"name":"g","edgeDefinitions":[{"collection":"e","from":["v"],"to":["w"]}],"orphanCollections":["o"]}"#;
    database.create_graph(json(body).as_slice(), &Default::default()).unwrap();
    for name in ["e", "v", "w", "o"] {
        assert_eq!(database.drop_collection(name, false).unwrap_err().error_num(), 1942, "{name}");
    }
    assert_eq!(database.drop_collection("_graphs", false).unwrap_err().error_num(), 11);
    assert_eq!(database.drop_collection("nope", false).unwrap_err().error_num(), 1203);
    let handle = database.collection("v").unwrap();
    database.drop_graph("g", UnusedCollections::Drop, &Default::default()).unwrap();
    assert!(handle.is_dropped() && database.collection("o").is_err());
    let late = database
        .transact(|transaction| transaction.insert(&handle, vpack!({}).as_slice(), &WriteOptions::default()));
    assert_eq!(late.unwrap_err().error_num(), 1203);
}

#[test]
fn everything_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    let options = WriteOptions::default();
    let (id, last_key, estimate, last_rev);
    {
        let databases = Databases::open(&path, &Options::default()).unwrap();
        let database = databases.create_database("shop").unwrap();
        let collection = database.create_collection(CollectionOptions::new("c")).unwrap();
        let edges = database.create_collection(CollectionOptions::edge("e")).unwrap();
        let definition = vpack!({ "type": "persistent", "fields": ["group"], "name": "g" });
        collection.create_index(definition.as_slice()).unwrap();
        // So many that estimates are stored in between.
        for number in 0..300 {
            database
                .transact(|transaction| {
                    let document = vpack!({ "group": number % 3 });
                    transaction.insert(&collection, document.as_slice(), &options)
                })
                .unwrap();
        }
        let edge = vpack!({ "_from": "c/1", "_to": "c/2" });
        database.transact(|transaction| transaction.insert(&edges, edge.as_slice(), &options)).unwrap();
        let last = database
            .transact(|transaction| transaction.insert(&collection, vpack!({}).as_slice(), &options))
            .unwrap();
        (last_key, last_rev) = (last.key, last.rev);
        estimate = collection.index("g").unwrap().selectivity();
        id = collection.id();
        assert_eq!(collection.count().unwrap(), 301);
    }
    let databases = Databases::open(&path, &Options::default()).unwrap();
    assert_eq!(databases.names(), ["_system", "shop"]);
    let database = databases.database("shop").unwrap();
    let collection = database.collection("c").unwrap();
    assert_eq!(collection.id(), id);
    assert_eq!(collection.count().unwrap(), 301);
    assert_eq!(collection.revision().unwrap(), last_rev);
    assert_eq!(collection.index("g").unwrap().selectivity(), estimate);
    assert_eq!(database.collection("e").unwrap().indexes().len(), 2);
    let next = database
        .transact(|transaction| transaction.insert(&collection, vpack!({}).as_slice(), &options))
        .unwrap();
    assert!(next.key.parse::<u64>().unwrap() > last_key.parse::<u64>().unwrap());
    assert!(next.rev > last_rev);
    for collection in database.collections() {
        let report = collection.verify().unwrap();
        assert!(report.is_clean(), "{}: {report:?}", collection.name());
    }
}

/// Also where nothing is to be stored besides.
#[test]
fn a_checkpoint_brings_to_the_disk_what_was_committed() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = Options::default();
    options.transactions.sync_interval = None;
    let databases = Databases::open(folder.path(), &options).unwrap();
    let n_syncs = || databases.transactions().metrics().syncs;
    for name in ["a", "b"] {
        databases.system().unwrap().create_collection(CollectionOptions::new(name)).unwrap();
        let before = n_syncs();
        databases.checkpoint().unwrap();
        assert!(n_syncs() > before, "{name}");
    }
}

#[test]
fn a_database_is_made_in_one_commit() {
    let folder = tempfile::tempdir().unwrap();
    let databases = Databases::open(folder.path(), &Options::default()).unwrap();
    databases.create_database("a").unwrap();
    let before = databases.transactions().latest_commit().0;
    let database = databases.create_database("b").unwrap();
    assert_eq!(databases.transactions().latest_commit().0, before + 1);
    assert_eq!(database.collection("_apps").unwrap().indexes().len(), 2);
}

#[test]
fn generated_keys_never_repeat_after_a_crash() {
    for kind in ["traditional", "padded", "autoincrement"] {
        let engine = Engine::memory();
        let mut seen = std::collections::BTreeSet::new();
        for round in 0..4 {
            let databases = Databases::open_engine(engine.clone(), &Options::default()).unwrap();
            let database = databases.system().unwrap();
            let body = vpack!({ "name": "c", "keyOptions": { "type": kind } });
            let collection = database.collection("c").or_else(|_| {
                database.create_collection(CollectionOptions::from_vpack(body.as_slice()).unwrap())
            });
            let collection = collection.unwrap();
            for _ in 0..10 {
                let outcome = database.transact(|transaction| {
                    transaction.insert(&collection, vpack!({}).as_slice(), &WriteOptions::default())
                });
                assert!(seen.insert(outcome.unwrap().key), "{kind} in round {round}");
            }
            // Neither destructors nor a final checkpoint run.
            std::mem::forget(databases);
        }
    }
}
