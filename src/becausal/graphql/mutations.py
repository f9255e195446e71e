# SPDX-License-Identifier: Apache-2.0
"""What can be changed."""

from __future__ import annotations

from typing import Any, cast

import strawberry
from strawberry.scalars import JSON
from strawberry.types import Info

from ..errors import NotFound
from ..session.graph.model import node_of, weight_of
from .access import Access
from .session_types import Forgotten, Relation, SessionNode, Stored, session_node
from .types import access

In = Info[Access, Any]


@strawberry.type
class Mutation:
    @strawberry.mutation(description="Remember a text.")
    def store(
        self,
        info: In,
        content: str,
        importance: float = 0.5,
        tags: list[str] | None = None,
        source: str | None = None,
        session: str | None = None,
        label: str | None = None,
        occurred_at: str | None = None,
        metadata: JSON | None = None,
    ) -> Stored:
        told = access(info).memory.store(
            content,
            importance=importance,
            tags=tags or (),
            source=source,
            session=session,
            label=label,
            occurred_at=occurred_at,
            metadata=cast(Any, metadata),
        )
        return Stored(
            id=strawberry.ID(told.engram.id),
            summary=told.engram.summary,
            created=told.created,
            cues=list(told.cues),
        )

    @strawberry.mutation(description="Make a node of a session's graph, or renew the one of this type and label.")
    def upsert_node(
        self, info: In, session: str, type: str, label: str, content: str, metadata: JSON | None = None
    ) -> SessionNode:
        told = access(info).sessions.nodes.upsert(session, type, label, content, cast(Any, metadata))
        return session_node(node_of(told))

    @strawberry.mutation(description="State how one node of a session relates to another.")
    def relate(
        self,
        info: In,
        session: str,
        source_id: strawberry.ID,
        target_id: strawberry.ID,
        relation: str,
        weight: float | None = None,
    ) -> Relation:
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
    def set(self, info: In, session: str, key: str, value: str) -> int:
        return access(info).sessions.set(session, key, value)

    @strawberry.mutation(description="Drop the values of a session; returns how many there were.")
    def flush(self, info: In, session: str) -> int:
        return access(info).sessions.flush(session)

    @strawberry.mutation(description="Make a node of a key and its value.")
    def promote(self, info: In, session: str, key: str, value: str, node_type: str = "concept") -> SessionNode:
        return session_node(node_of(access(info).sessions.nodes.upsert(session, node_type, key, value)))

    @strawberry.mutation(description="Forget a memory and all that only it supported; purge erases it at once.")
    def forget(self, info: In, id: strawberry.ID, purge: bool = False) -> Forgotten:
        told = access(info).memory.forget(id, purge=purge)
        return Forgotten(
            ids=[strawberry.ID(each) for each in told.ids],
            purged=told.purged,
            undo=strawberry.ID(told.undo) if told.undo else None,
        )
