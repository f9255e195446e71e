# SPDX-License-Identifier: Apache-2.0
"""One batch in one transaction: the user's root is locked, what is needed is read, the changes are written."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from ...domain.records import KIND_OF, Kind, LinkKind
from ...errors import InvalidInput, SchemaTooNew, StoreUnavailable
from ...ports.batch import Batch, PutVector, Space, Written
from ..codec import CODECS
from ..graphdb.needs import LINK_FIELDS, Current, Needs, Row, needs
from ..graphdb.planning import Changes, plan
from ..packing import DIMENSION_KEY, check_meta, packed_tokens, packed_vector
from . import names

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

_MOST_ROWS = 2000
"""Rows that go to the server in one statement."""


@dataclass(slots=True)
class Root:
    """The state of a user's memory as a whole, with its root locked."""

    tx: ManagedTransaction
    mark: str
    counts: dict[str, int]
    seq: int
    epoch: int

    def run(self, query: str, **params: object) -> list[Any]:
        return self.tx.run(cast(Any, query), params, mark=self.mark).values()

    def finish(self) -> None:
        """Write it back."""
        self.run(
            f"MATCH (r:{names.ROOT} {{mark: $mark}}) SET r.counts = $counts, r.seq = $seq, r.epoch = $epoch",
            counts=json.dumps({name: n for name, n in self.counts.items() if n}),
            seq=self.seq,
            epoch=self.epoch,
        )


def lock(tx: ManagedTransaction, mark: str, newest: int) -> Root:
    """Return the root of a user, which no other transaction can lock until this one ends.

    Raises:
        StoreUnavailable: it is gone.
        SchemaTooNew: a newer program has changed the memory since it was opened.
    """
    query = f"MATCH (r:{names.ROOT} {{mark: $mark}}) SET r.revision = r.revision + 1 "
    found = tx.run(cast(Any, query + "RETURN r.counts, r.seq, r.epoch, r.schema_version"), mark=mark).values()
    if not found:
        raise StoreUnavailable("the memory was deleted from the Neo4j server while it was open")
    counts, seq, epoch, version = found[0]
    if version > newest:
        raise SchemaTooNew("the memory was taken over by a newer becausal while it was open: start that one instead")
    return Root(tx, mark, json.loads(counts or "{}"), seq, epoch)


def apply_batch(root: Root, batch: Batch) -> Written:
    """Apply a batch with the root locked; see ``GraphStore.write`` for what it raises."""
    check_meta(batch.meta)
    puts = tuple(
        put if put.terms is None else replace(put, terms=names.tokens(root.mark, KIND_OF[type(put.record)], put.terms))
        for put in batch.puts
    )
    batch = replace(batch, puts=puts)
    current = _read(root, needs(batch))
    changes = plan(batch, current)
    _write(root, changes, current.links)
    root.finish()
    return Written(changes.created)


# --- reading what must be known ----------------------------------------------------------------


@cache
def _question() -> str:
    """Return the one query that reads whatever a batch needs: the server plans each new text, which takes it long."""
    record, passage = names.RECORD, names.label(Kind.PASSAGE)
    link = f"'link' AS what, {names.columns_of(LINK_FIELDS, 'l')} AS row"
    doomed = f"MATCH (t:{passage}) WHERE t.mark = $mark AND t.engram_id IN $doomed"
    return " UNION ALL ".join(
        (
            f"MATCH (t:{record}) WHERE t.mark = $mark AND t.id IN $records RETURN 'record' AS what, "
            f"[[label IN labels(t) WHERE label <> '{record}'][0], t.id, t.version, "
            "CASE WHEN $texts THEN t.text END, [field IN $fields | t[field]]] AS row",
            f"{doomed} RETURN 'passage' AS what, [t.id, t.version, t.engram_id, t.text] AS row",
            f"{doomed} MATCH (t)-[l]-() RETURN {link}",
            f"MATCH (t:{record}) WHERE t.mark = $mark AND t.id IN $around MATCH (t)-[l]-() RETURN {link}",
            *(
                f"MATCH ()-[l:{kind.value}]->() WHERE l.mark = $mark AND l.id IN $links RETURN {link}"
                for kind in LinkKind
            ),
            f"MATCH (t:{names.label(Kind.ENGRAM)}) WHERE t.mark = $mark AND t.content_hash_hash IN $hashes "
            "RETURN 'owner' AS what, [t.content_hash, t.id] AS row",
        )
    )


def _read(root: Root, wanted: Needs) -> Current:
    """Read it all in one query."""
    fields = sorted({CODECS[kind].column(name).name for kind, found in wanted.fields.items() for name in found})
    params: dict[str, Any] = {
        "records": _all(wanted.records),
        "doomed": sorted(wanted.doomed),
        "around": _all(wanted.around),
        "links": sorted(wanted.links),
        "hashes": [names.hashed(hash) for hash in wanted.hashes],
    }
    if not any(params.values()):
        return Current()
    return _current(fields, root.run(_question(), **params, fields=fields, texts=any(wanted.terms.values())))


def _all(ids: Mapping[Kind, frozenset[str]]) -> list[str]:
    return sorted({id for some in ids.values() for id in some})


def _current(fields: Sequence[str], rows: Sequence[Any]) -> Current:
    records: dict[Kind, dict[str, Row]] = defaultdict(dict)
    terms: dict[Kind, dict[str, tuple[str, ...]]] = defaultdict(dict)
    passages: dict[str, list[str]] = defaultdict(list)
    links: dict[str, Row] = {}
    owners: dict[str, str] = {}
    for what, row in rows:
        if what == "link":
            links[row[0]] = dict(zip(LINK_FIELDS, row, strict=True))
        elif what == "owner":
            owners[row[0]] = row[1]
        elif what == "passage":
            id, version, engram, text = row
            passages[engram].append(id)
            records[Kind.PASSAGE].setdefault(id, {"id": id, "version": version})
            if text:
                terms[Kind.PASSAGE][id] = tuple(text.split())
        else:
            label, id, version, text, values = row
            kind = names.kind_of(label)
            records[kind][id] = {"id": id, "version": version, **dict(zip(fields, values, strict=True))}
            if text:
                terms[kind][id] = tuple(text.split())
    return Current(
        records=records,
        passages={engram: tuple(ids) for engram, ids in passages.items()},
        terms=terms,
        links=links,
        owners=owners,
    )


# --- writing what changes ----------------------------------------------------------------------


def _write(root: Root, changes: Changes, known: Mapping[str, Row]) -> None:
    _delete(root, changes, known)
    for kind, rows in changes.puts.items():
        query = (
            f"UNWIND $rows AS row MERGE (t:{names.label(kind)} {{mark: $mark, id: row.id}}) "
            f"SET t:{names.RECORD}, t += row"
        )
        _in_parts(root, query, [_stored(kind, row) for row in rows.values()])
    for kind, rows in changes.patches.items():
        query = f"UNWIND $rows AS row MATCH (t:{names.label(kind)} {{mark: $mark, id: row.id}}) SET t += row"
        _in_parts(root, query, [{"id": id, **_stored(kind, row)} for id, row in rows.items()])
    _write_links(root, changes, known)
    _write_terms(root, changes)
    _write_vectors(root, changes)
    _write_claims(root, changes)
    for name, by in changes.tally.items():
        root.counts[name] = root.counts.get(name, 0) + by


def _delete(root: Root, changes: Changes, known: Mapping[str, Row]) -> None:
    for kind, ids in _by_kind(changes.unlinks, known).items():
        query = f"UNWIND $rows AS id MATCH ()-[l:{kind} {{mark: $mark, id: id}}]->() DELETE l"
        _in_parts(root, query, ids)
    for of, gone in changes.deletes.items():
        query = f"UNWIND $rows AS id MATCH (t:{names.label(of)} {{mark: $mark, id: id}}) DETACH DELETE t"
        _in_parts(root, query, list(gone))
        for space in Space:
            _take_vectors(root, names.space_name(of, space), gone)


def _by_kind(ids: Iterable[str], known: Mapping[str, Row]) -> dict[str, list[str]]:
    """Return those of some links that are stored by the kinds that they have there."""
    found: dict[str, list[str]] = defaultdict(list)
    for id in ids:
        if id in known:
            found[LinkKind(cast(str, known[id]["kind"])).value].append(id)
    return found


def _stored(kind: Kind, row: Row) -> dict[str, object]:
    """Return the properties of a row: its fields, the items of its lists, and digests of what is asked for often."""
    stored: dict[str, object] = dict(row)
    for name in names.tuple_fields(kind):
        if name in row:
            stored[f"{name}_items"] = list(dict.fromkeys(json.loads(cast(str, row[name]))))
    if kind is Kind.ENGRAM and "indexed_at" in row:
        stored["waiting"] = True if row["indexed_at"] is None else None
    for name in names.HASHED.get(kind, ()):
        if name in row:
            stored[names.hashed_name(name)] = names.hashed(row[name])
    return stored


def _write_links(root: Root, changes: Changes, known: Mapping[str, Row]) -> None:
    # One that changes its kind or its ends is another relationship to the server: it is made anew, in its old place.
    groups: dict[tuple[str, str, str], list[dict[str, object]]] = defaultdict(list)
    present: dict[str, int] = {}
    for old, ids in _by_kind((id for id in changes.links if id not in changes.created), known).items():
        found = root.run(
            f"MATCH (a)-[l:{old}]->(b) WHERE l.mark = $mark AND l.id IN $ids "
            "WITH l, l.id AS id, l.seq AS seq DELETE l RETURN id, seq",
            ids=ids,
        )
        present.update((id, seq) for id, seq in found)
    for id, row in changes.links.items():
        root.seq += 1
        kind, src, dst = (cast(str, row[name]) for name in ("kind", "src_kind", "dst_kind"))
        groups[kind, src, dst].append({**row, "mark": root.mark, "seq": present.get(id, root.seq)})
    for (kind, src, dst), rows in groups.items():
        query = (
            f"UNWIND $rows AS row MATCH (a:{names.label(Kind(src))} {{mark: $mark, id: row.src}}) "
            f"MATCH (b:{names.label(Kind(dst))} {{mark: $mark, id: row.dst}}) "
            f"CREATE (a)-[l:{LinkKind(kind).value}]->(b) SET l = row"
        )
        _in_parts(root, query, rows)
    for old, ids in _by_kind(changes.relinks, known).items():
        query = f"UNWIND $rows AS row MATCH ()-[l:{old} {{mark: $mark, id: row.id}}]->() SET l += row.new"
        _in_parts(root, query, [{"id": id, "new": dict(changes.relinks[id])} for id in ids])


def _write_terms(root: Root, changes: Changes) -> None:
    for kind, records in changes.terms.items():
        query = f"UNWIND $rows AS row MATCH (t:{names.label(kind)} {{mark: $mark, id: row.id}}) SET t.text = row.text"
        _in_parts(root, query, [{"id": id, "text": " ".join(terms) or None} for id, terms in records.items()])
    rows: list[Any] = []
    for kind, frequencies in changes.frequencies.items():
        rows += [{"pk": token, "kind": kind.value, "by": by} for token, by in frequencies.items()]
    query = (
        f"UNWIND $rows AS row MERGE (f:{names.TERM} {{pk: row.pk}}) "
        "ON CREATE SET f.mark = $mark, f.kind = row.kind, f.n = row.by ON MATCH SET f.n = f.n + row.by"
    )
    _in_parts(root, query, rows)


def _write_vectors(root: Root, changes: Changes) -> None:
    if DIMENSION_KEY in changes.meta:
        query = f"MATCH (m:{names.META} {{pk: $pk}}) RETURN m.value"
        old = root.run(query, pk=names.key(root.mark, "meta", DIMENSION_KEY))
        if (old[0][0] if old else None) != changes.meta[DIMENSION_KEY]:
            root.epoch += 1
    if not changes.vectors:
        return
    dimensions = {space: _dimension(root, space) for space in {item.space for item in changes.vectors.values()}}
    if DIMENSION_KEY in changes.meta:
        dimensions[Space.MODEL] = int(changes.meta[DIMENSION_KEY] or 0) or None
    gone: dict[str, list[str]] = defaultdict(list)
    rows: list[dict[str, object]] = []
    for item in changes.vectors.values():
        name = names.space_name(item.kind, item.space)
        if item.vector is None:
            gone[name].append(item.id)
            continue
        data, dimensions[item.space] = packed_vector(item.vector, dimensions[item.space])
        root.seq += 1
        rows.append(_vector_row(root, item, name, data))
    for name, ids in gone.items():
        _take_vectors(root, name, ids)
    _in_parts(root, f"UNWIND $rows AS row MERGE (v:{names.VECTOR} {{pk: row.pk}}) SET v = row", rows, 200)


def _vector_row(root: Root, item: PutVector, name: str, data: bytes) -> dict[str, object]:
    width, tokens = (None, None) if item.tokens is None else packed_tokens(item.tokens)
    return {
        "pk": names.key(root.mark, "vector", name, item.id),
        "mark": root.mark,
        "name": name,
        "id": item.id,
        "seq": root.seq,
        "dimension": len(data) // 4,
        "data": data,
        "width": width,
        "tokens": tokens,
    }


def _dimension(root: Root, space: Space) -> int | None:
    query = (
        f"OPTIONAL MATCH (m:{names.META} {{pk: $pk}}) CALL {{ {names.VECTORS_OF} "
        "AND v.dimension IS NOT NULL RETURN v.dimension AS used LIMIT 1 "
        "UNION ALL RETURN null AS used } RETURN m.value, max(used)"
    )
    spaces = [names.space_name(kind, space) for kind in Kind]
    value, used = root.run(query, pk=names.key(root.mark, "meta", DIMENSION_KEY), names=spaces)[0]
    return int(value) if value and space is Space.MODEL else cast("int | None", used)


def _take_vectors(root: Root, name: str, ids: Iterable[str]) -> None:
    """Leave an empty row with a sequence number of its own, from which other readers learn of it."""
    keys = [names.key(root.mark, "vector", name, id) for id in ids]
    found = root.run(f"MATCH (v:{names.VECTOR}) WHERE v.pk IN $keys AND v.data IS NOT NULL RETURN v.pk", keys=keys)
    rows = []
    for (pk,) in found:
        root.seq += 1
        rows.append({"pk": pk, "seq": root.seq})
    query = f"UNWIND $rows AS row MATCH (v:{names.VECTOR} {{pk: row.pk}}) SET v.seq = row.seq "
    _in_parts(root, query + "REMOVE v.data, v.dimension, v.width, v.tokens", rows)


def _write_claims(root: Root, changes: Changes) -> None:
    if changes.release:
        keys = [names.key(root.mark, "claim", kind, id) for kind, id in changes.release]
        root.run(f"MATCH (c:{names.CLAIM}) WHERE c.pk IN $keys DELETE c", keys=keys)
    if changes.grants:
        now = time.time()
        rows = [
            claim_row(root.mark, each.kind, each.id, each.holder, now + finite(each.ttl)) for each in changes.grants
        ]
        _in_parts(root, f"UNWIND $rows AS row MERGE (c:{names.CLAIM} {{pk: row.pk}}) SET c = row", rows)
    set_, removed = [], []
    for key, value in changes.meta.items():
        pk = names.key(root.mark, "meta", key)
        if value is None:
            removed.append(pk)
        else:
            set_.append({"pk": pk, "mark": root.mark, "key": key, "value": str(value)})
    if removed:
        root.run(f"MATCH (m:{names.META}) WHERE m.pk IN $keys DELETE m", keys=removed)
    _in_parts(root, f"UNWIND $rows AS row MERGE (m:{names.META} {{pk: row.pk}}) SET m = row", set_)


def claim_row(mark: str, kind: str, id: str, holder: str, expires: float) -> Mapping[str, object]:
    """Return the properties of a claim."""
    pk = names.key(mark, "claim", kind, id)
    return {"pk": pk, "mark": mark, "kind": kind, "id": id, "holder": holder, "expires": expires}


def finite(ttl: float) -> float:
    """Return a time to live, in seconds, that has an end.

    Raises:
        InvalidInput: it has none.
    """
    if not float("-inf") < ttl < float("inf"):
        raise InvalidInput("ttl", "must be a finite number of seconds")
    return ttl


def _in_parts(root: Root, query: str, rows: Sequence[object], size: int = _MOST_ROWS) -> None:
    for start in range(0, len(rows), size):
        root.run(query, rows=list(rows[start : start + size]))
