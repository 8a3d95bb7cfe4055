//! A thousand documents over HTTP: in one call with a result for each, against a thousand calls and against one query
//! that writes all or nothing.

use std::net::SocketAddr;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use persea::{Database, Instance};
use persea_server::{Server, ServerOptions};
use serde_json::{Value, json};

const DOCUMENTS: usize = 1_000;

/// A server on a folder of its own, in this process, until the end of it.
fn start() -> (tempfile::TempDir, SocketAddr) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let instance = Instance::open(folder.path()).expect("an instance");
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let options =
                ServerOptions { endpoints: vec![([127, 0, 0, 1], 0).into()], ..ServerOptions::default() };
            let server = Server::bind(instance, options).await.expect("a server");
            tell.send(server.addresses()[0]).expect("somebody who waits");
            let (_stop, stopping) = tokio::sync::watch::channel(false);
            server.run(stopping).await;
        });
    });
    (folder, told.recv().expect("an address"))
}

fn documents() -> Vec<Value> {
    (0..DOCUMENTS)
        .map(|number| {
            json!({
                "value": number,
                "group": number % 100,
                "name": format!("document number {number}"),
                "active": number % 3 == 0,
                "score": number as f64 * 0.37,
            })
        })
        .collect()
}

fn array_insert(criterion: &mut Criterion) {
    let (_folder, address) = start();
    let agent = ureq::Agent::new_with_defaults();
    let post = |path: &str, body: &str| {
        let mut response = agent.post(format!("http://{address}{path}")).send(body).expect("an answer");
        response.body_mut().read_to_vec().expect("a body")
    };
    for name in ["single", "query", "array"] {
        post("/_api/collection", &json!({ "name": name }).to_string());
    }
    let singles: Vec<String> = documents().iter().map(Value::to_string).collect();
    let array = Value::from(documents()).to_string();
    let query = json!({
        "query": "FOR d IN @documents INSERT d INTO query RETURN { _id: NEW._id, _key: NEW._key, _rev: NEW._rev }",
        "bindVars": { "documents": documents() },
        "batchSize": DOCUMENTS,
    })
    .to_string();
    let mut group = criterion.benchmark_group("array_insert");
    group.throughput(Throughput::Elements(DOCUMENTS as u64)).sample_size(30);
    group.bench_function("peer: 1,000 calls", |bencher| {
        bencher.iter(|| {
            for document in &singles {
                post("/_api/document/single", document);
            }
        });
    });
    group.bench_function("peer: all or nothing", |bencher| bencher.iter(|| post("/_api/cursor", &query)));
    group.bench_function("persea: one call", |bencher| bencher.iter(|| post("/_api/document/array", &array)));
    group.finish();
}

/// The same inside of a program.
fn array_insert_embedded(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let database = Database::open(folder.path()).expect("a database");
    let collection = database.create_collection("documents").expect("a collection");
    let documents = documents();
    let mut group = criterion.benchmark_group("array_insert/embedded");
    group.throughput(Throughput::Elements(DOCUMENTS as u64)).sample_size(30);
    group.bench_function("peer: all or nothing", |bencher| {
        bencher.iter(|| {
            database.transaction(|transaction| {
                documents.iter().try_for_each(|document| transaction.insert(&collection, document).map(drop))
            })
        });
    });
    group.bench_function("persea: insert_many", |bencher| {
        bencher.iter(|| collection.insert_many(&documents));
    });
    group.finish();
}

criterion_group!(benches, array_insert, array_insert_embedded);
criterion_main!(benches);
