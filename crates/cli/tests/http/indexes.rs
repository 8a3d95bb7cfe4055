//! `/_api/index`, and that unique indexes hold.

use serde_json::json;

use crate::server::Server;

#[test]
fn life_of_an_index() {
    let server = Server::start();
    let client = server.client();
    client.create_collection("c");
    let documents: Vec<_> =
        (0..100).map(|n| json!({ "_key": n.to_string(), "n": n, "half": n / 2 })).collect();
    client.post("/_api/document/c", &json!(documents)).expect(202);
    let definition = json!({ "type": "persistent", "fields": ["half"], "name": "by_half" });
    let created = client.post("/_api/index?collection=c", &definition).expect(201);
    assert_eq!(created.body["isNewlyCreated"], true);
    assert_eq!(created.body["fields"], json!(["half"]));
    assert_eq!((&created.body["unique"], &created.body["sparse"]), (&json!(false), &json!(false)));
    assert!(
        created.body["selectivityEstimate"].as_f64().is_some_and(|estimate| (0.3..=0.7).contains(&estimate))
    );
    let id = created.body["id"].as_str().expect("an id").to_owned();
    assert!(id.starts_with("c/"));
    let again = client.post("/_api/index?collection=c", &definition).expect(200);
    assert_eq!((&again.body["isNewlyCreated"], &again.body["id"]), (&json!(false), &json!(id)));
    assert_eq!(client.get(&format!("/_api/index/{id}")).expect(200).body["name"], "by_half");
    assert_eq!(client.get("/_api/index/c/by_half").expect(200).body["id"], id.as_str());
    let list = client.get("/_api/index?collection=c").expect(200);
    assert_eq!(list.body["indexes"][0]["type"], "primary");
    assert_eq!(list.body["identifiers"]["c/0"]["name"], "primary");
    assert_eq!(list.body["indexes"].as_array().map(Vec::len), Some(2));
    for (name, echoed) in [("hash", "hash"), ("skiplist", "skiplist")] {
        let alias = json!({ "type": name, "fields": [name] });
        assert_eq!(client.post("/_api/index?collection=c", &alias).expect(201).body["type"], echoed);
    }
    assert_eq!(client.query("FOR d IN c FILTER d.half == 7 SORT d.n RETURN d.n"), [14, 15]);
    assert_eq!(client.delete(&format!("/_api/index/{id}")).expect(200).body["id"], id.as_str());
    client.get(&format!("/_api/index/{id}")).expect_error(404, 1212);
}

/// A query that writes while a unique index is made ends first, and the index is refused for what it has written.
#[test]
fn a_unique_index_obeys_queries_that_are_older() {
    let server = Server::start();
    let client = server.client();
    client.create_collection("uq");
    let documents: Vec<_> = (0..20).map(|n| json!({ "_key": format!("a{n}"), "u": n })).collect();
    client.post("/_api/document/uq", &json!(documents)).expect(202);
    let query = "FOR i IN [1] FILTER SLEEP(1) == null \
                 FOR j IN 0..19 INSERT { _key: CONCAT('b', j), u: j } INTO uq";
    let definition = json!({ "type": "persistent", "fields": ["u"], "unique": true });
    std::thread::scope(|scope| {
        let other = server.client();
        let writer = scope.spawn(move || other.post("/_api/cursor", &json!({ "query": query })));
        client.await_figure("persea_collections_locked", 1.0);
        client.post("/_api/index?collection=uq", &definition).expect_error(400, 1210);
        writer.join().expect("an answer").expect(201);
    });
    assert_eq!(client.query("RETURN COUNT(FOR d IN uq FILTER d.u == 7 RETURN 1)"), [2]);
    client.query("FOR d IN uq FILTER STARTS_WITH(d._key, 'a') REMOVE d IN uq");
    client.post("/_api/index?collection=uq", &definition).expect(201);
}

#[test]
fn unique_indexes_hold() {
    let server = Server::start();
    let client = server.client();
    client.create_collection("c");
    let definition =
        json!({ "type": "persistent", "fields": ["email"], "unique": true, "sparse": true, "name": "mail" });
    client.post("/_api/index?collection=c", &definition).expect(201);
    client.post("/_api/document/c", &json!({ "_key": "a", "email": "x@y.z" })).expect(202);
    let message = client.post("/_api/document/c", &json!({ "email": "x@y.z" })).expect_error(409, 1210);
    assert!(message.contains("mail") && message.contains("conflicting key: a"), "{message}");
    client.post("/_api/document/c", &json!([{ "_key": "b" }, { "_key": "d" }])).expect(202);
    client.json("PATCH", "/_api/document/c/b", &json!({ "email": "x@y.z" })).expect_error(409, 1210);
    client.delete("/_api/document/c/a").expect(202);
    client.json("PATCH", "/_api/document/c/b", &json!({ "email": "x@y.z" })).expect(202);
    assert_eq!(client.query("FOR d IN c FILTER d.email == 'x@y.z' RETURN d._key"), ["b"]);
}

#[test]
fn concurrent_inserts_of_one_value_have_one_winner() {
    let server = Server::start();
    let client = server.client();
    client.create_collection("c");
    let definition = json!({ "type": "persistent", "fields": ["v"], "unique": true });
    client.post("/_api/index?collection=c", &definition).expect(201);
    let writers: Vec<_> = (0..8)
        .map(|_| {
            let client = client.clone();
            std::thread::spawn(move || {
                let statuses = (0..30).map(|v| client.post("/_api/document/c", &json!({ "v": v })).status);
                statuses.filter(|status| *status == 202).count()
            })
        })
        .collect();
    let wins: usize = writers.into_iter().map(|writer| writer.join().expect("a writer")).sum();
    assert_eq!(wins, 30);
    assert_eq!(client.query("RETURN LENGTH(c)"), [30]);
}

#[test]
fn index_errors() {
    let server = Server::start();
    let client = server.client();
    client.create_collection("c");
    client.create_edge_collection("e");
    client.post("/_api/document/c", &json!([{ "v": 1 }, { "v": 1 }])).expect(202);
    let create = |definition: serde_json::Value| client.post("/_api/index?collection=c", &definition);
    create(json!({ "type": "persistent", "fields": ["v"], "unique": true })).expect_error(400, 1210);
    create(json!({ "type": "persistent", "fields": [] })).expect_error(400, 10);
    create(json!({ "type": "persistent" })).expect_error(400, 10);
    create(json!({ "type": "persistent", "fields": ["a", "a"] })).expect_error(400, 10);
    create(json!({ "type": "persistent", "fields": ["_id"] })).expect_error(400, 10);
    create(json!({ "type": "magic", "fields": ["a"] })).expect_error(400, 10);
    create(json!({ "fields": ["a"] })).expect_error(400, 10);
    create(json!("persistent")).expect_error(400, 10);
    client.post("/_api/index", &json!({ "type": "persistent", "fields": ["a"] })).expect_error(400, 1204);
    client
        .post("/_api/index?collection=nowhere", &json!({ "type": "persistent", "fields": ["a"] }))
        .expect_error(404, 1203);
    client.get("/_api/index/c/12345").expect_error(404, 1212);
    client.delete("/_api/index/c/0").expect_error(403, 11);
    client.delete("/_api/index/e/edge").expect_error(403, 11);
    assert_eq!(client.get("/_api/index?collection=c").body["indexes"].as_array().map(Vec::len), Some(1));
}

#[test]
fn figures_of_indexes_and_the_old_place_of_the_type() {
    let server = Server::start();
    let client = server.client();
    client.create_collection("c");
    client.post("/_api/document/c", &json!([{ "v": 1 }, { "v": 2 }])).expect(202);
    let made = client.post("/_api/index?collection=c&type=skiplist", &json!({ "fields": ["v"] })).expect(201);
    assert_eq!(made.body["type"], "skiplist");
    let indexes = client.get("/_api/index?collection=c&withStats=true").expect(200).body;
    for index in indexes["indexes"].as_array().expect("indexes") {
        let memory = index["figures"]["memory"].as_u64();
        assert!(memory.is_some_and(|bytes| bytes > 0), "{index}");
    }
    let plain = client.get("/_api/index?collection=c").body;
    assert!(plain["indexes"][0]["figures"].is_null());
}
