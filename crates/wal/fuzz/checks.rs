//! What must hold for any bytes, shared by the fuzz target and the tests.

use std::sync::Arc;

use persea_wal::simulation::SimulatedStorage;
use persea_wal::{Error, Log, Options};

/// A record as it was appended or read.
type Seen = (u64, u16, Vec<u8>);

/// Builds a log as the input says, changes its files as the input says, and reads it.
///
/// Of the input, each piece of four bytes is a call or a change; what is left at the end becomes a file of its own.
pub fn changed_log(input: &[u8]) {
    let disk = SimulatedStorage::new(input.len() as u64);
    let (log, _) = open(&disk, false).expect("an empty folder can be opened");
    let mut appended: Vec<Seen> = Vec::new();
    let mut changes = Vec::new();
    let (pieces, rest) = input.as_chunks::<4>();
    for piece in pieces {
        let [call, a, b, c] = *piece;
        match call % 8 {
            0..=2 => {
                let commit = log.last_commit() + u64::from(a % 3);
                let payload = vec![c; usize::from(b) * usize::from(a % 9)];
                log.append(commit, c.into(), &payload).expect("nothing fails yet");
                appended.push((commit, c.into(), payload));
            }
            3 => log.sync_all().expect("nothing fails yet"),
            4 => log.maintain().expect("nothing fails yet"),
            5 => log.rotate().expect("nothing fails yet"),
            _ => changes.push((call, u16::from_le_bytes([a, b]), c)),
        }
    }
    let disk = disk.kill();
    drop(log);
    let mut names: Vec<String> = disk.names();
    names.retain(|name| name.ends_with(".log"));
    for (call, at, value) in changes {
        let Some(name) = names.get(usize::from(value) % names.len().max(1)) else { break };
        let mut bytes = disk.contents(name).unwrap_or_default();
        let at = usize::from(at) % bytes.len().max(1);
        match call / 8 % 3 {
            0 => bytes.truncate(at),
            1 => bytes.iter_mut().skip(at).take(usize::from(value)).for_each(|byte| *byte = 0),
            _ => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= value | 1),
        }
        disk.set_contents(name, &bytes);
    }
    if !rest.is_empty() {
        disk.set_contents("00000000000000000009.log", rest);
    }
    read(&disk, &appended);
}

/// Whatever the files hold: what is read was appended, and once it was read it stays.
fn read(disk: &SimulatedStorage, appended: &[Seen]) {
    match open(disk, false) {
        Ok((_, seen)) => assert!(appended.starts_with(&seen), "a log that isn't damaged has a beginning"),
        Err(Error::Damaged(_) | Error::Version { .. }) => {}
        Err(error) => panic!("{error}"),
    }
    let disk = disk.kill();
    let seen = match open(&disk, true) {
        Ok((_, seen)) => seen,
        Err(Error::Version { .. }) => return,
        Err(error) => panic!("{error}"),
    };
    let mut rest = appended.iter();
    assert!(seen.iter().all(|record| rest.any(|appended| appended == record)), "a record was made up");
    let (_, again) =
        open(&disk.power_failure(), true).expect("what could be opened once can be opened again");
    assert!(seen == again, "what was read has gone");
}

fn open(disk: &SimulatedStorage, ignore_damage: bool) -> persea_wal::Result<(Log, Vec<Seen>)> {
    let mut options = Options::default();
    options.segment_bytes = 4096;
    options.sync_interval = None;
    options.ignore_damage = ignore_damage;
    let mut seen = Vec::new();
    let (log, _) = Log::open_on(Arc::new(disk.clone()), options, |record| {
        seen.push((record.commit, record.kind, record.payload.to_vec()));
        Ok(())
    })?;
    Ok((log, seen))
}
