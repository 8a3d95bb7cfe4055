//! A small HTTP client: JSON in, JSON out, the server's error text on failure.

use anyhow::{Context, bail};
use serde_json::Value;

/// Talks to one server.
pub struct Client {
    agent: ureq::Agent,
    base: String,
}

impl Client {
    /// A client of the server on this port of the loopback address.
    pub fn new(port: u16) -> Client {
        let agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        Client { agent, base: format!("http://127.0.0.1:{port}") }
    }

    /// Sends a JSON body.
    pub fn post(&self, path: &str, body: &Value) -> anyhow::Result<Value> {
        self.post_text(path, &body.to_string())
    }

    /// Sends a text body.
    pub fn post_text(&self, path: &str, body: &str) -> anyhow::Result<Value> {
        let url = format!("{}{path}", self.base);
        let mut response = self.agent.post(&url).send(body).with_context(|| format!("POST {url}"))?;
        let status = response.status();
        let text = response.body_mut().read_to_string()?;
        if !status.is_success() {
            bail!("POST {path} answered {status}: {text}");
        }
        serde_json::from_str(&text).with_context(|| format!("POST {path} answered no JSON: {text}"))
    }
}
