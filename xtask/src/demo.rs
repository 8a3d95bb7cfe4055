//! `cargo xtask demo`: the shortest way from a checkout to answers from real data.
//!
//! Builds the server for this CPU, starts it on a temporary folder, imports airports and flights through the
//! HTTP API, creates indexes, then runs and prints queries with their times.

mod client;
mod load;
mod server;
mod table;

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use clap::Args;
use serde_json::{Value, json};

use self::client::Client;
use self::server::Server;
use crate::native_build;

/// How to run the demo.
#[derive(Args)]
pub struct Options {
    /// Stay up on 127.0.0.1:8529 after the queries, until Ctrl-C
    #[arg(long)]
    serve: bool,
}

/// One query of the tour.
struct Stop {
    title: &'static str,
    query: &'static str,
}

const TOUR: &[Stop] = &[
    Stop {
        title: "A filter that uses an index: the airports of Hawaii",
        query: "FOR airport IN airports FILTER airport.state == 'HI' SORT airport.name LIMIT 5 RETURN KEEP(airport, '_key', 'name', 'city')",
    },
    Stop {
        title: "An equality join: the ten busiest routes with the names of both ends",
        query: "FOR flight IN flights SORT flight.count DESC LIMIT 10 FOR origin IN airports FILTER origin._id == flight._from FOR destination IN airports FILTER destination._id == flight._to RETURN { from: origin.city, to: destination.city, flights: flight.count }",
    },
    Stop {
        title: "An aggregation: states by departures",
        query: "FOR flight IN flights FOR airport IN airports FILTER airport._id == flight._from COLLECT state = airport.state AGGREGATE departures = SUM(flight.count), routes = COUNT(1) SORT departures DESC LIMIT 8 RETURN { state, departures, routes }",
    },
    Stop {
        title: "A traversal: what is one or two hops from San Francisco, by state",
        query: "FOR airport, flight, path IN 1..2 OUTBOUND 'airports/SFO' flights OPTIONS { order: 'bfs', uniqueVertices: 'global' } COLLECT hops = LENGTH(path.edges), state = airport.state WITH COUNT INTO reached SORT reached DESC LIMIT 8 RETURN { hops, state, airports: reached }",
    },
];

const EXPLAINED: &str = "FOR flight IN flights FILTER flight._from == 'airports/SFO' FOR airport IN airports FILTER airport._id == flight._to FILTER airport.state == 'HI' RETURN airport.name";

/// Runs the demo.
///
/// # Errors
/// When the build fails, the server doesn't come up, or a request fails.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let binary = native_build::run(&native_build::Options::default())?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let port = if options.serve { 8529 } else { server::free_port()? };
    let server = Server::start(&binary, folder.path(), port)?;
    let client = Client::new(port);
    load::sample_data(&client)?;
    for stop in TOUR {
        show(&client, stop)?;
    }
    explain(&client)?;
    if options.serve { stay_up(server, port) } else { server.stop() }
}

/// How long the work for a profile goes on.
const TRAINING: Duration = Duration::from_secs(15);

/// Makes a server do what servers do, for a profile: the demo's import and queries, and single documents, many times.
///
/// # Errors
/// As [`run`].
pub fn train(binary: &Path) -> anyhow::Result<()> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let port = server::free_port()?;
    let server = Server::start(binary, folder.path(), port)?;
    let client = Client::new(port);
    load::sample_data(&client)?;
    client.post("/_api/collection", &json!({ "name": "training" }))?;
    let started = Instant::now();
    let mut rounds = 0_u64;
    while started.elapsed() < TRAINING {
        for stop in TOUR {
            client.post("/_api/cursor", &json!({ "query": stop.query }))?;
        }
        let documents: Vec<Value> = (0..100)
            .map(|number| json!({ "_key": format!("{rounds}-{number}"), "number": number, "text": "a few words", "list": [1, 2.5, null] }))
            .collect();
        client.post("/_api/document/training", &Value::Array(documents))?;
        client.post("/_api/document/training", &json!({ "_key": rounds.to_string(), "number": rounds }))?;
        let query = "FOR t IN training FILTER t.number % 7 == @rest UPDATE t WITH { text: UPPER(t.text) } IN training RETURN NEW.text";
        client.post("/_api/cursor", &json!({ "query": query, "bindVars": { "rest": rounds % 7 } }))?;
        rounds += 1;
    }
    println!("   {rounds} rounds in {:.1} s", started.elapsed().as_secs_f64());
    server.stop()
}

fn show(client: &Client, stop: &Stop) -> anyhow::Result<()> {
    println!("\n{}\n{}", stop.title, table::wrapped(stop.query));
    let started = Instant::now();
    let answer = client.post("/_api/cursor", &json!({ "query": stop.query }))?;
    let elapsed = started.elapsed();
    let rows = answer["result"].as_array().map(Vec::as_slice).unwrap_or_default();
    anyhow::ensure!(!rows.is_empty(), "the query found nothing: the demo's data or the server are wrong");
    print!("{}", table::rows(rows));
    let inside = answer["extra"]["stats"]["executionTime"].as_f64().unwrap_or_default();
    println!(
        "{} rows, {:.2} ms in the server, {:.2} ms with HTTP",
        rows.len(),
        inside * 1e3,
        elapsed.as_secs_f64() * 1e3
    );
    Ok(())
}

fn explain(client: &Client) -> anyhow::Result<()> {
    println!("\nAn explain: how a query will run\n{}", table::wrapped(EXPLAINED));
    let answer = client.post("/_api/explain", &json!({ "query": EXPLAINED }))?;
    let plan = &answer["plan"];
    let nodes = plan["nodes"].as_array().map(Vec::as_slice).unwrap_or_default();
    let rows: Vec<Value> = nodes
        .iter()
        .map(|node| {
            let index = node["indexes"].as_array().and_then(|list| list.first()).map_or(Value::Null, |index| {
                json!(format!(
                    "{} on {}",
                    index["type"].as_str().unwrap_or_default(),
                    node["collection"].as_str().unwrap_or_default()
                ))
            });
            json!({ "id": node["id"], "node": node["type"], "estimate": node["estimatedNrItems"], "index": index })
        })
        .collect();
    print!("{}", table::rows(&rows));
    let rules: Vec<&str> = plan["rules"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    println!("rules: {}", rules.join(", "));
    Ok(())
}

fn stay_up(mut server: Server, port: u16) -> anyhow::Result<()> {
    println!(
        "\nPersea is up at http://127.0.0.1:{port}. Try, from another terminal:\n\
         \n  curl http://127.0.0.1:{port}/_api/version\
         \n  curl http://127.0.0.1:{port}/_api/cursor -d '{{\"query\": \"FOR a IN airports FILTER a.city == \\\"Honolulu\\\" RETURN a\"}}'\
         \n  any ArangoDB driver: host http://127.0.0.1:{port}, user root, empty password, database _system\n\
         \nCtrl-C stops it; the temporary folder goes with it."
    );
    server.wait()
}
