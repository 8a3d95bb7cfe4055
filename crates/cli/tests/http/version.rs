//! `persea version` and `/_admin/version?details=true` tell the same.

use std::process::Command;

use serde_json::{Map, Value};

use crate::server::Server;

fn facts() -> Map<String, Value> {
    let output =
        Command::new(env!("CARGO_BIN_EXE_persea")).args(["version", "--json"]).output().expect("output");
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

#[test]
fn the_server_tells_the_facts_of_the_command() {
    let server = Server::start();
    let answer = server.client().get("/_admin/version?details=true").expect(200);
    for (name, fact) in facts() {
        let expected = match fact {
            Value::String(text) => text,
            Value::Array(names) if names.is_empty() => "none".to_owned(),
            Value::Array(names) => names.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
            other => other.to_string(),
        };
        assert_eq!(answer.body["details"][&name], expected, "{name}");
    }
}

#[test]
fn the_command_tells_what_was_built() {
    let facts = facts();
    assert_eq!(facts["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(facts["debug-assertions"], cfg!(debug_assertions));
    assert!(facts["storage-engine"].as_str().is_some_and(|text| text.starts_with("LMDB ")));
    assert!(facts["compiler"].as_str().is_some_and(|text| text.starts_with("rustc ")));
    assert!(facts["target"].as_str().is_some_and(|text| text.contains(std::env::consts::ARCH)));
    let list = |name: &str| facts[name].as_array().cloned().unwrap_or_default();
    let found = list("cpu-features-found");
    assert!(list("cpu-features-compiled-in").iter().all(|name| found.contains(name)));
}

#[test]
fn the_table_has_a_line_a_fact() {
    let output = Command::new(env!("CARGO_BIN_EXE_persea")).arg("version").output().expect("output");
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(text.lines().count(), facts().len());
    assert!(text.contains("allocator") && text.contains("mimalloc"));
}
