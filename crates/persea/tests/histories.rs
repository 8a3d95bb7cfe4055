//! Snapshot isolation as clients in the process see it: random histories, judged; transfers that keep a sum.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test that can't go on fails there and then")]

use std::sync::atomic::{AtomicBool, Ordering};

use persea::{Collection, Database, Error, OwnedTransaction};
use serde_json::{Value, json};

#[path = "../../../tests/support/histories.rs"]
mod histories;
#[path = "../../../tests/support/seeds.rs"]
mod seeds;

use histories::{Client, INITIAL, Random, Step, Trace, judge, record};

fn trace(begun: u64, ended: u64, steps: &[Step]) -> Trace {
    Trace { steps: steps.to_vec(), is_committed: true, begun, ended }
}

const fn r(key: u64, value: u64) -> Step {
    Step::Read { key, value }
}

const fn w(key: u64, value: u64) -> Step {
    Step::Write { key, value }
}

/// The judge itself: what must not pass, doesn't, by its name.
#[test]
fn the_judge_knows_the_anomalies() {
    let refused = |name: &str, history: &[Trace]| {
        let verdict = judge(history).unwrap_err();
        assert!(verdict.starts_with(name), "{name}: {verdict}");
    };
    let both = trace(1, 10, &[r(1, 0), w(1, 11), r(2, 0), w(2, 12)]);
    refused("lost update", &[trace(1, 9, &[r(1, 0), w(1, 11)]), trace(2, 10, &[r(1, 0), w(1, 21)])]);
    let mut aborted = both.clone();
    aborted.is_committed = false;
    refused("dirty read", &[aborted, trace(2, 9, &[r(1, 11)])]);
    refused("dirty read", &[trace(1, 9, &[r(1, 0), w(1, 11), w(1, 12)]), trace(2, 10, &[r(1, 11)])]);
    refused("non-repeatable read", &[both.clone(), trace(2, 12, &[r(1, 0), r(1, 11)])]);
    refused("an own write", &[trace(1, 9, &[r(1, 0), w(1, 11), r(1, 0)])]);
    refused("read skew", &[both.clone(), trace(2, 12, &[r(1, 0), r(2, 12)])]);
    // Two that saw one write each of two others: there is no one order of these.
    let one = trace(1, 20, &[r(1, 0), w(1, 11)]);
    let two = trace(2, 20, &[r(2, 0), w(2, 21)]);
    let fork = [one, two, trace(3, 20, &[r(1, 11), r(2, 0)]), trace(4, 20, &[r(1, 0), r(2, 21)])];
    refused("read skew", &fork);
    refused("read skew", &[both.clone(), trace(11, 12, &[r(1, 0)])]);
}

#[test]
fn the_judge_lets_pass_what_snapshots_allow() {
    let both = trace(1, 10, &[r(1, 0), w(1, 11), r(2, 0), w(2, 12)]);
    judge(&[both.clone(), trace(2, 12, &[r(1, 0), r(2, 0)]), trace(3, 12, &[r(2, 12), r(1, 11)])]).unwrap();
    judge(&[both, trace(11, 12, &[r(1, 11), w(1, 13), r(1, 13)])]).unwrap();
    let skew = [trace(1, 9, &[r(1, 0), r(2, 0), w(1, 11)]), trace(2, 10, &[r(1, 0), r(2, 0), w(2, 21)])];
    judge(&skew).unwrap();
}

/// One client in the process.
struct Embedded {
    database: Database,
    collection: Collection,
    running: Option<OwnedTransaction>,
}

/// None for a lost race.
fn raced<T>(outcome: Result<T, Error>) -> Option<T> {
    match outcome {
        Ok(value) => Some(value),
        // Conflict, deadlock, timeout of a lock.
        Err(error) if [1200, 29, 18].contains(&error.number()) => None,
        Err(error) => panic!("{error}"),
    }
}

impl Client for Embedded {
    fn begin(&mut self) {
        self.running = Some(self.database.begin().unwrap());
    }

    fn read(&mut self, key: u64) -> Option<u64> {
        let found = self.running.as_ref()?.get::<Value>(&self.collection, &key.to_string());
        Some(raced(found)?.map_or(INITIAL, |document| document["n"].as_u64().unwrap()))
    }

    fn read_all(&mut self) -> Option<Vec<(u64, u64)>> {
        let query = self.running.as_ref()?.query("FOR d IN c RETURN [TO_NUMBER(d._key), d.n]");
        let rows = raced(query.rows::<(u64, u64)>())?;
        raced(rows.collect())
    }

    fn write(&mut self, key: u64, value: u64, is_there: bool) -> bool {
        let Some(running) = &self.running else { return false };
        let key = key.to_string();
        let outcome = match (is_there, value % 2) {
            (true, 0) => running.update(&self.collection, &key, &json!({ "n": value })).map(drop),
            (true, _) => {
                let query = running.query("UPDATE @key WITH { n: @n } IN c");
                query.bind("key", &key).bind("n", &value).run().map(drop)
            }
            (false, _) => running.insert(&self.collection, &json!({ "_key": key, "n": value })).map(drop),
        };
        match outcome {
            // Somebody else has inserted it, after this one's snapshot.
            Err(error) if error.number() == 1210 && !is_there => false,
            outcome => raced(outcome).is_some(),
        }
    }

    fn commit(&mut self) -> bool {
        self.running.take().is_some_and(|running| raced(running.commit()).is_some())
    }

    fn abort(&mut self) {
        self.running = None;
    }
}

fn check(database: &Database, seed: u64) {
    database.create_collection("c").unwrap();
    let client = |_| Embedded {
        database: database.clone(),
        collection: database.collection("c").unwrap(),
        running: None,
    };
    let history = record((0..4).map(client).collect(), 150, seed);
    let n_committed = history.iter().filter(|trace| trace.is_committed).count();
    assert!(n_committed > 30, "only {n_committed} commits");
    if let Err(verdict) = judge(&history) {
        panic!("{verdict}");
    }
}

#[test]
fn random_histories_are_snapshot_isolated() {
    seeds::for_each(6, |seed| {
        check(&Database::in_memory().unwrap(), seed);
        let folder = tempfile::tempdir().unwrap();
        check(&Database::open(folder.path()).unwrap(), seed);
    });
}

/// Money moves between accounts by documents and by queries; nobody ever sees some of it missing.
#[test]
fn transfers_keep_the_sum() {
    const N_ACCOUNTS: u64 = 12;
    const SUM: u64 = N_ACCOUNTS * 100;
    let n_rounds = seeds::number("PERSEA_TRANSFERS").unwrap_or(150);
    seeds::for_each(1, |seed| {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::open(folder.path()).unwrap();
        let accounts = database.create_collection("accounts").unwrap();
        for account in 0..N_ACCOUNTS {
            accounts.insert(&json!({ "_key": account.to_string(), "amount": 100 })).unwrap();
        }
        let transfer = |random: &mut Random| -> Result<(), Error> {
            let (from, to) = (random.below(N_ACCOUNTS).to_string(), random.below(N_ACCOUNTS).to_string());
            let running = database.begin()?;
            if random.below(2) == 0 {
                let query = "FOR a IN accounts FILTER a._key IN [@from, @to] AND @from != @to
                             UPDATE a WITH { amount: a.amount + (a._key == @to ? 1 : -1) } IN accounts";
                running.query(query).bind("from", &from).bind("to", &to).run()?;
            } else {
                for (account, change) in [(&from, -1), (&to, 1)] {
                    let amount =
                        running.get::<Value>(&accounts, account)?.unwrap()["amount"].as_i64().unwrap();
                    running.update(&accounts, account, &json!({ "amount": amount + change }))?;
                }
            }
            running.commit()
        };
        let sum = || {
            let query = database.query("RETURN SUM(FOR a IN accounts RETURN a.amount)");
            query.rows::<u64>().unwrap().next().unwrap().unwrap()
        };
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..3)
                .map(|thread| {
                    let transfer = &transfer;
                    scope.spawn(move || {
                        let mut random = Random(seed * 10 + thread);
                        (0..n_rounds).filter(|_| raced(transfer(&mut random)).is_some()).count()
                    })
                })
                .collect();
            scope.spawn(|| {
                while !is_over.load(Ordering::Acquire) {
                    assert_eq!(sum(), SUM);
                }
            });
            let n_done: usize = writers.into_iter().map(|writer| writer.join().unwrap()).sum();
            is_over.store(true, Ordering::Release);
            assert!(n_done > 0, "every transfer lost a race");
        });
        assert_eq!(sum(), SUM);
    });
}
