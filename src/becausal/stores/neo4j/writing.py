# SPDX-License-Identifier: Apache-2.0
"""One batch in one transaction: the user's root is locked, what is needed is read, the changes are written."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
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
    changes = plan(batch, _read(root, needs(batch)))
    _write(root, changes)
    root.finish()
    return Written(changes.created)


# --- reading what must be known ----------------------------------------------------------------


def _read(root: Root, wanted: Needs) -> Current:
    """Read it all in one query."""
    parts: list[str] = []
    params: dict[str, object] = {}

    def part(what: str, match: str, row: str, values: Iterable[object]) -> None:
        name = f"v{len(params)}"
        params[name] = list(values)
        parts.append(f"{match.replace('$values', f'${name}')} RETURN '{what}' AS what, {row} AS row")

    def of(kind: Kind) -> str:
        return f"MATCH (t:{names.label(kind)}) WHERE t.mark = $mark AND t.id IN $values"

    for kind, ids in wanted.records.items():
        text = "t.text" if wanted.terms.get(kind) else "null"
        fields = ("id", "version", *sorted(CODECS[kind].column(name).name for name in wanted.fields.get(kind, ())))
        part(f"record {kind.value}", of(kind), f"{names.columns_of(fields, 't')[:-1]}, {text}]", ids)
    if wanted.doomed:
        match = f"MATCH (t:{names.label(Kind.PASSAGE)}) WHERE t.mark = $mark AND t.engram_id IN $values"
        part("passage", match, "[t.id, t.version, t.engram_id, t.text]", wanted.doomed)
        around = f"{match} MATCH (t)-[l]-()"
        part("link", around, names.columns_of(LINK_FIELDS, "l"), wanted.doomed)
    for kind, ids in wanted.around.items():
        part("link", f"{of(kind)} MATCH (t)-[l]-()", names.columns_of(LINK_FIELDS, "l"), ids)
    if wanted.links:
        for link_kind in LinkKind:
            match = f"MATCH ()-[l:{link_kind.value}]->() WHERE l.mark = $mark AND l.id IN $values"
            part("link", match, names.columns_of(LINK_FIELDS, "l"), wanted.links)
    if wanted.hashes:
        match = f"MATCH (t:{names.label(Kind.ENGRAM)}) WHERE t.mark = $mark AND t.content_hash_hash IN $values"
        part("owner", match, "[t.content_hash, t.id]", map(names.hashed, wanted.hashes))
    if not parts:
        return Current()
    rows = root.run(" UNION ALL ".join(parts), **params)
    return _current(wanted, rows)


def _current(wanted: Needs, rows: Sequence[Any]) -> Current:
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
            kind = Kind(what.partition(" ")[2])
            fields = ("id", "version", *sorted(wanted.fields.get(kind, ())))
            records[kind][row[0]] = dict(zip(fields, row[:-1], strict=True))
            if row[-1]:
                terms[kind][row[0]] = tuple(row[-1].split())
    return Current(
        records=records,
        passages={engram: tuple(ids) for engram, ids in passages.items()},
        terms=terms,
        links=links,
        owners=owners,
    )


# --- writing what changes ----------------------------------------------------------------------


def _write(root: Root, changes: Changes) -> None:
    _delete(root, changes)
    for kind, rows in changes.puts.items():
        query = (
            f"UNWIND $rows AS row MERGE (t:{names.label(kind)} {{mark: $mark, id: row.id}}) "
            f"SET t:{names.RECORD}, t += row"
        )
        _in_parts(root, query, [_stored(kind, row) for row in rows.values()])
    for kind, rows in changes.patches.items():
        query = f"UNWIND $rows AS row MATCH (t:{names.label(kind)} {{mark: $mark, id: row.id}}) SET t += row"
        _in_parts(root, query, [{"id": id, **_stored(kind, row)} for id, row in rows.items()])
    _write_links(root, changes)
    _write_terms(root, changes)
    _write_vectors(root, changes)
    _write_claims(root, changes)
    for name, by in changes.tally.items():
        root.counts[name] = root.counts.get(name, 0) + by


def _delete(root: Root, changes: Changes) -> None:
    if changes.unlinks:
        for link_kind in LinkKind:
            query = f"UNWIND $rows AS id MATCH ()-[l:{link_kind.value} {{mark: $mark, id: id}}]->() DELETE l"
            _in_parts(root, query, list(changes.unlinks))
    for kind, ids in changes.deletes.items():
        query = f"UNWIND $rows AS id MATCH (t:{names.label(kind)} {{mark: $mark, id: id}}) DETACH DELETE t"
        _in_parts(root, query, list(ids))
        for space in Space:
            _take_vectors(root, names.space_name(kind, space), ids)


def _stored(kind: Kind, row: Row) -> dict[str, object]:
    """Return the properties of a row: its fields, the items of its lists, and digests of what is asked for often."""
    stored: dict[str, object] = dict(row)
    for name in names.tuple_fields(kind):
        if name in row:
            stored[f"{name}_items"] = list(dict.fromkeys(json.loads(cast(str, row[name]))))
    for name in names.HASHED.get(kind, ()):
        if name in row:
            stored[names.hashed_name(name)] = names.hashed(row[name])
    return stored


def _write_links(root: Root, changes: Changes) -> None:
    # One that changes its kind or its ends is another relationship to the server: it is made anew, in its old place.
    groups: dict[tuple[str, str, str], list[dict[str, object]]] = defaultdict(list)
    present: dict[str, int] = {}
    known = [id for id in changes.links if id not in changes.created]
    for old in LinkKind if known else ():
        found = root.run(
            f"MATCH (a)-[l:{old.value}]->(b) WHERE l.mark = $mark AND l.id IN $ids "
            "WITH l, l.id AS id, l.seq AS seq DELETE l RETURN id, seq",
            ids=known,
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
    if changes.relinks:
        rows = [{"id": id, "new": dict(row)} for id, row in changes.relinks.items()]
        for each in LinkKind:
            query = f"UNWIND $rows AS row MATCH ()-[l:{each.value} {{mark: $mark, id: row.id}}]->() SET l += row.new"
            _in_parts(root, query, rows)


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
        f"OPTIONAL MATCH (m:{names.META} {{pk: $pk}}) CALL {{ MATCH (v:{names.VECTOR}) "
        "WHERE v.mark = $mark AND v.name IN $names AND v.dimension IS NOT NULL RETURN v.dimension AS used LIMIT 1 "
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
