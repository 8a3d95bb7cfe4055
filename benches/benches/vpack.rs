//! Reaching into VelocyPack: an attribute by its name, a member of an array by its position.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use persea_vpack::{Builder, VPackBuf};

/// The attributes of a document as applications have them.
const NAMES: [&str; 20] = [
    "_key",
    "_id",
    "_rev",
    "name",
    "email",
    "age",
    "active",
    "score",
    "tags",
    "address",
    "street",
    "zip",
    "city",
    "country",
    "phone",
    "created",
    "modified",
    "visits",
    "description",
    "profile_image_url",
];
/// How many lookups make up a pass.
const LOOKUPS: usize = 4_096;

fn document(translate: bool) -> VPackBuf {
    let mut builder = Builder::new().with_attribute_translation(translate);
    builder.open_object();
    for (number, name) in NAMES.into_iter().enumerate() {
        match number % 3 {
            0 => builder.key(name).add_str("some text of this attribute"),
            _ => builder.key(name).add_i64(number as i64 * 77),
        };
    }
    builder.close();
    builder.finish().expect("a document")
}

/// Numbers below `limit` in an order that looks random and is the same each time.
fn scattered(limit: usize) -> impl Iterator<Item = usize> {
    let mut state = 12_345_u64;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    })
    .take(LOOKUPS)
}

fn attribute(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("vpack_attribute");
    quick(&mut group);
    let (plain, stored) = (document(false), document(true));
    let mut sorted = NAMES;
    sorted.sort_unstable();
    let absent = ["nothing", "aaa", "zzz", "middle_name"];
    let lookups: [(&str, Vec<String>); 3] = [
        ("any", scattered(NAMES.len()).map(|index| NAMES[index].to_owned()).collect()),
        ("same", vec!["country".to_owned(); LOOKUPS]),
        ("absent", scattered(absent.len()).map(|index| absent[index].to_owned()).collect()),
    ];
    for (which, names) in &lookups {
        for (name, document) in [("persea", &plain), ("persea: stored form", &stored)] {
            measure(&mut group, BenchmarkId::new(name, which), || {
                for name in names {
                    black_box(black_box(document.as_slice()).get(black_box(name)));
                }
            });
        }
        measure(&mut group, BenchmarkId::new("limit: binary search", which), || {
            for name in names {
                let _ = black_box(black_box(&sorted).binary_search(&black_box(name.as_str())));
            }
        });
    }
    group.finish();
}

fn array(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("vpack_array_at");
    quick(&mut group);
    for length in [10, 1_000, 100_000] {
        let mixed = numbers(length, |index| index * 37 % 1_000_003);
        let equal = numbers(length, |index| 1_000 + index % 60_000);
        let positions: Vec<usize> = scattered(length).collect();
        for (name, array) in [("persea: with offsets", &mixed), ("persea: equal sizes", &equal)] {
            measure(&mut group, BenchmarkId::new(name, length), || {
                for &position in &positions {
                    black_box(black_box(array.as_slice()).at(black_box(position)));
                }
            });
        }
    }
    group.finish();
}

fn numbers(length: usize, number: impl Fn(u64) -> u64) -> VPackBuf {
    let mut builder = Builder::new();
    builder.open_array();
    (0..length as u64).for_each(|index| {
        builder.add_u64(number(index));
    });
    builder.close();
    builder.finish().expect("an array")
}

fn quick(group: &mut BenchmarkGroup<'_, WallTime>) {
    group.throughput(Throughput::Elements(LOOKUPS as u64)).sample_size(20);
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
}

/// The fastest pass counts, since other programs slow down some.
fn measure(group: &mut BenchmarkGroup<'_, WallTime>, id: BenchmarkId, mut pass: impl FnMut()) {
    group.bench_function(id, |bencher| {
        bencher.iter_custom(|passes| {
            let fastest = (0..passes).map(|_| {
                let start = Instant::now();
                pass();
                start.elapsed()
            });
            fastest.min().unwrap_or_default() * passes as u32
        });
    });
}

criterion_group!(benches, attribute, array);
criterion_main!(benches);
