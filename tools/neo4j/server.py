# SPDX-License-Identifier: Apache-2.0
"""A Neo4j Community server for tests, from Maven Central: on loopback, with a heap of 512 MB, in a folder of its own.

From a shell::

    python tools/neo4j/server.py fetch JARS
    python tools/neo4j/server.py start JARS HOME     # prints what the tests read from the environment
    python tools/neo4j/server.py measure JARS HOME   # the same with all of Java's optimising, as a server in service
    python tools/neo4j/server.py stop HOME

``fetch`` takes Maven, ``start`` a JDK of version 17 or newer.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

USER = "neo4j"
SECONDS_TO_START = 120.0

_OPENED = ("java.base/java.nio", "java.base/java.io", "java.base/sun.nio.ch", "java.base/java.lang")
_SETTINGS = """\
server.bolt.enabled=true
dbms.security.auth_enabled=true
server.bolt.listen_address=127.0.0.1:{port}
server.bolt.advertised_address=127.0.0.1:{port}
server.http.enabled=false
server.https.enabled=false
server.memory.pagecache.size=128m
db.tx_log.rotation.retention_policy=keep_none
dbms.usage_report.enabled=false
dbms.cypher.min_replan_interval=1h
server.memory.query_cache.per_db_cache_num_entries=4000
"""


def fetch(jars: Path) -> None:
    """Download the server and everything it needs into a folder."""
    project = Path(__file__).with_name("pom.xml")
    command = ["mvn", "-q", "-B", "-f", str(project), "dependency:copy-dependencies", "-DincludeScope=runtime"]
    subprocess.run([*command, f"-DoutputDirectory={jars}"], check=True)


class Server:
    """A server in the folder ``home``, which may be started, killed and started again on the same port."""

    def __init__(self, jars: Path, home: Path, *, optimised: bool = False) -> None:
        self._jars = jars
        self._home = home
        self._optimised = optimised
        self._process: subprocess.Popen[bytes] | None = None
        self.password = ""
        self.port = 0

    @property
    def uri(self) -> str:
        return f"bolt://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Start it and wait until it can be written to.

        Raises:
            RuntimeError: it does not start; the error holds the end of its log.
        """
        first = not self.port
        if first:
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                self.port = free.getsockname()[1]
            (self._home / "conf").mkdir(parents=True, exist_ok=True)
            (self._home / "conf" / "neo4j.conf").write_text(_SETTINGS.format(port=self.port))
        opened = [f"--add-opens={package}=ALL-UNNAMED" for package in _OPENED]
        command = [
            "java",
            "-Xms256m",
            *(("-Xmx1g",) if self._optimised else ("-Xmx512m", "-XX:TieredStopAtLevel=1")),  # which starts sooner
            "-XX:+UseSerialGC",
            "--add-modules=jdk.incubator.vector",
            *opened,
        ]
        launcher = Path(__file__).with_name("Launcher.java")
        command += ["--add-modules=jdk.incubator.vector", "-cp", f"{self._jars}/*", str(launcher), str(self._home)]
        with (self._home / "server.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        self._wait()
        if first:
            self._set_password()

    def _wait(self) -> None:
        assert self._process is not None
        deadline = time.monotonic() + SECONDS_TO_START
        while time.monotonic() < deadline and self._process.poll() is None:
            # The port is open before the server answers, so it is asked for the version of its protocol.
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 2) as connection:
                connection.sendall(bytes.fromhex("6060B017 00000405 00000000 00000000 00000000"))
                if connection.recv(4):
                    return
            time.sleep(0.2)
        log = (self._home / "server.log").read_text(errors="replace")[-2000:]
        self.kill()
        raise RuntimeError(f"the Neo4j server does not start:\n{log}")

    def _set_password(self) -> None:
        from neo4j import GraphDatabase
        from neo4j.exceptions import Neo4jError, ServiceUnavailable

        self.password = secrets.token_hex(8)
        change = "ALTER CURRENT USER SET PASSWORD FROM $old TO $new"
        deadline = time.monotonic() + SECONDS_TO_START
        while True:
            try:
                with GraphDatabase.driver(self.uri, auth=(USER, USER)) as driver:
                    driver.execute_query(change, old=USER, new=self.password, database_="system")
                with GraphDatabase.driver(self.uri, auth=(USER, self.password)) as driver:
                    driver.execute_query("RETURN 1", database_="neo4j")
                return
            except (Neo4jError, ServiceUnavailable):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    def kill(self) -> None:
        """End it without a warning."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()


def main(arguments: list[str]) -> int:
    match arguments:
        case ["fetch", jars]:
            fetch(Path(jars))
        case ["start" | "measure" as how, jars, home]:
            server = Server(Path(jars), Path(home), optimised=how == "measure")
            server.start()
            Path(home, "pid").write_text(str(server.pid))
            print(f"export TEST_NEO4J_URI={server.uri} TEST_NEO4J_PASSWORD={server.password} TEST_NEO4J_JARS={jars}")
        case ["stop", home]:
            os.kill(int(Path(home, "pid").read_text()), signal.SIGKILL)
            shutil.rmtree(home, ignore_errors=True)
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
