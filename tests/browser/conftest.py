# SPDX-License-Identifier: Apache-2.0
"""A served memory, and a browser to look at it with: the system's Chromium."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from webclient import Served, serving

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

OUTAGE = "The cooling of the data centre broke down on Sunday, so we moved the backup to eight."
STORIES = (
    (OUTAGE, "2026-04-12", "decisions"),
    ("Because we moved the backup to eight, the ledger was overloaded.", "2026-04-15", "on-call"),
    ("Card payments failed because the ledger was overloaded.", "2026-04-16", "on-call"),
    ("Priya ordered new fans for the data centre.", "2026-04-17", "purchases"),
)

HOSTILE = (
    "Look: <script>window.ran = 1</script> <img src=x onerror='window.ran = 2'> <svg onload='window.ran = 3'> "
    "![pixel](https://tracker.invalid/pixel.png) [click](javascript:window.ran=4) {{7*7}} <b>bold</b>"
)
RIGHT_TO_LEFT = "تعطلت خدمة الدفع لأن مفتاح التوقيع انتهت صلاحيته."
LONG = (f"{'0123456789 ' * 9}🚦\n" * 10_000)[:1_000_000]
"""As many characters, and a little more than that in bytes: almost what one memory may hold."""

expect.set_options(timeout=20_000)  # a busy machine is no failure


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave these tests out, aloud, where there is no browser, unless there must be one."""
    if chromium() is None and not os.environ.get("BROWSER_TESTS_REQUIRED"):
        missing = pytest.mark.skip(reason="NO BROWSER: install Debian's chromium to test the page")
        for item in items:
            if "tests/browser/" in item.path.as_posix():
                item.add_marker(missing)


def chromium() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome")
    return next((path for name in names if (path := shutil.which(name))), None)


class Watched:
    """What went on in a page that should not."""

    def __init__(self, page: Page, address: str) -> None:
        self.trouble: list[str] = []
        page.on("pageerror", lambda error: self.trouble.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self.trouble.append(f"dialog: {dialog.message}"))
        page.on("console", lambda told: self._console(told.type, told.text))
        page.on("request", lambda request: self._request(request.url, address))

    def _console(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and "401 (Unauthorized)" not in text:
            self.trouble.append(f"{kind}: {text}")

    def _request(self, url: str, address: str) -> None:
        if not url.startswith((f"{address}/", "data:")):
            self.trouble.append(f"request: {url}")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=chromium(), args=list(ARGUMENTS))
        yield found
        found.close()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served"), BECAUSAL_HTTP_RATE="100000") as running:
        yield running


def graphql(service: Served, token: str, query: str, **variables: Any) -> Any:
    """Run a request that must succeed; return its data."""
    with service.http(token) as http:
        told = http.post("/graphql", json={"query": query, "variables": variables}).json()
    assert "errors" not in told, told
    return told["data"]


STORE = """mutation ($content: String!, $at: String, $source: String) {
    store(content: $content, occurredAt: $at, source: $source) { id } }"""


@pytest.fixture(scope="module")
def told(service: Served) -> str:
    """The token of a user whose memory holds the stories."""
    token = service.token("storyteller")
    for content, at, source in STORIES:
        graphql(service, token, STORE, content=content, at=at, source=source)
    return token


Opener = Callable[..., Page]


@pytest.fixture
def opened(browser: Browser, service: Served) -> Iterator[Opener]:
    """Opens the page logged in with a token; nothing that should not may go on in it."""
    contexts: list[BrowserContext] = []
    watched: list[Watched] = []

    def open_page(token: str | None, place: str = "", **more: Any) -> Page:
        context = browser.new_context(**{"locale": "en-GB", "viewport": {"width": 1200, "height": 800}, **more})
        context.set_default_timeout(30_000)
        contexts.append(context)
        page = context.new_page()
        watched.append(Watched(page, service.address))
        page.goto(service.address)
        if token is not None:
            log_in(page, token)
            page.goto(f"{service.address}/{place}")
            # What is done to a view before the one asked for has taken its place is lost with it.
            page.wait_for_function("() => document.getElementById('main')?.dataset.at === location.hash")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [trouble for each in watched for trouble in each.trouble] == []


def log_in(page: Page, token: str) -> None:
    page.get_by_label("Access token").fill(token)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("navigation", name="Views").wait_for()
