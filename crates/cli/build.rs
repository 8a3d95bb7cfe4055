//! Tells the program what it was built from and how: commit, date, target, compiler, sanitizers.

use std::env;
use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(sanitized)");
    let release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    fact("TARGET", env::var("TARGET").ok());
    fact("PROFILE", env::var("PROFILE").ok());
    fact("COMPILER", compiler());
    // Development builds would have to be linked anew at each commit, for every test of the program.
    fact("COMMIT", if release { commit() } else { None });
    fact("DATE", if release { date() } else { None });
    let sanitizers = sanitizers();
    if !sanitizers.is_empty() {
        println!("cargo::rustc-cfg=sanitized");
    }
    fact("SANITIZERS", Some(if sanitizers.is_empty() { "none".to_owned() } else { sanitizers.join(" ") }));
}

/// Unknown facts are empty; the program leaves them out.
fn fact(name: &str, value: Option<String>) {
    println!("cargo::rustc-env=PERSEA_BUILT_{name}={}", value.unwrap_or_default().trim());
}

fn compiler() -> Option<String> {
    output(Command::new(env::var_os("RUSTC")?).arg("--version"))
}

/// What the one who builds says, else what git says, else nothing: a source archive has no commit.
fn commit() -> Option<String> {
    println!("cargo::rerun-if-env-changed=PERSEA_BUILD_COMMIT");
    if let Ok(commit) = env::var("PERSEA_BUILD_COMMIT") {
        return Some(commit);
    }
    let workspace = Path::new(&env::var_os("CARGO_MANIFEST_DIR")?).join("../..");
    let log = workspace.join(".git/logs/HEAD");
    if !log.exists() {
        return None;
    }
    println!("cargo::rerun-if-changed={}", log.display());
    let git = |arguments: &[&str]| output(Command::new("git").args(arguments).current_dir(&workspace));
    let commit = git(&["rev-parse", "HEAD"])?;
    let modified =
        git(&["status", "--porcelain", "--untracked-files=no"]).is_some_and(|text| !text.trim().is_empty());
    Some(if modified { format!("{}-modified", commit.trim()) } else { commit })
}

/// The day in UTC. `SOURCE_DATE_EPOCH` sets it, for builds that must come out the same.
fn date() -> Option<String> {
    println!("cargo::rerun-if-env-changed=SOURCE_DATE_EPOCH");
    let seconds = match env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text.parse().ok()?,
        Err(_) => SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs(),
    };
    let (year, month, day) = civil(seconds / 86_400);
    Some(format!("{year:04}-{month:02}-{day:02}"))
}

/// Year, month and day of a day since 1970-01-01, in the Gregorian calendar.
///
/// Years begin in March here, so that the leap day is the last of a year; an era is the 400 years after which all repeats.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

/// The names in `-Zsanitizer=…` among the compiler flags.
fn sanitizers() -> Vec<String> {
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    flags
        .split('\x1f')
        .filter_map(|flag| flag.trim_start_matches("-Z").strip_prefix("sanitizer="))
        .flat_map(|names| names.split(','))
        .map(str::to_owned)
        .collect()
}

fn output(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
