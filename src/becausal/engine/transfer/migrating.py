# SPDX-License-Identifier: Apache-2.0
"""A whole memory from one store into another: records with their ids and versions, links, vectors and what is
remembered about them.

What is there already from an earlier try is passed over, so a migration that was interrupted goes on where it was.
Claims are not taken along: they are held for minutes, by programs that work on the old store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import closing
from datetime import tzinfo
from typing import cast

from ...consolidate import communities, fading, run
from ...domain.records import KIND_OF, Engram, Kind, Link, LinkKind, Passage
from ...encode.compose import word_vectors
from ...encode.terms import terms_of
from ...errors import InvalidInput, NotFound, StoreError, StoreUnavailable
from ...ports.batch import Batch, Put, PutLink, PutVector
from ...ports.store import Damaged, GraphStore, Kept
from .. import embedding
from ..enriching.due import ALL_SINCE
from ..results import Progress
from ..upkeep import backups, consolidating
from .report import Tell
from .results import Migrated, Skipped

UNFINISHED = "migrating_from"
"""Key of what a store that is being filled remembers: where from."""

REMEMBERED = (
    *(embedding.NAME, embedding.DIMENSION, embedding.STARTED, embedding.VECTORS_DUE),
    *(communities.CLUSTERS, communities.NAMES, communities.RESOLUTION, communities.NEXT_ID, communities.SHAPE),
    *(fading.STRENGTHENED, run.STATE, consolidating.LAST, ALL_SINCE, backups.LAST, backups.TROUBLE),
)
"""Keys of all that is remembered about a memory."""

GROUP = 256
MOST_NAMED = 100


def migrate(source: GraphStore, target: GraphStore, zone: tzinfo, tell: Tell) -> Migrated:
    """Bring everything that ``source`` holds into ``target``, which holds nothing but the beginning of the same.

    Raises:
        NotFound: the source holds nothing.
        InvalidInput: the target holds a memory already.
        StoreError: one of them fails, or not all has arrived; what has arrived stays for the next try.
    """
    total = _held(source)
    if not total:
        raise NotFound("memory", source.location)
    begun = target.meta(UNFINISHED)
    if begun is None:
        must_be_empty(target)
    if begun is not None and begun != source.location:
        raise InvalidInput("target", f"is half filled by a migration from {begun}, not from {source.location}")
    remembered = {key: text for key in REMEMBERED if (text := source.meta(key)) is not None}
    target.write(Batch(meta={**remembered, UNFINISHED: source.location}))
    report = _Report(source, target, total, tell)
    with closing(cast("Generator[Kept | Damaged]", source.scan(vectors=True))) as found:
        group: list[Kept] = []
        told: Engram | None = None  # the memory that the passages after it are parts of
        texts: dict[str, str] = {}
        for each in found:
            if isinstance(each, Damaged):
                report.damaged.append(Skipped(where=f"{each.kind} {each.id}", why=each.problem))
                continue
            item = each.item
            starts_anew = not isinstance(item, Passage)
            if group and starts_anew and (len(group) >= GROUP or type(item) is not type(group[0].item)):
                report.bring(group, texts, zone)
                group, texts = [], {}
            if isinstance(item, Engram):
                told = item
            if told is not None and isinstance(item, Passage):
                texts[item.id] = told.content
            group.append(each)
        report.bring(group, texts, zone)
    report.must_be_complete()
    target.write(Batch(meta={UNFINISHED: None}))
    return report.migrated()


def _held(store: GraphStore) -> int:
    return sum(number for name, number in store.count().items() if name != "pending")


def must_be_empty(store: GraphStore) -> None:
    """Refuse to bring a memory into a store that holds one.

    Raises:
        InvalidInput: it does.
    """
    if _held(store):
        raise InvalidInput("target", f"already holds a memory, which is left as it is: {store.location}")


def must_be_finished(store: GraphStore) -> None:
    """Refuse to work with a store that a migration has filled only in part.

    Raises:
        StoreUnavailable: it is such a one.
    """
    if (source := store.meta(UNFINISHED)) is not None:
        raise StoreUnavailable(
            f"the memory at {store.location} is being filled by a migration from {source} that has not ended: "
            "run the same 'becausal migrate' again, and it goes on"
        )


class _Report:
    """Writes group after group, and counts."""

    def __init__(self, source: GraphStore, target: GraphStore, total: int, tell: Tell) -> None:
        self.damaged: list[Skipped] = []
        self._source, self._target = source, target
        self._total, self._tell = total, tell
        self._records: Counter[str] = Counter()
        self._links = 0
        self._known = 0
        self._seen: Counter[str] = Counter()

    def bring(self, group: Sequence[Kept], texts: dict[str, str], zone: tzinfo) -> None:
        """Write those of a group that are not there, in one transaction."""
        if not group:
            return
        done = sum(self._seen.values())
        self._tell(Progress(what="migrating", done=done, total=max(self._total, done)))
        links = [each.item for each in group if isinstance(each.item, Link)]
        puts, vectors = [], []
        there: set[str] = set()
        records = [each.item for each in group if not isinstance(each.item, Link)]
        for kind in {KIND_OF[type(record)] for record in records}:
            ids = [record.id for record in records if KIND_OF[type(record)] is kind]
            there |= self._target.peek(kind, ids, ("version",)).keys()
            self._seen[kind.value] += len(ids)
        for each in group:
            item = each.item
            if isinstance(item, Link) or item.id in there:
                continue
            kind = KIND_OF[type(item)]
            self._records[kind.value] += 1
            puts.append(Put(item, terms_of(item, zone, texts.get(item.id, "")), keep_version=True))
            if each.vector is not None:
                vectors.append(PutVector(kind, item.id, each.vector, tokens=each.tokens))
            if isinstance(item, Engram):
                vectors += word_vectors(item)
        written = self._target.write(
            Batch(puts=tuple(puts), vectors=tuple(vectors), links=tuple(PutLink(link) for link in links))
        )
        new = sum(link.id in written.created for link in links)
        self._links += new
        self._known += len(there) + len(links) - new
        for link in links:
            self._seen[link.kind.value] += 1

    def must_be_complete(self) -> None:
        """Compare what was read with what is there now.

        Raises:
            StoreError: something is missing, or there is more.
        """
        counts = self._target.count()
        links = () if self.damaged else (kind.value for kind in LinkKind)  # those to what is damaged stay behind
        for name in (*(kind.value for kind in Kind), *links):
            if counts.get(name, 0) != self._seen[name]:
                raise StoreError(
                    f"{self._seen[name]:,} of {name} were read from {self._source.location}, but "
                    f"{self._target.location} holds {counts.get(name, 0):,}: the migration is not complete"
                )

    def migrated(self) -> Migrated:
        return Migrated(
            source=self._source.location,
            target=self._target.location,
            records=dict(self._records),
            links=self._links,
            known=self._known,
            damaged=tuple(self.damaged[:MOST_NAMED]),
        )
