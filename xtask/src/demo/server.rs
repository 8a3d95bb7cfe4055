//! The server process of the demo: start, wait until it answers, stop.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

const START_LIMIT: Duration = Duration::from_secs(10);

/// A running server; killed when dropped.
pub struct Server {
    process: Child,
}

impl Server {
    /// Starts the binary on this folder and port, and waits until it accepts connections.
    pub fn start(binary: &Path, folder: &Path, port: u16) -> anyhow::Result<Server> {
        if TcpListener::bind(("127.0.0.1", port)).is_err() {
            bail!("port {port} is in use: stop what listens there first");
        }
        let started = Instant::now();
        let process = Command::new(binary)
            .arg("serve")
            .arg("--data")
            .arg(folder)
            .args(["--endpoint", &format!("tcp://127.0.0.1:{port}"), "--server.authentication", "false"])
            .stdout(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", binary.display()))?;
        let mut server = Server { process };
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        while TcpStream::connect_timeout(&address, Duration::from_millis(100)).is_err() {
            if let Some(status) = server.process.try_wait()? {
                bail!("the server ended at once with {status}");
            }
            if started.elapsed() > START_LIMIT {
                bail!("the server did not answer within {} s", START_LIMIT.as_secs());
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        println!("   server up in {:.1} ms", started.elapsed().as_secs_f64() * 1e3);
        Ok(server)
    }

    /// Waits until the server ends by itself.
    pub fn wait(&mut self) -> anyhow::Result<()> {
        self.process.wait()?;
        Ok(())
    }

    /// Asks the server to stop and waits for it.
    pub fn stop(mut self) -> anyhow::Result<()> {
        Command::new("kill").args(["-TERM", &self.process.id().to_string()]).status()?;
        let status = self.process.wait()?;
        anyhow::ensure!(status.success(), "the server ended with {status}");
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It has usually ended by now; then there is nothing to kill and nothing to report.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A port that is free right now.
pub fn free_port() -> anyhow::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
