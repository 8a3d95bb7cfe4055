//! `cargo xtask soak`: the randomized tests again and again with fresh seeds, until the time is up or something fails.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, bail, ensure};
use clap::Args;
use serde::Serialize;

use crate::process::{self, target_folder, workspace_root};

/// How long, what, and where the figures go.
#[derive(Args)]
pub struct Options {
    /// Go on for so many minutes; what runs then is finished
    #[arg(long, value_name = "N", default_value_t = 10.0)]
    minutes: f64,
    /// A turn that takes longer than so many minutes has failed: it is ended, since it may wait for ever
    #[arg(long, value_name = "N", default_value_t = 10.0)]
    turn_minutes: f64,
    /// Only tests whose name contains this text; `--list` shows the names
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// The first seed, to repeat the choices of an earlier run; from the clock otherwise
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Write the table as JSON to this file too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Compile the tests with optimisations: more rounds a minute, other timings
    #[arg(long)]
    release: bool,
    /// List the tests and do nothing else
    #[arg(long)]
    list: bool,
}

/// A randomized test, and what makes one turn of it.
struct Soak {
    name: &'static str,
    package: &'static str,
    /// The test target; empty for the unit tests.
    target: &'static str,
    features: &'static str,
    /// The part of the tests' names.
    filter: &'static str,
    /// What takes the turn's seed.
    seed: &'static str,
    /// What says how much one turn does, and the figure.
    amount: (&'static str, u64),
}

const SOAKS: [Soak; 15] = [
    soak("log model", "persea-wal", "model", "", "PROPTEST_RNG_SEED", ("PERSEA_WAL_CASES", 500)),
    soak("engine model", "persea-kv", "model", "", "PROPTEST_RNG_SEED", ("PROPTEST_CASES", 200)),
    soak("transaction model", "persea-txn", "model", "", "PROPTEST_RNG_SEED", ("PROPTEST_CASES", 200)),
    soak(
        "crashes of transactions",
        "persea-txn",
        "durability",
        "outlive",
        "PERSEA_SEED",
        ("PERSEA_SEEDS", 100),
    ),
    soak(
        "crash at every operation",
        "persea-txn",
        "durability",
        "every_single",
        "PERSEA_SEED",
        ("PERSEA_SEEDS", 20),
    ),
    soak(
        "crashes amid checkpoints",
        "persea-txn",
        "isolation",
        "amid_checkpoints",
        "PERSEA_SEED",
        ("PERSEA_SEEDS", 50),
    ),
    soak(
        "bank transfers of keys",
        "persea-txn",
        "isolation",
        "keep_the_sum",
        "PERSEA_SEED",
        ("PERSEA_TRANSFERS", 5000),
    ),
    soak(
        "histories of keys",
        "persea-txn",
        "isolation",
        "snapshot_isolated",
        "PERSEA_SEED",
        ("PERSEA_SEEDS", 10),
    ),
    soak("lock graphs", "persea-txn", "", "no_circle_stays", "PERSEA_SEED", ("PERSEA_SEEDS", 2000)),
    Soak {
        features: "shuttle",
        ..soak(
            "interleavings",
            "persea-txn",
            "interleavings",
            "",
            "SHUTTLE_RANDOM_SEED",
            ("PERSEA_SCHEDULES", 3000),
        )
    },
    soak("document model", "persea-collections", "model", "", "PROPTEST_RNG_SEED", ("PROPTEST_CASES", 128)),
    soak("crashes of documents", "persea-collections", "durability", "", "PERSEA_SEED", ("PERSEA_SEEDS", 60)),
    soak("histories and transfers", "persea", "histories", "", "PERSEA_SEED", ("PERSEA_SEEDS", 5)),
    soak("histories over HTTP", "persea-cli", "http", "histories::", "PERSEA_SEED", ("PERSEA_SEEDS", 10)),
    soak("kill -9 of the server", "persea-cli", "http", "kill::", "PERSEA_SEED", ("PERSEA_KILLS", 50)),
];

const fn soak(
    name: &'static str,
    package: &'static str,
    target: &'static str,
    filter: &'static str,
    seed: &'static str,
    amount: (&'static str, u64),
) -> Soak {
    Soak { name, package, target, features: "", filter, seed, amount }
}

/// What became of one test.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    turns: u64,
    /// Runs, cases, schedules or kills, whatever it counts.
    rounds: u64,
    seconds: f64,
    first_seed: Option<u64>,
    /// The command that replays its failure.
    failure: Option<String>,
}

impl Soak {
    /// `cargo test` for this target, without what comes after `--`.
    fn arguments(&self, is_release: bool) -> Vec<&'static str> {
        let mut arguments = vec!["test", "-p", self.package];
        if self.target.is_empty() {
            arguments.push("--lib");
        } else {
            arguments.extend(["--test", self.target]);
        }
        if !self.features.is_empty() {
            arguments.extend(["--features", self.features]);
        }
        if is_release {
            arguments.push("--release");
        }
        arguments
    }

    /// One line that does a turn again.
    fn replay(&self, seed: u64, is_release: bool) -> String {
        let (amount, n) = self.amount;
        let arguments = self.arguments(is_release).join(" ");
        format!("{}={seed} {amount}={n} cargo {arguments} {}", self.seed, self.filter).trim_end().to_owned()
    }

    /// Compiles it and returns the program, so that turns cost no start of cargo.
    fn build(&self, is_release: bool) -> anyhow::Result<PathBuf> {
        let mut command = Command::new(env!("CARGO"));
        command.args(self.arguments(is_release)).args(["--no-run", "--message-format=json", "--quiet"]);
        let output = command.current_dir(workspace_root()).stderr(Stdio::inherit()).output()?;
        ensure!(output.status.success(), "the test `{}` of {} does not build", self.target, self.package);
        let text = String::from_utf8_lossy(&output.stdout);
        let messages = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let program = messages
            .filter(|message| {
                let is_named = self.target.is_empty() || message["target"]["name"] == self.target;
                is_named && message["profile"]["test"] == true
            })
            .find_map(|message| message["executable"].as_str().map(PathBuf::from));
        program.with_context(|| format!("cargo names no program for the test `{}`", self.target))
    }

    /// One turn; what it said goes to the file. True if all is well.
    fn turn(&self, program: &Path, seed: u64, limit: Duration, log: &Path) -> anyhow::Result<bool> {
        let output = fs::File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
        let mut command = Command::new(program);
        command.current_dir(workspace_root().join("crates").join(self.folder()));
        let (amount, n) = self.amount;
        command.env(self.seed, seed.to_string()).env(amount, n.to_string()).env("RUST_BACKTRACE", "1");
        command.arg("--nocapture").args((!self.filter.is_empty()).then_some(self.filter));
        command.stdout(output.try_clone()?).stderr(output.try_clone()?);
        let status = process::run_within(&mut command, limit)?;
        // A crash of the test itself, or a wait without end, says nothing else.
        match status {
            Some(status) => writeln!(&output, "the test ended with {status}")?,
            None => writeln!(&output, "the test was ended after {:.0} s", limit.as_secs_f64())?,
        }
        Ok(status.is_some_and(|status| status.success()))
    }

    fn folder(&self) -> &'static str {
        self.package.strip_prefix("persea-").unwrap_or(self.package)
    }
}

/// Runs the tests in turns until the time is up.
///
/// # Errors
/// At the first failure, with the command that replays it.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let chosen: Vec<&Soak> = SOAKS
        .iter()
        .filter(|soak| options.only.as_ref().is_none_or(|text| soak.name.contains(text)))
        .collect();
    if options.list {
        for soak in &chosen {
            println!("  {:<26} {}", soak.name, soak.replay(1, options.release));
        }
        return Ok(());
    }
    ensure!(!chosen.is_empty(), "no test has such a name: `cargo xtask soak --list` lists them");
    let duration = minutes("--minutes", options.minutes)?;
    let turn_max = minutes("--turn-minutes", options.turn_minutes)?;
    let programs: Vec<PathBuf> =
        chosen.iter().map(|soak| soak.build(options.release)).collect::<anyhow::Result<_>>()?;
    let clock = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    // Far apart, so that the runs of one turn are not those of the next.
    let mut seed = options.seed.unwrap_or(clock * 1_000_000 % (1 << 52));
    let mut rows: Vec<Row> = chosen.iter().map(|soak| Row::new(soak)).collect();
    let begun = Instant::now();
    let log = target_folder().join("soak.log");
    let mut failure = None;
    'all: while begun.elapsed() < duration {
        for ((soak, program), row) in chosen.iter().zip(&programs).zip(&mut rows) {
            if begun.elapsed() >= duration {
                break 'all;
            }
            let turn = Instant::now();
            let is_well = soak.turn(program, seed, turn_max, &log)?;
            row.note(soak, seed, turn.elapsed());
            let minutes = begun.elapsed().as_secs_f64() / 60.0;
            let verdict = if is_well { "ok" } else { "FAILED" };
            println!(
                "{minutes:7.1} min  {:<26} seed {seed:<18} {verdict:<6} {:6.1} s",
                soak.name,
                turn.elapsed().as_secs_f64()
            );
            if !is_well {
                row.failure = Some(soak.replay(seed, options.release));
                failure.clone_from(&row.failure);
                break 'all;
            }
            seed = seed.wrapping_add(1_000_000) % (1 << 52);
        }
    }
    print_table(&rows);
    if let Some(path) = &options.json {
        fs::write(path, serde_json::to_string_pretty(&rows)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    match failure {
        None => Ok(()),
        Some(replay) => {
            print!("{}", tail(&log)?);
            bail!("a test has failed; all it said is in {}, and this replays it:\n  {replay}", log.display())
        }
    }
}

/// A number of minutes that an option gives.
fn minutes(option: &str, number: f64) -> anyhow::Result<Duration> {
    let duration = Duration::try_from_secs_f64(number * 60.0).ok().filter(|duration| !duration.is_zero());
    duration.with_context(|| format!("{option} has to be above 0"))
}

impl Row {
    fn new(soak: &Soak) -> Row {
        Row { name: soak.name, turns: 0, rounds: 0, seconds: 0.0, first_seed: None, failure: None }
    }

    fn note(&mut self, soak: &Soak, seed: u64, duration: Duration) {
        self.turns += 1;
        self.rounds += soak.amount.1;
        self.seconds += duration.as_secs_f64();
        self.first_seed.get_or_insert(seed);
    }
}

fn print_table(rows: &[Row]) {
    println!("\n{:<26} {:>7} {:>10} {:>10}  result", "test", "turns", "rounds", "seconds");
    for row in rows {
        let result = match (&row.failure, row.turns) {
            (Some(_), _) => "FAILED",
            (None, 0) => "not reached",
            (None, _) => "ok",
        };
        println!("{:<26} {:>7} {:>10} {:>10.1}  {result}", row.name, row.turns, row.rounds, row.seconds);
    }
}

/// The last lines of a log.
fn tail(log: &Path) -> anyhow::Result<String> {
    let text = fs::read(log).with_context(|| format!("cannot read {}", log.display()))?;
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    let from = lines.len().saturating_sub(40);
    Ok(lines.iter().skip(from).map(|line| format!("  {line}\n")).collect())
}
