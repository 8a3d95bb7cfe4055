//! Every kind of route works inside.

use serde_json::{Value, json};

use super::{Transaction, count, server_with_collections};

#[test]
fn what_fails_leaves_what_was_written_before() {
    let (_server, client) = server_with_collections();
    client
        .post("/_api/index?collection=a", &json!({ "type": "persistent", "fields": ["n"], "unique": true }))
        .expect(201);
    let inside = Transaction::writing(&client, &["a"]);
    inside.post("/_api/document/a", &json!({ "_key": "1", "n": 1 })).expect(202);
    inside.post("/_api/document/a", &json!({ "n": 1 })).expect_error(409, 1210);
    let failing = json!({ "query": "FOR n IN 3..0 INSERT { n } INTO a" });
    inside.post("/_api/cursor", &failing).expect_error(409, 1210);
    inside
        .post("/_api/cursor", &json!({ "query": "FOR d IN a REMOVE d IN a RETURN FAIL()" }))
        .expect_error(400, 1569);
    inside.post("/_api/cursor", &json!({ "query": "FOR d IN" })).expect_error(400, 1501);
    let lines = b"{\"n\":7}\n{\"n\":1}\n";
    let complete = "/_api/import?collection=a&type=documents&complete=true";
    client.send("POST", complete, &[("x-arango-trx-id", &inside.id)], lines).expect_error(409, 1210);
    assert_eq!(inside.query("FOR d IN a RETURN d.n"), [1]);
    inside.commit().expect(200);
    assert_eq!(client.query("FOR d IN a RETURN d.n"), [1]);
    assert_eq!(client.query("FOR d IN a FILTER d.n IN [0, 1, 2, 3, 7] RETURN d.n"), [1]);
}

#[test]
fn imports_and_truncation() {
    let (_server, client) = server_with_collections();
    client.post("/_api/document/a", &json!([{ "_key": "x" }, { "_key": "y" }])).expect(202);
    let inside = Transaction::writing(&client, &["a"]);
    inside.send("PUT", "/_api/collection/a/truncate", &Value::Null).expect(200);
    assert_eq!(inside.query("RETURN LENGTH(a)"), [0]);
    let path = "/_api/import?collection=a&type=list&onDuplicate=replace";
    let imported = inside.post(path, &json!([{ "_key": "x", "n": 1 }, { "n": 2 }, 3])).expect(201).body;
    assert_eq!((&imported["created"], &imported["errors"]), (&json!(2), &json!(1)));
    let overwriting = inside.post("/_api/import?collection=a&type=list&overwrite=true", &json!([{ "n": 4 }]));
    assert_eq!(overwriting.expect(201).body["created"], 1);
    assert_eq!(count(&client, "a"), 2);
    inside.commit().expect(200);
    assert_eq!(client.query("FOR d IN a RETURN d.n"), [4]);
}

#[test]
fn graphs() {
    let (_server, client) = server_with_collections();
    let edges = json!([{ "collection": "roads", "from": ["towns"], "to": ["towns"] }]);
    client.post("/_api/gharial", &json!({ "name": "map", "edgeDefinitions": edges })).expect(202);
    let inside = Transaction::writing(&client, &["towns", "roads"]);
    for key in ["x", "y"] {
        inside.post("/_api/gharial/map/vertex/towns", &json!({ "_key": key })).expect(202);
    }
    let road = json!({ "_key": "xy", "_from": "towns/x", "_to": "towns/y" });
    inside.post("/_api/gharial/map/edge/roads", &road).expect(202);
    inside
        .post("/_api/gharial/map/edge/roads", &json!({ "_from": "towns/x", "_to": "towns/z" }))
        .expect_error(404, 1202);
    inside.get("/_api/gharial/map/edge/roads/xy").expect(200);
    client.get("/_api/gharial/map/edge/roads/xy").expect_error(404, 1202);
    let at = inside.get("/_api/edges/roads?vertex=towns/x").expect(200);
    assert_eq!(at.body["edges"].as_array().expect("edges").len(), 1);
    let at = client.get("/_api/edges/roads?vertex=towns/x").expect(200);
    assert_eq!(at.body["edges"], json!([]));
    assert_eq!(inside.query("FOR v IN 1..1 OUTBOUND 'towns/x' GRAPH 'map' RETURN v._key"), ["y"]);
    inside.send("DELETE", "/_api/gharial/map/vertex/towns/y", &Value::Null).expect(202);
    inside.get("/_api/gharial/map/edge/roads/xy").expect_error(404, 1202);
    inside.commit().expect(200);
    assert_eq!((count(&client, "towns"), count(&client, "roads")), (json!(1), json!(0)));

    // Edges go with their vertices, so they must be declared.
    let vertices = Transaction::writing(&client, &["towns"]);
    let refused = vertices.send("DELETE", "/_api/gharial/map/vertex/towns/x", &Value::Null);
    assert!(refused.expect_error(400, 1652).contains("roads"));
    let strict =
        Transaction::begin(&client, &json!({ "collections": { "write": "roads" }, "allowImplicit": false }));
    let road = json!({ "_from": "towns/x", "_to": "towns/x" });
    assert!(strict.post("/_api/gharial/map/edge/roads", &road).expect_error(400, 1652).contains("towns"));
}

#[test]
fn collections_must_be_declared() {
    let (_server, client) = server_with_collections();
    client.post("/_api/document/b", &json!({ "_key": "1" })).expect(202);
    let reading = Transaction::begin(&client, &json!({ "collections": { "read": "b" } }));
    let message = reading.post("/_api/document/b", &json!({})).expect_error(400, 1652);
    assert!(message.contains("b [write]"), "{message}");
    let usual = Transaction::begin(&client, &json!({ "collections": { "exclusive": ["a"] } }));
    usual.get("/_api/document/b/1").expect(200);
    assert_eq!(usual.query("FOR d IN b RETURN d._key"), ["1"]);
    usual.post("/_api/document/a", &json!({})).expect(202);
    usual.query("INSERT {} INTO a OPTIONS { exclusive: true }");
    // Not of "a", which the other holds exclusively.
    client.create_collection("c");
    let strict =
        Transaction::begin(&client, &json!({ "collections": { "write": ["c"] }, "allowImplicit": false }));
    strict.get("/_api/document/b/1").expect_error(400, 1652);
    strict.get("/_api/collection/b/count").expect_error(400, 1652);
    strict.post("/_api/cursor", &json!({ "query": "FOR d IN b RETURN d" })).expect_error(400, 1652);
    strict.send("PUT", "/_api/document/b?onlyget=true", &json!(["1"])).expect_error(400, 1652);
    client.create_edge_collection("edges");
    client.post("/_api/document/edges", &json!({ "_from": "a/1", "_to": "b/1" })).expect(202);
    let strict_later =
        Transaction::begin(&client, &json!({ "collections": { "read": ["edges"] }, "allowImplicit": false }));
    for (query, number) in [
        ("RETURN DOCUMENT('b/1')", 1652),
        ("RETURN DOCUMENT('nowhere/1')", 0),
        ("FOR v IN 1..1 OUTBOUND 'a/1' edges RETURN v", 1652),
        ("WITH b FOR v IN 1..1 OUTBOUND 'a/1' edges RETURN v", 1652),
        ("FOR v, e IN 1..1 OUTBOUND 'a/1' edges RETURN e._to", 0),
    ] {
        let answer = strict_later.post("/_api/cursor", &json!({ "query": query }));
        let found = answer.body["errorNum"].as_u64().unwrap_or(0);
        assert_eq!(found, number, "{query}: {}", answer.body);
    }
    for transaction in [&usual, &strict] {
        transaction.post("/_api/document/b", &json!({})).expect_error(400, 1652);
        transaction.post("/_api/document/b", &json!([{}])).expect_error(400, 1652);
        transaction.send("PATCH", "/_api/document/b/1", &json!({})).expect_error(400, 1652);
        transaction.send("DELETE", "/_api/document/b/1", &Value::Null).expect_error(400, 1652);
        transaction.send("PUT", "/_api/collection/b/truncate", &Value::Null).expect_error(400, 1652);
        transaction.post("/_api/import?collection=b&type=list", &json!([{}])).expect_error(400, 1652);
        transaction
            .post("/_api/cursor", &json!({ "query": "FOR d IN b REMOVE d IN b" }))
            .expect_error(400, 1652);
        transaction.commit().expect(200);
    }
    assert_eq!((count(&client, "a"), count(&client, "b")), (json!(2), json!(1)));
}

#[test]
fn cursors_inside() {
    let (_server, client) = server_with_collections();
    let inside = Transaction::writing(&client, &["a"]);
    inside.query("FOR n IN 1..10 INSERT { n } INTO a");
    let open = |stream: bool| {
        let body = json!({ "query": "FOR d IN a SORT d.n RETURN d.n", "batchSize": 4, "options": { "stream": stream } });
        let id =
            inside.post("/_api/cursor", &body).expect(201).body["id"].as_str().expect("an id").to_owned();
        format!("/_api/cursor/{id}")
    };
    let (whole, stream) = (open(false), open(true));
    for cursor in [&whole, &stream] {
        assert_eq!(inside.post(cursor, &Value::Null).expect(200).body["result"], json!([5, 6, 7, 8]));
    }
    inside.abort().expect(200);
    assert_eq!(client.post(&whole, &Value::Null).expect(200).body["result"], json!([9, 10]));
    client.post(&stream, &Value::Null).expect_error(404, 1600);
}
