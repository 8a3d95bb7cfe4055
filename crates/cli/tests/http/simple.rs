//! `/_api/simple/*`: what old clients ask without AQL.

use serde_json::{Value, json};

use crate::client::Client;
use crate::server::Server;

fn started() -> (Server, Client) {
    let (server, client) = Server::start_with_collection();
    let documents: Vec<Value> =
        (0..10).map(|n| json!({ "_key": format!("k{n}"), "n": n, "a": { "b": n % 2 } })).collect();
    client.post("/_api/document/c", &json!(documents)).expect(202);
    (server, client)
}

#[track_caller]
fn put(client: &Client, name: &str, body: &Value, status: u16) -> Value {
    client.json("PUT", &format!("/_api/simple/{name}"), body).expect(status).body
}

#[test]
fn lists_are_cursors() {
    let (_server, client) = started();
    let first =
        put(&client, "all", &json!({ "collection": "c", "batchSize": 4, "limit": 7, "skip": 1 }), 201);
    assert_eq!((first["result"].as_array().map(Vec::len), &first["hasMore"]), (Some(4), &json!(true)));
    let id = first["id"].as_str().expect("an id");
    let second = client.send("PUT", &format!("/_api/cursor/{id}"), &[], b"").expect(200);
    assert_eq!(second.body["result"].as_array().map(Vec::len), Some(3));

    let rest = put(&client, "all", &json!({ "collection": "c", "skip": 8 }), 201);
    assert_eq!(rest["result"].as_array().map(Vec::len), Some(2));
    for (form, start) in [("key", "k"), ("id", "c/k"), ("path", "/_db/_system/_api/document/c/k")] {
        let keys = put(&client, "all-keys", &json!({ "collection": "c", "type": form }), 201);
        let keys = keys["result"].as_array().expect("keys").clone();
        assert_eq!(keys.len(), 10);
        assert!(keys.iter().all(|key| key.as_str().is_some_and(|key| key.starts_with(start))), "{keys:?}");
    }
}

#[test]
fn examples() {
    let (_server, client) = started();
    let found =
        put(&client, "by-example", &json!({ "collection": "c", "example": { "a.b": 1 }, "limit": 3 }), 201);
    assert_eq!(found["result"].as_array().map(Vec::len), Some(3));
    let whole = put(&client, "by-example", &json!({ "collection": "c", "example": {} }), 201);
    assert_eq!(whole["result"].as_array().map(Vec::len), Some(10));
    let first = put(
        &client,
        "first-example",
        &json!({ "collection": "c", "example": { "n": 4, "a": { "b": 0 } } }),
        200,
    );
    assert_eq!((&first["document"]["_key"], &first["error"]), (&json!("k4"), &json!(false)));
    client
        .json("PUT", "/_api/simple/first-example", &json!({ "collection": "c", "example": { "n": 99 } }))
        .expect_error(404, 404);

    let update = json!({ "collection": "c", "example": { "a.b": 1 }, "newValue": { "n": null, "odd": true },
        "options": { "keepNull": false, "limit": 2 } });
    assert_eq!(put(&client, "update-by-example", &update, 200)["updated"], 2);
    assert_eq!(client.query("FOR d IN c FILTER d.odd && !HAS(d, 'n') RETURN 1").len(), 2);
    let replace = json!({ "collection": "c", "example": { "odd": true }, "newValue": { "gone": true } });
    assert_eq!(put(&client, "replace-by-example", &replace, 200)["replaced"], 2);
    let remove = json!({ "collection": "c", "example": { "gone": true } });
    assert_eq!(put(&client, "remove-by-example", &remove, 200)["deleted"], 2);
    assert_eq!(client.get("/_api/collection/c/count").body["count"], 8);
}

#[test]
fn keys_and_chance() {
    let (_server, client) = started();
    let found =
        put(&client, "lookup-by-keys", &json!({ "collection": "c", "keys": ["k3", "no", "c/k1"] }), 200);
    let keys: Vec<&Value> =
        found["documents"].as_array().expect("documents").iter().map(|document| &document["_key"]).collect();
    assert_eq!(keys, ["k3", "k1"]);
    let any = put(&client, "any", &json!({ "collection": "c" }), 200);
    assert!(any["document"]["_id"].as_str().is_some_and(|id| id.starts_with("c/k")));
    let removed = put(
        &client,
        "remove-by-keys",
        &json!({ "collection": "c", "keys": ["k1", "no", "k2"], "options": { "returnOld": true } }),
        200,
    );
    assert_eq!((&removed["removed"], &removed["ignored"]), (&json!(2), &json!(1)));
    assert_eq!(removed["old"][1]["n"], 2);
    client.json("PUT", "/_api/collection/c/truncate", &json!({})).expect(200);
    assert_eq!(put(&client, "any", &json!({ "collection": "c" }), 200)["document"], Value::Null);
}

#[test]
fn ranges_need_an_index() {
    let (_server, client) = started();
    let mut body = json!({ "collection": "c", "attribute": "n", "left": 3, "right": 6 });
    assert_eq!(client.json("PUT", "/_api/simple/range", &body).body["errorNum"], 1209);
    client.post("/_api/index?collection=c", &json!({ "type": "skiplist", "fields": ["n"] })).expect(201);
    let open = put(&client, "range", &body, 201);
    assert_eq!(open["result"].as_array().map(Vec::len), Some(3));
    body["closed"] = json!(true);
    assert_eq!(put(&client, "range", &body, 201)["result"][3]["n"], 6);
}

#[test]
fn bad_requests() {
    let (_server, client) = started();
    let put = |name: &str, body: Value| client.json("PUT", &format!("/_api/simple/{name}"), &body);
    put("all", json!({})).expect_error(400, 10);
    put("all", json!({ "collection": "nowhere" })).expect_error(404, 1203);
    put("by-example", json!({ "collection": "c" })).expect_error(400, 10);
    put("lookup-by-keys", json!({ "collection": "c", "keys": "k1" })).expect_error(400, 10);
    put("near", json!({ "collection": "c", "latitude": 0, "longitude": 0 })).expect_error(404, 1570);
    put("nothing", json!({ "collection": "c" })).expect_error(404, 404);
    client.get("/_api/simple/all").expect_error(405, 405);
}
