//! Inputs at and beyond the limits.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;

use crate::server::Server;

#[test]
fn deep_nesting_is_refused() {
    let server = Server::start();
    let client = server.client();
    client.create_collection("c");
    let nested = |depth: usize| format!("{{\"a\":{}1{}}}", "[".repeat(depth), "]".repeat(depth));
    client.send("POST", "/_api/document/c", &[], nested(100).as_bytes()).expect(202);
    for depth in [1_000, 1_000_000] {
        client.send("POST", "/_api/document/c", &[], nested(depth).as_bytes()).expect_error(400, 600);
    }
    assert_eq!(client.get("/_api/collection/c/count").body["count"], 1);
}

#[test]
fn a_body_over_the_limit_is_refused() {
    let server = Server::start_with(&["--http.body-limit", "10000"]);
    let client = server.client();
    client.create_collection("c");
    client.post("/_api/document/c", &json!({ "text": "x".repeat(9_000) })).expect(202);
    // Sent by hand, since clients differ in how they take an answer before they have sent everything.
    let mut stream = TcpStream::connect(&server.address).expect("a connection");
    stream
        .write_all(b"POST /_api/document/c HTTP/1.1\r\nhost: h\r\ncontent-length: 20000\r\nconnection: close\r\n\r\n")
        .expect("the head goes out");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 413"), "{answer}");
    assert!(answer.contains("\"errorNum\":413"), "{answer}");
    assert_eq!(client.get("/_api/collection/c/count").body["count"], 1);
}

#[test]
fn malformed_requests_get_answers() {
    let server = Server::start();
    let client = server.client();
    let long = format!("/_api/{}", "x".repeat(20_000));
    client.get(&long).expect_error(414, 414);
    client.get("/_db/%FF/_api/version").expect_error(400, 400);
    for path in ["_api/collection", "_api/version", "_admin/time", "_api/nothing"] {
        client.get(&format!("/_db/nowhere/{path}")).expect_error(404, 1228);
    }
    client.send("TRACE", "/_api/collection", &[], b"").expect(405);
    let options = client.send("OPTIONS", "/_api/anything", &[("origin", "http://x")], b"").expect(200);
    assert!(options.header("allow").is_some_and(|methods| methods.contains("PATCH")));
    let mut stream = TcpStream::connect(&server.address).expect("a connection");
    stream.write_all(b"nonsense\r\n\r\n").expect("it goes out");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("the connection ends");
    client.get("/_api/version").expect(200);
}

#[test]
fn many_connections_at_once() {
    let server = Server::start();
    let client = server.client();
    client.create_collection("c");
    let threads: Vec<_> = (0..32)
        .map(|thread| {
            let client = server.client();
            std::thread::spawn(move || {
                for number in 0..20 {
                    client
                        .post("/_api/document/c", &json!({ "_key": format!("{thread}-{number}") }))
                        .expect(202);
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().expect("a client that succeeds");
    }
    assert_eq!(client.get("/_api/collection/c/count").body["count"], 640);
}

/// A pool of clients that starts makes its connections faster than a busy server accepts them.
#[cfg(target_os = "linux")]
#[test]
fn a_burst_of_connections_waits_to_be_accepted() {
    let server = Server::start();
    let system_limit = std::fs::read_to_string("/proc/sys/net/core/somaxconn").expect("the system's limit");
    let burst = system_limit.trim().parse::<usize>().expect("a number").min(600);
    server.signal("STOP");
    let address = server.address.parse().expect("an address");
    let connections: Vec<TcpStream> = (0..burst)
        .map(|_| TcpStream::connect_timeout(&address, Duration::from_secs(5)).expect("a connection"))
        .collect();
    server.signal("CONT");
    for mut connection in connections {
        connection.write_all(b"GET /_api/version HTTP/1.1\r\nHost: a\r\n\r\n").expect("a request");
        let mut status_line = String::new();
        BufReader::new(connection).read_line(&mut status_line).expect("an answer");
        assert_eq!(status_line, "HTTP/1.1 200 OK\r\n");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_idle_server_is_small() {
    let server = Server::start();
    server.client().get("/_api/version").expect(200);
    let status =
        std::fs::read_to_string(format!("/proc/{}/status", server.pid())).expect("the process' status");
    let line = status.lines().find(|line| line.starts_with("VmRSS")).expect("its memory");
    let kilobytes: u64 =
        line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number");
    assert!(kilobytes < 60 * 1024, "{kilobytes} kB");
}

#[test]
fn slow_queries_do_not_shut_out_who_ends_them() {
    let server = Server::start();
    let slow: Vec<_> = (0..500)
        .map(|_| {
            let client = server.client();
            std::thread::spawn(move || {
                client.post("/_api/cursor", &json!({ "query": "RETURN SLEEP(30)" })).status
            })
        })
        .collect();
    let client = server.client();
    let running = || client.get("/_api/query/current").expect(200).body;
    while running().as_array().map_or(0, Vec::len) < 400 {
        std::thread::sleep(Duration::from_millis(20));
    }
    client.get("/_api/version").expect(200);
    // Those that waited start as others end, so the killing goes on until all have had their turn.
    while slow.iter().any(|thread| !thread.is_finished()) {
        for query in running().as_array().into_iter().flatten() {
            let id = query["id"].as_str().expect("an id");
            client.delete(&format!("/_api/query/{id}"));
        }
    }
    for thread in slow {
        assert_eq!(thread.join().expect("an answer"), 410);
    }
}
