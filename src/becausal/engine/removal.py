# SPDX-License-Identifier: Apache-2.0
"""What goes when memories go: everything that only they supported."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta
from typing import cast

from ..domain.ids import link_id
from ..domain.records import Engram, Kind, Link, LinkKind
from ..models.caching import clear_answers
from ..ports.batch import Batch, Ref, WeakenLink
from ..ports.store import Condition, GraphStore, Op

MAX_LINKS = 100_000
"""Links looked at around one group of memories."""

DERIVED = (Kind.CUE, Kind.ENTITY, Kind.EVENT, Kind.FACT, Kind.CAUSE)

SUPPORT = {kind: LinkKind.ENCODED_BY if kind is Kind.CUE else LinkKind.X_RECORDS for kind in DERIVED}
"""The link from an engram that keeps a derived record in being."""

SOURCED = (
    LinkKind.X_INVOLVES,
    LinkKind.X_AFFECTS,
    LinkKind.X_REFERS_TO,
    LinkKind.E_RELATES,
    LinkKind.C_CAUSES,
    LinkKind.SAME_AS,
)


TRACES_DUE = "traces_due"
"""Key that is set while something has been erased of which the store's files may still hold traces."""

TRACES_ERASED = "traces_erased_at"
"""Key of when such traces were last erased unasked."""

SELDOM = timedelta(days=1)
"""How long traces stay at most: erasing them may take as long as writing all of a store's files anew."""


def erase_expired(store: GraphStore, now: datetime, *, hurry: bool) -> int:
    """Erase what was kept for undoing and is past its days; return how many changes that were.

    Their traces in the store's files are erased as well, unless ``hurry`` is not asked for and that was done less than
    a day ago: then it is done when the day is over.
    """
    past = (Condition("expires_at", Op.LE, now),)
    gone = 0
    while records := store.find(Kind.CHANGE, past, limit=100).records:
        deletes = tuple(Ref(Kind.CHANGE, record.id) for record in records)
        store.write(Batch(deletes=deletes, meta={TRACES_DUE: "1"}))
        gone += len(records)
    if store.meta(TRACES_DUE) is not None:
        last = store.meta(TRACES_ERASED)
        if hurry or last is None or abs(now - datetime.fromisoformat(last)) >= SELDOM:
            erase_traces(store, ())
            store.write(Batch(meta={TRACES_ERASED: now.isoformat()}))
    return gone


def erase_traces(store: GraphStore, elsewhere: Sequence[str]) -> tuple[str, ...]:
    """Scrub what was deleted out of the store's files, and every answer that a model may have given of it.

    Returns what may still hold it, for a person to read: ``elsewhere`` too, where copies of the memory are kept.
    """
    clear_answers(store)
    remains = store.erase_traces()
    if store.meta(TRACES_DUE) is not None:
        store.write(Batch(meta={TRACES_DUE: None}))
    # A place for copies may name what it keeps on this machine, which the store has found beside its files as well.
    named = " ".join(elsewhere)
    return (*(each for each in remains if each.partition(": ")[0] not in named), *elsewhere)


def links_of(store: GraphStore, ids: Collection[str]) -> tuple[Link, ...]:
    """Return every link of some engrams."""
    return store.links(sorted(ids), limit=MAX_LINKS)


def derived_from(
    store: GraphStore, ids: Collection[str], links: Iterable[Link], keeping: Collection[str] = ()
) -> Batch:
    """Return the batch that takes away what was derived from the text of some engrams.

    Cues, records and passages that nothing else supports are deleted, except those ``keeping``; the engrams
    are taken out of the sources of the rest; links from the engrams to what stays are removed.
    """
    told = {kind: set[str]() for kind in DERIVED}
    unlinks = []
    for link in links:
        if link.src in ids and link.kind in (LinkKind.ENCODED_BY, LinkKind.X_RECORDS):
            told[link.dst_kind].add(link.dst)
            unlinks.append(link.id)
        elif link.kind is LinkKind.ASSOCIATED_WITH and link.relation_type == "similar_to" and not link.asserted:
            unlinks.append(link.id)
    gone = [Ref(kind, id) for kind in DERIVED for id in _unsupported(store, ids, kind, told[kind]) if id not in keeping]
    going = {ref.id for ref in gone}
    staying = sorted(set[str]().union(*told.values()) - going)
    shared = store.links(staying, SOURCED, limit=MAX_LINKS) if staying else ()
    weaken = [WeakenLink(link.id, source=id) for link in shared for id in link.sources if id in ids]
    passages = store.find(Kind.PASSAGE, (Condition("engram_id", Op.IN, tuple(sorted(ids))),), limit=MAX_LINKS)
    return Batch(
        deletes=(*gone, *(Ref(Kind.PASSAGE, record.id) for record in passages.records)),
        unlinks=tuple(unlinks),
        weaken=tuple(weaken),
    )


def _unsupported(store: GraphStore, ids: Collection[str], kind: Kind, told: Collection[str]) -> list[str]:
    """Return those of some derived records that no other engram supports and nobody asserted."""
    if not told:
        return []
    supports = store.links(sorted(told), [SUPPORT[kind]], "in", limit=MAX_LINKS)
    supported = {link.dst for link in supports if link.src not in ids}
    records = store.get(kind, sorted(set(told) - supported))
    return sorted(id for id, record in records.items() if not getattr(record, "asserted", False))


def facts_gone(batch: Batch) -> frozenset[str]:
    """Return the ids of the facts that a batch deletes."""
    return frozenset(ref.id for ref in batch.deletes if ref.kind is Kind.FACT)


def healed(user: str, ids: Collection[str], links: Sequence[Link], now: datetime) -> tuple[Link, ...]:
    """Return links that close the gaps in the order of telling once some engrams are gone."""
    follows = [link for link in links if link.kind is LinkKind.FOLLOWS]
    before = {link.src: link.dst for link in follows}
    closed = []
    for link in follows:
        if link.src in ids or link.dst not in ids:
            continue
        earlier: str | None = link.dst
        while earlier is not None and earlier in ids:
            earlier = before.get(earlier)
        if earlier is not None:
            closed.append(
                Link(
                    id=link_id(user, LinkKind.FOLLOWS, link.src, earlier),
                    kind=LinkKind.FOLLOWS,
                    src=link.src,
                    dst=earlier,
                    src_kind=Kind.ENGRAM,
                    dst_kind=Kind.ENGRAM,
                    created_at=now,
                )
            )
    return tuple(closed)


def stated(links: Iterable[Link]) -> tuple[Link, ...]:
    """Return the links of an engram that telling it again would not make: places in order and relations."""
    return tuple(
        link
        for link in links
        if link.kind is LinkKind.FOLLOWS
        or (link.kind is LinkKind.ASSOCIATED_WITH and (link.asserted or link.relation_type != "similar_to"))
    )


def engrams(store: GraphStore, ids: Sequence[str]) -> list[Engram]:
    """Return the engrams that exist, in the order asked for."""
    found = store.get(Kind.ENGRAM, ids)
    return [cast(Engram, found[id]) for id in ids if id in found]
