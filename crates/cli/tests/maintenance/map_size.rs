//! Nobody chooses a map size: where the address space is limited, it begins small and grows with the data.

use serde_json::json;

use crate::command::check_clean;
use crate::server::Server;

/// The largest mapping of the data file in a process, in bytes.
fn map_bytes(pid: u32) -> u64 {
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).expect("the list of mappings");
    let sizes = maps.lines().filter(|line| line.ends_with("data.mdb")).map(|line| {
        let (range, _) = line.split_once(' ').expect("a range");
        let (begin, end) = range.split_once('-').expect("two addresses");
        u64::from_str_radix(end, 16).unwrap() - u64::from_str_radix(begin, 16).unwrap()
    });
    sizes.max().expect("a mapping")
}

#[test]
fn the_map_is_as_small_as_it_must_be_and_grows() {
    let unlimited = Server::start();
    assert!(map_bytes(unlimited.pid()) >= 1 << 40, "{}", map_bytes(unlimited.pid()));
    drop(unlimited);
    // Kilobytes of address space. The binary's own needs take more than half of it; each
    // thread takes its part, so that their number must not be the machine's.
    let server =
        Server::start_limited(1_000_000, &["--storage.delta-size", "8mib", "--server.io-threads", "2"]);
    let first = map_bytes(server.pid());
    assert!(first <= 512 << 20, "{first}");
    let client = server.client();
    client.create_collection("c");
    let text = "x".repeat(200_000);
    let batch: Vec<_> = (0..16).map(|n| json!({ "n": n, "text": text })).collect();
    let batch = serde_json::Value::from(batch);
    let mut n_documents = 0;
    while map_bytes(server.pid()) == first {
        client.post("/_api/document/c?silent=true", &batch).expect(202);
        n_documents += 16;
        assert!(n_documents * 200_000 < 2 * first, "{n_documents} documents did not make it grow");
    }
    for _ in 0..3 {
        client.post("/_api/document/c?silent=true", &batch).expect(202);
        n_documents += 16;
    }
    assert!(n_documents * 200_000 > first / 2, "{n_documents}");
    assert_eq!(client.query("RETURN LENGTH(c)"), [n_documents]);
    assert_eq!(
        client.query("RETURN COUNT(FOR d IN c FILTER LENGTH(d.text) == 200000 RETURN 1)"),
        [n_documents]
    );
    check_clean(server.folder());
    server.kill();
}

#[test]
fn a_reader_whose_map_is_too_small_follows_the_writer() {
    let folder = tempfile::tempdir().unwrap();
    let writer = Server::start_in_with(folder.path(), &["--storage.delta-size", "8mib"]);
    writer.client().create_collection("c");
    let reader =
        Server::start_limited_in(folder.path(), 1_000_000, &["--read-only", "--server.io-threads", "2"]);
    let first = map_bytes(reader.pid());
    let text = "x".repeat(200_000);
    let batch: Vec<_> = (0..16).map(|n| json!({ "n": n, "text": text })).collect();
    let batch = serde_json::Value::from(batch);
    let mut n_documents = 0;
    while n_documents * 200_000 < first + (16 << 20) {
        writer.client().post("/_api/document/c?silent=true", &batch).expect(202);
        n_documents += 16;
    }
    assert_eq!(reader.client().query("RETURN LENGTH(c)"), [n_documents]);
    assert!(map_bytes(reader.pid()) > first, "the map has grown");
}
