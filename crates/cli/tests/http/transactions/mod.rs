//! Stream transactions: begin, use, commit, abort, expire.

mod isolation;
mod life;
mod limits;
mod routes;

use serde_json::{Value, json};

use crate::client::{Answer, Client, await_some};
use crate::server::Server;

/// A client inside of a transaction.
pub(crate) struct Transaction<'a> {
    client: &'a Client,
    pub(crate) id: String,
}

impl<'a> Transaction<'a> {
    #[track_caller]
    pub(crate) fn begin(client: &'a Client, body: &Value) -> Transaction<'a> {
        let answer = client.post("/_api/transaction/begin", body).expect(201);
        assert_eq!((&answer.body["error"], &answer.body["code"]), (&json!(false), &json!(201)));
        assert_eq!(answer.body["result"]["status"], "running");
        let id = answer.body["result"]["id"].as_str().expect("a text").to_owned();
        Transaction { client, id }
    }

    #[track_caller]
    pub(crate) fn writing(client: &'a Client, collections: &[&str]) -> Transaction<'a> {
        Transaction::begin(client, &json!({ "collections": { "write": collections } }))
    }

    pub(crate) fn path(&self) -> String {
        format!("/_api/transaction/{}", self.id)
    }

    #[track_caller]
    pub(crate) fn send(&self, method: &str, path: &str, body: &Value) -> Answer {
        let text = if body.is_null() { String::new() } else { body.to_string() };
        self.client.send(method, path, &[("x-arango-trx-id", &self.id)], text.as_bytes())
    }

    #[track_caller]
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &Value::Null)
    }

    #[track_caller]
    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, body)
    }

    #[track_caller]
    pub(crate) fn query(&self, query: &str) -> Vec<Value> {
        let answer =
            self.post("/_api/cursor", &json!({ "query": query, "batchSize": 1_000_000 })).expect(201);
        answer.body["result"].as_array().expect("rows").clone()
    }

    #[track_caller]
    pub(crate) fn expect_status(&self, status: &str) {
        let answer = self.client.get(&self.path()).expect(200);
        assert_eq!(answer.body["result"], json!({ "id": self.id, "status": status }));
    }

    #[track_caller]
    pub(crate) fn commit(&self) -> Answer {
        self.client.json("PUT", &self.path(), &json!({}))
    }

    #[track_caller]
    pub(crate) fn abort(&self) -> Answer {
        self.client.delete(&self.path())
    }
}

pub(crate) fn server_with_collections() -> (Server, Client) {
    server_with(&[])
}

pub(crate) fn server_with(options: &[&str]) -> (Server, Client) {
    let server = Server::start_with(options);
    let client = server.client();
    client.create_collection("a");
    client.create_collection("b");
    (server, client)
}

/// The number of the query that runs, once one does.
#[track_caller]
pub(crate) fn running_query(client: &Client) -> String {
    await_some("a query runs", || {
        client.get("/_api/query/current").expect(200).body[0]["id"].as_str().map(str::to_owned)
    })
}

pub(crate) fn count(client: &Client, collection: &str) -> Value {
    client.get(&format!("/_api/collection/{collection}/count")).expect(200).body["count"].clone()
}
