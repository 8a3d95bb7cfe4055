//! `/_api/document`: one document and arrays of them.

use serde_json::{Value, json};

use crate::server::Server;

#[test]
fn one_document() {
    let (_server, client) = Server::start_with_collection();
    let inserted =
        client.post("/_api/document/c?returnNew=true", &json!({ "_key": "k", "a": 1 })).expect(202);
    let revision = inserted.body["_rev"].as_str().expect("a revision").to_owned();
    assert_eq!(inserted.body["_id"], "c/k");
    assert_eq!(inserted.body["new"]["a"], 1);
    assert_eq!(inserted.header("etag"), Some(format!("\"{revision}\"").as_str()));
    assert_eq!(inserted.header("location"), Some("/_db/_system/_api/document/c/k"));
    assert_eq!(inserted.header("content-type"), Some("application/json"));

    let read = client.get("/_api/document/c/k").expect(200);
    let names: Vec<&String> = read.body.as_object().expect("an object").keys().collect();
    assert_eq!(names, ["_key", "_id", "_rev", "a"]);
    let head = client.send("HEAD", "/_api/document/c/k", &[], b"");
    assert_eq!((head.status, head.header("etag")), (200, read.header("etag")));

    let updated =
        client.json("PATCH", "/_api/document/c/k?returnOld=true", &json!({ "b": { "x": null } })).expect(202);
    assert_eq!(updated.body["_oldRev"], revision.as_str());
    assert_eq!(updated.body["old"]["a"], 1);
    client
        .json("PATCH", "/_api/document/c/k?keepNull=false", &json!({ "b": { "x": null, "y": 2 } }))
        .expect(202);
    assert_eq!(client.get("/_api/document/c/k").body["b"], json!({ "y": 2 }));
    client.json("PATCH", "/_api/document/c/k?mergeObjects=false", &json!({ "b": { "z": 3 } })).expect(202);
    assert_eq!(client.get("/_api/document/c/k").body["b"], json!({ "z": 3 }));
    client.json("PUT", "/_api/document/c/k?waitForSync=true", &json!({ "only": true })).expect(201);
    assert_eq!(client.get("/_api/document/c/k").body["b"], Value::Null);
    let silent = client.json("PUT", "/_api/document/c/k?silent=true", &json!({})).expect(202);
    assert_eq!(silent.body, json!({}));
    let removed = client.delete("/_api/document/c/k?returnOld=true").expect(202);
    assert_eq!(removed.body["old"]["_key"], "k");
    client.get("/_api/document/c/k").expect_error(404, 1202);
    client.delete("/_api/document/c/k").expect_error(404, 1202);
}

#[test]
fn revisions_as_preconditions() {
    let (_server, client) = Server::start_with_collection();
    let first = client.post("/_api/document/c", &json!({ "_key": "k" })).body["_rev"]
        .as_str()
        .expect("_rev")
        .to_owned();
    let quoted = format!("\"{first}\"");
    client.send("GET", "/_api/document/c/k", &[("if-none-match", &quoted)], b"").expect(304);
    client.send("GET", "/_api/document/c/k", &[("if-match", &first)], b"").expect(200);
    client.send("PATCH", "/_api/document/c/k", &[("if-match", &quoted)], b"{\"n\":1}").expect(202);
    let failed = client.send("PATCH", "/_api/document/c/k", &[("if-match", &quoted)], b"{\"n\":2}");
    assert_eq!(failed.body["_key"], "k");
    assert_ne!(failed.body["_rev"], first.as_str());
    failed.expect_error(412, 1200);
    client.send("DELETE", "/_api/document/c/k", &[("if-match", &quoted)], b"").expect_error(412, 1200);
    client
        .json("PUT", "/_api/document/c/k?ignoreRevs=false", &json!({ "_rev": first }))
        .expect_error(412, 1200);
    client.json("PUT", "/_api/document/c/k", &json!({ "_rev": first })).expect(202);
    assert_eq!(client.get("/_api/document/c/k").body["n"], Value::Null);
}

#[test]
fn overwrite_modes() {
    let (_server, client) = Server::start_with_collection();
    client.post("/_api/document/c", &json!({ "_key": "k", "a": 1 })).expect(202);
    client.post("/_api/document/c", &json!({ "_key": "k" })).expect_error(409, 1210);
    client.post("/_api/document/c?overwriteMode=ignore", &json!({ "_key": "k", "b": 1 })).expect(202);
    assert_eq!(client.get("/_api/document/c/k").body["b"], Value::Null);
    let updated =
        client.post("/_api/document/c?overwriteMode=update", &json!({ "_key": "k", "b": 1 })).expect(202);
    assert!(updated.body["_oldRev"].is_string());
    let document = client.get("/_api/document/c/k").body;
    assert_eq!((&document["a"], &document["b"]), (&json!(1), &json!(1)));
    client.post("/_api/document/c?overwrite=true", &json!({ "_key": "k", "c": 1 })).expect(202);
    assert_eq!(client.get("/_api/document/c/k").body["a"], Value::Null);
    client.post("/_api/document/c?overwriteMode=magic", &json!({ "_key": "k" })).expect_error(400, 10);
}

#[test]
fn what_is_ignored_is_told_by_its_identity() {
    let (_server, client) = Server::start_with_collection();
    client.post("/_api/document/c", &json!({ "_key": "k", "a": 1 })).expect(202);
    let path = "/_api/document/c?overwriteMode=ignore&returnOld=true&returnNew=true";
    let one = client.post(path, &json!({ "_key": "k", "b": 1 })).expect(202).body;
    let many = client.post(path, &json!([{ "_key": "k", "b": 1 }, { "_key": "new" }])).expect(202).body;
    for ignored in [&one, &many[0]] {
        let names: Vec<&String> = ignored.as_object().expect("an object").keys().collect();
        assert_eq!(names, ["_id", "_key", "_rev"]);
    }
    assert_eq!(many[1]["new"]["_key"], "new");
}

#[test]
fn failed_items_have_no_identity() {
    let (_server, client) = Server::start_with_collection();
    client.post("/_api/document/c", &json!({ "_key": "k" })).expect(202);
    let stale = json!([{ "_key": "k", "_rev": "_stale0-----" }]);
    for (method, path) in [
        ("PATCH", "/_api/document/c?ignoreRevs=false"),
        ("PUT", "/_api/document/c?ignoreRevs=false"),
        ("PUT", "/_api/document/c?ignoreRevs=false&onlyget=true"),
        ("DELETE", "/_api/document/c?ignoreRevs=false"),
    ] {
        let answer = client.json(method, path, &stale);
        let item = answer.body[0].as_object().expect("an item").clone();
        assert_eq!(item.keys().collect::<Vec<_>>(), ["error", "errorNum", "errorMessage"], "{method} {path}");
        assert_eq!(item["errorNum"], 1200);
    }
    let path = "/_api/document/c?waitForSync=true";
    client.post(path, &json!([{ "_key": "k" }])).expect(202);
    client.json("DELETE", path, &json!(["nobody"])).expect(202);
    client.post(path, &json!([{ "_key": "k" }, { "_key": "fine" }])).expect(201);
}

#[test]
fn bad_documents_leave_nothing() {
    let (_server, client) = Server::start_with_collection();
    client.create_edge_collection("e");
    client.send("POST", "/_api/document/c", &[], b"{\"a\":").expect_error(400, 600);
    client.send("POST", "/_api/document/c", &[], b"").expect_error(400, 600);
    client.send("POST", "/_api/document/c", &[], b"{\"a\":1,\"a\":2}").expect_error(400, 600);
    client.send("POST", "/_api/document/c", &[], b"\xff\xfe").expect_error(400, 600);
    client.post("/_api/document/c", &json!("text")).expect_error(400, 1227);
    client.post("/_api/document/c", &json!({ "_key": "a b" })).expect_error(400, 1221);
    client.post("/_api/document/c", &json!({ "_key": 1 })).expect_error(400, 1221);
    client.post("/_api/document/c", &json!({ "_key": "x".repeat(255) })).expect_error(400, 1221);
    client.post("/_api/document/nowhere", &json!({})).expect_error(404, 1203);
    client.post("/_api/document/e", &json!({})).expect_error(400, 1233);
    client.post("/_api/document/e", &json!({ "_from": "c/a", "_to": "nokey" })).expect_error(400, 1233);
    client.json("PATCH", "/_api/document/c/nobody", &json!({})).expect_error(404, 1202);
    client.json("PUT", "/_api/document/c/nobody", &json!({})).expect_error(404, 1202);
    for collection in ["c", "e"] {
        assert_eq!(client.get(&format!("/_api/collection/{collection}/count")).body["count"], 0);
    }
    client.post("/_api/document/c", &json!({ "_key": "x".repeat(254) })).expect(202);
    client.post("/_api/document/c", &json!({ "_key": "_-.@()+,=;$!*'%:" })).expect(202);
}

#[test]
fn many_documents_many_verdicts() {
    let (_server, client) = Server::start_with_collection();
    let answer = client.post(
        "/_api/document/c",
        &json!([{ "_key": "a" }, { "_key": "a" }, 1, { "_key": "b", "n": 1 }, { "_key": "not a key" }]),
    );
    let answer = answer.expect(202);
    let numbers: Vec<Value> =
        answer.body.as_array().expect("an array").iter().map(|item| item["errorNum"].clone()).collect();
    assert_eq!(numbers, [Value::Null, json!(1210), json!(1227), Value::Null, json!(1221)]);
    let codes: Value =
        serde_json::from_str(answer.header("x-arango-error-codes").expect("the counts")).expect("JSON");
    assert_eq!(codes, json!({ "1210": 1, "1221": 1, "1227": 1 }));
    assert_eq!(client.get("/_api/collection/c/count").body["count"], 2);

    let patched = client.json(
        "PATCH",
        "/_api/document/c?returnNew=true",
        &json!([{ "_key": "b", "m": 2 }, { "_key": "nobody" }, { "no": "key" }]),
    );
    let patched = patched.expect(202).body;
    assert_eq!(patched[0]["new"]["n"], 1);
    assert_eq!((&patched[1]["errorNum"], &patched[2]["errorNum"]), (&json!(1202), &json!(1226)));

    let read = client
        .json("PUT", "/_api/document/c?onlyget=true", &json!(["b", "c/a", { "_key": "nobody" }]))
        .expect(200);
    assert_eq!(read.body[0]["m"], 2);
    assert_eq!(read.body[1]["_key"], "a");
    assert_eq!(read.body[2]["errorNum"], 1202);

    let replaced = client.json("PUT", "/_api/document/c", &json!([{ "_key": "a", "new": 1 }])).expect(202);
    assert!(replaced.body[0]["_oldRev"].is_string());
    let removed =
        client.json("DELETE", "/_api/document/c", &json!(["a", "nobody", { "_key": "b" }])).expect(202);
    assert_eq!(removed.body[1]["errorNum"], 1202);
    assert_eq!(client.get("/_api/collection/c/count").body["count"], 0);
    let silent =
        client.post("/_api/document/c?silent=true", &json!([{ "_key": "a" }, { "_key": "a" }])).expect(202);
    assert_eq!(silent.body.as_array().map(Vec::len), Some(1));
    client.json("PUT", "/_api/document/c", &json!({ "_key": "a" })).expect_error(400, 1227);
}

#[test]
fn every_json_value_comes_back() {
    let (_server, client) = Server::start_with_collection();
    let document = r#"{"_key":"v","null":null,"t":true,"i":-9223372036854775808,"u":18446744073709551615,"d":0.1,"e":1e300,"z":-0.5,"s":"\u00e4\u4e16\ud83d\ude00 \"q\" \\ \n\t/","arr":[[],{},[1,"a",null]],"o":{"":"empty","a.b":{"c":[]}}}"#;
    client.send("POST", "/_api/document/c", &[], document.as_bytes()).expect(202);
    let read = client.get("/_api/document/c/v").expect(200).body;
    let expected: Value = serde_json::from_str(document).expect("JSON");
    for (name, value) in expected.as_object().expect("an object") {
        assert_eq!(&read[name], value, "{name}");
    }
}

#[test]
fn concurrent_writers_of_one_document_all_win_in_turn() {
    let (_server, client) = Server::start_with_collection();
    client.post("/_api/document/c", &json!({ "_key": "k" })).expect(202);
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let client = client.clone();
            std::thread::spawn(move || {
                for round in 0..25 {
                    let patch = json!({ format!("w{writer}"): round });
                    client.json("PATCH", "/_api/document/c/k", &patch).expect(202);
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().expect("a writer that succeeds");
    }
    let document = client.get("/_api/document/c/k").body;
    for writer in 0..8 {
        assert_eq!(document[format!("w{writer}")], 24, "no update is lost");
    }
}
