# SPDX-License-Identifier: Apache-2.0
"""The door of the service: every route but ``/health`` is behind it, whatever is added to them."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx2
import pytest
from starlette.routing import Mount

from becausal.composition import opener
from becausal.settings import Settings
from becausal.web.app import PATHS, build_service
from becausal.web.tokens import Tokens, digest_of
from webclient import INITIALIZE, JSON, MCP, Served, bearer, serving

QUERY = {"query": "{ status { user } engrams(first: 10) { nodes { content } } }"}
SECRET = "the vault opens with a tune that only alice hums"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served"), BECAUSAL_HTTP_FAILURES="0") as service:
        yield service


@pytest.fixture(scope="module")
def alice(served: Served) -> str:
    token = served.token("alice")
    with served.http(token) as http:
        stored = http.post("/graphql", json={"query": f'mutation {{ store(content: "{SECRET}") {{ id }} }}'})
        assert "errors" not in stored.json(), stored.text
    return token


@pytest.fixture(scope="module")
def bob(served: Served) -> str:
    return served.token("bob")


def routes() -> list[str]:
    """Return a path of every route that the application has, but ``/health``."""
    settings = Settings.load(storage_location=Path.cwd() / "nowhere", embedder="hashing")
    service = build_service(settings, opener(settings))
    paths = [f"{route.path}/app.js" if isinstance(route, Mount) else route.path for route in service.routes]
    assert sorted(path for path in paths if not path.startswith("/assets")) == sorted(PATHS)
    return [*dict.fromkeys(path for path in paths if path != "/health"), "/assets/index.html", "/nothing/here"]


ROUTES = [
    *("/", "/mcp", "/sse", "/messages", "/graphql", "/login", "/logout", "/session", "/metrics"),
    *("/assets/app.js", "/assets/index.html", "/nothing/here"),
]
EVERYWHERE = pytest.mark.parametrize("path", ROUTES)


def test_what_follows_is_tried_on_every_route_of_the_application() -> None:
    assert set(routes()) == set(ROUTES)


def everything(
    http: httpx2.Client, path: str, headers: dict[str, str], methods: Sequence[str] = METHODS
) -> Iterator[httpx2.Response]:
    """Send every method, as a browser and as an MCP client would."""
    for method in methods:
        for accept in ("text/html", "application/json, text/event-stream"):
            body = None if method in ("GET", "HEAD", "OPTIONS") else INITIALIZE
            with http.stream(method, path, json=body, headers={"accept": accept, **headers}) as response:
                response.read()
                yield response


@EVERYWHERE
def test_without_a_token_nothing_is_answered(served: Served, path: str) -> None:
    with served.http() as http:
        for response in everything(http, path, {}):
            assert response.status_code == 401
            assert response.headers["www-authenticate"] == "Bearer"


@EVERYWHERE
@pytest.mark.parametrize(
    "authorization",
    ["Bearer wrong", "Bearer becausal_" + "A" * 43, "Bearer", "Basic YWxpY2U6eA==", "", "Bearer ../first-token.txt"],
)
def test_with_a_wrong_token_nothing_is_answered(served: Served, path: str, authorization: str) -> None:
    with served.http() as http:
        for response in everything(http, path, {"authorization": authorization}, ("GET", "POST")):
            assert response.status_code == 401


@EVERYWHERE
def test_a_wrong_token_is_not_made_good_by_a_login(served: Served, path: str, alice: str) -> None:
    with served.http() as http:
        assert http.post("/login", json={"token": alice}).status_code == 200
        csrf = http.get("/session").json()["csrf"]
        for response in everything(http, path, {"x-csrf-token": csrf, **bearer("wrong")}):
            assert response.status_code == 401


@EVERYWHERE
@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:3000", "localhost.evil.example", "127.0.0.1.nip.io", "", "[::1", "0.0.0.0"]
)
def test_a_forged_host_is_refused_even_with_a_token(served: Served, path: str, alice: str, host: str) -> None:
    with served.http(alice) as http:
        for response in everything(http, path, {"host": host}, ("GET", "POST")):
            assert response.status_code in (400, 421)


@EVERYWHERE
@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:1", "file://", ""])
def test_a_foreign_origin_is_refused_even_with_a_token(served: Served, path: str, alice: str, origin: str) -> None:
    with served.http(alice) as http:
        for response in everything(http, path, {"origin": origin}, ("GET", "POST", "OPTIONS")):
            assert response.status_code == 403
            assert "access-control-allow-origin" not in response.headers


@EVERYWHERE
def test_a_login_without_the_csrf_token_changes_nothing(served: Served, path: str, alice: str) -> None:
    with served.http() as http:
        http.post("/login", json={"token": alice})
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            for headers in ({}, {"x-csrf-token": "wrong"}, {"x-csrf-token": ""}):
                response = http.request(method, path, json=INITIALIZE, headers={**MCP, **headers})
                assert response.status_code == (401 if (method, path) == ("POST", "/login") else 403), response.text
        assert http.get("/session").status_code == 200


@EVERYWHERE
def test_another_users_token_shows_nothing_of_the_first_users_memory(
    served: Served, path: str, alice: str, bob: str
) -> None:
    with served.http(bob) as http:
        for method in ("GET", "POST", "DELETE"):
            if (method, path) == ("GET", "/sse"):
                continue  # it never ends; what a session of this kind sees is tested with its client
            body = {"json": QUERY} if method == "POST" else {}
            text = http.request(method, path, headers={"accept": "application/json, text/html"}, **body).text
            assert "vault" not in text
            assert "alice" not in text


def test_each_token_opens_its_own_users_memory(served: Served, alice: str, bob: str) -> None:
    with served.http(alice) as http:
        mine = http.post("/graphql", json=QUERY).json()["data"]
    with served.http(bob) as http:
        theirs = http.post("/graphql", json=QUERY).json()["data"]
    assert (mine["status"]["user"], theirs["status"]["user"]) == ("alice", "bob")
    assert mine["engrams"]["nodes"] == [{"content": SECRET}]
    assert theirs["engrams"]["nodes"] == []


# --- health ---------------------------------------------------------------------------------------


def test_health_tells_a_stranger_one_word(served: Served) -> None:
    with served.http() as http:
        for headers in ({}, {"host": "evil.example"}, {"origin": "https://evil.example"}, bearer("wrong")):
            response = http.get("/health", headers=headers)
            assert response.status_code == 200
            assert response.json() == {"status": "degraded"}  # word hashing is in use
        assert http.post("/health").status_code == 405


def test_health_tells_more_to_whoever_has_a_token(served: Served, alice: str) -> None:
    with served.http(alice) as http:
        told = http.get("/health").json()
    assert (told["status"], told["store"]) == ("degraded", "connected")
    assert told["sessions"] == {"active": 0, "max": 100}
    assert "hashing" in told["problem"]


def test_health_is_503_only_when_the_store_is_out_of_reach(tmp_path: Path) -> None:
    (tmp_path / "alice").write_text("a file where the memory's folder should be", encoding="utf-8")
    with serving(tmp_path) as service, service.http() as http:
        response = http.get("/health")
        assert (response.status_code, response.json()) == (503, {"status": "error"})
        (tmp_path / "alice").unlink()
        with service.http(service.token("bob")) as other:
            assert other.post("/graphql", json=QUERY).status_code == 200


# --- logging in -----------------------------------------------------------------------------------


def test_a_browser_gets_the_login_page_logs_in_with_the_form_and_sees_the_page(served: Served, alice: str) -> None:
    with served.http(headers={"accept": "text/html"}) as browser:
        first = browser.get("/")
        assert first.status_code == 401
        assert '<form method="post" action="/login">' in first.text
        wrong = browser.post("/login", data={"token": "becausal_wrong"})
        assert wrong.status_code == 401
        assert "This is no token of this service" in wrong.text
        right = browser.post("/login", data={"token": f" {alice} "})
        assert (right.status_code, right.headers["location"]) == (303, "/")
        (cookie,) = right.headers.get_list("set-cookie")
        assert {"httponly", "samesite=strict", "path=/"} <= {part.strip().lower() for part in cookie.split(";")}
        assert alice not in cookie
        page = browser.get("/")
        assert page.status_code == 200
        assert page.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")


def test_a_login_may_read_and_with_its_csrf_token_change_things_until_it_logs_out(served: Served) -> None:
    token = served.token("carol")
    with served.http() as browser:
        csrf = browser.post("/login", json={"token": token}).json()["csrf"]
        assert browser.get("/session").json() == {"user": "carol", "csrf": csrf, "version": "0.1.0"}
        headers = {"x-csrf-token": csrf, "origin": served.address}
        assert browser.post("/graphql", json=QUERY, headers=headers).json()["data"]["status"]["user"] == "carol"
        kept = dict(browser.cookies)
        assert browser.post("/logout", headers=headers).status_code == 204
        assert dict(browser.cookies) == {}
        assert browser.get("/session", headers={"cookie": "; ".join(map("=".join, kept.items()))}).status_code == 401


@EVERYWHERE
def test_another_page_on_the_same_machine_cannot_use_a_login_but_a_link_to_the_page_works(
    served: Served, path: str, alice: str
) -> None:
    with served.http() as browser:
        browser.post("/login", json={"token": alice})
        for site in ("same-site", "cross-site"):
            elsewhere = {"sec-fetch-site": site, "sec-fetch-mode": "no-cors"}
            for response in everything(browser, path, elsewhere, ("GET",)):
                assert response.status_code == 403
        link = browser.get("/", headers={"sec-fetch-site": "same-site", "sec-fetch-mode": "navigate"})
        assert link.status_code == 200
        assert browser.get("/session", headers={"sec-fetch-site": "same-origin"}).status_code == 200


def test_a_revoked_token_is_refused_at_once_and_so_is_a_login_with_it(served: Served) -> None:
    token = served.token("carol")
    with served.http(token) as http, served.http() as browser:
        browser.post("/login", json={"token": token})
        assert (http.get("/session").status_code, browser.get("/session").status_code) == (200, 200)
        Tokens(served.folder).revoke(digest_of(token)[:12])
        assert (http.get("/session").status_code, browser.get("/session").status_code) == (401, 401)


def test_a_login_from_another_page_is_refused(served: Served, alice: str) -> None:
    with served.http() as browser:
        response = browser.post("/login", data={"token": alice}, headers={"origin": "https://evil.example"})
    assert response.status_code == 403
    assert "set-cookie" not in response.headers


# --- bounds ---------------------------------------------------------------------------------------


def test_a_body_past_the_limit_is_refused_whether_its_length_is_told_or_not(tmp_path: Path) -> None:
    with serving(tmp_path, BECAUSAL_HTTP_BODY="65536") as service, service.http(service.token("alice")) as http:
        large = b"[" + b" " * 65_536
        for path in ("/graphql", "/mcp", "/login", "/"):
            assert http.post(path, content=large, headers=MCP).status_code == 413
            assert http.post(path, content=iter([large[:60_000], large[:60_000]]), headers=MCP).status_code == 413
        assert http.post("/graphql", json=QUERY).status_code == 200


def test_a_token_that_asks_too_often_is_told_when_to_come_back_and_another_is_served(tmp_path: Path) -> None:
    with serving(tmp_path, BECAUSAL_HTTP_RATE="10") as service:
        with service.http(service.token("alice")) as http:
            answers = [http.get("/session") for _ in range(2)]
            assert [answer.status_code for answer in answers] == [200, 429]
            assert answers[-1].json()["code"] == "RATE_LIMIT"
            assert 1 <= int(answers[-1].headers["retry-after"]) <= 6
            told = http.post("/mcp", json=INITIALIZE, headers=MCP).json()
            assert (told["error"]["code"], told["error"]["data"]) == (-32000, {"code": "RATE_LIMIT"})
        with service.http(service.token("alice")) as http:
            assert http.get("/session").status_code == 200


def test_whoever_tries_wrong_tokens_has_to_wait_and_shuts_nobody_out_who_is_let_in(tmp_path: Path) -> None:
    with serving(tmp_path, BECAUSAL_HTTP_FAILURES="1") as service, service.http(service.token("alice")) as alice:
        assert alice.get("/session").status_code == 200
        login = {"token": service.token("bob")}
        with service.http() as stranger:
            tries = [stranger.get("/session", headers=bearer(f"becausal_{number}")) for number in range(2)]
            assert [answer.status_code for answer in tries] == [401, 429]
            assert tries[-1].json()["code"] == "TOO_MANY_WRONG"
            assert 1 <= int(tries[-1].headers["retry-after"]) <= 60
            told = stranger.post("/mcp", json=INITIALIZE, headers={**MCP, **bearer("x")}).json()
            assert (told["error"]["code"], told["error"]["data"]) == (-32000, {"code": "TOO_MANY_WRONG"})
            for sent in ({"json": login}, {"data": login}, {"json": {"token": "wrong"}}):
                answer = stranger.post("/login", **sent)
                assert answer.status_code == 429
                assert "set-cookie" not in answer.headers
                assert "too many wrong tokens came from this address" in answer.text
            assert list(stranger.get("/health", headers=bearer("x")).json()) == ["status"]
            assert stranger.get("/", headers={"accept": "text/html"}).status_code == 401
        assert alice.get("/session").status_code == 200


def test_a_connection_that_is_one_too_many_is_closed_and_others_are_served(tmp_path: Path) -> None:
    with serving(tmp_path, BECAUSAL_HTTP_CONNECTIONS="10") as service, ExitStack() as opened:
        quiet = [opened.enter_context(socket.create_connection(("127.0.0.1", service.port))) for _ in range(10)]
        extra = opened.enter_context(socket.create_connection(("127.0.0.1", service.port), timeout=20))
        with suppress(ConnectionResetError):
            assert extra.recv(1) == b""
        quiet[0].sendall(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n")
        quiet[0].settimeout(20)
        assert quiet[0].recv(15) == b"HTTP/1.1 200 OK"


def test_hosts_and_origins_that_settings_name_are_served_but_never_with_a_login(tmp_path: Path) -> None:
    origin = "https://tools.example.org"
    allowed = {"BECAUSAL_HTTP_HOSTS": "memory.example.org", "BECAUSAL_HTTP_ORIGINS": origin}
    with serving(tmp_path, **allowed) as service, service.http() as http:
        ours = bearer(service.token("alice"))
        assert http.get("/session", headers={"host": "memory.example.org:8443", **ours}).status_code == 200
        asked = {"origin": origin, "access-control-request-method": "POST"}
        before = http.options("/mcp", headers={**asked, "access-control-request-headers": "authorization"})
        assert (before.status_code, before.headers["access-control-allow-origin"]) == (204, origin)
        assert "authorization" in before.headers["access-control-allow-headers"]
        assert "access-control-allow-credentials" not in before.headers
        begun = http.post("/mcp", json=INITIALIZE, headers={**MCP, **ours, "origin": origin})
        assert (begun.status_code, begun.headers["access-control-allow-origin"]) == (200, origin)
        assert "mcp-session-id" in begun.headers["access-control-expose-headers"]
        assert http.options("/mcp", headers={**asked, "origin": "https://evil.example"}).status_code == 403


# --- what else is answered ------------------------------------------------------------------------


def test_what_is_not_there_is_told_in_one_form(served: Served, alice: str) -> None:
    with served.http(alice) as http:
        missing = http.get("/nothing/here")
        assert (missing.status_code, missing.json()) == (404, {"error": "Not found", "code": "NOT_FOUND"})
        assert http.get("/graphql").status_code == 405
        assert http.get("/assets/../app.py").status_code == 404
        assert http.get("/assets/%2e%2e/app.py").status_code == 404
        assert http.get("/assets/%2e%2e%2fapp.py").status_code == 404


def test_graphql_takes_only_json_and_tells_what_is_wrong_with_it(served: Served, alice: str) -> None:
    with served.http(alice) as http:
        assert http.post("/graphql", data={"query": "{ status { user } }"}).status_code == 415
        for body, field in (
            (b"{", "body"),
            (b"[]", "body"),
            (b"{}", "query"),
            (b'{"query": 1}', "query"),
            (b'{"query": "{ status { user } }", "variables": []}', "variables"),
            (b'{"query": "{ status { user } }", "operationName": 1}', "operationName"),
            (b"\xff", "body"),
            (b'{"query": "{ status { user } }", "operationName": ""}', "operationName"),
            (b'{"query": "query A { status { user } }", "operationName": "B"}', "operationName"),
            (b'{"query": "fragment A on Query { status { user } }"}', "operation"),
        ):
            answer = http.post("/graphql", content=body, headers=JSON)
            assert answer.status_code == 400
            assert answer.json()["errors"][0]["message"].startswith(f"{field}: ")
        wrong = http.post("/graphql", json={"query": "{ nothing }"})
        assert (wrong.status_code, wrong.json()["data"]) == (200, None)


def test_metrics_count_requests_and_calls_and_name_nobody(served: Served, alice: str) -> None:
    with served.http(alice) as http:
        http.get("/made-up-by-a-stranger")
        text = http.get("/metrics").text
    assert 'becausal_http_requests_total{method="GET",route="other",status="404"}' in text
    assert "becausal_mcp_sessions 0.0" in text
    assert "becausal_open_memories " in text
    assert "process_resident_memory_bytes" in text
    assert "alice" not in text
    assert "made-up" not in text
    assert alice not in text


def test_the_log_holds_neither_tokens_nor_what_memories_say(tmp_path: Path) -> None:
    with serving(tmp_path, POLYG_LOG_LEVEL="debug") as service:
        token = service.token("alice")
        with service.http(token) as http:
            http.post("/graphql", json={"query": f'mutation {{ store(content: "{SECRET}") {{ id }} }}'})
            for path in ("/mcp", "/", "/messages?session_id=" + "0" * 32):
                http.post(path, json={"jsonrpc": "2.0", "method": SECRET, "params": SECRET}, headers=MCP)
                http.post(path, content=SECRET.encode(), headers=MCP)
        assert service.stop() == 0
        log = service.log.rest()
    assert "vault" not in log
    assert token not in log
