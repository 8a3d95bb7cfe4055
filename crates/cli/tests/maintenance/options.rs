//! Options of the storage, its figures, and serving for reading only.

use serde_json::json;

use crate::client::await_true;
use crate::command::persea;
use crate::server::Server;

fn figure(server: &Server, name: &str) -> f64 {
    server.client().figure(name)
}

#[test]
fn checkpoints_come_when_the_options_say() {
    let server = Server::start_with(&["--storage.checkpoint-interval", "0.2", "--wal.sync-interval", "20"]);
    let client = server.client();
    client.create_collection("c");
    let before = figure(&server, "persea_checkpoints_total");
    client.post("/_api/document/c", &json!({})).expect(202);
    await_true("persea_checkpoints_total > before", || figure(&server, "persea_checkpoints_total") > before);
    await_true("persea_log_syncs_total > 0.0", || figure(&server, "persea_log_syncs_total") > 0.0);
    drop(server);
    let server =
        Server::start_with(&["--storage.checkpoint-interval", "3600", "--storage.delta-size", "1mib"]);
    let client = server.client();
    client.create_collection("c");
    let before = figure(&server, "persea_checkpoints_total");
    for _ in 0..20 {
        client.post("/_api/document/c", &json!({ "text": "x".repeat(100_000) })).expect(202);
    }
    await_true("persea_checkpoints_total > before", || figure(&server, "persea_checkpoints_total") > before);
    assert_eq!(figure(&server, "persea_read_only"), 0.0);
    assert!(figure(&server, "persea_last_commit") >= 20.0);
}

#[test]
fn the_age_of_snapshots_shows_and_is_bounded() {
    let server = Server::start_with(&["--transaction.snapshot-age-max", "3"]);
    let client = server.client();
    client.create_collection("c");
    client.post("/_api/document/c", &json!({ "_key": "a" })).expect(202);
    let begun =
        client.post("/_api/transaction/begin", &json!({ "collections": { "read": ["c"] } })).expect(201);
    let id = begun.body["result"]["id"].as_str().expect("an id").to_owned();
    let within = [("x-arango-trx-id", id.as_str())];
    client.send("GET", "/_api/document/c/a", &within, b"").expect(200);
    client.post("/_api/document/c", &json!({})).expect(202);
    await_true("persea_snapshot_oldest_age_seconds > 0.2", || {
        figure(&server, "persea_snapshot_oldest_age_seconds") > 0.2
    });
    await_true("persea_snapshots_expired_total > 0.0", || {
        figure(&server, "persea_snapshots_expired_total") > 0.0
    });
    let message = client.send("GET", "/_api/document/c/a", &within, b"").expect_error(410, 1654);
    assert!(message.contains("too old"), "{message}");
    client.get("/_api/document/c/a").expect(200);
    await_true("persea_snapshot_oldest_age_seconds < 3.0", || {
        figure(&server, "persea_snapshot_oldest_age_seconds") < 3.0
    });
}

#[test]
fn a_read_only_server_shows_what_another_one_writes() {
    let writer = Server::start();
    writer.client().create_collection("c");
    let reader = Server::start_in_with(writer.folder(), &["--read-only"]);
    assert_eq!(figure(&reader, "persea_read_only"), 1.0);
    for n in 1..=20 {
        writer.client().post("/_api/document/c", &json!({ "_key": format!("k{n}"), "n": n })).expect(202);
        assert_eq!(reader.client().get(&format!("/_api/document/c/k{n}")).expect(200).body["n"], n);
        assert_eq!(reader.client().query("RETURN LENGTH(c)"), [n]);
    }
    writer.client().create_collection("later");
    reader.client().get("/_api/collection/later").expect(200);
    writer.client().post("/_api/database", &json!({ "name": "other" })).expect(201);
    reader.client_of("other").get("/_api/collection").expect(200);
    reader.client().post("/_api/document/c", &json!({})).expect_error(403, 1004);
    reader.client().post("/_api/collection", &json!({ "name": "mine" })).expect_error(403, 1004);
    let index = json!({ "type": "persistent", "fields": ["n"] });
    reader.client().post("/_api/index?collection=c", &index).expect_error(403, 1004);
    let begin = |kind: &str| json!({ "collections": { kind: "c" } });
    reader.client().post("/_api/transaction/begin", &begin("write")).expect_error(403, 1004);
    reader.client().post("/_api/transaction/begin", &begin("exclusive")).expect_error(403, 1004);
    reader.client().post("/_api/transaction/begin", &begin("read")).expect(201);
    let insert = json!({ "query": "INSERT {} INTO c" });
    reader.client().post("/_api/cursor", &insert).expect_error(403, 1004);
    assert!(reader.terminate().success());
    assert_eq!(writer.client().query("RETURN LENGTH(c)"), [20]);
}

#[test]
fn the_log_may_lose_its_reader() {
    let server = Server::start_unread();
    let client = server.client();
    client.create_collection("c");
    client.post("/_api/document/c", &json!({})).expect(202);
    assert_eq!(client.query("RETURN LENGTH(c)"), [1]);
    let status = server.terminate();
    assert!(status.success(), "{status}");
}

#[test]
fn durations_that_are_none_are_refused() {
    for option in [
        "--http.keep-alive-timeout",
        "--query.registry-ttl",
        "--transaction.streaming-idle-timeout",
        "--transaction.streaming-lock-timeout",
        "--transaction.snapshot-age-max",
        "--storage.checkpoint-interval",
    ] {
        for value in ["nan", "inf", "-inf", "-1"] {
            let told = persea(["serve", "--in-memory", &format!("{option}={value}")]).expect(2).errors;
            assert!(told.contains(option) && told.contains("number of seconds"), "{told}");
        }
    }
}

#[test]
fn help_tells_about_every_command_and_option() {
    let help = persea(["--help"]).expect(0).output;
    for command in ["serve", "backup", "compact", "check", "version"] {
        assert!(help.contains(command), "{command}: {help}");
        assert!(persea([command, "--help"]).expect(0).output.contains("Usage"), "{command}");
    }
    let help = persea(["serve", "--help"]).expect(0).output;
    for option in [
        "--read-only",
        "--wal.sync-interval",
        "--wal.ignore-damage",
        "--storage.delta-size",
        "--storage.checkpoint-interval",
        "--transaction.snapshot-age-max",
    ] {
        assert!(help.contains(option), "{option}: {help}");
    }
    assert!(persea(["check", "--help"]).expect(0).output.contains("Exit codes"));
}
