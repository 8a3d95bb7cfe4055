//! Histories of concurrent transactions, and a judge of snapshot isolation that knows nothing but what clients saw.
//!
//! Every value that is written is another one, and a transaction reads what it overwrites: so the order of versions is
//! known, and from it who must have come before whom. A history is snapshot isolated if and only if no circle is made of
//! dependencies (written or read what the other wrote, or begun after the other had ended) of which each may be followed
//! by one anti-dependency (read what the other then overwrote). Two of those in a row are write skew, which is allowed.
#![allow(dead_code, reason = "not every test that shares this file needs all of it")]

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// What was there before all transactions.
pub const INITIAL: u64 = 0;
/// Keys of the random histories.
pub const N_KEYS: u64 = 8;

/// What a transaction did, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Read { key: u64, value: u64 },
    Write { key: u64, value: u64 },
}

/// One transaction as its client saw it.
#[derive(Clone, Debug)]
pub struct Trace {
    pub steps: Vec<Step>,
    pub is_committed: bool,
    /// Before it was begun, by a clock that all clients share.
    pub begun: u64,
    /// After it was known to have ended.
    pub ended: u64,
}

/// What a trace says about the outside: what it read first of each key before it wrote it, and what it wrote last.
#[derive(Default)]
struct Facts {
    seen: BTreeMap<u64, u64>,
    written: BTreeMap<u64, u64>,
}

fn facts(trace: &Trace) -> Result<Facts, String> {
    let mut facts = Facts::default();
    for step in &trace.steps {
        match *step {
            Step::Write { key, value } => {
                if !facts.seen.contains_key(&key) {
                    return Err(format!("a blind write can't be judged: {trace:?}"));
                }
                facts.written.insert(key, value);
            }
            Step::Read { key, value } => match facts.written.get(&key) {
                Some(own) if *own != value => return Err(format!("an own write was not read: {trace:?}")),
                Some(_) => {}
                None if *facts.seen.entry(key).or_insert(value) != value => {
                    return Err(format!("non-repeatable read of {key}: {trace:?}"));
                }
                None => {}
            },
        }
    }
    Ok(facts)
}

/// Whether the history is snapshot isolated, and every transaction sees what had ended before it began.
///
/// # Errors
/// What is wrong, by the name that the literature gives it.
pub fn judge(history: &[Trace]) -> Result<(), String> {
    let all: Vec<Facts> = history.iter().map(facts).collect::<Result<_, _>>()?;
    let mut writers: BTreeMap<u64, usize> = BTreeMap::new();
    let mut overwriters: BTreeMap<(u64, u64), usize> = BTreeMap::new();
    for (number, (trace, facts)) in history.iter().zip(&all).enumerate() {
        for (key, value) in facts.written.iter().filter(|_| trace.is_committed) {
            writers.insert(*value, number);
            if let Some(other) = overwriters.insert((*key, facts.seen[key]), number) {
                return Err(format!("lost update of {key}: {:?} and {trace:?}", history[other]));
            }
        }
    }
    let mut graph = Graph::new(history);
    for (number, facts) in all.iter().enumerate() {
        for (key, value) in &facts.seen {
            let next = overwriters.get(&(*key, *value)).copied().filter(|next| *next != number);
            if *value != INITIAL {
                let Some(writer) = writers.get(value).copied() else {
                    return Err(format!("dirty read of {key}: {:?}", history[number]));
                };
                graph.dependency(writer, number);
                next.into_iter().for_each(|next| graph.dependency(writer, next));
            }
            next.into_iter().for_each(|next| graph.anti_dependency(number, next));
        }
    }
    match graph.circle() {
        None => Ok(()),
        Some(circle) => {
            let traces: Vec<String> = circle
                .into_iter()
                .filter_map(|node| history.get(node).map(|trace| format!("{node}: {trace:?}")))
                .collect();
            Err(format!("read skew, or a commit that came too late to sight:\n{}", traces.join("\n")))
        }
    }
}

/// Transactions, then moments in their order: what ended before a moment came before what begins after it.
struct Graph {
    dependencies: Vec<Vec<usize>>,
    anti_dependencies: Vec<Vec<usize>>,
}

impl Graph {
    fn new(history: &[Trace]) -> Graph {
        let mut moments: Vec<(u64, usize, bool)> = Vec::new();
        for (number, trace) in history.iter().enumerate() {
            moments.push((trace.begun, number, false));
            if trace.is_committed {
                moments.push((trace.ended, number, true));
            }
        }
        moments.sort_unstable();
        let n_nodes = history.len() + moments.len();
        let mut graph =
            Graph { dependencies: vec![Vec::new(); n_nodes], anti_dependencies: vec![Vec::new(); n_nodes] };
        for (position, (_, number, is_end)) in moments.iter().enumerate() {
            let moment = history.len() + position;
            if *is_end {
                graph.dependency(*number, moment);
            } else {
                graph.dependency(moment, *number);
            }
            if moment + 1 < n_nodes {
                graph.dependency(moment, moment + 1);
            }
        }
        graph
    }

    fn dependency(&mut self, from: usize, to: usize) {
        self.dependencies[from].push(to);
    }

    fn anti_dependency(&mut self, from: usize, to: usize) {
        self.anti_dependencies[from].push(to);
    }

    /// Takes away whatever nothing leads to until nothing changes; what is left lies on circles or behind them.
    fn circle(&self) -> Option<Vec<usize>> {
        let n_nodes = self.dependencies.len();
        let next = |node: usize| {
            self.dependencies[node]
                .iter()
                .flat_map(|end| std::iter::once(end).chain(&self.anti_dependencies[*end]))
        };
        let mut n_before = vec![0_usize; n_nodes];
        (0..n_nodes).flat_map(next).for_each(|end| n_before[*end] += 1);
        let mut free: Vec<usize> = (0..n_nodes).filter(|node| n_before[*node] == 0).collect();
        let mut n_left = n_nodes;
        while let Some(node) = free.pop() {
            n_left -= 1;
            for end in next(node) {
                n_before[*end] -= 1;
                if n_before[*end] == 0 {
                    free.push(*end);
                }
            }
        }
        if n_left == 0 {
            return None;
        }
        // From any node that is left, backwards along others that are left, one comes into a circle.
        let mut before = vec![None; n_nodes];
        for node in (0..n_nodes).filter(|node| n_before[*node] > 0) {
            for end in next(node) {
                before[*end] = Some(node);
            }
        }
        let mut path = vec![(0..n_nodes).find(|node| n_before[*node] > 0)?];
        loop {
            let node = before[*path.last()?]?;
            if let Some(position) = path.iter().position(|other| *other == node) {
                return Some(path.split_off(position));
            }
            path.push(node);
        }
    }
}

/// A client that runs one transaction at a time. `None` and `false` mean that a race was lost; the transaction is
/// aborted then.
pub trait Client {
    fn begin(&mut self);
    /// The value of a key; [`INITIAL`] if it is not there.
    fn read(&mut self, key: u64) -> Option<u64>;
    /// All keys that are there, in one query.
    fn read_all(&mut self) -> Option<Vec<(u64, u64)>>;
    /// Writes a key that is there or not.
    fn write(&mut self, key: u64, value: u64, is_there: bool) -> bool;
    fn commit(&mut self) -> bool;
    fn abort(&mut self);
}

/// Runs random transactions of several clients at once, and returns what they saw.
pub fn record<C: Client + Send>(clients: Vec<C>, n_transactions: u64, seed: u64) -> Vec<Trace> {
    let clock = AtomicU64::new(1);
    let history = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for (thread, mut client) in clients.into_iter().enumerate() {
            let (clock, history) = (&clock, &history);
            let mut random = Random(seed.wrapping_mul(1000).wrapping_add(thread as u64));
            scope.spawn(move || {
                for number in 0..n_transactions {
                    let mut steps = Vec::new();
                    let begun = clock.fetch_add(1, Ordering::SeqCst);
                    client.begin();
                    let first_value = (number + 1) << 16 | (thread as u64) << 8;
                    let is_whole = act(&mut client, &mut random, first_value, &mut steps).is_some();
                    let is_committed = is_whole && random.below(10) > 0 && client.commit();
                    if !is_committed {
                        client.abort();
                    }
                    let ended = clock.fetch_add(1, Ordering::SeqCst);
                    let trace = Trace { steps, is_committed, begun, ended };
                    history.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(trace);
                }
            });
        }
    });
    history.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn act(client: &mut impl Client, random: &mut Random, first_value: u64, steps: &mut Vec<Step>) -> Option<()> {
    for step in 0..random.below(5) + 1 {
        let key = random.below(N_KEYS);
        if random.below(6) == 0 {
            let found: BTreeMap<u64, u64> = client.read_all()?.into_iter().collect();
            let value = |key| found.get(&key).copied().unwrap_or(INITIAL);
            steps.extend((0..N_KEYS).map(|key| Step::Read { key, value: value(key) }));
            continue;
        }
        let value = client.read(key)?;
        steps.push(Step::Read { key, value });
        if random.below(2) == 0 {
            let new = first_value | step;
            if !client.write(key, new, value != INITIAL) {
                return None;
            }
            steps.push(Step::Write { key, value: new });
        }
        if random.below(4) == 0 {
            std::thread::yield_now();
        }
    }
    Some(())
}

/// Repeatable random numbers (a linear congruence).
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}
