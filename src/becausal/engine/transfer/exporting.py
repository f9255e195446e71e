# SPDX-License-Identifier: Apache-2.0
"""A whole memory as lines of JSON, from which ``restoring`` makes the same memory again.

The first line says what follows, the last one how much of it there was::

    {"becausal": "memory", "format": 1, "schema": 2, "version": …, "user": …, "embedder": …, "vectors": false, …}
    {"record": {"kind": "engram", "id": …}}
    {"link": {"kind": "ENCODED_BY", "id": …}}
    {"end": {"records": {"engram": 1}, "links": 1}}

Each record has all its fields, but not its version, which counts the writes of one store. With vectors, a
record has beside it ``vector``, base64 of 32-bit floats, and ``tokens``, base64 of bytes, ``width`` for each token.
"""

from __future__ import annotations

import base64
import json
from collections import Counter
from collections.abc import Iterator

from ..._version import __version__
from ...domain.records import KIND_OF, Change, Json, Kind, Link
from ...ports.store import Damaged, GraphStore, Kept
from ...stores.codec import link_to_json, record_to_json
from ..results import Progress
from .lines import CARRIED, FORMAT, MARK
from .report import Tell
from .results import Exported, Skipped

EVERY = 500
"""Lines between two reports of progress."""


class Export:
    """One going through a store. ``done`` says what the lines held once they have all been taken."""

    def __init__(self, store: GraphStore, *, vectors: bool, changes: bool, tell: Tell) -> None:
        self.done = Exported()
        self._store = store
        self._vectors = vectors
        self._changes = changes
        self._tell = tell

    def lines(self) -> Iterator[str]:
        """Yield each line, without its end."""
        total = sum(number for name, number in self._store.count().items() if name != "pending")
        yield _line(_manifest(self._store, self._vectors))
        records: Counter[str] = Counter()
        links = 0
        damaged: list[Skipped] = []
        for number, each in enumerate(self._store.scan(self._vectors)):
            if number % EVERY == 0:
                self._tell(Progress(what="exporting", done=number, total=max(total, number)))
            if isinstance(each, Damaged):
                damaged.append(Skipped(where=f"{each.kind} {each.id}", why=each.problem))
            elif isinstance(each.item, Link):
                links += 1
                yield _line({"link": link_to_json(each.item)})
            elif self._changes or not isinstance(each.item, Change):
                records[KIND_OF[type(each.item)].value] += 1
                yield _line(_record(each))
        counted = {kind.value: records[kind.value] for kind in Kind if records[kind.value]}
        self.done = Exported(records=counted, links=links, damaged=tuple(damaged))
        yield _line({"end": {"records": dict(counted), "links": links}})


def _manifest(store: GraphStore, vectors: bool) -> dict[str, Json]:
    return {
        MARK: "memory",
        "format": FORMAT,
        "schema": int(store.meta("schema_version") or 0),
        "version": __version__,
        "user": store.user,
        "embedder": store.meta("embedder_name"),
        "vectors": vectors,
        "state": {name: text for name in CARRIED if (text := store.meta(name)) is not None},
    }


def _record(kept: Kept) -> dict[str, Json]:
    assert not isinstance(kept.item, Link)
    fields = record_to_json(kept.item)
    del fields["version"]
    if kept.vector is None:
        return {"record": fields}
    data: dict[str, Json] = {"record": fields, "vector": _text(kept.vector.astype("<f4").tobytes())}
    if kept.tokens is not None:
        data |= {"tokens": _text(kept.tokens.tobytes()), "width": kept.tokens.shape[1]}
    return data


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _line(data: dict[str, Json]) -> str:
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
