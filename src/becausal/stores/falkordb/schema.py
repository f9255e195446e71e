# SPDX-License-Identifier: Apache-2.0
"""The graph's layout: labels, indexes and the version of both.

A record is a node with the label of its kind and a property per field, as ``graphdb/where.py`` says, and

* ``_owner``: whose it is; every query asks for it, whatever else it asks for,
* a key for each field that records are looked up by, such as ``_id``,
* ``_terms`` and ``_length``: what text search knows of it, and ``_ft``: the same as tokens of the full-text index,
  each a hash of owner, kind and term, so that what matches is the owner's by construction.

A link is a relationship ``LINK`` with a property per field and ``_owner``. Vectors are nodes of their own, read in
the order of their changes (``_place`` is the owner with the change's number), and so are token vectors, terms with
the number of records that hold them, claims and what is remembered. ``Root`` has one node for each owner: the number
of its last write, which makes writers take turns, and the counts.
"""

from __future__ import annotations

from contextlib import suppress

from ...domain.records import Kind
from ..migrations import Step
from .session import AlreadyThere, Session

LABELS = {kind: kind.value.capitalize() for kind in Kind}
"""The label of each kind."""

VERSION_KEY = "schema_version"

KEYS: dict[Kind, tuple[str, ...]] = {
    Kind.ENGRAM: ("id", "source", "session", "label", "content_hash"),
    Kind.PASSAGE: ("id", "engram_id"),
    Kind.CUE: ("id", "name"),
    Kind.ENTITY: ("id", "key"),
    Kind.EVENT: ("id",),
    Kind.FACT: ("id", "subject"),
    Kind.CAUSE: ("id", "key"),
    Kind.CHANGE: ("id",),
}
"""The fields of each kind that records are looked up by, through the index of their keys (see ``values.py``)."""

LINK_KEYS = ("id", "src", "dst")


def key_name(field: str) -> str:
    """Return the property that holds the key of a field."""
    return f"_{field}"


_INDEXED: dict[str, tuple[str, ...]] = {
    **{LABELS[kind]: ("_owner", *map(key_name, KEYS[kind])) for kind in Kind},
    "Vector": ("_owner", "_place", "_id"),
    "Token": ("_owner", "_id"),
    "Term": ("_owner", "token"),
    "Claim": ("_owner", "_id"),
    "Meta": ("_owner", "_id"),
    "Root": ("_owner",),
}


def _first(session: Session) -> None:
    present = {
        (label, name)
        for label, names in session.read("CALL db.indexes() YIELD label, properties RETURN label, properties")
        for name in names
    }
    indexes = {
        **{
            (label, name): f"CREATE INDEX FOR (n:{label}) ON (n.`{name}`)"
            for label, names in _INDEXED.items()
            for name in names
        },
        **{
            ("LINK", name): f"CREATE INDEX FOR ()-[r:LINK]-() ON (r.`{name}`)"
            for name in ("_owner", *map(key_name, LINK_KEYS))
        },
        **{
            (label, "_ft"): f"CALL db.idx.fulltext.createNodeIndex({{label: '{label}', stopwords: []}}, "
            "{field: '_ft', nostem: true})"
            for label in LABELS.values()
        },
    }
    for index, statement in indexes.items():
        if index not in present:
            with suppress(AlreadyThere):  # another process, or thread, makes them in the same moment
                session.write(statement)


STEPS: tuple[Step[Session], ...] = (Step(1, "records, links, text index, vectors, claims", _first),)


class Versions:
    """The schema version of one user's part of a graph, for ``migrate``."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def schema_version(self) -> int:
        self._session.write("RETURN 1")  # a graph that is not there yet cannot be read
        rows = self._session.read("MATCH (r:Root) WHERE r._owner = $o RETURN r.version")
        return int(rows[0][0]) if rows else 0

    def advance(self, step: Step[Session]) -> None:
        # Making an index twice does nothing, so that it needs no transaction with the version.
        step.apply(self._session)
        self._session.wait_for_indexes()
        self._session.write(
            "MERGE (r:Root {_owner: $o}) "
            "ON CREATE SET r.rev = 0, r.seq = 0, r.epoch = 0, r.tally = '{}', r.version = 0 "
            "WITH r SET r.version = CASE WHEN r.version < $version THEN $version ELSE r.version END",
            version=step.version,
        )
