//! Reading a folder with the library while another, real process writes to it with the library.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test that can't go on may panic")]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use persea::{Database, Instance, InstanceOptions, maintenance};
use serde_json::{Value, json};

const WRITE: &str = "PERSEA_TEST_WRITE_FOLDER";

fn options() -> InstanceOptions {
    let mut options = InstanceOptions::default();
    options.delta_bytes_max = 200 << 10;
    options.checkpoint_interval = Duration::from_millis(300);
    options
}

/// What the writing process does: inserts, updates and removes, makes and drops collections, and says how far it is.
fn write_on(folder: &Path) {
    let db = Instance::open_with(folder, &options()).unwrap().database("_system").unwrap();
    let things = db.collection("things").unwrap();
    let say = |text: String| std::io::stdout().lock().write_all(text.as_bytes()).unwrap();
    let first = db.query("RETURN MAX(FOR t IN things RETURN t.n)").rows::<Option<u64>>().unwrap();
    let first = first.map(Result::unwrap).next().flatten().unwrap_or(0);
    for n in first + 1.. {
        if n % 10 == 0 {
            // An earlier process may have been killed in the middle of this.
            let name = format!("made{n}");
            let made = db.create_collection(&name).or_else(|_| db.collection(&name)).unwrap();
            made.insert(&json!({ "_key": "one" })).map(drop).unwrap_or_default();
            if n > 100 {
                db.drop_collection(&format!("made{}", n - 100), false).map(drop).unwrap_or_default();
            }
        }
        db.transaction(|transaction| {
            let half = json!({ "_key": format!("{n}-a"), "n": n, "text": "x".repeat(300) });
            transaction.insert(&things, &half)?;
            let half = json!({ "_key": format!("{n}-b"), "n": n, "text": "x".repeat(300) });
            transaction.insert(&things, &half)
        })
        .unwrap();
        if n % 10 == 0 {
            let old = "FOR t IN things FILTER t.n < @n REMOVE t IN things";
            db.query(old).bind("n", &n.saturating_sub(60)).run().unwrap();
        }
        // Slow enough for the reader to see states before they are gone.
        std::thread::sleep(Duration::from_millis(1));
        say(format!("reached {n}\n"));
    }
}

fn spawn(test: &str, folder: &Path) -> (Child, Arc<AtomicU64>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(WRITE, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let reached = Arc::new(AtomicU64::new(0));
    let (stdout, counter) = (child.stdout.take().unwrap(), reached.clone());
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if let Some(n) = line.strip_prefix("reached ").and_then(|text| text.parse().ok()) {
                counter.store(n, Ordering::SeqCst);
            }
        }
    });
    (child, reached)
}

fn rows(db: &Database, query: &str) -> Vec<Value> {
    db.query(query).rows::<Value>().unwrap().map(Result::unwrap).collect()
}

#[test]
fn queries_show_what_the_other_process_has_acknowledged() {
    if let Some(folder) = std::env::var_os(WRITE) {
        return write_on(folder.as_ref());
    }
    let folder = tempfile::tempdir().unwrap();
    {
        let db = Database::open(folder.path()).unwrap();
        let things = db.create_collection("things").unwrap();
        things.ensure_index(&["n"], false).unwrap();
    }
    let db = Database::open_read_only(folder.path()).unwrap();
    for round in 0..2 {
        let (mut writer, reached) =
            spawn("queries_show_what_the_other_process_has_acknowledged", folder.path());
        let begun = Instant::now();
        let mut last = 0;
        while last < 250 * (round + 1) && begun.elapsed() < Duration::from_secs(60) {
            let sure = reached.load(Ordering::SeqCst);
            let found = rows(&db, "FOR t IN things COLLECT n = t.n WITH COUNT INTO parts RETURN [n, parts]");
            assert!(found.iter().all(|row| row[1] == 2), "half of a transaction: {found:?}");
            let newest = found.last().map_or(0, |row| row[0].as_u64().unwrap());
            assert!(newest >= sure.max(last), "{newest} found, {sure} acknowledged, {last} seen before");
            let by_index = rows(&db, &format!("FOR t IN things FILTER t.n == {newest} RETURN t._key"));
            let oldest = rows(&db, "RETURN MIN(FOR t IN things RETURN t.n)")[0].as_u64().unwrap_or(0);
            let is_removed = oldest > newest || newest == 0;
            assert!(
                by_index.len() == 2 || is_removed,
                "{by_index:?} of {newest}, {oldest} is the oldest now"
            );
            if newest > 140 {
                let number = newest / 10 * 10 - 10;
                match db.query(&format!("RETURN LENGTH(made{number})")).rows::<u64>() {
                    Ok(mut counts) => assert_eq!(counts.next().unwrap().unwrap(), 1, "made{number}"),
                    // The writer may have come so far meanwhile that it has dropped it.
                    Err(error) => {
                        let now = rows(&db, "RETURN MAX(FOR t IN things RETURN t.n)")[0].as_u64().unwrap();
                        assert_eq!(error.number(), 1203, "{error}");
                        assert!(now + 1 >= number + 100, "made{number} is missing, and {now} reached");
                    }
                }
                let gone = newest / 10 * 10 - 120;
                assert_eq!(
                    db.collection(&format!("made{gone}")).err().map(|error| error.number()),
                    Some(1203)
                );
            }
            last = newest;
        }
        assert!(last >= 250 * (round + 1), "{last}");
        // Others may look at the folder too, while it is written to and afterwards.
        let report = check_in_process(folder.path());
        assert!(report.success(), "checked beside the writer");
        writer.kill().unwrap();
        writer.wait().unwrap();
        let sure = reached.load(Ordering::SeqCst);
        let found = rows(&db, "RETURN MAX(FOR t IN things RETURN t.n)");
        assert!(found[0].as_u64().unwrap() >= sure, "{found:?} found, {sure} acknowledged");
        assert!(check_in_process(folder.path()).success(), "checked after the writer");
    }
}

const CHECK: &str = "PERSEA_TEST_CHECK_FOLDER";

/// Checks a folder that this process has open, from another one.
fn check_in_process(folder: &Path) -> std::process::ExitStatus {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "checks_in_a_process_of_its_own", "--nocapture"])
        .env(CHECK, folder)
        .stdout(Stdio::inherit())
        .status()
        .unwrap()
}

#[test]
fn checks_in_a_process_of_its_own() {
    if let Some(folder) = std::env::var_os(CHECK) {
        let report = maintenance::check(folder.as_ref(), &mut |_| {}).unwrap();
        assert!(report.is_clean(), "{:?}", report.findings);
        assert!(report.commit.is_some());
    }
}

#[test]
fn every_write_is_refused_with_1004() {
    let folder = tempfile::tempdir().unwrap();
    {
        let db = Database::open(folder.path()).unwrap();
        let things = db.create_collection("things").unwrap();
        things.insert(&json!({ "_key": "a", "n": 1 })).unwrap();
        db.create_edge_collection("edges").unwrap();
    }
    let instance = Instance::open_read_only(folder.path()).unwrap();
    assert!(instance.is_read_only());
    let db = instance.database("_system").unwrap();
    let things = db.collection("things").unwrap();
    assert_eq!(things.get::<Value>("a").unwrap().unwrap()["n"], 1);
    let outcomes = [
        things.insert(&json!({ "n": 2 })).map(drop),
        things.update("a", &json!({ "n": 2 })).map(drop),
        things.remove("a").map(drop),
        things.truncate(false).map(drop),
        things.ensure_index(&["n"], false),
        db.create_collection("more").map(drop),
        db.drop_collection("things", false).map(drop),
        db.rename_collection("things", "other").map(drop),
        db.query("INSERT { n: 2 } INTO things").run().map(drop),
        db.query("FOR t IN things FILTER t.n > 5 REMOVE t IN things").run().map(drop),
        db.transaction(|transaction| transaction.insert(&things, &json!({ "n": 2 }))).map(drop),
        instance.create_database("more").map(drop),
        instance.drop_database("more").map(drop),
    ];
    for (position, outcome) in outcomes.into_iter().enumerate() {
        assert_eq!(outcome.map_err(|error| error.number()), Err(1004), "{position}");
    }
    assert_eq!(rows(&db, "FOR t IN things RETURN t.n"), [json!(1)]);
    instance.sync().unwrap();
}

#[test]
fn a_folder_without_a_database_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let error = Database::open_read_only(folder.path()).map(drop).unwrap_err();
    assert!(error.to_string().contains("there is no database"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let _open = Database::open(folder.path()).unwrap();
    let error = Database::open_read_only(folder.path()).map(drop).unwrap_err();
    assert!(error.to_string().contains("open in this process already"), "{error}");
}

#[test]
fn a_query_on_a_state_that_is_outdated_for_too_long_ends_with_1654() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = options();
    options.snapshot_age_max = Some(Duration::from_millis(300));
    let instance = Instance::open_with(folder.path(), &options).unwrap();
    let db = instance.database("_system").unwrap();
    let things = db.create_collection("things").unwrap();
    db.query("FOR i IN 1..20000 INSERT { n: i } INTO things").run().unwrap();
    let is_over = Arc::new(AtomicBool::new(false));
    let writer = {
        let (things, is_over) = (things.clone(), is_over.clone());
        std::thread::spawn(move || {
            let mut n_later = 0;
            while !is_over.load(Ordering::SeqCst) {
                things.insert(&json!({ "later": n_later })).unwrap();
                n_later += 1;
                std::thread::sleep(Duration::from_millis(50));
            }
            n_later
        })
    };
    let slow = "RETURN SUM(FOR a IN things FOR b IN things FILTER a.n + b.n == 7 RETURN 1)";
    let error = db.query(slow).run().map(drop).unwrap_err();
    assert_eq!(error.number(), 1654, "{error}");
    assert_eq!(error.http_status(), 410);
    is_over.store(true, Ordering::SeqCst);
    let n_later = writer.join().unwrap();
    assert!(instance.storage_metrics().expired_snapshots > 0);
    assert_eq!(rows(&db, "RETURN LENGTH(things)"), [json!(20_000 + n_later)]);
}

#[test]
fn a_copy_has_everything_and_compaction_keeps_it() {
    let (folder, copy) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    {
        let db = Database::open(folder.path()).unwrap();
        db.create_collection("things").unwrap();
        db.query("FOR i IN 1..3000 INSERT { n: i, text: REPEAT('x', 500) } INTO things").run().unwrap();
        // The copy brings them to the file, where they leave free pages.
        let first = tempfile::tempdir().unwrap();
        db.instance().copy_to(first.path()).unwrap();
        db.query("FOR t IN things FILTER t.n > 10 REMOVE t IN things").run().unwrap();
        let copied = db.instance().copy_to(copy.path()).unwrap();
        assert!(copied > 0);
    }
    let done = maintenance::compact(folder.path(), &mut |_| {}).unwrap();
    assert!(done.bytes_after < done.bytes_before / 2, "{done:?}");
    for path in [folder.path(), copy.path()] {
        let report = maintenance::check(path, &mut |_| {}).unwrap();
        assert!(report.is_clean(), "{:?}", report.findings);
        let db = Database::open(path).unwrap();
        assert_eq!(rows(&db, "RETURN SUM(FOR t IN things RETURN t.n)"), [json!(55.0)]);
    }
}
