# SPDX-License-Identifier: Apache-2.0
"""Whatever fits the service's descriptions of itself, or almost fits, is answered as they say: OpenAPI and GraphQL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi import checks
from starlette.routing import Mount

from becausal import __version__
from becausal.composition import opener
from becausal.settings import Settings
from becausal.web.app import build_service
from webclient import Served, bearer, serving

DOCS = Path(__file__).parents[2] / "docs"
OPENAPI = schemathesis.openapi.from_path(str(DOCS / "openapi.yaml"))
GRAPHQL = schemathesis.graphql.from_path(str(DOCS / "schema.graphql"))
OPERATIONS = {f"{each.method.upper()} {each.path}": each for each in (got.ok() for got in OPENAPI.get_all_operations())}
FIELDS = {each.label: each for each in (got.ok() for got in GRAPHQL.get_all_operations())}
TRIED = settings(derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
MODES = [
    *((name, GenerationMode.POSITIVE) for name in OPERATIONS),
    *(
        (name, GenerationMode.NEGATIVE)
        for name, each in OPERATIONS.items()
        if list(each.iter_parameters()) or each.body
    ),
]
"""What may be sent to each operation: what fits, and where anything can be wrong, what does not."""

CHECKS = [
    schemathesis.checks.not_a_server_error,
    *(checks.status_code_conformance, checks.content_type_conformance),
    *(checks.response_headers_conformance, checks.response_schema_conformance),
]
SECONDS = 30


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    more = {"BECAUSAL_HTTP_RATE": "0", "BECAUSAL_HTTP_SESSIONS": "100000", "BECAUSAL_HTTP_FAILURES": "0"}
    with serving(tmp_path_factory.mktemp("served"), **more) as service:
        yield service
        assert service.stop() == 0
        log = service.log.rest()
        assert "Traceback" not in log, log
        assert "ERROR" not in log, log


@pytest.fixture(scope="module")
def http(served: Served) -> Iterator[requests.Session]:
    with requests.Session() as session:
        session.headers.update(bearer(served.token("alice")))
        yield session


def test_the_document_lists_the_routes_of_the_application_and_no_other() -> None:
    settings = Settings.load(storage_location=Path.cwd() / "nowhere", embedder="hashing")
    routes = {
        f"{route.path}/{{file}}" if isinstance(route, Mount) else route.path: getattr(route, "methods", None)
        for route in build_service(settings, opener(settings)).routes
    }
    listed: dict[str, set[str]] = {}
    for operation in OPERATIONS.values():
        listed.setdefault(operation.path, set()).add(operation.method.upper())
    assert set(listed) == set(routes)
    for path, methods in routes.items():
        if methods is not None:
            assert listed[path] == methods - {"HEAD"}, path
    assert listed["/mcp"] == listed["/"] == {"GET", "POST", "DELETE"}
    assert OPENAPI.raw_schema["info"]["version"] == __version__


@pytest.mark.parametrize(("operation", "mode"), MODES)
def test_what_fits_the_openapi_document_or_almost_does_is_answered_as_it_says(
    served: Served, http: requests.Session, operation: str, mode: GenerationMode
) -> None:
    @settings(TRIED, max_examples=12)
    @given(case=OPERATIONS[operation].as_strategy(generation_mode=mode))
    def try_it(case: schemathesis.Case) -> None:
        with sent(http, case, served.address) as response:
            if case.method == "GET" and "event-stream" in response.headers.get("content-type", ""):
                assert response.status_code == 200  # it never ends
            else:
                case.validate_response(response, checks=CHECKS)

    try_it()


@pytest.mark.parametrize("field", FIELDS)
def test_what_fits_the_graphql_schema_is_answered_without_breaking(
    served: Served, http: requests.Session, field: str
) -> None:
    @settings(TRIED, max_examples=8)
    @given(case=FIELDS[field].as_strategy())
    def try_it(case: schemathesis.Case) -> None:
        with sent(http, case, f"{served.address}/graphql") as response:
            assert response.status_code in (200, 400), (case.body, response.text)
            assert {"data", "errors"} & set(response.json())
            assert "internal error" not in response.text, (case.body, response.text)

    try_it()


def sent(http: requests.Session, case: schemathesis.Case, address: str) -> requests.Response:
    """Send what was made up; of a stream nothing is read yet."""
    made: dict[str, Any] = case.as_transport_kwargs(base_url=address)
    return http.request(**made, stream=True, allow_redirects=False, timeout=SECONDS)
