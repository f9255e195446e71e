# SPDX-License-Identifier: Apache-2.0
"""Following links one hop."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from ...domain.records import Link, LinkKind
from ...errors import StoreCorrupt
from ...ports.store import Edge
from ..codec import LINK_CODEC
from .reading import Skip, as_told, chunks, known_to_be_there, listed
from .schema import key_name
from .session import Session
from .values import keys_of

_NAMES = LINK_CODEC.names
_AT_STRENGTH = _NAMES.index("strength")
_KINDS = {kind.value: kind for kind in LinkKind}
_EDGE = ("id", "src", "dst", "kind", "relation_type", "strength", "asserted")
_ENDS = {"out": ("src",), "in": ("dst",), "both": ("src", "dst")}


def read_links(
    session: Session,
    ids: Sequence[str],
    kinds: Sequence[LinkKind],
    direction: Literal["out", "in", "both"],
    limit: int,
    skip: Skip,
) -> tuple[Link, ...]:
    """See ``GraphStore.links``. Of equally strong links the newest come first."""
    there = known_to_be_there(session, kinds)
    if kinds and not there:
        return ()
    of_kind, params = _of_kind(there)
    rows: dict[str, list[Any]] = {}
    for chunk in chunks(ids):
        for query in _hops(direction, of_kind):
            for row in session.read(
                f"{query} RETURN {listed(_NAMES, 'r')}, r._made ORDER BY r.strength DESC, r._made DESC LIMIT $limit",
                ids=keys_of(chunk),
                limit=limit,
                **params,
            ):
                rows[row[0]] = row
    best = sorted(rows.values(), key=lambda row: (float(row[_AT_STRENGTH]), row[-1]), reverse=True)[:limit]
    return tuple(link for row in best if (link := link_of(row[:-1], skip)) is not None)


def link_of(row: Sequence[Any], skip: Skip) -> Link | None:
    """Return the link of a row, ``None`` if it cannot be read."""
    try:
        return LINK_CODEC.decode(as_told(_NAMES, row))
    except StoreCorrupt as error:
        skip("link", str(row[0]), str(error.__cause__ or error))
        return None


def read_edges(
    session: Session,
    ids: Sequence[str],
    kinds: Sequence[LinkKind],
    direction: Literal["out", "in", "both"],
    each: int,
) -> tuple[Edge, ...]:
    """See ``GraphStore.edges``."""
    found: dict[str, Edge] = {}
    kinds = known_to_be_there(session, kinds)
    for chunk in chunks(ids) if kinds else ():
        for end in _ENDS[direction]:
            # One walk for each record and kind, which ends at the limit.
            rows = session.read(
                "UNWIND $ids AS one UNWIND $kinds AS what CALL { WITH one, what MATCH ()-[r:LINK]->() "
                f"WHERE r._owner = $o AND r.{key_name(end)} = one AND r.kind = what "
                "RETURN r ORDER BY r.strength DESC, r._made DESC LIMIT $each } "
                f"RETURN {listed(_EDGE, 'r')}",
                ids=keys_of(chunk),
                kinds=sorted({kind.value for kind in kinds}),
                each=each,
            )
            for id, src, dst, kind, relation_type, strength, asserted in (as_told(_EDGE, row) for row in rows):
                found[id] = Edge(src, dst, _KINDS[kind], relation_type, strength, bool(asserted))
    return tuple(found.values())


def _of_kind(kinds: Sequence[LinkKind]) -> tuple[str, dict[str, Any]]:
    if not kinds:
        return "", {}
    return " AND r.kind IN $kinds", {"kinds": sorted({kind.value for kind in kinds})}


def _hops(direction: Literal["out", "in", "both"], of_kind: str) -> list[str]:
    """Return the start of a query for each direction: the links that begin, or end, at records ``$ids``."""
    return [
        f"MATCH ()-[r:LINK]->() WHERE r._owner = $o AND r.{key_name(end)} IN $ids{of_kind}" for end in _ENDS[direction]
    ]
