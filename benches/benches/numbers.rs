//! Decimal text to `u64`: each way of persea-numparse, its two defaults, and what else there is.
//!
//! All methods get the same bytes through the same loop, are generic or marked for inlining across crates (but for C's
//! `strtoull`), and are asked for the number only: an error becomes 0.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use persea_numparse::{parse_u64, trusted};

/// Each sample is cut into so many parts, of which the quickest counts: other programs slow down some of them.
const PARTS: u64 = 16;

/// From one digit to twenty, which is as many as a `u64` has.
const STRINGS: [&str; 7] =
    ["1", "99", "1234", "1234567", "1234567891", "12345678901234", "12345678901234678901"];

/// Text that ends with a zero byte each, as C wants it; the zero is no part of what the others get.
struct Texts {
    bytes: Vec<u8>,
    ranges: Vec<(usize, usize)>,
}

impl Texts {
    fn new(texts: impl Iterator<Item = String>) -> Texts {
        let mut all = Texts { bytes: Vec::new(), ranges: Vec::new() };
        for text in texts {
            let start = all.bytes.len();
            all.bytes.extend_from_slice(text.as_bytes());
            all.ranges.push((start, all.bytes.len()));
            all.bytes.push(0);
        }
        all
    }

    fn slices(&self) -> Vec<&[u8]> {
        self.ranges.iter().map(|&(start, end)| &self.bytes[start..end]).collect()
    }
}

/// Numbers of one to twenty digits, each length as likely as the others.
fn random(count: usize) -> impl Iterator<Item = String> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..count).map(move |_| {
        let digits = next() % 20 + 1;
        let least = 10u64.pow(digits as u32 - 1);
        let greatest = least.checked_mul(10).map_or(u64::MAX, |above| above - 1);
        (least + next() % (greatest - least)).to_string()
    })
}

fn one(bencher: &mut BenchmarkGroup<'_, WallTime>, name: &str, string: &str, method: impl Fn(&[u8]) -> u64) {
    let texts = Texts::new(std::iter::once(string.to_owned()));
    let text = texts.slices()[0];
    assert_eq!(method(text), string.parse::<u64>().expect("a number"), "{name} of {string}");
    bencher.bench_function(BenchmarkId::new(name, string), |bencher| {
        bencher.iter_custom(|iterations| {
            quickest(iterations, |times| {
                for _ in 0..times {
                    black_box(method(black_box(text)));
                }
            })
        });
    });
}

fn many(
    bencher: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    texts: &Texts,
    method: impl Fn(&[u8]) -> u64,
) {
    let slices = texts.slices();
    bencher.throughput(Throughput::Elements(slices.len() as u64));
    bencher.bench_function(BenchmarkId::new(name, "10,000 random"), |bencher| {
        bencher.iter_custom(|iterations| {
            quickest(iterations, |times| {
                for _ in 0..times {
                    for text in &slices {
                        black_box(method(black_box(text)));
                    }
                }
            })
        });
    });
}

/// The time for all iterations if they all went as quickly as the quickest part of them.
fn quickest(iterations: u64, run: impl Fn(u64)) -> Duration {
    let times = iterations.div_ceil(PARTS);
    let part = || {
        let start = Instant::now();
        run(times);
        start.elapsed()
    };
    let quickest = (0..PARTS).map(|_| part()).min().unwrap_or_default();
    quickest.mul_f64(iterations as f64 / times as f64)
}

/// Calls a function that is generic in the method once for each method.
macro_rules! each_method {
    ($run:ident, $group:expr, $input:expr) => {
        $run($group, "persea trusted::naive", $input, trusted::naive);
        $run($group, "persea trusted::bitshift", $input, trusted::bitshift);
        $run($group, "persea trusted::unrolled", $input, trusted::unrolled);
        $run($group, "persea trusted::swar", $input, trusted::swar);
        $run($group, "persea trusted::simd", $input, trusted::simd);
        $run($group, "persea trusted::parse_u64", $input, trusted::parse_u64);
        $run($group, "persea parse_u64", $input, |text| parse_u64(text).unwrap_or(0));
        $run($group, "str::parse", $input, |text| std_parse(text));
        $run($group, "atoi_simd::parse", $input, |text| {
            atoi_simd::parse::<u64, false, false>(text).unwrap_or(0)
        });
        $run($group, "atoi_simd::parse as str::parse", $input, |text| {
            atoi_simd::parse::<u64, true, true>(text).unwrap_or(0)
        });
        $run($group, "lexical_core::parse", $input, |text| lexical_core::parse::<u64>(text).unwrap_or(0));
        $run($group, "atoi::atoi", $input, |text| atoi::atoi::<u64>(text).unwrap_or(0));
        $run($group, "btoi::btou", $input, |text| btoi::btou::<u64>(text).unwrap_or(0));
        $run($group, "C strtoull", $input, |text| strtoull(text));
    };
}

#[inline(always)]
#[allow(unsafe_code, reason = "the bytes are known to be text, as they are to the others")]
fn std_parse(text: &[u8]) -> u64 {
    // SAFETY: the inputs of this bench are ASCII.
    unsafe { std::str::from_utf8_unchecked(text) }.parse().unwrap_or(0)
}

#[inline(always)]
#[allow(unsafe_code, reason = "C")]
fn strtoull(text: &[u8]) -> u64 {
    // SAFETY: in `Texts`, a zero byte follows each text.
    unsafe { libc::strtoull(text.as_ptr().cast(), std::ptr::null_mut(), 10) }
}

fn numbers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("text to u64");
    for string in STRINGS {
        each_method!(one, &mut group, string);
    }
    let texts = Texts::new(random(10_000));
    each_method!(many, &mut group, &texts);
    group.finish();
}

/// Each of many benches is short; the command line may say otherwise.
fn settings() -> Criterion {
    Criterion::default()
        .sample_size(40)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800))
}

criterion_group! {
    name = benches;
    config = settings();
    targets = numbers
}
criterion_main!(benches);
