# SPDX-License-Identifier: Apache-2.0
"""The state of a memory, and of one memory in it, gathered from their parts."""

from __future__ import annotations

from datetime import datetime
from typing import cast

from .._version import __version__
from ..domain.records import Change, Cue, Engram, Event, Kind, LinkKind
from ..errors import NotFound
from ..models.lazy import LazyEmbedder
from ..ports.store import Condition, GraphStore, Op, Order
from .change_log import ChangeLog
from .embedding import mismatch
from .enriching.enrichment import Enrichment
from .results import Detail, Foreign, Status
from .upkeep.backups import Backups

READ_ONLY = "this memory is read-only here: it answers, but nothing can be told, changed or forgotten"

DETAIL_LINKS = 200


def describe(
    store: GraphStore,
    embedder: LazyEmbedder,
    *,
    backend: str,
    consolidated_at: datetime | None,
    backups: Backups | None,
    enrichment: Enrichment,
    foreign: tuple[Foreign, ...],
    notes: tuple[str, ...],
) -> Status:
    """Return where a memory is, what it holds, and what is wrong with it."""
    counts = dict(store.count())
    pending = counts.pop("pending", 0)
    chat = enrichment.state()
    unread, unreadable = enrichment.standing()
    hosts = [
        store.host,
        embedder.host,
        chat.host if chat else None,
        *(backups.place.hosts if backups is not None else ()),
    ]
    oldest = store.find(Kind.CHANGE, order=Order("created_at"), limit=1).records
    return Status(
        version=__version__,
        user=store.user,
        backend=backend,
        location=store.location,
        schema=int(store.meta("schema_version") or 0),
        embedder=embedder.name,
        embedder_state=embedder.state,
        degraded=mismatch(store, embedder) or (embedder.degraded if embedder.state != "idle" else None),
        counts=counts,
        pending=pending,
        oldest_undo=cast(Change, oldest[0]).created_at if oldest else None,
        consolidated_at=consolidated_at,
        backup=backups.status() if backups is not None else None,
        sends_text_to=tuple(dict.fromkeys(host for host in hosts if host)),
        foreign=foreign,
        notes=(*notes, READ_ONLY) if store.read_only else notes,
        chat=chat,
        unread=unread,
        unreadable=unreadable,
    )


def describe_memory(store: GraphStore, log: ChangeLog, id: str) -> Detail:
    """Return one memory with what surrounds it.

    Raises:
        NotFound: no memory has this id.
    """
    found = store.get(Kind.ENGRAM, [id])
    if not found:
        raise NotFound("memory", id)
    engram = cast(Engram, found[id])
    links = store.links([engram.id], limit=DETAIL_LINKS)
    cue_ids = [link.dst for link in links if link.kind is LinkKind.ENCODED_BY]
    event_ids = [link.dst for link in links if link.dst_kind is Kind.EVENT]
    cues = store.get(Kind.CUE, cue_ids)
    events = [cast(Event, record) for record in store.get(Kind.EVENT, event_ids).values()]
    passages = store.find(Kind.PASSAGE, (Condition("engram_id", Op.EQ, engram.id),), limit=10_000)
    return Detail(
        engram=engram,
        cues=tuple(cast(Cue, cues[id]) for id in cue_ids if id in cues),
        links=links,
        events=tuple(sorted(events, key=lambda event: event.occurred_at)),
        passages=len(passages.records),
        changes=log.of([engram.id]),
    )
