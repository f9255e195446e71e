# SPDX-License-Identifier: Apache-2.0
"""Having a chat model read memories, after they are kept and indexed: nothing waits for it, nothing depends on it."""

from __future__ import annotations

import json
import logging
import math
import os
import threading
import uuid
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import tzinfo
from time import monotonic
from typing import Any, cast

from ..consolidate.communities import NAMES, given_names, read_clusters
from ..domain.records import Engram, Json, Kind, NodeType
from ..domain.text import clip
from ..domain.time import iso
from ..encode.derive import derive_read
from ..encode.enrichment import FAILED, MODEL, check, read_part
from ..encode.extract import extract
from ..encode.pairs import weaker_pairs
from ..errors import (
    BecausalError,
    Conflict,
    ContentFiltered,
    ContextTooLong,
    ModelUnavailable,
    NotFound,
    ReplyUnusable,
    RequestRefused,
    ServiceError,
    Used,
)
from ..graphs.linking import Draft
from ..graphs.timeline import Timeline
from ..models import prompts
from ..models.budget import CHARS_PER_TOKEN
from ..models.guarded import ChatState
from ..ports.batch import Batch, Patch
from ..ports.clock import Clock
from ..ports.models import ChatReply, ChatRequest
from ..ports.store import Condition, GraphStore, Op, Where
from .assisting import ChatOptions
from .results import Enriched, Estimate, Progress
from .worker import Worker
from .writing import ATTEMPTS, Writer

log = logging.getLogger("becausal.enriching")

READABLE: Where = (
    Condition("archived_at", Op.NULL, True),
    Condition("node_type", Op.EQ, NodeType.MEMORY.value),
)
INDEXED: Where = (*READABLE, Condition("indexed_at", Op.NULL, False))
PAGE = 500
POLL = 5.0
"""Seconds between looks for memories that other processes were told."""

NAMED = 20
"""Clusters that the model names, the largest."""

MOST_NAMES = 200
LONGEST_NAME = 60
LOOK_BACK = 600.0
"""Seconds between looks at all memories: another process may have indexed one that the thread had passed."""

PAUSE = 60.0
"""Seconds without the model after it could not be used, unless it says how long."""

CLOSING = 1.0
"""Seconds that closing waits for the call under way."""

ALL_SINCE = "enrich_all_since"
"""Key that the store has while everything is being read anew: since when."""

REASONS = 5
"""Reasons for which memories could not be read that are told apart."""

REFUSALS = 3
"""Requests refused one after the other, and none taken, after which it is not the texts."""

UNREADABLE = (ReplyUnusable, ContextTooLong, ContentFiltered)
"""Failures that lie with one text: it is noted with the memory, and the next one is read."""


class Enrichment:
    """Reads memories with a chat model: in a thread of its own, or when it is asked to.

    Without a model (``options`` is ``None``) there is nothing to do.
    """

    def __init__(
        self,
        store: GraphStore,
        options: ChatOptions | None,
        writer: Writer,
        worker: Worker,
        clock: Clock,
        zone: tzinfo,
    ) -> None:
        self._store = store
        self._options = options
        self._writer = writer
        self._worker = worker
        self._clock = clock
        self._zone = zone
        self._holder = f"{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._changed = threading.Condition()
        self._stopping = False
        self._again: deque[str] = deque(maxlen=100_000)  # indexed (again) since the thread passed them
        self._refused: dict[str, str] = {}  # that this process does not try again, and why
        self._reached = ""
        self._look_back = 0.0
        self._news = False
        self._trouble: str | None = None
        self._used = Used()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to read in the background what is indexed and was not read yet."""
        if self._options is not None and self._options.enrich:
            self._worker.on_indexed = self._indexed
            self._thread = threading.Thread(target=self._run, name="becausal-enriching", daemon=True)
            self._thread.start()

    def wind_down(self) -> None:
        """Begin nothing more."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()

    def close(self) -> None:
        """Begin nothing more, and break off what does not end at once."""
        self.wind_down()
        if self._thread is not None:
            self._thread.join(CLOSING)
        if self._options is not None:
            self._options.chat.close()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    # --- asked for ---

    def state(self) -> ChatState | None:
        """Describe the chat model, if there is one."""
        return None if self._options is None else self._options.chat.state()

    def unread(self) -> int:
        """Return how many memories the model has not read yet, without those that it could not read."""
        return self.standing()[0]

    def standing(self) -> tuple[int, dict[str, int]]:
        """Return how many memories are still to be read, and how many could not be, by reason, the most frequent first.

        What could not be read is tried again by ``run`` alone.
        """
        unread, failed = 0, Counter[str]()
        if self._options is not None:
            for id, told in self._told(READABLE):
                part = _part(told)
                problem = part.get(FAILED) if part else self._refused.get(id)
                unread += not part and problem is None
                failed.update([] if problem is None else [str(problem)])
        shown = dict(failed.most_common(REASONS))
        if rest := failed.total() - sum(shown.values()):
            shown["other reasons"] = rest
        return unread, shown

    def estimate(self, *, all: bool = False) -> Estimate:
        """Return what ``run`` would take.

        Raises:
            ModelUnavailable: there is no chat model.
        """
        options = self._model()
        number = characters = 0
        for engram in self._engrams(self._wanted(all)):
            number += 1
            characters += prompts.overhead() + min(len(engram.content), self._room(options))
        return Estimate(
            memories=number,
            tokens_in=math.ceil(characters / CHARS_PER_TOKEN),
            tokens_out=number * prompts.ENRICH_TOKENS,
        )

    def run(
        self, *, all: bool = False, limit: int | None = None, progress: Callable[[Progress], None] | None = None
    ) -> Enriched:
        """Read what was not read yet or could not be; with ``all`` everything, anew.

        It can be interrupted and goes on where it stopped when called again. It stops where the model cannot be used.
        A request that the service refuses is laid to the text, once the service has taken another one.

        Raises:
            ModelUnavailable: there is no chat model.
        """
        self._model()
        tell = progress or (lambda _: None)
        if all and self._store.meta(ALL_SINCE) is None:
            self._store.write(Batch(meta={ALL_SINCE: iso(self._clock.now())}))
        wanted = self._wanted(all)
        total = sum(1 for _ in self._due(READABLE, wanted))
        total = total if limit is None else min(total, limit)
        read, failed, stopped, unnamed = 0, Counter[str](), None, None
        refused: list[tuple[Engram, str]] = []
        before = self._used
        tell(Progress(what="reading", done=0, total=total))
        for engram in self._engrams(wanted):
            if (done := read + failed.total() + len(refused)) >= total:
                break
            try:
                problem = self._read(engram, repair=True)
                read += problem is None
                failed.update([problem] if problem else [])
            except RequestRefused as error:
                refused.append((engram, str(error)))
                if not (read or failed) and len(refused) == REFUSALS:
                    break
            except ModelUnavailable as error:
                stopped = str(error)
                break
            tell(Progress(what="reading", done=done + 1, total=total))
        for engram, problem in refused if read or failed else ():
            self._keep(engram, {**self._heading(), FAILED: problem})
            failed[problem] += 1
        if refused and not (read or failed):
            stopped = stopped or refused[0][1]
        if stopped is None:
            try:
                self._name_clusters()
            except ModelUnavailable as error:
                unnamed = str(error)
        left = sum(1 for _ in self._due(READABLE, wanted))
        if all and (not left or (stopped is None and limit is None)):
            self._store.write(Batch(meta={ALL_SINCE: None}))
        self._worker.wake()
        return Enriched(
            read=read,
            failed=dict(failed),
            left=left,
            stopped=stopped,
            unnamed=unnamed,
            tokens=self._used.tokens - before.tokens,
            estimated=self._used.estimated - before.estimated,
        )

    def settle(self, timeout: float | None = None) -> int:
        """Wait until everything was read, or ``timeout`` seconds; return how many memories were not.

        It ends early when the model cannot be used, or nothing is read in the background, and does not wait for what
        could not be read.
        """
        end = None if timeout is None else monotonic() + timeout
        while unread := self.unread():
            left = 1.0 if end is None else end - monotonic()
            if left <= 0 or self._thread is None or self._trouble is not None or self._stopping:
                break
            with self._changed:
                self._changed.wait(min(0.05, left))
        return unread

    # --- in the background ---

    def _indexed(self, ids: list[str]) -> None:
        """Take note of memories that were indexed: those the thread has passed are looked at again."""
        with self._changed:
            for id in ids:
                self._refused.pop(id, None)  # it may say something else by now
            self._again.extend(id for id in ids if id <= self._reached)
            self._news = True
            self._changed.notify_all()

    def _run(self) -> None:
        while not self._stopping:
            wait, trouble = POLL, None
            try:
                busy = self._round()
                wait = 0.0 if busy else POLL
            except ServiceError as error:
                log.warning("reading memories pauses: %s", error)
                trouble = str(error)
                wait = max(1.0, PAUSE if error.retry_after is None else error.retry_after)
            except BecausalError as error:
                log.warning("reading memories will be tried again: %s", error)
                trouble, wait = str(error), PAUSE
            except Exception as error:  # the thread's top level: reading must go on after whatever went wrong
                log.exception("reading memories failed and will be tried again")
                trouble, wait = str(error), PAUSE
            with self._changed:
                self._trouble = trouble
                self._changed.notify_all()
                # What failed is not tried again just because something new was told.
                if wait:
                    self._changed.wait_for(lambda: self._stopping or (self._trouble is None and self._news), wait)
                self._news = False

    def _round(self) -> bool:
        """Read one memory, if there is one to be read; return whether there was."""
        while self._again and not self._stopping:
            if self._read_alone(self._again.popleft()):
                return True
        if monotonic() >= self._look_back:
            self._look_back, self._reached = monotonic() + LOOK_BACK, ""
        while page := self._store.sweep(Kind.ENGRAM, ("told",), INDEXED, self._reached, PAGE):
            for id, told in page:
                if self._stopping:
                    return False
                if _unread(told) and self._read_alone(id):
                    self._reached = id
                    return True
            self._reached = page[-1][0]
        return self._name_clusters()

    def _name_clusters(self) -> bool:
        """Have the largest clusters named that have no name for what they hold; return whether there were any."""
        given = given_names(self._store)
        clusters = read_clusters(self._store)[:NAMED]
        due = {each.id: each.cues for each in clusters if each.cues and (each.id, each.cues) not in given}
        if not due or self._stopping:
            return False
        options = self._model()
        known = [{"id": id, "terms": list(cues)} for id, cues in due.items()]
        items: Any = []
        try:
            items = self._asked(prompts.clusters(known, seconds=options.call_seconds)).data["names"]
        except UNREADABLE as error:
            log.warning("clusters keep the names that their cues give them: %s", error)
        names = dict.fromkeys(due, "")  # one without a name is not asked for again
        for item in items:
            if isinstance(item, dict) and item.get("id") in names and isinstance(item.get("name"), str):
                names[item["id"]] = clip(" ".join(item["name"].split()), LONGEST_NAME)
        kept = [[id, name, cues] for (id, cues), name in given.items() if id not in due]
        kept += [[id, name, due[id]] for id, name in names.items()]
        self._store.write(Batch(meta={NAMES: json.dumps(kept[-MOST_NAMES:], ensure_ascii=False)}))
        return True

    def _read_alone(self, id: str) -> bool:
        """Read a memory unless that is done, or another process is at it; return whether it was tried."""
        options = self._model()
        if id in self._refused or not self._store.claim("enrich", [id], self._holder, options.call_seconds + 30):
            return False
        try:
            # Another process may have read it just before the lease was free.
            if not self._store.passing(Kind.ENGRAM, [id], READABLE):
                return False
            found = cast("Engram | None", self._store.get(Kind.ENGRAM, [id]).get(id))
            if found is None or not _unread(found.told):
                return False
            self._read(found, repair=False)
        except RequestRefused as error:
            self._refused[id] = str(error)
            raise
        finally:
            self._store.write(Batch(release=(("enrich", id),)))
        return True

    # --- one memory ---

    def _read(self, engram: Engram, *, repair: bool) -> str | None:
        """Have one memory read, and keep what comes of it; return why nothing did, if so."""
        options = self._model()
        request = prompts.enrich(
            clip(engram.content, self._room(options)),
            told_at=engram.occurred_at or engram.at,
            label=engram.label,
            seconds=options.call_seconds,
            repair=repair,
        )
        part = self._heading()
        problem = None
        try:
            part |= check(self._asked(request).data, engram, self._zone)
        except UNREADABLE as error:
            problem = part[FAILED] = str(error)
        if not self._stopping:
            self._keep(engram, part)
        return problem

    def _heading(self) -> dict[str, Json]:
        """Return who reads, with what words, and when."""
        by = self._model().chat.name
        return {"by": by, "version": prompts.VERSIONS[prompts.ENRICH], "at": iso(self._clock.now())}

    def _asked(self, request: ChatRequest) -> ChatReply:
        """Ask the model, and add up what that takes."""
        try:
            reply = self._model().chat.complete(request)
        except ServiceError as error:
            self._use(error.used)
            raise
        self._use(Used(tokens=reply.tokens_in + reply.tokens_out, estimated=reply.estimated))
        return reply

    def _use(self, more: Used) -> None:
        self._used = Used(tokens=self._used.tokens + more.tokens, estimated=self._used.estimated + more.estimated)

    def _keep(self, read: Engram, part: Mapping[str, Json]) -> None:
        """Add what was read to the memory, unless it says something else by now."""
        for _ in range(ATTEMPTS):
            engram = cast("Engram | None", self._store.get(Kind.ENGRAM, [read.id]).get(read.id))
            if engram is None or (engram.content, engram.label) != (read.content, read.label):
                return
            told = {**engram.told, MODEL: dict(part)}
            try:
                if FAILED in part and read_part(engram.told) is not None:
                    return  # what an earlier run could read is worth more
                if read_part(engram.told) is not None:
                    self._writer.retell(engram.id, told)
                else:
                    self._store.write(self._batch(engram, told))
                self._worker.wake()
                return
            except Conflict:
                continue  # it was used or changed in this moment
            except NotFound:
                return
        log.warning("what was read of memory %s is lost: it is being changed elsewhere", read.id)

    def _batch(self, engram: Engram, told: Mapping[str, Json]) -> Batch:
        """Return what a first reading adds: all else about the memory stays as it is."""
        enriched = replace(engram, told=told)
        part = read_part(told)
        changes: dict[str, object] = {"told": told}
        draft = Draft(self._store.user, self._clock.now(), source=engram.id)
        if part is not None:
            found = extract(engram.content, label=engram.label, tags=engram.tags, source=engram.source)
            derive_read(draft, enriched, found, Timeline(self._store))
            changes["indexed_at"] = None  # new cues and causes need their vectors
            if part.get("summary"):
                changes["summary"] = part["summary"]
            if part.get("memory_type") and engram.memory_type is found.memory_type:  # else the caller said so
                changes["memory_type"] = part["memory_type"]
        batch = draft.batch()
        return replace(
            batch,
            patches=(*batch.patches, Patch(Kind.ENGRAM, engram.id, set=changes, expect_version=engram.version)),
            weaken=weaker_pairs(self._store, [engram]) if part is not None else (),
        )

    # --- what is due ---

    def _wanted(self, all: bool) -> Callable[[Mapping[str, Json]], bool]:
        since = (self._store.meta(ALL_SINCE) or iso(self._clock.now())) if all else None
        return (lambda told: _at(told) < since) if since is not None else _unread_or_failed

    def _due(self, where: Where, wanted: Callable[[Mapping[str, Json]], bool], after: str = "") -> Iterator[str]:
        """Yield the ids of the memories that are to be read, in the order in which they were told."""
        return (id for id, told in self._told(where, after) if wanted(told))

    def _told(self, where: Where, after: str = "") -> Iterator[tuple[str, Mapping[str, Json]]]:
        """Yield memories' ids with what was told beside them, in the order in which they were told."""
        while page := self._store.sweep(Kind.ENGRAM, ("told",), where, after, PAGE):
            yield from page
            after = page[-1][0]

    def _engrams(self, wanted: Callable[[Mapping[str, Json]], bool]) -> Iterator[Engram]:
        for id in self._due(READABLE, wanted):
            found = self._store.get(Kind.ENGRAM, [id])
            if id in found:
                yield cast(Engram, found[id])

    def _room(self, options: ChatOptions) -> int:
        """Return how many characters of one memory are read."""
        tokens = options.tokens_per_memory - prompts.ENRICH_TOKENS
        return max(500, tokens * CHARS_PER_TOKEN - prompts.overhead())

    def _model(self) -> ChatOptions:
        if self._options is None:
            raise ModelUnavailable("there is no chat model: set LLM_BASE_URL or LLM_MODEL")
        return self._options


def _part(told: Mapping[str, Json]) -> Mapping[str, Json]:
    part = told.get(MODEL)
    return part if isinstance(part, dict) else {}


def _unread(told: Mapping[str, Json]) -> bool:
    return not _part(told)


def _unread_or_failed(told: Mapping[str, Json]) -> bool:
    part = _part(told)
    return not part or FAILED in part


def _at(told: Mapping[str, Json]) -> str:
    return str(_part(told).get("at", ""))
