use super::*;

fn registry(running_max: usize, idle: Duration) -> (Transactions, Database) {
    let limits = Limits { running_max, idle, busy_wait: Duration::from_millis(20) };
    (Transactions::new(limits), Database::in_memory().unwrap())
}

fn begin(transactions: &Transactions, db: &Database) -> String {
    transactions.begin(db, &TransactionOptions::default()).unwrap().to_string()
}

#[test]
fn one_request_at_a_time() {
    let (transactions, db) = registry(9, Duration::from_secs(9));
    let id = begin(&transactions, &db);
    let lease = transactions.lease("_system", &id).unwrap();
    assert_eq!(transactions.lease("_system", &id).err().map(|error| error.number()), Some(1653));
    assert_eq!(transactions.commit("_system", &id).unwrap_err().number(), 1653);
    drop(lease);
    transactions.commit("_system", &id).unwrap();
    transactions.commit("_system", &id).unwrap();
    assert_eq!(transactions.abort("_system", &id).unwrap_err().number(), 1653);
    assert_eq!(transactions.lease("other", &id).err().map(|error| error.number()), Some(1655));
}

#[test]
fn not_too_many_wait() {
    let limits = Limits { running_max: 9, idle: Duration::from_secs(9), busy_wait: Duration::from_secs(5) };
    let (transactions, db) = (Transactions::new(limits), Database::in_memory().unwrap());
    let id = begin(&transactions, &db);
    let lease = transactions.lease("_system", &id).unwrap();
    std::thread::scope(|scope| {
        let waiting: Vec<_> = (0..WAITING_MAX + 3)
            .map(|_| {
                scope.spawn(|| transactions.lease("_system", &id).map(drop).map_err(|error| error.number()))
            })
            .collect();
        std::thread::sleep(Duration::from_millis(300));
        drop(lease);
        let refused = waiting.into_iter().filter_map(|thread| thread.join().unwrap().err());
        assert_eq!(refused.collect::<Vec<_>>(), [1653; 3]);
    });
    transactions.commit("_system", &id).unwrap();
}

#[test]
fn places_come_free() {
    let (transactions, db) = registry(1, Duration::from_secs(9));
    let id = begin(&transactions, &db);
    let refused = transactions.begin(&db, &TransactionOptions::default());
    assert_eq!(refused.unwrap_err().number(), 32);
    transactions.abort("_system", &id).unwrap();
    begin(&transactions, &db);
}

#[test]
fn the_unused_expire() {
    let (transactions, db) = registry(1, Duration::ZERO);
    let id = begin(&transactions, &db);
    let lease = transactions.lease("_system", &id).unwrap();
    transactions.expire();
    assert_eq!(transactions.running("_system").len(), 1, "a request works in it");
    drop(lease);
    // It makes room for the next one.
    let next = begin(&transactions, &db);
    assert_eq!(transactions.status("_system", &id).unwrap().1, Status::Aborted);
    assert_eq!(transactions.commit("_system", &id).unwrap_err().number(), 1653);
    transactions.abort("_system", &next).unwrap();
}

#[test]
fn aborting_waits_for_the_request() {
    let (transactions, db) = registry(9, Duration::from_secs(9));
    let id = begin(&transactions, &db);
    let lease = transactions.lease("_system", &id).unwrap();
    transactions.abort_database("_system");
    assert_eq!(transactions.running("_system").len(), 1);
    drop(lease);
    assert_eq!(transactions.running("_system").len(), 0);
}
