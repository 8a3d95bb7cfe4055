//! `/_api/cursor`, `/_api/query`, `/_api/explain`.

use std::time::Duration;

use serde_json::{Value, json};

use crate::server::Server;

#[test]
fn batches() {
    let server = Server::start();
    let client = server.client();
    let first = client
        .post("/_api/cursor", &json!({ "query": "FOR i IN 1..25 RETURN i", "batchSize": 10, "count": true }));
    let first = first.expect(201);
    assert_eq!(first.body["result"].as_array().map(Vec::len), Some(10));
    assert_eq!(
        (&first.body["hasMore"], &first.body["count"], &first.body["cached"]),
        (&json!(true), &json!(25), &json!(false))
    );
    let id = first.body["id"].as_str().expect("an id").to_owned();
    let second = client.post(&format!("/_api/cursor/{id}"), &json!({})).expect(200);
    assert_eq!(second.body["result"][0], 11);
    assert_eq!(second.body["hasMore"], true);
    let third = client.send("PUT", &format!("/_api/cursor/{id}"), &[], b"").expect(200);
    assert_eq!(third.body["result"], json!([21, 22, 23, 24, 25]));
    assert_eq!((&third.body["hasMore"], &third.body["id"]), (&json!(false), &Value::Null));
    client.post(&format!("/_api/cursor/{id}"), &json!({})).expect_error(404, 1600);
    let whole = client.post("/_api/cursor", &json!({ "query": "FOR i IN 1..5 RETURN i" })).expect(201);
    assert_eq!((&whole.body["hasMore"], &whole.body["id"]), (&json!(false), &Value::Null));
}

#[test]
fn retry_of_the_last_batch() {
    let server = Server::start();
    let client = server.client();
    let query =
        json!({ "query": "FOR i IN 1..5 RETURN i", "batchSize": 3, "options": { "allowRetry": true } });
    let first = client.post("/_api/cursor", &query).expect(201);
    let id = first.body["id"].as_str().expect("an id").to_owned();
    let next = first.body["nextBatchId"].as_str().expect("a batch id").to_owned();
    for _ in 0..2 {
        let batch = client.post(&format!("/_api/cursor/{id}/{next}"), &json!({})).expect(200);
        assert_eq!(batch.body["result"], json!([4, 5]));
        assert_eq!((&batch.body["id"], &batch.body["nextBatchId"]), (&Value::Null, &Value::Null));
    }
    client.post(&format!("/_api/cursor/{id}/77"), &json!({})).expect_error(404, 1600);
    client.delete(&format!("/_api/cursor/{id}")).expect(202);
}

#[test]
fn streams_tell_nothing_in_advance() {
    let server = Server::start();
    let client = server.client();
    let query = json!({ "query": "FOR i IN 1..5 RETURN i", "batchSize": 3, "count": true, "options": { "stream": true } });
    let first = client.post("/_api/cursor", &query).expect(201).body;
    assert_eq!(
        (&first["count"], &first["extra"], &first["hasMore"]),
        (&Value::Null, &Value::Null, &json!(true))
    );
    let id = first["id"].as_str().expect("an id");
    let last = client.post(&format!("/_api/cursor/{id}"), &json!({})).expect(200).body;
    assert!(last["extra"]["stats"].is_object());
}

#[test]
fn profile() {
    let server = Server::start();
    let client = server.client();
    let query = json!({ "query": "FOR i IN 1..5 FILTER i > 2 RETURN i", "options": { "profile": 2 } });
    let extra = &client.post("/_api/cursor", &query).expect(201).body["extra"];
    let phases: Vec<&String> = extra["profile"].as_object().expect("a profile").keys().collect();
    assert_eq!(
        phases,
        [
            "initializing",
            "parsing",
            "optimizing ast",
            "loading collections",
            "instantiating plan",
            "optimizing plan",
            "instantiating executors",
            "executing",
            "finalizing"
        ]
    );
    for phase in ["initializing", "parsing", "executing"] {
        assert!(extra["profile"][phase].as_f64().is_some_and(|seconds| seconds > 0.0), "{phase}");
    }
    assert!(extra["stats"]["nodes"].is_array() && extra["plan"]["nodes"].is_array());
}

#[test]
fn cursors_go() {
    let server = Server::start();
    let client = server.client();
    let open = |ttl: f64| {
        let body = json!({ "query": "FOR i IN 1..5 RETURN i", "batchSize": 1, "ttl": ttl });
        client.post("/_api/cursor", &body).expect(201).body["id"].as_str().expect("an id").to_owned()
    };
    let deleted = open(30.0);
    assert_eq!(client.delete(&format!("/_api/cursor/{deleted}")).expect(202).body["id"], deleted.as_str());
    client.delete(&format!("/_api/cursor/{deleted}")).expect_error(404, 1600);
    let expired = open(0.2);
    std::thread::sleep(Duration::from_millis(400));
    client.post(&format!("/_api/cursor/{expired}"), &json!({})).expect_error(404, 1600);
    let foreign = open(30.0);
    client.post("/_api/database", &json!({ "name": "other" })).expect(201);
    server.client_of("other").post(&format!("/_api/cursor/{foreign}"), &json!({})).expect_error(404, 1600);
    client.post("/_api/cursor/abc", &json!({})).expect_error(404, 1600);
}

#[test]
fn statistics_and_warnings() {
    let server = Server::start();
    let client = server.client();
    client.create_collection("c");
    let answer =
        client.post("/_api/cursor", &json!({ "query": "FOR i IN 1..7 INSERT { n: i } INTO c" })).expect(201);
    assert_eq!(answer.body["extra"]["stats"]["writesExecuted"], 7);
    assert_eq!(answer.body["result"], json!([]));
    let counted = json!({ "query": "FOR d IN c FILTER d.n > 2 SORT d.n LIMIT 2 RETURN d.n", "options": { "fullCount": true } });
    let answer = client.post("/_api/cursor", &counted).expect(201);
    assert_eq!(answer.body["result"], json!([3, 4]));
    let stats = &answer.body["extra"]["stats"];
    assert_eq!(
        (&stats["fullCount"], &stats["scannedFull"], &stats["filtered"]),
        (&json!(5), &json!(7), &json!(2))
    );
    let warned = client.post("/_api/cursor", &json!({ "query": "FOR i IN 1..20 RETURN i / 0" })).expect(201);
    assert_eq!(warned.body["extra"]["warnings"].as_array().map(Vec::len), Some(10));
    assert_eq!(warned.body["extra"]["warnings"][0]["code"], 1562);
    let failing = json!({ "query": "RETURN 1 / 0", "options": { "failOnWarning": true } });
    client.post("/_api/cursor", &failing).expect_error(400, 1562);
}

#[test]
fn a_failing_query_writes_nothing() {
    let server = Server::start();
    let client = server.client();
    client.create_collection("c");
    client.post("/_api/document/c", &json!({ "_key": "5" })).expect(202);
    let query = json!({ "query": "FOR i IN 1..10 INSERT { _key: TO_STRING(i) } INTO c" });
    client.post("/_api/cursor", &query).expect_error(409, 1210);
    assert_eq!(client.query("RETURN LENGTH(c)"), [1]);
    let ignoring = "FOR i IN 1..10 INSERT { _key: TO_STRING(i) } INTO c OPTIONS { ignoreErrors: true }";
    let answer = client.post("/_api/cursor", &json!({ "query": ignoring })).expect(201);
    let stats = &answer.body["extra"]["stats"];
    assert_eq!((&stats["writesExecuted"], &stats["writesIgnored"]), (&json!(9), &json!(1)));
}

#[test]
fn limits_of_a_query() {
    let server = Server::start();
    let client = server.client();
    let memory = json!({ "query": "FOR i IN 1..1000000 SORT i DESC RETURN CONCAT('row ', i)", "memoryLimit": 200_000 });
    client.post("/_api/cursor", &memory).expect_error(500, 32);
    let slow = json!({
        "query": "FOR i IN 1..100000000 FILTER i % 7 == 8 RETURN i", "options": { "maxRuntime": 0.1 }
    });
    client.post("/_api/cursor", &slow).expect_error(410, 1500);
}

#[test]
fn a_query_can_be_killed() {
    let server = Server::start();
    let client = server.client();
    let running = client.clone();
    let query = json!({ "query": "FOR i IN 1..10000000000 FILTER i % 7 == 8 RETURN i", "options": { "maxRuntime": 60 } });
    let thread = std::thread::spawn(move || running.post("/_api/cursor", &query));
    let id = loop {
        let list = client.get("/_api/query/current").expect(200).body;
        if let Some(id) = list[0]["id"].as_str() {
            break id.to_owned();
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    client.delete(&format!("/_api/query/{id}")).expect(200);
    thread.join().expect("the query's thread").expect_error(410, 1500);
    client.delete(&format!("/_api/query/{id}")).expect_error(404, 1591);
}

#[test]
fn explaining_and_parsing() {
    let server = Server::start();
    let client = server.client();
    client.create_collection("c");
    client.post("/_api/index?collection=c", &json!({ "type": "persistent", "fields": ["n"] })).expect(201);
    let body = json!({ "query": "FOR d IN c FILTER d.n == @n SORT d.n RETURN d.n", "bindVars": { "n": 1 } });
    let plan = client.post("/_api/explain", &body).expect(200).body;
    let types: Vec<&str> = plan["plan"]["nodes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|node| node["type"].as_str())
        .collect();
    assert!(types.contains(&"IndexNode") && !types.contains(&"SortNode"), "{types:?}");
    assert!(plan["plan"]["rules"].as_array().is_some_and(|rules| rules.contains(&json!("use-indexes"))));
    assert_eq!(plan["plan"]["collections"], json!([{ "name": "c", "type": "read" }]));
    assert!(plan["stats"]["rulesExecuted"].as_u64().is_some_and(|count| count > 10));
    let without = json!({ "query": "FOR d IN c FILTER d.n == 1 RETURN d", "options": { "optimizer": { "rules": ["-use-indexes"] } } });
    let plan = client.post("/_api/explain", &without).expect(200).body;
    assert_eq!(plan["plan"]["nodes"][1]["type"], "EnumerateCollectionNode");
    client
        .post("/_api/explain", &json!({ "query": "FOR d IN c FILTER d.n == @n RETURN d" }))
        .expect_error(400, 1551);

    let parsed = client
        .post("/_api/query", &json!({ "query": "FOR d IN @@c FILTER d.n == @n RETURN d" }))
        .expect(200)
        .body;
    assert_eq!(parsed["parsed"], true);
    let mut binds: Vec<&str> =
        parsed["bindVars"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    binds.sort_unstable();
    assert_eq!(binds, ["@c", "n"]);
    assert_eq!(parsed["ast"][0]["type"], "root");
    let query = "WITH w FOR d IN c LET x = (FOR e IN c2 RETURN e) FOR v IN OUTBOUND d e INSERT x INTO c3";
    let parsed = client.post("/_api/query", &json!({ "query": query })).expect(200).body;
    let mut names: Vec<&str> =
        parsed["collections"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    names.sort_unstable();
    assert_eq!(names, ["c", "c2", "c3", "e", "w"], "variables are none");
    client.post("/_api/query", &json!({ "query": "FOR" })).expect_error(400, 1501);
    let rules = client.get("/_api/query/rules").expect(200).body;
    assert!(rules.as_array().is_some_and(|rules| rules.iter().any(|rule| rule["name"] == "use-indexes")));
}
