//! The selectivity estimator against exact counts.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use persea_index::{SelectivityEstimator, key_hash};

fn hash(number: u64) -> u64 {
    key_hash(&number.to_be_bytes())
}

#[track_caller]
fn check(entries: u64, distinct: u64, tolerance: f64) {
    let mut estimator = SelectivityEstimator::new();
    (0..entries).for_each(|number| estimator.insert(hash(number % distinct)));
    let exact = distinct.min(entries) as f64 / entries as f64;
    let estimate = estimator.estimate();
    assert!((estimate / exact - 1.0).abs() <= tolerance, "{estimate} for {exact}");
}

#[test]
fn small_counts_are_exact_and_large_ones_close() {
    check(1, 1, 0.0);
    check(1000, 1, 0.0);
    check(1000, 10, 0.0);
    check(2000, 2000, 0.0);
    check(100_000, 1000, 0.0);
    check(100_000, 50_000, 0.1);
    check(200_000, 200_000, 0.1);
    assert_eq!(SelectivityEstimator::new().estimate(), 1.0);
}

#[test]
fn removal_takes_back() {
    let mut estimator = SelectivityEstimator::new();
    (0..60_000).for_each(|number| estimator.insert(hash(number)));
    (0..60_000).for_each(|_| estimator.insert(hash(0)));
    (1..60_000).for_each(|number| estimator.remove(hash(number)));
    assert_eq!(estimator.total(), 60_001);
    assert!(estimator.estimate() < 0.001, "{}", estimator.estimate());
    estimator.clear();
    estimator.remove(hash(1));
    assert_eq!((estimator.total(), estimator.estimate()), (0, 1.0));
}

#[test]
fn bytes_come_back() {
    let mut estimator = SelectivityEstimator::new();
    (0..10_000).for_each(|number| estimator.insert(hash(number % 7000)));
    let bytes = estimator.to_bytes();
    assert!(bytes.len() < 25_000);
    let read = SelectivityEstimator::from_bytes(&bytes).unwrap();
    assert_eq!(
        (read.total(), read.distinct(), read.to_bytes()),
        (estimator.total(), estimator.distinct(), bytes.clone())
    );
    for broken in [&bytes[..bytes.len() - 1], &bytes[..5], &[], &[9u8; 10]] {
        assert!(SelectivityEstimator::from_bytes(broken).is_err());
    }
}
