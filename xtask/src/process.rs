//! Running other programs: a headline before each, a clear error after a failure.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

/// The workspace's top folder.
pub fn workspace_root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().map(Path::to_path_buf).unwrap_or_else(|| manifest.to_path_buf())
}

/// Cargo's target folder.
pub fn target_folder() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| workspace_root().join("target"), PathBuf::from)
}

/// Runs `cargo` with these arguments in the workspace's top folder.
pub fn cargo(arguments: &[&str]) -> anyhow::Result<()> {
    run(Command::new(env!("CARGO")).args(arguments))
}

/// Runs a command in the workspace's top folder, printing its line first and its duration afterwards.
///
/// # Errors
/// When it can't be started or exits with a failure.
pub fn run(command: &mut Command) -> anyhow::Result<()> {
    let line = shown(command);
    println!("── {line}");
    let started = Instant::now();
    if command.get_current_dir().is_none() {
        command.current_dir(workspace_root());
    }
    let status = command.status().with_context(|| format!("cannot start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed with {status}");
    }
    println!("   done in {:.1} s", started.elapsed().as_secs_f64());
    Ok(())
}

/// Runs `cargo` with these arguments and environment variables in the workspace's top folder; fails if that takes longer than `limit`.
///
/// # Errors
/// As of [`run`], and when it was ended.
pub fn cargo_within(
    arguments: &[&str],
    variables: &[(&str, PathBuf)],
    limit: Duration,
) -> anyhow::Result<()> {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments).envs(variables.iter().cloned()).current_dir(workspace_root());
    let line = shown(&command);
    println!("── {line}");
    let started = Instant::now();
    match run_within(&mut command, limit)? {
        Some(status) if status.success() => {}
        Some(status) => bail!("`{line}` failed with {status}"),
        None => bail!("`{line}` was ended after {} minutes: something in it hangs", limit.as_secs() / 60),
    }
    println!("   done in {:.1} s", started.elapsed().as_secs_f64());
    Ok(())
}

/// Runs a command without a word, unless it fails.
///
/// # Errors
/// When it can't be started or exits with a failure; the message holds what it printed as errors.
pub fn quiet(command: &mut Command) -> anyhow::Result<()> {
    let line = shown(command);
    let output = command.output().with_context(|| format!("cannot start `{line}`"))?;
    if !output.status.success() {
        bail!("`{line}` failed with {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}

/// Runs a command without a word, but not for longer than `limit`: then it is killed with all that it has started, and
/// nothing is returned.
///
/// # Errors
/// When it can't be started or killed.
pub fn run_within(command: &mut Command, limit: Duration) -> anyhow::Result<Option<ExitStatus>> {
    let line = shown(command);
    let started = Instant::now();
    let mut child = command.spawn().with_context(|| format!("cannot start `{line}`"))?;
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if started.elapsed() >= limit {
            break;
        }
        thread::sleep(pause);
        pause = (2 * pause).min(Duration::from_millis(100));
    }
    // Its children don't notice its end. They can't be found once it is gone.
    let children = descendants(child.id());
    child.kill().with_context(|| format!("cannot end `{line}`"))?;
    child.wait()?;
    if !children.is_empty() {
        let ids = children.iter().map(u32::to_string);
        // One that has ended by itself meanwhile makes it fail, which is as well.
        Command::new("kill").arg("-KILL").args(ids).stderr(Stdio::null()).status()?;
    }
    Ok(None)
}

/// The processes that a process has started, and those that these have; none where `ps` can't tell.
fn descendants(ancestor: u32) -> Vec<u32> {
    let listed = Command::new("ps").args(["-A", "-o", "pid=", "-o", "ppid="]).output();
    let listed =
        listed.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let pairs: Vec<(u32, u32)> = listed
        .lines()
        .filter_map(|line| {
            let (process, parent) = line.trim().split_once(char::is_whitespace)?;
            Some((process.parse().ok()?, parent.trim().parse().ok()?))
        })
        .collect();
    let mut found = Vec::new();
    let mut parents = vec![ancestor];
    while let Some(parent) = parents.pop() {
        let children = pairs.iter().filter(|(_, of)| *of == parent).map(|(process, _)| *process);
        let from = found.len();
        found.extend(children);
        parents.extend(&found[from..]);
    }
    found
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let mut line = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_too_long_is_ended_with_all_that_it_started() {
        let mut quick = Command::new("sh");
        quick.args(["-c", "exit 7"]);
        let status = run_within(&mut quick, Duration::from_secs(60)).unwrap();
        assert_eq!(status.and_then(|status| status.code()), Some(7));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("child");
        let mut slow = Command::new("sh");
        slow.args(["-c", "sleep 600 & echo $! > \"$0.new\"; mv \"$0.new\" \"$0\"; wait"]).arg(&file);
        let started = Instant::now();
        assert_eq!(run_within(&mut slow, Duration::from_secs(1)).unwrap(), None);
        assert!(started.elapsed() < Duration::from_secs(300));
        let child = std::fs::read_to_string(&file).unwrap();
        // Ended or, where nobody collects orphans, a zombie.
        let state = Command::new("ps").args(["-o", "stat=", "-p", child.trim()]).output().unwrap();
        let state = String::from_utf8_lossy(&state.stdout).trim().to_owned();
        assert!(state.is_empty() || state.starts_with('Z'), "{state}");
    }
}
