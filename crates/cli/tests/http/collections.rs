//! `/_api/collection`.

use serde_json::json;

use crate::server::Server;

#[test]
fn life_of_a_collection() {
    let server = Server::start();
    let client = server.client();
    let created =
        client.post("/_api/collection", &json!({ "name": "things", "waitForSync": true })).expect(200);
    assert_eq!(created.body["name"], "things");
    assert_eq!(created.body["type"], 2);
    assert_eq!(created.body["status"], 3);
    assert_eq!(created.body["waitForSync"], true);
    assert_eq!(created.body["keyOptions"]["type"], "traditional");
    assert_eq!(created.body["error"], false);
    let id = created.body["id"].as_str().expect("an id").to_owned();
    let by_id = client.get(&format!("/_api/collection/{id}")).expect(200);
    assert_eq!(by_id.body["name"], "things");
    let changed = client.json("PUT", "/_api/collection/things/properties", &json!({ "waitForSync": false }));
    assert_eq!(changed.expect(200).body["waitForSync"], false);
    client.post("/_api/document/things", &json!([{ "_key": "a" }, { "_key": "b" }])).expect(202);
    let count = client.get("/_api/collection/things/count").expect(200);
    assert_eq!(count.body["count"], 2);
    assert_eq!(count.header("location"), Some("/_db/_system/_api/collection/things/count"));
    let figures = client.get("/_api/collection/things/figures").expect(200);
    assert!(figures.body["figures"]["indexes"]["count"].as_u64().is_some_and(|count| count >= 1));
    let renamed =
        client.json("PUT", "/_api/collection/things/rename", &json!({ "name": "stuff" })).expect(200);
    assert_eq!((&renamed.body["name"], &renamed.body["id"]), (&json!("stuff"), &json!(id)));
    assert_eq!(client.get("/_api/document/stuff/a").expect(200).body["_id"], "stuff/a");
    client.get("/_api/collection/things").expect_error(404, 1203);
    client.json("PUT", "/_api/collection/stuff/truncate", &json!({})).expect(200);
    assert_eq!(client.get("/_api/collection/stuff/count").expect(200).body["count"], 0);
    assert_eq!(client.delete("/_api/collection/stuff").expect(200).body["id"], id);
    client.get("/_api/collection/stuff").expect_error(404, 1203);
}

#[test]
fn checksum_tells_content_from_content() {
    let server = Server::start();
    let client = server.client();
    for name in ["one", "two"] {
        client.create_collection(name);
    }
    client.post("/_api/document/one", &json!([{ "_key": "a", "n": 1 }, { "_key": "b" }])).expect(202);
    client.post("/_api/document/two", &json!([{ "_key": "b" }, { "_key": "a", "n": 1 }])).expect(202);
    let checksum = |name: &str| {
        let path = format!("/_api/collection/{name}/checksum?withData=true");
        client.get(&path).expect(200).body["checksum"].clone()
    };
    assert_eq!(checksum("one"), checksum("two"));
    client.json("PATCH", "/_api/document/two/a", &json!({ "n": 2 })).expect(202);
    assert_ne!(checksum("one"), checksum("two"));
}

#[test]
fn listing() {
    let server = Server::start();
    let client = server.client();
    client.create_collection("b");
    client.create_edge_collection("a");
    let all = client.get("/_api/collection").expect(200);
    let names = |body: &serde_json::Value| -> Vec<String> {
        body["result"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|entry| entry["name"].as_str())
            .map(str::to_owned)
            .collect()
    };
    assert!(names(&all.body).contains(&"_graphs".to_owned()));
    let own = client.get("/_api/collection?excludeSystem=true").expect(200);
    assert_eq!(names(&own.body), ["a", "b"]);
    assert_eq!(own.body["result"][0]["type"], 3);
}

#[test]
fn collection_errors() {
    let server = Server::start();
    let client = server.client();
    client.create_collection("things");
    client.post("/_api/collection", &json!({ "name": "things" })).expect_error(409, 1207);
    client.post("/_api/collection", &json!({})).expect_error(400, 1208);
    client.post("/_api/collection", &json!({ "name": "" })).expect_error(400, 1208);
    client.post("/_api/collection", &json!({ "name": "a/b" })).expect_error(400, 1208);
    client.post("/_api/collection", &json!({ "name": "_mine" })).expect_error(400, 1208);
    client
        .post("/_api/collection", &json!({ "name": "k", "keyOptions": { "type": "magic" } }))
        .expect_error(400, 1232);
    client
        .post("/_api/collection", &json!({ "name": "k", "keyOptions": { "type": "uuid", "increment": 2 } }))
        .expect_error(400, 1232);
    client.get("/_api/collection/nowhere").expect_error(404, 1203);
    client.delete("/_api/collection/nowhere").expect_error(404, 1203);
    client.delete("/_api/collection/_graphs").expect_error(403, 11);
    client.json("PUT", "/_api/collection/things/rename", &json!({})).expect_error(400, 1208);
    client.json("PUT", "/_api/collection/things/rename", &json!({ "name": "a b/c" })).expect_error(400, 1208);
    client.get("/_api/collection/things/nothing").expect_error(404, 404);
    client.get("/_api/collection/things/properties/more").expect_error(404, 404);
    client.json("PATCH", "/_api/collection/things", &json!({})).expect_error(405, 405);
    client.get("/_api/nothing").expect_error(404, 404);
}

#[test]
fn names_of_key_generators() {
    let server = Server::start();
    let answer = server.client().get("/_api/key-generators").expect(200);
    let names = ["upgrade", "padded", "uuid", "autoincrement", "traditional"];
    assert_eq!(answer.body, json!({ "keyGenerators": names }));
}
