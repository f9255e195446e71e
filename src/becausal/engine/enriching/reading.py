# SPDX-License-Identifier: Apache-2.0
"""One memory read by the chat model, and what comes of it kept with the memory."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import tzinfo
from typing import cast

from ...domain.records import Engram, Json, Kind
from ...domain.text import clip
from ...domain.time import iso
from ...encode.derive import derive_read
from ...encode.enrichment import FAILED, MODEL, check, read_part
from ...encode.extract import extract
from ...encode.pairs import weaker_pairs
from ...errors import (
    Conflict,
    ContentFiltered,
    ContextTooLong,
    ModelUnavailable,
    NotFound,
    ReplyUnusable,
    ServiceError,
    Used,
)
from ...graphs.linking import Draft
from ...graphs.timeline import Timeline
from ...models import prompts
from ...models.budget import CHARS_PER_TOKEN
from ...ports.batch import Batch, Patch
from ...ports.clock import Clock
from ...ports.models import ChatReply, ChatRequest
from ...ports.store import GraphStore
from ..assisting import ChatOptions
from ..worker import Worker
from ..writing import ATTEMPTS, Writer

log = logging.getLogger("becausal.enriching")

UNREADABLE = (ReplyUnusable, ContextTooLong, ContentFiltered)
"""Failures that lie with one text: it is noted with the memory, and the next one is read."""


class Reader:
    """Asks the model, and keeps what it says. ``stopping`` tells when nothing more is to be kept.

    Without a model (``options`` is ``None``) everything but ``used`` is an error.
    """

    def __init__(
        self,
        store: GraphStore,
        options: ChatOptions | None,
        writer: Writer,
        worker: Worker,
        clock: Clock,
        zone: tzinfo,
        stopping: Callable[[], bool],
    ) -> None:
        self._store = store
        self._options = options
        self._writer = writer
        self._worker = worker
        self._clock = clock
        self._zone = zone
        self._stopping = stopping
        self.used = Used()  # since the beginning

    @property
    def model(self) -> ChatOptions:
        """The model.

        Raises:
            ModelUnavailable: there is none.
        """
        if self._options is None:
            raise ModelUnavailable("there is no chat model: set LLM_BASE_URL or LLM_MODEL")
        return self._options

    @property
    def room(self) -> int:
        """How many characters of one memory are read."""
        tokens = self.model.tokens_per_memory - prompts.ENRICH_TOKENS
        return max(500, tokens * CHARS_PER_TOKEN - prompts.overhead())

    def ask(self, request: ChatRequest) -> ChatReply:
        """Ask the model, and add up what that takes."""
        try:
            reply = self.model.chat.complete(request)
        except ServiceError as error:
            self._use(error.used)
            raise
        self._use(Used(tokens=reply.tokens_in + reply.tokens_out, estimated=reply.estimated))
        return reply

    def _use(self, more: Used) -> None:
        self.used = Used(tokens=self.used.tokens + more.tokens, estimated=self.used.estimated + more.estimated)

    def read(self, engram: Engram, *, repair: bool) -> str | None:
        """Have one memory read, and keep what comes of it; return why nothing did, if so."""
        seconds = self.model.call_seconds
        request = prompts.enrich(
            clip(engram.content, self.room),
            told_at=engram.occurred_at or engram.at,
            label=engram.label,
            seconds=seconds,
            repair=repair,
        )
        part = self._heading()
        problem = None
        try:
            part |= check(self.ask(request).data, engram, self._zone)
        except UNREADABLE as error:
            problem = part[FAILED] = str(error)
        if not self._stopping():
            self._keep(engram, part)
        return problem

    def give_up(self, engram: Engram, problem: str) -> None:
        """Note with a memory why it cannot be read."""
        self._keep(engram, {**self._heading(), FAILED: problem})

    def _heading(self) -> dict[str, Json]:
        """Return who reads, with what words, and when."""
        by = self.model.chat.name
        return {"by": by, "version": prompts.VERSIONS[prompts.ENRICH], "at": iso(self._clock.now())}

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
