# SPDX-License-Identifier: Apache-2.0
"""Records to put into stores: short to write, and complete."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import numpy as np

from becausal.domain.records import (
    Cause,
    Change,
    Cue,
    CueType,
    Engram,
    Entity,
    Event,
    Fact,
    Kind,
    Link,
    LinkKind,
    MemoryType,
    NodeType,
    Passage,
    Precision,
    Record,
)
from becausal.ports.batch import Batch, Put, PutLink, PutVector
from becausal.ports.store import GraphStore

OpenStore: TypeAlias = Callable[..., GraphStore]

T0 = datetime(2025, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
HOUR = timedelta(hours=1)


def engram(id: str, **fields: Any) -> Engram:
    values = {"content": f"content of {id}", "summary": id, "at": T0, "created_at": T0, "last_accessed_at": T0}
    return Engram(id=id, **{**values, **fields})


def passage(id: str, engram_id: str, position: int = 0) -> Passage:
    return Passage(id=id, engram_id=engram_id, position=position, start=10 * position, end=10 * position + 10)


def cue(id: str, **fields: Any) -> Cue:
    return Cue(**{"id": id, "name": id, "cue_type": CueType.KEYWORD, "created_at": T0, **fields})


def entity(id: str, **fields: Any) -> Entity:
    return Entity(**{"id": id, "name": id, "key": id, "entity_type": "person", "created_at": T0, **fields})


def link(id: str, src: str, dst: str, kind: LinkKind = LinkKind.ASSOCIATED_WITH, **fields: Any) -> Link:
    values = {"src_kind": Kind.ENGRAM, "dst_kind": Kind.ENGRAM, "created_at": T0}
    return Link(id=id, kind=kind, src=src, dst=dst, **{**values, **fields})


def vector(*numbers: float) -> Any:
    return np.array(numbers, np.float32)


FULL: tuple[Record, ...] = (
    engram(
        "e",
        content="Wörter 'mit' \"Zeichen\"\n漢字 🦉 \0 end",
        summary="s",
        label="%_",
        memory_type=MemoryType.PROCEDURAL,
        node_type=NodeType.SYMBOL,
        importance=0.1 + 0.2,
        tags=("b", "a", "b", ""),
        source="x",
        session="y",
        occurred_at=T0,
        occurred_end=T0 + HOUR,
        precision=Precision.SEASON,
        at=datetime(1, 1, 1, tzinfo=UTC),
        created_at=datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        access_count=2**53 + 1,
        decay_factor=1e-300,
        cluster_id=-1,
        pinned=True,
        metadata={"nested": [{"k": [1, 2.5, None, True, "é"]}], "": "empty key"},
        told={"entities": ["x"]},
        content_hash="h",
        archived_at=T0,
        indexed_at=T0,
    ),
    passage("p", "e", 3),
    cue("c", cue_type=CueType.CONTEXT, description="d", asserted=True),
    entity("n", aliases=("one", "two"), properties={"age": 3}, asserted=True),
    Event(
        id="v", description="d", occurred_at=T0, occurred_end=T0 + HOUR, precision=Precision.HOUR, created_at=T0,
        duration="1 h", asserted=True,
    ),
    Fact(
        id="f", subject="s", predicate="p", object="o", valid_from=T0, valid_to=T0 + HOUR,
        told_to=T0 + 2 * HOUR, recorded_at=T0, superseded_by="g", asserted=True,
    ),
    Cause(id="k", description="d", key="key", node_type="state", asserted=True, created_at=T0),
    Change(
        id="h", action="forget", targets=("e", "e2"), note="n", inverse={"deletes": [["engram", "e"]]}, created_at=T0,
        expires_at=T0 + HOUR,
    ),
)  # fmt: skip
"""One record of every kind with no field at its default."""


def put(store: GraphStore, *records: Record, terms: tuple[str, ...] | None = None) -> None:
    store.write(Batch(puts=tuple(Put(record, terms) for record in records)))


def put_links(store: GraphStore, *links: Link) -> None:
    store.write(Batch(links=tuple(PutLink(link) for link in links)))


def put_vector(store: GraphStore, id: str, *numbers: float, kind: Kind = Kind.ENGRAM) -> None:
    store.write(Batch(vectors=(PutVector(kind, id, vector(*numbers)),)))
