# SPDX-License-Identifier: Apache-2.0
"""Whatever is sent to the service, it answers without breaking: no 500, no traceback, and it goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis_graphql import from_schema

from becausal.graphql.schema import schema
from becausal.web.app import PATHS
from json_schemas import ODD, json_values
from webclient import INITIALIZE, MCP, Served, serving

FUZZED = settings(suppress_health_check=list(HealthCheck), database=None)
PRINTABLE = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=30)
PATH = st.sampled_from([*PATHS, "/assets/", "/assets/index.html", "/assets"]) | PRINTABLE.map(lambda text: f"/{text}")
HEADERS = {
    "accept": st.sampled_from(["*/*", "text/html", MCP["accept"], "text/event-stream;q=0", ";;,,", ""]) | PRINTABLE,
    "content-type": st.sampled_from(["application/json", "application/json; charset=utf-16", "text/plain", "a", ""]),
    "mcp-session-id": PRINTABLE,
    "mcp-protocol-version": st.sampled_from(["2025-11-25", "2026-07-28", "2025-03-26", "1", "DRAFT"]) | PRINTABLE,
    "mcp-method": st.sampled_from(["tools/call", "tools/list", "initialize", ""]),
    "mcp-name": st.sampled_from(["smriti_recall", "", "x"]),
    "last-event-id": PRINTABLE,
    "cookie": PRINTABLE | PRINTABLE.map(lambda text: f"becausal_3000={text}"),
    "range": st.sampled_from(["bytes=0-1", "bytes=5-1", "bytes=-1", "lines=1"]),
    "if-none-match": PRINTABLE,
    "x-forwarded-proto": PRINTABLE,
}
METHODS = (
    *("initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/read", "prompts/list"),
    *("notifications/initialized", "notifications/cancelled", "server/discover", "logging/setLevel", "nonsense"),
)
MESSAGES = st.fixed_dictionaries(
    {"jsonrpc": st.sampled_from(["2.0", "1.0", 2]), "method": st.sampled_from(METHODS) | json_values},
    optional={
        "id": st.integers() | json_values,
        "params": st.fixed_dictionaries(
            {},
            optional={
                "name": st.sampled_from(["smriti_recall", "ask", "peek", "nothing"]) | json_values,
                "arguments": json_values,
                "uri": st.sampled_from(
                    ["memory://cluster/1", "memory://engram/x", "memory://status", "file:///etc/passwd"]
                )
                | json_values,
                "_meta": json_values,
                "cursor": json_values,
                "requestId": json_values,
                **{key: st.just(value) | json_values for key, value in INITIALIZE["params"].items()},
            },
        )
        | json_values,
    },
)


def as_bytes(value: Any) -> bytes:
    return json.dumps(value).encode()


BODY = (
    st.binary(max_size=200)
    | st.sampled_from(ODD).map(str.encode)
    | json_values.map(as_bytes)
    | MESSAGES.map(as_bytes)
    | st.lists(MESSAGES, max_size=3).map(as_bytes)
    | st.sampled_from(["brackets", "objects", "digits", "spaces"])
)
LARGE = {
    "brackets": b"[" * 100_000,
    "objects": b'{"a":' * 50_000,
    "digits": b"9" * 10_000,
    "spaces": b" " * 1_000_000,
}
"""Bodies too large to be shown when a test fails, by name."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    more = {"BECAUSAL_HTTP_RATE": "0", "BECAUSAL_HTTP_SESSIONS": "100000"}
    # Streams of the SDK that a client breaks off are closed by the garbage collector alone.
    more["PYTHONWARNINGS"] = "error,ignore::ResourceWarning"
    with serving(tmp_path_factory.mktemp("served"), **more) as service:
        yield service
        assert service.stop() == 0
        log = service.log.rest()
        assert "Traceback" not in log, log
        assert "ERROR" not in log, log


@pytest.fixture(scope="module")
def http(served: Served) -> Iterator[httpx2.Client]:
    with served.http(served.token("alice")) as client:
        yield client


def answered(http: httpx2.Client, method: str, path: str, headers: dict[str, str], body: bytes | str) -> int:
    """Send a request; return the status, without reading a stream that would never end."""
    content = LARGE[body] if isinstance(body, str) else body
    request = http.build_request(
        method, httpx2.URL(http.base_url).copy_with(raw_path=quote(path, "/%?&=").encode()), content=content
    )
    for name, value in headers.items():
        request.headers[name] = value
    try:
        response = http.send(request, stream=True)
    except httpx2.LocalProtocolError:
        return 0  # the client would not send it
    try:
        return response.status_code
    finally:
        response.close()


def test_no_request_breaks_the_service(http: httpx2.Client) -> None:
    @settings(FUZZED, max_examples=400)
    @given(
        method=st.sampled_from(["GET", "POST", "POST", "POST", "DELETE", "PUT", "OPTIONS", "HEAD", "PATCH", "TRACE"]),
        path=PATH,
        headers=st.fixed_dictionaries({}, optional=HEADERS),
        body=BODY,
    )
    def try_it(method: str, path: str, headers: dict[str, str], body: bytes | str) -> None:
        status = answered(http, method, path, headers, body)
        assert status < 500, (method, path, headers, body)

    try_it()


def test_no_message_of_mcp_breaks_the_service_with_a_session_or_without_one(http: httpx2.Client) -> None:
    id = http.post("/mcp", json=INITIALIZE, headers=MCP).headers["mcp-session-id"]
    begun = {"with": {"mcp-session-id": id}, "none": {}, "new": {"mcp-protocol-version": "2026-07-28"}}

    @settings(FUZZED, max_examples=300)
    @given(how=st.sampled_from(sorted(begun)), body=MESSAGES | json_values, odd=st.none() | BODY)
    def try_it(how: str, body: Any, odd: bytes | str | None) -> None:
        content = as_bytes(body) if odd is None else odd
        status = answered(http, "POST", "/mcp", {**MCP, **begun[how]}, content)
        assert status < 500, (how, content)

    try_it()
    alive = http.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers={**MCP, "mcp-session-id": id})
    assert alive.status_code == 200


def test_no_graphql_request_breaks_the_service(http: httpx2.Client) -> None:
    requests = from_schema(schema().as_str(), allow_x00=True)

    @settings(FUZZED, max_examples=60)
    @given(query=requests | st.sampled_from(ODD), variables=st.none() | json_values, name=st.none() | json_values)
    def try_it(query: str, variables: Any, name: Any) -> None:
        body = {"query": query, "variables": variables, "operationName": name}
        response = http.post("/graphql", content=as_bytes(body), headers={"content-type": "application/json"})
        assert response.status_code < 500, (body, response.text)
        assert "internal error" not in response.text, (body, response.text)
        assert {"data", "errors"} & set(response.json())

    try_it()
