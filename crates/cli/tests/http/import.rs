//! `/_api/import`.

use persea::vpack;
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
    assert_eq!(
        details[..],
        [
            "at position 3: invalid JSON type (expecting object, probably parse error), offending context: nonsense",
            "at position 4: invalid JSON type (expecting object), offending document: [1]",
            "at position 1: creating document failed with error 'unique constraint violated', offending document: {\"_key\":\"a\"}",
        ]
    );
    let long = format!("{{\"_key\":\"a\",\"text\":\"{}\"}}", "x".repeat(300));
    let answer = import(&client, "c&type=list&details=true", &format!("[{long}]")).expect(201);
    let shown = format!("offending document: {}...", &long[..255]);
    assert!(answer.body["details"][0].as_str().expect("text").ends_with(&shown), "{}", answer.body);
    assert!(import(&client, "c&type=documents", "1").expect(201).body.get("details").is_none());
}

#[test]
fn rows_of_tables() {
    let (_server, client) = started();
    let body = "[\"x\",\"y\"]\n[1]\n\n[1,2,3]\n{\"x\":1}\n[1,\n[1,2]\n[\"x\"";
    for (query, first) in [("c&details=true", 1), ("c&details=true&line=10", 11)] {
        let answer = import(&client, query, body).expect(201).body;
        assert_eq!(
            (&answer["created"], &answer["errors"], &answer["empty"]),
            (&json!(1), &json!(5), &json!(1))
        );
        let malformed = "invalid JSON type (expecting object, probably parse error), offending context:";
        let expected = [
            format!("at position {first}: wrong number of JSON values (got 1, expected 2)"),
            format!("at position {}: wrong number of JSON values (got 3, expected 2)", first + 2),
            format!("at position {}: no valid JSON array data", first + 3),
            format!("at position {}: {malformed} [1,", first + 4),
            format!("at position {}: {malformed} [\"x\"", first + 6),
        ];
        assert_eq!(answer["details"], json!(expected));
    }
    import(&client, "c&overwrite=true&ignoreMissing=true", "[\"x\",\"y\"]\n[1]\n[2,2]\n[3,3,3]\n")
        .expect(201);
    let rows = client.query("FOR d IN c SORT d.x RETURN UNSET(d, '_key', '_id', '_rev')");
    assert_eq!(rows, [json!({ "x": 1 }), json!({ "x": 2, "y": 2 }), json!({ "x": 3, "y": 3 })]);
    // The header is the first line, and there must be a line behind it.
    import(&client, "c", "").expect_error(400, 400);
    import(&client, "c", "[\"x\"]").expect_error(400, 400);
    for header in ["", "[]", "[1]", "{\"x\":1}", "[\"x\""] {
        import(&client, "c", &format!("{header}\n[\"x\"]\n[1]")).expect_error(400, 400);
    }
    let header_only = import(&client, "c", " [\"x\"] \r\n\n").expect(201).body;
    assert_eq!((&header_only["created"], &header_only["empty"]), (&json!(0), &json!(1)));
}

#[test]
fn blank_lines() {
    let (_server, client) = started();
    let cases = [
        ("", 0, 0),
        ("\n\n", 0, 2),
        ("{}\n", 1, 0),
        ("{}\n  ", 1, 0),
        ("\n\n   {} \n     \n \n \r\n \n {}\n\n", 2, 7),
    ];
    for (body, n_created, n_empty) in cases {
        let answer = import(&client, "c&type=documents", body).expect(201).body;
        assert_eq!((&answer["created"], &answer["empty"]), (&json!(n_created), &json!(n_empty)), "{body:?}");
    }
}

#[test]
fn velocypack() {
    let (_server, client) = started();
    let headers = [("content-type", "application/x-velocypack")];
    let send = |query: &str, body: &persea::VPackBuf| {
        client.send("POST", &format!("/_api/import?collection={query}"), &headers, body.as_slice().bytes())
    };
    let documents = vpack!([{ "_key": "a", "n": 1 }, 2, { "_key": "b" }, { "_key": "b" }]);
    for kind in ["", "documents", "list", "auto"] {
        let answer = send(&format!("c&type={kind}&details=true&overwrite=true"), &documents).expect(201).body;
        assert_eq!((&answer["created"], &answer["errors"]), (&json!(2), &json!(2)));
        assert_eq!(
            answer["details"],
            json!([
                "at position 2: invalid JSON type (expecting object), offending document: 2",
                "at position 2: creating document failed with error 'unique constraint violated', offending document: {\"_key\":\"b\"}",
            ])
        );
    }
    assert_eq!(client.get("/_api/document/c/a").body["n"], 1);
    send("c", &vpack!({})).expect_error(400, 400);
    client.send("POST", "/_api/import?collection=c", &headers, b"\xff\xff").expect_error(400, 600);
    client.send("POST", "/_api/import?collection=c", &headers, b"").expect_error(400, 600);
    assert_eq!(client.get("/_api/collection/c/count").body["count"], 2);
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
    // What ArangoDB does not know it takes for the default.
    assert_eq!(import(&client, "c&type=documents&onDuplicate=magic", body).expect(201).body["errors"], 1);
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
    assert!(missing.body["details"][0].as_str().is_some_and(|text| {
        text.starts_with("at position 1: missing '_from' or '_to' attribute, offending")
    }));
    import(&client, "e&type=documents&complete=true", "{\"_from\":\"c/a\",\"_to\":1}")
        .expect_error(400, 1233);
    let ends = |query: &str, body: &str| {
        let path = format!("e&type=documents&overwrite=true&{query}");
        let answer = import(&client, &path, body).expect(201).body;
        let ends = client.query("FOR e IN e RETURN CONCAT(e._from, ' ', e._to)");
        assert_eq!(answer["errors"], u64::from(ends.is_empty()));
        ends.first().and_then(|ends| ends.as_str()).unwrap_or("none").to_owned()
    };
    let both = "fromPrefix=c&toPrefix=d";
    assert_eq!(ends(both, "{\"_from\":1,\"_to\":\"2\"}"), "c/1 d/2");
    assert_eq!(ends(both, "{\"_from\":\"x/1\",\"_to\":\"y/2\"}"), "x/1 y/2");
    let overwriting = format!("{both}&overwriteCollectionPrefix=true");
    assert_eq!(ends(&overwriting, "{\"_from\":\"x/1\",\"_to\":2}"), "c/1 d/2");
    assert_eq!(
        ends("overwriteCollectionPrefix=true&toPrefix=d", "{\"_from\":\"x/1\",\"_to\":\"y/2\"}"),
        "x/1 d/2"
    );
    assert_eq!(ends("fromPrefix=a+b", "{\"_from\":\"1\",\"_to\":\"y/2\"}"), "a b/1 y/2");
    for (query, body) in [
        ("fromPrefix=a/b", "{\"_from\":\"1\",\"_to\":\"y/2\"}"),
        ("toPrefix=a/b", "{\"_from\":\"x/1\",\"_to\":\"2\"}"),
        ("toPrefix=d", "{\"_from\":1,\"_to\":\"2\"}"),
        (both, "{\"_from\":1.5,\"_to\":\"2\"}"),
        (both, "{\"_from\":null,\"_to\":\"2\"}"),
    ] {
        assert_eq!(ends(query, body), "none", "{query} {body}");
    }
    // Prefixes are of edges only.
    import(&client, "c&type=documents&fromPrefix=c", "{\"_key\":\"d\",\"_from\":\"1\"}").expect(201);
    assert_eq!(client.get("/_api/document/c/d").body["_from"], "1");
}

#[test]
fn bad_imports() {
    let (_server, client) = started();
    import(&client, "nowhere&type=documents", "{}").expect_error(404, 1203);
    // As ArangoDB since 3.0, whatever is asked for.
    import(&client, "nowhere&type=documents&createCollection=true", "{}").expect_error(404, 1203);
    client.send("POST", "/_api/import?type=documents", &[], b"{}").expect_error(400, 1204);
    import(&client, "c&type=magic", "{}").expect_error(400, 10);
    client.send("POST", "/_api/import/c?collection=c", &[], b"").expect_error(400, 601);
    client.send("GET", "/_api/import?collection=c", &[], b"").expect_error(405, 405);
    import(&client, "c&type=list", "{}").expect_error(400, 400);
    import(&client, "c&type=list", " ").expect_error(400, 400);
    import(&client, "c&type=list", "nonsense").expect_error(400, 600);
    import(&client, "c&type=list", "[{\"_key\":\"a\"}, {\"_key\":").expect_error(400, 600);
    import(&client, "c", "{}").expect_error(400, 400);
    assert_eq!(
        client.get("/_api/collection/c/count").body["count"],
        0,
        "a body that is cut off leaves nothing"
    );
}
