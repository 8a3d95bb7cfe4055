//! `GET /_api/version` and `GET /_admin/version`: who answers, and which version of ArangoDB's API it speaks.

use hyper::{Method, StatusCode};
use persea_vpack::{Builder, VPackBuf, vpack};

use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;

/// The version of ArangoDB whose interface this server follows; drivers choose their requests by it.
pub const COMPATIBLE_VERSION: &str = "3.12.5";

/// Handles the route.
pub fn handle(context: &Context, request: &Request) -> Result<Response, ApiError> {
    if request.method != Method::GET && request.method != Method::HEAD {
        return Err(ApiError::method_not_allowed());
    }
    let mut answer = vpack!({ "server": "arango", "license": "community", "version": COMPATIBLE_VERSION });
    if request.query.flag("details", false) {
        answer = vpack!({
            "server": "arango",
            "license": "community",
            "version": COMPATIBLE_VERSION,
            "details": (details(context)?),
        });
    }
    Ok(Response::value(StatusCode::OK, answer))
}

/// The facts of the build under their own names, and those that clients look for under ArangoDB's. All are texts, as there.
fn details(context: &Context) -> Result<VPackBuf, ApiError> {
    let facts = context.options.build_info.facts();
    let flag = |flag: bool| (if flag { "true" } else { "false" }).to_owned();
    let full =
        format!("Persea {} (compatible with ArangoDB {COMPATIBLE_VERSION})", env!("CARGO_PKG_VERSION"));
    let known = [
        ("product", "persea".to_owned()),
        ("architecture", format!("{}bit", usize::BITS)),
        ("server-version", COMPATIBLE_VERSION.to_owned()),
        ("full-version-string", full),
        ("platform", std::env::consts::OS.to_owned()),
        ("arm", flag(cfg!(target_arch = "aarch64"))),
        ("debug", flag(cfg!(debug_assertions))),
        ("host", hostname()),
        ("mode", "server".to_owned()),
        ("role", "SINGLE".to_owned()),
    ];
    let mut builder = Builder::new();
    builder.open_object();
    for (name, fact) in &facts {
        builder.key(name);
        builder.add_str(&fact.to_string());
    }
    for (name, value) in &known {
        builder.key(name);
        builder.add_str(value);
    }
    builder.close();
    Ok(builder.finish().map_err(persea::Error::from)?)
}

/// The machine's name, empty when it is unknown.
pub fn hostname() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname")
        .map(|name| name.trim().to_owned())
        .unwrap_or_default()
}
