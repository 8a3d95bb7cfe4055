//! `/_api/query/*`: the lists of running and slow queries, and what is kept about queries; the caches that aren't there.

use serde_json::{Value, json};

use crate::server::Server;

#[test]
fn properties() {
    let server = Server::start();
    let client = server.client();
    let defaults = client.get("/_api/query/properties").expect(200).body;
    assert_eq!((&defaults["enabled"], &defaults["maxSlowQueries"]), (&json!(true), &json!(64)));
    let changes = json!({ "maxSlowQueries": 2, "slowQueryThreshold": 0.05, "maxQueryStringLength": 30 });
    let changed = client.json("PUT", "/_api/query/properties", &changes).expect(200).body;
    assert_eq!((&changed["maxSlowQueries"], &changed["slowQueryThreshold"]), (&json!(2), &json!(0.05)));
    assert_eq!(client.get("/_api/query/properties").expect(200).body, changed);
    client.json("PUT", "/_api/query/properties", &json!({ "enabled": "yes" })).expect_error(400, 17);
    client.post("/_api/database", &json!({ "name": "other" })).expect(201);
    let other = server.client_of("other").get("/_api/query/properties").expect(200).body;
    assert_eq!(other["maxSlowQueries"], 64, "each database has its own");
}

#[test]
fn slow_queries() {
    let server = Server::start();
    let client = server.client();
    let slow = |query: &str| {
        client.post("/_api/cursor", &json!({ "query": query, "bindVars": { "s": 0.06 } }));
    };
    slow("RETURN SLEEP(@s)");
    assert_eq!(client.get("/_api/query/slow").expect(200).body, json!([]));
    client.json("PUT", "/_api/query/properties", &json!({ "maxSlowQueries": 2, "slowQueryThreshold": 0.05 }));
    slow("RETURN SLEEP(@s)");
    slow("RETURN [SLEEP(@s)]");
    slow("RETURN [SLEEP(@s), FAIL('x')]");
    client.query("RETURN 1");
    let list = client.get("/_api/query/slow").expect(200).body;
    let exits: Vec<(&Value, &Value)> =
        list.as_array().expect("a list").iter().map(|query| (&query["query"], &query["exitCode"])).collect();
    assert_eq!(
        exits,
        [(&json!("RETURN [SLEEP(@s)]"), &json!(0)), (&json!("RETURN [SLEEP(@s), FAIL('x')]"), &json!(1569))]
    );
    assert_eq!((&list[0]["bindVars"], &list[0]["state"]), (&json!({ "s": 0.06 }), &json!("finished")));
    assert!(list[0]["runTime"].as_f64().is_some_and(|seconds| seconds >= 0.05));
    client.delete("/_api/query/slow").expect(200);
    assert_eq!(client.get("/_api/query/slow").body, json!([]));
    client.json("PUT", "/_api/query/properties", &json!({ "enabled": false }));
    slow("RETURN SLEEP(@s)");
    assert_eq!(client.get("/_api/query/slow").body, json!([]));
}

#[test]
fn running_queries_of_all_databases() {
    let server = Server::start();
    let client = server.client();
    client.post("/_api/database", &json!({ "name": "other" })).expect(201);
    let other = server.client_of("other");
    let running = other.clone();
    let thread = std::thread::spawn(move || {
        running.post("/_api/cursor", &json!({ "query": "RETURN SLEEP(@s)", "bindVars": { "s": 60 } }))
    });
    let query = loop {
        let list = client.get("/_api/query/current?all=true").expect(200).body;
        if let Some(query) = list.get(0) {
            break query.clone();
        }
    };
    assert_eq!((&query["database"], &query["bindVars"]), (&json!("other"), &json!({ "s": 60 })));
    assert_eq!((&query["state"], &query["modificationQuery"]), (&json!("executing"), &json!(false)));
    assert!(query["peakMemoryUsage"].is_u64() && query["exitCode"].is_null());
    assert_eq!(client.get("/_api/query/current").body, json!([]));
    other.get("/_api/query/current?all=true").expect_error(403, 1230);
    let path = format!("/_api/query/{}", query["id"].as_str().expect("an id"));
    client.delete(&path).expect_error(404, 1591);
    client.delete(&format!("{path}?all=true")).expect(200);
    thread.join().expect("the query's thread").expect_error(410, 1500);
}

#[test]
fn there_are_no_caches_and_no_user_functions() {
    let server = Server::start();
    let client = server.client();
    let properties = client.get("/_api/query-cache/properties").expect(200).body;
    assert_eq!((&properties["mode"], &properties["maxResults"]), (&json!("off"), &json!(0)));
    client.json("PUT", "/_api/query-cache/properties", &json!({ "mode": "off" })).expect(200);
    client.json("PUT", "/_api/query-cache/properties", &json!({ "mode": "on" })).expect_error(501, 9);
    client.json("PUT", "/_api/query-cache/properties", &json!({ "mode": "x" })).expect_error(400, 10);
    for list in ["/_api/query-cache/entries", "/_api/query-plan-cache"] {
        assert_eq!(client.get(list).expect(200).body, json!([]));
    }
    client.delete("/_api/query-cache").expect(200);
    client.delete("/_api/query-plan-cache").expect(200);
    assert_eq!(client.get("/_api/aqlfunction").expect(200).body["result"], json!([]));
    client.delete("/_api/aqlfunction/a::b").expect_error(404, 1582);
    client
        .post("/_api/aqlfunction", &json!({ "name": "a::b", "code": "function () {}" }))
        .expect_error(501, 9);
}
