# SPDX-License-Identifier: Apache-2.0
"""One batch in one transaction: what it needs is read, what it changes is worked out, and that is written."""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from ...domain.records import Kind, LinkKind
from ...ports.batch import Batch, Grant, Space, Written
from ...ports.store import Edge
from ..checks import LONGEST_CLAIM, check_ttl
from ..codec import CODECS
from ..graphdb.needs import LINK_FIELDS, Current, Needs, Row, needs
from ..graphdb.planning import Changes, plan
from ..graphdb.tally import PENDING
from ..packing import DIMENSION_KEY, check_meta, packed_tokens, packed_vector
from ..terms import check_terms
from .adjacency import Adjacency, Change, Entry
from .connection import Connection
from .database import Database, Writing
from .reading import dimension_in_use, rows_of
from .schema import (
    CLAIM,
    LINK,
    LINK_COLUMNS,
    MADE,
    META,
    NUMBER,
    TERMS,
    TOKENS,
    WIDTH,
    quoted,
    record_columns,
    vector_column,
)

_ROWS = 500  # in one statement


def apply_batch(database: Database, batch: Batch) -> Written:
    """See ``GraphStore.write``."""
    check_meta(batch.meta)
    for put in batch.puts:
        if put.terms is not None:
            check_terms(put.terms)
    with database.gate:
        links, hashes = database.links(), database.hashes()
    with database.writing() as writing:
        wanted = needs(batch)
        current = _current(writing.db, wanted, links, hashes)
        changes = plan(batch, current)
        _write(writing, changes, current, links, hashes)
        return Written(changes.created)


def clear_kinds(database: Database, kinds: Sequence[Kind]) -> int:
    """See ``GraphStore.clear``."""
    going = list(dict.fromkeys((*kinds, *((Kind.PASSAGE,) if Kind.ENGRAM in kinds else ()))))
    with database.gate:
        links = database.links()
    with database.writing() as writing:
        tally: Counter[str] = Counter()
        gone = {kind: [id for (id,) in writing.db.run(f"MATCH (t:{kind.value}) RETURN t.id")] for kind in going}
        named = {kind.value for kind in going}
        cut = [entry for entry in links if not named.isdisjoint(entry.ends)]
        _delete(writing.db, LINK, [entry.id for entry in cut])
        for kind, ids in gone.items():
            if ids:
                writing.db.run(f"MATCH (t:{kind.value}) DELETE t")
            tally[kind.value] -= len(ids)
        if Kind.ENGRAM in going:
            tally[PENDING] -= database.memory.state.tally.get(PENDING, 0)
        for entry in cut:
            tally[f"link:{entry.edge.kind.value}"] -= 1
        writing.done.tally = tally
        writing.done.links = [Change(entry, None) for entry in cut]
        writing.done.terms = {kind: dict.fromkeys(ids, ()) for kind, ids in gone.items()}
        writing.done.vectors = [(kind, space, id, None) for kind, ids in gone.items() for space in Space for id in ids]
        if Kind.ENGRAM in going:
            with database.gate:
                writing.done.hashes = dict.fromkeys(database.hashes())
    return sum(len(ids) for kind, ids in gone.items() if kind in kinds)


# --- what is there ------------------------------------------------------------------------------


def _current(db: Connection, wanted: Needs, links: Adjacency, hashes: Mapping[str, str]) -> Current:
    passages: dict[str, list[str]] = defaultdict(list)
    if wanted.doomed:
        pairs = "UNWIND $ids AS i MATCH (t:passage) WHERE t.engram_id = i RETURN t.engram_id, t.id"
        for engram, passage in db.run(pairs, ids=sorted(wanted.doomed)):
            passages[engram].append(passage)
    also = [passage for own in passages.values() for passage in own]
    asked = {kind: set(ids) for kind, ids in wanted.records.items()}
    if also:
        asked.setdefault(Kind.PASSAGE, set()).update(also)
    records: dict[Kind, dict[str, Row]] = {}
    for kind, ids in asked.items():
        names = ["id", "version", *sorted(wanted.fields.get(kind, frozenset()) - {"id", "version"})]
        if kind is Kind.ENGRAM:
            names.append("content_hash")
        known = [name for name in names if name in CODECS[kind].names]
        records[kind] = {row[0]: dict(zip(known, row, strict=True)) for row in rows_of(db, kind.value, ids, known)}
    terms: dict[Kind, dict[str, tuple[str, ...]]] = {}
    for kind in Kind:
        texts = set(wanted.terms.get(kind, ())) | (set(also) if kind is Kind.PASSAGE else set())
        rows = rows_of(db, kind.value, texts, ["id", TERMS])
        terms[kind] = {id: tuple(text.split(" ")) for id, text in rows if text}
    found = {row[0]: dict(zip(LINK_FIELDS, row, strict=True)) for row in rows_of(db, LINK, wanted.links, LINK_FIELDS)}
    around = {id for ids in wanted.around.values() for id in ids} | set(also)
    for id, entry in links.at(around).items():
        if id not in found:
            found[id] = _known(entry)
    owners = {hash: hashes[hash] for hash in wanted.hashes if hash in hashes}
    return Current(
        records=records,
        passages={engram: tuple(own) for engram, own in passages.items()},
        terms=terms,
        links=found,
        owners=owners,
    )


def _known(entry: Entry) -> Row:
    edge = entry.edge
    return {
        "id": entry.id,
        "kind": edge.kind.value,
        "src": edge.src,
        "dst": edge.dst,
        "src_kind": entry.ends[0],
        "dst_kind": entry.ends[1],
        "strength": edge.strength,
        "asserted": int(edge.asserted),
    }


# --- what is written ----------------------------------------------------------------------------


def _write(writing: Writing, changes: Changes, current: Current, links: Adjacency, hashes: Mapping[str, str]) -> None:
    db, done = writing.db, writing.done
    vectors = _packed(writing, changes)
    dropped: list[tuple[Kind, Space, str, Any]] = []
    for kind in Kind:
        stored = current.records.get(kind, {})
        gone = [id for id in changes.deletes.get(kind, ()) if id in stored]
        puts, patches = changes.puts.get(kind, {}), changes.patches.get(kind, {})
        rows: dict[str, dict[str, Any]] = {id: dict(row) for id, row in puts.items()}
        for id, row in patches.items():
            rows[id] = {"id": id, **row}
        for id in gone:
            if id in rows:
                rows[id] = dict.fromkeys(MADE) | rows[id]
            dropped += [(kind, space, id, None) for space in Space]
        for id, terms in changes.terms.get(kind, {}).items():
            if id in rows or id in stored:
                rows.setdefault(id, {"id": id})[TERMS] = " ".join(terms) if terms else None
        for id, made in vectors.get(kind, {}).items():
            rows.setdefault(id, {"id": id}).update(made)
        left = set(gone) - puts.keys()
        _delete(db, kind.value, left)
        create(db, kind.value, record_columns(kind), [row for id, row in rows.items() if id not in stored])
        _set(db, kind.value, [row for id, row in rows.items() if id in stored and id not in left])
    done.vectors = [*dropped, *_vector_changes(changes)]
    done.terms = changes.terms
    done.hashes = _hashes(changes, current, hashes)
    done.links = _write_links(db, changes, links)
    done.tally = {str(name): n for name, n in changes.tally.items()}
    _write_meta(writing, changes.meta)
    write_claims(writing, changes.release, changes.grants, time.time())


def _packed(writing: Writing, changes: Changes) -> dict[Kind, dict[str, dict[str, Any]]]:
    """Return the properties that hold vectors and tokens, by kind and id."""
    found: dict[Kind, dict[str, dict[str, Any]]] = defaultdict(lambda: defaultdict(dict))
    dimensions: dict[Space, int | None] = {}
    for (kind, id, space), item in changes.vectors.items():
        made = found[kind][id]
        if item.vector is None:
            made[vector_column(space)] = None
        else:
            if space not in dimensions:
                dimensions[space] = _dimension(writing, space, changes.meta)
            made[vector_column(space)], dimensions[space] = packed_vector(item.vector, dimensions[space])
        if space is Space.MODEL:
            no_tokens = item.vector is None or item.tokens is None
            made[WIDTH], made[TOKENS] = (None, None) if no_tokens else packed_tokens(cast(Any, item.tokens))
    return found


def _dimension(writing: Writing, space: Space, meta: Mapping[str, str | None]) -> int | None:
    if space is Space.MODEL:
        if DIMENSION_KEY in meta:
            return int(meta[DIMENSION_KEY] or 0) or None
        if (known := writing.memory.state.meta.get(DIMENSION_KEY)) is not None:
            return int(known)
    return dimension_in_use(writing.db, space)


def _vector_changes(changes: Changes) -> list[tuple[Kind, Space, str, Any]]:
    import numpy as np

    return [
        (kind, space, id, None if item.vector is None else np.asarray(item.vector, np.float32).copy())
        for (kind, id, space), item in changes.vectors.items()
    ]


def _hashes(changes: Changes, current: Current, hashes: Mapping[str, str]) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    stored = current.records.get(Kind.ENGRAM, {})
    new = {**changes.patches.get(Kind.ENGRAM, {}), **changes.puts.get(Kind.ENGRAM, {})}
    for id in {*changes.deletes.get(Kind.ENGRAM, ()), *(id for id, row in new.items() if "content_hash" in row)}:
        old = stored.get(id, {}).get("content_hash")
        if isinstance(old, str) and hashes.get(old) == id:
            found[old] = None
    for id, row in new.items():
        if isinstance(hash := row.get("content_hash"), str):
            found[hash] = id
    return found


def _write_links(db: Connection, changes: Changes, links: Adjacency) -> list[Change]:
    rows: list[dict[str, Any]] = []
    changed: list[dict[str, Any]] = []
    last = links.last
    gone = [old for id in changes.unlinks if id not in changes.links and (old := links.of(id)) is not None]
    made = [Change(old, None) for old in gone]
    _delete(db, LINK, [old.id for old in gone])
    for id, row in changes.links.items():
        old = links.of(id)
        if old is None or id in changes.unlinks:
            last += 1
        number = last if old is None or id in changes.unlinks else old.number
        (rows if old is None else changed).append({**row, NUMBER: number})
        made.append(Change(old, _entry(row, number)))
    for id, part in changes.relinks.items():
        changed.append({"id": id, **part})
        old = links.of(id)
        if old is not None and "strength" in part:
            made.append(Change(old, old._replace(edge=old.edge._replace(strength=cast(float, part["strength"])))))
    create(db, LINK, LINK_COLUMNS, rows)
    _set(db, LINK, changed)
    return made


def _entry(row: Row, number: int) -> Entry:
    edge = Edge(
        cast(str, row["src"]),
        cast(str, row["dst"]),
        LinkKind(cast(str, row["kind"])),
        cast(str, row["relation_type"]),
        cast(float, row["strength"]),
        bool(row["asserted"]),
    )
    return Entry(number, cast(str, row["id"]), edge, (cast(str, row["src_kind"]), cast(str, row["dst_kind"])))


def _write_meta(writing: Writing, meta: Mapping[str, str | None]) -> None:
    known = writing.memory.state.meta
    writing.done.new_dimension = DIMENSION_KEY in meta and known.get(DIMENSION_KEY) != meta[DIMENSION_KEY]
    for key, value in meta.items():
        if value is not None:
            writing.db.run(f"MERGE (m:{META} {{key: $k}}) SET m.value = $v", k=key, v=value)
        elif key in known:
            writing.db.run(f"MATCH (m:{META} {{key: $k}}) DELETE m", k=key)
    writing.done.meta = meta


# --- claims -------------------------------------------------------------------------------------


def take_claims(database: Database, kind: str, ids: Sequence[str], holder: str, ttl: float) -> frozenset[str]:
    """See ``GraphStore.claim``."""
    with database.writing() as writing:
        now = time.time()
        claims = writing.memory.claims
        free = []
        for id in dict.fromkeys(ids):
            held = claims.get((kind, id))
            if held is None or held[0] == holder or not _runs(held[1], now):
                free.append(id)
        write_claims(writing, (), [Grant(kind, id, holder, ttl) for id in free], now)
    return frozenset(free)


def write_claims(writing: Writing, release: Iterable[tuple[str, str]], grants: Iterable[Grant], now: float) -> None:
    """Give up claims and give others to new holders, whoever had them; those that have run out go."""
    changes: dict[tuple[str, str], tuple[str, float] | None] = dict.fromkeys(release)
    for grant in grants:
        check_ttl(grant.ttl)
        changes[grant.kind, grant.id] = grant.holder, now + grant.ttl
    if not changes:
        return
    known = writing.memory.claims
    for key, (_, expires) in known.items():
        if not _runs(expires, now):
            changes.setdefault(key, None)
    rows = [
        {"key": _key(key), "kind": key[0], "id": key[1], "holder": claim[0], "expires": claim[1]}
        for key, claim in changes.items()
        if claim is not None
    ]
    gone = [_key(key) for key in changes if key in known]
    for some in _chunks(gone):
        writing.db.run(f"UNWIND $ids AS i MATCH (c:{CLAIM} {{key: i}}) DELETE c", ids=some)
    create(writing.db, CLAIM, ("key", "kind", "id", "holder", "expires"), rows)
    writing.done.claims = changes


def _runs(expires: float, now: float) -> bool:
    # What runs out later than any claim can was taken before the clock was set back.
    return now < expires <= now + LONGEST_CLAIM


def _key(key: tuple[str, str]) -> str:
    return json.dumps(key, ensure_ascii=False)


# --- statements ---------------------------------------------------------------------------------


def _delete(db: Connection, table: str, ids: Iterable[str]) -> None:
    for some in _chunks(list(ids)):
        db.run(f"UNWIND $ids AS i MATCH (t:{table} {{id: i}}) DELETE t", ids=some)


def create(db: Connection, table: str, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    """Make nodes of a table that are not there yet."""
    for some in _chunks(rows):
        # A null has no type, and what is null in all rows would have to be cast from nothing.
        known = [name for name in columns if any(row.get(name) is not None for row in some)]
        fields = ", ".join(f"{quoted(name)}: r.{quoted(name)}" for name in known)
        full = [{name: row.get(name) for name in known} for row in some]
        db.run(f"UNWIND $rows AS r CREATE (:{table} {{{fields}}})", rows=full)


def _set(db: Connection, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
    alike: dict[tuple[tuple[str, bool], ...], list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        alike[tuple((name, value is None) for name, value in sorted(row.items()))].append(row)
    for names, group in alike.items():
        fields = ", ".join(
            f"t.{quoted(name)} = {'NULL' if null else f'r.{quoted(name)}'}" for name, null in names if name != "id"
        )
        for some in _chunks(group):
            if fields:
                full = [{name: row[name] for name, null in names if not null} for row in some]  # all in one order
                db.run(f"UNWIND $rows AS r MATCH (t:{table} {{id: r.id}}) SET {fields}", rows=full)


def _chunks(items: Sequence[Any]) -> Iterable[list[Any]]:
    for start in range(0, len(items), _ROWS):
        yield list(items[start : start + _ROWS])
