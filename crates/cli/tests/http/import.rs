//! `/_api/import`.

use serde_json::json;

use crate::client::{Answer, Client};
use crate::server::Server;

fn started() -> (Server, Client) {
    let (server, client) = Server::start_with_collection();
    client.create_edge_collection("e");
    (server, client)
}

#[track_caller]
fn import(client: &Client, query: &str, body: &str) -> Answer {
    client.send("POST", &format!("/_api/import?collection={query}"), &[], body.as_bytes())
}

#[test]
fn three_layouts() {
    let (_server, client) = started();
    let lines = import(&client, "c&type=documents", "{\"_key\":\"a\"}\r\n\n{\"_key\":\"b\"}\n").expect(201);
    assert_eq!(
        lines.body,
        json!({ "error": false, "created": 2, "errors": 0, "empty": 1, "updated": 0, "ignored": 0 })
    );
    let array = import(&client, "c&type=list", "[{\"_key\":\"d\"}, {\"_key\":\"e\"}]").expect(201);
    assert_eq!(array.body["created"], 2);
    let auto = import(&client, "c&type=auto", " [ {} ]").expect(201);
    assert_eq!(auto.body["created"], 1);
    let auto = import(&client, "c&type=auto", "{}\n{}").expect(201);
    assert_eq!(auto.body["created"], 2);
    let table = import(&client, "c", "[\"_key\",\"n\"]\n[\"t\",1]\n[\"u\",null]\n").expect(201);
    assert_eq!(table.body["created"], 2);
    assert_eq!(client.get("/_api/document/c/t").expect(200).body["n"], 1);
    assert!(client.get("/_api/document/c/u").expect(200).body.get("n").is_none());
    assert_eq!(client.get("/_api/collection/c/count").body["count"], 9);
}

#[test]
fn errors_are_counted_and_told() {
    let (_server, client) = started();
    let body = "{\"_key\":\"a\"}\n{\"_key\":\"a\"}\nnonsense\n[1]\n{\"_key\":\"b\"}";
    let answer = import(&client, "c&type=documents&details=true", body).expect(201);
    assert_eq!((&answer.body["created"], &answer.body["errors"]), (&json!(2), &json!(3)));
    let details = answer.body["details"].as_array().expect("details");
    assert_eq!(details.len(), 3);
    assert!(
        details.iter().any(|text| text.as_str().is_some_and(|text| text
            .starts_with("at position 1: creating document failed with error 'unique constraint violated"))),
        "{details:?}"
    );
    assert!(
        details.iter().any(|text| text
            .as_str()
            .is_some_and(|text| text.starts_with("at position 3: invalid JSON type (expecting object)"))),
        "{details:?}"
    );
    let short = import(&client, "c", "[\"x\",\"y\"]\n[1]\n[1,2,3]\n[1,2]").expect(201);
    assert_eq!((&short.body["created"], &short.body["errors"]), (&json!(1), &json!(2)));
    let allowed = import(&client, "c&ignoreMissing=true", "[\"x\",\"y\"]\n[1]").expect(201);
    assert_eq!(allowed.body["created"], 1);
}

#[test]
fn duplicates() {
    let (_server, client) = started();
    client.post("/_api/document/c", &json!({ "_key": "a", "old": 1 })).expect(202);
    let body = "{\"_key\":\"a\",\"new\":1}";
    assert_eq!(import(&client, "c&type=documents&onDuplicate=ignore", body).expect(201).body["ignored"], 1);
    assert_eq!(import(&client, "c&type=documents&onDuplicate=update", body).expect(201).body["updated"], 1);
    assert_eq!(client.get("/_api/document/c/a").body["old"], 1);
    assert_eq!(import(&client, "c&type=documents&onDuplicate=replace", body).expect(201).body["updated"], 1);
    assert!(client.get("/_api/document/c/a").body.get("old").is_none());
    assert_eq!(import(&client, "c&type=documents&overwrite=true", "{}").expect(201).body["created"], 1);
    assert_eq!(client.get("/_api/collection/c/count").body["count"], 1);
}

#[test]
fn complete_is_all_or_nothing() {
    let (_server, client) = started();
    let body = "{\"_key\":\"a\"}\n{\"_key\":\"b\"}\n{\"_key\":\"a\"}";
    import(&client, "c&type=documents&complete=true", body).expect_error(409, 1210);
    assert_eq!(client.get("/_api/collection/c/count").body["count"], 0);
    import(&client, "c&type=documents&complete=true", "{}\nnonsense").expect_error(400, 600);
    assert_eq!(client.get("/_api/collection/c/count").body["count"], 0);
    assert_eq!(import(&client, "c&type=documents&complete=true", "{}\n{}").expect(201).body["created"], 2);
}

#[test]
fn edges_with_prefixes() {
    let (_server, client) = started();
    let answer =
        import(&client, "e&type=documents&fromPrefix=c&toPrefix=d/", "{\"_from\":\"a\",\"_to\":\"x/b\"}")
            .expect(201);
    assert_eq!(answer.body["created"], 1);
    assert_eq!(client.query("FOR e IN e RETURN [e._from, e._to]"), [json!(["c/a", "x/b"])]);
    let missing = import(&client, "e&type=documents&details=true", "{\"a\":1}").expect(201);
    assert_eq!(missing.body["errors"], 1);
    assert!(
        missing.body["details"][0]
            .as_str()
            .is_some_and(|text| text.starts_with("at position 0: missing '_from' or '_to'"))
    );
}

#[test]
fn bad_imports() {
    let (_server, client) = started();
    import(&client, "nowhere&type=documents", "{}").expect_error(404, 1203);
    client.send("POST", "/_api/import?type=documents", &[], b"{}").expect_error(400, 1204);
    import(&client, "c&type=magic", "{}").expect_error(400, 10);
    import(&client, "c&onDuplicate=magic", "[]").expect_error(400, 10);
    import(&client, "c&type=list", "{}").expect_error(400, 400);
    import(&client, "c&type=list", "[{\"_key\":\"a\"}, {\"_key\":").expect_error(400, 600);
    import(&client, "c", "{}").expect_error(400, 400);
    assert_eq!(
        client.get("/_api/collection/c/count").body["count"],
        0,
        "a body that is cut off leaves nothing"
    );
}
