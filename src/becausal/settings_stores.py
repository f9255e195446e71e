# SPDX-License-Identifier: Apache-2.0
"""The settings of database servers: their rows of the table, and their fields."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import BaseModel, BeforeValidator, Field, SecretStr
from pydantic_core import PydanticCustomError

from .errors import SettingsError
from .settings_rows import Row, works

DATABASES = ("sqlite", "ladybug", "falkordb", "neo4j")

_SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")
_ADDRESS = (
    "an address such as bolt://localhost:7687 or neo4j+s://graph.example.org, without a user name (schemes: "
    f"{', '.join(_SCHEMES)})"
)
_MILLISECONDS = "a whole number from 100 to 3600000"
_NAME = "1 to 200 printable characters"
_FALKORDB_PORT = 6379

STORE_ROWS: tuple[Row, ...] = (
    works(
        "NEO4J_URI",
        "neo4j_uri",
        "smriti",
        "Address of the Neo4j server, needed with DB_TYPE=neo4j. `neo4j://` finds the members of a cluster and sends "
        "reads and writes to those that take them; `+s` is encrypted.",
        allowed=_ADDRESS,
    ),
    works(
        "NEO4J_USERNAME",
        "neo4j_username",
        "smriti",
        "User name on the server.",
        default="neo4j where there is a password; without both, none is given",
        allowed=_NAME,
    ),
    works("NEO4J_PASSWORD", "neo4j_password", "smriti", "Password on the server. It is never shown.", allowed="text"),
    works(
        "NEO4J_DATABASE",
        "neo4j_database",
        "smriti",
        "Name of the database, with NEO4J_ISOLATION=tenant.",
        default="neo4j",
        allowed="3 to 63 letters, digits, dots and dashes, beginning with a letter",
    ),
    works(
        "NEO4J_ISOLATION",
        "neo4j_isolation",
        "smriti",
        "Whether users share one database, where each question is bound to its user (`tenant`), or have one each "
        "(`database`), which takes Neo4j Enterprise.",
        default="tenant",
        choices=("tenant", "database"),
    ),
    works(
        "NEO4J_QUERY_TIMEOUT",
        "neo4j_query_timeout",
        "becausal",
        "Milliseconds that a transaction on the server may take.",
        default="30000",
        allowed=_MILLISECONDS,
    ),
    works(
        "FALKOR_ADDR",
        "falkor_addr",
        "smriti",
        "Host and port of the FalkorDB server. It is taken before FALKORDB_HOST and FALKORDB_PORT.",
        default="localhost:6379",
        allowed="a host, a colon and a port; an IPv6 address in square brackets",
    ),
    works(
        "FALKOR_PASSWORD",
        "falkor_password",
        "smriti",
        "Password on the server, taken before FALKORDB_PASSWORD. It is never shown.",
        default="none",
        allowed="text",
    ),
    works(
        "FALKOR_GRAPH",
        "falkor_graph",
        "smriti",
        "Name of the graph with FALKOR_ISOLATION=tenant, taken before FALKORDB_GRAPH.",
        default="becausal",
        allowed=_NAME,
    ),
    works(
        "FALKOR_ISOLATION",
        "falkor_isolation",
        "smriti",
        "Whether users share one graph, where each question is bound to its user (`tenant`), or have one each "
        "(`graph`).",
        default="tenant",
        choices=("tenant", "graph"),
    ),
    works("FALKORDB_HOST", "falkordb_host", "polyg", "Host of the server.", default="localhost", allowed="a host"),
    works(
        "FALKORDB_PORT",
        "falkordb_port",
        "polyg",
        "Port of the server.",
        default=str(_FALKORDB_PORT),
        allowed="a whole number from 1 to 65535",
    ),
    works(
        "FALKORDB_PASSWORD",
        "falkordb_password",
        "polyg",
        "Password on the server. It is never shown.",
        default="none",
        allowed="text",
    ),
    works(
        "FALKORDB_GRAPH",
        "falkordb_graph",
        "polyg",
        "Name of the graph with FALKOR_ISOLATION=tenant.",
        default="becausal",
        allowed=_NAME,
    ),
    works(
        "FALKORDB_QUERY_TIMEOUT",
        "falkordb_query_timeout",
        "polyg",
        "Milliseconds that a query on the server may take.",
        default="30000",
        allowed=_MILLISECONDS,
    ),
)


def _wrong(_: object = None) -> PydanticCustomError:
    return PydanticCustomError("wrong", "not allowed")


def _choice(value: object) -> str:
    return str(value).lower()


def _uri(value: object) -> str:
    """Return the address of a server: one that holds no secret, since it is shown."""
    text = str(value)
    try:
        parts = urlsplit(text)
        sound = parts.scheme in _SCHEMES and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        sound = False
    if not sound or "@" in text or parts.fragment or parts.path not in ("", "/") or not text.isprintable():
        # What was given is not shown: it may hold a password.
        raise PydanticCustomError("refused", f"it must be {_ADDRESS}")
    return text


def _printable(value: object) -> str:
    if not (0 < len(str(value)) <= 200 and str(value).isprintable()):
        raise _wrong()
    return str(value)


def _host(value: object) -> str:
    text = str(value).strip("[]")
    if re.fullmatch(r"[A-Za-z0-9_.-]{1,253}|[0-9A-Fa-f:.]{2,45}", text) is None:
        raise _wrong()
    return text


def _address(value: object) -> tuple[str, int]:
    found = re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]{1,253}):([0-9]{1,5})", str(value))
    if found is None or not 1 <= int(found[2]) <= 65_535:
        raise PydanticCustomError("refused", "it must be a host, a colon and a port, such as localhost:6379")
    return found[1].strip("[]"), int(found[2])


Name = Annotated[str, BeforeValidator(_printable)]
Password = Annotated[SecretStr | None, Field(repr=False)]
Milliseconds = Annotated[int, Field(ge=100, le=3_600_000)]
Option: TypeAlias = str | int | float | None


class StoreSettings(BaseModel):
    """The fields of ``Settings`` that say where a database server is and how it is used."""

    neo4j_uri: Annotated[str, BeforeValidator(_uri)] | None = None
    neo4j_username: Name | None = None
    neo4j_password: Password = None
    neo4j_database: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9.-]{2,62}$")] = "neo4j"
    neo4j_isolation: Annotated[Literal["tenant", "database"], BeforeValidator(_choice)] = "tenant"
    neo4j_query_timeout: Milliseconds = 30_000
    falkor_addr: Annotated[tuple[str, int], BeforeValidator(_address)] | None = None
    falkor_password: Password = None
    falkor_graph: Name | None = None
    falkor_isolation: Annotated[Literal["tenant", "graph"], BeforeValidator(_choice)] = "tenant"
    falkordb_host: Annotated[str, BeforeValidator(_host)] = "localhost"
    falkordb_port: Annotated[int, Field(ge=1, le=65_535)] = _FALKORDB_PORT
    falkordb_password: Password = None
    falkordb_graph: Name | None = None
    falkordb_query_timeout: Milliseconds = 30_000

    def store_options(self, backend: str) -> Mapping[str, Option]:
        """Return what ``open_store`` is told of a backend besides location and user, secrets in the clear."""
        match backend:
            case "neo4j":
                password = _clear(self.neo4j_password)
                return {
                    "uri": self.neo4j_uri,
                    "username": self.neo4j_username or (None if password is None else "neo4j"),
                    "password": password,
                    "database": self.neo4j_database,
                    "isolation": self.neo4j_isolation,
                    "query_timeout": self.neo4j_query_timeout / 1000,
                }
            case "falkordb":
                host, port = self.falkor_addr or (self.falkordb_host, self.falkordb_port)
                return {
                    "host": host,
                    "port": port,
                    "password": _clear(self.falkor_password or self.falkordb_password),
                    "graph": self.falkor_graph or self.falkordb_graph or "becausal",
                    "isolation": self.falkor_isolation,
                    "query_timeout": self.falkordb_query_timeout / 1000,
                }
            case _:
                return {}

    def store_access(self) -> Mapping[str, Any]:
        """Return the user name and passwords that open servers, in the clear, as an import takes them."""
        held = {"falkordb": self.falkor_password or self.falkordb_password, "neo4j": self.neo4j_password}
        return {
            "username": self.neo4j_username,
            "passwords": {name: secret.get_secret_value() for name, secret in held.items() if secret is not None},
        }

    def unreachable(self, backend: str) -> list[SettingsError]:
        """Return what is missing to reach the server of a backend."""
        if backend != "neo4j":
            return []
        problems = []
        if self.neo4j_uri is None:
            problems.append(SettingsError("NEO4J_URI", f"is needed with DB_TYPE=neo4j; set it to {_ADDRESS}"))
        if self.neo4j_username is not None and self.neo4j_password is None:
            problems.append(SettingsError("NEO4J_PASSWORD", "is needed with NEO4J_USERNAME; set both, or neither"))
        return problems

    def unused_stores(self, backend: str) -> list[str]:
        """Return a note for each setting of a server that changes nothing."""
        notes = []
        for row in STORE_ROWS:
            mine = row.variable.startswith("NEO4J" if backend == "neo4j" else "FALKOR")
            if row.field not in self.model_fields_set:
                continue
            if backend not in ("neo4j", "falkordb") or not mine:
                notes.append(f"{row.variable} is set and not used: DB_TYPE is {backend}.")
            elif (first := _FIRST.get(row.field)) is not None and getattr(self, first) is not None:
                notes.append(f"{row.variable} is set and not used: {first.upper()} goes before it.")
        return notes


_FIRST = {
    "falkordb_host": "falkor_addr",
    "falkordb_port": "falkor_addr",
    "falkordb_password": "falkor_password",
    "falkordb_graph": "falkor_graph",
}
"""Settings that another one, if set, is taken before."""


def _clear(secret: SecretStr | None) -> str | None:
    return None if secret is None else secret.get_secret_value()
