# SPDX-License-Identifier: Apache-2.0
"""Calling tools in tests: through the SDK's client, in this process or in server processes of their own."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self, cast

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import CallToolResult, TextContent

from becausal.server.app import build_server
from becausal.server.opening import MemorySource
from becausal.server.toolsets import DEFAULT, choose

if TYPE_CHECKING:
    from becausal.engine.memory import Memory

CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


@dataclass(frozen=True, slots=True)
class Ready:
    """A memory source that has its memory already."""

    memory: Memory

    def get(self) -> Memory:
        return self.memory

    def begin(self) -> None:
        pass

    def in_use(self) -> AbstractContextManager[None]:
        return nullcontext()


def ready(memory: object) -> MemorySource:
    """Return a source of a memory, or of what stands in for one."""
    return Ready(cast("Memory", memory))


def client(memories: MemorySource, *toolsets: str, **options: Any) -> Client:
    """Return a client of some toolsets, ``engram`` if none is named, in this process."""
    tools, instructions = choose(toolsets or DEFAULT)
    return Client(build_server(tools, memories, instructions), **options)


@dataclass(frozen=True, slots=True)
class Said:
    """What a tool answered."""

    text: str
    data: Any
    failed: bool

    @property
    def json(self) -> Any:
        return json.loads(self.text)


async def call(client: Client, tool: str, **arguments: Any) -> Said:
    """Call a tool; its answer is one text."""
    return said(await client.call_tool(tool, arguments))


async def done(client: Client, tool: str, **arguments: Any) -> Said:
    """Call a tool that must succeed."""
    answer = await call(client, tool, **arguments)
    assert not answer.failed, answer.text
    return answer


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    """Call a tool that must refuse; return what it says."""
    answer = await call(client, tool, **arguments)
    assert answer.failed
    assert answer.data is None
    return answer.text


def said(result: CallToolResult) -> Said:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return Said(content.text, result.structured_content, result.is_error)


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Return the settings of a server over a memory in ``folder``, with an embedder that is quick to load.

    The server is of the same code as the tests, also where that is found by ``PYTHONPATH``.
    """
    code = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}
    return {
        **code,
        "STORAGE_LOCATION": str(folder),
        "ACCESSING_USER": "alice",
        "BECAUSAL_EMBEDDER": "hashing",
        "PYTHONWARNINGS": "error",
        **more,
    }


def program(folder: Path, **more: str) -> StdioServerParameters:
    """Return how to start the program as a server."""
    return StdioServerParameters(
        command=sys.executable, args=["-m", "becausal"], env=environment(folder, **more), cwd=folder
    )


class Log:
    """The standard error of a process, read as it comes: a pipe that nobody reads would fill up and stop it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._reader.start()

    def _read(self, stream: IO[bytes]) -> None:
        for line in stream:
            self._lines.put(line)

    def line(self) -> str:
        """Wait for the next line."""
        return self._lines.get(timeout=60).decode()

    def rest(self) -> str:
        """Wait until the process has closed it; return what was not taken yet."""
        self._reader.join(60)
        lines = []
        while not self._lines.empty():
            lines.append(self._lines.get())
        return b"".join(lines).decode()


@dataclass(slots=True)
class Spoken:
    """A server process spoken to in bytes, for what the SDK's client would not say."""

    process: subprocess.Popen[bytes]
    log: Log

    def send(self, *messages: Mapping[str, Any] | bytes) -> Self:
        assert self.process.stdin is not None
        for message in messages:
            self.process.stdin.write((message if isinstance(message, bytes) else json.dumps(message).encode()) + b"\n")
        self.process.stdin.flush()
        return self

    def hear(self) -> Any:
        """Return the next message of the server."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the server ended"
        return json.loads(line)

    def greet(self) -> Any:
        """Go through the handshake; return the answer to ``initialize``."""
        self.send({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": CLIENT})
        answer = self.hear()
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def call(self, tool: str, **arguments: Any) -> Said:
        """Call a tool and wait for its answer."""
        self.send(request(1, tool, **arguments))
        return answered(self.hear())

    def end(self, input: bytes = b"") -> tuple[list[Any], str, int]:
        """Close its input; return what else it said, its standard error and its exit code."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        if input:
            self.process.stdin.write(input)
        self.process.stdin.close()
        said = [json.loads(line) for line in self.process.stdout]
        return said, self.log.rest(), self.process.wait(60)


def request(id: int | str, tool: str, **arguments: Any) -> dict[str, Any]:
    """Return the JSON-RPC request that calls a tool."""
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def answered(message: Any) -> Said:
    """Return what a tool said in a JSON-RPC response."""
    return said(CallToolResult.model_validate(message["result"]))


@contextmanager
def speaking(folder: Path, *command: str, **more: str) -> Iterator[Spoken]:
    """Run a server (the program, unless ``command`` says otherwise) to speak to; it is gone afterwards."""
    with subprocess.Popen(
        command or (sys.executable, "-m", "becausal"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={**os.environ, **environment(folder, **more)},
    ) as process:
        assert process.stderr is not None
        log = Log(process.stderr)
        try:
            yield Spoken(process, log)
        finally:
            process.kill()
            log.rest()
