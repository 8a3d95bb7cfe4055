//! Locks of collections, in the process.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that can't go on fails there and then")]

use std::time::{Duration, Instant};

use persea::{Database, Error, QueryOptions, TransactionOptions, UndeclaredCollections, vpack};
use serde_json::{Value, json};

const SHORT: Duration = Duration::from_millis(50);

/// Returns once so many transactions wait for locks.
#[track_caller]
fn await_waiting(db: &Database, n_waiting: u64) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while db.instance().storage_metrics().waiting_transactions < n_waiting {
        assert!(Instant::now() < deadline, "they don't wait");
        std::thread::yield_now();
    }
}

#[track_caller]
fn number<T>(outcome: Result<T, Error>) -> u16 {
    outcome.err().expect("an error").number()
}

fn exclusive(names: &[&str]) -> TransactionOptions {
    TransactionOptions {
        exclusive: names.iter().map(|name| (*name).to_owned()).collect(),
        ..TransactionOptions::default()
    }
}

#[test]
fn writers_wait_for_an_exclusive_holder() {
    let db = Database::in_memory().unwrap();
    let c = db.create_collection("c").unwrap();
    let holder = db.begin_with(&exclusive(&["c"])).unwrap();
    holder.insert(&c, &json!({ "_key": "held" })).unwrap();
    std::thread::scope(|scope| {
        let writers = [
            scope.spawn(|| c.insert(&json!({})).map(drop)),
            scope.spawn(|| db.query("INSERT {} INTO c").run().map(drop)),
            scope.spawn(|| db.transaction(|tx| tx.update(&c, "held", &json!({ "n": 1 })).map(drop))),
            scope.spawn(|| {
                let tx = db.begin()?;
                tx.insert(&c, &json!({}))?;
                tx.commit()
            }),
            scope.spawn(|| c.truncate(false)),
        ];
        await_waiting(&db, writers.len() as u64);
        assert!(writers.iter().all(|writer| !writer.is_finished()));
        assert_eq!(c.count().unwrap(), 0, "reading does not wait");
        holder.commit().unwrap();
        let outcomes: Vec<_> = writers.into_iter().map(|writer| writer.join().unwrap()).collect();
        // Those that ran into the truncation are told so.
        for outcome in outcomes {
            assert!(matches!(outcome.map_err(|error| error.number()), Ok(()) | Err(1200 | 1202)));
        }
    });
}

#[test]
fn locks_have_timeouts() {
    let db = Database::in_memory().unwrap();
    let c = db.create_collection("c").unwrap();
    let writer = db.begin().unwrap();
    writer.insert(&c, &json!({})).unwrap();
    let impatient = |options: TransactionOptions| TransactionOptions { lock_timeout: Some(SHORT), ..options };
    assert_eq!(number(db.begin_with(&impatient(exclusive(&["c"])))), 18);
    assert_eq!(number(db.transaction_with(&impatient(exclusive(&["c"])), |_| Ok(()))), 18);
    let options = QueryOptions { lock_timeout: Some(SHORT), ..QueryOptions::default() };
    let query = db.query("INSERT {} INTO c OPTIONS { exclusive: true }").options(options.clone());
    assert_eq!(number(query.run()), 18);
    writer.commit().unwrap();
    let holder = db.begin_with(&exclusive(&["c"])).unwrap();
    let other = db.begin_with(&impatient(TransactionOptions::default())).unwrap();
    // The operation fails, the transaction goes on.
    assert_eq!(number(other.insert(&c, &json!({}))), 18);
    assert_eq!(number(db.query("INSERT {} INTO c").options(options).run()), 18);
    holder.commit().unwrap();
    other.insert(&c, &json!({})).unwrap();
    other.commit().unwrap();
    assert_eq!(c.count().unwrap(), 2);
}

#[test]
fn a_closure_that_declares() {
    let db = Database::in_memory().unwrap();
    let (a, b) = (db.create_collection("a").unwrap(), db.create_collection("b").unwrap());
    let options = TransactionOptions {
        read: vec!["b".to_owned()],
        undeclared: UndeclaredCollections::Refuse,
        ..exclusive(&["a"])
    };
    let in_vain = TransactionOptions { lock_timeout: Some(Duration::ZERO), ..exclusive(&["a"]) };
    db.transaction_with(&options, |tx| {
        assert_eq!(number(db.begin_with(&in_vain)), 18);
        assert_eq!(number(tx.insert(&b, &json!({}))), 1652);
        assert_eq!(tx.get::<Value>(&b, "1")?, None);
        tx.insert(&a, &json!({ "_key": "1" }))
    })
    .unwrap();
    db.begin_with(&in_vain).unwrap().commit().unwrap();
    assert_eq!((a.count().unwrap(), b.count().unwrap()), (1, 0));
    let unknown = db.transaction_with(&exclusive(&["nowhere"]), |_| Ok(()));
    assert_eq!(number(unknown), 1203);
}

#[test]
fn who_waits_behind_a_drop_finds_the_collection_gone() {
    let db = Database::in_memory().unwrap();
    let c = db.create_collection("c").unwrap();
    let holder = db.begin_with(&exclusive(&["c"])).unwrap();
    std::thread::scope(|scope| {
        let dropping = scope.spawn(|| db.drop_collection("c", false).map(drop));
        await_waiting(&db, 1);
        let late = [
            scope.spawn(|| db.begin_with(&exclusive(&["c"])).map(drop)),
            scope.spawn(|| c.insert(&json!({})).map(drop)),
            scope.spawn(|| db.query("INSERT {} INTO c").run().map(drop)),
            scope.spawn(|| db.query("FOR d IN c UPDATE d WITH {} IN c").run().map(drop)),
        ];
        await_waiting(&db, 1 + late.len() as u64);
        holder.insert(&c, &json!({})).unwrap();
        holder.commit().unwrap();
        dropping.join().unwrap().unwrap();
        for outcome in late {
            assert_eq!(number(outcome.join().unwrap()), 1203);
        }
    });
    assert_eq!(db.instance().storage_metrics().locked_collections, 0);
}

/// Each of two locks a collection and wants the other's.
#[test]
fn a_deadlock_costs_one_of_its_members() {
    let db = Database::in_memory().unwrap();
    let (a, b) = (db.create_collection("a").unwrap(), db.create_collection("b").unwrap());
    let (first, second) =
        (db.begin_with(&exclusive(&["a"])).unwrap(), db.begin_with(&exclusive(&["b"])).unwrap());
    let begun = Instant::now();
    let outcomes = std::thread::scope(|scope| {
        let threads = [(first, &b), (second, &a)].map(|(transaction, wanted)| {
            scope.spawn(move || {
                transaction.insert(wanted, &json!({}))?;
                transaction.commit()
            })
        });
        threads.map(|thread| thread.join().unwrap().map_err(|error| error.number()))
    });
    assert!(outcomes == [Ok(()), Err(29)] || outcomes == [Err(29), Ok(())], "{outcomes:?}");
    assert!(begun.elapsed() < Duration::from_secs(60));
    assert_eq!(a.count().unwrap() + b.count().unwrap(), 1);
}

/// Transactions by closure are tried again, so nobody notices that they would have waited for each other for good.
#[test]
fn closures_in_any_order_all_commit() {
    let db = Database::in_memory().unwrap();
    let names = ["a", "b", "c"];
    let collections = names.map(|name| db.create_collection(name).unwrap());
    std::thread::scope(|scope| {
        for thread in 0..4_usize {
            let (db, collections) = (&db, &collections);
            scope.spawn(move || {
                for round in 0..50 {
                    let first = (thread + round) % 3;
                    // Exclusive over the first, and the others in any order.
                    let work = |tx: &mut persea::Transaction<'_>| {
                        (0..3).try_for_each(|step| {
                            let collection = &collections[(first + step * (1 + thread % 2)) % 3];
                            tx.insert(collection, &json!({})).map(drop)
                        })
                    };
                    db.transaction_with(&exclusive(&[names[first]]), work).unwrap();
                }
            });
        }
    });
    let total: u64 = collections.iter().map(|collection| collection.count().unwrap()).sum();
    assert_eq!(total, 600);
}

#[test]
fn a_query_commits_in_between() {
    let db = Database::in_memory().unwrap();
    let c = db.create_collection("c").unwrap();
    let run = |text: &str, options: &QueryOptions| db.query(text).options(options.clone()).run();
    let by_count = QueryOptions { intermediate_commit_count: Some(10), ..QueryOptions::default() };
    let failing = "FOR n IN 1..100 INSERT { _key: n == 95 ? '1' : TO_STRING(n) } INTO c";
    assert_eq!(number(run(failing, &QueryOptions::default())), 1210);
    assert_eq!(c.count().unwrap(), 0);
    assert_eq!(number(run(failing, &by_count)), 1210);
    assert_eq!(c.count().unwrap(), 90);
    let by_bytes = QueryOptions { intermediate_commit_bytes: Some(1_000), ..QueryOptions::default() };
    let outcome = run("FOR n IN 1..100 INSERT {} INTO c", &by_bytes).unwrap();
    let stats = outcome.extra.as_slice().get("stats").unwrap();
    let commits = stats.get("intermediateCommits").and_then(|commits| commits.as_u64()).unwrap();
    assert!((2..=50).contains(&commits), "{commits}");
    assert_eq!(c.count().unwrap(), 190);
}

#[test]
fn waits_end_when_the_store_stops_them() {
    let db = Database::in_memory().unwrap();
    let c = db.create_collection("c").unwrap();
    let holder = db.begin_with(&exclusive(&["c"])).unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| c.insert_with(vpack!({}).as_slice(), &persea::WriteOptions::default()));
        await_waiting(&db, 1);
        db.instance().stop_waits();
        assert_eq!(number(waiting.join().unwrap()), 30);
    });
    assert_eq!(number(c.insert(&json!({}))), 30);
    holder.insert(&c, &json!({})).unwrap();
    holder.commit().unwrap();
    c.insert(&json!({})).unwrap();
}
