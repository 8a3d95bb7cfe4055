//! The delta beside a plain map of versions, and a writer beside readers.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;

type Model = BTreeMap<Vec<u8>, Vec<(CommitSeq, Option<Vec<u8>>)>>;

fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

fn key(state: &mut u64) -> Vec<u8> {
    let len = random(state) as usize % 4 + 1;
    (0..len).map(|_| random(state) as u8 % 3).collect()
}

fn visible(model: &Model, seq: CommitSeq) -> BTreeMap<&[u8], Option<&[u8]>> {
    model
        .iter()
        .filter_map(|(key, versions)| {
            let (_, value) = versions.iter().rev().find(|(at, _)| *at <= seq)?;
            Some((key.as_slice(), value.as_deref()))
        })
        .collect()
}

fn bound(state: &mut u64) -> Bound<Vec<u8>> {
    match random(state) % 3 {
        0 => Bound::Included(key(state)),
        1 => Bound::Excluded(key(state)),
        _ => Bound::Unbounded,
    }
}

fn borrow(bound: &Bound<Vec<u8>>) -> Bound<&[u8]> {
    bound.as_ref().map(Vec::as_slice)
}

fn is_within(key: &[u8], low: &Bound<Vec<u8>>, high: &Bound<Vec<u8>>) -> bool {
    let is_above = match low {
        Bound::Included(low) => key >= low.as_slice(),
        Bound::Excluded(low) => key > low.as_slice(),
        Bound::Unbounded => true,
    };
    is_above
        && match high {
            Bound::Included(high) => key <= high.as_slice(),
            Bound::Excluded(high) => key < high.as_slice(),
            Bound::Unbounded => true,
        }
}

#[test]
fn a_delta_holds_every_version() {
    for seed in 0..30 {
        let mut state = seed;
        let delta = Delta::new(1 << 16);
        let mut model = Model::new();
        for seq in (1..60).map(CommitSeq) {
            let mut writes: Vec<(Vec<u8>, Option<Vec<u8>>)> = (0..random(&mut state) % 6)
                .map(|number| (key(&mut state), (number % 3 != 0).then(|| vec![seq.0 as u8; 3])))
                .collect();
            if seq.0 % 2 == 0 {
                writes.sort();
            }
            let mut writer = delta.writer();
            for (key, value) in writes {
                writer.put(seq, Write { tree: Tree::Index, key: &key, value: value.as_deref() });
                model.entry(key).or_default().push((seq, value));
            }
        }
        assert_eq!(delta.n_keys(), model.len());
        for seq in [0, 1, 20, 40, 59].map(CommitSeq) {
            let visible = visible(&model, seq);
            for _ in 0..30 {
                let (low, high) = (bound(&mut state), bound(&mut state));
                let mut expected: Vec<_> = visible
                    .iter()
                    .filter(|(key, _)| is_within(key, &low, &high))
                    .map(|(key, value)| (*key, *value))
                    .collect();
                for direction in [Direction::Forward, Direction::Reverse] {
                    let bounds = (borrow(&low), borrow(&high));
                    let mut range = delta.range(Tree::Index, bounds, direction, seq);
                    let mut found = Vec::new();
                    while let Some(head) = range.head() {
                        found.push(head);
                        range.advance();
                    }
                    assert_eq!(found, expected, "{direction:?} {low:?} {high:?}");
                    expected.reverse();
                }
            }
            for _ in 0..50 {
                let key = key(&mut state);
                let found = delta.get(Tree::Index, &key, KeyHash::new(Tree::Index, &key), seq);
                assert_eq!(found, visible.get(key.as_slice()).copied());
            }
        }
        let newest: Vec<_> = delta.writes().map(|write| (write.key, write.value)).collect();
        assert_eq!(newest, Vec::from_iter(visible(&model, CommitSeq(u64::MAX))));
        assert!(delta.writes().all(|write| write.tree == Tree::Index));
    }
}

/// Each commit writes the same value to all keys, so a reader must find one value everywhere, in both directions.
#[test]
fn readers_see_whole_commits_while_a_writer_goes_on() {
    const N_COMMITS: u64 = 400;
    let delta = Delta::new(1 << 20);
    let published = AtomicU64::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut state = 7;
            for seq in 1..=N_COMMITS {
                let mut writer = delta.writer();
                for number in 0..20_u64 {
                    // New keys come in between all the time; they are there from then on.
                    let new = [number.to_be_bytes(), (random(&mut state) % 1000).to_be_bytes()].concat();
                    for key in [&number.to_be_bytes()[..], &new] {
                        writer.put(CommitSeq(seq), Write::put(Tree::Documents, key, &seq.to_be_bytes()));
                    }
                }
                drop(writer);
                published.store(seq, Ordering::Release);
            }
        });
        for direction in [Direction::Forward, Direction::Reverse] {
            let (delta, published) = (&delta, &published);
            scope.spawn(move || {
                loop {
                    let seq = published.load(Ordering::Acquire);
                    let all = (Bound::Unbounded, Bound::Unbounded);
                    let mut range = delta.range(Tree::Documents, all, direction, CommitSeq(seq));
                    let mut n_found = 0;
                    while let Some((key, value)) = range.head() {
                        if key.len() == 8 {
                            n_found += 1;
                            assert_eq!(value, Some(&seq.to_be_bytes()[..]));
                        }
                        range.advance();
                    }
                    assert_eq!(n_found, if seq == 0 { 0 } else { 20 });
                    for number in 0..20_u64 {
                        let key = number.to_be_bytes();
                        let hash = KeyHash::new(Tree::Documents, &key);
                        let found = delta.get(Tree::Documents, &key, hash, CommitSeq(seq));
                        assert_eq!(found, (seq > 0).then_some(Some(&seq.to_be_bytes()[..])));
                    }
                    if seq == N_COMMITS {
                        return;
                    }
                }
            });
        }
    });
}
