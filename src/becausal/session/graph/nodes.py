# SPDX-License-Identifier: Apache-2.0
"""The nodes of sessions: engrams with a type, a label and a session."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from ...domain.ids import derived_id
from ...domain.records import Engram, Json, Kind, NodeType
from ...encode.compose import Telling
from ...engine import validate
from ...engine.core import Core
from ...errors import Conflict, InvalidInput
from ...models.words import embed_text
from ...ports.batch import Batch, Patch, Space
from ...ports.store import Condition, Op, Where

ATTEMPTS = 5
PAGE = 10_000

FIELDS = ("created_at", "node_type", "last_accessed_at", "access_count")


@dataclass(frozen=True, slots=True)
class Known:
    """What can be told of a node without reading it."""

    id: str
    created_at: datetime
    node_type: NodeType
    last_accessed_at: datetime
    access_count: int


def session_name(value: object) -> str:
    return validate.text(value, "session_id", longest=validate.MAX_NAME)


def node_type_of(value: object, field: str = "type") -> NodeType:
    """Return a type of node; ``memory`` is none."""
    known = [each for each in NodeType if each is not NodeType.MEMORY]
    if value not in known:
        raise InvalidInput(field, f"must be one of {', '.join(known)}, got {value!r:.40}")
    return NodeType(cast(str, value))


class Nodes:
    """Reads and writes nodes. A node is one by its session, type and label."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._store = core.store

    def where(self, session: str | None) -> Where:
        """Return what the live nodes of a session have in common; of all sessions for ``None``."""
        everywhere = (
            Condition("node_type", Op.NE, NodeType.MEMORY.value),
            Condition("archived_at", Op.NULL, True),
        )
        if session is None:
            return (Condition("session", Op.NULL, False), *everywhere)
        return (Condition("session", Op.EQ, session), *everywhere)

    def known(self, session: str | None) -> list[Known]:
        """Return the nodes of a session, the oldest first."""
        found: list[Known] = []
        after = ""
        while rows := self._store.sweep(Kind.ENGRAM, FIELDS, self.where(session), after, PAGE):
            found += [Known(row[0], row[1], NodeType(row[2]), row[3], row[4]) for row in rows]
            if len(rows) < PAGE:
                break
            after = rows[-1][0]
        return sorted(found, key=lambda node: (node.created_at, node.id))

    def read(self, ids: Sequence[str]) -> dict[str, Engram]:
        return cast("dict[str, Engram]", self._store.get(Kind.ENGRAM, ids))

    def get(self, session: str | None, id: str) -> Engram | None:
        """Return a live node by its id, if it is one of the session's."""
        engram = self.read([id]).get(id)
        if engram is None or engram.node_type is NodeType.MEMORY or engram.archived_at is not None:
            return None
        return engram if engram.session is not None and session in (None, engram.session) else None

    def labelled(self, session: str, label: str, node_type: NodeType | None = None) -> list[Engram]:
        """Return the nodes of a session with a label, pruned ones too."""
        where: Where = (Condition("session", Op.EQ, session), Condition("label", Op.EQ, label))
        kind = (
            Condition("node_type", Op.NE, NodeType.MEMORY.value)
            if node_type is None
            else Condition("node_type", Op.EQ, node_type.value)
        )
        page = self._store.find(Kind.ENGRAM, (*where, kind), limit=10)
        return [cast(Engram, record) for record in page.records]

    def sharing(self, session: str | None, words: Collection[str], most: int) -> dict[str, frozenset[str]]:
        """Return which of some terms occur in nodes of a session, all for ``None``: by id, where there are any."""
        asked = sorted(words)
        if not asked:
            return {}
        found = self._store.text_search(Kind.ENGRAM, asked, most, self.where(session)).hits
        return {
            hit.id: frozenset(term for term, count in zip(asked, hit.frequencies, strict=True) if count)
            for hit in found
        }

    def scores(self, text: str, ids: Sequence[str]) -> dict[str, float]:
        """Return the cosine similarity of nodes to a text, by id."""
        import numpy as np

        if not ids:
            return {}
        vector = np.array(embed_text(text), np.float32)
        only = (Condition("id", Op.IN, tuple(ids)),)
        hits = self._store.vector_search(Kind.ENGRAM, vector, len(ids), only, Space.HASHED)
        return dict.fromkeys(ids, 0.0) | {hit.id: hit.score for hit in hits}

    def upsert(
        self, session: str, node_type: str, label: str, content: str, metadata: Mapping[str, Any] | None = None
    ) -> Engram:
        """Make a node, or give the one that has this type and label new content; return it as it is then.

        Metadata is added to what it has. A change of content can be undone, like any edit of a memory.
        """
        session, kind = session_name(session), node_type_of(node_type)
        label = validate.text(label, "label", longest=validate.MAX_NAME).strip()
        text, told = validate.content(content), validate.metadata(metadata)
        for _ in range(ATTEMPTS):
            try:
                return self._upsert(session, kind, label, text, told)
            except Conflict:
                continue  # somebody else made or changed it in this moment
        raise Conflict(f"the node '{label}' is being changed elsewhere; try again")

    def _upsert(
        self, session: str, node_type: NodeType, label: str, content: str, metadata: Mapping[str, Json]
    ) -> Engram:
        found = self.labelled(session, label, node_type)
        if not found:
            id: str | None = derived_id(self._store.user, Kind.ENGRAM, "node", session, node_type, label)
            if self.read([id or ""]):
                id = None  # the node that had this name has another one now
            telling = Telling(
                content=content, session=session, label=label, node_type=node_type, metadata=metadata, id=id
            )
            made = self._core.writer.store(telling, self._core.zone).engram.id
        else:
            made, old = found[0].id, found[0]
            merged = {**old.metadata, **metadata}
            moment = max(self._core.clock.now(), old.last_accessed_at)
            used: dict[str, object] = {"last_accessed_at": moment, "archived_at": None}
            if old.content == content:
                used |= {"metadata": merged}
            else:
                self._core.writer.update(made, {"content": content, "metadata": merged}, self._core.zone)
            self._store.write(Batch(patches=(Patch(Kind.ENGRAM, made, set=used, increment={"access_count": 1}),)))
        self._core.worker.wake()
        return self.read([made])[made]

    def touch(self, ids: Sequence[str], *, count: bool = False) -> None:
        """Note that nodes were of use; with ``count`` that they were asked for by name."""
        now = self._core.clock.now()
        increment = {"access_count": 1.0} if count else {}
        patches = [Patch(Kind.ENGRAM, id, set={"last_accessed_at": now}, increment=increment) for id in ids]
        if patches:
            self._store.write(Batch(patches=tuple(patches)))
