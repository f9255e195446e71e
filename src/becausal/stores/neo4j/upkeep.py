# SPDX-License-Identifier: Apache-2.0
"""Going through a user's whole memory, erasing kinds of records, scrubbing, and verifying."""

from __future__ import annotations

import pickle
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import IO, TYPE_CHECKING, Any, cast

from ...domain.records import Kind, LinkKind
from ...errors import StoreCorrupt
from ...ports.batch import Space
from ...ports.store import Damaged, Kept
from ..codec import CODECS, LINK_CODEC
from ..graphdb.tally import PENDING
from . import names
from .connection import Connection
from .writing import Root, lock

if TYPE_CHECKING:
    from neo4j import ManagedTransaction

_ROWS = 500
_MOST_PROBLEMS = 20


def scan(connection: Connection, mark: str, newest: int, vectors: bool) -> Iterator[Kept | Damaged]:
    """See ``GraphStore.scan``.

    The server shows what others write meanwhile. So all is copied to a file that has no name, while no one can
    write to this memory, and then read from there.
    """
    with tempfile.TemporaryFile() as file:

        def copy(tx: ManagedTransaction) -> None:
            file.seek(0)
            file.truncate()
            _copy(lock(tx, mark, newest), vectors, file)

        connection.write(copy, unhurried=True)
        file.seek(0)
        yield from _read_back(file)


def _copy(root: Root, vectors: bool, file: IO[bytes]) -> None:
    def pages(match: str, row: str) -> Iterator[list[Any]]:
        after = ""
        while rows := root.run(f"{match} WITH t ORDER BY t.mark, t.id LIMIT {_ROWS} RETURN {row}", after=after):
            yield rows
            after = rows[-1][0][0]

    def dump(kind: Kind, rows: Sequence[Sequence[Any]]) -> None:
        found: dict[str, tuple[Any, ...]] = {}
        if vectors and rows:
            keys = [names.key(root.mark, "vector", kind.value, row[0]) for row in rows]
            query = f"MATCH (v:{names.VECTOR}) WHERE v.pk IN $keys AND v.data IS NOT NULL "
            for id, *values in root.run(query + "RETURN v.id, v.data, v.width, v.tokens", keys=keys):
                found[id] = tuple(values)
        for row in rows:
            pickle.dump((kind.value, row, found.get(row[0])), file)

    def match(kind: Kind) -> str:
        return f"MATCH (t:{names.label(kind)}) WHERE t.mark = $mark AND t.id > $after"

    for page in pages(match(Kind.ENGRAM), names.row_of(Kind.ENGRAM)):
        rows = root.run(
            f"MATCH (t:{names.label(Kind.PASSAGE)}) WHERE t.mark = $mark AND t.engram_id IN $ids "
            f"RETURN t.engram_id, {names.row_of(Kind.PASSAGE)} ORDER BY t.engram_id, t.position, t.id",
            ids=[row[0] for (row,) in page],
        )
        of = {id: [row for _, row in group] for id, group in groupby(rows, key=itemgetter(0))}
        for (row,) in page:
            dump(Kind.ENGRAM, [row])
            dump(Kind.PASSAGE, of.get(row[0], []))
    for kind in Kind:
        if kind not in (Kind.ENGRAM, Kind.PASSAGE):
            for page in pages(match(kind), names.row_of(kind)):
                dump(kind, [row for (row,) in page])
    links: list[Any] = []
    for link_kind in LinkKind:
        query = f"MATCH ()-[l:{link_kind.value}]->() WHERE l.mark = $mark RETURN l.id"
        links += [(id, link_kind) for (id,) in root.run(query)]
    links.sort()
    for start in range(0, len(links), _ROWS):
        chosen = links[start : start + _ROWS]
        rows = []
        for link_kind in dict.fromkeys(kind for _, kind in chosen):
            query = f"MATCH ()-[l:{link_kind.value}]->() WHERE l.mark = $mark AND l.id IN $ids RETURN {names.LINK_ROW}"
            rows += [row for (row,) in root.run(query, ids=[id for id, kind in chosen if kind is link_kind])]
        for row in sorted(rows, key=itemgetter(0)):
            pickle.dump(("link", row, None), file)


def _read_back(file: IO[bytes]) -> Iterator[Kept | Damaged]:
    import numpy as np

    damaged: list[Damaged] = []
    while True:
        try:
            what, row, extra = pickle.load(file)
        except EOFError:
            yield from damaged
            return
        codec: Any = LINK_CODEC if what == "link" else CODECS[Kind(what)]
        try:
            item = codec.decode(row)
        except StoreCorrupt as error:
            damaged.append(Damaged(what, str(row[0]), str(error)))
            continue
        if extra is None:
            yield Kept(item)
            continue
        data, width, tokens = extra
        vector = np.frombuffer(data, dtype="<f4").astype(np.float32)
        yield Kept(item, vector, None if tokens is None else np.frombuffer(tokens, np.int8).reshape(-1, width))


def clear(root: Root, kinds: Sequence[Kind]) -> int:
    """Erase all records of these kinds with the root locked; see ``GraphStore.clear``."""
    gone = 0
    doomed = list(dict.fromkeys(kinds))
    if Kind.ENGRAM in doomed and Kind.PASSAGE not in doomed:
        doomed.append(Kind.PASSAGE)
    for kind in doomed:
        n = root.counts.get(kind.value, 0)
        gone += n if kind in kinds else 0
        root.run(f"MATCH (t:{names.label(kind)}) WHERE t.mark = $mark DETACH DELETE t")
        root.run(f"MATCH (f:{names.TERM}) WHERE f.mark = $mark AND f.kind = $kind DELETE f", kind=kind.value)
        spaces = [names.space_name(kind, space) for space in Space]
        root.run(f"MATCH (v:{names.VECTOR}) WHERE v.mark = $mark AND v.name IN $names DELETE v", names=spaces)
        pending = (PENDING,) if kind is Kind.ENGRAM else ()
        for name in (kind.value, f"documents:{kind.value}", f"length:{kind.value}", *pending):
            root.counts.pop(name, None)
    left = dict(_links(root))
    for link_kind in LinkKind:
        root.counts[f"link:{link_kind.value}"] = left.get(link_kind.value, 0)
    root.epoch += 1
    root.finish()
    return gone


def _links(root: Root) -> list[Any]:
    return root.run(f"MATCH (t:{names.RECORD})-[l]->() WHERE t.mark = $mark RETURN l.kind, count(l)")


def erase_traces(root: Root) -> None:
    """Take away what marks what is gone, with the root locked."""
    root.run(f"MATCH (v:{names.VECTOR}) WHERE v.mark = $mark AND v.data IS NULL DELETE v")
    root.run(f"MATCH (f:{names.TERM}) WHERE f.mark = $mark AND f.n <= 0 DELETE f")
    root.run(f"MATCH (c:{names.CLAIM}) WHERE c.mark = $mark AND c.expires <= $now DELETE c", now=time.time())
    root.epoch += 1
    root.finish()


def find_problems(root: Root) -> list[str]:
    """Return what does not agree in a memory, with the root locked."""
    problems: list[str] = []

    def count(query: str, **params: object) -> int:
        return cast(int, root.run(query, **params)[0][0])

    actual: dict[str, int] = {}
    terms: dict[str, int] = {}
    for kind in Kind:
        label = names.label(kind)
        after = ""
        row = f"MATCH (t:{label}) WHERE t.mark = $mark AND t.id > $after RETURN {names.row_of(kind)}, t.text"
        while rows := root.run(f"{row} ORDER BY t.id LIMIT {_ROWS}", after=after):
            after = rows[-1][0][0]
            for values, text in rows:
                actual[kind.value] = actual.get(kind.value, 0) + 1
                try:
                    CODECS[kind].decode(values)
                except StoreCorrupt as error:
                    problems.append(f"{kind.value} '{values[0]}' cannot be read: {error}")
                if text:
                    held = text.split()
                    for name, n in ((f"documents:{kind.value}", 1), (f"length:{kind.value}", len(held))):
                        actual[name] = actual.get(name, 0) + n
                    for token in set(held):
                        terms[token] = terms.get(token, 0) + 1
        lost = (
            f"MATCH (v:{names.VECTOR}) WHERE v.mark = $mark AND v.name IN $names AND v.data IS NOT NULL "
            f"AND NOT EXISTS {{ MATCH (t:{label} {{mark: $mark, id: v.id}}) }} RETURN count(v)"
        )
        if n := count(lost, names=[names.space_name(kind, space) for space in Space]):
            problems.append(f"{n} vectors of no {kind.value}")
    orphans = (
        f"MATCH (t:{names.label(Kind.PASSAGE)}) WHERE t.mark = $mark AND NOT EXISTS "
        f"{{ MATCH (e:{names.label(Kind.ENGRAM)} {{mark: $mark, id: t.engram_id}}) }} RETURN count(t)"
    )
    if n := count(orphans):
        problems.append(f"{n} passages without their engram")
    strangers = f"MATCH (t:{names.RECORD})-[l]-(o) WHERE t.mark = $mark AND (o.mark <> $mark OR l.mark <> $mark) "
    if n := count(strangers + "RETURN count(l)"):
        problems.append(f"{n} links with an end in another memory")
    actual[PENDING] = count(
        f"MATCH (t:{names.label(Kind.ENGRAM)}) WHERE t.mark = $mark AND t.indexed_at IS NULL RETURN count(t)"
    )
    actual |= {f"link:{kind}": n for kind, n in _links(root)}
    counted = dict(root.run(f"MATCH (f:{names.TERM}) WHERE f.mark = $mark AND f.n <> 0 RETURN f.pk, f.n"))
    if counted != terms:
        wrong = sum(1 for token in counted.keys() | terms.keys() if counted.get(token) != terms.get(token))
        problems.append(f"text index: the number of records of {wrong} terms is remembered wrong")
    problems += [
        f"count of {name}: is remembered as {root.counts.get(name, 0)}, should be {actual.get(name, 0)}"
        for name in sorted(root.counts.keys() | actual.keys())
        if root.counts.get(name, 0) != actual.get(name, 0)
    ]
    return problems[:_MOST_PROBLEMS]
