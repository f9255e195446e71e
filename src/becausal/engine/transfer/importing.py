# SPDX-License-Identifier: Apache-2.0
"""From what a file holds to memories, things and relations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime, tzinfo

from ...domain.ids import link_id
from ...domain.records import Json, Kind, Link, LinkKind
from ...domain.time import zone as zone_of
from ...encode.compose import Telling, redacted
from ...errors import InvalidInput, NotFound
from ...formats.items import (
    Assertion,
    Bond,
    Concept,
    Happening,
    Item,
    Name,
    Passed,
    Reason,
    Refused,
    Relation,
    Text,
    Thing,
    Tie,
)
from ...graphs.linking import SESSION, WEIGHT, Node, relation_key
from ...ports.batch import Batch, PutLink
from ...ports.clock import Clock
from ...ports.store import GraphStore
from .. import validate
from ..graph.graphs import Graphs
from ..results import Progress
from ..worker import Worker
from .bulk import GROUP, GROUP_TEXT, Bulk, Past
from .report import Report, Tell
from .results import Imported
from .stating import Stating, moment
from .telling import make_telling

MAX_RELATIONS = 1_000_000
"""Relations of one import, which are kept in mind until all things are known."""

FIRST = 16
"""Memories written together at first, so that the model has something to do while the next ones are read."""

PATIENCE = 30
"""Seconds for which indexing may stand still, because another process does it or changes the embedder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """What an import says of every memory in place of, or besides, what the file says."""

    source: str | None = None
    session: str | None = None
    tags: tuple[str, ...] = ()


class Importer:
    """One import into one memory."""

    def __init__(
        self,
        store: GraphStore,
        graphs: Graphs,
        stating: Stating,
        bulk: Bulk,
        worker: Worker,
        clock: Clock,
        zone: tzinfo,
        *,
        report: Report,
        tell: Tell,
        defaults: Defaults,
    ) -> None:
        self._store = store
        self._graphs = graphs
        self._stating = stating
        self._bulk = bulk
        self._worker = worker
        self._clock = clock
        self._zone = zone
        self._report = report
        self._tell = tell
        self._defaults = defaults
        self._ids: dict[str, str] = {}  # memories by the key that bonds have for them
        self._sessions: dict[str, str | None] = {}  # ... and the sessions of those that a dry run would keep
        self._coming: set[str] = set()  # what a dry run would have kept
        self._done = 0

    def run(self, items: Iterator[Item], *, dry_run: bool) -> Imported:
        """Take in everything; see ``Transfer.import_file``."""
        with nullcontext() if dry_run else self._worker.awaited():
            return self._run(items, dry_run)

    def _run(self, items: Iterator[Item], dry_run: bool) -> Imported:
        waiting: list[tuple[Text, Telling, tzinfo]] = []
        size = 0
        later: list[Relation | Bond | Tie] = []
        for item in items:
            match item:
                case Text():
                    if (made := self._telling(item)) is not None:
                        waiting.append((item, *made))
                        size += len(made[0].content)
                    if len(waiting) >= (GROUP if self._done else FIRST) or size >= GROUP_TEXT:
                        self._keep(waiting, dry_run)
                        waiting, size = [], 0
                case Thing(key=None):
                    self._thing(item, dry_run)
                case Thing() | Concept() | Name() | Happening() | Assertion() | Reason():
                    self._stating.take(item, dry_run)
                    self._count(dry_run)
                case Relation() | Bond() | Tie():
                    if len(later) < MAX_RELATIONS:
                        later.append(item)
                    else:
                        self._report.refuse(item.where, f"an import may hold {MAX_RELATIONS:,} relations")
                case Refused():
                    self._report.refuse(item.where, item.why)
                case Passed():
                    self._report.passed(item.why)
        self._keep(waiting, dry_run)
        for each in later:
            if isinstance(each, Tie):
                self._stating.tie(each, dry_run)
            else:
                self._relate(each, dry_run)
        self._stating.finish()
        if not dry_run:
            self._settle()
        return self._report.imported(dry_run=dry_run)

    def _count(self, dry_run: bool) -> None:
        self._done += 1
        if self._done % GROUP == 0:
            self._tell(Progress(what="reading" if dry_run else "importing", done=self._done, total=0))

    # --- memories ---

    def _telling(self, text: Text) -> tuple[Telling, tzinfo] | None:
        own = self._defaults
        given = dict(text.given)
        name = given.pop("timezone", None)
        try:
            zone = self._zone if name is None else zone_of(name, field="timezone")
            telling = make_telling(
                text.content,  # type: ignore[arg-type]
                zone=zone,
                now=self._anchor(text),
                label=text.label,
                source=own.source or text.source,
                session=own.session or text.session,
                tags=tuple(dict.fromkeys((*validate.tags(text.tags), *own.tags))),
                occurred_at=text.occurred_at,
                metadata=text.metadata,
                **given,
            )
        except InvalidInput as error:
            self._report.refuse(text.where, str(error))
            return None
        return redacted(telling, self._bulk.redact), zone

    def _keep(self, group: Sequence[tuple[Text, Telling, tzinfo]], dry_run: bool) -> None:
        tellings = [telling for _, telling, _ in group]
        if dry_run:
            known = self._bulk.known(tellings) if tellings else {}
            for telling in tellings:
                if telling.content_hash in known or telling.content_hash in self._coming:
                    self._report.known += 1
                else:
                    self._coming.add(telling.content_hash)
                    self._report.add(Kind.ENGRAM)
            for text, telling, _ in group:
                if text.key is not None:
                    self._ids[text.key] = known.get(telling.content_hash, telling.content_hash)
                    self._sessions[text.key] = telling.session
                    self._stating.called(text.key, Node(Kind.ENGRAM, self._ids[text.key]))
        elif tellings:
            pasts = [self._past(text) for text, _, _ in group]
            for (text, _, _), kept in zip(
                group, self._bulk.keep(tellings, [zone for *_, zone in group], pasts), strict=True
            ):
                if text.key is not None:
                    self._ids[text.key] = kept.id
                    self._stating.called(text.key, Node(Kind.ENGRAM, kept.id))
                if kept.created:
                    self._report.add(Kind.ENGRAM)
                else:
                    self._report.known += 1
            self._worker.wake()
            self._worker.let_catch_up()
        self._done += len(group)
        self._tell(Progress(what="reading" if dry_run else "importing", done=self._done, total=0))

    def _anchor(self, text: Text) -> datetime:
        """Return the moment from which words such as "yesterday" count."""
        made = moment(text.history.created_at, self._zone, self._report) if text.history else None
        return made or self._clock.now()

    def _past(self, text: Text) -> Past | None:
        if text.history is None:
            return None
        return Past(
            created_at=moment(text.history.created_at, self._zone, self._report),
            last_accessed_at=moment(text.history.last_accessed_at, self._zone, self._report),
            access_count=text.history.access_count,
            decay_factor=text.history.decay_factor,
            summary=text.history.summary and self._bulk.redact(text.history.summary),
        )

    def _settle(self) -> None:
        """Wait for the indexing as long as it gets anywhere."""
        total = left = self._worker.pending()
        idle = 0
        while left and not self._worker.stalled and idle < PATIENCE:
            self._tell(Progress(what="indexing", done=total - left, total=total))
            now = self._worker.settle(1.0)
            total = max(total, now)
            idle = idle + 1 if now >= left else 0
            left = now
        self._report.unindexed = left

    # --- things and relations ---

    def _thing(self, thing: Thing, dry_run: bool) -> None:
        try:
            validate.text(thing.name, "name", longest=validate.MAX_NAME)
            validate.text(thing.entity_type, "type", longest=validate.MAX_NAME)
            if dry_run:
                _, created = self._stating.foresight.thing(thing.name, thing.entity_type)
            else:
                created = self._graphs.add_entity(thing.name, thing.entity_type, aliases=thing.aliases).created
            if created:
                self._report.add(Kind.ENTITY)
            else:
                self._report.known += 1
        except InvalidInput as error:
            self._report.refuse(thing.where, str(error))

    def _would_relate(self, item: Relation) -> bool:
        """Return whether a relation would be new; count the things that it would bring along."""
        ends = []
        for name, field in ((item.source, "source"), (item.target, "target")):
            name = validate.text(name, field, longest=validate.MAX_NAME)
            id, new = self._stating.foresight.named(name, item.entity_type)
            ends.append(id)
            if new:
                self._report.add(Kind.ENTITY)
        return self._stating.foresight.relation(ends[0], item.relation, ends[1])

    def _relate(self, item: Relation | Bond, dry_run: bool) -> None:
        try:
            if isinstance(item, Bond):
                self._bond(item, dry_run)
            elif self._would_relate(item) if dry_run else self._related(item):
                self._report.add_link()
            else:
                self._report.known += 1
        except (InvalidInput, NotFound) as error:
            self._report.refuse(item.where, str(error))

    def _related(self, item: Relation) -> bool:
        """State a relation, and first whichever of its ends is not known; return whether it is new."""
        for _ in range(2):
            try:
                return self._graphs.link_entities(item.source, item.relation, item.target).created
            except NotFound as missing:
                if self._graphs.add_entity(missing.id, item.entity_type).created:
                    self._report.add(Kind.ENTITY)
        return self._graphs.link_entities(item.source, item.relation, item.target).created

    def _bond(self, bond: Bond, dry_run: bool) -> None:
        ends = [self._ids.get(key) for key in (bond.source, bond.target)]
        if ends[0] is None or ends[1] is None:
            raise InvalidInput("edge", "a node that it joins is not in the file")
        relation = validate.text(bond.relation, "relation", longest=validate.MAX_NAME).strip()
        if not 0 < bond.strength < float("inf"):
            raise InvalidInput("weight", "must be a number above 0")
        if dry_run:
            session = self._sessions[bond.source]
        else:
            ((session,),) = self._store.peek(Kind.ENGRAM, [ends[0]], ["session"]).values()
        about: dict[str, Json] = dict(validate.metadata(bond.metadata))
        if session is not None:
            about |= {SESSION: session, WEIGHT: bond.strength}
        key = relation_key(relation, about)
        link = Link(
            id=link_id(self._store.user, LinkKind.ASSOCIATED_WITH, ends[0], ends[1], key),
            kind=LinkKind.ASSOCIATED_WITH,
            src=ends[0],
            dst=ends[1],
            src_kind=Kind.ENGRAM,
            dst_kind=Kind.ENGRAM,
            relation_type=relation,
            strength=min(1.0, bond.strength),
            asserted=True,
            metadata=about,
            created_at=moment(bond.created_at, self._zone, self._report) or self._clock.now(),
        )
        if dry_run:
            created = self._stating.foresight.link(link.kind, link.src, link.dst, key)
        else:
            created = link.id in self._store.write(Batch(links=(PutLink(link, merge="keep"),))).created
        if created:
            self._report.add_link()
        else:
            self._report.known += 1
