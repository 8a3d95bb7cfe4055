//! One writer a folder: the second is told who the first is, and a killed one leaves nothing that is in the way.

use crate::command::persea;
use crate::server::Server;

#[test]
fn a_second_writer_is_told_the_first_and_a_killed_one_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let mut pids = Vec::new();
    for _ in 0..3 {
        let first = Server::start_in(folder.path());
        let second = persea(["serve", "--data", data, "--endpoint", "tcp://127.0.0.1:0"]).expect(1);
        let expected = format!("is in use by process {}", first.pid());
        assert!(second.errors.contains(&expected), "{second:?}");
        pids.push(first.pid());
        // Its lock file stays, with its number in it; the lock doesn't.
        first.kill();
        let lock = std::fs::read_to_string(folder.path().join("LOCK")).unwrap();
        assert_eq!(lock.trim(), pids.last().unwrap().to_string());
    }
    Server::start_in(folder.path()).client().get("/_api/version").expect(200);
}
