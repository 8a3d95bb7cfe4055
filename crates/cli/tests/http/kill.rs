//! `kill -9` at random moments, under load from several clients that keep their own record of what was acknowledged.
//!
//! `PERSEA_KILLS=n` kills so many times, `PERSEA_SEED=n` repeats the choices of a run (not its timing).

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use persea_collections::Databases;
use serde_json::{Value, json};

use crate::client::{Answer, Client};
use crate::seeds;
use crate::server::Server;

/// Documents by key, each with the number that was written last.
type State = BTreeMap<String, u64>;
/// What an unanswered request may have changed: the numbers after it, none for a document that it removes.
type Changes = BTreeMap<String, Option<u64>>;

/// Repeatable random numbers (a linear congruence); a test needs no better ones.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Load {
    Single,
    Arrays,
    Streams,
    Queries,
}

/// One client's record: nobody else writes its documents.
struct Record {
    load: Load,
    owner: String,
    sure: State,
    /// Of the request that was never answered.
    unanswered: Changes,
    /// Whether that request is there as a whole or not at all; of an array each item is for itself.
    is_atomic: bool,
    next_key: u64,
    next_number: u64,
    n_acknowledged: u64,
}

/// Only the server's end makes a client stop.
struct Gone;

/// The answer, unless the server is gone.
fn ask(client: &Client, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Option<Answer> {
    client.try_send(method, path, headers, body).ok()
}

impl Record {
    fn new(load: Load, number: usize) -> Record {
        Record {
            load,
            owner: format!("{load:?}{number}"),
            sure: State::new(),
            unanswered: Changes::new(),
            is_atomic: true,
            next_key: 0,
            next_number: 0,
            n_acknowledged: 0,
        }
    }

    fn new_key(&mut self) -> String {
        self.next_key += 1;
        format!("{}-{}", self.owner, self.next_key)
    }

    fn number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number
    }

    fn document(&self, key: &str, number: u64) -> Value {
        json!({ "_key": key, "owner": self.owner, "n": number, "u": format!("{key}/{number}"), "text": "x".repeat(100) })
    }

    fn some_key(&self, random: &mut Random) -> Option<String> {
        let n_keys = self.sure.len() as u64;
        let position = random.below(n_keys.max(1)) as usize;
        self.sure.keys().nth(position).cloned()
    }

    /// Sends what makes these changes; they count once it is answered.
    fn send(&mut self, changes: Changes, send: impl FnOnce() -> Option<Answer>) -> Result<(), Gone> {
        self.unanswered = changes;
        let answer = send().ok_or(Gone)?;
        assert!((200..300).contains(&answer.status), "{}: {}", self.owner, answer.body);
        for (key, number) in std::mem::take(&mut self.unanswered) {
            match number {
                Some(number) => drop(self.sure.insert(key, number)),
                None => drop(self.sure.remove(&key)),
            }
        }
        self.n_acknowledged += 1;
        Ok(())
    }

    /// Works until the server is gone.
    fn work(&mut self, client: &Client, random: &mut Random) {
        loop {
            let sync = if random.below(4) == 0 { "waitForSync=true" } else { "waitForSync=false" };
            let outcome = match self.load {
                Load::Single => self.single(client, random, sync),
                Load::Arrays => self.array(client, random, sync),
                Load::Streams => self.stream(client, random),
                Load::Queries => self.query(client, random),
            };
            if let Err(Gone) = outcome {
                return;
            }
        }
    }

    fn single(&mut self, client: &Client, random: &mut Random, sync: &str) -> Result<(), Gone> {
        let number = self.number();
        let old = self.some_key(random);
        match (random.below(5), old) {
            (0, Some(key)) => {
                let path = format!("/_api/document/c/{key}?{sync}");
                let changes = Changes::from([(key, None)]);
                self.send(changes, || ask(client, "DELETE", &path, &[], b""))
            }
            (1 | 2, Some(key)) => {
                let path = format!("/_api/document/c/{key}?{sync}");
                let patch = json!({ "n": number, "u": format!("{key}/{number}") }).to_string();
                let changes = Changes::from([(key, Some(number))]);
                self.send(changes, || ask(client, "PATCH", &path, &[], patch.as_bytes()))
            }
            _ => {
                let key = self.new_key();
                let document = self.document(&key, number).to_string();
                let path = format!("/_api/document/c?{sync}");
                let changes = Changes::from([(key, Some(number))]);
                self.send(changes, || ask(client, "POST", &path, &[], document.as_bytes()))
            }
        }
    }

    fn array(&mut self, client: &Client, random: &mut Random, sync: &str) -> Result<(), Gone> {
        self.is_atomic = false;
        let number = self.number();
        let n_items = random.below(8) + 1;
        let keys: BTreeSet<String> = (0..n_items)
            .filter_map(|_| if random.below(2) == 0 { self.some_key(random) } else { Some(self.new_key()) })
            .collect();
        let items: Vec<Value> = keys.iter().map(|key| self.document(key, number)).collect();
        let changes = keys.into_iter().map(|key| (key, Some(number))).collect();
        let path = format!("/_api/document/c?overwriteMode=replace&{sync}");
        let body = Value::Array(items).to_string();
        self.send(changes, || ask(client, "POST", &path, &[], body.as_bytes()))
    }

    /// Documents and an edge between them; nothing of it may be there before the commit is asked for.
    fn stream(&mut self, client: &Client, random: &mut Random) -> Result<(), Gone> {
        let body = json!({ "collections": { "write": ["c", "e"] }, "waitForSync": random.below(4) == 0 });
        let begun = ask(client, "POST", "/_api/transaction/begin", &[], body.to_string().as_bytes());
        let id = begun.ok_or(Gone)?.expect(201).body["result"]["id"].as_str().expect("an id").to_owned();
        let headers = [("x-arango-trx-id", id.as_str())];
        let number = self.number();
        let keys = [self.new_key(), self.new_key()];
        let mut changes = Changes::new();
        for key in keys.iter().cloned().chain(self.some_key(random)) {
            let document = self.document(&key, number).to_string();
            let path = "/_api/document/c?overwriteMode=replace";
            ask(client, "POST", path, &headers, document.as_bytes()).ok_or(Gone)?.expect(202);
            changes.insert(key, Some(number));
        }
        let edge = json!({ "_from": format!("c/{}", keys[0]), "_to": format!("c/{}", keys[1]) }).to_string();
        ask(client, "POST", "/_api/document/e", &headers, edge.as_bytes()).ok_or(Gone)?.expect(202);
        let path = format!("/_api/transaction/{id}");
        if random.below(6) == 0 {
            return ask(client, "DELETE", &path, &[], b"").map(drop).ok_or(Gone);
        }
        self.send(changes, || ask(client, "PUT", &path, &[], b""))
    }

    fn query(&mut self, client: &Client, random: &mut Random) -> Result<(), Gone> {
        let number = self.number();
        let (query, changes) = if random.below(3) > 0 || self.sure.is_empty() {
            let keys: Vec<String> = (0..random.below(30) + 1).map(|_| self.new_key()).collect();
            let query =
                "FOR k IN @keys INSERT { _key: k, owner: @owner, n: @n, u: CONCAT(k, '/', @n) } INTO c";
            (query, keys.into_iter().map(|key| (key, Some(number))).collect::<Changes>())
        } else if random.below(2) == 0 {
            let changes = self.sure.keys().map(|key| (key.clone(), Some(number))).collect();
            (
                "FOR d IN c FILTER d.owner == @owner AND LENGTH(@keys) >= 0 UPDATE d WITH { n: @n, u: CONCAT(d._key, '/', @n) } IN c",
                changes,
            )
        } else {
            let some: Vec<String> = self.sure.keys().take(5).cloned().collect();
            (
                "FOR k IN @keys FILTER @n > 0 AND @owner != '' REMOVE k IN c",
                some.into_iter().map(|key| (key, None)).collect(),
            )
        };
        let keys: Vec<&String> = changes.keys().collect();
        let body = json!({ "query": query, "bindVars": { "keys": keys, "owner": self.owner, "n": number } });
        let body = body.to_string();
        self.send(changes, || ask(client, "POST", "/_api/cursor", &[], body.as_bytes()))
    }

    /// Compares with what is there, and goes on from that.
    fn settle(&mut self, found: State) {
        let with = |changes: &Changes| {
            let mut state = self.sure.clone();
            for (key, number) in changes {
                match number {
                    Some(number) => drop(state.insert(key.clone(), *number)),
                    None => drop(state.remove(key)),
                }
            }
            state
        };
        if self.is_atomic {
            let is_right = found == self.sure || found == with(&self.unanswered);
            assert!(
                is_right,
                "{}: {found:?}\n of {:?}\n and perhaps {:?}",
                self.owner, self.sure, self.unanswered
            );
        } else {
            let there = self.unanswered.iter().filter(|(key, number)| found.get(*key) == number.as_ref());
            let expected = with(&there.map(|(key, number)| (key.clone(), *number)).collect());
            assert_eq!(found, expected, "{}, and perhaps {:?}", self.owner, self.unanswered);
        }
        self.sure = found;
        self.unanswered.clear();
    }
}

fn prepare(client: &Client) {
    client.create_collection("c");
    client.create_edge_collection("e");
    for index in [
        json!({ "type": "persistent", "fields": ["u"], "unique": true }),
        json!({ "type": "persistent", "fields": ["owner", "n"] }),
    ] {
        client.post("/_api/index?collection=c", &index).expect(201);
    }
}

/// What is there, by owner; indexes, edges and counts agree with it.
fn read(client: &Client) -> BTreeMap<String, State> {
    let mut found: BTreeMap<String, State> = BTreeMap::new();
    let rows = client.query("FOR d IN c RETURN [d.owner, d._key, d.n, d.u]");
    for row in &rows {
        let text = |position: usize| row[position].as_str().expect("a text").to_owned();
        let number = row[2].as_u64().expect("a number");
        assert_eq!(text(3), format!("{}/{number}", text(1)), "a document is half there");
        found.entry(text(0)).or_default().insert(text(1), number);
    }
    assert_eq!(client.query("RETURN LENGTH(c)"), [rows.len()]);
    assert_eq!(client.get("/_api/collection/c/count").expect(200).body["count"], rows.len());
    let by_owner =
        "FOR d IN c FILTER d.owner >= '' COLLECT o = d.owner WITH COUNT INTO n SORT o RETURN [o, n]";
    let expected: Vec<Value> = found.iter().map(|(owner, state)| json!([owner, state.len()])).collect();
    assert_eq!(client.query(by_owner), expected);
    let missed =
        "FOR d IN c LET f = (FOR x IN c FILTER x.u == d.u RETURN x._key) FILTER f != [d._key] RETURN d._key";
    assert_eq!(client.query(missed), [] as [Value; 0]);
    // An edge comes with its documents, and is found from both of them.
    let edges = client.query("FOR x IN e RETURN [DOCUMENT(x._from) != null, DOCUMENT(x._to) != null]");
    assert!(edges.iter().all(|ends| *ends == json!([true, true])), "{edges:?}");
    let walked = "FOR d IN c FOR v, x IN 1..1 OUTBOUND d e RETURN x._key";
    assert_eq!(client.query(walked).len(), edges.len());
    found
}

/// The consistency check, on what the killed process has left.
fn verify(folder: &std::path::Path) {
    let databases = Databases::open(folder, &Default::default()).expect("it opens");
    for collection in databases.system().expect("it is there").collections() {
        let report = collection.verify().expect("it can be read");
        assert!(report.is_clean(), "{}: {report:?}", collection.name());
    }
}

#[test]
fn nothing_acknowledged_is_lost_and_nothing_is_half_there() {
    let n_kills = seeds::number("PERSEA_KILLS").unwrap_or(5);
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_nanos() as u64;
    let seed = seeds::number("PERSEA_SEED").unwrap_or(clock % 1_000_000);
    println!("to choose the same again: PERSEA_SEED={seed} PERSEA_KILLS={n_kills}");
    let mut random = Random(seed);
    let folder = tempfile::tempdir().expect("a folder");
    let loads = [Load::Single, Load::Single, Load::Arrays, Load::Arrays, Load::Streams, Load::Queries];
    let mut records: Vec<Record> =
        loads.into_iter().enumerate().map(|(number, load)| Record::new(load, number)).collect();
    let mut round = 0;
    // A slow machine may need more rounds, and longer ones, until everybody was served.
    while round < n_kills || round < 10 * n_kills && records.iter().any(|record| record.n_acknowledged == 0) {
        let server = Server::start_in(folder.path());
        if round == 0 {
            prepare(&server.client());
        }
        let pause = Duration::from_millis(20 + random.below(600) * (1 + round / n_kills));
        let n_before: u64 = records.iter().map(|record| record.n_acknowledged).sum();
        std::thread::scope(|scope| {
            for record in &mut records {
                let client = server.client();
                let mut random = Random(random.below(1 << 31));
                scope.spawn(move || record.work(&client, &mut random));
            }
            std::thread::sleep(pause);
            server.kill();
        });
        let n_acknowledged: u64 = records.iter().map(|record| record.n_acknowledged).sum();
        println!("kill {round}: {} acknowledged within {pause:?}", n_acknowledged - n_before);
        // Now and then the files are opened by somebody else first.
        if round % 3 == 2 {
            verify(folder.path());
        }
        let server = Server::start_in(folder.path());
        let mut found = read(&server.client());
        for record in &mut records {
            record.settle(found.remove(&record.owner).unwrap_or_default());
        }
        assert!(found.is_empty(), "{found:?} belongs to nobody");
        if round % 2 == 0 {
            server.kill()
        } else {
            assert!(server.terminate().success())
        }
        round += 1;
    }
    verify(folder.path());
    assert!(records.iter().all(|record| record.n_acknowledged > 0), "somebody was never served");
}
