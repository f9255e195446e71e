# SPDX-License-Identifier: Apache-2.0
"""From the lines of an export to the same memory again, in an empty store or beside what is there already.

The file is read twice: first every line is examined, then what is new is written, in groups, each in one
transaction together with its vectors. What is there is left as it is, so an import that was interrupted goes
on where it was when it is started again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import IO, TYPE_CHECKING, Any, TypeAlias, cast

from ...domain.ids import link_id
from ...domain.interval import Interval
from ...domain.records import (
    KIND_OF,
    Cause,
    Change,
    Cue,
    Engram,
    Entity,
    Event,
    Fact,
    Json,
    Kind,
    Link,
    LinkKind,
    Passage,
    Record,
)
from ...encode.compose import word_vectors
from ...encode.terms import terms_of
from ...encode.vectors import takes_vector, vectors_of
from ...errors import Conflict, ModelUnavailable
from ...graphs.causes import cause_id
from ...graphs.concepts import cue_id
from ...graphs.entities import extracted_id, typed_id
from ...graphs.linking import relation_key
from ...graphs.timeline import event_id, fact_id
from ...models.lazy import LazyEmbedder
from ...ports.batch import Batch, Patch, Put, PutLink, PutVector, Space
from ...ports.store import Condition, GraphStore, Op
from ..embedding import VECTORS_DUE, may_index
from ..results import Progress
from ..upkeep.quiet import unconsolidated
from .lines import End, Line, Manifest, Read, Unread, read_lines, read_manifest
from .report import Report, Tell
from .results import Imported

if TYPE_CHECKING:
    from ...ports.models import Vector

GROUP = 64
"""Engrams, or other records, written in one transaction."""

LINKS = 512


@dataclass(slots=True)
class _Told:
    """An engram of the file with its passages."""

    read: Read
    passages: list[Read]

    @property
    def engram(self) -> Engram:
        return cast(Engram, self.read.item)

    @property
    def parts(self) -> list[Passage]:
        return [cast(Passage, each.item) for each in self.passages]


_Group: TypeAlias = Sequence[_Told] | Sequence[Read]
UNDIRECTED = (LinkKind.CO_OCCURS, LinkKind.SAME_AS)
"""Links that are stored once, smaller id first."""


class Restorer:
    """Brings one export into one store."""

    def __init__(self, store: GraphStore, embedder: LazyEmbedder, zone: tzinfo, tell: Tell) -> None:
        self._store = store
        self._embedder = embedder
        self._zone = zone
        self._tell = tell
        self._ids: dict[str, str] = {}  # ids of the file that mean another record here
        self._hashes: dict[str, str] = {}  # memories by what makes them the same
        self._coming: set[str] = set()  # what a dry run would have written
        self._owner = store.user  # whose memory was exported
        self._report = Report("becausal")
        self._total = 0
        self._renew: Callable[[], None] = lambda: None
        self._use_vectors = False
        self._embed = False
        self._again = False  # whether memories that were indexed there must be indexed anew here

    def restore(self, file: IO[bytes], *, dry_run: bool) -> Imported:
        """Bring what is new; ``file`` must be seekable.

        Raises:
            InvalidInput: it is no export, or one in a format that this version does not know.
        """
        manifest = read_manifest(file)
        self._owner = manifest.user
        start = file.tell()
        self._examine(file, manifest)
        file.seek(start)
        self._use_vectors = manifest.embedder is not None and manifest.embedder == self._store.meta("embedder_name")
        self._embed = not dry_run and may_index(self._store, self._embedder)
        groups = _grouped(self._counted(read_lines(file)))
        if dry_run:
            self._would_write(groups)
        else:
            with unconsolidated(self._store) as renew:
                self._renew = renew
                self._carry(manifest.state)
                self._write(groups)
                if not self._embed:
                    self._store.write(Batch(meta={VECTORS_DUE: "1"}))
        return self._report.imported(dry_run=dry_run)

    # --- the first reading ---

    def _examine(self, file: IO[bytes], manifest: Manifest) -> None:
        """Report every line that cannot be taken, and learn which ids are others for another owner."""
        good = 0
        last: Line | None = None
        for line in read_lines(file):
            self._total += 1
            last = line
            if isinstance(line, Unread):
                self._report.refuse(f"line {line.number}", line.why)
            elif isinstance(line, Read):
                good += 1
                if manifest.user != self._store.user and not isinstance(line.item, Link):
                    mine = derived_again(line.item, manifest.user, self._store.user)
                    if mine is not None:
                        self._ids[line.item.id] = mine
            if self._total % 1000 == 0:
                self._tell(Progress(what="examining", done=self._total, total=0))
        if not isinstance(last, End):
            self._report.refuse("end of the file", "it has no last line: the export was cut off, or is being written")
        elif good < last.records + last.links:
            missing = last.records + last.links - good
            self._report.refuse("the file as a whole", f"{missing:,} of its records and links are not in it")

    def _counted(self, lines: Iterator[Line]) -> Iterator[Read]:
        engram = None
        for number, line in enumerate(lines):
            if number % GROUP == 0:
                self._tell(Progress(what="importing", done=number, total=self._total))
            if not isinstance(line, Read):
                continue
            if isinstance(line.item, Engram):
                engram = line.item.id
            if isinstance(line.item, Passage) and line.item.engram_id != engram:
                self._report.refuse(f"line {line.number}", "it is a passage that does not follow its memory")
                continue
            yield replace(line, item=self._renamed(line.item))

    # --- the second ---

    def _carry(self, state: Mapping[str, str]) -> None:
        """Let an empty memory go on from where the exported one was in its consolidation."""
        if state and not self._store.count()[Kind.ENGRAM.value]:
            self._store.write(Batch(meta=state))

    def _write(self, groups: Iterable[_Group]) -> None:
        """Write group after group, and have the vectors of the next made meanwhile."""
        waiting: tuple[Batch, Future[list[PutVector]] | None] | None = None
        with ThreadPoolExecutor(1, "becausal-import") as pool:
            for group in groups:
                if waiting is not None and _is_links(group):
                    self._finish(*waiting)  # the ends of links must be there
                    waiting = None
                batch, told, others = self._new(group)
                made = (
                    pool.submit(vectors_of, self._embedder, told, others) if self._embed and (told or others) else None
                )
                if waiting is not None:
                    self._finish(*waiting)
                waiting = batch, made
            if waiting is not None:
                self._finish(*waiting)

    def _finish(self, batch: Batch, made: Future[list[PutVector]] | None) -> None:
        vectors = batch.vectors
        if made is not None:
            try:
                vectors += tuple(made.result())
            except ModelUnavailable:
                self._embed = False
        have = {each.id for each in vectors if each.space is Space.MODEL}
        puts = []
        for put in batch.puts:
            if isinstance(put.record, Engram) and put.record.id not in have:
                self._again = self._again or put.record.indexed_at is not None
                put = replace(put, record=replace(put.record, indexed_at=None))
                self._report.unindexed += 1
            puts.append(put)
        nodes = [put.record for put in puts if isinstance(put.record, Engram)]
        vectors += tuple(each for node in nodes for each in word_vectors(node))
        batch = replace(batch, puts=tuple(puts), vectors=vectors)
        self._renew()
        try:
            self._report.wrote(batch, self._store.write(batch))
        except Conflict:
            raise Conflict(
                "the memory is being told the same things elsewhere; import again, and it goes on where it was"
            ) from None

    def _would_write(self, groups: Iterable[_Group]) -> None:
        for group in groups:
            batch, _, _ = self._new(group)
            self._coming |= {put.record.id for put in batch.puts}
            self._report.would_write(batch)

    def _new(self, group: _Group) -> tuple[Batch, list[Any], list[Cue | Cause]]:
        """Return what a group adds, and which of it is still to be embedded."""
        first = group[0]
        if isinstance(first, _Told):
            return self._new_engrams(cast("Sequence[_Told]", group))
        if isinstance(first.item, Link):
            return self._new_links([cast(Link, cast(Read, each).item) for each in group]), [], []
        return self._new_records(cast("Sequence[Read]", group))

    def _new_engrams(self, group: Sequence[_Told]) -> tuple[Batch, list[Any], list[Cue | Cause]]:
        here = self._store.peek(Kind.ENGRAM, [each.engram.id for each in group], ["content_hash"])
        hashes = tuple(str(each.engram.content_hash) for each in group)
        same = self._store.find(Kind.ENGRAM, (Condition("content_hash", Op.IN, hashes),), limit=len(hashes)).records
        holders = self._hashes
        holders.update((str(cast(Engram, record).content_hash), record.id) for record in same)
        puts: list[Put] = []
        vectors: list[PutVector] = []
        due: list[tuple[Engram, list[Passage]]] = []
        for each in group:
            engram = each.engram
            if engram.id in here:
                if here[engram.id] == (engram.content_hash,):
                    self._report.known += 1 + len(each.passages)
                else:
                    self._report.refuse(f"line {each.read.number}", f"memory '{engram.id}' is here in another state")
            elif (holder := holders.get(str(engram.content_hash))) is not None:
                self._ids[engram.id] = holder
                self._report.known += 1 + len(each.passages)
            else:
                holders[str(engram.content_hash)] = engram.id
                parts = [part for part in each.parts if part.end <= len(engram.content)]
                puts.append(Put(engram, terms_of(engram, self._zone), if_absent=True))
                puts += [Put(part, terms_of(part, self._zone, engram.content), if_absent=True) for part in parts]
                given = self._given([each.read, *each.passages])
                vectors += (*given, *word_vectors(engram))
                if not given and engram.indexed_at is not None:
                    due.append((engram, parts))
        return Batch(puts=tuple(puts), vectors=tuple(vectors)), due, []

    def _new_records(self, group: Sequence[Read]) -> tuple[Batch, list[Any], list[Cue | Cause]]:
        kind = KIND_OF[type(cast(Record, group[0].item))]
        here = self._store.get(kind, [each.item.id for each in group])
        puts: list[Put] = []
        patches: list[Patch] = []
        due: list[Cue | Cause] = []
        vectors: list[PutVector] = []
        for each in group:
            record = cast(Record, each.item)
            if (mine := here.get(record.id)) is not None:
                self._report.known += 1
                if getattr(record, "asserted", False) and not getattr(mine, "asserted", True):
                    patches.append(Patch(kind, record.id, set={"asserted": True}))
                continue
            puts.append(Put(record, terms_of(record, self._zone), if_absent=True))
            given = self._given([each])
            vectors += given
            if not given and isinstance(record, Cue | Cause) and takes_vector(record):
                due.append(record)
        return Batch(puts=tuple(puts), patches=tuple(patches), vectors=tuple(vectors)), [], due

    def _new_links(self, group: Sequence[Link]) -> Batch:
        ends: dict[Kind, set[str]] = {}
        for link in group:
            ends.setdefault(link.src_kind, set()).add(link.src)
            ends.setdefault(link.dst_kind, set()).add(link.dst)
        there = {kind: self._coming & ids for kind, ids in ends.items()}
        for kind, ids in ends.items():
            there[kind] |= self._store.peek(kind, sorted(ids), ["id"]).keys()
        kept = []
        for link in group:
            if self._again and _made_by_indexing(link):
                continue  # it is made again, once the memories are indexed
            if link.src in there[link.src_kind] and link.dst in there[link.dst_kind]:
                kept.append(PutLink(link, merge="keep"))
            else:
                self._report.refuse(f"link {link.id}", "a record that it joins is missing")
        return Batch(links=tuple(kept))

    def _given(self, reads: Sequence[Read]) -> list[PutVector]:
        """Return the vectors that the file has of some records, if it has all and they are this embedder's."""
        size = self._embedder.dimension
        vectors = [each.vector for each in reads]
        if not self._use_vectors or any(each is None or each.size != size for each in vectors):
            return []
        return [
            PutVector(
                KIND_OF[type(cast(Record, each.item))], each.item.id, cast("Vector", each.vector), tokens=each.tokens
            )
            for each in reads
        ]

    # --- other owners ---

    def _renamed(self, item: Record | Link) -> Record | Link:
        """Return an item with the ids that records have here."""
        if not self._ids:
            return item
        match item:
            case Link():
                return self._renamed_link(item)
            case Fact():
                closer = item.superseded_by
                return replace(item, id=self._here(item.id), superseded_by=closer and self._here(closer))
            case Passage():
                return replace(item, engram_id=self._here(item.engram_id))
            case Change():
                targets = tuple(map(self._here, item.targets))
                return replace(item, targets=targets, inverse=cast("dict[str, Json]", self._here_too(item.inverse)))
            case Engram():
                return item
            case _:
                return replace(item, id=self._here(item.id))

    def _renamed_link(self, link: Link) -> Link:
        src, dst = self._here(link.src), self._here(link.dst)
        sources = tuple(map(self._here, link.sources))
        if (src, dst, sources) == (link.src, link.dst, link.sources) and self._owner == self._store.user:
            return link
        # The id may be that of the link between both records, or that of what one source says about them.
        per_source = f"{link.relation_type}\x1f{link.sources[0]}" if link.sources else link.relation_type
        own = link.id == link_id(self._owner, link.kind, link.src, link.dst, per_source)
        swap = link.kind in UNDIRECTED and src > dst
        if swap:
            src, dst = dst, src
        relation = relation_key(link.relation_type, link.metadata)
        relation = f"{relation}\x1f{sources[0]}" if own and sources else relation
        return replace(
            link,
            id=link_id(self._store.user, link.kind, src, dst, relation),
            src=src,
            dst=dst,
            src_kind=link.dst_kind if swap else link.src_kind,
            dst_kind=link.src_kind if swap else link.dst_kind,
            sources=sources,
        )

    def _here(self, id: str) -> str:
        return self._ids.get(id, id)

    def _here_too(self, data: object) -> object:
        """Return JSON data with the ids that records have here."""
        if isinstance(data, str):
            return self._here(data)
        if isinstance(data, dict):
            return {name: self._here_too(each) for name, each in data.items()}
        return [self._here_too(each) for each in data] if isinstance(data, list) else data


def derived_again(record: Record, owner: str, user: str) -> str | None:
    """Return the id that a record of ``owner`` has as one of ``user``; ``None`` if it is not made from the owner."""
    match record:
        case Cue():
            ids = [cue_id(each, record.cue_type, record.name) for each in (owner, user)]
        case Entity():
            ids = [extracted_id(each, record.key) for each in (owner, user)]
            if ids[0] != record.id:
                ids = [typed_id(each, record.key, record.entity_type) for each in (owner, user)]
        case Event():
            when = Interval(record.occurred_at, record.occurred_end, record.precision)
            ids = [event_id(each, record.description, when) for each in (owner, user)]
        case Fact():
            told = (record.subject, record.predicate, record.object, record.valid_from, record.told_to)
            ids = [fact_id(each, *told) for each in (owner, user)]
        case Cause():
            ids = [cause_id(each, record.description) for each in (owner, user)]
        case _:
            return None
    return ids[1] if ids[0] == record.id else None


def _made_by_indexing(link: Link) -> bool:
    similar = link.kind is LinkKind.ASSOCIATED_WITH and link.relation_type == "similar_to"
    return (similar or link.kind is LinkKind.CO_OCCURS) and not link.asserted


def _is_links(group: _Group) -> bool:
    return isinstance(group[0], Read) and isinstance(group[0].item, Link)


def _grouped(reads: Iterator[Read]) -> Iterator[_Group]:
    """Yield what is written together: engrams with their passages, records of one kind, links."""
    told: list[_Told] = []
    others: list[Read] = []
    for read in reads:
        if isinstance(read.item, Passage):
            told[-1].passages.append(read)
            continue
        if isinstance(read.item, Engram):
            if len(told) == GROUP:
                yield told
                told = []
            told.append(_Told(read, []))
            continue
        if told:
            yield told
            told = []
        size = LINKS if isinstance(read.item, Link) else GROUP
        if others and (type(others[0].item) is not type(read.item) or len(others) >= size):
            yield others
            others = []
        others.append(read)
    if told:
        yield told
    if others:
        yield others
