# SPDX-License-Identifier: Apache-2.0
"""A served memory in tests: a process of its own, with tokens for several users."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from becausal.web.tokens import Tokens
from toolclient import Log, environment

JSON = {"content-type": "application/json"}
MCP = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


@dataclass(slots=True)
class Served:
    """A running service, and who may use it."""

    address: str
    folder: Path
    process: subprocess.Popen[bytes]
    log: Log
    said: list[str]

    def token(self, user: str) -> str:
        """Make a token for a user, as the command line does."""
        return Tokens(self.folder).create(user)[0]

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def http(self, token: str | None = None, **options: Any) -> httpx2.Client:
        """Return a client that sends a token, if any is given."""
        headers = {**(bearer(token) if token else {}), **options.pop("headers", {})}
        return httpx2.Client(base_url=self.address, headers=headers, timeout=30, **options)

    def agent(self, token: str, path: str = "/mcp", **options: Any) -> Client:
        """Return the SDK's client with a token."""
        return Client(self.transport(token, path), **options)

    @asynccontextmanager
    async def transport(self, token: str, path: str = "/mcp") -> AsyncIterator[Any]:
        async with (
            httpx2.AsyncClient(headers=bearer(token), timeout=60) as http,
            streamable_http_client(self.address + path, http_client=http) as streams,
        ):
            yield streams

    def stop(self) -> int:
        """Ask it to stop; return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


@contextmanager
def serving(folder: Path, *options: str, **more: str) -> Iterator[Served]:
    """Run ``becausal serve`` on a free port; it is gone afterwards."""
    with subprocess.Popen(
        (sys.executable, "-m", "becausal", "serve", "--port", more.pop("POLYG_PORT", "0"), *options),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={**os.environ, **environment(folder, **{"BECAUSAL_TOOLS": "all", "PYTHONUNBUFFERED": "1", **more})},
    ) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        log = Log(process.stderr)
        try:
            first = process.stdout.readline().decode()
            found = re.search(r"http://\S+", first)
            assert found, first + (log.rest() if process.poll() is not None else "")
            yield Served(found[0], folder, process, log, [first])
        finally:
            process.kill()
            log.rest()
