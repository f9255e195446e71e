# SPDX-License-Identifier: Apache-2.0
"""The state of a memory, gathered from its parts."""

from __future__ import annotations

from datetime import datetime
from typing import cast

from .._version import __version__
from ..domain.records import Change, Kind
from ..models.lazy import LazyEmbedder
from ..ports.store import GraphStore, Order
from .enriching import Enrichment
from .results import Foreign, Status
from .upkeep.backups import Backups

READ_ONLY = "this memory is read-only here: it answers, but nothing can be told, changed or forgotten"


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
        degraded=embedder.degraded if embedder.state != "idle" else None,
        counts=counts,
        pending=pending,
        oldest_undo=cast(Change, oldest[0]).created_at if oldest else None,
        consolidated_at=consolidated_at,
        backup=backups.status() if backups is not None else None,
        sends_text_to=tuple(dict.fromkeys(host for host in hosts if host)),
        foreign=foreign,
        notes=(*notes, READ_ONLY) if store.read_only else notes,
        chat=chat,
        unread=enrichment.unread(),
    )
