# SPDX-License-Identifier: Apache-2.0
"""What a batch changes in a store, worked out before anything is written.

A graph database cannot be asked to do what a batch says in one query of its own, and one of them has no other
transaction than a query. So an adapter reads what ``needs`` names, ``plan`` turns batch and state into plain
changes, and the adapter writes these at once, having made sure that the state is still what it read.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import cast

from ...domain.records import KIND_OF, Kind, LinkKind
from ...errors import Conflict, InvalidInput
from ...ports.batch import Batch, Grant, Patch, Put, PutLink, PutVector, Space
from ..codec import CODECS, LINK_CODEC
from ..columns import Flat, Form
from .needs import Current, Row
from .tally import PENDING

NO_STRENGTH = 1e-9
"""A strength this small is none: sums of decimal fractions seldom come out at zero."""

_KEPT_BY_STORE = ("id", "version")
_SOURCES, _STRENGTH = LINK_CODEC.column("sources"), LINK_CODEC.column("strength")


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What to write: first ``deletes`` and ``unlinks``, then all else; any order will do within the two.

    ``puts`` are whole rows, of records that exist (their vectors and terms stay) or not; ``patches`` some fields of
    rows that exist. So with ``links`` and ``relinks``. ``terms`` are what the text index is to hold of a record,
    nothing where there are none; ``frequencies`` by how much the number of records with a term changes. ``tally``
    counts records by kind, links as ``link:KIND``, indexed records as ``documents:kind`` and their terms as
    ``length:kind``, and as ``PENDING`` the engrams that wait for their index. ``vectors`` have not been checked for
    their length; what is deleted loses its own unsaid.
    """

    deletes: Mapping[Kind, frozenset[str]]
    unlinks: frozenset[str]
    puts: Mapping[Kind, Mapping[str, Row]]
    patches: Mapping[Kind, Mapping[str, Row]]
    links: Mapping[str, Row]
    relinks: Mapping[str, Row]
    terms: Mapping[Kind, Mapping[str, tuple[str, ...]]]
    frequencies: Mapping[Kind, Mapping[str, int]]
    tally: Mapping[str, int]
    vectors: Mapping[tuple[Kind, str, Space], PutVector]
    release: tuple[tuple[str, str], ...]
    grants: tuple[Grant, ...]
    meta: Mapping[str, str | None]
    created: frozenset[str]


def plan(batch: Batch, current: Current) -> Changes:
    """Return what a batch changes in a store that is in this state.

    Raises:
        Conflict: an expected version does not hold, or another engram has the ``content_hash``.
        InvalidInput: something in the batch cannot be stored.
    """
    planner = _Planner(current)
    for ref in batch.deletes:
        if ref.expect_version is not None and (version := planner.version(ref.kind, ref.id)):
            _must_match(ref.kind, ref.id, ref.expect_version, version)
    for ref in batch.deletes:
        planner.delete(ref.kind, ref.id)
    for id in batch.unlinks:
        planner.unlink(id)
    for weaken in batch.weaken:
        planner.weaken(weaken.id, weaken.by, weaken.source)
    for put in batch.puts:
        planner.put(put)
    for patch in batch.patches:
        planner.patch(patch)
    planner.must_own_hashes()
    for vector in batch.vectors:
        if planner.version(vector.kind, vector.id):
            planner.vectors[vector.kind, vector.id, vector.space] = vector
    for each in batch.links:
        planner.link(each)
    planner.drop_unlinked([(drop.kind, drop.id, drop.support) for drop in batch.unlinked])
    return planner.changes(batch)


class _Planner:
    """The state of a store as the parts of a batch change it, one after the other."""

    def __init__(self, current: Current) -> None:
        self._current = current
        self._versions: dict[tuple[Kind, str], int] = {}
        self._links: dict[str, Row | None] = dict(current.links)
        self._at: dict[tuple[str, str], list[str]] = defaultdict(list)  # by the id and kind of either end
        for link, row in current.links.items():
            self._note_ends(link, row)
        self._deleted: dict[Kind, set[str]] = defaultdict(set)
        self._unlinked: set[str] = set()
        self._puts: dict[Kind, dict[str, Row]] = defaultdict(dict)
        self._patches: dict[Kind, dict[str, Row]] = defaultdict(dict)
        self._hashes: dict[str, Flat] = {}
        self._relinked: dict[str, Row] = {}
        self._linked: dict[str, Row] = {}
        self._terms: dict[Kind, dict[str, tuple[str, ...]]] = defaultdict(dict)
        self._tally: Counter[str] = Counter()
        self._created: set[str] = set()
        self.vectors: dict[tuple[Kind, str, Space], PutVector] = {}

    # --- records --------------------------------------------------------------------------------

    def version(self, kind: Kind, id: str) -> int:
        """Return the version a record has by now, 0 if there is none."""
        known = self._versions.get((kind, id))
        if known is not None:
            return known
        row = self._current.records.get(kind, {}).get(id)
        return 0 if row is None else cast(int, row["version"])

    def delete(self, kind: Kind, id: str) -> None:
        if kind is Kind.ENGRAM:
            for passage in self._current.passages.get(id, ()):
                self.delete(Kind.PASSAGE, passage)
        existed = self.version(kind, id)
        self._versions[kind, id] = 0
        self._deleted[kind].add(id)
        for changed in (self._puts, self._patches):
            changed[kind].pop(id, None)
        for space in Space:
            self.vectors.pop((kind, id, space), None)
        if self._indexed(kind, id):
            self._terms[kind][id] = ()
        for link in self._at.pop((id, kind.value), ()):
            row = self._links[link]
            if row is not None and (id, kind) in ((row["src"], row["src_kind"]), (row["dst"], row["dst_kind"])):
                self.unlink(link)  # and not where it has moved away since
        self._tally[kind] -= bool(existed)
        if kind is Kind.ENGRAM and existed:
            self._hashes[id] = None

    def put(self, put: Put) -> None:
        kind, id = KIND_OF[type(put.record)], put.record.id
        version = self.version(kind, id)
        if put.expect_version is not None:
            _must_match(kind, id, put.expect_version, version)
        if put.if_absent and version:
            return
        row = self._row(put)
        new = max(put.record.version, 1) if put.keep_version else version + 1
        row["version"] = self._versions[kind, id] = new
        self._puts[kind][id] = row
        self._patches[kind].pop(id, None)
        if not version:
            self._created.add(id)
            self._tally[kind] += 1
        if kind is Kind.ENGRAM:
            self._hashes[id] = row["content_hash"]
        if put.terms is not None:
            self._terms[kind][id] = put.terms

    @staticmethod
    def _row(put: Put) -> Row:
        codec = CODECS[KIND_OF[type(put.record)]]
        return dict(zip(codec.names, codec.encode(put.record), strict=True))

    def patch(self, patch: Patch) -> None:
        codec = CODECS[patch.kind]
        new: Row = {}
        for name, value in patch.set.items():
            if name in _KEPT_BY_STORE:
                raise InvalidInput(name, "is kept by the store and cannot be changed")
            new[name] = codec.column(name).encode(value)
        bounds = {name: _steps(patch, name, by) for name, by in patch.increment.items()}
        if stray := patch.clamp.keys() - patch.increment.keys():
            raise InvalidInput(min(stray), "is held to bounds but not incremented")
        version = self.version(patch.kind, patch.id)
        if patch.expect_version is not None:
            _must_match(patch.kind, patch.id, patch.expect_version, version)
        if not version:
            return
        for name, (by, low, high) in bounds.items():
            value = self._number(patch.kind, patch.id, name) + by
            new[name] = value if low is None or high is None else min(max(value, low), high)
        new["version"] = self._versions[patch.kind, patch.id] = version + 1
        if patch.id in self._puts[patch.kind]:
            self._puts[patch.kind][patch.id] |= new
        else:
            self._patches[patch.kind][patch.id] = self._patches[patch.kind].get(patch.id, {}) | new
        if patch.kind is Kind.ENGRAM and "content_hash" in new:
            self._hashes[patch.id] = new["content_hash"]

    def _number(self, kind: Kind, id: str, name: str) -> float:
        for rows in (self._puts[kind], self._patches[kind], self._current.records.get(kind, {})):
            if name in rows.get(id, {}):
                return cast(float, rows[id][name])
        raise KeyError(name)

    def must_own_hashes(self) -> None:
        """Refuse two engrams with one content hash."""
        owners = {hash: id for hash, id in self._current.owners.items() if id not in self._hashes}
        for id, hash in self._hashes.items():
            if isinstance(hash, str) and owners.setdefault(hash, id) != id:
                raise Conflict("another engram has the same content_hash")

    # --- links ----------------------------------------------------------------------------------

    def _note_ends(self, link: str, row: Row) -> None:
        for end in ("src", "dst"):
            self._at[cast(str, row[end]), cast(str, row[f"{end}_kind"])].append(link)

    def unlink(self, id: str) -> None:
        row = self._links.get(id)
        if row is None:
            return
        self._links[id] = None
        self._unlinked.add(id)
        self._linked.pop(id, None)
        self._relinked.pop(id, None)
        self._tally[f"link:{row['kind']}"] -= 1

    def weaken(self, id: str, by: float, source: str | None) -> None:
        if not 0 <= by < float("inf"):
            raise InvalidInput("by", "must be a finite number, 0 or more")
        row = self._links.get(id)
        if row is None:
            return
        strength, sources = cast(float, row["strength"]) - by, _sources(row)
        left = tuple(each for each in sources if each != source)
        if strength <= NO_STRENGTH or (sources and not left and not row["asserted"]):
            self.unlink(id)
        else:
            self._relink(id, row, {"strength": strength, "sources": _SOURCES.encode(left)})

    def link(self, item: PutLink) -> None:
        if item.merge not in ("replace", "add", "keep"):
            raise InvalidInput("merge", "must be one of replace, add, keep")
        link = item.link
        row: Row = dict(zip(LINK_CODEC.names, LINK_CODEC.encode(link), strict=True))
        if not self.version(link.src_kind, link.src) or not self.version(link.dst_kind, link.dst):
            return
        old = self._links.get(link.id)
        if old is None:
            self._linked[link.id] = self._links[link.id] = row
            self._note_ends(link.id, row)
            self._created.add(link.id)
            self._tally[f"link:{link.kind.value}"] += 1
            return
        sources = _SOURCES.encode(tuple(dict.fromkeys(_sources(old) + link.sources)))
        if item.merge == "replace":
            row |= {"sources": sources, "asserted": int(bool(old["asserted"]) or link.asserted)}
            self._tally[f"link:{old['kind']}"] -= 1
            self._tally[f"link:{link.kind.value}"] += 1
            self._relinked.pop(link.id, None)
            self._linked[link.id] = self._links[link.id] = row
            self._note_ends(link.id, row)
        elif item.merge == "add":
            strength = _STRENGTH.encode(cast(float, old["strength"]) + link.strength)
            self._relink(link.id, old, {"strength": strength, "sources": sources})
        elif sources != old["sources"]:
            self._relink(link.id, old, {"sources": sources})

    def _relink(self, id: str, row: Row, new: Row) -> None:
        self._links[id] = row | new
        if id in self._linked:
            self._linked[id] = row | new
        else:
            self._relinked[id] = self._relinked.get(id, {}) | new

    def drop_unlinked(self, drops: Iterable[tuple[Kind, str, LinkKind]]) -> None:
        supports = {(row["dst"], row["kind"]) for row in self._links.values() if row is not None}
        for kind, id in [(kind, id) for kind, id, support in drops if (id, support.value) not in supports]:
            self.delete(kind, id)

    # --- text -----------------------------------------------------------------------------------

    def _indexed(self, kind: Kind, id: str) -> tuple[str, ...]:
        """Return the terms that the index holds of a record, as the batch has left it so far."""
        planned = self._terms[kind].get(id)
        return self._current.terms.get(kind, {}).get(id, ()) if planned is None else planned

    def _count_terms(self) -> dict[Kind, Counter[str]]:
        frequencies: dict[Kind, Counter[str]] = {}
        for kind, records in self._terms.items():
            changes = frequencies[kind] = Counter[str]()
            for id, terms in records.items():
                before = self._current.terms.get(kind, {}).get(id, ())
                changes.subtract(set(before))
                changes.update(set(terms))
                self._tally[f"documents:{kind.value}"] += bool(terms) - bool(before)
                self._tally[f"length:{kind.value}"] += len(terms) - len(before)
        return frequencies

    def _count_pending(self) -> None:
        before = self._current.records.get(Kind.ENGRAM, {})
        for id in self._deleted[Kind.ENGRAM] | self._puts[Kind.ENGRAM].keys() | self._patches[Kind.ENGRAM].keys():
            old = before.get(id)
            waited = old is not None and old["indexed_at"] is None
            changed = (old or {}) | self._puts[Kind.ENGRAM].get(id, {}) | self._patches[Kind.ENGRAM].get(id, {})
            waits = bool(self.version(Kind.ENGRAM, id)) and changed["indexed_at"] is None
            self._tally[PENDING] += waits - waited

    def changes(self, batch: Batch) -> Changes:
        """Return all of it."""
        frequencies = self._count_terms()
        self._count_pending()
        return Changes(
            deletes={kind: frozenset(ids) for kind, ids in self._deleted.items() if ids},
            unlinks=frozenset(self._unlinked),
            puts={kind: rows for kind, rows in self._puts.items() if rows},
            patches={kind: rows for kind, rows in self._patches.items() if rows},
            links=self._linked,
            relinks=self._relinked,
            terms={kind: terms for kind, terms in self._terms.items() if terms},
            frequencies={kind: _not_zero(changes) for kind, changes in frequencies.items() if any(changes.values())},
            tally=_not_zero(self._tally),
            vectors=self.vectors,
            release=batch.release,
            grants=batch.grants,
            meta=batch.meta,
            created=frozenset(self._created),
        )


def _not_zero(counts: Mapping[str, int]) -> dict[str, int]:
    return {str(name): count for name, count in counts.items() if count}


def _sources(row: Row) -> tuple[str, ...]:
    return tuple(json.loads(cast(str, row["sources"])))


def _must_match(kind: Kind, id: str, expected: int, version: int) -> None:
    if version == expected:
        return
    if not version:
        raise Conflict(f"{kind.value} '{id}' no longer exists; version {expected} was expected")
    raise Conflict(f"{kind.value} '{id}' was changed meanwhile: it has version {version}, not {expected}")


def _steps(patch: Patch, name: str, by: float) -> tuple[float, float | None, float | None]:
    """Return an increment and its bounds as the field's own numbers."""
    column = CODECS[patch.kind].column(name)
    if column.form not in (Form.INTEGER, Form.REAL) or name in _KEPT_BY_STORE or name in patch.set:
        raise InvalidInput(name, "cannot be incremented: it must be a number, and not also be set")

    def number(value: float) -> float:
        whole = isinstance(value, float) and value.is_integer() and column.form is Form.INTEGER
        return cast(float, column.encode(int(value) if whole else value))

    low, high = patch.clamp.get(name, (None, None))
    return number(by), None if low is None else number(low), None if high is None else number(high)
