# SPDX-License-Identifier: Apache-2.0
"""One batch in one query.

FalkorDB has no other transaction than a query. So what a batch needs to know is read first, its changes are worked
out here (``graphdb/planning.py``), and one query applies them, on the condition that the owner's root node is still
as it was read: whoever comes second reads and works out anew.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from ...domain.records import Kind
from ...errors import SchemaTooNew, StoreBusy, StoreUnavailable
from ...ports.batch import Batch, PutVector, Space, Written
from ..codec import CODECS
from ..columns import Form
from ..graphdb.needs import LINK_FIELDS, Current, Needs, Row, needs
from ..graphdb.planning import Changes, plan
from ..graphdb.where import items_name
from ..packing import DIMENSION_KEY, check_meta
from ..terms import check_terms
from .claims import check_grants, claim_name
from .reading import as_told, chunks, listed, matched
from .root import Root, read_root
from .schema import KEYS, LABELS, LINK_KEYS, STEPS, key_name
from .session import Interrupted, Session
from .text import terms_of, text_of, token
from .values import key_of, keys_of, with_exact
from .vectors import place, space_name, token_row, vector_row

_TRIES = 200
_PAUSE = 0.002
_MADE = 1_000_000  # links that one write can number
_GUARD = "MATCH (r:Root) WHERE r._owner = $o AND r.rev = $rev SET r.rev = $rev + 1, r.last = $last"


def write_batch(session: Session, batch: Batch) -> Written:
    """See ``GraphStore.write``.

    Raises:
        SchemaTooNew: a newer program has taken the memory over.
        StoreBusy: others write without a pause.
    """
    check_meta(batch.meta)
    check_grants(batch.grants)
    for put in batch.puts:
        check_terms(put.terms or ())
    wanted = needs(batch)
    for attempt in range(_TRIES):
        root = read_root(session)
        if root.version > len(STEPS):
            raise SchemaTooNew(f"{session.location} was taken over by a newer becausal: start that one instead")
        changes = plan(batch, read_current(session, wanted))
        if apply(session, root, changes):
            return Written(changes.created)
        time.sleep(min(_PAUSE * (attempt + 1), 0.05))  # somebody else's write came between
    raise StoreBusy(f"{session.location} is written to by others without a pause; try again")


# --- reading what a batch needs -----------------------------------------------------------------


def read_current(session: Session, wanted: Needs) -> Current:
    """Return the state that ``wanted`` asks for."""
    passages = _passages(session, wanted.doomed)
    doomed = [id for ids in passages.values() for id in ids]
    records: dict[Kind, dict[str, Row]] = {}
    terms: dict[Kind, dict[str, tuple[str, ...]]] = {}
    for kind, ids in _with(wanted.records, doomed).items():
        fields = ("id", "version", *sorted(wanted.fields.get(kind, ())))
        asked = _with(wanted.terms, doomed).get(kind, frozenset())
        records[kind], terms[kind] = {}, {}
        for chunk in chunks(sorted(ids)):
            own = [id for id in chunk if id in asked]
            rows = session.read(
                f"{matched(kind)} AND t._id IN $ids "
                f"RETURN CASE WHEN t._id IN $own THEN t._terms END AS terms, {listed(fields)}",
                ids=keys_of(chunk),
                own=keys_of(own),
            )
            for text, *values in rows:
                row: Row = dict(zip(fields, as_told(fields, values), strict=True))
                records[kind][str(row["id"])] = row
                if text:
                    terms[kind][str(row["id"])] = terms_of(text)
    around = [id for ids in _with(wanted.around, doomed).values() for id in ids]
    return Current(
        records=records,
        passages=passages,
        terms=terms,
        links=_links(session, wanted.links, around),
        owners=_owners(session, wanted.hashes),
    )


def _with(sets: Mapping[Kind, frozenset[str]], passages: Sequence[str]) -> dict[Kind, frozenset[str]]:
    return {**sets, Kind.PASSAGE: sets.get(Kind.PASSAGE, frozenset()) | set(passages)} if passages else dict(sets)


def _passages(session: Session, engrams: frozenset[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for chunk in chunks(sorted(engrams)):
        for id, engram in session.read(
            f"{matched(Kind.PASSAGE)} AND t._engram_id IN $ids RETURN t.id, t.engram_id", ids=keys_of(chunk)
        ):
            found[engram] = (*found.get(engram, ()), id)
    return found


def _links(session: Session, ids: frozenset[str], around: Sequence[str]) -> dict[str, Row]:
    found: dict[str, Row] = {}
    for field, values in (("id", sorted(ids)), ("src", around), ("dst", around)):
        for chunk in chunks(values):
            rows = session.read(
                f"MATCH ()-[r:LINK]->() WHERE r._owner = $o AND r.{key_name(field)} IN $ids "
                f"RETURN {listed(LINK_FIELDS, 'r')}",
                ids=keys_of(chunk),
            )
            found.update((row[0], dict(zip(LINK_FIELDS, as_told(LINK_FIELDS, row), strict=True))) for row in rows)
    return found


def _owners(session: Session, hashes: frozenset[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for chunk in chunks(sorted(hashes)):
        rows = session.read(
            f"{matched(Kind.ENGRAM)} AND t._content_hash IN $ids RETURN t.content_hash, t.id", ids=keys_of(chunk)
        )
        found |= dict(rows)
    return found


# --- writing ------------------------------------------------------------------------------------


def apply(session: Session, root: Root, changes: Changes) -> bool:
    """Write changes that were worked out from what ``root`` stands for; return whether that still holds.

    Raises:
        InvalidInput: a vector cannot be stored. Nothing was written.
        StoreError: nothing was written.
    """
    query = _Query(session.owner, root, changes)
    last = uuid4().hex
    try:
        return bool(session.write(query.text(), rev=root.rev, last=last, **query.params))
    except Interrupted:
        try:
            session.wait_for_indexes()
            now = read_root(session)
        except StoreUnavailable:
            raise
        if now.last == last:
            return True
        if now.rev == root.rev:
            raise
        return False


class _Query:
    """The query that applies some changes: a guard, and a part for each sort of change there is."""

    def __init__(self, owner: str, root: Root, changes: Changes) -> None:
        self.params: dict[str, Any] = {}
        self._owner = owner
        self._parts: list[str] = []
        self._seq = root.seq
        self._root = root
        self._dimensions = dict(root.dimensions)
        self._new_epoch = False
        self._sets: dict[str, Any] = {}
        self._deletes(changes)
        self._records(changes)
        self._terms(changes)
        self._vectors(changes)
        self._links(changes)
        self._claims(changes)
        self._meta(changes.meta)
        tally = dict(root.tally)
        for name, change in changes.tally.items():
            tally[name] = tally.get(name, 0) + change
        self._sets |= {
            "tally": json.dumps({name: n for name, n in sorted(tally.items()) if n}),
            "seq": self._seq,
            "epoch": root.epoch + self._new_epoch,
            "model": self._dimensions[Space.MODEL],
            "hashed": self._dimensions[Space.HASHED],
        }

    def text(self) -> str:
        """Return the query. It gives back one row if it was applied, none if the guard did not let it."""
        self.params["root"] = self._sets
        subqueries = " ".join(f"CALL {{ {part} }}" for part in self._parts)
        return f"{_GUARD}, r += $root WITH r {subqueries} RETURN r.rev"

    def _part(self, rows: Sequence[Any], text: str) -> None:
        """Add what is to be done for each of some rows, called ``x``."""
        if rows:
            name = f"p{len(self.params)}"
            self.params[name] = list(rows)
            self._parts.append(f"UNWIND ${name} AS x {text}")

    def _deletes(self, changes: Changes) -> None:
        self._part(keys_of(sorted(changes.unlinks)), "MATCH ()-[l:LINK]->() WHERE l._id = x AND l._owner = $o DELETE l")
        for kind, ids in changes.deletes.items():
            doomed = keys_of(sorted(ids))
            self._part(doomed, f"MATCH (n:{LABELS[kind]}) WHERE n._id = x AND n._owner = $o DELETE n")
            self._part(
                doomed, f"MATCH (n:Token) WHERE n._id = x AND n.kind = '{kind.value}' AND n._owner = $o DELETE n"
            )
            for space in Space:
                self._take_vectors(doomed, space_name(kind, space))

    def _take_vectors(self, keys: Sequence[str], space: str) -> None:
        rows = []
        for id in keys:
            self._seq += 1
            rows.append({"id": id, "place": place(self._owner, self._seq)})
        self._part(
            rows,
            f"MATCH (n:Vector) WHERE n._id = x.id AND n.space = '{space}' AND n._owner = $o AND n.data IS NOT NULL "
            "SET n.data = NULL, n.size = NULL, n._place = x.place",
        )

    def _records(self, changes: Changes) -> None:
        for kind, rows in changes.puts.items():
            self._part(
                [{"id": key_of(id), "row": _properties(kind, row)} for id, row in rows.items()],
                f"MERGE (n:{LABELS[kind]} {{_id: x.id, _owner: $o}}) SET n += x.row",
            )
        for kind, rows in changes.patches.items():
            self._part(
                [{"id": key_of(id), "row": _properties(kind, row)} for id, row in rows.items()],
                f"MATCH (n:{LABELS[kind]}) WHERE n._id = x.id AND n._owner = $o SET n += x.row",
            )

    def _terms(self, changes: Changes) -> None:
        for kind, records in changes.terms.items():
            gone = changes.deletes.get(kind, frozenset()) - changes.puts.get(kind, {}).keys()
            rows: list[dict[str, Any]] = []
            for id, terms in records.items():
                if id in gone:
                    continue
                tokens = " ".join(token(self._owner, kind, term) for term in dict.fromkeys(terms))
                row = {"_terms": text_of(terms), "_length": len(terms), "_ft": tokens}
                rows.append({"id": key_of(id), "row": row if terms else dict.fromkeys(row)})
            self._part(rows, f"MATCH (n:{LABELS[kind]}) WHERE n._id = x.id AND n._owner = $o SET n += x.row")
        for kind, changed in changes.frequencies.items():
            rows = [{"token": token(self._owner, kind, term), "n": n} for term, n in changed.items()]
            self._part(
                rows,
                "MERGE (t:Term {token: x.token, _owner: $o}) ON CREATE SET t.n = x.n ON MATCH SET t.n = t.n + x.n",
            )
            if any(n < 0 for n in changed.values()):
                self._part(
                    [row["token"] for row in rows],
                    "MATCH (t:Term) WHERE t.token = x AND t._owner = $o AND t.n <= 0 DELETE t",
                )

    def _vectors(self, changes: Changes) -> None:
        dimension = changes.meta.get(DIMENSION_KEY)
        if DIMENSION_KEY in changes.meta:
            known = self._dimensions[Space.MODEL]
            self._new_epoch = str(known) != dimension
            self._dimensions[Space.MODEL] = int(dimension) if dimension else None
        groups: dict[str, list[dict[str, Any]]] = {}
        tokens: list[dict[str, Any]] = []
        bare: list[tuple[Kind, str]] = []
        for (kind, id, space), item in changes.vectors.items():
            name = space_name(kind, space)
            if item.vector is None:
                self._take_vectors([key_of(id)], name)
            else:
                self._seq += 1
                row, self._dimensions[space] = vector_row(item, self._dimensions[space])
                place_of = {"id": id, "_place": place(self._owner, self._seq)}
                groups.setdefault(name, []).append({"id": key_of(id), "row": row | place_of})
            if space is Space.MODEL:
                _sort_tokens(kind, id, item, tokens, bare)
        for name, rows in groups.items():
            self._part(rows, f"MERGE (n:Vector {{_id: x.id, space: '{name}', _owner: $o}}) SET n += x.row")
        self._part(
            [{"id": key_of(id), "kind": kind.value} for kind, id in bare],
            "MATCH (n:Token) WHERE n._id = x.id AND n.kind = x.kind AND n._owner = $o DELETE n",
        )
        self._part(tokens, "MERGE (n:Token {_id: x.id, kind: x.kind, _owner: $o}) SET n += x.row")

    def _links(self, changes: Changes) -> None:
        by_labels: dict[tuple[str, str], list[dict[str, Any]]] = {}
        made = self._root.rev * _MADE
        for number, (id, row) in enumerate(changes.links.items()):
            labels = LABELS[Kind(str(row["src_kind"]))], LABELS[Kind(str(row["dst_kind"]))]
            ends = {"src": key_of(str(row["src"])), "dst": key_of(str(row["dst"]))}
            by_labels.setdefault(labels, []).append(
                {"id": key_of(id), "row": _link_properties(row), "made": made + number, **ends}
            )
        for (src, dst), rows in by_labels.items():
            self._part(
                rows,
                f"MATCH (a:{src}) WHERE a._id = x.src AND a._owner = $o MATCH (b:{dst}) WHERE b._id = x.dst "
                "AND b._owner = $o MERGE (a)-[l:LINK {_id: x.id, _owner: $o}]->(b) ON CREATE SET l._made = x.made "
                "SET l += x.row",
            )
        self._part(
            [{"id": key_of(id), "row": with_exact(row)} for id, row in changes.relinks.items()],
            "MATCH ()-[l:LINK]->() WHERE l._id = x.id AND l._owner = $o SET l += x.row",
        )

    def _claims(self, changes: Changes) -> None:
        self._part(
            [claim_name(kind, id) for kind, id in changes.release],
            "MATCH (c:Claim) WHERE c._id = x AND c._owner = $o DELETE c",
        )
        now = time.time()
        self._part(
            [
                {"id": claim_name(grant.kind, grant.id), "row": {"holder": grant.holder, "expires": now + grant.ttl}}
                for grant in changes.grants
            ],
            "MERGE (c:Claim {_id: x.id, _owner: $o}) SET c += x.row",
        )

    def _meta(self, meta: Mapping[str, str | None]) -> None:
        self._part(
            [{"id": key_of(key), "value": value} for key, value in meta.items() if value is not None],
            "MERGE (m:Meta {_id: x.id, _owner: $o}) SET m.value = x.value",
        )
        self._part(
            [key_of(key) for key, value in meta.items() if value is None],
            "MATCH (m:Meta) WHERE m._id = x AND m._owner = $o DELETE m",
        )


def _properties(kind: Kind, row: Row) -> dict[str, Any]:
    """Return a row with the items of its tuple fields as lists, which conditions can look into."""
    properties = with_exact(row)
    properties |= {key_name(name): key_of(str(row[name])) for name in KEYS[kind] if row.get(name) is not None}
    properties |= {key_name(name): None for name in KEYS[kind] if name in row and row[name] is None}
    for column in CODECS[kind].columns:
        if column.form is Form.TUPLE and column.name in row:
            properties[items_name(column.name)] = json.loads(str(row[column.name]))
    return properties


def _link_properties(row: Row) -> dict[str, Any]:
    return with_exact(row) | {key_name(name): key_of(str(row[name])) for name in LINK_KEYS}


def _sort_tokens(
    kind: Kind, id: str, item: PutVector, tokens: list[dict[str, Any]], bare: list[tuple[Kind, str]]
) -> None:
    if item.vector is None or item.tokens is None:
        bare.append((kind, id))
    else:
        tokens.append({"id": key_of(id), "kind": kind.value, "row": token_row(item.tokens) | {"id": id}})
