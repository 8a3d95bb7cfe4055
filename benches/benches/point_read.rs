//! One document by its key, against a transaction with two gets of plain LMDB.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use persea_benches::{Fixture, Plain, scattered};

const DOCUMENTS: usize = 200_000;
const READS: usize = 1_000;

fn point_read(criterion: &mut Criterion) {
    let fixture = Fixture::with_documents(DOCUMENTS);
    let plain = Plain::copy_of(&fixture);
    let keys: Vec<String> = scattered(READS, DOCUMENTS).map(|number| format!("key{number:09}")).collect();
    let mut group = criterion.benchmark_group("point_read");
    group.throughput(Throughput::Elements(READS as u64));
    group.bench_function("limit: LMDB, two gets", |bencher| {
        bencher.iter(|| {
            for key in &keys {
                let reader = plain.env.read_txn().expect("a reader");
                let id = plain.keys.get(&reader, key.as_bytes()).expect("a get").expect("the key");
                black_box(plain.documents.get(&reader, id).expect("a get").expect("the document").to_vec());
            }
        });
    });
    group.bench_function("persea", |bencher| {
        bencher.iter(|| {
            for key in &keys {
                black_box(fixture.collection.get_vpack(key).expect("a read").expect("the document"));
            }
        });
    });
    group.finish();
}

criterion_group!(benches, point_read);
criterion_main!(benches);
