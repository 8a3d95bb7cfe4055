//! Both engines against a map of vectors: random batches, ranges in both directions, snapshots and reopening.
#![allow(clippy::unwrap_used, reason = "a test that can't go on may panic")]

use std::collections::BTreeMap;
use std::ops::{Bound, RangeBounds};

use persea_kv::{Bounds, Direction, Engine, Options, Snapshot, Store, StoreSnapshot, Tree, Write, WriteSync};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

#[path = "../../../tests/support/seeds.rs"]
mod seeds;

type Model = BTreeMap<(Tree, Vec<u8>), Vec<u8>>;
type OwnedBound = Bound<Vec<u8>>;

#[derive(Clone, Debug)]
enum Step {
    Write(Vec<(Tree, Vec<u8>, Option<Vec<u8>>)>),
    DeleteRange(Tree, OwnedBound, OwnedBound, usize),
    Snapshot,
    DropSnapshot,
    Range(Tree, OwnedBound, OwnedBound),
    Reopen,
}

fn tree() -> impl Strategy<Value = Tree> {
    prop_oneof![Just(Tree::Documents), Just(Tree::Index), Just(Tree::Meta)]
}

fn key() -> impl Strategy<Value = Vec<u8>> {
    // Few distinct bytes, so that keys repeat and are prefixes of each other; some are long.
    prop_oneof![8 => vec(0_u8..4, 1..5), 1 => vec(0_u8..4, 300..1900), 1 => vec(Just(255_u8), 1..3)]
}

fn value() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![8 => vec(any::<u8>(), 0..20), 1 => vec(any::<u8>(), 2000..9000)]
}

fn bound() -> impl Strategy<Value = OwnedBound> {
    prop_oneof![
        3 => key().prop_map(Bound::Included),
        3 => key().prop_map(Bound::Excluded),
        1 => Just(Bound::Included(Vec::new())),
        1 => Just(Bound::Excluded(Vec::new())),
        2 => Just(Bound::Unbounded),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => vec((tree(), key(), prop::option::weighted(0.6, value())), 0..40).prop_map(Step::Write),
        1 => (tree(), bound(), bound(), 0_usize..30).prop_map(|(tree, low, high, n)| Step::DeleteRange(tree, low, high, n)),
        2 => Just(Step::Snapshot),
        1 => Just(Step::DropSnapshot),
        6 => (tree(), bound(), bound()).prop_map(|(tree, low, high)| Step::Range(tree, low, high)),
        1 => Just(Step::Reopen),
    ]
}

fn borrow<'b>(low: &'b OwnedBound, high: &'b OwnedBound) -> Bounds<'b> {
    (low.as_ref().map(Vec::as_slice), high.as_ref().map(Vec::as_slice))
}

fn keys_within(model: &Model, tree: Tree, low: &OwnedBound, high: &OwnedBound) -> Vec<(Vec<u8>, Vec<u8>)> {
    model
        .iter()
        .filter(|((key_tree, key), _)| *key_tree == tree && borrow(low, high).contains(&key[..]))
        .map(|((_, key), value)| (key.clone(), value.clone()))
        .collect()
}

fn check_range(snapshot: &Snapshot, model: &Model, tree: Tree, low: &OwnedBound, high: &OwnedBound) {
    let mut expected = keys_within(model, tree, low, high);
    for direction in [Direction::Forward, Direction::Reverse] {
        let found: Vec<_> = snapshot
            .range(tree, borrow(low, high), direction)
            .unwrap()
            .map(|entry| entry.map(|(key, value)| (key.to_vec(), value.to_vec())).unwrap())
            .collect();
        assert_eq!(found, expected, "{direction:?} {low:?} {high:?}");
        expected.reverse();
    }
}

fn check_all(snapshot: &Snapshot, model: &Model) {
    for tree in Tree::ALL {
        check_range(snapshot, model, tree, &Bound::Unbounded, &Bound::Unbounded);
        let n_entries = model.keys().filter(|(key_tree, _)| *key_tree == tree).count();
        assert_eq!(snapshot.entries(tree).unwrap(), n_entries as u64);
    }
    for ((tree, key), value) in model {
        assert_eq!(snapshot.get(*tree, key).unwrap(), Some(value.as_slice()));
    }
}

fn run(steps: &[Step], mut engine: Engine, reopen: impl Fn() -> Option<Engine>) {
    let mut model = Model::new();
    let mut snapshots: Vec<(Snapshot, Model)> = Vec::new();
    for step in steps {
        let version = engine.version();
        match step {
            Step::Write(batch) => {
                let writes = batch.iter().map(|(tree, key, value)| Write {
                    tree: *tree,
                    key,
                    value: value.as_deref(),
                });
                assert!(engine.write(writes).unwrap() >= version);
                for (tree, key, value) in batch {
                    match value {
                        Some(value) => drop(model.insert((*tree, key.clone()), value.clone())),
                        None => drop(model.remove(&(*tree, key.clone()))),
                    }
                }
                assert_eq!(engine.snapshot().unwrap().version(), engine.version());
            }
            Step::DeleteRange(tree, low, high, entries_max) => {
                let mut doomed = keys_within(&model, *tree, low, high);
                doomed.truncate(*entries_max);
                let n_deleted = engine.delete_range(*tree, borrow(low, high), *entries_max).unwrap();
                assert_eq!(n_deleted, doomed.len());
                doomed.into_iter().for_each(|(key, _)| drop(model.remove(&(*tree, key))));
            }
            Step::Snapshot => snapshots.push((engine.snapshot().unwrap(), model.clone())),
            Step::DropSnapshot => drop(snapshots.pop()),
            Step::Range(tree, low, high) => {
                check_range(&engine.snapshot().unwrap(), &model, *tree, low, high)
            }
            Step::Reopen => {
                check_snapshots(&snapshots);
                snapshots.clear();
                if let Engine::Lmdb(_) = engine {
                    drop(engine);
                    engine = reopen().unwrap();
                    assert!(engine.version() >= version);
                }
            }
        }
    }
    check_all(&engine.snapshot().unwrap(), &model);
    check_snapshots(&snapshots);
}

fn check_snapshots(snapshots: &[(Snapshot, Model)]) {
    for (snapshot, model) in snapshots {
        check_all(snapshot, model);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: seeds::n_cases(64), rng_seed: RngSeed::Fixed(seeds::of_cases()), ..ProptestConfig::default() })]

    #[test]
    fn memory_behaves_like_a_map(steps in vec(step(), 1..40)) {
        run(&steps, Engine::memory(), || None);
    }

    #[test]
    fn lmdb_behaves_like_a_map(steps in vec(step(), 1..30)) {
        let folder = tempfile::tempdir().unwrap();
        let mut options = Options::default();
        options.write_sync = WriteSync::OnDemand;
        let open = || Engine::open_lmdb(folder.path(), &options).unwrap();
        run(&steps, open(), || Some(open()));
    }
}

/// Enough keys for several levels of branches, then deletes down to nothing.
#[test]
fn a_deep_memory_tree_grows_and_shrinks() {
    let engine = Engine::memory();
    let mut model = Model::new();
    let mut state = 1_u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    for round in 0..120_u64 {
        let n_puts = if round < 60 { 300 } else { 20 };
        let n_deletes = if round < 60 { 50 } else { 500 };
        let mut batch: Vec<(Vec<u8>, Option<Vec<u8>>)> = Vec::new();
        for _ in 0..n_puts {
            batch.push((random().to_be_bytes()[4..].to_vec(), Some(round.to_be_bytes().to_vec())));
        }
        for _ in 0..n_deletes {
            let from = (Tree::Index, random().to_be_bytes()[4..].to_vec());
            if let Some(((_, key), _)) = model.range(from..).next() {
                batch.push((key.clone(), None));
            }
        }
        engine
            .write(batch.iter().map(|(key, value)| Write { tree: Tree::Index, key, value: value.as_deref() }))
            .unwrap();
        for (key, value) in batch {
            match value {
                Some(value) => drop(model.insert((Tree::Index, key), value)),
                None => drop(model.remove(&(Tree::Index, key))),
            }
        }
        if round % 30 == 29 {
            check_all(&engine.snapshot().unwrap(), &model);
        }
    }
    let bytes: usize = model.iter().map(|((_, key), value)| key.len() + value.len()).sum();
    assert_eq!(engine.stats().unwrap().used_bytes, bytes as u64);
    let whole = (Bound::Unbounded, Bound::Unbounded);
    assert_eq!(engine.delete_range(Tree::Index, whole, usize::MAX).unwrap(), model.len());
    check_all(&engine.snapshot().unwrap(), &Model::new());
}
