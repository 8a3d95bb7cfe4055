//! What concurrent transactions may see of each other, while checkpoints go on all the time.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test that can't go on may panic")]

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use persea_txn::{
    Bounds, Direction, Durability, Engine, Error, LockMode, Options, ReadView, TransactionManager, Tree,
};
use persea_wal::simulation::{Random, SimulatedStorage};

#[path = "../../../tests/support/crashes.rs"]
mod crashes;
#[path = "../../../tests/support/seeds.rs"]
mod seeds;

use crashes::fork;

const ALL: Bounds<'static> = (Bound::Unbounded, Bound::Unbounded);

/// A delta so small that there is always a checkpoint under way, and a log to match.
fn restless() -> Options {
    let mut options = Options::default();
    options.delta_bytes_max = 40 << 10;
    options.bulk_bytes_min = 4 << 10;
    options.log_segment_bytes = 8 << 10;
    options.sync_interval = Some(Duration::from_millis(3));
    options
}

/// The same without timeouts, which say something of the machine only.
fn patient(mut options: Options) -> Options {
    options.lock_timeouts.key = Duration::MAX;
    options
}

/// Runs the check on every way to keep data.
fn everywhere(check: impl Fn(&TransactionManager)) {
    check(&TransactionManager::open_with(Engine::memory(), patient(Options::default())).unwrap());
    let disk = Arc::new(SimulatedStorage::new(1));
    check(&TransactionManager::open_on(Engine::memory(), disk, patient(restless())).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let engine = Engine::open_lmdb(folder.path(), &persea_kv::Options::default()).unwrap();
    check(&TransactionManager::open_with(engine, patient(restless())).unwrap());
}

fn number(bytes: Option<&[u8]>) -> u64 {
    bytes.map_or(0, |bytes| u64::from_be_bytes(bytes[..8].try_into().unwrap()))
}

fn is_lost_race(error: &Error) -> bool {
    matches!(error, Error::Conflict { .. } | Error::Deadlock)
}

const N_ACCOUNTS: u64 = 20;
const SUM: u64 = N_ACCOUNTS * 1000;

fn sum(view: &ReadView, direction: Direction) -> u64 {
    view.range(Tree::Documents, 1, ALL, direction).unwrap().map(|entry| number(Some(entry.unwrap().1))).sum()
}

fn transfer(manager: &TransactionManager, random: &mut Random) -> Result<(), Error> {
    let (from, to) = (random.below(N_ACCOUNTS), random.below(N_ACCOUNTS));
    let mut transaction = manager.begin()?;
    // In any order, so that there are deadlocks as well as conflicts.
    for account in [from, to] {
        transaction.lock_key(1, &account.to_be_bytes())?;
    }
    let amount = random.below(50).min(number(transaction.get(Tree::Documents, 1, &from.to_be_bytes())?));
    for (account, is_credit) in [(from, false), (to, true)] {
        let balance = number(transaction.get(Tree::Documents, 1, &account.to_be_bytes())?);
        let balance = if is_credit { balance + amount } else { balance - amount };
        // Some large enough for the bulk path.
        let mut value = balance.to_be_bytes().to_vec();
        value.resize(if random.percent(2) { 5000 } else { 60 }, 0);
        transaction.put(Tree::Documents, 1, &account.to_be_bytes(), &value)?;
        if random.percent(30) {
            assert_eq!(
                sum(&transaction.view()?, Direction::Forward),
                if is_credit { SUM } else { SUM - amount }
            );
        }
    }
    let durability = if random.percent(2) { Durability::Synced } else { Durability::Buffered };
    transaction.commit(durability).map(drop)
}

#[test]
fn transfers_between_accounts_keep_the_sum() {
    let n_transfers = seeds::number("PERSEA_TRANSFERS").unwrap_or(600);
    seeds::for_each(1, |seed| everywhere(|manager| transfers(manager, seed, n_transfers)));
}

fn transfers(manager: &TransactionManager, seed: u64, n_transfers: u64) {
    let mut transaction = manager.begin().unwrap();
    for account in 0..N_ACCOUNTS {
        transaction.put(Tree::Documents, 1, &account.to_be_bytes(), &1000_u64.to_be_bytes()).unwrap();
    }
    transaction.commit(Durability::Buffered).unwrap();
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|thread| {
                scope.spawn(move || {
                    let mut random = Random::new(seed * 4 + thread);
                    for _ in 0..n_transfers {
                        while let Err(error) = transfer(manager, &mut random) {
                            assert!(is_lost_race(&error), "{error}");
                        }
                    }
                })
            })
            .collect();
        let reader = scope.spawn(|| {
            let mut kept: Vec<ReadView> = Vec::new();
            while !is_over.load(Ordering::Acquire) {
                let view = manager.snapshot().unwrap();
                assert_eq!(sum(&view, Direction::Forward), SUM);
                assert_eq!(sum(&view, Direction::Reverse), SUM);
                let singly = (0..N_ACCOUNTS)
                    .map(|account| number(view.get(Tree::Documents, 1, &account.to_be_bytes()).unwrap()));
                assert_eq!(singly.sum::<u64>(), SUM);
                kept.push(view);
                if kept.len() > 30 {
                    assert_eq!(sum(&kept.swap_remove(kept.len() / 2), Direction::Forward), SUM);
                }
            }
        });
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        is_over.store(true, Ordering::Release);
        reader.join().unwrap();
    });
    assert_eq!(sum(&manager.snapshot().unwrap(), Direction::Forward), SUM);
    manager.checkpoint().unwrap();
    assert_eq!(sum(&manager.snapshot().unwrap(), Direction::Reverse), SUM);
    let metrics = manager.metrics();
    assert_eq!((metrics.lock_timeouts, metrics.tracked_keys, metrics.active_transactions), (0, 0, 0));
}

/// What one transaction has done, for the judge.
#[derive(Debug)]
struct Trace {
    snapshot: u64,
    reads: Vec<(u64, u64)>,
    written: Vec<u64>,
    /// Its commit, and the value that it has written to its keys.
    commit: Option<(u64, u64)>,
}

const N_KEYS: u64 = 6;

fn random_transaction(
    manager: &TransactionManager,
    random: &mut Random,
    value: u64,
    trace: &mut Trace,
) -> Result<u64, Error> {
    let mut transaction = manager.begin()?;
    trace.snapshot = transaction.snapshot_seq().0;
    for _ in 0..random.below(6) + 1 {
        let key = random.below(N_KEYS);
        if random.percent(60) {
            let found = number(transaction.get(Tree::Index, 1, &key.to_be_bytes())?);
            if trace.written.contains(&key) {
                assert_eq!(found, value, "own writes are read");
            } else {
                trace.reads.push((key, found));
            }
        } else {
            transaction.lock_key(1, &key.to_be_bytes())?;
            transaction.put(Tree::Index, 1, &key.to_be_bytes(), &value.to_be_bytes())?;
            trace.written.push(key);
        }
    }
    if random.percent(10) {
        transaction.abort();
        return Ok(0);
    }
    transaction.commit(Durability::Buffered).map(|seq| seq.0)
}

/// Snapshot isolation: each read finds the latest commit of its snapshot, also in transactions that failed; and of two
/// transactions that wrote a key the later has seen the earlier.
fn judge(traces: &[Trace]) {
    let mut versions: BTreeMap<u64, BTreeMap<u64, u64>> = BTreeMap::new();
    for trace in traces {
        let Some((seq, value)) = trace.commit else { continue };
        for key in &trace.written {
            let other = versions.entry(*key).or_default().insert(seq, value);
            assert!(other.is_none_or(|other| other == value), "two commits of a key at once");
        }
    }
    for trace in traces {
        for (key, found) in &trace.reads {
            let seen = versions.get(key).and_then(|versions| versions.range(..=trace.snapshot).next_back());
            assert_eq!(*found, seen.map_or(0, |(_, value)| *value), "{trace:?}");
        }
        let Some((seq, _)) = trace.commit else { continue };
        for key in &trace.written {
            let missed = versions.get(key).and_then(|versions| {
                versions.range((Bound::Excluded(trace.snapshot), Bound::Excluded(seq))).next()
            });
            assert_eq!(missed, None, "an update was lost: {trace:?}");
        }
    }
}

#[test]
fn histories_are_snapshot_isolated() {
    seeds::for_each(1, |seed| everywhere(|manager| check_history(manager, seed)));
}

fn check_history(manager: &TransactionManager, seed: u64) {
    let traces = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for thread in 1..=4_u64 {
            let traces = &traces;
            scope.spawn(move || {
                let mut random = Random::new(seed * 4 + thread);
                for round in 1..=500 {
                    let value = round << 8 | thread;
                    let mut trace =
                        Trace { snapshot: 0, reads: Vec::new(), written: Vec::new(), commit: None };
                    match random_transaction(manager, &mut random, value, &mut trace) {
                        Ok(0) => {}
                        Ok(seq) => trace.commit = Some((seq, value)),
                        Err(error) => assert!(is_lost_race(&error), "{error}"),
                    }
                    traces.lock().push(trace);
                }
            });
        }
    });
    judge(&traces.into_inner());
}

#[test]
fn nothing_uncommitted_is_read_and_what_was_read_stays() {
    everywhere(|manager| {
        let mut writer = manager.begin().unwrap();
        let reader = manager.begin().unwrap();
        writer.put(Tree::Meta, 1, b"k", b"v").unwrap();
        assert_eq!(reader.get(Tree::Meta, 1, b"k").unwrap(), None);
        writer.commit(Durability::Buffered).unwrap();
        assert_eq!(reader.get(Tree::Meta, 1, b"k").unwrap(), None);
        manager.checkpoint().unwrap();
        assert_eq!(reader.get(Tree::Meta, 1, b"k").unwrap(), None);
        assert_eq!(manager.snapshot().unwrap().get(Tree::Meta, 1, b"k").unwrap(), Some(&b"v"[..]));
    });
}

/// Two transactions that each read what the other writes both commit: snapshots do not prevent that, locks do.
#[test]
fn write_skew_is_allowed_and_an_exclusive_lock_prevents_it() {
    everywhere(|manager| {
        let (mut one, mut two) = (manager.begin().unwrap(), manager.begin().unwrap());
        for (transaction, reads, writes) in [(&mut one, b"a", b"b"), (&mut two, b"b", b"a")] {
            assert_eq!(transaction.get(Tree::Meta, 1, reads).unwrap(), None);
            transaction.lock_key(1, writes).unwrap();
            transaction.put(Tree::Meta, 1, writes, b"v").unwrap();
        }
        one.commit(Durability::Buffered).unwrap();
        two.commit(Durability::Buffered).unwrap();
        let exclusive = persea_txn::TransactionOptions::locking([(1, LockMode::Exclusive)]);
        let first = manager.begin_with(&exclusive).unwrap();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| manager.begin_with(&exclusive).unwrap().snapshot_seq());
            let mut first = first;
            first.put(Tree::Meta, 1, b"a", b"w").unwrap();
            let seq = first.commit(Durability::Buffered).unwrap();
            assert!(second.join().unwrap() >= seq);
        });
    });
}

/// Threads count up while checkpoints go on; at some moment the process is killed or the power fails.
#[test]
fn a_crash_amid_checkpoints_loses_nothing_acknowledged() {
    const N_THREADS: usize = 3;
    seeds::for_each(40, |round| {
        let disk = SimulatedStorage::new(round);
        let mut engine = Engine::memory();
        let mut storage = disk.clone();
        let mut reached = [0; N_THREADS];
        for life in 0..4 {
            let is_power_failure = (round + life) % 2 == 0;
            let manager =
                TransactionManager::open_on(engine.clone(), Arc::new(storage.clone()), restless()).unwrap();
            let sure: [AtomicU64; N_THREADS] = std::array::from_fn(|thread| AtomicU64::new(reached[thread]));
            let tried: [AtomicU64; N_THREADS] = std::array::from_fn(|thread| AtomicU64::new(reached[thread]));
            let crashed = std::thread::scope(|scope| {
                for thread in 0..N_THREADS {
                    let (manager, sure, tried) = (&manager, &sure[thread], &tried[thread]);
                    let mut random = Random::new(round * 100 + thread as u64);
                    scope.spawn(move || {
                        let key = (thread as u64).to_be_bytes();
                        loop {
                            let mut transaction = manager.begin().unwrap();
                            let next = number(transaction.get(Tree::Documents, 1, &key).unwrap()) + 1;
                            let mut value = next.to_be_bytes().to_vec();
                            transaction.put(Tree::Documents, 1, &key, &value).unwrap();
                            value.resize(if random.percent(2) { 5000 } else { 300 }, 7);
                            transaction.put(Tree::Index, 2, &key, &value).unwrap();
                            let is_synced = random.percent(20);
                            let durability =
                                if is_synced { Durability::Synced } else { Durability::Buffered };
                            tried.store(next, Ordering::SeqCst);
                            match transaction.commit(durability) {
                                Ok(_) if is_synced || !is_power_failure => sure.store(next, Ordering::SeqCst),
                                Ok(_) => {}
                                Err(_) => return,
                            }
                        }
                    });
                }
                std::thread::sleep(Duration::from_micros(500 + round * 131 % 9000));
                let sure = sure.each_ref().map(|sure| sure.load(Ordering::SeqCst));
                let storage = if is_power_failure { disk.power_failure() } else { disk.kill() };
                // What reaches the engine from now on came from commits that were visible before.
                (fork(&engine), storage, sure)
            });
            drop(manager);
            let sure;
            (engine, storage, sure) = crashed;
            let manager =
                TransactionManager::open_on(engine.clone(), Arc::new(storage.clone()), restless()).unwrap();
            let view = manager.snapshot().unwrap();
            for thread in 0..N_THREADS {
                let key = (thread as u64).to_be_bytes();
                let document = number(view.get(Tree::Documents, 1, &key).unwrap());
                let entry = number(view.get(Tree::Index, 2, &key).unwrap());
                assert_eq!(document, entry, "half a commit, round {round}, life {life}");
                let tried = tried[thread].load(Ordering::SeqCst);
                assert!(document >= sure[thread], "round {round}, life {life}: {document} of {sure:?}");
                assert!(document <= tried, "round {round}, life {life}: {document} is more than {tried}");
                reached[thread] = document;
            }
            drop(view);
            drop(manager);
        }
    });
}
