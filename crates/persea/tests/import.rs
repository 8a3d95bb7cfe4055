//! Imports of several batches: the outcome is that of one document after the other.
#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use std::collections::BTreeMap;

use persea::{Collection, Database, ImportOptions, ImportReport, OnDuplicate, VPackBuf, vpack};
use serde_json::{Value, json};

/// So large that a batch holds some dozens of them.
const PADDING_BYTES: usize = 150_000;
const N_DOCUMENTS: u64 = 400;

fn document(number: u64, key: u64) -> VPackBuf {
    let mut document = json!({ "_key": format!("k{key}"), "padding": "x".repeat(PADDING_BYTES) });
    document[format!("field{}", number % 3)] = json!(number);
    persea_vpack::to_vpack(&document).unwrap()
}

/// What the documents are in the end, without their padding, and what the import reports.
fn expected(keys: &[u64], on_duplicate: OnDuplicate) -> (BTreeMap<u64, Value>, ImportReport) {
    let mut documents = BTreeMap::<u64, Value>::new();
    let mut report = ImportReport::default();
    for (number, key) in (0_u64..).zip(keys) {
        let field = format!("field{}", number % 3);
        match (documents.get_mut(key), on_duplicate) {
            (None, _) => {
                documents.insert(*key, json!({ field: number }));
                report.created += 1;
            }
            (Some(_), OnDuplicate::Error) => report.errors += 1,
            (Some(_), OnDuplicate::Ignore) => report.ignored += 1,
            (Some(old), OnDuplicate::Replace) => {
                *old = json!({ field: number });
                report.updated += 1;
            }
            (Some(old), OnDuplicate::Update) => {
                old[field] = json!(number);
                report.updated += 1;
            }
        }
    }
    (documents, report)
}

fn import(collection: &Collection, keys: &[u64], on_duplicate: OnDuplicate) -> ImportReport {
    let mut import = collection.import(ImportOptions { on_duplicate, ..ImportOptions::default() }).unwrap();
    for (number, key) in (0_u64..).zip(keys) {
        import.push(number, document(number, *key).as_slice()).unwrap();
    }
    import.finish().unwrap()
}

fn documents(database: &Database) -> BTreeMap<u64, Value> {
    let query = "FOR d IN things RETURN [TO_NUMBER(SUBSTRING(d._key, 1)), UNSET(d, '_key', '_id', '_rev', 'padding')]";
    let rows = database.query(query).run().unwrap().rows;
    rows.iter().map(|row| serde_json::from_str::<(u64, Value)>(&row.to_string()).unwrap()).collect()
}

#[test]
fn documents_of_several_batches_come_one_after_the_other() {
    let distinct: Vec<u64> = (0..N_DOCUMENTS).collect();
    // Each key comes again in the next batch or the one behind it.
    let near: Vec<u64> = (0..N_DOCUMENTS).map(|number| number % 70).collect();
    let scattered: Vec<u64> = (0..N_DOCUMENTS).map(|number| number * 7_919 % 251).collect();
    for keys in [distinct, near, scattered] {
        for on_duplicate in
            [OnDuplicate::Error, OnDuplicate::Ignore, OnDuplicate::Replace, OnDuplicate::Update]
        {
            let database = Database::in_memory().unwrap();
            let collection = database.create_collection("things").unwrap();
            let report = import(&collection, &keys, on_duplicate);
            let (expected_documents, expected_report) = expected(&keys, on_duplicate);
            assert_eq!(report, expected_report, "{on_duplicate:?}");
            assert_eq!(documents(&database), expected_documents, "{on_duplicate:?}");
            assert_eq!(collection.count().unwrap(), expected_documents.len() as u64);
        }
    }
}

/// The value of the one is the other's, in another batch; the unique index must find it there as well.
#[test]
fn unique_values_are_unique_across_batches() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path()).unwrap();
    let collection = database.create_collection("things").unwrap();
    collection.ensure_index(&["value"], true).unwrap();
    let mut import = collection.import(ImportOptions { details: true, ..ImportOptions::default() }).unwrap();
    let padding = "x".repeat(PADDING_BYTES);
    for number in 0..N_DOCUMENTS {
        let document = vpack!({ "value": (number % 100), "padding": (padding.as_str()) });
        import.push(number, document.as_slice()).unwrap();
    }
    let report = import.finish().unwrap();
    assert_eq!((report.created, report.errors), (100, N_DOCUMENTS - 100));
    let positions = report.details.iter().map(|text| {
        let end = text.strip_prefix("at position ").and_then(|rest| rest.split_once(':'));
        end.unwrap().0.parse::<u64>().unwrap()
    });
    assert_eq!(positions.collect::<Vec<_>>(), (100..N_DOCUMENTS).collect::<Vec<_>>());
}

/// What a document gives up another may have, also if that one is prepared while the change is still being written.
#[test]
fn unique_values_that_are_given_up_are_free_in_the_next_batch() {
    for on_duplicate in [OnDuplicate::Update, OnDuplicate::Replace] {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(folder.path()).unwrap();
        let collection = database.create_collection("things").unwrap();
        collection.ensure_index(&["value"], true).unwrap();
        let padding = "x".repeat(PADDING_BYTES);
        let mut documents = Vec::new();
        for number in 0..N_DOCUMENTS {
            let key = format!("k{number}");
            collection.insert(&json!({ "_key": key, "value": number })).unwrap();
            documents.push(json!({ "_key": key, "value": number + N_DOCUMENTS, "padding": padding }));
            // In this batch or the next.
            if let Some(value) = number.checked_sub(30) {
                documents.push(json!({ "value": value, "padding": padding }));
            }
        }
        let options = ImportOptions { on_duplicate, details: true, ..ImportOptions::default() };
        let mut import = collection.import(options).unwrap();
        for (position, document) in (0_u64..).zip(&documents) {
            import.push(position, persea_vpack::to_vpack(document).unwrap().as_slice()).unwrap();
        }
        let report = import.finish().unwrap();
        assert_eq!(report.details, Vec::<String>::new(), "{on_duplicate:?}");
        assert_eq!((report.created, report.updated), (N_DOCUMENTS - 30, N_DOCUMENTS), "{on_duplicate:?}");
    }
}

/// An import that is dropped leaves nothing that goes on behind the caller's back.
#[test]
fn an_import_that_is_given_up_has_ended() {
    let folder = tempfile::tempdir().unwrap();
    let database = Database::open(folder.path()).unwrap();
    let collection = database.create_collection("things").unwrap();
    let mut import = collection.import(ImportOptions::default()).unwrap();
    for number in 0..N_DOCUMENTS {
        import.push(number, document(number, number).as_slice()).unwrap();
    }
    drop(import);
    let count = collection.count().unwrap();
    assert!(count > 0 && count < N_DOCUMENTS);
    drop((collection, database));
    let database = Database::open(folder.path()).unwrap();
    assert_eq!(database.collection("things").unwrap().count().unwrap(), count);
}

#[test]
fn documents_with_a_unique_value_of_another_are_left_out_where_duplicates_are_ignored() {
    for complete in [false, true] {
        let database = Database::in_memory().unwrap();
        let collection = database.create_collection("things").unwrap();
        collection.ensure_index(&["value"], true).unwrap();
        let options =
            ImportOptions { on_duplicate: OnDuplicate::Ignore, complete, ..ImportOptions::default() };
        let mut import = collection.import(options).unwrap();
        for (position, value) in [1, 2, 1].into_iter().enumerate() {
            import.push(position as u64, vpack!({ "value": value }).as_slice()).unwrap();
        }
        let expected = ImportReport { created: 2, ignored: 1, ..ImportReport::default() };
        assert_eq!(import.finish().unwrap(), expected);
    }
}

/// Whoever goes on after an import's failure is told of it again, and nothing more is written.
#[test]
fn a_complete_import_is_over_with_its_first_error() {
    for overwrite in [false, true] {
        let database = Database::in_memory().unwrap();
        let collection = database.create_collection("things").unwrap();
        collection.insert(&json!({ "_key": "old" })).unwrap();
        let options = ImportOptions { complete: true, overwrite, ..ImportOptions::default() };
        let mut import = collection.import(options).unwrap();
        import.push(0, vpack!({ "_key": "new" }).as_slice()).unwrap();
        let no_object = || persea::Error::with_number(1227, "no object");
        assert_eq!(import.push_error(no_object(), String::new()).unwrap_err().number(), 1227);
        assert_eq!(import.push(1, vpack!({}).as_slice()).unwrap_err().number(), 1227);
        assert_eq!(import.finish().unwrap_err().number(), 1227);
        assert_eq!(collection.count().unwrap(), 1);
        assert!(collection.get_vpack("old").unwrap().is_some());
    }
}
