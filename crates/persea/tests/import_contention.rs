//! Imports of documents that others write at the same time.
#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use std::thread;
use std::time::{Duration, Instant};

use persea::{Collection, Database, ImportOptions, ImportReport, OnDuplicate, OwnedTransaction, vpack};
use serde_json::json;

/// So large that a batch holds some dozens of them.
const PADDING_BYTES: usize = 150_000;
/// Nothing in these tests takes as long, unless it hangs.
const FOR_EVER: Duration = Duration::from_secs(120);

fn world() -> (Database, Collection) {
    let database = Database::in_memory().unwrap();
    let collection = database.create_collection("things").unwrap();
    (database, collection)
}

/// A transaction that has inserted these documents.
fn holder(database: &Database, numbers: impl Iterator<Item = u64>) -> OwnedTransaction {
    let holder = database.begin().unwrap();
    let collection = holder.collection("things").unwrap();
    for number in numbers {
        collection.insert(&json!({ "_key": format!("k{number}") })).unwrap();
    }
    holder
}

/// Imports the documents `k0` and so on.
fn import(collection: &Collection, n_documents: u64, document_timeout: Duration) -> ImportReport {
    let options = ImportOptions { details: true, document_timeout, ..ImportOptions::default() };
    let mut import = collection.import(options).unwrap();
    for number in 0..n_documents {
        let key = format!("k{number}");
        import.push(number, vpack!({ "_key": key }).as_slice()).unwrap();
    }
    import.finish().unwrap()
}

#[track_caller]
fn await_true(what: &str, is_true: impl Fn() -> bool) {
    let deadline = Instant::now() + FOR_EVER;
    while !is_true() {
        assert!(Instant::now() < deadline, "{what}");
        thread::yield_now();
    }
}

#[test]
fn a_document_that_another_holds_is_waited_for() {
    let (database, collection) = world();
    let holder = holder(&database, 3..4);
    let report = thread::scope(|scope| {
        let import = scope.spawn(|| import(&collection, 10, FOR_EVER));
        await_true("it waits", || database.instance().storage_metrics().waiting_transactions == 1);
        // It holds nothing meanwhile, and what came before is written.
        assert_eq!(collection.count().unwrap(), 3);
        collection.insert(&json!({ "_key": "k4" })).unwrap();
        // Longer than a call for many documents waits.
        thread::sleep(Duration::from_millis(2_200));
        holder.abort();
        import.join().unwrap()
    });
    assert_eq!((report.created, report.errors), (9, 1));
    assert!(
        report.details[0]
            .starts_with("at position 4: creating document failed with error 'unique constraint")
    );
    assert_eq!(collection.count().unwrap(), 10);
}

/// One that ends its transaction much later, if ever, holds the import up for a moment only, however many documents it has.
#[test]
fn documents_that_are_held_for_too_long_are_errors() {
    let (database, collection) = world();
    let holder = holder(&database, 100..400);
    let begun = Instant::now();
    let report = import(&collection, 500, Duration::from_millis(200));
    let elapsed = begun.elapsed();
    assert_eq!((report.created, report.errors), (200, 300));
    for (number, message) in (100..).zip(&report.details) {
        let expected = format!(
            "at position {number}: creating document failed with error 'conflict', offending document: {{\"_key\":\"k{number}\"}}"
        );
        assert_eq!(*message, expected);
    }
    assert!(elapsed >= Duration::from_millis(200), "{elapsed:?}");
    // Twice as much as one may wait, and whatever the machine needs.
    assert!(elapsed < Duration::from_secs(20), "{elapsed:?}");
    holder.commit().unwrap();
    assert_eq!(collection.count().unwrap(), 500);
    // The next one finds them, and waits for nobody.
    assert_eq!(import(&collection, 500, FOR_EVER).errors, 500);
}

/// A document that waits for a unique value holds its key, which the holder of the value may want: the import comes out of
/// the deadlock, and the other transaction goes on.
#[test]
fn a_deadlock_is_come_out_of() {
    for is_committed in [false, true] {
        let (database, collection) = world();
        collection.ensure_index(&["value"], true).unwrap();
        let holder = database.begin().unwrap();
        let inside = holder.collection("things").unwrap();
        inside.insert(&json!({ "_key": "x", "value": 7 })).unwrap();
        let report = thread::scope(|scope| {
            let import = scope.spawn(|| {
                let options =
                    ImportOptions { details: true, document_timeout: FOR_EVER, ..ImportOptions::default() };
                let mut import = collection.import(options).unwrap();
                import.push(0, vpack!({ "_key": "y", "value": 1 }).as_slice()).unwrap();
                import.push(1, vpack!({ "_key": "k", "value": 7 }).as_slice()).unwrap();
                import.push(2, vpack!({ "_key": "z", "value": 2 }).as_slice()).unwrap();
                import.finish().unwrap()
            });
            let metrics = || database.instance().storage_metrics();
            await_true("it waits", || metrics().waiting_transactions == 1);
            inside.insert(&json!({ "_key": "k", "value": 8 })).unwrap();
            assert_eq!(metrics().deadlocks, 1);
            await_true("it waits again", || metrics().lock_waits >= 3 && metrics().waiting_transactions == 1);
            if is_committed {
                holder.commit().unwrap();
            } else {
                holder.abort();
            }
            import.join().unwrap()
        });
        let n_created = if is_committed { 2 } else { 3 };
        assert_eq!((report.created, report.errors), (n_created, 3 - n_created), "{:?}", report.details);
        assert_eq!(collection.count().unwrap(), if is_committed { 4 } else { 3 });
    }
}

/// Two imports of the same documents in opposite orders, several batches each: both come to their end, without any error.
#[test]
fn imports_of_the_same_documents_at_once() {
    const N_DOCUMENTS: u64 = 130;
    let padding = "x".repeat(PADDING_BYTES);
    for on_duplicate in [OnDuplicate::Replace, OnDuplicate::Update, OnDuplicate::Ignore] {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(folder.path()).unwrap();
        let collection = database.create_collection("things").unwrap();
        collection.ensure_index(&["value"], true).unwrap();
        let run = |is_reversed: bool| {
            let options =
                ImportOptions { on_duplicate, document_timeout: FOR_EVER, ..ImportOptions::default() };
            let mut import = collection.import(options).unwrap();
            for number in 0..N_DOCUMENTS {
                let number = if is_reversed { N_DOCUMENTS - 1 - number } else { number };
                let key = format!("k{number}");
                let document = vpack!({ "_key": key, "value": number, "by": is_reversed, "padding": (padding.as_str()) });
                import.push(number, document.as_slice()).unwrap();
            }
            import.finish().unwrap()
        };
        let reports = thread::scope(|scope| {
            let threads = [false, true].map(|is_reversed| scope.spawn(move || run(is_reversed)));
            threads.map(|thread| thread.join().unwrap())
        });
        let sum = |count: fn(&ImportReport) -> u64| reports.iter().map(count).sum::<u64>();
        assert_eq!(sum(|report| report.created), N_DOCUMENTS, "{on_duplicate:?} {reports:?}");
        assert_eq!(
            sum(|report| report.updated + report.ignored),
            N_DOCUMENTS,
            "{on_duplicate:?} {reports:?}"
        );
        assert_eq!(sum(|report| report.errors), 0);
        assert_eq!(collection.count().unwrap(), N_DOCUMENTS);
    }
}
