"""Fixtures: the real server process on an empty folder, and python-arango connected to it."""

import os
import signal
import socket
import subprocess
import tempfile
import time

import pytest
from arango import ArangoClient

START_SECONDS_MAX = 20


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_up(process, port):
    deadline = time.monotonic() + START_SECONDS_MAX
    while time.monotonic() < deadline:
        assert process.poll() is None, f"the server ended with {process.returncode}"
        try:
            socket.create_connection(("127.0.0.1", port), timeout=0.2).close()
            return
        except OSError:
            time.sleep(0.01)
    raise AssertionError("the server did not come up")


@pytest.fixture(scope="session")
def server_url():
    binary = os.environ["PERSEA_BINARY"]
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [
                binary, "serve", "--data", folder, "--endpoint", f"tcp://127.0.0.1:{port}",
                "--server.authentication", "false", "--log.level", "warning",
            ]
        )
        try:
            wait_until_up(process, port)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=20) == 0, "SIGTERM ends the server with success"


@pytest.fixture(scope="session")
def client(server_url):
    client = ArangoClient(hosts=server_url)
    yield client
    client.close()


@pytest.fixture(scope="session")
def system(client):
    return client.db("_system", username="root", password="", verify=True)


@pytest.fixture(scope="session")
def db(client, system):
    system.create_database("driver_test")
    yield client.db("driver_test", username="root", password="")
    system.delete_database("driver_test")


@pytest.fixture
def people(db):
    collection = db.create_collection("people")
    yield collection
    # Dropping waits for those who write.
    for transaction in db.list_transactions():
        db.fetch_transaction(transaction["id"]).abort_transaction()
    db.delete_collection("people")
