//! An equality join of two collections without an index, against a hash map in plain Rust over the same documents.

use std::collections::HashMap;
use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use persea::{ImportOptions, Slice, vpack};
use persea_benches::Fixture;

const DOCUMENTS: usize = 200_000;
const GROUPS: usize = 1_000;

fn equality_join(criterion: &mut Criterion) {
    let fixture = Fixture::with_documents(DOCUMENTS);
    let groups = fixture.database.create_collection("groups").expect("a collection");
    let mut import = groups.import(ImportOptions::default()).expect("an import");
    for number in 0..GROUPS {
        let group = vpack!({ "number": number, "title": (format!("group {number}")) });
        import.push(number as u64, group.as_slice()).expect("a group");
    }
    import.finish().expect("a report");
    let documents = fixture.database.query("FOR d IN documents RETURN d").run().expect("rows").rows;
    let group_rows = fixture.database.query("FOR g IN groups RETURN g").run().expect("rows").rows;
    let member = |document: Slice<'_>, name: &str| document.get(name).and_then(|value| value.as_u64());

    let mut group = criterion.benchmark_group("equality_join");
    group.throughput(Throughput::Elements(DOCUMENTS as u64)).sample_size(10);
    group.bench_function("limit: hash map", |bencher| {
        bencher.iter(|| {
            let by_number: HashMap<Option<u64>, Slice<'_>> =
                group_rows.iter().map(|row| (member(row, "number"), row)).collect();
            let titles: Vec<_> = documents
                .iter()
                .filter_map(|row| by_number.get(&member(row, "group")))
                .map(|row| row.get("title").map(|title| title.bytes().to_vec()))
                .collect();
            black_box(titles)
        });
    });
    group.bench_function("persea", |bencher| {
        let query = "FOR d IN documents FOR g IN groups FILTER g.number == d.group RETURN g.title";
        bencher.iter(|| {
            let rows = fixture.count_rows(query);
            assert_eq!(rows, DOCUMENTS);
        });
    });
    group.finish();
}

criterion_group!(benches, equality_join);
criterion_main!(benches);
