//! `/_admin/options` and `/_admin/options-description`: what the server was told at its start, and what that means.

use hyper::{Method, StatusCode};
use persea_vpack::{Builder, VPackBuf, vpack};

use crate::context::Context;
use crate::error::ApiError;
use crate::http::request::Request;
use crate::http::response::Response;
use crate::options::ServerOptions;

/// One option as these routes show it.
struct Shown {
    name: &'static str,
    kind: &'static str,
    description: &'static str,
    value: fn(&ServerOptions) -> VPackBuf,
}

const OPTIONS: &[Shown] = &[
    Shown {
        name: "http.body-limit",
        kind: "uint64",
        description: "Largest request body in bytes.",
        value: |options| vpack!((options.body_bytes_max as u64)),
    },
    Shown {
        name: "http.keep-alive-timeout",
        kind: "double",
        description: "Seconds after which an idle connection is closed.",
        value: |options| vpack!((options.keep_alive.as_secs_f64())),
    },
    Shown {
        name: "query.memory-limit",
        kind: "uint64",
        description: "Bytes one query may use; 0 is no limit.",
        value: |options| vpack!((options.query_memory_bytes_max as u64)),
    },
    Shown {
        name: "query.registry-ttl",
        kind: "double",
        description: "Seconds after which a cursor that nobody asks for goes.",
        value: |options| vpack!((options.cursor_ttl.as_secs_f64())),
    },
    Shown {
        name: "server.authentication",
        kind: "boolean",
        description: "Whether requests need a user and password.",
        value: |_| vpack!(false),
    },
    Shown {
        name: "server.endpoint",
        kind: "string...",
        description: "Addresses to listen on.",
        value: endpoints,
    },
    Shown {
        name: "transaction.streaming-idle-timeout",
        kind: "double",
        description: "Seconds after which a stream transaction that nobody uses is aborted.",
        value: |options| vpack!((options.transaction_idle.as_secs_f64())),
    },
    Shown {
        name: "transaction.streaming-lock-timeout",
        kind: "double",
        description: "Seconds that a request waits for another one in the same stream transaction.",
        value: |options| vpack!((options.transaction_busy_wait.as_secs_f64())),
    },
    Shown {
        name: "transaction.streaming-max-transaction-size",
        kind: "uint64",
        description: "Bytes of keys and values that one stream transaction may write.",
        value: |options| vpack!((options.transaction_bytes_max)),
    },
    Shown {
        name: "transaction.streaming-max-transactions",
        kind: "uint64",
        description: "How many stream transactions may run at once.",
        value: |options| vpack!((options.transactions_max as u64)),
    },
];

/// `GET /_admin/options` and `/_admin/options-public`: names and values.
pub fn values(context: &Context, request: &Request) -> Result<Response, ApiError> {
    require_get(context, request)?;
    listed(|builder, option| {
        builder.add_slice((option.value)(&context.options).as_slice());
    })
}

/// `GET /_admin/options-description`: names, types, and what they mean.
pub fn descriptions(context: &Context, request: &Request) -> Result<Response, ApiError> {
    require_get(context, request)?;
    let defaults = ServerOptions::default();
    listed(|builder, option| {
        let section = option.name.split_once('.').map_or("", |(section, _)| section);
        builder.open_object();
        builder.key("section").add_str(section);
        builder.key("description").add_str(option.description);
        builder.key("type").add_str(option.kind);
        builder.key("default").add_slice((option.value)(&defaults).as_slice());
        builder.close();
    })
}

fn require_get(context: &Context, request: &Request) -> Result<(), ApiError> {
    if request.method != Method::GET {
        return Err(ApiError::method_not_allowed());
    }
    context.require_system(request)
}

fn listed(mut add: impl FnMut(&mut Builder, &Shown)) -> Result<Response, ApiError> {
    let mut builder = Builder::new();
    builder.open_object();
    for option in OPTIONS {
        builder.key(option.name);
        add(&mut builder, option);
    }
    builder.close();
    Ok(Response::value(StatusCode::OK, builder.finish().map_err(persea::Error::from)?))
}

fn endpoints(options: &ServerOptions) -> VPackBuf {
    let mut builder = Builder::new();
    builder.open_array();
    for endpoint in &options.endpoints {
        builder.add_str(&format!("tcp://{endpoint}"));
    }
    builder.close();
    builder.finish().unwrap_or_default()
}
