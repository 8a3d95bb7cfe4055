//! What the benches share: documents, a database that holds them, and a plain LMDB that holds the same bytes.
//!
//! Each bench puts its limit beside the figure in the same run, since machines differ and ratios don't.

mod slow_disk;

pub use slow_disk::SlowDisk;

use heed::types::Bytes;
use heed::{CommitOrAbort, Env, EnvFlags, EnvOpenOptions, WithTls};
use persea::{Collection, Database, ImportOptions, VPackBuf, vpack};
use tempfile::TempDir;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The document of this number: about 180 bytes, five user attributes, an indexed number and a text.
pub fn document(number: usize) -> VPackBuf {
    vpack!({
        "_key": (format!("key{number:09}")),
        "value": number,
        "group": (number % 1_000),
        "name": (format!("document number {number}")),
        "active": (number.is_multiple_of(3)),
        "score": (number as f64 * 0.37),
    })
}

/// A database in a folder of its own.
pub struct Fixture {
    /// The database.
    pub database: Database,
    /// Its collection `documents`.
    pub collection: Collection,
    _folder: TempDir,
}

impl Fixture {
    /// A database with this many documents.
    pub fn with_documents(count: usize) -> Fixture {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let database = Database::open(folder.path()).expect("a database");
        let collection = database.create_collection("documents").expect("a collection");
        let mut import = collection.import(ImportOptions::default()).expect("an import");
        for number in 0..count {
            import.push(number as u64, document(number).as_slice()).expect("a document");
        }
        assert_eq!(import.finish().expect("a report").created, count as u64);
        Fixture { database, collection, _folder: folder }
    }

    /// The number of rows of a query.
    pub fn count_rows(&self, query: &str) -> usize {
        self.database.query(query).run().expect("rows").rows.len()
    }
}

/// One tree of the plain LMDB.
pub type Tree = heed::Database<'static, Bytes, Bytes>;

/// A plain LMDB: documents by number, numbers by key.
pub struct Plain {
    /// The environment.
    pub env: Env<WithTls>,
    /// Documents by big-endian number.
    pub documents: Tree,
    /// Big-endian numbers by key.
    pub keys: Tree,
    _folder: TempDir,
}

impl Plain {
    /// The same documents as [`Fixture::with_documents`], as the database stores them.
    pub fn copy_of(fixture: &Fixture) -> Plain {
        let plain = Plain::empty();
        let mut writer = plain.env.write_txn().expect("a writer");
        let stored = fixture.database.query("FOR d IN documents RETURN d").run().expect("rows");
        for (number, document) in stored.rows.iter().enumerate() {
            let id = (number as u64).to_be_bytes();
            let key = document.get("_key").and_then(|key| key.as_str()).expect("a key");
            plain.documents.put(&mut writer, &id, document.bytes()).expect("a put");
            plain.keys.put(&mut writer, key.as_bytes(), &id).expect("a put");
        }
        writer.commit().expect("a commit");
        plain
    }

    /// Nothing in it.
    #[allow(
        unsafe_code,
        reason = "opening an LMDB environment is unsafe: its file must not change from outside"
    )]
    pub fn empty() -> Plain {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut options = EnvOpenOptions::new();
        options.map_size(8 << 30).max_dbs(2);
        // SAFETY: the folder is this process' own; NO_SYNC risks only data that is thrown away afterwards.
        let env = unsafe {
            options.flags(EnvFlags::NO_SYNC);
            options.open(folder.path()).expect("an environment")
        };
        let writer = env.write_txn().expect("a writer");
        let opened = env.create_databases_and_commit(writer, |opener, writer| {
            let trees: [heed::Database<'_, Bytes, Bytes>; 2] = [
                opener.create_database(writer, Some("documents"))?,
                opener.create_database(writer, Some("keys"))?,
            ];
            Ok::<_, heed::Error>(CommitOrAbort::<_, ()>::Commit(trees))
        });
        let Ok(CommitOrAbort::Commit([documents, keys])) = opened else { panic!("the trees can't be made") };
        Plain { env, documents, keys, _folder: folder }
    }
}

/// Numbers below `limit` in an order that looks random and is the same each time.
pub fn scattered(count: usize, limit: usize) -> impl Iterator<Item = usize> {
    (0..count).map(move |step| step.wrapping_mul(7_919).wrapping_add(step / limit * 13) % limit)
}
