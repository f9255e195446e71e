# SPDX-License-Identifier: Apache-2.0
"""What can be changed."""

from __future__ import annotations

from typing import Any, cast

import strawberry
from strawberry.types import Info

from ..errors import InvalidInput, NotFound
from ..session.graph.model import node_of, weight_of
from .access import Access
from .bounds import Importance, Name, SomeImportance, SomeMetadata, SomeName, SomeTags, SomeText, SomeWeight, Text
from .session_types import Forgotten, Relation, SessionNode, Stored, session_node, stored
from .types import access
from .upkeep_types import Archived, BackedUp, Undone, backed_up, undone

In = Info[Access, Any]


@strawberry.type(
    description="Changes are made one after the other, in the order asked, and each by itself: one that fails is null "
    "and told in errors, and those that are not null stand, before it and after it."
)
class Mutation:
    @strawberry.mutation(description="Remember a text.")
    def store(
        self,
        info: In,
        content: Text,
        importance: Importance = 0.5,
        tags: SomeTags = None,
        source: str | None = None,
        session: str | None = None,
        label: SomeName = None,
        occurred_at: str | None = None,
        metadata: SomeMetadata = None,
        pinned: bool = False,
    ) -> Stored | None:
        return stored(
            access(info).memory.store(
                content,
                importance=importance,
                tags=tags or (),
                source=source,
                session=session,
                label=label,
                occurred_at=occurred_at,
                metadata=cast(Any, metadata),
                pinned=pinned,
            )
        )

    @strawberry.mutation(description="Change what is given of a memory; undo brings the old state back.")
    def update(
        self,
        info: In,
        id: strawberry.ID,
        content: SomeText = None,
        importance: SomeImportance = None,
        tags: SomeTags = None,
        source: str | None = None,
        label: SomeName = None,
        memory_type: str | None = None,
        occurred_at: str | None = None,
        metadata: SomeMetadata = None,
        pinned: bool | None = None,
    ) -> Stored | None:
        return stored(
            access(info).memory.update(
                id,
                content=content,
                importance=importance,
                tags=tags,
                source=source,
                label=label,
                memory_type=memory_type,
                occurred_at=occurred_at,
                metadata=cast(Any, metadata),
                pinned=pinned,
            )
        )

    @strawberry.mutation(description="Take back the newest change, or the one named by its id or what it was about.")
    def undo(self, info: In, id: strawberry.ID | None = None) -> Undone | None:
        return undone(access(info).memory.undo(id))

    @strawberry.mutation(description="Put a memory into the archive: no question finds it until it is brought back.")
    def archive(self, info: In, id: strawberry.ID) -> Archived | None:
        told = access(info).memory.upkeep.archive([id])
        return Archived(ids=[strawberry.ID(each) for each in told.ids], undo=_id(told.undo))

    @strawberry.mutation(description="Bring a memory back from the archive.")
    def restore(self, info: In, id: strawberry.ID) -> Archived | None:
        told = access(info).memory.upkeep.restore([id])
        return Archived(ids=[strawberry.ID(each) for each in told.ids], undo=None)

    @strawberry.mutation(description="Keep a copy of the memory as it is now.")
    def back_up(self, info: In) -> BackedUp | None:
        if (kept := access(info).memory.backups) is None:
            raise InvalidInput("backup", "no place for copies is set")
        return backed_up(kept.run())

    @strawberry.mutation(description="Make a node of a session's graph, or renew the one of this type and label.")
    def upsert_node(
        self, info: In, session: Name, type: str, label: Name, content: Text, metadata: SomeMetadata = None
    ) -> SessionNode | None:
        told = access(info).sessions.nodes.upsert(session, type, label, content, cast(Any, metadata))
        return session_node(node_of(told))

    @strawberry.mutation(description="State how one node of a session relates to another.")
    def relate(
        self,
        info: In,
        session: Name,
        source_id: strawberry.ID,
        target_id: strawberry.ID,
        relation: str,
        weight: SomeWeight = None,
    ) -> Relation | None:
        told = access(info).sessions.linker.relate(session, source_id, target_id, relation, weight)
        if told is None:
            raise NotFound("node", f"{source_id}' or '{target_id}")
        return Relation(
            id=strawberry.ID(told.id),
            source_id=strawberry.ID(told.src),
            target_id=strawberry.ID(told.dst),
            relation=told.relation_type,
            weight=weight_of(told),
        )

    @strawberry.mutation(description="Put a value under a key of a session; returns its slot.")
    def set(self, info: In, session: Name, key: Name, value: Text) -> int | None:
        return access(info).sessions.set(session, key, value)

    @strawberry.mutation(description="Drop the values of a session; returns how many there were.")
    def flush(self, info: In, session: Name) -> int | None:
        return access(info).sessions.flush(session)

    @strawberry.mutation(description="Make a node of a key and its value.")
    def promote(
        self, info: In, session: Name, key: Name, value: Text, node_type: str = "concept"
    ) -> SessionNode | None:
        return session_node(node_of(access(info).sessions.nodes.upsert(session, node_type, key, value)))

    @strawberry.mutation(description="Forget a memory and all that only it supported; purge erases it at once.")
    def forget(self, info: In, id: strawberry.ID, purge: bool = False) -> Forgotten | None:
        told = access(info).memory.forget(id, purge=purge)
        return Forgotten(
            ids=[strawberry.ID(each) for each in told.ids],
            purged=told.purged,
            undo=_id(told.undo),
        )


def _id(value: str | None) -> strawberry.ID | None:
    return strawberry.ID(value) if value else None
