//! Measures document operations on a folder: `cargo run --release -p persea-collections --example measure`.

use std::time::Instant;

use persea_collections::{
    CollectionOptions, Databases, Direction, EdgeDirection, IndexBounds, Options, Result, WriteOptions,
};
use persea_order::Value;
use persea_vpack::vpack;

const N_DOCUMENTS: u64 = 200_000;
const N_SINGLE: u64 = 5_000;

fn report(what: &str, n: u64, start: Instant) {
    let nanoseconds = start.elapsed().as_nanos() as f64 / n as f64;
    #[allow(clippy::print_stdout)]
    {
        println!("{what:<46} {nanoseconds:>10.0} ns");
    }
}

fn main() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("persea-measure-{}", std::process::id()));
    let databases = Databases::open(&folder, &Options::default())?;
    let database = databases.system()?;
    let options = WriteOptions { silent: true, ..WriteOptions::default() };
    let document = |number: u64| {
        vpack!({ "_key": format!("k{number:08}"), "name": format!("name of {number}"), "age": number % 100,
            "address": { "city": "Oslo", "street": "Storgata 1", "zip": number % 9999 }, "active": true })
    };
    let documents: Vec<_> = (0..N_DOCUMENTS).map(document).collect();

    for n_indexes in 0..2 {
        let name = format!("c{n_indexes}");
        let collection = database.create_collection(CollectionOptions::new(name))?;
        if n_indexes == 1 {
            collection.create_index(vpack!({ "type": "persistent", "fields": ["age"] }).as_slice())?;
        }
        let start = Instant::now();
        for chunk in documents.chunks(10_000) {
            let mut transaction = database.begin()?;
            for document in chunk {
                transaction.insert(&collection, document.as_slice(), &options)?;
            }
            transaction.commit()?;
        }
        report(&format!("insert, 10,000 a commit, {n_indexes} indexes"), N_DOCUMENTS, start);
    }
    let collection = database.collection("c1")?;
    let start = Instant::now();
    for number in 0..N_SINGLE {
        let patch = vpack!({ "age": number % 7 });
        let key = format!("k{number:08}");
        database.transact(|transaction| transaction.update(&collection, &key, patch.as_slice(), &options))?;
    }
    report("update of an indexed attribute, one a commit", N_SINGLE, start);

    let start = Instant::now();
    let view = database.view()?;
    let mut n_bytes = 0;
    for row in view.scan(&collection, Direction::Forward)? {
        n_bytes += row?.1.byte_size();
    }
    report("scan, per document", N_DOCUMENTS, start);
    assert!(n_bytes > 0);

    let keys: Vec<String> =
        (0..N_DOCUMENTS).map(|number| format!("k{:08}", number * 7919 % N_DOCUMENTS)).collect();
    let start = Instant::now();
    for key in &keys {
        assert!(view.by_key(&collection, key)?.is_some());
    }
    report("lookup by key, random", N_DOCUMENTS, start);

    let index = collection.indexes().last().cloned().ok_or(persea_collections::Error::IndexNotFound)?;
    let start = Instant::now();
    let mut n_found = 0;
    for age in 0..100 {
        let value = [Value::from_i64(age)];
        let scan = view.index_scan(&collection, &index, &IndexBounds::equal(&value), Direction::Forward)?;
        for entry in scan {
            n_found += 1;
            entry?;
        }
    }
    report("index scan, per entry", n_found, start);

    let start = Instant::now();
    collection.create_index(vpack!({ "type": "persistent", "fields": ["name"] }).as_slice())?;
    report("index creation, per document", N_DOCUMENTS, start);

    let edges = database.create_collection(CollectionOptions::edge("e"))?;
    let start = Instant::now();
    let mut transaction = database.begin()?;
    for number in 0..N_DOCUMENTS / 2 {
        let from = format!("c1/k{:08}", number % 10_000);
        let to = format!("c1/k{:08}", number * 7919 % 10_000);
        transaction.insert(&edges, vpack!({ "_from": from, "_to": to }).as_slice(), &options)?;
    }
    transaction.commit()?;
    report("insert of an edge, 100,000 a commit", N_DOCUMENTS / 2, start);
    let view = database.view()?;
    let start = Instant::now();
    let mut n_edges = 0;
    for number in 0..10_000 {
        let vertex = format!("c1/k{number:08}");
        for edge in view.edges(&edges, EdgeDirection::Outbound, &vertex)? {
            edge?;
            n_edges += 1;
        }
    }
    report("edge scan, per edge (10 a vertex)", n_edges, start);
    drop(databases);
    // The folder was made by this program and holds nothing else.
    let _ = std::fs::remove_dir_all(&folder);
    Ok(())
}
