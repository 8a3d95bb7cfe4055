//! Changes of collections and databases: they wait for those who write, and who comes later waits for them.

use serde_json::{Value, json};

use super::{await_waiting, exclusive, sent, waiting};
use crate::client::{Client, await_true};
use crate::transactions::{Transaction, count, server_with_collections};

/// The secondary indexes of a collection, by their names.
fn indexes(client: &Client, collection: &str) -> Vec<String> {
    let body = client.get(&format!("/_api/index?collection={collection}")).expect(200).body;
    let indexes = body["indexes"].as_array().expect("indexes").iter().skip(1);
    indexes.map(|index| index["name"].as_str().expect("a name").to_owned()).collect()
}

fn create_graph(client: &Client, name: &str, edges: &str) {
    let definition = json!({ "collection": edges, "from": ["b"], "to": ["b"] });
    client.post("/_api/gharial", &json!({ "name": name, "edgeDefinitions": [definition] })).expect(202);
}

fn index_named(name: &str) -> Value {
    json!({ "type": "persistent", "fields": [name], "name": name })
}

#[test]
fn whatever_changes_a_collection_waits_for_who_writes() {
    for mode in ["write", "exclusive"] {
        changes_wait_for_a_holder(mode);
    }
}

fn changes_wait_for_a_holder(mode: &str) {
    let (_server, client) = server_with_collections();
    let names = ["indexed", "unindexed", "renamed", "dropped", "truncated"];
    names.iter().for_each(|name| client.create_collection(name));
    client.post("/_api/index?collection=unindexed", &index_named("n")).expect(201);
    create_graph(&client, "g", "e");
    let held = json!({ mode: ["indexed", "unindexed", "renamed", "dropped", "truncated", "e"] });
    let holder = Transaction::begin(&client, &json!({ "collections": held }));
    std::thread::scope(|scope| {
        let request = |method, path: &str, body: Value| waiting(scope, &client, method, path, vec![], &body);
        let requests = [
            (201, request("POST", "/_api/index?collection=indexed", index_named("n"))),
            (200, request("DELETE", "/_api/index/unindexed/n", Value::Null)),
            (200, request("PUT", "/_api/collection/renamed/rename", json!({ "name": "other" }))),
            (200, request("DELETE", "/_api/collection/dropped", Value::Null)),
            (200, request("PUT", "/_api/collection/truncated/truncate", Value::Null)),
            (202, request("DELETE", "/_api/gharial/g?dropCollections=true", Value::Null)),
        ];
        await_waiting(&client, requests.len());
        for (_, request) in &requests {
            assert!(!request.is_finished());
        }
        // Who reads, who finds what he wants, who wants what can't be, and who has to do with others: they don't wait.
        assert_eq!(client.query("FOR name IN ['indexed', 'dropped'] RETURN LENGTH(name)"), [7, 7]);
        assert_eq!(client.query("RETURN LENGTH(dropped)"), [0]);
        client.post("/_api/index?collection=unindexed", &index_named("n")).expect(200);
        client.delete("/_api/index/unindexed/0").expect_error(403, 11);
        client.create_collection("new");
        client.post("/_api/index?collection=new", &index_named("n")).expect(201);
        client.delete("/_api/collection/new").expect(200);
        for name in names {
            holder.post(&format!("/_api/document/{name}"), &json!({ "n": 1 })).expect(202);
        }
        holder.commit().expect(200);
        for (status, request) in requests {
            request.join().expect("an answer").expect(status);
        }
    });
    assert_eq!(indexes(&client, "indexed"), ["n"]);
    assert_eq!(client.query("FOR d IN indexed FILTER d.n == 1 RETURN d.n"), [1]);
    assert_eq!((indexes(&client, "unindexed"), count(&client, "unindexed")), (vec![], json!(1)));
    assert_eq!(client.query("FOR d IN other RETURN SPLIT(d._id, '/')[0]"), ["other"]);
    assert_eq!(count(&client, "truncated"), 0);
    for name in ["dropped", "e"] {
        client.get(&format!("/_api/collection/{name}")).expect_error(404, 1203);
    }
}

/// It would wait for its own end.
#[test]
fn no_transaction_changes_a_collection_that_it_has_locked() {
    let (_server, client) = server_with_collections();
    client.post("/_api/index?collection=a", &index_named("n")).expect(201);
    create_graph(&client, "g", "e");
    let collections = json!({ "exclusive": ["a", "e"], "read": ["b", "_graphs"] });
    let inside = Transaction::begin(&client, &json!({ "collections": collections }));
    inside.post("/_api/index?collection=a", &index_named("m")).expect_error(400, 1653);
    inside.send("DELETE", "/_api/index/a/n", &Value::Null).expect_error(400, 1653);
    let rename = json!({ "name": "c" });
    inside.send("PUT", "/_api/collection/a/rename", &rename).expect_error(400, 1653);
    let refused = inside.send("DELETE", "/_api/collection/a", &Value::Null);
    assert!(refused.expect_error(400, 1653).contains("'a'"));
    let drop_graph = "/_api/gharial/g?dropCollections=true";
    inside.send("DELETE", drop_graph, &Value::Null).expect_error(400, 1653);
    inside.post("/_api/index?collection=b", &index_named("m")).expect(201);
    inside.post("/_api/document/a", &json!({ "n": 1 })).expect(202);
    inside.commit().expect(200);
    assert_eq!((indexes(&client, "a"), indexes(&client, "b")), (vec!["n".to_owned()], vec!["m".to_owned()]));
    assert_eq!(count(&client, "a"), 1);
    client.delete(drop_graph).expect(202);
}

/// A graph that follows a rename is written, by somebody else than the transaction.
#[test]
fn a_rename_waits_for_who_holds_graphs_and_nobody_waits_for_it() {
    let (_server, client) = server_with_collections();
    create_graph(&client, "g", "e");
    let holder = Transaction::begin(&client, &json!({ "collections": { "exclusive": ["_graphs"] } }));
    let rename = json!({ "name": "c" });
    holder.send("PUT", "/_api/collection/b/rename", &rename).expect_error(400, 1653);
    std::thread::scope(|scope| {
        let renaming = waiting(scope, &client, "PUT", "/_api/collection/b/rename", vec![], &rename);
        await_waiting(&client, 1);
        client.create_collection("new");
        client.delete("/_api/collection/new").expect(200);
        assert!(!renaming.is_finished());
        holder.commit().expect(200);
        renaming.join().expect("an answer").expect(200);
    });
    let graph = client.get("/_api/gharial/g").expect(200).body;
    assert_eq!(graph["graph"]["edgeDefinitions"][0]["from"], json!(["c"]));
}

/// What a transaction has done before somebody makes an index is not lost.
#[test]
fn a_writer_commits_and_who_comes_later_finds_the_change() {
    let (_server, client) = server_with_collections();
    let unique = json!({ "type": "persistent", "fields": ["n"], "unique": true, "name": "n" });
    let writer = Transaction::writing(&client, &["a"]);
    writer.post("/_api/document/a", &json!({ "n": 1 })).expect(202);
    std::thread::scope(|scope| {
        let index = waiting(scope, &client, "POST", "/_api/index?collection=a", vec![], &unique);
        await_waiting(&client, 1);
        let later = waiting(scope, &client, "POST", "/_api/document/a", vec![], &json!({ "n": 1 }));
        await_waiting(&client, 2);
        assert_eq!(client.query("RETURN LENGTH(a)"), [0], "reading waits for nobody");
        writer.commit().expect(200);
        index.join().expect("an answer").expect(201);
        later.join().expect("an answer").expect_error(409, 1210);
    });
    assert_eq!(client.query("FOR d IN a FILTER d.n == 1 RETURN d.n"), [1]);
}

/// Its plan is made before it waits.
#[test]
fn a_query_that_waits_behind_a_change_goes_by_what_it_has_changed() {
    let (_server, client) = server_with_collections();
    client.post("/_api/document/a", &json!([{ "_key": "1", "n": 1 }, { "_key": "2", "n": 2 }])).expect(202);
    let update =
        json!({ "query": "FOR d IN a FILTER d.n == 1 UPDATE d WITH { seen: true } IN a RETURN NEW.n" });
    let changes = [
        ("DELETE", "/_api/index/a/n", Value::Null, json!([1])),
        ("POST", "/_api/index?collection=a", index_named("m"), json!([1])),
        ("PUT", "/_api/collection/a/rename", json!({ "name": "c" }), json!([1])),
        ("PUT", "/_api/collection/a/truncate", Value::Null, json!([])),
    ];
    for (method, path, body, expected) in changes {
        client.post("/_api/index?collection=a", &index_named("n"));
        let writer = Transaction::writing(&client, &["a"]);
        let answer = std::thread::scope(|scope| {
            let change = waiting(scope, &client, method, path, vec![], &body);
            await_waiting(&client, 1);
            let query = waiting(scope, &client, "POST", "/_api/cursor", vec![], &update);
            await_waiting(&client, 2);
            writer.abort().expect(200);
            change.join().expect("an answer");
            query.join().expect("an answer")
        });
        assert_eq!(answer.expect(201).body["result"], expected, "{method} {path}");
        if path.ends_with("rename") {
            client.json("PUT", "/_api/collection/c/rename", &json!({ "name": "a" })).expect(200);
        }
    }
}

#[test]
fn a_database_is_dropped_after_those_who_write_to_it() {
    let (server, client) = server_with_collections();
    client.post("/_api/database", &json!({ "name": "d" })).expect(201);
    let inside = server.client_of("d");
    inside.create_collection("c");
    let writer = Transaction::writing(&inside, &["c"]);
    let reader = Transaction::begin(&inside, &json!({ "collections": { "read": "c" } }));
    std::thread::scope(|scope| {
        let dropping = waiting(scope, &client, "DELETE", "/_api/database/d", vec![], &Value::Null);
        await_waiting(&client, 1);
        // Neither who reads in it nor who has to do with other databases waits.
        assert_eq!(inside.query("RETURN LENGTH(c)"), [0]);
        client.post("/_api/database", &json!({ "name": "other" })).expect(201);
        client.delete("/_api/database/other").expect(200);
        writer.post("/_api/document/c", &json!({})).expect(202);
        writer.commit().expect(200);
        dropping.join().expect("an answer").expect(200);
    });
    reader.commit().expect_error(404, 1228);
    client.post("/_api/database", &json!({ "name": "d" })).expect(201);
}

/// The change waits for a writer who wants what the transaction around the change holds.
#[test]
fn a_change_inside_of_a_transaction_ends_with_a_deadlock_and_the_transaction_goes_on() {
    let (_server, client) = server_with_collections();
    let inside = Transaction::writing(&client, &["a"]);
    inside.post("/_api/document/a", &json!({ "_key": "1" })).expect(202);
    let writer = Transaction::writing(&client, &["a", "b"]);
    std::thread::scope(|scope| {
        let body = json!({ "query": "INSERT {} INTO a OPTIONS { exclusive: true }" });
        let header = vec![("x-arango-trx-id", writer.id.clone())];
        let query = waiting(scope, &client, "POST", "/_api/cursor", header, &body);
        await_waiting(&client, 1);
        inside.post("/_api/index?collection=b", &index_named("n")).expect_error(409, 29);
        inside.post("/_api/document/a", &json!({ "_key": "2" })).expect(202);
        inside.commit().expect(200);
        query.join().expect("an answer").expect(201);
    });
    writer.commit().expect(200);
    assert_eq!((count(&client, "a"), indexes(&client, "b")), (json!(3), vec![]));
}

#[test]
fn an_abort_ends_the_wait_of_a_change_inside_of_the_transaction() {
    let (_server, client) = server_with_collections();
    let (inside, writer) = (Transaction::writing(&client, &["a"]), Transaction::writing(&client, &["b"]));
    std::thread::scope(|scope| {
        let header = vec![("x-arango-trx-id", inside.id.clone())];
        let index = waiting(scope, &client, "POST", "/_api/index?collection=b", header, &index_named("n"));
        await_waiting(&client, 1);
        inside.abort().expect(200);
        index.join().expect("an answer").expect_error(410, 21);
    });
    inside.expect_status("aborted");
    writer.commit().expect(200);
    assert_eq!(indexes(&client, "b"), [""; 0]);
}

#[test]
fn a_client_that_goes_away_changes_nothing() {
    let (server, client) = server_with_collections();
    client.post("/_api/index?collection=a", &index_named("n")).expect(201);
    create_graph(&client, "g", "e");
    client.post("/_api/database", &json!({ "name": "d" })).expect(201);
    let inside = server.client_of("d");
    inside.create_collection("c");
    let writers = [Transaction::writing(&client, &["a", "e"]), Transaction::writing(&inside, &["c"])];
    let address = server.address.as_str();
    let requests = [
        ("POST", "/_api/index?collection=a", index_named("m")),
        ("DELETE", "/_api/index/a/n", Value::Null),
        ("PUT", "/_api/collection/a/rename", json!({ "name": "gone" })),
        ("PUT", "/_api/collection/a/truncate", Value::Null),
        ("DELETE", "/_api/collection/a", Value::Null),
        ("DELETE", "/_api/gharial/g?dropCollections=true", Value::Null),
        ("DELETE", "/_api/database/d", Value::Null),
    ];
    let requests = requests.map(|(method, path, body)| sent(address, method, path, "", &body));
    await_waiting(&client, requests.len());
    drop(requests);
    await_true("nobody waits any more", || client.figure("persea_transactions_waiting") == 0.0);
    for writer in writers {
        writer.commit().expect(200);
    }
    // Whoever still wanted one of them would be served by now.
    exclusive(&client, "a").commit().expect(200);
    exclusive(&inside, "c").commit().expect(200);
    assert_eq!(indexes(&client, "a"), ["n"]);
    client.get("/_api/gharial/g").expect(200);
}

#[test]
fn the_stop_ends_the_waits_of_changes() {
    let (server, client) = server_with_collections();
    client.post("/_api/index?collection=a", &index_named("n")).expect(201);
    client.post("/_api/database", &json!({ "name": "d" })).expect(201);
    let inside = server.client_of("d");
    inside.create_collection("c");
    let _writers = [Transaction::writing(&client, &["a"]), Transaction::writing(&inside, &["c"])];
    std::thread::scope(|scope| {
        let request = |method, path: &str, body: Value| waiting(scope, &client, method, path, vec![], &body);
        let requests = [
            request("POST", "/_api/index?collection=a", index_named("m")),
            request("DELETE", "/_api/index/a/n", Value::Null),
            request("PUT", "/_api/collection/a/rename", json!({ "name": "c" })),
            request("PUT", "/_api/collection/a/truncate", Value::Null),
            request("DELETE", "/_api/collection/a", Value::Null),
            request("DELETE", "/_api/database/d", Value::Null),
        ];
        await_waiting(&client, requests.len());
        assert!(server.terminate().success());
        for request in requests {
            request.join().expect("an answer").expect_error(503, 30);
        }
    });
}
