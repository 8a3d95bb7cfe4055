//! The server process: started on a folder of its own, stopped or killed.

use std::io::{BufRead, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::client::Client;

/// A running server; killed when dropped.
pub struct Server {
    process: Child,
    /// Its address, `127.0.0.1:PORT`.
    pub address: String,
    /// How long it took until it listened.
    pub start_time: Duration,
    folder: PathBuf,
    _own_folder: Option<tempfile::TempDir>,
}

impl Server {
    /// Starts a server on an empty folder.
    pub fn start() -> Server {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().to_owned();
        Server::spawn(path, Some(folder), &[])
    }

    /// Starts a server on an empty folder with further options.
    pub fn start_with(options: &[&str]) -> Server {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().to_owned();
        Server::spawn(path, Some(folder), options)
    }

    /// Starts a server on an empty folder, with an empty collection `c`.
    pub fn start_with_collection() -> (Server, Client) {
        let server = Server::start();
        let client = server.client();
        client.create_collection("c");
        (server, client)
    }

    /// Starts a server on a folder that stays.
    pub fn start_in(folder: &Path) -> Server {
        Server::spawn(folder.to_owned(), None, &[])
    }

    /// Starts a server on a folder that stays, with further options.
    pub fn start_in_with(folder: &Path, options: &[&str]) -> Server {
        Server::spawn(folder.to_owned(), None, options)
    }

    /// Starts a server on an empty folder whose log nobody reads once it listens: writing to it fails.
    pub fn start_unread() -> Server {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().to_owned();
        let command = Command::new(env!("CARGO_BIN_EXE_persea"));
        Server::spawn_read_by(command, path, Some(folder), &[], drop)
    }

    /// Starts a server on an empty folder that may use so many kilobytes of address space.
    pub fn start_limited(kilobytes: u64, options: &[&str]) -> Server {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().to_owned();
        Server::spawn_by(Server::limited(kilobytes), path, Some(folder), options)
    }

    /// The same on a folder that stays.
    pub fn start_limited_in(folder: &Path, kilobytes: u64, options: &[&str]) -> Server {
        Server::spawn_by(Server::limited(kilobytes), folder.to_owned(), None, options)
    }

    fn limited(kilobytes: u64) -> Command {
        let mut command = Command::new("sh");
        let script = format!("ulimit -v {kilobytes}; exec \"$0\" \"$@\"");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_persea")]);
        command
    }

    fn spawn(folder: PathBuf, own_folder: Option<tempfile::TempDir>, options: &[&str]) -> Server {
        Server::spawn_by(Command::new(env!("CARGO_BIN_EXE_persea")), folder, own_folder, options)
    }

    fn spawn_by(
        command: Command,
        folder: PathBuf,
        own_folder: Option<tempfile::TempDir>,
        options: &[&str],
    ) -> Server {
        // Somebody has to read the log, or the server would wait once the pipe is full.
        Server::spawn_read_by(command, folder, own_folder, options, |lines| {
            std::thread::spawn(move || lines.for_each(drop));
        })
    }

    fn spawn_read_by(
        mut command: Command,
        folder: PathBuf,
        own_folder: Option<tempfile::TempDir>,
        options: &[&str],
        reader: impl FnOnce(Lines<BufReader<ChildStderr>>),
    ) -> Server {
        let started = Instant::now();
        let mut process = command
            .arg("serve")
            .arg("--data")
            .arg(&folder)
            .args(["--endpoint", "tcp://127.0.0.1:0", "--server.authentication", "false"])
            .args(options)
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let mut lines = BufReader::new(process.stderr.take().expect("its log")).lines();
        let address = loop {
            let line =
                lines.next().expect("the server tells where it listens before it ends").expect("a line");
            if let Some((_, address)) = line.split_once("listening on tcp://") {
                break address.trim().to_owned();
            }
        };
        let start_time = started.elapsed();
        reader(lines);
        Server { process, address, start_time, folder, _own_folder: own_folder }
    }

    /// A client of the `_system` database.
    pub fn client(&self) -> Client {
        Client::new(&self.address, "")
    }

    /// A client of another database.
    pub fn client_of(&self, database: &str) -> Client {
        Client::new(&self.address, &format!("/_db/{database}"))
    }

    /// The process' number.
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// The data folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Ends the process at once, as `kill -9`.
    pub fn kill(mut self) {
        self.process.kill().expect("the process can be killed");
        self.process.wait().expect("the process ends");
    }

    /// Asks the process to stop, as SIGTERM.
    pub fn terminate(mut self) -> ExitStatus {
        self.signal("TERM");
        self.process.wait().expect("the process ends")
    }

    /// Sends the process a signal, named without `SIG`.
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill").arg(format!("-{name}")).arg(self.pid().to_string()).status();
        assert!(status.expect("kill runs").success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Usually ended by now.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
