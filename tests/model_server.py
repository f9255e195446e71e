# SPDX-License-Identifier: Apache-2.0
"""A model service on the loopback interface that answers as a test tells it to, well or badly."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-test-0123456789abcdef"
DIMENSION = 24


@dataclass(frozen=True)
class Raw:
    """An answer as bytes; with ``drip``, sent one byte at a time until the test is over."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    drip: bool = False
    hang: bool = False
    drop: bool = False


def completion(content: str | None, *, finish: str = "stop", **message: Any) -> Raw:
    """Return a chat completion whose message has this content."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content, **message}, "finish_reason": finish}
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    return Raw(json.dumps({"object": "chat.completion", "choices": [choice], "usage": usage}).encode())


def says(value: Any) -> Raw:
    """Return a chat completion that is this value as JSON."""
    return completion(json.dumps(value))


def error(status: int, message: str = "", code: str = "", **headers: str) -> Raw:
    told = {"error": {"message": message, "code": code}}
    return Raw(json.dumps(told).encode(), status, {name.replace("_", "-"): value for name, value in headers.items()})


def embedding(text: str, dimension: int = DIMENSION) -> list[float]:
    """Return a vector in which texts that share words are near."""
    vector = [0.0] * dimension
    for word in text.casefold().split():
        digest = hashlib.sha256(word.strip(".,?!").encode()).digest()
        for at in range(dimension):
            vector[at] += 1.0 if digest[at % 32] & 1 << (at // 32) else -1.0
    return vector


def embeddings(texts: list[str], dimension: int = DIMENSION) -> Raw:
    data = [
        {"object": "embedding", "index": at, "embedding": embedding(text, dimension)} for at, text in enumerate(texts)
    ]
    return Raw(json.dumps({"object": "list", "data": data, "usage": {"prompt_tokens": 7}}).encode())


Answer = Raw | Callable[[dict[str, Any]], Raw]


@dataclass
class Request:
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def purpose(self) -> str:
        """The name of the prompt, as the schema is called."""
        return str(self.body["response_format"]["json_schema"]["name"])

    @property
    def user(self) -> str:
        return str(self.body["messages"][1]["content"])


class ModelServer:
    """Answers by ``script``, one after the other, the last one from then on; by purpose where that is in ``by``."""

    def __init__(self) -> None:
        self.script: list[Answer] = []
        self.by: dict[str, Answer] = {}
        self.requests: list[Request] = []
        self.over = threading.Event()
        self.reached = threading.Event()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._server.server_address[1]}"

    @property
    def chats(self) -> list[Request]:
        return [each for each in self.requests if each.path.endswith("/chat/completions")]

    def asked(self, purpose: str) -> list[Request]:
        return [each for each in self.chats if each.purpose == purpose]

    def close(self) -> None:
        self.over.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, request: Request) -> Raw:
        with self._lock:
            self.requests.append(request)
            self.reached.set()
            if request.path.endswith("/embeddings"):
                answer: Answer = self.by.get("embeddings") or (lambda body: embeddings(body["input"]))
            else:
                form = request.body.get("response_format", {}).get("json_schema", {})
                by = self.by.get(form.get("name", ""))
                answer = by or (self.script.pop(0) if len(self.script) > 1 else self.script[0])
        return answer if isinstance(answer, Raw) else answer(request.body)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                raw = outer.answer(Request(self.path, dict(self.headers), body))
                self.close_connection = True
                if raw.drop:
                    return
                if raw.hang:
                    outer.over.wait(30)
                    return
                self.send_response(raw.status)
                for name, value in raw.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(raw.body)))
                self.end_headers()
                try:
                    if not raw.drip:
                        self.wfile.write(raw.body)
                        return
                    for byte in raw.body:
                        self.wfile.write(bytes([byte]))
                        if outer.over.wait(0.05):
                            return
                except OSError:  # the client has had enough
                    return

            def log_message(self, *args: Any) -> None:
                pass

        return Handler


@contextmanager
def model_server() -> Iterator[ModelServer]:
    server = ModelServer()
    try:
        yield server
    finally:
        server.close()
