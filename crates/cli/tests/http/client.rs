//! A small client: requests in, status, headers and JSON out.

use std::time::{Duration, Instant};

use serde_json::Value;

/// Talks to one database of one server.
#[derive(Clone)]
pub struct Client {
    agent: ureq::Agent,
    base: String,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: ureq::http::HeaderMap,
    /// The body; null when there is none.
    pub body: Value,
}

impl Answer {
    /// A header's text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The answer, which must have this status.
    #[track_caller]
    pub fn expect(self, status: u16) -> Answer {
        assert_eq!(self.status, status, "{}", self.body);
        self
    }

    /// Checks that it is an error body with this status and number, and gives its message.
    #[track_caller]
    pub fn expect_error(self, status: u16, number: u16) -> String {
        assert_eq!((self.status, &self.body["errorNum"]), (status, &Value::from(number)), "{}", self.body);
        assert_eq!(self.body["error"], true);
        assert_eq!(self.body["code"], status);
        self.body["errorMessage"].as_str().expect("a message").to_owned()
    }
}

impl Client {
    /// A client of the server at `address`; `prefix` is empty or `/_db/NAME`.
    pub fn new(address: &str, prefix: &str) -> Client {
        let config =
            ureq::Agent::config_builder().http_status_as_error(false).allow_non_standard_methods(true);
        Client { agent: config.build().into(), base: format!("http://{address}{prefix}") }
    }

    /// Sends a request with a text body and headers.
    #[track_caller]
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        self.try_send(method, path, headers, body).unwrap_or_else(|error| panic!("no answer: {error}"))
    }

    /// Sends a request; an error when the server is gone.
    pub fn try_send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Result<Answer, ureq::Error> {
        let mut request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.base));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(body).expect("a request");
        let mut response = self.agent.run(request)?;
        let text = response.body_mut().with_config().limit(1 << 30).read_to_vec()?;
        Ok(Answer {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            body: serde_json::from_slice(&text).unwrap_or(Value::Null),
        })
    }

    /// Sends a request with a JSON body.
    #[track_caller]
    pub fn json(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.send(method, path, &[], body.to_string().as_bytes())
    }

    /// `GET`.
    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], b"")
    }

    /// `POST` with a JSON body.
    #[track_caller]
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.json("POST", path, body)
    }

    /// `DELETE`.
    #[track_caller]
    pub fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, &[], b"")
    }

    /// A figure of `/_admin/metrics/v2`.
    #[track_caller]
    pub fn figure(&self, name: &str) -> f64 {
        let mut answer =
            self.agent.get(format!("{}/_admin/metrics/v2", self.base)).call().expect("an answer");
        assert!(answer.headers()["content-type"].to_str().expect("text").starts_with("text/plain"));
        let text = answer.body_mut().read_to_string().expect("text");
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.unwrap_or_else(|| panic!("no {name} in {text}")).parse().expect("a number")
    }

    /// Returns once a figure is `least` or more.
    #[track_caller]
    pub fn await_figure(&self, name: &str, least: f64) {
        await_true(name, || self.figure(name) >= least);
    }

    /// Makes a document collection.
    #[track_caller]
    pub fn create_collection(&self, name: &str) {
        self.post("/_api/collection", &serde_json::json!({ "name": name })).expect(200);
    }

    /// Makes an edge collection.
    #[track_caller]
    pub fn create_edge_collection(&self, name: &str) {
        self.post("/_api/collection", &serde_json::json!({ "name": name, "type": 3 })).expect(200);
    }

    /// Runs a query and gives all its rows.
    #[track_caller]
    pub fn query(&self, query: &str) -> Vec<Value> {
        let body = serde_json::json!({ "query": query, "batchSize": 100_000_000 });
        let answer = self.post("/_api/cursor", &body).expect(201);
        answer.body["result"].as_array().expect("rows").clone()
    }
}

/// Returns once the condition holds, which a machine may take long for, but not for ever.
#[track_caller]
pub fn await_true(what: &str, is_true: impl Fn() -> bool) {
    await_some(what, || is_true().then_some(()));
}

/// Returns what is found, once it is.
#[track_caller]
pub fn await_some<T>(what: &str, find: impl Fn() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(found) = find() {
            return found;
        }
        assert!(Instant::now() < deadline, "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
