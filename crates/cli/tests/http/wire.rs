//! What is independent of routes: VelocyPack, packed bodies, headers, protocol versions.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::json;

use crate::server::Server;

#[test]
fn velocypack_in_and_out() {
    let (server, client) = Server::start_with_collection();
    let vpack = [("content-type", "application/x-velocypack")];
    // {"_key": "k", "a": 16} as a compact object, as one with the short form of `_key`, and cut off.
    let object = b"\x14\x0e\x44_key\x41k\x41a\x28\x10\x02";
    assert_eq!(client.send("POST", "/_api/document/c", &vpack, object).expect(202).body["_id"], "c/k");
    client.send("POST", "/_api/document/c", &vpack, b"\x0b\x07\x01\x31\x41x\x03").expect(202);
    client.send("POST", "/_api/document/c", &vpack, &object[..10]).expect_error(400, 600);
    client
        .send("POST", "/_api/document/c", &vpack, &[object.as_slice(), b"x"].concat())
        .expect_error(400, 600);
    assert_eq!(client.get("/_api/document/c/k").expect(200).body["a"], 16);

    let head = b"GET /_api/document/c/x HTTP/1.1\r\nhost: h\r\naccept: application/x-velocypack\r\nconnection: close\r\n\r\n";
    let mut stream = TcpStream::connect(&server.address).expect("a connection");
    stream.write_all(head).expect("it goes out");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    let text = String::from_utf8_lossy(&answer);
    assert!(text.contains("content-type: application/x-velocypack\r\n"), "{text}");
    let body = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").map(|end| &answer[end + 4..]);
    assert!(
        body.is_some_and(|body| body.starts_with(b"\x0b") && body.windows(5).any(|name| name == b"\x44_key"))
    );
}

#[test]
fn packed_bodies() {
    let (_server, client) = Server::start_with_collection();
    let gzip = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\x56\x8a\xcf\x4e\xad\x54\xb2\x52\x2a\x48\x4c\xce\x4e\x4d\x51\xaa\x05\x00\x4e\x78\x90\x1d\x11\x00\x00\x00";
    let deflate =
        b"\x78\x9c\xab\x56\x8a\xcf\x4e\xad\x54\xb2\x52\xaa\xca\xc9\x4c\x52\xaa\x05\x00\x28\x7b\x05\x14";
    let post = |encoding: &str, body: &[u8]| {
        client.send("POST", "/_api/document/c", &[("content-encoding", encoding)], body)
    };
    assert_eq!(post("gzip", gzip).expect(202).body["_key"], "packed");
    assert_eq!(post("deflate", deflate).expect(202).body["_key"], "zlib");
    post("gzip", deflate).expect_error(400, 400);
    post("gzip", &gzip[..20]).expect_error(400, 400);
    post("br", deflate).expect_error(415, 415);
    let small = Server::start_with(&["--http.body-limit", "10"]);
    let answer = small.client().send("POST", "/_api/cursor", &[("content-encoding", "gzip")], gzip);
    answer.expect_error(413, 413);
}

#[test]
fn other_origins() {
    let (_server, client) = Server::start_with_collection();
    let origin = [("origin", "http://elsewhere"), ("access-control-request-headers", "x-any")];
    let answer = client.send("GET", "/_api/version", &origin, b"").expect(200);
    assert_eq!(answer.header("access-control-allow-origin"), Some("http://elsewhere"));
    assert_eq!(answer.header("access-control-allow-credentials"), Some("false"));
    let preflight = client.send("OPTIONS", "/_api/document/c", &origin, b"").expect(200);
    assert_eq!(preflight.header("access-control-allow-origin"), Some("http://elsewhere"));
    assert_eq!(preflight.header("access-control-allow-headers"), Some("x-any"));
    assert_eq!(client.get("/_api/version").header("access-control-allow-origin"), None);
}

#[test]
fn locations_can_be_followed() {
    let (_server, client) = Server::start_with_collection();
    let answer = client.post("/_api/document/c", &json!({ "_key": "a%2:b" })).expect(202);
    let location = answer.header("location").expect("a location").to_owned();
    assert_eq!(location, "/_db/_system/_api/document/c/a%252%3Ab");
    assert_eq!(client.get(&location).expect(200).body["_key"], "a%2:b");
}

#[test]
fn nothing_runs_in_the_background() {
    let (_server, client) = Server::start_with_collection();
    for wish in ["true", "store"] {
        client.send("POST", "/_api/document/c", &[("x-arango-async", wish)], b"{}").expect_error(501, 9);
    }
    client.send("POST", "/_api/document/c", &[("x-arango-async", "false")], b"{}").expect(202);
    assert_eq!(client.get("/_api/job/done").expect(200).body, json!([]));
    assert_eq!(client.delete("/_api/job/all").expect(200).body["result"], true);
    client.get("/_api/job/123").expect_error(404, 404);
}

#[test]
fn old_protocol_versions() {
    let (server, _client) = Server::start_with_collection();
    let mut stream = TcpStream::connect(&server.address).expect("a connection");
    stream.write_all(b"GET /_api/version HTTP/1.0\r\nconnection: keep-alive\r\n\r\n").expect("it goes out");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer, then the end");
    assert!(answer.contains(" 505 ") && answer.contains("connection: Close"), "{answer}");
}
