//! Named graphs: what they share, and changes of them beside each other and beside those who hold their collections.

#![allow(clippy::unwrap_used)] // A failed helper is a failed test.

use persea_collections::graph::{EdgeDefinition, UnusedCollections};
use persea_collections::{
    ChangeOptions, CollectionOptions, Databases, Error, Interrupt, LockMode, TransactionOptions, WriteOptions,
};
use persea_vpack::{VPackBuf, vpack};

fn json(text: &str) -> VPackBuf {
    persea_json::parse(text.as_bytes()).unwrap()
}

/// A change whose waits `interrupt` ends.
fn interrupted(interrupt: &Interrupt) -> ChangeOptions {
    ChangeOptions { interrupt: Some(interrupt.clone()), ..ChangeOptions::default() }
}

#[test]
fn graphs_share_edge_collections_only_with_equal_definitions() {
    let databases = Databases::in_memory().unwrap();
    let database = databases.system().unwrap();
    let create = |body: &str| {
        database.create_graph(json(body).as_slice(), &Default::default()).map_err(|error| error.error_num())
    };
    create(r#"{"name":"g","edgeDefinitions":[{"collection":"e","from":["v"],"to":["w"]}]}"#).unwrap();
    create(r#"{"name":"h","edgeDefinitions":[{"collection":"e","from":["v"],"to":["w"]}]}"#).unwrap();
    let different = r#"{"name":"i","edgeDefinitions":[{"collection":"e","from":["v"],"to":["v"]}]}"#;
    assert_eq!(create(different).unwrap_err(), 1921);
    assert_eq!(create(r#"{"name":"g"}"#).unwrap_err(), 1925);
    let as_edges = r#"{"name":"j","edgeDefinitions":[{"collection":"v","from":["v"],"to":["v"]}]}"#;
    assert_eq!(create(as_edges).unwrap_err(), 1944);

    let graph = database.add_vertex_collection("g", "extra", true, &Default::default()).unwrap();
    assert_eq!(graph.orphan_collections, ["extra"]);
    let again = database.add_vertex_collection("g", "extra", true, &Default::default());
    assert_eq!(again.unwrap_err().error_num(), 1938);
    assert_eq!(
        database.add_vertex_collection("g", "v", true, &Default::default()).unwrap_err().error_num(),
        1929
    );
    assert_eq!(
        database.add_vertex_collection("g", "no", false, &Default::default()).unwrap_err().error_num(),
        1926
    );
    assert_eq!(
        database
            .remove_vertex_collection("g", "v", UnusedCollections::Keep, &Default::default())
            .unwrap_err()
            .error_num(),
        1928
    );

    let wider = EdgeDefinition {
        collection: "e".into(),
        from: vec!["v".into()],
        to: vec!["extra".into(), "w".into()],
    };
    let graph = database
        .replace_edge_definition("g", wider.clone(), UnusedCollections::Keep, &Default::default())
        .unwrap();
    assert!(graph.orphan_collections.is_empty());
    assert_eq!(database.graph("h").unwrap().edge_definitions, [wider]);
    let graph =
        database.remove_edge_definition("g", "e", UnusedCollections::Keep, &Default::default()).unwrap();
    assert_eq!(graph.orphan_collections, ["extra", "v", "w"]);
    assert_eq!(
        database
            .remove_edge_definition("g", "e", UnusedCollections::Keep, &Default::default())
            .unwrap_err()
            .error_num(),
        1930
    );
    assert_eq!(database.graph("nope").unwrap_err().error_num(), 1924);
}

#[test]
fn removing_a_vertex_removes_its_edges() {
    let databases = Databases::in_memory().unwrap();
    let database = databases.system().unwrap();
    let body = r#"{"name":"g","edgeDefinitions":[{"collection":"e","from":["v"],"to":["v"]}]}"#;
    let graph = database.create_graph(json(body).as_slice(), &Default::default()).unwrap();
    let (vertices, edges) = (database.collection("v").unwrap(), database.collection("e").unwrap());
    let options = WriteOptions::default();
    database
        .transact(|transaction| {
            for key in ["1", "2", "3"] {
                transaction.insert(&vertices, vpack!({ "_key": key }).as_slice(), &options)?;
            }
            for (from, to) in [("v/1", "v/2"), ("v/2", "v/3"), ("v/1", "v/1"), ("v/3", "v/1")] {
                let edge = vpack!({ "_from": from, "_to": to });
                database.check_graph_edge(transaction, &graph, "e", edge.as_slice(), None)?;
                transaction.insert(&edges, edge.as_slice(), &options)?;
            }
            let missing = vpack!({ "_from": "v/1", "_to": "v/99" });
            let refused = database.check_graph_edge(transaction, &graph, "e", missing.as_slice(), None);
            assert_eq!(refused.unwrap_err().error_num(), 1202);
            Ok(())
        })
        .unwrap();
    database
        .transact(|transaction| database.remove_graph_vertex(transaction, &vertices, "1", &options))
        .unwrap();
    assert_eq!(edges.count().unwrap(), 1);
    assert!(edges.verify().unwrap().is_clean());
}

#[test]
fn no_change_of_a_graph_is_lost_to_another() {
    let databases = Databases::in_memory().unwrap();
    let database = databases.system().unwrap();
    database.create_graph(vpack!({ "name": "g" }).as_slice(), &Default::default()).unwrap();
    let barrier = std::sync::Barrier::new(4);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (database, barrier) = (&database, &barrier);
            scope.spawn(move || {
                for round in 0..8 {
                    let ends = vec!["v".to_owned()];
                    let collection = format!("e{thread}_{round}");
                    barrier.wait();
                    let definition = EdgeDefinition { collection, from: ends.clone(), to: ends };
                    database.add_edge_definition("g", definition, &Default::default()).unwrap();
                }
            });
        }
    });
    assert_eq!(database.graph("g").unwrap().edge_definitions.len(), 32);
}

#[test]
fn graphs_agree_on_an_edge_collection_though_they_are_created_at_once() {
    let databases = Databases::in_memory().unwrap();
    let database = databases.system().unwrap();
    let barrier = std::sync::Barrier::new(4);
    for round in 0..8 {
        let create = &|thread: usize| {
            let definition = format!(r#"{{"collection":"e{round}","from":["v{thread}"],"to":["v"]}}"#);
            let body = format!(r#"{{"name":"g{round}_{thread}","edgeDefinitions":[{definition}]}}"#);
            barrier.wait();
            database
                .create_graph(json(&body).as_slice(), &Default::default())
                .map(drop)
                .map_err(|error| error.error_num())
        };
        let outcomes: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|thread| scope.spawn(move || create(thread))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1, "{outcomes:?}");
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == Err(1921)).count(), 3, "{outcomes:?}");
    }
}

#[test]
fn a_rename_that_waits_for_graphs_keeps_nobody_from_creating_collections() {
    let databases = Databases::in_memory().unwrap();
    let database = databases.system().unwrap();
    let body = r#"{"name":"g","edgeDefinitions":[{"collection":"e","from":["v"],"to":["v"]}]}"#;
    database.create_graph(json(body).as_slice(), &Default::default()).unwrap();
    let graphs = database.collection("_graphs").unwrap();
    let held = TransactionOptions::locking([(graphs.id(), LockMode::Exclusive)]);
    let holder = database.begin_with(&held).unwrap();
    let (waits, waiting) = std::sync::mpsc::channel();
    let interrupt = Interrupt::with_wait_hook(move || waits.send(()).unwrap_or(()));
    let rename = |interrupt: &Interrupt| database.rename_collection_with("v", "w", &interrupted(interrupt));
    std::thread::scope(|scope| {
        let renaming = scope.spawn(|| rename(&interrupt));
        waiting.recv().unwrap();
        database.create_collection(CollectionOptions::new("other")).unwrap();
        interrupt.set();
        assert!(matches!(renaming.join().unwrap(), Err(Error::Interrupted)));
    });
    assert_eq!(database.graph("g").unwrap().vertex_collections(), ["v"]);
    assert!(database.collection("v").is_ok(), "nothing is changed");
    holder.abort();
    rename(&Interrupt::new()).unwrap();
    assert_eq!(database.graph("g").unwrap().vertex_collections(), ["w"]);
}

#[test]
fn a_change_of_a_graph_that_cannot_lock_what_it_drops_leaves_everything() {
    let databases = Databases::in_memory().unwrap();
    let database = databases.system().unwrap();
    let body = r#"{"name":"g","edgeDefinitions":[{"collection":"e","from":["v"],"to":["w"]}],"orphanCollections":["o"]}"#;
    let before = database.create_graph(json(body).as_slice(), &Default::default()).unwrap();
    let ids = ["e", "v", "w", "o"].map(|name| database.collection(name).unwrap().id());
    let held = TransactionOptions::locking(ids.map(|id| (id, LockMode::Exclusive)));
    let holder = database.begin_with(&held).unwrap();
    let interrupt = Interrupt::new();
    interrupt.set();
    let change = |interrupt: &Interrupt| {
        let options = &interrupted(interrupt);
        let unused = UnusedCollections::Drop;
        let ends = vec!["v".to_owned()];
        let narrow = EdgeDefinition { collection: "e".to_owned(), from: ends.clone(), to: ends };
        [
            database.replace_edge_definition("g", narrow, unused, options).map(drop),
            database.remove_vertex_collection("g", "o", unused, options).map(drop),
            database.remove_edge_definition("g", "e", unused, options).map(drop),
            database.drop_graph("g", unused, options),
        ]
    };
    for refusal in change(&interrupt) {
        assert!(matches!(refusal, Err(Error::Interrupted)), "{refusal:?}");
        assert_eq!(database.graph("g").unwrap(), before);
    }
    holder.abort();
    for outcome in change(&Interrupt::new()) {
        outcome.unwrap();
    }
    assert!(["e", "v", "w", "o"].iter().all(|name| database.collection(name).is_err()));
    assert_eq!(database.graph("g").unwrap_err().error_num(), 1924);
}
