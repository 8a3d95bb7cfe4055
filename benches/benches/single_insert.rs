//! One document a transaction, not synced, against a transaction with two puts of plain LMDB without sync.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use persea::WriteOptions;
use persea_benches::{Fixture, Plain, document};

fn single_insert(criterion: &mut Criterion) {
    let fixture = Fixture::with_documents(100_000);
    let plain = Plain::copy_of(&fixture);
    let mut group = criterion.benchmark_group("single_insert");
    group.throughput(Throughput::Elements(1));
    let mut number = 1_000_000;
    group.bench_function("limit: LMDB, two puts", |bencher| {
        bencher.iter(|| {
            number += 1;
            let id = (number as u64).to_be_bytes();
            let mut writer = plain.env.write_txn().expect("a writer");
            plain.documents.put(&mut writer, &id, document(number).bytes()).expect("a put");
            plain.keys.put(&mut writer, format!("key{number:09}").as_bytes(), &id).expect("a put");
            writer.commit().expect("a commit");
        });
    });
    let options = WriteOptions::default();
    let mut number = 1_000_000;
    group.bench_function("persea", |bencher| {
        bencher.iter(|| {
            number += 1;
            black_box(
                fixture.collection.insert_with(document(number).as_slice(), &options).expect("an insert"),
            );
        });
    });
    group.finish();
}

criterion_group!(benches, single_insert);
criterion_main!(benches);
