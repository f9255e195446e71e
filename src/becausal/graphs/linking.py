# SPDX-License-Identifier: Apache-2.0
"""Making links, and gathering a write until it is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from ..domain.ids import link_id
from ..domain.records import KIND_OF, Cause, Cue, Entity, Event, Fact, Json, Kind, Link, LinkKind, Record
from ..ports.batch import Batch, Patch, Put, PutLink, PutVector

ENDS: Mapping[LinkKind, tuple[tuple[Kind, ...], tuple[Kind, ...]]] = {
    LinkKind.ENCODED_BY: ((Kind.ENGRAM,), (Kind.CUE,)),
    LinkKind.ASSOCIATED_WITH: ((Kind.ENGRAM,), (Kind.ENGRAM,)),
    LinkKind.FOLLOWS: ((Kind.ENGRAM, Kind.EVENT), (Kind.ENGRAM, Kind.EVENT)),
    LinkKind.CO_OCCURS: ((Kind.CUE,), (Kind.CUE,)),
    LinkKind.E_RELATES: ((Kind.ENTITY,), (Kind.ENTITY,)),
    LinkKind.C_CAUSES: ((Kind.CAUSE,), (Kind.CAUSE,)),
    LinkKind.SAME_AS: ((Kind.CAUSE,), (Kind.CAUSE,)),
    LinkKind.X_REPRESENTS: ((Kind.CUE,), (Kind.ENTITY,)),
    LinkKind.X_INVOLVES: ((Kind.EVENT, Kind.FACT), (Kind.ENTITY,)),
    LinkKind.X_AFFECTS: ((Kind.CAUSE,), (Kind.ENTITY,)),
    LinkKind.X_REFERS_TO: ((Kind.EVENT,), (Kind.CAUSE,)),
    LinkKind.X_RECORDS: ((Kind.ENGRAM,), (Kind.ENTITY, Kind.EVENT, Kind.FACT, Kind.CAUSE)),
}
"""The kinds of record that each kind of link joins: from, to."""


_UNSOURCED = (LinkKind.CO_OCCURS, LinkKind.X_REPRESENTS)


SESSION = "session"
"""Key in a link's metadata that makes it a session's: the session's name. The memory's own links have none."""


WEIGHT = "weight"
"""Key in such a link's metadata: the weight that was given. The strength is held to what recall can use."""


SUPPOSED = "supposed"
"""Key in a causal link's metadata: its text tells it as what was once suspected."""


def relation_key(relation_type: str, metadata: Mapping[str, Json]) -> str:
    """Return what a link's id is made of beside its ends.

    What a session says of two memories is kept apart from the likeness that the memory itself finds between them.
    """
    return f"{relation_type}\x1fsession" if SESSION in metadata else relation_type


@dataclass(frozen=True, slots=True)
class Node:
    """An end of a link."""

    kind: Kind
    id: str


@dataclass(slots=True)
class Draft:
    """A write in the making: records and links of one owner at one moment."""

    user: str
    now: datetime
    source: str | None = None  # the engram that links are read from; ``None``: a caller states them
    puts: list[Put] = field(default_factory=list)
    patches: list[Patch] = field(default_factory=list)
    links: list[PutLink] = field(default_factory=list)
    vectors: list[PutVector] = field(default_factory=list)
    meta: dict[str, str | None] = field(default_factory=dict)

    def put(
        self, record: Record, terms: Sequence[str], *, if_absent: bool = False, expect_version: int | None = None
    ) -> None:
        self.puts.append(Put(record, tuple(terms), if_absent, expect_version))

    def pin(self, record: Cue | Entity | Event | Fact | Cause) -> None:
        """Have a stored record that was only read from texts stay when those are forgotten.

        What a caller states about a record must not vanish with the text that the record was first read from.
        """
        if not record.asserted and all(patch.id != record.id for patch in self.patches):
            kind = KIND_OF[type(record)]
            self.patches.append(Patch(kind, record.id, set={"asserted": True}, expect_version=record.version))

    def link(
        self,
        kind: LinkKind,
        src: Node,
        dst: Node,
        *,
        relation_type: str = "",
        strength: float = 1.0,
        confidence: float = 1.0,
        evidence: str | None = None,
        metadata: Mapping[str, Json] | None = None,
        per_source: bool = False,
        asserted: bool | None = None,
        merge: Literal["replace", "add", "keep"] | None = None,
    ) -> Link:
        """Add a link and return it. Its ends must be of kinds that ``kind`` joins.

        Unless ``merge`` says otherwise, what is read from a text keeps a link that is there, and what a caller
        states replaces it. With ``per_source`` every engram that says so makes a link of its own, with its
        own confidence and evidence; without, they share one and are listed in its sources. ``asserted`` is for
        what neither a text nor a caller says, but counting or comparing shows.
        """
        own = per_source and self.source is not None
        merge = merge or ("replace" if self.source is None else "keep")
        froms, tos = ENDS[kind]
        assert src.kind in froms, (kind, src)
        assert dst.kind in tos, (kind, dst)
        link = Link(
            id=link_id(self.user, kind, src.id, dst.id, f"{relation_type}\x1f{self.source}" if own else relation_type),
            kind=kind,
            src=src.id,
            dst=dst.id,
            src_kind=src.kind,
            dst_kind=dst.kind,
            relation_type=relation_type,
            strength=strength,
            confidence=confidence,
            evidence=evidence,
            # What starts at the engram needs no source, and a name stands for what it names whoever says so.
            sources=(self.source,) if self.source and src.id != self.source and kind not in _UNSOURCED else (),
            asserted=self.source is None if asserted is None else asserted,
            metadata=metadata or {},
            created_at=self.now,
        )
        self.links.append(PutLink(link, merge))
        return link

    def batch(self) -> Batch:
        return Batch(
            puts=tuple(self.puts),
            patches=tuple(self.patches),
            vectors=tuple(self.vectors),
            links=tuple(self.links),
            meta=dict(self.meta),
        )
