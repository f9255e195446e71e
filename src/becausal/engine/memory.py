# SPDX-License-Identifier: Apache-2.0
"""The facade: one user's memory, for scripts, servers and the command line alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta, tzinfo
from functools import partial
from time import monotonic
from types import TracebackType
from typing import Self

from ..consolidate.fading import Pruning
from ..domain.interval import Interval
from ..domain.records import Change, Json, Kind, MemoryType, NodeType
from ..domain.redaction import Redact, nothing
from ..domain.time import zone as zone_of
from ..errors import InvalidInput, NotFound
from ..models.lazy import LazyEmbedder
from ..ports.clock import Clock, SystemClock
from ..ports.store import GraphStore, Where
from ..recall.rank import Weights
from . import validate
from .asking.ask import Asker
from .asking.asked import Question
from .asking.exploring import Explorer
from .assisting import ChatOptions
from .background import Background, Closing
from .change_log import ChangeLog
from .core import Companions, Core, SessionOptions
from .describing import describe, describe_memory
from .embedding import NAME, check_embedder, embed_now
from .enriching.enrichment import Enrichment
from .forgetting import Forgetter
from .graph.graphs import Graphs
from .recalling import Recaller
from .requests import Mode, Request, Scoring, filters, mode_of
from .results import Answer, Detail, Foreign, Forgotten, Progress, Recalled, Status, Stored, Undone
from .transfer.telling import Moment, make_changes, make_telling, moment
from .transfer.transfer import Transfer
from .undoing import Undoer
from .upkeep.archive import Archive
from .upkeep.backups import BackupPlan, Backups
from .upkeep.caretaker import Caretaker
from .upkeep.reindexing import reindex
from .upkeep.upkeep import Upkeep
from .worker import Worker
from .writing import Writer

GETTING_READY = 0.25
"""Share of a question's patience that getting ready for it may take."""


class Memory:
    """A durable memory graph. Thread-safe; a context manager; make one with ``Memory.open``.

    Every method may raise ``InvalidInput`` for its arguments and ``StoreError`` for the storage.
    """

    #: Bound to ``composition.open_memory`` by the package, the one place that knows settings and adapters.
    open: Callable[..., Memory]

    def __init__(
        self,
        store: GraphStore,
        embedder: LazyEmbedder,
        *,
        backend: str = "",
        clock: Clock | None = None,
        timezone: tzinfo | None = None,
        undo_days: int = 7,
        scoring: Scoring = Scoring.DEFAULT,
        weights: Weights | None = None,
        model_wait: float = 30.0,
        read_wait: float = 0.3,
        view_timeout: float = 30.0,
        consolidation_interval: float = 3600.0,
        pruning: Pruning | None = None,
        backup: BackupPlan | None = None,
        kept: Sequence[str] = (),
        start_worker: bool = True,
        reindexing: bool = False,
        foreign: Sequence[Foreign] = (),
        notes: Sequence[str] = (),
        session: SessionOptions | None = None,
        redact: Redact = nothing,
        chat: ChatOptions | None = None,
        patience: float = 20.0,
    ) -> None:
        """Put a memory together.

        ``model_wait`` and ``read_wait`` are the seconds a recall waits for a model that is still loading and for
        memories that are not indexed yet; ``view_timeout`` those that ``ask`` gives each graph;
        ``consolidation_interval`` those from one consolidation to the next, 0 for none, and ``pruning`` what goes into
        the archive then. Without ``start_worker`` indexing happens in ``settle``, and nothing is consolidated unasked.
        ``reindexing`` opens the memory whatever embedder its vectors come from, for ``reindex`` and ``status``.
        ``session`` is how sessions behave; ``redact`` takes out of texts what is not to be kept; ``chat`` is a model.
        ``patience`` are the seconds that a question waits for services at most; ``kept`` names what holds older copies.

        Raises:
            EmbedderMismatch: the store's vectors come from another embedder; ``reindex`` changes that.
        """
        if not reindexing or store.meta(NAME) is None:
            check_embedder(store, embedder)
        self._store = store
        self._embedder = embedder
        self._backend = backend
        self._patience = patience
        self._clock = clock = clock or SystemClock()
        self._zone = zone = timezone or zone_of(None)
        self._foreign = tuple(foreign)
        self._notes = tuple(notes)
        elsewhere = (*kept, *(backup.elsewhere if backup else ()))
        self._closing = closing = Closing()
        self._log = log = ChangeLog(store, clock, timedelta(days=undo_days))
        self._writer = Writer(store, clock, zone, log, redact, closing.check)
        self._forgetter = Forgetter(store, clock, log, elsewhere)
        archive = Archive(store, clock, log)
        self._undoer = Undoer(store, log, self._writer, archive)
        self._worker = Worker(store, embedder, clock, log.erase_expired)
        waits = {"model_wait": model_wait, "read_wait": read_wait}
        weights = weights or Weights()
        self._recaller = Recaller(store, embedder, self._worker, clock, scoring=scoring, weights=weights, **waits)
        at_once = partial(embed_now, store, embedder, wait=0.0)
        self._asker = Asker(store, self._recaller, clock, view_timeout, at_once, chat)
        self.enrichment = Enrichment(store, chat, self._writer, self._worker, clock, zone)
        self.graphs = Graphs(
            store, embedder, clock, zone, self._worker, **waits, undo=log.kept_for, redact=redact, elsewhere=elsewhere
        )
        self.transfer = Transfer(store, embedder, self._worker, self._writer, self.graphs, clock, zone)
        parts = Core(store, clock, zone, log, self._writer, self._forgetter, self._worker, session or SessionOptions())
        self.companions = Companions(parts)
        self.explore = Explorer(store, clock, zone, self._matching)
        pruning = pruning or Pruning()
        self.upkeep = Upkeep(store, clock, self._forgetter, log, archive, consolidation_interval, pruning, closing)
        self.backups = None if backup is None else Backups(store, self.transfer, self._clock, backup, closing)
        caretaker = Caretaker([self.upkeep.consolidate_when_due] if consolidation_interval > 0 else [])
        copyist = Caretaker([self.backups.look_after] if self.backups is not None else [], 0.0)
        self._background = Background((self.enrichment, copyist, caretaker, self._worker))
        if start_worker and not store.read_only:
            self._background.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def wind_down(self) -> None:
        """Begin nothing more in the background: what is left is for the next opening. Calls are still answered."""
        self._background.wind_down()

    def close(self) -> None:
        """End at the next step of whatever goes on, and let go of the store. Doing so twice does nothing."""
        self._closing.begin()
        self.wind_down()
        self.companions.close()
        self._embedder.close()  # first: what is at hand must not wait for a service that does not answer
        self._background.close()
        self._asker.close()
        self._store.close()

    # --- telling ---

    def store(
        self,
        content: str,
        *,
        importance: float = 0.5,
        tags: Sequence[str] | str = (),
        source: str | None = None,
        session: str | None = None,
        label: str | None = None,
        node_type: str = NodeType.MEMORY,
        memory_type: str | None = None,
        occurred_at: Moment | None = None,
        timezone: str | None = None,
        metadata: Mapping[str, Json] | None = None,
        pinned: bool = False,
        entities: Sequence[str | Mapping[str, Json]] | None = None,
        causes: Sequence[Mapping[str, Json]] | None = None,
        facts: Sequence[Mapping[str, Json]] | None = None,
    ) -> Stored:
        """Keep a memory, durably, before returning; vectors and associations follow in the background.

        The same content from the same place and time is not kept twice but strengthened. ``importance`` is
        0 … 1. ``occurred_at`` says when it happened, which also anchors "yesterday" and the like in the
        text; ``timezone`` (an IANA name) is the caller's.

        What a caller knows better than a reader of the text can be said outright: ``entities`` (names, or
        objects with ``name`` and ``type``), ``causes`` (``cause``, ``effect``, and a ``confidence`` of up to 1)
        and ``facts`` (``subject``, ``predicate``, ``object``, and ``valid_from``, ``valid_to``, ``single_valued``).
        """
        zone = self._zone_for(timezone)
        telling = make_telling(
            content,
            zone=zone,
            now=self._clock.now(),
            importance=importance,
            tags=tags,
            source=source,
            session=session,
            label=label,
            node_type=node_type,
            memory_type=memory_type,
            occurred_at=occurred_at,
            metadata=metadata,
            pinned=pinned,
            entities=entities,
            causes=causes,
            facts=facts,
        )
        stored = self._writer.store(telling, zone)
        self._worker.wake()
        return stored

    def update(
        self,
        id: str,
        *,
        content: str | None = None,
        importance: float | None = None,
        tags: Sequence[str] | str | None = None,
        source: str | None = None,
        label: str | None = None,
        memory_type: str | None = None,
        occurred_at: Moment | None = None,
        timezone: str | None = None,
        metadata: Mapping[str, Json] | None = None,
        pinned: bool | None = None,
    ) -> Stored:
        """Change what is given of a memory; it is read anew, and ``undo`` brings the old state back.

        Raises:
            NotFound: no memory has this id.
            Conflict: another memory already holds exactly this.
        """
        zone = self._zone_for(timezone)
        changes = make_changes(
            zone=zone,
            now=self._clock.now(),
            content=content,
            importance=importance,
            tags=tags,
            source=source,
            label=label,
            memory_type=memory_type,
            occurred_at=occurred_at,
            metadata=metadata,
            pinned=pinned,
        )
        stored = self._writer.update(validate.identifier(id, "memory_id"), changes, zone)
        self._worker.wake()
        return stored

    # --- asking ---

    def recall(
        self,
        query: str | None = None,
        *,
        limit: int = 5,
        mode: str | None = None,
        memory_type: str | None = None,
        tags: Sequence[str] | str = (),
        source: str | None = None,
        session: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        timezone: str | None = None,
        cursor: str | None = None,
        max_tokens: int | None = None,
        strengthen: bool = True,
        patience: float | None = None,
    ) -> Recalled:
        """Find memories.

        Modes: ``recall`` (words, meaning, cues, time and associations together), ``search`` (meaning
        alone), ``fts`` (words alone), ``hybrid`` (the mean of both), ``list`` (no question: by last use).
        Without a mode it is ``recall`` when there is a question, else ``list``.

        Filters come before the limit (1 … 100): ``since`` (inclusive) and ``until`` (up to its end) are
        about when a memory happened, or was told if nobody said. ``cursor`` continues an earlier answer.
        ``max_tokens`` bounds the answer: long texts are cut around the passage that matched. ``patience`` are the
        seconds that it waits for an embedding service, where that is less than the memory's own.
        """
        asked = None if query is None or (isinstance(query, str) and not query.strip()) else validate.query(query)
        zone = self._zone_for(timezone)
        return self._recaller.recall(
            Request(
                query=asked,
                mode=mode_of(mode, asked),
                limit=validate.limit(limit),
                where=self._filters(memory_type, tags, source, session, since, until, zone),
                cursor=None if cursor is None else validate.identifier(cursor, "cursor"),
                max_tokens=validate.max_tokens(max_tokens),
                strengthen=strengthen,
                zone=zone,
                patience=self._patience_of(patience),
            )
        )

    def ask(
        self,
        question: str,
        *,
        limit: int = 10,
        max_tokens: int = 4000,
        since: Moment | None = None,
        until: Moment | None = None,
        timezone: str | None = None,
        patience: float | None = None,
    ) -> Answer:
        """Answer a question from the graphs: causes for "why", times for "when", facts, and what was said.

        ``limit`` (1 … 100) bounds the sources, ``max_tokens`` the context. ``since`` and ``until`` restrict
        the memories asked, as in ``recall``. It abstains when what was told does not answer the question.
        ``patience`` are the seconds that it waits for models behind services in all, where that is less than the
        memory's own.
        """
        zone = self._zone_for(timezone)
        request = Request(
            query=validate.text(question, "question", longest=validate.MAX_QUERY),
            mode=Mode.RECALL,
            limit=validate.limit(limit),
            where=self._filters(None, (), None, None, since, until, zone),
            cursor=None,
            max_tokens=None,
            strengthen=True,
            zone=zone,
            patience=self._patience_of(patience),
        )
        budget = validate.integer(max_tokens, "max_tokens", 100, validate.MAX_TOKENS)
        return self._asker.ask(Question(text=question, limit=request.limit, max_tokens=budget, request=request))

    def get(self, id: str) -> Detail:
        """Return a memory with what surrounds it.

        Raises:
            NotFound: no memory has this id.
        """
        return describe_memory(self._store, self._log, validate.identifier(id, "memory_id"))

    # --- forgetting ---

    def forget(self, id: str, *, purge: bool = False) -> Forgotten:
        """Forget a memory and all that only it supported; ``undo`` brings it back for ``undo_days``.

        The id of something that was stated outright takes that back; see ``Graphs.withdraw``. ``purge`` erases
        it now, with its earlier versions and its traces in the files; that also works for one already forgotten.

        Raises:
            NotFound: no memory, and nothing stated, has this id.
        """
        id = validate.identifier(id, "memory_id")
        if not self._store.get(Kind.ENGRAM, [id]):
            if withdrawn := self.graphs.withdraw(id, purge=purge):
                return withdrawn
            if not (purge and self._log.of([id])):
                raise NotFound("memory", id)
        return self._forgetter.forget([id], purge=purge)

    def forget_matching(
        self,
        *,
        memory_type: str | None = None,
        tags: Sequence[str] | str = (),
        source: str | None = None,
        session: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        timezone: str | None = None,
        purge: bool = False,
        dry_run: bool = True,
    ) -> Forgotten:
        """Forget every memory that matches all the filters given (at least one); by default just say which."""
        given = {"source": source, "session": session, "since": since, "until": until, "memory_type": memory_type}
        for field, value in given.items():
            if isinstance(value, str) and not value.strip():
                raise InvalidInput(field, "must not be blank: leave it out, or say what to forget")
        where = self._filters(memory_type, tags, source, session, since, until, self._zone_for(timezone))
        if len(where) == 1:
            raise InvalidInput("filter", "at least one of memory_type, tags, source, session, since, until is required")
        ids = self._forgetter.matching(where)
        if dry_run:
            return Forgotten(ids=ids, dry_run=True)
        return self._forgetter.forget(ids, purge=purge)

    def undo(self, change_id: str | None = None) -> Undone:
        """Take back the newest change, or the one named.

        The id of what was changed names its newest change; that of something stated which nothing has changed
        since takes the statement back.

        Raises:
            NothingToUndo: there is no change left.
            NotFound: no change has this id.
            Conflict: what it touched was changed again since.
        """
        named = None if change_id is None else validate.identifier(change_id, "change_id")
        undone = self.graphs.undo_statement(named) if named else None
        undone = undone or self._undoer.undo(self._log.about(named) if named else None)
        self._worker.wake()
        return undone

    def changes(self, limit: int = 20) -> tuple[Change, ...]:
        """Return what can still be undone, newest first."""
        return self._log.newest(validate.limit(limit))

    def purge_expired(self) -> int:
        """Erase what was kept for undoing and is past its days; return how many changes that were."""
        return self._log.erase_expired(hurry=True)

    # --- upkeep ---

    def status(self) -> Status:
        """Describe the memory: where it is, what it holds, and what is wrong with it."""
        return describe(
            self._store,
            self._embedder,
            backend=self._backend,
            consolidated_at=self.upkeep.consolidated_at(),
            backups=self.backups,
            enrichment=self.enrichment,
            foreign=self._foreign,
            notes=(*self._notes, *self._store.notes),
        )

    def warm(self, *, vectors: bool = False) -> None:
        """Begin to load the embedder in the background; with ``vectors``, if it stays open, to read those as well."""
        self._embedder.start()
        if vectors:
            self._worker.warm()

    def get_ready(self, timeout: float) -> float:
        """Load the embedder, and index what an earlier program left, for up to ``timeout`` seconds.

        Returns the seconds that are left of a question's patience.
        """
        began = monotonic()
        self.warm()
        self.settle(min(timeout, GETTING_READY * self._patience))
        return self._patience - (monotonic() - began)

    def settle(self, timeout: float | None = None) -> int:
        """Wait until everything told is indexed; return how many memories still are not.

        It ends early when the embedder cannot run. ``timeout`` is in seconds.
        """
        return self._worker.settle(timeout)

    def reindex(self, progress: Callable[[Progress], None] | None = None) -> int:
        """Make all vectors anew with the present embedder; return how many memories that were.

        It can be interrupted, and goes on where it stopped when called again.
        """
        return reindex(self._store, self._embedder, self._worker, progress)

    # --- helpers ---

    def _matching(self, text: str) -> list[str]:
        results = self.recall(text, limit=10, strengthen=False).results
        return [result.engram.id for result in results if result.score >= results[0].score / 2]

    def _patience_of(self, seconds: float | None) -> float:
        return self._patience if seconds is None else max(0.0, min(seconds, self._patience))

    def _zone_for(self, name: str | None) -> tzinfo:
        return self._zone if name is None else zone_of(name, field="timezone")

    def _moment(self, value: Moment | None, field: str, zone: tzinfo) -> Interval | None:
        return moment(value, field, zone, self._clock.now())

    def _filters(
        self,
        memory_type: str | None,
        tags: Sequence[str] | str,
        source: str | None,
        session: str | None,
        since: Moment | None,
        until: Moment | None,
        zone: tzinfo,
    ) -> Where:
        first, last = self._moment(since, "since", zone), self._moment(until, "until", zone)
        return filters(
            memory_type=None if not memory_type else validate.choice(memory_type, "memory_type", MemoryType),
            tags=validate.tags(tags),
            source=validate.name(source, "source"),
            session=validate.name(session, "session"),
            since=first.start if first else None,
            until=last.end if last else None,
        )
