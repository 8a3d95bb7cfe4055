// The real server process on an empty folder, and a driver connected to a database of its own.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { Database } from "arangojs";

const START_MILLISECONDS_MAX = 20_000;

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}

async function isUp(port) {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Starts the binary that PERSEA_BINARY names. Call `stop` when done; it fails if the server ended badly. */
export async function startServer() {
  const binary = process.env.PERSEA_BINARY;
  if (!binary) throw new Error("PERSEA_BINARY must name the server's binary");
  const folder = await mkdtemp(join(tmpdir(), "persea-js-"));
  const port = await freePort();
  const args = ["serve", "--data", folder, "--endpoint", `tcp://127.0.0.1:${port}`];
  args.push("--server.authentication", "false", "--log.level", "warning");
  const server = spawn(binary, args, { stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(server, "exit");
  const deadline = Date.now() + START_MILLISECONDS_MAX;
  while (!(await isUp(port))) {
    if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`);
    if (Date.now() > deadline) throw new Error("the server did not come up");
    await sleep(10);
  }
  const system = new Database({ url: `http://127.0.0.1:${port}` });
  return {
    system,
    async stop() {
      system.close();
      server.kill("SIGTERM");
      const [code] = await ended;
      await rm(folder, { recursive: true });
      if (code !== 0) throw new Error(`SIGTERM should end the server with success, not ${code}`);
    },
  };
}
