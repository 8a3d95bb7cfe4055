//! Random calls on a disk that crashes and fails, compared with a list of what must be there.
//!
//! The file system's random choices come from the seed in the case that proptest prints and shrinks.
//! `PERSEA_WAL_CASES` runs another number of cases.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that fails panics")]

mod common;
#[path = "../../../tests/support/seeds.rs"]
mod seeds;

use std::io::ErrorKind;
use std::sync::Arc;

use common::{Seen, open_with, options};
use persea_wal::simulation::{Fault, Operation, SimulatedStorage};
use persea_wal::{Batch, Error, Log, Options, Start, Until};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

#[derive(Debug, Clone)]
enum Step {
    Append { lengths: Vec<u16>, commit_step: u8 },
    Sync,
    Maintain,
    Rotate,
    Trim { percent: u8 },
    ReadBack,
    Reopen,
    Kill,
    PowerFailure,
    CrashSoon { after: u8 },
    Fail { operation: Operation, n_spared: u8, n_failing: u8, error: ErrorKind },
    Heal,
    Fill { free_bytes: u16 },
}

/// What must be in the log, and what may be.
#[derive(Default)]
struct Model {
    records: Vec<Seen>,
    /// The records at the end that a crash or a poisoned append has left in doubt.
    n_doubtful: usize,
    n_synced: usize,
    trimmed_below: u64,
    next_commit: u64,
    next_serial: u64,
}

impl Model {
    fn batch(&mut self, lengths: &[u16], commit_step: u8) -> (Batch, Vec<Seen>) {
        let mut batch = Batch::new();
        let mut records = Vec::new();
        for length in lengths {
            self.next_commit += u64::from(commit_step);
            self.next_serial += 1;
            // The number at the beginning makes each payload the only one of its kind.
            let mut payload = self.next_serial.to_le_bytes().to_vec();
            payload.extend((0..*length).map(|at| (at as u8).wrapping_mul(self.next_serial as u8)));
            batch.push(self.next_commit, *length, &payload);
            records.push((self.next_commit, *length, payload));
        }
        (batch, records)
    }

    fn n_certain(&self) -> usize {
        self.records.len() - self.n_doubtful
    }

    /// Compares what was read with what must be there, of which the first `n_needed` certainly.
    fn check(&mut self, seen: &[Seen], n_needed: usize) {
        let from = match seen.first() {
            Some(first) => {
                self.records.iter().position(|record| record == first).expect("a record never appended")
            }
            None => self.records.len().min(n_needed),
        };
        let gone = &self.records[..from];
        if let Some(lost) = gone.iter().find(|record| record.0 >= self.trimmed_below) {
            panic!("commit {} is gone, trimmed below {} only", lost.0, self.trimmed_below);
        }
        let to = from + seen.len();
        assert!(to >= n_needed, "{to} of {n_needed} records are there");
        let expected = &self.records[from..to.min(self.records.len())];
        assert!(expected == seen, "{:?} instead of {:?}", serials(seen), serials(expected));
    }

    /// What was read when the log was opened is what the log holds from now on.
    fn adopt(&mut self, seen: &[Seen], n_needed: usize) {
        self.check(seen, n_needed);
        if let Some(last) = seen.last() {
            let n_left = self.records.iter().position(|record| record == last).map_or(0, |at| at + 1);
            self.records.truncate(n_left);
        } else {
            self.records.truncate(n_needed);
        }
        self.n_doubtful = 0;
        self.n_synced = self.records.len();
    }
}

/// Commit and running numbers of records.
fn serials(records: &[Seen]) -> Vec<(u64, u64)> {
    let serial = |payload: &[u8]| payload.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    records.iter().map(|(commit, _, payload)| (*commit, serial(payload))).collect()
}

struct Run {
    disk: SimulatedStorage,
    options: Options,
    log: Option<Log>,
    model: Model,
}

impl Run {
    fn new(seed: u64, preallocates: bool, n_spares: usize) -> Self {
        let disk = SimulatedStorage::new(seed);
        disk.set_preallocation(preallocates);
        let mut options = options();
        options.spare_segments_max = n_spares;
        let mut run = Self { disk, options, log: None, model: Model::default() };
        run.open(0);
        run
    }

    /// Opens the log, again and again if the disk fails at it.
    fn open(&mut self, mut n_needed: usize) {
        self.log = None;
        loop {
            match open_with(&self.disk, self.options.clone()) {
                Ok((log, recovery, seen)) => {
                    self.model.adopt(&seen, n_needed);
                    self.model.next_commit = self.model.next_commit.max(recovery.last_commit);
                    self.log = Some(log);
                    return;
                }
                Err(error @ (Error::Damaged(_) | Error::Version { .. })) => panic!("{error}"),
                Err(_) if self.disk.has_crashed() => {
                    self.disk = self.disk.power_failure();
                    n_needed = self.model.n_synced;
                }
                Err(_) => {
                    self.disk.heal();
                    self.disk.set_capacity(None);
                }
            }
        }
    }

    fn power_failure(&mut self) {
        self.disk = self.disk.power_failure();
        self.open(self.model.n_synced);
    }

    fn kill(&mut self) {
        self.disk = self.disk.kill();
        self.open(self.model.n_certain());
    }

    fn log(&self) -> &Log {
        self.log.as_ref().unwrap()
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Append { lengths, commit_step } => self.append(lengths, *commit_step),
            Step::Sync => {
                if self.log().sync_all().is_ok() {
                    self.model.n_synced = self.model.n_certain();
                }
            }
            Step::Maintain => drop(self.log().maintain()),
            Step::Rotate => drop(self.log().rotate()),
            Step::Trim { percent } => {
                let below = self.model.next_commit * u64::from(*percent) / 100;
                self.model.trimmed_below = self.model.trimmed_below.max(below);
                drop(self.log().trim(below));
            }
            Step::ReadBack => self.read_back(),
            Step::Reopen => {
                let closed = self.log.take().unwrap().close();
                if closed.is_ok() {
                    self.model.n_synced = self.model.n_certain();
                }
                if !self.disk.has_crashed() {
                    self.open(self.model.n_certain());
                }
            }
            Step::Kill => self.kill(),
            Step::PowerFailure => self.power_failure(),
            Step::CrashSoon { after } => self.disk.crash_after((*after).into()),
            Step::Fail { operation, n_spared, n_failing, error } => self.disk.inject(Fault {
                operation: *operation,
                n_spared: (*n_spared).into(),
                n_failing: (*n_failing).into(),
                error: *error,
            }),
            Step::Heal => {
                self.disk.heal();
                self.disk.set_capacity(None);
            }
            Step::Fill { free_bytes } => {
                self.disk.set_capacity(Some(self.disk.used_bytes() + u64::from(*free_bytes)));
            }
        }
        if self.disk.has_crashed() {
            self.power_failure();
        }
    }

    fn append(&mut self, lengths: &[u16], commit_step: u8) {
        let was_healthy = self.log().health().is_ok();
        let (mut batch, records) = self.model.batch(lengths, commit_step);
        match self.log().append_batch(&mut batch) {
            Ok(_) => {
                assert!(was_healthy);
                self.model.records.extend(records);
            }
            Err(error) => {
                assert!(was_healthy || matches!(error, Error::Poisoned { .. }), "{error}");
                let is_in_doubt = self.disk.has_crashed() || matches!(error, Error::Poisoned { .. });
                if was_healthy && is_in_doubt {
                    self.model.n_doubtful += records.len();
                    self.model.records.extend(records);
                }
            }
        }
    }

    fn read_back(&mut self) {
        let Ok(mut reader) = self.log().reader(Start::Oldest, Until::Written) else { return };
        let mut seen = Vec::new();
        loop {
            match reader.next() {
                Ok(Some(record)) => seen.push((record.commit, record.kind, record.payload.to_vec())),
                Ok(None) => break,
                Err(error @ Error::Damaged(_)) => panic!("{error}"),
                Err(_) => return,
            }
        }
        let n_certain = self.model.n_certain();
        self.model.check(&seen, n_certain);
    }
}

fn error_kind() -> impl Strategy<Value = ErrorKind> {
    prop_oneof![Just(ErrorKind::Other), Just(ErrorKind::StorageFull), Just(ErrorKind::ReadOnlyFilesystem)]
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        3 => Just(Operation::Write),
        3 => Just(Operation::Sync),
        1 => Just(Operation::SyncDir),
        1 => Just(Operation::Truncate),
        1 => Just(Operation::Preallocate),
        1 => Just(Operation::Create),
        1 => Just(Operation::Rename),
        1 => Just(Operation::Remove),
        1 => Just(Operation::Read),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let length = prop_oneof![8 => 0_u16..300, 1 => 300_u16..3000, 1 => 4000_u16..9000];
    prop_oneof![
        12 => (prop::collection::vec(length, 1..4), 0_u8..3)
            .prop_map(|(lengths, commit_step)| Step::Append { lengths, commit_step }),
        4 => Just(Step::Sync),
        2 => Just(Step::Maintain),
        1 => Just(Step::Rotate),
        2 => (0_u8..110).prop_map(|percent| Step::Trim { percent }),
        1 => Just(Step::ReadBack),
        1 => Just(Step::Reopen),
        1 => Just(Step::Kill),
        1 => Just(Step::PowerFailure),
        2 => (0_u8..30).prop_map(|after| Step::CrashSoon { after }),
        1 => (operation(), 0_u8..6, 1_u8..4, error_kind()).prop_map(|(operation, n_spared, n_failing, error)| {
            Step::Fail { operation, n_spared, n_failing, error }
        }),
        1 => Just(Step::Heal),
        1 => (0_u16..6000).prop_map(|free_bytes| Step::Fill { free_bytes }),
    ]
}

fn n_cases() -> u32 {
    std::env::var("PERSEA_WAL_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(256)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: n_cases(), failure_persistence: None, rng_seed: RngSeed::Fixed(seeds::of_cases()), ..ProptestConfig::default() })]

    /// What was acknowledged as synced is there in order, nothing else is but whole records in the order of appends.
    #[test]
    fn what_is_acknowledged_survives(
        seed: u64,
        preallocates: bool,
        n_spares in 0_usize..3,
        steps in prop::collection::vec(step(), 1..120),
    ) {
        let mut run = Run::new(seed, preallocates, n_spares);
        for step in &steps {
            run.step(step);
        }
        run.disk.heal();
        run.disk.set_capacity(None);
        run.power_failure();
        // What was found once is found again.
        run.power_failure();
        prop_assert_eq!(run.model.n_synced, run.model.records.len());
    }
}

/// The same seed and calls give the same bytes, so that a failure can be run again.
#[test]
fn a_seed_repeats_a_run() {
    let run = |seed| {
        let mut run = Run::new(seed, true, 1);
        for length in [10, 500, 2000, 40, 3000] {
            run.append(&[length, length / 2], 1);
            run.step(&Step::Sync);
            run.append(&[length], 1);
            run.step(&Step::PowerFailure);
        }
        drop(run.log.take());
        let disk = Arc::new(run.disk);
        disk.names().into_iter().map(|name| disk.contents(&name)).collect::<Vec<_>>()
    };
    let seed = common::seed(7);
    assert!(run(seed) == run(seed));
    assert!(run(seed) != run(seed + 1));
}
