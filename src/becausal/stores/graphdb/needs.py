# SPDX-License-Identifier: Apache-2.0
"""What must be known of a store before a batch can be planned."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ...domain.records import KIND_OF, Kind
from ...ports.batch import Batch
from ..columns import Flat

Row: TypeAlias = dict[str, Flat]
"""Fields of a record or link by name, each flat; all of them, or those that are spoken of."""

LINK_FIELDS = ("id", "kind", "src", "dst", "src_kind", "dst_kind", "strength", "sources", "asserted")
"""What planning needs to know of a link."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What to read.

    ``records``: which exist, with their ``version`` and the ``fields`` named for their kind. ``doomed``: engrams
    whose passages are wanted. ``terms``: records whose indexed terms are wanted, and so are those of the passages
    of the doomed. ``links`` by id, and all links ``around`` some records and the passages of the doomed. ``hashes``:
    which engrams have these.
    """

    records: Mapping[Kind, frozenset[str]]
    fields: Mapping[Kind, frozenset[str]]
    doomed: frozenset[str]
    terms: Mapping[Kind, frozenset[str]]
    links: frozenset[str]
    around: Mapping[Kind, frozenset[str]]
    hashes: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Current:
    """What was read: only what exists is in it.

    ``records`` hold at least ``version`` and the fields asked for, ``links`` at least ``LINK_FIELDS``. ``passages``:
    ids by engram, each with an entry in ``records``. ``terms``: what the text index holds, in text order.
    ``owners``: engram ids by content hash.
    """

    records: Mapping[Kind, Mapping[str, Row]] = field(default_factory=dict)
    passages: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    terms: Mapping[Kind, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    links: Mapping[str, Row] = field(default_factory=dict)
    owners: Mapping[str, str] = field(default_factory=dict)


def needs(batch: Batch) -> Needs:
    """Return what ``plan`` must know to work out a batch."""
    records: dict[Kind, set[str]] = defaultdict(set)
    fields: dict[Kind, set[str]] = defaultdict(set)
    terms: dict[Kind, set[str]] = defaultdict(set)
    around: dict[Kind, set[str]] = defaultdict(set)
    hashes: set[str] = set()
    going = [(ref.kind, ref.id) for ref in batch.deletes] + [(drop.kind, drop.id) for drop in batch.unlinked]
    for kind, id in going:
        for wanted in (records, terms, around):
            wanted[kind].add(id)
    for put in batch.puts:
        kind = KIND_OF[type(put.record)]
        records[kind].add(put.record.id)
        if put.terms is not None:
            terms[kind].add(put.record.id)
        _add_hash(hashes, getattr(put.record, "content_hash", None))
    for patch in batch.patches:
        records[patch.kind].add(patch.id)
        fields[patch.kind] |= patch.increment.keys()
        _add_hash(hashes, patch.set.get("content_hash"))
    for item in batch.vectors:
        records[item.kind].add(item.id)
    for each in batch.links:
        records[each.link.src_kind].add(each.link.src)
        records[each.link.dst_kind].add(each.link.dst)
    if Kind.ENGRAM in records:
        fields[Kind.ENGRAM].add("indexed_at")  # to count what waits
    doomed = {id for kind, id in going if kind is Kind.ENGRAM}
    links = {*batch.unlinks, *(item.id for item in batch.weaken), *(item.link.id for item in batch.links)}
    return Needs(
        records=_frozen(records),
        fields=_frozen(fields),
        doomed=frozenset(doomed),
        terms=_frozen(terms),
        links=frozenset(links),
        around=_frozen(around),
        hashes=frozenset(hashes),
    )


def _add_hash(hashes: set[str], value: object) -> None:
    if isinstance(value, str):
        hashes.add(value)


def _frozen(sets: Mapping[Kind, set[str]]) -> dict[Kind, frozenset[str]]:
    return {kind: frozenset(ids) for kind, ids in sets.items() if ids}
