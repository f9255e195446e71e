# SPDX-License-Identifier: Apache-2.0
"""The tables: one of nodes per kind of record, made from the codecs, and one of links.

A record's node also holds what is made from it: its terms, its vectors and the vectors of its tokens, as bytes.
A link is a node as well, with the ids of its ends: LadybugDB takes six times as long to write a relationship, and
the links are walked in memory (``adjacency``).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ...domain.records import Kind
from ...errors import StoreUnavailable
from ...ports.batch import Space
from ..codec import CODECS, LINK_CODEC
from ..columns import Column, Form
from ..migrations import Step, migrate
from .files import ROOT

if TYPE_CHECKING:
    from .connection import Connection

META, CLAIM, LINK = "becausal_meta", "becausal_claim", "link"
TERMS, TOKENS, WIDTH = "_terms", "_tokens", "_width"
NUMBER = "_number"
_TYPES = {Form.REAL: "DOUBLE", Form.INTEGER: "INT64", Form.BOOL: "INT64", Form.TIME: "INT64"}


def vector_column(space: Space) -> str:
    """Return the property that holds a record's vector in a space."""
    return f"_vector_{space.value}" if space.value else "_vector"


MADE = (TERMS, *(vector_column(space) for space in Space), TOKENS, WIDTH)
"""Properties of a record's node that hold what is made from it."""


@cache
def record_columns(kind: Kind) -> tuple[str, ...]:
    """Return all properties of a kind's nodes."""
    return (*CODECS[kind].names, *MADE)


LINK_COLUMNS = (*LINK_CODEC.names, NUMBER)


def quoted(name: str) -> str:
    return f"`{name}`"


def returned(names: Iterable[str], alias: str = "t") -> str:
    """Return properties of a node as a list to return."""
    return ", ".join(f"{alias}.{quoted(name)}" for name in names)


def _table(name: str, columns: Iterable[Column], more: Iterable[str]) -> str:
    fields = [f"{quoted(column.name)} {_TYPES.get(column.form, 'STRING')}" for column in columns]
    return f"CREATE NODE TABLE {quoted(name)} ({', '.join((*fields, *more))}, PRIMARY KEY (`id`))"


def _first(db: Connection) -> None:
    made = [f"{quoted(TERMS)} STRING", *(f"{quoted(vector_column(space))} BLOB" for space in Space)]
    made += [f"{quoted(TOKENS)} BLOB", f"{quoted(WIDTH)} INT64"]
    for kind in Kind:
        db.run(_table(kind.value, CODECS[kind].columns, made))
    db.run(_table(LINK, LINK_CODEC.columns, [f"{quoted(NUMBER)} INT64"]))
    db.run(f"CREATE NODE TABLE {META} (key STRING PRIMARY KEY, value STRING)")
    db.run(f"CREATE NODE TABLE {CLAIM} (key STRING PRIMARY KEY, kind STRING, id STRING, holder STRING, expires DOUBLE)")


STEPS: tuple[Step[Connection], ...] = (Step(1, "records, links, claims", _first),)


class Versions:
    """The schema version of an open database, for ``migrate``."""

    def __init__(self, db: Connection, where: str) -> None:
        self._db = db
        self._where = where

    def schema_version(self) -> int:
        tables = self._db.tables()
        if ROOT not in tables:
            if tables:
                raise StoreUnavailable(f"{self._where} belongs to another program: its tables are {', '.join(tables)}")
            return 0
        rows = self._db.run(f"MATCH (r:{ROOT}) RETURN r.version")
        return int(rows[0][0]) if rows else 0

    def advance(self, step: Step[Connection]) -> None:
        self._db.run("BEGIN TRANSACTION")
        try:
            if step.version == 1:
                self._db.run(f"CREATE NODE TABLE {ROOT} (id INT64 PRIMARY KEY, version INT64)")
                self._db.run(f"CREATE (:{ROOT} {{id: 1, version: 0}})")
            step.apply(self._db)
            self._db.run(f"MATCH (r:{ROOT}) SET r.version = $version", version=step.version)
            self._db.run("COMMIT")
        except BaseException:
            self._db.roll_back()
            raise


def bring_up(db: Connection, path: Path) -> int:
    """Take the steps that a database lacks; return its version.

    Raises:
        SchemaTooNew: a newer program made it.
    """
    where = f"the memory at {path}"
    return migrate(Versions(db, where), STEPS, where)
