# SPDX-License-Identifier: Apache-2.0
"""Constraints and indexes of a database, and the versions of what a user has in it.

::

    (:Becausal_user {mark, user, schema_version, revision, seq, epoch, counts})    one for each user
    (:Becausal_record:Becausal_engram {mark, id, …every field, text})              likewise of the other kinds
    (record)-[:ENCODED_BY {id, mark, …every field, seq}]->(record)                 likewise of the other link kinds
    (:Becausal_term {pk, mark, kind, n})                                           in how many records a term is
    (:Becausal_vector {pk, mark, name, id, seq, data, width, tokens})
    (:Becausal_claim {pk, mark, kind, id, holder, expires}), (:Becausal_meta {pk, mark, key, value})

``text`` are the tokens of the text index. ``revision`` counts writes; setting it is what lets one writer at a
time through.
"""

from __future__ import annotations

from ...domain.records import Kind, LinkKind
from ...errors import StoreError
from ..migrations import Step
from . import names
from .connection import Connection

_WAIT = 300  # seconds


def statements() -> dict[str, str]:
    """Return what makes each constraint and index, by its name."""
    made: dict[str, str] = {}
    made |= _unique(names.ROOT, "key", "n.mark")
    for label in names.OTHER_LABELS:
        made |= _unique(label, "key", "n.pk")
    for kind in Kind:
        made |= _unique(names.label(kind), "id", "n.mark, n.id")  # not "key": some kinds have a field of that name
    made |= _index(f"{names.RECORD}_id", f"(n:{names.RECORD})", "n.mark, n.id")
    for kind, plain in names.ORDERED.items():
        for field in plain:
            made |= _index(f"{names.label(kind)}_{field}", f"(n:{names.label(kind)})", f"n.mark, n.`{field}`, n.id")
    made |= _index(
        f"{names.label(Kind.ENGRAM)}_source_created_at",
        f"(n:{names.label(Kind.ENGRAM)})",
        f"n.mark, n.{names.hashed_name('source')}, n.created_at, n.id",
    )
    for kind, texts in names.HASHED.items():
        for field in texts:
            made |= _index(
                f"{names.label(kind)}_{field}", f"(n:{names.label(kind)})", f"n.mark, n.`{names.hashed_name(field)}`"
            )
    made |= _index("becausal_vector_seq", f"(n:{names.VECTOR})", "n.mark, n.name, n.seq")
    for label in (names.TERM, names.CLAIM, names.META):
        made |= _index(f"{label}_mark", f"(n:{label})", "n.mark")
    for link_kind in LinkKind:
        made |= _index(f"becausal_link_{link_kind.value}", f"()-[n:{link_kind.value}]-()", "n.mark, n.id")
    labels = "|".join(names.label(kind) for kind in Kind)
    made[names.TEXT_INDEX] = (
        f"CREATE FULLTEXT INDEX {names.TEXT_INDEX} IF NOT EXISTS FOR (n:{labels}) ON EACH [n.text] "
        "OPTIONS {indexConfig: {`fulltext.analyzer`: 'whitespace', `fulltext.eventually_consistent`: false}}"
    )
    return made


def _unique(label: str, what: str, fields: str) -> dict[str, str]:
    name = f"{label}_{what}".lower()
    return {name: f"CREATE CONSTRAINT {name} IF NOT EXISTS FOR (n:{label}) REQUIRE ({fields}) IS UNIQUE"}


def _index(name: str, pattern: str, fields: str) -> dict[str, str]:
    return {name.lower(): f"CREATE RANGE INDEX {name.lower()} IF NOT EXISTS FOR {pattern} ON ({fields})"}


def prepare(connection: Connection) -> None:
    """Make what constraints and indexes are missing, and wait until all of them can be used."""
    present = {name for (name,) in connection.run("SHOW INDEXES YIELD name, state WHERE state = 'ONLINE' RETURN name")}
    missing = [statement for name, statement in statements().items() if name not in present]
    for statement in missing:
        try:
            connection.change_schema(statement)
        except StoreError as error:
            # "IF NOT EXISTS" does not hold against another process that makes it in the same moment.
            if "AlreadyExists" not in str(getattr(error.__cause__, "code", "")):
                raise
    if missing:
        connection.run("CALL db.awaitIndexes($seconds)", seconds=_WAIT)


def _first(versions: Versions) -> None:
    versions.connection.prepare(lambda: prepare(versions.connection))


def _second(versions: Versions) -> None:
    versions.connection.write(
        lambda tx: tx.run(
            f"MATCH (t:{names.label(Kind.ENGRAM)} {{mark: $mark}}) WHERE t.indexed_at IS NULL SET t.waiting = true",
            mark=versions.mark,
        ).consume(),
        unhurried=True,
    )


STEPS: tuple[Step[Versions], ...] = (
    Step(1, "records, links, text index, vectors, claims", _first),
    Step(2, "what waits for its index is found by one", _second),
)


class Versions:
    """The schema version of a user's memory, for ``migrate``."""

    def __init__(self, connection: Connection, mark: str, user: str) -> None:
        self.connection = connection
        self.mark = mark
        self._user = user

    def schema_version(self) -> int:
        rows = self.connection.read(f"MATCH (r:{names.ROOT} {{mark: $mark}}) RETURN r.schema_version", mark=self.mark)
        return rows[0][0] if rows else 0

    def advance(self, step: Step[Versions]) -> None:
        step.apply(self)  # made once, however often it is said
        query = (
            f"MERGE (r:{names.ROOT} {{mark: $mark}}) "
            "ON CREATE SET r.user = $user, r.schema_version = 0, r.revision = 0, r.seq = 0, r.epoch = 0 "
            "SET r.schema_version = CASE WHEN r.schema_version < $version THEN $version ELSE r.schema_version END"
        )
        params = {"mark": self.mark, "user": self._user, "version": step.version}
        self.connection.write(lambda tx: tx.run(query, params).consume())
