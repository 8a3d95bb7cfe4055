//! `/_api/gharial` and `/_api/edges`: named graphs, their collections, vertices and edges.

use serde_json::{Value, json};

use crate::client::Client;
use crate::server::Server;

/// A server with the graph `g`: edges of `knows` lead from `people` to `people` and `towns`; `things` is an orphan.
fn started() -> (Server, Client) {
    let server = Server::start();
    let client = server.client();
    let graph = json!({
        "name": "g",
        "edgeDefinitions": [{ "collection": "knows", "from": ["people"], "to": ["towns", "people"] }],
        "orphanCollections": ["things"],
    });
    client.post("/_api/gharial", &graph).expect(202);
    (server, client)
}

/// Inserts vertices into `people`.
#[track_caller]
fn insert_people(client: &Client, keys: &[&str]) {
    for key in keys {
        client.post("/_api/gharial/g/vertex/people", &json!({ "_key": key })).expect(202);
    }
}

/// Inserts an edge into `knows`.
#[track_caller]
fn insert_edge(client: &Client, key: &str, from: &str, to: &str) {
    let edge = json!({ "_key": key, "_from": from, "_to": to });
    client.post("/_api/gharial/g/edge/knows", &edge).expect(202);
}

#[test]
fn graphs() {
    let (_server, client) = started();
    let read = client.get("/_api/gharial/g").expect(200);
    let graph = &read.body["graph"];
    assert_eq!(read.body["error"], false);
    assert_eq!(
        (&graph["_key"], &graph["_id"], &graph["name"]),
        (&json!("g"), &json!("_graphs/g"), &json!("g"))
    );
    assert_eq!(read.header("etag"), graph["_rev"].as_str(), "without quotes");
    let definition = json!([{ "collection": "knows", "from": ["people"], "to": ["people", "towns"] }]);
    assert_eq!(graph["edgeDefinitions"], definition, "names are sorted");
    assert_eq!(graph["orphanCollections"], json!(["things"]));
    assert_eq!(client.get("/_api/collection/knows").body["type"], 3);
    assert_eq!(client.get("/_api/collection/towns").body["type"], 2);

    let empty = client.post("/_api/gharial/", &json!({ "name": "empty", "options": {} })).expect(202).body;
    assert_eq!(empty["graph"]["edgeDefinitions"], json!([]));
    client.post("/_api/gharial?waitForSync=true", &json!({ "name": "safe" })).expect(201);
    let listed = client.get("/_api/gharial").expect(200).body;
    let names: Vec<&Value> =
        listed["graphs"].as_array().expect("graphs").iter().map(|graph| &graph["name"]).collect();
    assert_eq!(names, ["empty", "g", "safe"]);

    let dropped = client.delete("/_api/gharial/g").expect(202).body;
    assert_eq!(dropped["removed"], true);
    client.get("/_api/gharial/g").expect_error(404, 1924);
    client.delete("/_api/gharial/g").expect_error(404, 1924);
    client.get("/_api/collection/knows").expect(200);
}

#[test]
fn dropping_collections_with_their_graph() {
    let (_server, client) = started();
    let other = json!({
        "name": "other",
        "edgeDefinitions": [{ "collection": "likes", "from": ["people"], "to": ["people"] }],
    });
    client.post("/_api/gharial", &other).expect(202);
    let refused = client.delete("/_api/collection/knows").expect_error(500, 1942);
    assert!(refused.contains("'knows' is an edge collection inside graph 'g'"), "{refused}");
    client.delete("/_api/gharial/g?dropCollections=true").expect(202);
    for (name, status) in [("knows", 404), ("towns", 404), ("things", 404), ("people", 200), ("likes", 200)] {
        client.get(&format!("/_api/collection/{name}")).expect(status);
    }
}

#[test]
fn bad_graphs() {
    let (_server, client) = started();
    let definition = |collection: &str, from: &[&str], to: &[&str]| json!({ "collection": collection, "from": from, "to": to });
    let check = |graph: Value, status: u16, number: u16| {
        client.post("/_api/gharial", &graph).expect_error(status, number);
    };
    check(json!({}), 400, 1922);
    check(json!({ "name": "" }), 400, 1922);
    check(json!({ "name": "a b" }), 400, 1221);
    check(json!({ "name": "g" }), 409, 1925);
    check(json!({ "name": "h", "edgeDefinitions": "knows" }), 400, 1923);
    check(json!({ "name": "h", "edgeDefinitions": [{ "collection": "e" }] }), 400, 1923);
    let twice = definition("e", &["a"], &["a"]);
    check(json!({ "name": "h", "edgeDefinitions": [twice, twice] }), 400, 1920);
    check(
        json!({ "name": "h", "edgeDefinitions": [definition("knows", &["people"], &["people"])] }),
        400,
        1921,
    );
    check(json!({ "name": "h", "isSmart": true }), 501, 9);
    client.send("POST", "/_api/gharial", &[], b"{").expect_error(400, 600);
    client.get("/_api/gharial/h").expect_error(404, 1924);
    client.get("/_api/gharial/g/nowhere").expect_error(404, 404);
    client.json("PATCH", "/_api/gharial/g", &json!({})).expect_error(405, 405);
    let same = definition("knows", &["people"], &["people", "towns"]);
    client.post("/_api/gharial", &json!({ "name": "h", "edgeDefinitions": [same] })).expect(202);
}

#[test]
fn vertex_collections() {
    let (_server, client) = started();
    let path = "/_api/gharial/g/vertex";
    assert_eq!(client.get(path).expect(200).body["collections"], json!(["people", "things", "towns"]));
    let added = client.post(path, &json!({ "collection": "more" })).expect(202);
    assert_eq!(added.body["graph"]["orphanCollections"], json!(["more", "things"]));
    client.post(path, &json!({ "collection": "more" })).expect_error(400, 1938);
    client.post(path, &json!({ "collection": "people" })).expect_error(400, 1929);
    client.post(path, &json!({})).expect_error(400, 10);
    client
        .post(&format!("{path}?createCollection=false"), &json!({ "collection": "no" }))
        .expect_error(404, 1926);
    client.post("/_api/gharial/no/vertex", &json!({ "collection": "more" })).expect_error(404, 1924);

    client.delete(&format!("{path}/people")).expect_error(400, 1928);
    client.delete(&format!("{path}/no")).expect_error(404, 1926);
    let removed = client.delete(&format!("{path}/more?dropCollection=true")).expect(202);
    assert_eq!(removed.body["graph"]["orphanCollections"], json!(["things"]));
    client.get("/_api/collection/more").expect_error(404, 1203);
    client.delete(&format!("{path}/things?waitForSync=true")).expect(200);
    client.get("/_api/collection/things").expect(200);
}

#[test]
fn edge_definitions() {
    let (_server, client) = started();
    let path = "/_api/gharial/g/edge";
    let likes = json!({ "collection": "likes", "from": ["people"], "to": ["things"] });
    let added = client.post(path, &likes).expect(202);
    assert_eq!(added.body["graph"]["orphanCollections"], json!([]));
    assert_eq!(client.get(path).expect(200).body["collections"], json!(["knows", "likes"]));
    client.post(path, &likes).expect_error(400, 1920);
    client.post(path, &json!({ "collection": "x", "from": [], "to": ["people"] })).expect_error(400, 1923);
    let missing = json!({ "collection": "x", "from": ["people"], "to": ["people"] });
    client.post(&format!("{path}?createCollections=false"), &missing).expect_error(400, 1939);

    let changed = json!({ "collection": "likes", "from": ["people"], "to": ["songs"] });
    let replaced = client.json("PUT", &format!("{path}/likes?waitForSync=true"), &changed).expect(201);
    assert_eq!(replaced.body["graph"]["edgeDefinitions"][1], changed);
    assert_eq!(replaced.body["graph"]["orphanCollections"], json!(["things"]));
    client.get("/_api/collection/songs").expect(200);
    client.json("PUT", &format!("{path}/no"), &changed).expect_error(404, 1930);
    client.json("PUT", &format!("{path}/likes"), &json!({ "collection": "likes" })).expect_error(400, 1923);

    let removed = client.delete(&format!("{path}/likes?dropCollections=true")).expect(202);
    assert_eq!(removed.body["graph"]["orphanCollections"], json!(["songs", "things"]));
    client.get("/_api/collection/likes").expect_error(404, 1203);
    client.get("/_api/collection/songs").expect(200);
    client.delete(&format!("{path}/likes")).expect_error(404, 1930);
}

#[test]
fn one_vertex() {
    let (_server, client) = started();
    let path = "/_api/gharial/g/vertex/people";
    let inserted =
        client.post(&format!("{path}?returnNew=true"), &json!({ "_key": "ann", "n": 1 })).expect(202);
    assert_eq!(inserted.body["vertex"]["_id"], "people/ann");
    assert_eq!(inserted.body["new"]["n"], 1);
    let revision = inserted.body["vertex"]["_rev"].as_str().expect("a revision").to_owned();
    assert_eq!(inserted.header("etag"), Some(revision.as_str()));
    client.post(path, &json!({ "_key": "ann" })).expect_error(409, 1210);
    client.post(path, &json!([])).expect_error(400, 1227);
    client.send("POST", path, &[], b"{").expect_error(400, 600);

    let ann = format!("{path}/ann");
    assert_eq!(client.get(&ann).expect(200).body["vertex"]["n"], 1);
    assert_eq!(client.send("HEAD", &ann, &[], b"").status, 200);
    client.send("GET", &ann, &[("if-none-match", &revision)], b"").expect(304);
    let updated =
        client.json("PATCH", &format!("{ann}?returnOld=true&returnNew=true"), &json!({ "m": 2 })).expect(202);
    assert_eq!(updated.body["vertex"]["_oldRev"], revision.as_str());
    assert_eq!((&updated.body["old"]["m"], &updated.body["new"]["m"]), (&Value::Null, &json!(2)));
    client.send("GET", &ann, &[("if-match", &revision)], b"").expect_error(412, 1200);
    client.get(&format!("{ann}?rev={revision}")).expect_error(412, 1200);
    client.send("PUT", &ann, &[("if-match", &revision)], b"{}").expect_error(412, 1200);
    client
        .json("PATCH", &format!("{ann}?keepNull=false&waitForSync=true"), &json!({ "m": null }))
        .expect(200);
    client.json("PUT", &format!("{ann}?waitForSync=true"), &json!({ "n": 3 })).expect(200);
    assert_eq!(client.get(&ann).body["vertex"]["m"], Value::Null);

    let removed = client.delete(&format!("{ann}?returnOld=true")).expect(202);
    assert_eq!((&removed.body["removed"], &removed.body["old"]["n"]), (&json!(true), &json!(3)));
    assert_eq!(removed.header("etag"), None);
    client.get(&ann).expect_error(404, 1202);
    client.delete(&ann).expect_error(404, 1202);
}

#[test]
fn vertices_outside_of_the_graph() {
    let (_server, client) = started();
    client.create_collection("outside");
    client.post("/_api/gharial/g/vertex/outside", &json!({})).expect_error(404, 1949);
    client.post("/_api/gharial/g/vertex/nowhere", &json!({})).expect_error(404, 1949);
    client.get("/_api/gharial/g/vertex/outside/k").expect_error(404, 1926);
    client.delete("/_api/gharial/g/vertex/outside/k").expect_error(404, 1949);
    client.post("/_api/gharial/no/vertex/people", &json!({})).expect_error(404, 1924);
    client.get("/_api/gharial/no/vertex/people/k").expect_error(404, 1924);
    assert_eq!(client.get("/_api/collection/outside/count").body["count"], 0);
}

#[test]
fn edges_follow_the_definition() {
    let (_server, client) = started();
    client.create_collection("outside");
    insert_people(&client, &["a", "b"]);
    client.post("/_api/gharial/g/vertex/towns", &json!({ "_key": "t" })).expect(202);
    let path = "/_api/gharial/g/edge/knows";
    let check = |edge: Value, status: u16, number: u16| client.post(path, &edge).expect_error(status, number);
    check(json!({ "_from": "people/a" }), 400, 1233);
    check(json!({ "_from": "people/a", "_to": "b" }), 400, 1233);
    let refused = check(json!({ "_from": "towns/t", "_to": "people/a" }), 400, 1906);
    assert!(refused.contains("invalid edge between towns/t and people/a"), "{refused}");
    let refused = check(json!({ "_from": "people/a", "_to": "outside/x" }), 404, 1947);
    assert!(refused.contains("referenced _to collection 'outside' is not part of the graph"), "{refused}");
    check(json!({ "_from": "people/a", "_to": "people/nobody" }), 404, 1202);
    check(json!(1), 400, 1227);
    client.post("/_api/gharial/g/edge/people", &json!({})).expect_error(404, 1930);
    client.get("/_api/gharial/g/edge/nowhere/k").expect_error(404, 1930);
    assert_eq!(client.get("/_api/collection/knows/count").body["count"], 0);

    let inserted =
        client.post(path, &json!({ "_key": "e", "_from": "people/a", "_to": "towns/t" })).expect(202);
    assert_eq!(inserted.body["edge"]["_id"], "knows/e");
    let one = format!("{path}/e");
    assert_eq!(client.get(&one).expect(200).body["edge"]["_to"], "towns/t");
    client.json("PATCH", &one, &json!({ "since": 1999 })).expect(202);
    client.json("PATCH", &one, &json!({ "_to": "people/nobody" })).expect_error(404, 1202);
    client.json("PATCH", &one, &json!({ "_from": "towns/t" })).expect_error(400, 1906);
    client.json("PATCH", &one, &json!({ "_from": "outside/x" })).expect_error(404, 1947);
    client.json("PATCH", &one, &json!({ "_to": 1 })).expect_error(400, 1233);
    client.json("PATCH", &one, &json!({ "_to": "people/b" })).expect(202);
    let edge = client.get(&one).body["edge"].clone();
    assert_eq!(
        (&edge["_from"], &edge["_to"], &edge["since"]),
        (&json!("people/a"), &json!("people/b"), &json!(1999))
    );
    client.json("PUT", &one, &json!({ "since": 2000 })).expect_error(400, 1233);
    let whole = json!({ "_from": "people/b", "_to": "people/a" });
    client.json("PUT", &format!("{one}?waitForSync=true"), &whole).expect(201);
    assert_eq!(client.get(&one).body["edge"]["since"], Value::Null);
    assert_eq!(client.delete(&one).expect(202).body["removed"], true);
    client.get(&one).expect_error(404, 1202);
}

#[test]
fn edges_go_with_their_vertices() {
    let (_server, client) = started();
    let other = json!({
        "name": "other",
        "edgeDefinitions": [{ "collection": "likes", "from": ["people"], "to": ["people"] }],
    });
    client.post("/_api/gharial", &other).expect(202);
    insert_people(&client, &["a", "b", "c"]);
    for (key, from, to) in [("ab", "a", "b"), ("bc", "b", "c"), ("ca", "c", "a"), ("aa", "a", "a")] {
        insert_edge(&client, key, &format!("people/{from}"), &format!("people/{to}"));
    }
    let liked = json!({ "_from": "people/b", "_to": "people/a" });
    client.post("/_api/gharial/other/edge/likes", &liked).expect(202);
    let stale =
        client.send("DELETE", "/_api/gharial/g/vertex/people/a", &[("if-match", "_stale___---")], b"");
    stale.expect_error(412, 1200);
    assert_eq!(client.get("/_api/collection/knows/count").body["count"], 4);
    client.delete("/_api/gharial/g/vertex/people/a").expect(202);
    assert_eq!(client.get("/_api/collection/knows/count").body["count"], 1);
    assert_eq!(client.get("/_api/collection/likes/count").body["count"], 0);
    client.get("/_api/gharial/g/edge/knows/bc").expect(200);
}

#[test]
fn definitions_follow_renamed_collections() {
    let (_server, client) = started();
    client.json("PUT", "/_api/collection/people/rename", &json!({ "name": "persons" })).expect(200);
    let graph = client.get("/_api/gharial/g").body["graph"].clone();
    assert_eq!(graph["edgeDefinitions"][0]["from"], json!(["persons"]));
    client.post("/_api/gharial/g/vertex/persons", &json!({ "_key": "a" })).expect(202);
}

#[test]
fn graphs_survive_a_crash() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Server::start_in(folder.path());
    let graph =
        json!({ "name": "g", "edgeDefinitions": [{ "collection": "e", "from": ["v"], "to": ["v"] }] });
    server.client().post("/_api/gharial?waitForSync=true", &graph).expect(201);
    let client = server.client();
    client.post("/_api/gharial/g/vertex/v?waitForSync=true", &json!({ "_key": "a" })).expect(201);
    client
        .post("/_api/gharial/g/edge/e?waitForSync=true", &json!({ "_from": "v/a", "_to": "v/a" }))
        .expect(201);
    server.kill();
    let server = Server::start_in(folder.path());
    let client = server.client();
    assert_eq!(
        client.get("/_api/gharial/g").expect(200).body["graph"]["edgeDefinitions"][0]["collection"],
        "e"
    );
    client.delete("/_api/gharial/g/vertex/v/a").expect(202);
    assert_eq!(client.get("/_api/collection/e/count").body["count"], 0);
}

#[test]
fn traversal_over_a_named_graph() {
    let (_server, client) = started();
    insert_people(&client, &["a", "b", "c"]);
    insert_edge(&client, "ab", "people/a", "people/b");
    insert_edge(&client, "bc", "people/b", "people/c");
    let reached = client.query("FOR v IN 1..2 OUTBOUND 'people/a' GRAPH 'g' RETURN v._key");
    assert_eq!(reached, ["b", "c"]);
}

#[test]
fn edges_at_vertices() {
    let (_server, client) = started();
    insert_people(&client, &["a", "b", "c"]);
    insert_edge(&client, "ab", "people/a", "people/b");
    insert_edge(&client, "ca", "people/c", "people/a");
    insert_edge(&client, "aa", "people/a", "people/a");
    let keys = |answer: &Value| -> Vec<String> {
        let edges = answer["edges"].as_array().expect("edges");
        let mut keys: Vec<String> =
            edges.iter().map(|edge| edge["_key"].as_str().expect("a key").to_owned()).collect();
        keys.sort();
        keys
    };
    for (direction, expected) in [
        ("", vec!["aa", "ab", "ca"]),
        ("&direction=out", vec!["aa", "ab"]),
        ("&direction=in", vec!["aa", "ca"]),
    ] {
        let answer = client.get(&format!("/_api/edges/knows?vertex=people/a{direction}")).expect(200).body;
        assert_eq!(keys(&answer), expected, "{direction}");
        assert_eq!(answer["stats"]["scannedIndex"], expected.len());
    }
    assert_eq!(keys(&client.get("/_api/edges/knows?vertex=people%2Fnobody").expect(200).body), [""; 0]);
    let several =
        client.post("/_api/edges/knows?direction=out", &json!(["people/a", "people/c", 1])).expect(200).body;
    assert_eq!(keys(&several), ["aa", "ab", "ca"]);
    client.get("/_api/edges/knows").expect_error(400, 10);
    client.get("/_api/edges/knows?vertex=a").expect_error(400, 1205);
    client.get("/_api/edges/knows?vertex=people/a&direction=up").expect_error(400, 10);
    client.get("/_api/edges/people?vertex=people/a").expect_error(400, 1218);
    client.get("/_api/edges/nowhere?vertex=people/a").expect_error(404, 1203);
}

#[test]
fn edge_definitions_added_at_once_are_all_kept() {
    let (_server, client) = started();
    std::thread::scope(|scope| {
        for name in ["e1", "e2", "e3", "e4"] {
            let client = &client;
            scope.spawn(move || {
                let definition = json!({ "collection": name, "from": ["people"], "to": ["people"] });
                client.post("/_api/gharial/g/edge", &definition).expect(202);
            });
        }
    });
    let collections = client.get("/_api/gharial/g/edge").expect(200).body;
    assert_eq!(collections["collections"], json!(["e1", "e2", "e3", "e4", "knows"]));
}
