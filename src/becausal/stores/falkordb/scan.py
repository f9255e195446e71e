# SPDX-License-Identifier: Apache-2.0
"""Going through everything as it stands at one moment.

The server cannot hold a state still over several queries. So all of it is read into a temporary file first, and again
if somebody has written meanwhile; what is yielded comes from the file, and memory use does not grow with it.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterator, Sequence
from typing import IO, Any, cast

from ...domain.records import KIND_OF, Kind, Passage, Record
from ...errors import StoreBusy
from ...ports.store import Damaged, Kept
from ..codec import CODECS, LINK_CODEC
from .linking import link_of
from .reading import decoded, listed, matched
from .root import read_root
from .session import Session
from .values import keys_of
from .vectors import read_vectors

_ROWS = 500
_TRIES = 5


def scan_all(session: Session, vectors: bool) -> Iterator[Kept | Damaged]:
    """See ``GraphStore.scan``.

    Raises:
        StoreBusy: others write without a pause.
    """
    with tempfile.TemporaryFile(prefix="becausal-") as file:
        for _ in range(_TRIES):
            before = read_root(session).rev
            file.seek(0)
            file.truncate()
            for each in _read_all(session, vectors):
                pickle.dump(each, file)
            if read_root(session).rev == before:
                break
        else:
            raise StoreBusy(f"{session.location} is written to without a pause; try again")
        file.seek(0)
        yield from _loaded(file)


def _loaded(file: IO[bytes]) -> Iterator[Kept | Damaged]:
    while True:
        try:
            yield cast("Kept | Damaged", pickle.load(file))  # a file of this process's own, that has no name
        except EOFError:
            return


def _read_all(session: Session, vectors: bool) -> Iterator[Kept | Damaged]:
    damaged: list[Damaged] = []

    def skip(kind: str, id: str, problem: str) -> None:
        damaged.append(Damaged(kind, id, problem))

    for rows in _pages(session, Kind.ENGRAM):
        engrams = list(decoded(Kind.ENGRAM, rows, skip))
        passages: dict[str, list[Record]] = {}
        own = session.read(
            f"{matched(Kind.PASSAGE)} AND t._engram_id IN $ids RETURN {listed(CODECS[Kind.PASSAGE].names)} "
            "ORDER BY t.position, t.id",
            ids=keys_of(engram.id for engram in engrams),
        )
        for passage in decoded(Kind.PASSAGE, own, skip):
            passages.setdefault(cast(Passage, passage).engram_id, []).append(passage)
        kept = {each.item.id: each for each in _kept(session, engrams, vectors)}
        for engram in engrams:
            yield kept[engram.id]
            yield from _kept(session, passages.get(engram.id, []), vectors)
    for kind in Kind:
        if kind not in (Kind.ENGRAM, Kind.PASSAGE):
            for rows in _pages(session, kind):
                yield from _kept(session, list(decoded(kind, rows, skip)), vectors)
    after = ""
    names = listed(LINK_CODEC.names, "r")
    while rows := session.read(
        f"MATCH ()-[r:LINK]->() WHERE r._owner = $o AND r.id > $after RETURN {names} ORDER BY r.id LIMIT {_ROWS}",
        after=after,
    ):
        after = rows[-1][0]
        yield from (Kept(link) for row in rows if (link := link_of(row, skip)) is not None)
    yield from damaged


def _pages(session: Session, kind: Kind) -> Iterator[list[list[Any]]]:
    after = ""
    while rows := session.read(
        f"{matched(kind)} WITH t WHERE t.id > $after RETURN {listed(CODECS[kind].names)} ORDER BY t.id LIMIT {_ROWS}",
        after=after,
    ):
        after = rows[-1][0]
        yield rows


def _kept(session: Session, records: Sequence[Record], vectors: bool) -> Iterator[Kept]:
    if not vectors or not records:
        yield from map(Kept, records)
        return
    own = read_vectors(session, KIND_OF[type(records[0])], [record.id for record in records])
    for record in records:
        yield Kept(record, *own.get(record.id, ()))
