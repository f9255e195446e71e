# SPDX-License-Identifier: Apache-2.0
"""Links: inserting and merging them, weakening them, taking them away, and following them one hop."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Literal

from ...domain.records import Kind, Link, LinkKind
from ...errors import InvalidInput
from ...ports.batch import PutLink, WeakenLink
from ...ports.store import Edge
from ..codec import LINK_CODEC
from ..columns import Flat
from ..damage import NOTHING
from .damage import leaving_out
from .sql import chunks, in_list, quoted, quoted_list
from .transaction import Transaction

_NAMES = LINK_CODEC.names
_COLUMNS = quoted_list(_NAMES)
_UPSERT = (
    f"INSERT INTO link ({_COLUMNS}) VALUES ({', '.join('?' * len(_NAMES))}) ON CONFLICT (id) DO UPDATE SET "
    + ", ".join(f"{quoted(name)} = excluded.{quoted(name)}" for name in _NAMES if name != "id")
)
_SOURCES, _ASSERTED, _STRENGTH = (LINK_CODEC.column(name) for name in ("sources", "asserted", "strength"))
_AT_SOURCES, _AT_ASSERTED = _NAMES.index("sources"), _NAMES.index("asserted")
_AT_STRENGTH = _NAMES.index("strength")
_SELECT = f"SELECT {_COLUMNS}, rowid FROM link"
_ENDS = {"out": ("src",), "in": ("dst",), "both": ("src", "dst")}
_KINDS = {kind.value: kind for kind in LinkKind}
_NOTHING = 1e-9
"""A strength this small is none: sums of decimal fractions seldom come out at zero."""


class _Present:
    """What a link that is already there brings into a merge."""

    __slots__ = ("asserted", "kind", "sources", "strength")

    def __init__(self, kind: str, strength: float, sources: tuple[str, ...], asserted: bool) -> None:
        self.kind = kind
        self.strength = strength
        self.sources = sources
        self.asserted = asserted


def _present(tx: Transaction, ids: Iterable[str]) -> dict[str, _Present]:
    found: dict[str, _Present] = {}
    for chunk in chunks(ids):
        marks, params = in_list(chunk)
        rows = tx.db.execute(f"SELECT id, kind, strength, sources, asserted FROM link WHERE id IN {marks}", params)
        found.update(
            (id, _Present(kind, strength, tuple(json.loads(sources)), bool(asserted)))
            for id, kind, strength, sources, asserted in rows
        )
    return found


def put_links(tx: Transaction, items: Sequence[PutLink]) -> None:
    """Insert links, or merge them with those that have their ids; pass over those with an end that is missing.

    Raises:
        InvalidInput: a link cannot be stored.
    """
    ends: dict[Kind, set[str]] = defaultdict(set)
    for item in items:
        ends[item.link.src_kind].add(item.link.src)
        ends[item.link.dst_kind].add(item.link.dst)
    records = {kind: tx.existing(kind, ids) for kind, ids in ends.items()}
    present = _present(tx, (item.link.id for item in items))
    new: dict[str, list[Flat]] = {}
    for item in items:
        link = item.link
        row = LINK_CODEC.encode(link)
        if link.src not in records[link.src_kind] or link.dst not in records[link.dst_kind]:
            continue
        if link.id in present:
            if link.id in new:
                _insert(tx, new)
            _merge(tx, item, row, present[link.id])
        else:
            new[link.id] = row
            present[link.id] = _Present(link.kind.value, link.strength, link.sources, link.asserted)
            tx.tally[f"link:{link.kind.value}"] += 1
    _insert(tx, new)


def _insert(tx: Transaction, new: dict[str, list[Flat]]) -> None:
    tx.db.executemany(_UPSERT, new.values())
    tx.created |= new.keys()
    new.clear()


def _merge(tx: Transaction, item: PutLink, row: list[Flat], old: _Present) -> None:
    link = item.link
    sources = tuple(dict.fromkeys(old.sources + link.sources))
    match item.merge:
        case "replace":
            old.asserted |= link.asserted
            old.strength = link.strength
            row[_AT_SOURCES] = _SOURCES.encode(sources)
            row[_AT_ASSERTED] = int(old.asserted)
            tx.db.execute(_UPSERT, row)
            tx.tally[f"link:{old.kind}"] -= 1
            tx.tally[f"link:{link.kind.value}"] += 1
            old.kind = link.kind.value
        case "add":
            old.strength += link.strength
            tx.db.execute(
                "UPDATE link SET strength = ?, sources = ? WHERE id = ?",
                (_STRENGTH.encode(old.strength), _SOURCES.encode(sources), link.id),
            )
        case "keep":
            if sources != old.sources:
                tx.db.execute("UPDATE link SET sources = ? WHERE id = ?", (_SOURCES.encode(sources), link.id))
        case _:
            raise InvalidInput("merge", "must be one of replace, add, keep")
    old.sources = sources


def weaken_links(tx: Transaction, items: Sequence[WeakenLink]) -> None:
    """Take strength and sources off links; those with no strength left, or nothing that supports them, go.

    Raises:
        InvalidInput: ``by`` is negative or not finite.
    """
    present = _present(tx, (item.id for item in items))
    for item in items:
        if not 0 <= item.by < float("inf"):
            raise InvalidInput("by", "must be a finite number, 0 or more")
        old = present.get(item.id)
        if old is None:
            continue
        old.strength -= item.by
        left = tuple(source for source in old.sources if source != item.source)
        orphaned = bool(old.sources) and not left and not old.asserted
        old.sources = left
        if old.strength <= _NOTHING or orphaned:
            tx.db.execute("DELETE FROM link WHERE id = ?", (item.id,))
            tx.tally[f"link:{old.kind}"] -= 1
            del present[item.id]
        else:
            tx.db.execute(
                "UPDATE link SET strength = ?, sources = ? WHERE id = ?",
                (old.strength, _SOURCES.encode(old.sources), item.id),
            )


def drop_links(tx: Transaction, ids: Iterable[str]) -> None:
    """Delete links by id."""
    for chunk in chunks(ids):
        marks, params = in_list(chunk)
        _count_gone(tx, tx.db.execute(f"DELETE FROM link WHERE id IN {marks} RETURNING kind", params))


def drop_links_at(tx: Transaction, kind: Kind, ids: Sequence[str]) -> None:
    """Delete the links that start or end at any of these records of a kind, at most one chunk of them."""
    if ids:
        marks, params = in_list(ids)
        for end in ("src", "dst"):
            _count_gone(
                tx,
                tx.db.execute(
                    f"DELETE FROM link WHERE {end} IN {marks} AND {end}_kind = ? RETURNING kind", [*params, kind.value]
                ),
            )


def _count_gone(tx: Transaction, kinds: sqlite3.Cursor) -> None:
    for (kind,) in kinds.fetchall():
        tx.tally[f"link:{kind}"] -= 1


# --- reading ------------------------------------------------------------------------------------


def read_links(
    db: sqlite3.Connection,
    ids: Sequence[str],
    kinds: Sequence[LinkKind],
    direction: Literal["out", "in", "both"],
    limit: int,
    without: frozenset[str] = NOTHING,
) -> tuple[Link, ...]:
    """See ``GraphStore.links``. Of equally strong links the newest come first; those ``without`` cannot be read."""
    ends = _ENDS[direction]
    of_kind = ""
    of_kinds: list[str] = []
    if kinds:
        marks, of_kinds = in_list([kind.value for kind in kinds])
        of_kind = f" AND kind IN {marks}"
    if without:
        left_out, damaged = leaving_out(without)
        of_kind, of_kinds = of_kind + left_out, [*of_kinds, *damaged]
    rows: dict[Flat, tuple[Flat, ...]] = {}
    for chunk in chunks(ids):
        marks, params = in_list(chunk)
        hops = [f"{end} IN {marks}{of_kind}" for end in ends]
        values: list[Flat] = [*params, *of_kinds]
        counts = " + ".join(f"(SELECT count(*) FROM (SELECT 1 FROM link WHERE {hop} LIMIT ?))" for hop in hops)
        (n,) = db.execute(f"SELECT {counts}", [*values, limit + 1] * len(hops)).fetchone()
        values *= len(hops)
        if n <= limit:
            some = db.execute(f"{_SELECT} WHERE {' OR '.join(hops)}", values).fetchall()
        else:
            # Choosing among many reads the indexes alone; only what is chosen is fetched.
            strengths = " UNION ".join(f"SELECT rowid AS r, strength AS s FROM link WHERE {hop}" for hop in hops)
            strongest = f"SELECT r FROM ({strengths}) ORDER BY s DESC, r DESC LIMIT ?"
            some = db.execute(f"{_SELECT} WHERE rowid IN ({strongest})", [*values, limit]).fetchall()
        rows.update((row[0], row) for row in some)
    best = sorted(rows.values(), key=itemgetter(_AT_STRENGTH, len(_NAMES)), reverse=True)[:limit]
    return tuple(LINK_CODEC.decode(row[:-1]) for row in best)


def read_edges(
    db: sqlite3.Connection,
    ids: Sequence[str],
    kinds: Sequence[LinkKind],
    direction: Literal["out", "in", "both"],
    each: int,
) -> tuple[Edge, ...]:
    """See ``GraphStore.edges``."""
    asked = json.dumps(list(dict.fromkeys(ids)))
    found: dict[int, Edge] = {}
    for end in _ENDS[direction]:
        for kind in dict.fromkeys(kinds):
            # One statement for all ids, and in it one walk down the index for each, which ends at the limit.
            rows = db.execute(
                "SELECT l.rowid, l.src, l.dst, l.kind, l.relation_type, l.strength, l.asserted "
                "FROM json_each(?) AS asked CROSS JOIN link AS l ON l.rowid IN (SELECT rowid FROM link "
                f"WHERE {end} = asked.value AND kind = ? ORDER BY strength DESC, rowid DESC LIMIT ?)",
                (asked, kind.value, each),
            )
            for number, src, dst, name, relation_type, strength, asserted in rows:
                found[number] = Edge(src, dst, _KINDS[name], relation_type, strength, bool(asserted))
    return tuple(found.values())
