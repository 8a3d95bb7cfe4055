//! A filter over a million documents without an index, against a plain LMDB scan of the same bytes.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use persea_benches::{Fixture, Plain};

const DOCUMENTS: usize = 1_000_000;

fn scan_filter(criterion: &mut Criterion) {
    let fixture = Fixture::with_documents(DOCUMENTS);
    let plain = Plain::copy_of(&fixture);
    let mut group = criterion.benchmark_group("scan_filter");
    group.throughput(Throughput::Elements(DOCUMENTS as u64)).sample_size(10);
    group.bench_function("limit: LMDB scan", |bencher| {
        bencher.iter(|| {
            let reader = plain.env.read_txn().expect("a reader");
            let mut sum = 0_usize;
            for entry in plain.documents.iter(&reader).expect("a scan") {
                let (_, bytes) = entry.expect("an entry");
                // One byte in each cache line, so that the document is really read.
                sum += bytes.iter().step_by(64).map(|byte| usize::from(*byte)).sum::<usize>();
            }
            black_box(sum)
        });
    });
    for (name, query) in [
        ("persea: number filter", "FOR d IN documents FILTER d.value >= 999990 RETURN d.value"),
        (
            "persea: two conditions",
            "FOR d IN documents FILTER d.group == 7 AND d.active == true RETURN d.name",
        ),
        ("persea: count", "FOR d IN documents FILTER d.group == 7 COLLECT WITH COUNT INTO n RETURN n"),
    ] {
        group.bench_function(name, |bencher| bencher.iter(|| black_box(fixture.count_rows(query))));
    }
    group.finish();
}

criterion_group!(benches, scan_filter);
criterion_main!(benches);
