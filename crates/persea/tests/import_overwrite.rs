//! Imports that replace what a collection has: all of it or nothing.
#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use persea::{Collection, Database, Error, Import, ImportOptions, ImportReport, OnDuplicate, vpack};
use serde_json::json;

/// So large that a batch holds some dozens of them.
const PADDING_BYTES: usize = 150_000;
/// More than two batches.
const N_DOCUMENTS: u64 = 130;

struct World {
    _folder: tempfile::TempDir,
    database: Database,
    collection: Collection,
}

impl World {
    /// A collection with the documents `a` and `b`.
    fn new() -> World {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(folder.path()).unwrap();
        let collection = database.create_collection("things").unwrap();
        collection.ensure_index(&["value"], true).unwrap();
        for (key, value) in [("a", 1), ("b", 2)] {
            collection.insert(&json!({ "_key": key, "value": value })).unwrap();
        }
        World { _folder: folder, database, collection }
    }

    fn overwrite(&self, complete: bool) -> Import {
        self.collection
            .import(ImportOptions { complete, overwrite: true, ..ImportOptions::default() })
            .unwrap()
    }

    fn keys(&self) -> Vec<String> {
        let rows = self.database.query("FOR t IN things SORT t._key RETURN t._key").rows().unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    }
}

/// Pushes documents in several batches, in the last of which two have the same value.
fn push_all(import: &mut Import, last_value: u64) -> Result<(), Error> {
    let padding = "x".repeat(PADDING_BYTES);
    for number in 0..N_DOCUMENTS {
        let value = if number + 1 == N_DOCUMENTS { last_value } else { number };
        let key = format!("k{number:03}");
        let document = vpack!({ "_key": key, "value": value, "padding": (padding.as_str()) });
        import.push(number, document.as_slice())?;
    }
    Ok(())
}

#[test]
fn a_complete_import_that_fails_leaves_what_was_there() {
    let world = World::new();
    let mut import = world.overwrite(true);
    let pushed = push_all(&mut import, 3);
    let number = match pushed {
        Ok(()) => import.finish().unwrap_err().number(),
        Err(error) => error.number(),
    };
    assert_eq!((number, world.keys()), (1210, vec!["a".to_owned(), "b".to_owned()]));
    // An early one too, which is found while more is pushed.
    let mut import = world.overwrite(true);
    import.push(0, vpack!({ "_key": "k001" }).as_slice()).unwrap();
    assert_eq!(push_all(&mut import, 999).unwrap_err().number(), 1210);
    drop(import);
    assert_eq!(world.keys(), ["a", "b"]);
}

#[test]
fn what_was_there_can_be_read_until_the_end() {
    for complete in [false, true] {
        let world = World::new();
        let mut import = world.overwrite(complete);
        push_all(&mut import, 999).unwrap();
        assert_eq!(world.keys(), ["a", "b"]);
        world.collection.insert(&json!({ "_key": "c" })).unwrap();
        let report = import.finish().unwrap();
        assert_eq!(report, ImportReport { created: N_DOCUMENTS, ..ImportReport::default() });
        assert_eq!(
            (world.keys().len() as u64, world.collection.count().unwrap()),
            (N_DOCUMENTS, N_DOCUMENTS)
        );
        assert_eq!(world.collection.insert(&json!({ "value": 999 })).unwrap_err().number(), 1210);
    }
}

#[test]
fn what_is_given_up_leaves_what_was_there() {
    let world = World::new();
    let mut import = world.overwrite(false);
    push_all(&mut import, 999).unwrap();
    drop(import);
    assert_eq!(world.keys(), ["a", "b"]);
    assert_eq!(world.collection.count().unwrap(), 2);
}

#[test]
fn errors_of_documents_are_counted() {
    let world = World::new();
    let mut import = world.overwrite(false);
    push_all(&mut import, 3).unwrap();
    let report = import.finish().unwrap();
    assert_eq!((report.created, report.errors), (N_DOCUMENTS - 1, 1));
    assert_eq!(world.keys().len() as u64, N_DOCUMENTS - 1);
    // Duplicates are those of the import.
    let options =
        ImportOptions { overwrite: true, on_duplicate: OnDuplicate::Ignore, ..ImportOptions::default() };
    let mut import = world.collection.import(options).unwrap();
    for (position, key) in ["k001", "z", "z"].into_iter().enumerate() {
        import.push(position as u64, vpack!({ "_key": key, "value": (position as u64) }).as_slice()).unwrap();
    }
    let report = import.finish().unwrap();
    assert_eq!((report.created, report.ignored), (2, 1));
    assert_eq!(world.keys(), ["k001", "z"]);
}

#[test]
fn nothing_imported_is_nothing_left() {
    for complete in [false, true] {
        let world = World::new();
        assert_eq!(world.overwrite(complete).finish().unwrap(), ImportReport::default());
        assert_eq!(world.keys(), [""; 0]);
    }
}

#[test]
fn it_is_there_after_a_restart() {
    let World { _folder: folder, database, collection } = World::new();
    let options = ImportOptions { overwrite: true, wait_for_sync: true, ..ImportOptions::default() };
    let mut import = collection.import(options).unwrap();
    push_all(&mut import, 999).unwrap();
    import.finish().unwrap();
    drop((database, collection));
    let database = Database::open(folder.path()).unwrap();
    let collection = database.collection("things").unwrap();
    assert_eq!(collection.count().unwrap(), N_DOCUMENTS);
    assert!(collection.get_vpack("a").unwrap().is_none());
    let by_value = database.query("FOR t IN things FILTER t.value == 999 RETURN t._key").rows().unwrap();
    assert_eq!(by_value.collect::<Result<Vec<String>, _>>().unwrap(), ["k129"]);
}

#[test]
fn inside_of_a_transaction() {
    for complete in [false, true] {
        let world = World::new();
        let transaction = world.database.begin().unwrap();
        let inside = transaction.collection("things").unwrap();
        let options = || ImportOptions { complete, overwrite: true, ..ImportOptions::default() };
        let mut import = inside.import(options()).unwrap();
        for (key, value) in [("c", 1), ("d", 2), ("c", 3)] {
            import.push(0, vpack!({ "_key": key, "value": value }).as_slice()).unwrap();
        }
        // Of a complete import that fails nothing stays in the transaction, not even that the rest was removed.
        let n_inside = match import.finish() {
            Ok(report) => {
                assert!(!complete);
                assert_eq!((report.created, report.errors), (2, 1));
                2
            }
            Err(error) => {
                assert!(complete);
                assert_eq!(error.number(), 1210);
                assert!(inside.get_vpack("a").unwrap().is_some());
                2
            }
        };
        assert_eq!((inside.count().unwrap(), world.keys()), (n_inside, vec!["a".to_owned(), "b".to_owned()]));
        let mut import = inside.import(options()).unwrap();
        import.push(0, vpack!({ "_key": "e" }).as_slice()).unwrap();
        assert_eq!(import.finish().unwrap().created, 1);
        assert_eq!((inside.count().unwrap(), world.keys().len()), (1, 2));
        transaction.commit().unwrap();
        assert_eq!(world.keys(), ["e"]);
    }
}

#[test]
fn changes_of_the_collection_meanwhile() {
    let world = World::new();
    let mut import = world.overwrite(true);
    import.push(0, vpack!({ "_key": "c" }).as_slice()).unwrap();
    world.collection.ensure_index(&["other"], false).unwrap();
    assert_eq!(import.finish().unwrap_err().number(), 1200);
    assert_eq!(world.keys(), ["a", "b"]);
    let import = world.overwrite(false);
    world.database.drop_collection("things", false).unwrap();
    assert_eq!(import.finish().unwrap_err().number(), 1203);
}
