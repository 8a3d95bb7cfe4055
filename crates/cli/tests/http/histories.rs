//! Snapshot isolation as clients of stream transactions see it: random histories, judged.

use serde_json::{Value, json};

use crate::client::{Answer, Client as Http};
use crate::seeds;
use crate::server::Server;

#[path = "../../../../tests/support/histories.rs"]
mod judge;

use judge::{Client, INITIAL, judge, record};

struct Streamed {
    client: Http,
    id: String,
}

impl Streamed {
    fn send(&self, method: &str, path: &str, body: &Value) -> Answer {
        let text = if body.is_null() { String::new() } else { body.to_string() };
        self.client.send(method, path, &[("x-arango-trx-id", &self.id)], text.as_bytes())
    }

    /// The answer, unless a race was lost: a conflict, a deadlock, a lock that was not to be had.
    fn raced(answer: Answer) -> Option<Answer> {
        match answer.body["errorNum"].as_u64() {
            Some(1200 | 29 | 18) => None,
            _ => Some(answer),
        }
    }
}

impl Client for Streamed {
    fn begin(&mut self) {
        let body = json!({ "collections": { "write": ["c"] } });
        let begun = self.client.post("/_api/transaction/begin", &body).expect(201);
        self.id = begun.body["result"]["id"].as_str().expect("an id").to_owned();
    }

    fn read(&mut self, key: u64) -> Option<u64> {
        let answer = Self::raced(self.send("GET", &format!("/_api/document/c/{key}"), &Value::Null))?;
        if answer.status == 404 {
            answer.expect_error(404, 1202);
            return Some(INITIAL);
        }
        Some(answer.expect(200).body["n"].as_u64().expect("a number"))
    }

    fn read_all(&mut self) -> Option<Vec<(u64, u64)>> {
        let query = json!({ "query": "FOR d IN c RETURN [TO_NUMBER(d._key), d.n]" });
        let answer = Self::raced(self.send("POST", "/_api/cursor", &query))?.expect(201);
        let number = |value: &Value| value.as_u64().expect("a number");
        let rows = answer.body["result"].as_array().expect("rows");
        Some(rows.iter().map(|row| (number(&row[0]), number(&row[1]))).collect())
    }

    fn write(&mut self, key: u64, value: u64, is_there: bool) -> bool {
        let path = format!("/_api/document/c/{key}");
        let key = key.to_string();
        let answer = match (is_there, value % 2) {
            (true, 0) => self.send("PATCH", &path, &json!({ "n": value })),
            (true, _) => {
                let query = "UPDATE @key WITH { n: @n } IN c";
                let body = json!({ "query": query, "bindVars": { "key": key, "n": value } });
                self.send("POST", "/_api/cursor", &body)
            }
            (false, _) => self.send("POST", "/_api/document/c", &json!({ "_key": key, "n": value })),
        };
        if !is_there && answer.body["errorNum"] == 1210 {
            return false;
        }
        Self::raced(answer).is_some_and(|answer| {
            assert!(answer.status < 300, "{}", answer.body);
            true
        })
    }

    fn commit(&mut self) -> bool {
        let path = format!("/_api/transaction/{}", self.id);
        let answer = Self::raced(self.client.json("PUT", &path, &json!({})));
        answer.is_some_and(|answer| answer.expect(200).status == 200)
    }

    fn abort(&mut self) {
        // It may have ended by itself, to end a deadlock.
        self.client.delete(&format!("/_api/transaction/{}", self.id));
    }
}

#[test]
fn stream_transactions_are_snapshot_isolated() {
    let server = Server::start();
    seeds::for_each(2, |seed| {
        let client = server.client();
        client.create_collection("c");
        let clients = (0..4).map(|_| Streamed { client: server.client(), id: String::new() }).collect();
        let history = record(clients, 40, seed);
        let n_committed = history.iter().filter(|trace| trace.is_committed).count();
        assert!(n_committed > 8, "only {n_committed} commits");
        if let Err(verdict) = judge(&history) {
            panic!("{verdict}");
        }
        client.delete("/_api/collection/c").expect(200);
    });
}
