//! Behaviour of document writes, one rule a test.

#![allow(clippy::unwrap_used)] // A failed helper is a failed test.

use std::sync::Arc;
use std::time::Duration;

use persea_collections::{
    Collection, CollectionOptions, Database, Databases, Error, LockTimeouts, OverwriteMode, Transaction,
    TransactionOptions, WriteOptions, WriteOutcome,
};
use persea_vpack::{Slice, VPackBuf, vpack};

struct Setup {
    _databases: Databases,
    database: Arc<Database>,
    documents: Arc<Collection>,
    edges: Arc<Collection>,
}

fn setup() -> Setup {
    let databases = Databases::in_memory().unwrap();
    let database = databases.create_database("test").unwrap();
    let documents = database.create_collection(CollectionOptions::new("c")).unwrap();
    let edges = database.create_collection(CollectionOptions::edge("e")).unwrap();
    Setup { _databases: databases, database, documents, edges }
}

fn json(text: &str) -> VPackBuf {
    persea_json::parse(text.as_bytes()).unwrap()
}

impl Setup {
    fn insert(&self, document: &str) -> Result<WriteOutcome, Error> {
        self.insert_with(document, &WriteOptions::default())
    }

    fn insert_with(&self, document: &str, options: &WriteOptions) -> Result<WriteOutcome, Error> {
        let document = json(document);
        self.database
            .transact(|transaction| transaction.insert(&self.documents, document.as_slice(), options))
    }

    fn update(&self, key: &str, patch: &str, options: &WriteOptions) -> Result<WriteOutcome, Error> {
        let patch = json(patch);
        self.database
            .transact(|transaction| transaction.update(&self.documents, key, patch.as_slice(), options))
    }

    /// The document as JSON, without `_rev`.
    fn read(&self, key: &str) -> Option<String> {
        let view = self.database.view().unwrap();
        view.by_key(&self.documents, key).unwrap().map(|(_, document)| without_rev(document))
    }
}

fn without_rev(document: Slice<'_>) -> String {
    let mut builder = persea_vpack::Builder::new();
    builder.open_object();
    for (name, value) in document.object_iter().filter(|(name, _)| *name != "_rev") {
        builder.key(name).add_slice(value);
    }
    builder.close();
    persea_json::to_string(builder.finish().unwrap().as_slice())
}

fn number(result: Result<WriteOutcome, Error>) -> u16 {
    result.unwrap_err().error_num()
}

#[test]
fn system_attributes_come_first_and_input_values_are_ignored() {
    let setup = setup();
    let outcome = setup.insert(r#"{"a":1,"_id":"x/y","_rev":"zzz","_key":"k","_from":5}"#).unwrap();
    assert_eq!((outcome.key.as_str(), outcome.id.as_str()), ("k", "c/k"));
    assert_eq!(setup.read("k").unwrap(), r#"{"_key":"k","_id":"c/k","a":1,"_from":5}"#);
    let view = setup.database.view().unwrap();
    let (_, document) = view.by_key(&setup.documents, "k").unwrap().unwrap();
    let names: Vec<&str> = document.object_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["_key", "_id", "_rev", "a", "_from"]);
    assert_eq!(document.get("_rev").unwrap().as_str().unwrap(), outcome.rev.to_string());
}

#[test]
fn bad_inserts() {
    let setup = setup();
    assert_eq!(number(setup.insert(r#"[]"#)), 1227);
    assert_eq!(number(setup.insert(r#"{"_key":1}"#)), 1221);
    assert_eq!(number(setup.insert(r#"{"_key":"a b"}"#)), 1221);
    assert_eq!(number(setup.insert(r#"{"_key":""}"#)), 1221);
    setup.insert(r#"{"_key":"k"}"#).unwrap();
    let error = setup.insert(r#"{"_key":"k"}"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        "unique constraint violated - in index primary of type primary over '_key'; conflicting key: k"
    );
    assert_eq!(setup.documents.count().unwrap(), 1);
}

#[test]
fn edges_need_both_ends() {
    let setup = setup();
    let insert = |edge: &str| {
        let edge = json(edge);
        setup.database.transact(|transaction| {
            transaction.insert(&setup.edges, edge.as_slice(), &WriteOptions::default())
        })
    };
    for bad in [r#"{}"#, r#"{"_from":"a/1"}"#, r#"{"_from":"a/1","_to":"b"}"#, r#"{"_from":"a/1","_to":2}"#] {
        assert_eq!(number(insert(bad)), 1233, "{bad}");
    }
    let key = insert(r#"{"x":1,"_to":"b/2","_from":"a/1"}"#).unwrap().key;
    let mut transaction = setup.database.begin().unwrap();
    let edge = transaction.get(&setup.edges, &key).unwrap().unwrap();
    let names: Vec<&str> = edge.object_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["_key", "_id", "_from", "_to", "_rev", "x"]);

    let options = WriteOptions::default();
    transaction.update(&setup.edges, &key, vpack!({ "_to": "b/3" }).as_slice(), &options).unwrap();
    let bad = transaction.update(&setup.edges, &key, vpack!({ "_to": null }).as_slice(), &options);
    assert_eq!(number(bad), 1233);
    let bad = transaction.replace(&setup.edges, &key, vpack!({ "_to": "b/3" }).as_slice(), &options);
    assert_eq!(number(bad), 1233);
    transaction.commit().unwrap();
    assert!(setup.edges.verify().unwrap().is_clean());
}

#[test]
fn edge_scans_tell_the_opposite_vertex() {
    use persea_collections::EdgeDirection::{Inbound, Outbound};
    let setup = setup();
    setup
        .database
        .transact(|transaction| {
            for (from, to) in [("v/1", "v/2"), ("v/1", "v/3"), ("v/10", "v/1"), ("v/2", "v/1")] {
                let edge = vpack!({ "_from": from, "_to": to });
                transaction.insert(&setup.edges, edge.as_slice(), &WriteOptions::default())?;
            }
            Ok(())
        })
        .unwrap();
    let view = setup.database.view().unwrap();
    let at = |vertex, direction| -> Vec<String> {
        let scan = view.edges(&setup.edges, direction, vertex).unwrap();
        scan.map(|edge| edge.unwrap().1.to_owned()).collect()
    };
    assert_eq!(at("v/1", Outbound), ["v/2", "v/3"]);
    assert_eq!(at("v/1", Inbound), ["v/10", "v/2"]);
    assert_eq!(at("v/10", Outbound), ["v/1"]);
    assert!(at("v/", Outbound).is_empty());
    assert!(matches!(
        view.edges(&setup.documents, Outbound, "v/1").err(),
        Some(Error::CollectionTypeInvalid(_))
    ));
}

#[test]
fn overwrite_modes() {
    let setup = setup();
    let mode = |overwrite_mode| WriteOptions { overwrite_mode, return_old: true, ..WriteOptions::default() };
    let first = setup.insert_with(r#"{"_key":"k","a":1}"#, &mode(OverwriteMode::Replace)).unwrap();
    assert!(first.old_rev.is_none() && first.old.is_none());

    let ignored = setup.insert_with(r#"{"_key":"k","a":2}"#, &mode(OverwriteMode::Ignore)).unwrap();
    assert!(ignored.is_ignored && ignored.rev == first.rev && ignored.id == "c/k");

    let updated = setup.insert_with(r#"{"_key":"k","b":2}"#, &mode(OverwriteMode::Update)).unwrap();
    assert_eq!(updated.old_rev, Some(first.rev));
    assert_eq!(setup.read("k").unwrap(), r#"{"_key":"k","_id":"c/k","a":1,"b":2}"#);

    let replaced = setup.insert_with(r#"{"_key":"k","d":3}"#, &mode(OverwriteMode::Replace)).unwrap();
    assert_eq!(replaced.old_rev, Some(updated.rev));
    assert_eq!(without_rev(replaced.old.unwrap().as_slice()), r#"{"_key":"k","_id":"c/k","a":1,"b":2}"#);
    assert_eq!(setup.read("k").unwrap(), r#"{"_key":"k","_id":"c/k","d":3}"#);
    assert_eq!(setup.documents.count().unwrap(), 1);
}

#[test]
fn updates_merge_and_keep_the_key() {
    let setup = setup();
    setup.insert(r#"{"_key":"k","a":{"x":1},"b":2}"#).unwrap();
    let keep = WriteOptions::default();
    setup.update("k", r#"{"_key":"z","_id":"q/z","_rev":"1","a":{"y":2},"b":null}"#, &keep).unwrap();
    assert_eq!(setup.read("k").unwrap(), r#"{"_key":"k","_id":"c/k","a":{"x":1,"y":2},"b":null}"#);
    let drop_nulls = WriteOptions { keep_null: false, merge_objects: false, ..WriteOptions::default() };
    setup.update("k", r#"{"a":{"z":1,"w":null},"b":null}"#, &drop_nulls).unwrap();
    assert_eq!(setup.read("k").unwrap(), r#"{"_key":"k","_id":"c/k","a":{"z":1}}"#);
    assert_eq!(number(setup.update("nope", "{}", &keep)), 1202);
    assert_eq!(number(setup.update("k", "[]", &keep)), 1227);
}

#[test]
fn revisions_are_checked_when_asked() {
    let setup = setup();
    let rev = setup.insert(r#"{"_key":"k"}"#).unwrap().rev.to_string();
    let check = WriteOptions { ignore_revs: false, ..WriteOptions::default() };
    let error = setup.update("k", r#"{"_rev":"nonsense!"}"#, &check).unwrap_err();
    let Error::RevisionMismatch { id, key, rev: stored } = &error else { panic!("{error}") };
    assert_eq!((id.as_str(), key.as_str(), stored), ("c/k", "k", &rev));
    let new = setup.update("k", &format!(r#"{{"_rev":"{rev}"}}"#), &check).unwrap().rev;
    assert!(new.to_string() != rev);

    let stale = WriteOptions { if_match: Some(rev), ..WriteOptions::default() };
    let remove = |options: &WriteOptions| {
        setup.database.transact(|transaction| transaction.remove(&setup.documents, "k", options))
    };
    assert_eq!(number(remove(&stale)), 1200);
    let fresh = WriteOptions { if_match: Some(new.to_string()), return_old: true, ..WriteOptions::default() };
    let removed = remove(&fresh).unwrap();
    assert_eq!(removed.rev, new);
    assert!(removed.old.is_some());
    assert_eq!(number(remove(&fresh)), 1202);
    assert_eq!(setup.documents.count().unwrap(), 0);
}

#[test]
fn version_attribute_skips_stale_writes() {
    let setup = setup();
    let first = setup.insert(r#"{"_key":"k","v":5}"#).unwrap();
    let options = WriteOptions { version_attribute: Some("v".into()), ..WriteOptions::default() };
    let skipped = setup.update("k", r#"{"v":4,"a":1}"#, &options).unwrap();
    assert!(skipped.is_ignored && skipped.rev == first.rev && skipped.old_rev == Some(first.rev));
    assert!(!setup.update("k", r#"{"v":6}"#, &options).unwrap().is_ignored);
    assert_eq!(setup.read("k").unwrap(), r#"{"_key":"k","_id":"c/k","v":6}"#);
}

#[test]
fn restoring_keeps_revisions() {
    let setup = setup();
    let options = WriteOptions { is_restore: true, ..WriteOptions::default() };
    let outcome = setup.insert_with(r#"{"_key":"k","_rev":"_l6zhVDW---"}"#, &options).unwrap();
    assert_eq!(outcome.rev.to_string(), "_l6zhVDW---");
    assert!(setup.documents.verify().unwrap().is_clean());
}

#[test]
fn bulk_items_fail_alone() {
    let setup = setup();
    let options = WriteOptions::default();
    let mut transaction = setup.database.begin().unwrap();
    let documents = json(r#"[{"_key":"a"},{"_key":"a"},5,{"_key":"b"}]"#);
    let results = transaction.insert_many(&setup.documents, documents.as_slice(), &options).unwrap();
    let numbers: Vec<u16> =
        results.iter().map(|result| result.as_ref().map_or_else(|error| error.error_num(), |_| 0)).collect();
    assert_eq!(numbers, [0, 1210, 1227, 0]);

    let patches = json(r#"[{"_key":"a","x":1},{"x":1},{"_id":"d/a"},{"_id":"c/b","x":2},"a"]"#);
    let results = transaction.update_many(&setup.documents, patches.as_slice(), &options).unwrap();
    let numbers: Vec<u16> =
        results.iter().map(|result| result.as_ref().map_or_else(|error| error.error_num(), |_| 0)).collect();
    assert_eq!(numbers, [0, 1226, 1202, 0, 1227]);

    let view = transaction.view().unwrap();
    let found = view.get_many(&setup.documents, json(r#"["a","c/b","zz"]"#).as_slice(), true).unwrap();
    assert_eq!(found.iter().filter(|result| result.is_ok()).count(), 2);

    let removed = transaction
        .remove_many(&setup.documents, json(r#"["a",{"_key":"b","_rev":"x"}]"#).as_slice(), &options)
        .unwrap();
    assert!(removed.iter().all(Result::is_ok));
    assert!(transaction.insert_many(&setup.documents, vpack!({}).as_slice(), &options).is_err());
    transaction.commit().unwrap();
    assert_eq!(setup.documents.count().unwrap(), 0);
    assert!(setup.documents.verify().unwrap().is_clean());
}

#[test]
fn what_failed_items_have_locked_is_no_conflict() {
    let setup = setup();
    let definition = vpack!({ "type": "persistent", "fields": ["a"], "unique": true });
    setup.documents.create_index(definition.as_slice()).unwrap();
    setup.insert(r#"{"_key":"one","a":1}"#).unwrap();
    let options = WriteOptions::default();
    let mut older = setup.database.begin().unwrap();
    older.insert(&setup.documents, json(r#"{"_key":"first"}"#).as_slice(), &options).unwrap();

    let mut transaction = setup.database.begin().unwrap();
    let documents = json(r#"[{"_key":"two","a":1},{"_key":"three","a":3}]"#);
    let results = transaction.insert_many(&setup.documents, documents.as_slice(), &options).unwrap();
    assert_eq!(results[0].as_ref().unwrap_err().error_num(), 1210);
    let patches = json(r#"[{"_key":"one","_rev":"old"},{"_key":"three","b":1}]"#);
    let checked = WriteOptions { ignore_revs: false, ..WriteOptions::default() };
    let results = transaction.update_many(&setup.documents, patches.as_slice(), &checked).unwrap();
    assert_eq!(results[0].as_ref().unwrap_err().error_num(), 1200);
    transaction.commit().unwrap();

    older.insert(&setup.documents, json(r#"{"_key":"two","a":2}"#).as_slice(), &options).unwrap();
    let patch = json(r#"{"b":1}"#);
    older.update(&setup.documents, "one", patch.as_slice(), &options).unwrap();
    let conflict = older.update(&setup.documents, "three", patch.as_slice(), &options);
    assert!(matches!(conflict.unwrap_err().error_num(), 1200 | 1202));
    older.commit().unwrap();
    assert_eq!(setup.documents.count().unwrap(), 4);
    assert!(setup.documents.verify().unwrap().is_clean());
}

#[test]
fn unique_violations_name_the_index_and_leave_no_trace() {
    let setup = setup();
    let definition = vpack!({ "type": "hash", "name": "byAB", "fields": ["a", "b"], "unique": true });
    setup.documents.create_index(definition.as_slice()).unwrap();
    setup.insert(r#"{"_key":"one","a":1,"b":2}"#).unwrap();
    let mut transaction = setup.database.begin().unwrap();
    let options = WriteOptions::default();
    let clash = json(r#"{"_key":"two","a":1.0,"b":2}"#);
    let error = transaction.insert(&setup.documents, clash.as_slice(), &options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "unique constraint violated - in index byAB of type hash over 'a, b'; conflicting key: one"
    );
    let fine = json(r#"{"_key":"two","a":1,"b":3}"#);
    transaction.insert(&setup.documents, fine.as_slice(), &options).unwrap();
    let error = transaction.update(&setup.documents, "two", vpack!({ "b": 2 }).as_slice(), &options);
    assert_eq!(number(error), 1210);
    // A value that its holder gave up is free again within the transaction.
    transaction.update(&setup.documents, "one", vpack!({ "b": 9 }).as_slice(), &options).unwrap();
    transaction.update(&setup.documents, "two", vpack!({ "b": 2 }).as_slice(), &options).unwrap();
    transaction.commit().unwrap();
    let report = setup.documents.verify().unwrap();
    assert!(report.is_clean(), "{report:?}");
    assert_eq!((report.n_documents, report.n_entries), (2, 4));
}

#[test]
fn equal_array_members_violate_uniqueness_without_deduplication() {
    let setup = setup();
    let definition =
        vpack!({ "type": "persistent", "fields": ["t[*]"], "unique": true, "deduplicate": false });
    setup.documents.create_index(definition.as_slice()).unwrap();
    assert_eq!(number(setup.insert(r#"{"_key":"k","t":[1,1]}"#)), 1210);
    setup.insert(r#"{"_key":"k","t":[1,2]}"#).unwrap();
    assert_eq!(number(setup.insert(r#"{"t":[3,2]}"#)), 1210);
}

#[test]
fn concurrent_writers_conflict_on_keys_and_unique_values() {
    let setup = setup();
    let definition = vpack!({ "type": "persistent", "fields": ["u"], "unique": true });
    setup.documents.create_index(definition.as_slice()).unwrap();
    let options = WriteOptions::default();
    let mut first = setup.database.begin().unwrap();
    let mut second = setup.database.begin().unwrap();
    first.insert(&setup.documents, vpack!({ "_key": "a", "u": 1 }).as_slice(), &options).unwrap();
    let same_key = second.insert(&setup.documents, vpack!({ "_key": "a" }).as_slice(), &options);
    assert!(matches!(same_key, Err(Error::WriteConflict(_))));
    let same_value = second.insert(&setup.documents, vpack!({ "_key": "b", "u": 1 }).as_slice(), &options);
    assert!(matches!(same_value, Err(Error::WriteConflict(_))));
    first.commit().unwrap();
    let committed_since = second.insert(&setup.documents, vpack!({ "_key": "a" }).as_slice(), &options);
    assert!(matches!(committed_since, Err(Error::WriteConflict(_))));
    second.commit().unwrap();
    assert_eq!(setup.documents.count().unwrap(), 1);
}

#[test]
fn inserting_until_one_is_lost() {
    let setup = setup();
    let unique = json(r#"{"type":"persistent","fields":["u"],"unique":true}"#);
    setup.documents.create_index(unique.as_slice()).unwrap();
    setup.insert(r#"{"_key":"old","u":0}"#).unwrap();
    let mut holder = setup.database.begin().unwrap();
    let options = WriteOptions::default();
    holder.insert(&setup.documents, json(r#"{"_key":"held","u":3}"#).as_slice(), &options).unwrap();
    let timeouts = LockTimeouts { key: Duration::ZERO, ..LockTimeouts::default() };
    let begin = TransactionOptions::default().with_lock_timeouts(timeouts);
    let mut other = setup.database.begin_with(&begin).unwrap();
    let documents = json(r#"[{"_key":"a","u":1},{"u":0},{"_key":"b","u":3},{"_key":"c","u":4}]"#);
    let documents = documents.as_slice().array_iter();
    let tally = other.insert_until_lost(&setup.documents, documents, &options).unwrap();
    let errors: Vec<_> = tally.errors.iter().map(|(at, error)| (*at, error.error_num())).collect();
    assert_eq!((tally.created, errors), (1, vec![(1, 1210), (2, 1200)]));
    other.commit().unwrap();
    // The one that was lost counts for nothing: its key was not changed.
    holder.insert(&setup.documents, json(r#"{"_key":"b","u":5}"#).as_slice(), &options).unwrap();
    holder.commit().unwrap();
    assert_eq!(setup.documents.count().unwrap(), 4);
}

#[test]
fn many_threads_count_exactly() {
    let setup = setup();
    setup.insert(r#"{"_key":"sum","n":0}"#).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    setup.insert("{}").unwrap();
                    setup
                        .database
                        .transact(|transaction| {
                            let sum = transaction
                                .get(&setup.documents, "sum")?
                                .and_then(|sum| sum.get("n")?.as_i64());
                            let patch = vpack!({ "n": sum.unwrap_or(0) + 1 });
                            transaction.update(
                                &setup.documents,
                                "sum",
                                patch.as_slice(),
                                &WriteOptions::default(),
                            )
                        })
                        .unwrap();
                }
            });
        }
    });
    assert_eq!(setup.documents.count().unwrap(), 201);
    assert_eq!(setup.documents.count_estimate(), 201);
    assert_eq!(setup.read("sum").unwrap(), r#"{"_key":"sum","_id":"c/sum","n":200}"#);
}

#[test]
fn savepoints_take_back_writes_and_counts() {
    let setup = setup();
    let options = WriteOptions::default();
    let mut transaction = setup.database.begin().unwrap();
    transaction.insert(&setup.documents, vpack!({ "_key": "a" }).as_slice(), &options).unwrap();
    let savepoint = transaction.savepoint();
    transaction.insert(&setup.documents, vpack!({ "_key": "b" }).as_slice(), &options).unwrap();
    assert_eq!(transaction.view().unwrap().count(&setup.documents).unwrap(), 2);
    transaction.rollback_to(&savepoint).unwrap();
    assert_eq!(transaction.view().unwrap().count(&setup.documents).unwrap(), 1);
    assert!(transaction.get(&setup.documents, "b").unwrap().is_none());
    transaction.commit().unwrap();
    assert!(setup.documents.verify().unwrap().is_clean());
}

#[test]
fn a_view_does_not_see_later_writes_of_its_transaction() {
    let setup = setup();
    let options = WriteOptions::default();
    let mut transaction = setup.database.begin().unwrap();
    transaction.insert(&setup.documents, vpack!({ "_key": "a" }).as_slice(), &options).unwrap();
    let view = transaction.view().unwrap();
    let mut n_seen = 0;
    for row in view.scan(&setup.documents, Default::default()).unwrap() {
        row.unwrap();
        n_seen += 1;
        transaction.insert(&setup.documents, vpack!({}).as_slice(), &options).unwrap();
    }
    assert_eq!(n_seen, 1);
    assert_eq!(transaction.view().unwrap().count(&setup.documents).unwrap(), 2);
}

/// Whatever the limit is: an operation that does not fit leaves nothing behind.
#[test]
fn operations_beyond_the_limit_leave_no_trace() {
    let setup = setup();
    let definitions = [
        r#"{"type":"persistent","fields":["u"],"unique":true}"#,
        r#"{"type":"persistent","fields":["tags[*]"],"storedValues":["text"]}"#,
    ];
    for definition in definitions {
        setup.documents.create_index(json(definition).as_slice()).unwrap();
    }
    let document = |u: i64| vpack!({ "_key": "new", "u": u, "tags": ["a", "b", "c"], "text": "some text" });
    setup.insert(r#"{"_key":"old","u":1,"tags":["a","d"],"text":"x"}"#).unwrap();
    let options = WriteOptions::default();
    type Work<'a> = &'a dyn Fn(&mut Transaction) -> Result<(), Error>;
    let operations: [(&str, Work<'_>); 4] = [
        ("insert", &|tx| tx.insert(&setup.documents, document(2).as_slice(), &options).map(drop)),
        ("replace", &|tx| tx.replace(&setup.documents, "old", document(3).as_slice(), &options).map(drop)),
        ("update", &|tx| tx.update(&setup.documents, "old", document(4).as_slice(), &options).map(drop)),
        ("remove", &|tx| tx.remove(&setup.documents, "old", &options).map(drop)),
    ];
    for (name, work) in operations {
        let mut limit = 0;
        let n_failures = (0..).find(|_| {
            let mut transaction = setup.database.begin().unwrap();
            limit += 3;
            transaction.limit_write_bytes(limit);
            let outcome = work(&mut transaction);
            let view = transaction.view().unwrap();
            let report = view.verify(&setup.documents, &mut |_| {}).unwrap();
            assert!(report.is_clean(), "{name} within {limit} bytes: {report:?}");
            match outcome {
                Ok(()) => {
                    assert!(transaction.write_bytes() as u64 <= limit);
                    true
                }
                Err(error) => {
                    assert!(!error.is_document_error());
                    assert_eq!((error.error_num(), transaction.write_bytes()), (32, 0), "{name}: {error}");
                    false
                }
            }
        });
        assert!(n_failures > Some(10), "{name}");
    }
}
