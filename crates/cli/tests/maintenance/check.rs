//! Damage of every kind is found, and said where it is; what is in order passes.

use std::ffi::OsStr;
use std::ops::Bound;
use std::path::{Path, PathBuf};

use persea_kv::{Engine, Store, StoreSnapshot, Tree, Write};
use serde_json::json;

use crate::command::{check_clean, check_damaged, persea};
use crate::server::Server;

const N_DOCUMENTS: u64 = 57;

/// A folder with a collection, an index and documents, all of it in the data file.
fn filled() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_in(folder.path());
    let client = server.client();
    client.create_collection("c");
    client
        .post("/_api/index?collection=c", &json!({ "type": "persistent", "fields": ["n"], "name": "by_n" }))
        .expect(201);
    for n in 1..=N_DOCUMENTS {
        client
            .post("/_api/document/c", &json!({ "_key": format!("key{n}"), "n": n, "text": "x".repeat(500) }))
            .expect(202);
    }
    assert!(server.terminate().success());
    folder
}

type Entry = (Vec<u8>, Vec<u8>);

/// All entries of a tree for which `is_wanted`.
fn entries(folder: &Path, tree: Tree, is_wanted: impl Fn(&[u8], &[u8]) -> bool) -> Vec<Entry> {
    let engine = Engine::open_lmdb_read_only(folder, &persea_kv::Options::default()).unwrap();
    let snapshot = engine.snapshot().unwrap();
    let range = snapshot.range(tree, (Bound::Unbounded, Bound::Unbounded), Default::default()).unwrap();
    let entries = range.map(|entry| entry.map(|(key, value)| (key.to_vec(), value.to_vec())).unwrap());
    entries.filter(|(key, value)| is_wanted(key, value)).collect()
}

fn write(folder: &Path, tree: Tree, key: &[u8], value: Option<&[u8]>) {
    let engine = Engine::open_lmdb(folder, &persea_kv::Options::default()).unwrap();
    engine.write(std::iter::once(Write { tree, key, value })).unwrap();
}

/// The entries of the collection's two indexes: those with the text of a key, and those beside them.
fn index_entries(folder: &Path) -> (Vec<Entry>, Vec<Entry>) {
    let primary = entries(folder, Tree::Index, |key, _| key[8..].starts_with(b"key"));
    let primary_keyspace = primary[0].0[..8].to_vec();
    let next_keyspace = (u64::from_be_bytes(primary_keyspace.try_into().unwrap()) + 1..)
        .map(|keyspace| entries(folder, Tree::Index, |key, _| key[..8] == keyspace.to_be_bytes()))
        .find(|entries| entries.len() as u64 == N_DOCUMENTS);
    (primary, next_keyspace.unwrap())
}

#[test]
fn a_folder_in_order_passes_with_and_without_a_server() {
    let folder = filled();
    let before = std::fs::read(folder.path().join("data.mdb")).unwrap();
    let report = check_clean(folder.path());
    let collections = report["collections"].as_array().unwrap();
    let found = collections.iter().find(|collection| collection["name"] == "c").unwrap();
    assert_eq!(found["documents"], N_DOCUMENTS);
    assert_eq!(found["indexEntries"], 2 * N_DOCUMENTS);
    assert_eq!(report["pages"]["lost"], 0);
    assert_eq!(std::fs::read(folder.path().join("data.mdb")).unwrap(), before, "nothing was changed");
    let text = persea(["check", folder.path().to_str().unwrap()]).expect(0).output;
    assert!(text.contains("_system/c") && text.contains("nothing is wrong"), "{text}");
    let server = Server::start_in_with(folder.path(), &["--storage.checkpoint-interval", "3600"]);
    server.client().post("/_api/document/c", &json!({ "n": 0 })).expect(202);
    let report = check_clean(folder.path());
    assert!(report["log"]["records"].as_u64().unwrap() > 0);
    assert_eq!(report["collections"].as_array().unwrap().len(), collections.len());
}

#[test]
fn all_collections_are_checked_in_one_state() {
    let server = Server::start();
    let client = server.client();
    client.create_collection("a");
    // What is between the two takes time to check.
    client.create_collection("between");
    client.create_collection("z");
    client.query("FOR n IN 1..20000 INSERT { n } INTO between");
    let is_done = std::sync::atomic::AtomicBool::new(false);
    let counts = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                client.query("FOR n IN 1..5 INSERT {} INTO a INSERT {} INTO z");
            }
        });
        let counts: Vec<_> = (0..5)
            .map(|_| {
                let ended = persea([OsStr::new("check"), server.folder().as_os_str(), OsStr::new("--json")]);
                let report = ended.expect(0).json();
                let collections = report["collections"].as_array().unwrap().clone();
                ["a", "z"].map(|name| {
                    let found = collections.iter().find(|collection| collection["name"] == name);
                    found.unwrap()["documents"].as_u64().unwrap()
                })
            })
            .collect();
        is_done.store(true, std::sync::atomic::Ordering::Relaxed);
        counts
    });
    for [a, z] in counts {
        assert_eq!(a, z);
    }
}

#[test]
fn missing_and_left_over_index_entries() {
    let folder = filled();
    let (primary, by_n) = index_entries(folder.path());
    let (key, value) = &by_n[16];
    write(folder.path(), Tree::Index, key, None);
    let found = check_damaged(folder.path());
    assert_eq!(found.lines().count(), 1, "{found}");
    assert!(
        found.contains("documents _system/c: index 'by_n' lacks an entry of document 'key17'"),
        "{found}"
    );
    // An entry that no document has made.
    let mut other = key.clone();
    *other.last_mut().unwrap() = 200;
    write(folder.path(), Tree::Index, &other, Some(value));
    let found = check_damaged(folder.path());
    assert!(found.contains("lacks an entry of document 'key17'"), "{found}");
    write(folder.path(), Tree::Index, key, Some(value));
    let found = check_damaged(folder.path());
    assert_eq!(found.lines().count(), 1, "{found}");
    assert!(found.contains("index 'by_n' has the entry") && found.contains("not there"), "{found}");
    write(folder.path(), Tree::Index, &other, None);
    check_clean(folder.path());
    // An entry that leads to another document.
    let wrong = primary.iter().find(|(key, _)| key.ends_with(b"key3")).unwrap();
    write(folder.path(), Tree::Index, &wrong.0, Some(&primary[20].1));
    let found = check_damaged(folder.path());
    assert!(found.contains("index 'primary' has a wrong entry of document 'key3'"), "{found}");
}

#[test]
fn a_missing_document_and_wrong_counts() {
    let folder = filled();
    let documents =
        entries(folder.path(), Tree::Documents, |_, value| value.windows(4).any(|window| window == b"key9"));
    write(folder.path(), Tree::Documents, &documents[0].0, None);
    let found = check_damaged(folder.path());
    assert!(
        found.contains("index 'primary' has the entry \"key9\" of a document that is not there"),
        "{found}"
    );
    assert!(found.contains("index 'by_n' has the entry"), "{found}");
    assert!(found.contains("the stored count is 57, there are 56 documents"), "{found}");
    assert_eq!(found.lines().count(), 3, "{found}");
    write(folder.path(), Tree::Documents, &documents[0].0, Some(&documents[0].1));
    check_clean(folder.path());
    // Rows of counts lie in the keyspace 4 of the meta tree; one of them counts a document more.
    let rows = entries(folder.path(), Tree::Meta, |key, value| {
        key.starts_with(&4_u64.to_be_bytes()) && value.starts_with(&N_DOCUMENTS.to_be_bytes())
    });
    let mut more = rows.last().unwrap().clone();
    more.1[7] += 1;
    write(folder.path(), Tree::Meta, &more.0, Some(&more.1));
    let found = check_damaged(folder.path());
    assert!(found.contains("the stored count is 58, there are 57 documents"), "{found}");
}

#[test]
fn a_document_that_makes_no_sense() {
    let folder = filled();
    let documents =
        entries(folder.path(), Tree::Documents, |_, value| value.windows(4).any(|window| window == b"key9"));
    let mut bytes = documents[0].1.clone();
    let half = bytes.len() / 2;
    bytes.truncate(half);
    write(folder.path(), Tree::Documents, &documents[0].0, Some(&bytes));
    let found = check_damaged(folder.path());
    assert!(found.contains("is damaged"), "{found}");
}

#[test]
fn a_data_file_that_is_cut_off_is_reported_and_not_mapped() {
    let folder = filled();
    let path = folder.path().join("data.mdb");
    let whole = std::fs::read(&path).unwrap();
    let n_pages = whole.len() / 4096;
    for n_left in [n_pages * 3 / 4, n_pages / 2, n_pages / 4, 3, 2, 1] {
        std::fs::write(&path, &whole[..n_left * 4096]).unwrap();
        let ended = persea(["check", folder.path().to_str().unwrap(), "--json"]);
        // What is cut off may have been free pages only.
        let is_clean = ended.code == Some(0);
        assert!(is_clean || check_damaged(folder.path()).contains("pages data.mdb"), "{ended:?}");
        assert!(!is_clean || n_left > n_pages / 2, "{n_left} of {n_pages} pages are not all");
    }
    // A backup of such a file is refused before anything is copied.
    let target = folder.path().join("copy");
    let (from, to) = (folder.path().to_str().unwrap(), target.to_str().unwrap());
    std::fs::write(&path, &whole[..n_pages / 2 * 4096]).unwrap();
    let ended = persea(["backup", "--data", from, "--to", to]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.errors.contains("cut off") && !target.exists(), "{ended:?}");
    std::fs::write(&path, &whole[..4096]).unwrap();
    // Nor does a server end by a signal when the pages are missing from which everything begins.
    let ended =
        persea(["serve", "--data", folder.path().to_str().unwrap(), "--endpoint", "tcp://127.0.0.1:0"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    std::fs::write(&path, &whole).unwrap();
    check_clean(folder.path());
}

/// The file of the log that holds the most.
fn log_file(folder: &Path) -> PathBuf {
    let files = std::fs::read_dir(folder.join("log")).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "log")).max().unwrap()
}

#[test]
fn a_flipped_byte_in_the_middle_of_the_log() {
    let folder = tempfile::tempdir().unwrap();
    // All of it stays in the log.
    let server = Server::start_in_with(folder.path(), &["--storage.checkpoint-interval", "3600"]);
    let client = server.client();
    client.create_collection("c");
    for n in 1..=40 {
        client
            .post("/_api/document/c?waitForSync=true", &json!({ "n": n, "text": "mark".repeat(200) }))
            .expect(201);
    }
    server.kill();
    check_clean(folder.path());
    let path = log_file(folder.path());
    let mut bytes = std::fs::read(&path).unwrap();
    let marks: Vec<usize> = bytes
        .windows(12)
        .enumerate()
        .filter(|(_, window)| window == b"markmarkmark")
        .map(|(at, _)| at)
        .collect();
    let place = marks[marks.len() / 2];
    bytes[place] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let found = check_damaged(folder.path());
    let name = path.file_name().unwrap().to_str().unwrap();
    assert!(found.contains(&format!("log log: the log is damaged in {name} at byte ")), "{found}");
    assert!(found.contains("the payload of commit") && found.contains("the next"), "{found}");
    let text = persea(["check", folder.path().to_str().unwrap()]).expect(1).output;
    assert!(text.contains("documents were not checked") && text.contains("1 problems"), "{text}");
    // The server refuses to start until it is told to go on without what can't be read.
    let data = folder.path().to_str().unwrap();
    let refused = persea(["serve", "--data", data, "--endpoint", "tcp://127.0.0.1:0"]).expect(1);
    assert!(refused.errors.contains("the log is damaged"), "{refused:?}");
    let server = Server::start_in_with(folder.path(), &["--wal.ignore-damage"]);
    assert_eq!(server.client().query("FOR d IN c RETURN d.n").len(), 39, "one is lost");
}

#[test]
fn what_can_not_be_checked_ends_with_2() {
    let empty = tempfile::tempdir().unwrap();
    let ended = persea(["check", empty.path().to_str().unwrap()]).expect(2);
    assert!(ended.errors.contains("there is no database"), "{ended:?}");
    persea(["check", "/nonexistent"]).expect(2);
    persea(["check"]).expect(2);
    persea(["check", "--no-such-option", "x"]).expect(2);
    std::fs::write(empty.path().join("data.mdb"), vec![7; 20_000]).unwrap();
    assert!(check_damaged(empty.path()).contains("is no database file"));
}
