//! Traversals and path searches on the two graphs of the language's documentation.
#![allow(missing_docs)]

mod support;

use support::TestDatabase;

fn circles() -> TestDatabase {
    let db = TestDatabase::new();
    let vertices: Vec<String> =
        ('A'..='K').zip(1..).map(|(key, label)| format!(r#"{{"_key":"{key}","label":"{label}"}}"#)).collect();
    db.collection("circles", &format!("[{}]", vertices.join(",")));
    let edges = [
        ("A", "B", "left_bar"),
        ("B", "C", "left_blarg"),
        ("C", "D", "left_blorg"),
        ("B", "E", "left_blub"),
        ("E", "F", "left_schubi"),
        ("A", "G", "right_foo"),
        ("G", "H", "right_blob"),
        ("H", "I", "right_blub"),
        ("G", "J", "right_zip"),
        ("J", "K", "right_zup"),
    ];
    let edges: Vec<String> = edges
        .iter()
        .map(|(from, to, label)| {
            format!(
                r#"{{"_from":"circles/{from}","_to":"circles/{to}","label":"{label}","theTruth":true,"theFalse":false}}"#
            )
        })
        .collect();
    db.edges("edges", &format!("[{}]", edges.join(",")));
    db
}

fn trains() -> TestDatabase {
    let db = TestDatabase::new();
    let both = [
        ("Inverness", "Aberdeen", 3.0, 2.5),
        ("Aberdeen", "Leuchars", 1.5, 1.0),
        ("Leuchars", "Edinburgh", 1.5, 3.0),
        ("Edinburgh", "Glasgow", 1.0, 1.0),
        ("Edinburgh", "York", 3.5, 4.0),
        ("Glasgow", "Carlisle", 1.0, 1.0),
        ("Carlisle", "York", 2.5, 3.5),
        ("Carlisle", "Birmingham", 2.0, 1.0),
        ("Birmingham", "London", 1.5, 2.5),
        ("Leuchars", "StAndrews", 0.2, 0.2),
        ("York", "London", 1.8, 2.0),
        ("London", "Brussels", 2.5, 3.5),
        ("Brussels", "Cologne", 2.0, 1.5),
        ("Toronto", "Winnipeg", 36.0, 35.0),
        ("Winnipeg", "Saskatoon", 12.0, 5.0),
        ("Saskatoon", "Edmonton", 12.0, 17.0),
        ("Edmonton", "Jasper", 6.0, 5.0),
        ("Jasper", "Vancouver", 12.0, 13.0),
    ];
    let mut places: Vec<&str> = both.iter().flat_map(|&(from, to, ..)| [from, to]).collect();
    places.sort_unstable();
    places.dedup();
    let vertices: Vec<String> = places.iter().map(|place| format!(r#"{{"_key":"{place}"}}"#)).collect();
    db.collection("places", &format!("[{}]", vertices.join(",")));
    let edges: Vec<String> = both
        .iter()
        .flat_map(|&(from, to, there, back)| [(from, to, there), (to, from, back)])
        .map(|(from, to, time)| {
            format!(r#"{{"_from":"places/{from}","_to":"places/{to}","travelTime":{time}}}"#)
        })
        .collect();
    db.edges("connections", &format!("[{}]", edges.join(",")));
    db
}

/// The results of a query, sorted, since the order of siblings is free.
fn sorted(db: &TestDatabase, query: &str) -> String {
    let answer = db.run(query).unwrap_or_else(|error| panic!("{query}: {error}"));
    let rows: serde_free::Rows = serde_free::parse(&answer.rows);
    rows.sorted()
}

/// Splits a flat array of strings without a JSON library.
mod serde_free {
    pub struct Rows(Vec<String>);

    pub fn parse(text: &str) -> Rows {
        Rows(
            text.trim_matches(['[', ']'])
                .split(',')
                .filter(|row| !row.is_empty())
                .map(str::to_owned)
                .collect(),
        )
    }

    impl Rows {
        pub fn sorted(mut self) -> String {
            self.0.sort();
            self.0.join(",").replace('"', "")
        }
    }
}

#[test]
fn depths_and_directions() {
    let db = circles();
    let reach = |range: &str, direction: &str, start: &str| {
        sorted(&db, &format!("FOR v IN {range} {direction} 'circles/{start}' edges RETURN v._key"))
    };
    assert_eq!(reach("1..3", "OUTBOUND", "A"), "B,C,D,E,F,G,H,I,J,K");
    assert_eq!(reach("2..2", "OUTBOUND", "A"), "C,E,H,J");
    assert_eq!(reach("2", "OUTBOUND", "A"), "C,E,H,J");
    assert_eq!(reach("0", "OUTBOUND", "A"), "A");
    assert_eq!(reach("1..3", "OUTBOUND", "E"), "F");
    assert_eq!(reach("1..3", "INBOUND", "E"), "A,B");
    assert_eq!(reach("1..3", "ANY", "E"), "A,B,C,D,F,G");
    assert_eq!(reach("1..3", "OUTBOUND", "missing"), "");
}

#[test]
fn conditions_on_paths() {
    let db = circles();
    let check = |conditions: &str, expected: &str| {
        let query = format!("FOR v, e, p IN 1..3 OUTBOUND 'circles/A' edges {conditions} RETURN v._key");
        assert_eq!(sorted(&db, &query), expected, "{query}");
    };
    check("FILTER p.vertices[1]._key != 'G'", "B,C,D,E,F");
    check("FILTER p.vertices[1]._key != 'G' FILTER p.edges[1].label != 'left_blub'", "B,C,D");
    check("FILTER p.edges[*].theTruth NONE == true", "");
    check("FILTER p.edges[*].theTruth ALL == true", "B,C,D,E,F,G,H,I,J,K");
    check("FILTER v._key == 'D'", "D");
    check("PRUNE v._key == 'B'", "B,G,H,I,J,K");
    check("PRUNE stop = v._key == 'G' FILTER stop", "G");
    check("PRUNE e.label == 'right_blob'", "B,C,D,E,F,G,H,J,K");
    check("PRUNE LENGTH(p.edges) == 1", "B,G");
    let query = "FOR v, e, p IN 1..5 OUTBOUND 'circles/A' edges FILTER p.edges[0].theTruth == true \
                 AND p.edges[1].theFalse == false AND p.vertices[1]._key == \"G\" RETURN CONCAT_SEPARATOR('-', p.vertices[*]._key)";
    assert_eq!(sorted(&db, query), "A-G-H,A-G-H-I,A-G-J,A-G-J-K");
}

#[test]
fn orders_and_uniqueness() {
    let db = circles();
    let answer =
        db.run("FOR v IN 1..3 OUTBOUND 'circles/A' edges OPTIONS {order: 'bfs'} RETURN v._key").unwrap();
    let order: Vec<&str> = answer.rows.trim_matches(['[', ']']).split(',').collect();
    assert_eq!(order.len(), 10);
    assert!(order[..2].contains(&"\"B\"") && order[..2].contains(&"\"G\""));
    let db = trains();
    let answer = db
        .run(
            "FOR v, e, p IN 0..10 OUTBOUND 'places/Inverness' connections \
             OPTIONS {order: 'weighted', weightAttribute: 'travelTime', uniqueVertices: 'global'} \
             LIMIT 3 RETURN [v._key, p.weights]",
        )
        .unwrap();
    assert_eq!(answer.rows, r#"[["Inverness",[0]],["Aberdeen",[0,3]],["Leuchars",[0,3,4.5]]]"#);
}

#[test]
fn edges_alone_are_read_when_nobody_asks_for_documents() {
    let db = circles();
    let answer =
        db.run("FOR v IN 1..3 OUTBOUND 'circles/A' edges COLLECT WITH COUNT INTO n RETURN n").unwrap();
    assert_eq!((answer.rows.as_str(), answer.stats.document_lookups), ("[10]", 0));
}

#[test]
fn starts_from_rows() {
    let db = circles();
    let query = "FOR c IN circles FILTER c._key IN ['C', 'H'] FOR v IN 1 OUTBOUND c edges RETURN CONCAT(c._key, v._key)";
    assert_eq!(sorted(&db, query), "CD,HI");
    let answer = db.run("FOR v IN 1 OUTBOUND NOOPT(5) edges RETURN v").unwrap();
    assert_eq!(answer.rows, "[]");
    assert_eq!(answer.warnings.first().map(|warning| warning.0), Some(10));
    let query = "FOR c IN circles LET n = (FOR v IN 1..2 OUTBOUND c edges RETURN v._key) FILTER LENGTH(n) > 4 RETURN c._key";
    assert_eq!(sorted(&db, query), "A");
}

#[test]
fn shortest_paths() {
    let db = circles();
    db.check(
        "FOR v, e IN OUTBOUND SHORTEST_PATH 'circles/A' TO 'circles/D' edges RETURN [v._key, e.label]",
        r#"[["A",null],["B","left_bar"],["C","left_blarg"],["D","left_blorg"]]"#,
    );
    let db = trains();
    db.check(
        "FOR v, e IN OUTBOUND SHORTEST_PATH 'places/Aberdeen' TO 'places/London' connections RETURN [v._key, e.travelTime]",
        r#"[["Aberdeen",null],["Leuchars",1.5],["Edinburgh",1.5],["York",3.5],["London",1.8]]"#,
    );
    db.check(
        "FOR v IN OUTBOUND SHORTEST_PATH 'places/Carlisle' TO 'places/Toronto' connections RETURN v._key",
        "[]",
    );
}

#[test]
fn several_paths() {
    let db = trains();
    db.check(
        "FOR p IN OUTBOUND K_SHORTEST_PATHS 'places/StAndrews' TO 'places/Cologne' connections \
         OPTIONS {weightAttribute: 'travelTime', defaultWeight: 15} LIMIT 3 RETURN ROUND(p.weight * 10) / 10",
        "[11.5,11.7,12.5]",
    );
    db.check(
        "FOR p IN OUTBOUND K_SHORTEST_PATHS 'places/Aberdeen' TO 'places/London' connections LIMIT 3 \
         RETURN LENGTH(p.edges)",
        "[4,6,6]",
    );
    let paths = "FOR p IN 1..10 OUTBOUND K_PATHS 'places/Aberdeen' TO 'places/London' connections RETURN 1";
    assert_eq!(db.run(paths).unwrap().rows, "[1,1,1,1]");
    let all = "FOR p IN OUTBOUND ALL_SHORTEST_PATHS 'places/Carlisle' TO 'places/London' connections RETURN p.vertices[1]._key";
    assert_eq!(sorted(&db, all), "Birmingham,York");
    db.check(
        "FOR p IN OUTBOUND ALL_SHORTEST_PATHS 'places/Carlisle' TO 'places/Toronto' connections RETURN 1",
        "[]",
    );
}

#[test]
fn negative_weights_are_an_error() {
    let db = TestDatabase::new();
    db.collection("v", r#"[{"_key":"a"},{"_key":"b"}]"#);
    db.edges("e", r#"[{"_from":"v/a","_to":"v/b","w":-1}]"#);
    db.check_error(
        "FOR v IN OUTBOUND SHORTEST_PATH 'v/a' TO 'v/b' e OPTIONS {weightAttribute: 'w'} RETURN v",
        1948,
    );
}
