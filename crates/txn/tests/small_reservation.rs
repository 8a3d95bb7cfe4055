//! Large commits while the address space has to grow: readers see each of them whole or not at all.

use std::sync::atomic::{AtomicBool, Ordering};

use persea_txn::{Durability, Engine, Options, TransactionManager, Tree};

const N_COMMITS: u64 = 40;
const N_KEYS: u64 = 200;

#[test]
fn bulk_commits_are_seen_whole_while_the_map_grows() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut engine_options = persea_kv::Options::default();
    engine_options.reserve_bytes = 4 << 20;
    let engine = Engine::open_lmdb(folder.path(), &engine_options).expect("an engine");
    let mut options = Options::default();
    options.bulk_bytes_min = 500 << 10;
    let manager = TransactionManager::open_with(engine, options).expect("a manager");
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut seen = 0;
                while !is_over.load(Ordering::Relaxed) {
                    let view = manager.snapshot().expect("a view");
                    let number = |key: u64| {
                        let value = view.get(Tree::Documents, 1, &key.to_be_bytes()).expect("a read");
                        value.map_or(0, |value| u64::from(value[0]))
                    };
                    // Small commits write only even keys, large ones all.
                    let (newest, bulk) = (number(0), number(1));
                    assert!(newest >= seen && newest >= bulk, "{newest} and {bulk} after {seen}");
                    seen = newest;
                    for key in (0..N_KEYS).step_by(7) {
                        assert_eq!(number(key), if key % 2 == 0 { newest } else { bulk });
                    }
                }
            });
        }
        for commit in 1..=N_COMMITS {
            let mut transaction = manager.begin().expect("a transaction");
            // Each second one is small enough for the log and the delta.
            let (n_bytes, step) = if commit % 2 == 0 { (100, 2) } else { (5_000, 1) };
            for key in (0..N_KEYS).step_by(step) {
                let value = vec![commit as u8; n_bytes];
                transaction.put(Tree::Documents, 1, &key.to_be_bytes(), &value).expect("a put");
                let own = [commit.to_be_bytes(), key.to_be_bytes()].concat();
                transaction.put(Tree::Documents, 2, &own, &value).expect("a put");
            }
            transaction.commit(Durability::Buffered).expect("a commit");
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert_eq!(manager.metrics().bulk_commits, N_COMMITS / 2);
}
