//! Lookups by index inside AQL, against two gets of plain LMDB each.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use persea::VPackBuf;
use persea_benches::{Fixture, Plain, scattered};
use persea_vpack::to_vpack;

const DOCUMENTS: usize = 1_000_000;
const LOOKUPS: usize = 10_000;

fn index_lookup(criterion: &mut Criterion) {
    let fixture = Fixture::with_documents(DOCUMENTS);
    fixture.collection.ensure_index(&["value"], false).expect("an index");
    let plain = Plain::copy_of(&fixture);
    let numbers: Vec<usize> = scattered(LOOKUPS, DOCUMENTS).collect();
    let keys: Vec<String> = numbers.iter().map(|number| format!("key{number:09}")).collect();
    let mut group = criterion.benchmark_group("index_lookup");
    group.throughput(Throughput::Elements(LOOKUPS as u64)).sample_size(20);
    group.bench_function("limit: LMDB, two gets", |bencher| {
        bencher.iter(|| {
            let reader = plain.env.read_txn().expect("a reader");
            for key in &keys {
                let id = plain.keys.get(&reader, key.as_bytes()).expect("a get").expect("the key");
                let document = plain.documents.get(&reader, id).expect("a get").expect("the document");
                black_box(persea::Slice::trusted(document).get("score"));
            }
        });
    });
    let keys = to_vpack(&keys).expect("keys");
    let numbers = to_vpack(&numbers).expect("numbers");
    let run = |query: &str, list: &VPackBuf| {
        let outcome = fixture.database.query(query).bind("list", list).run().expect("rows");
        assert_eq!(outcome.rows.len(), LOOKUPS);
        outcome
    };
    group.bench_function("persea: primary index", |bencher| {
        bencher.iter(|| run("FOR k IN @list FOR d IN documents FILTER d._key == k RETURN d.score", &keys));
    });
    group.bench_function("persea: persistent index", |bencher| {
        bencher
            .iter(|| run("FOR v IN @list FOR d IN documents FILTER d.value == v RETURN d.score", &numbers));
    });
    group.finish();
}

criterion_group!(benches, index_lookup);
criterion_main!(benches);
