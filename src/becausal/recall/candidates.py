# SPDX-License-Identifier: Apache-2.0
"""From a question to the memories worth ranking, each with its raw evidence."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from ..domain.records import Cue, Engram, Kind, LinkKind, Passage
from ..domain.scoring import bm25
from ..ports.store import Condition, GraphStore, Op, TextMatches, Where
from .plan import Plan

if TYPE_CHECKING:
    from ..ports.models import Vector

POOL = 120
"""Candidates asked of each of the text and vector indexes."""

COMMON_CUE = 50
"""Engrams from which on a cue is too common to find anything by."""

MAX_CUE_CANDIDATES = 100
MAX_TIMED = 200

SHORT = 60
"""Terms up to which a record is a turn or a short note, not a document."""

TURN, DOCUMENT = (0.6, 0.2), (1.5, 0.75)
"""BM25's k1 and b: turns differ in length by chance, documents by what they hold."""

_MANY = 10_000


@dataclass(slots=True)
class Candidate:
    """One memory and the evidence for it.

    ``text`` is BM25 over the sum it could reach at most, 0 … 1; ``cosine`` is −1 … 1; ``cue`` is the
    share of the question's cue weight it answers to, 0 … 1; ``time`` is 1 when it lies in a time asked for.
    """

    id: str
    text: float = 0.0
    cosine: float = 0.0
    cue: float = 0.0
    time: float = 0.0
    lent: float = 0.0
    hop: int = 0
    score: float = 0.0
    passages: dict[str, float] = field(default_factory=dict)  # evidence for each of its passages, summed
    read: bool = False  # whether its text was scored
    compared: bool = False  # whether its vector was
    words: tuple[str, ...] = ()
    cues: list[str] = field(default_factory=list)
    path: list[str] = field(default_factory=list)
    via: str | None = None  # the candidate it was reached from

    @property
    def passage(self) -> str | None:
        """The id of the best passage, for a memory that has any."""
        return max(self.passages, key=lambda id: (self.passages[id], id), default=None)

    def support(self, passage: str, score: float) -> None:
        """Add evidence for a passage."""
        self.passages[passage] = self.passages.get(passage, 0.0) + score


class Pool:
    """The candidates of one question, filled step by step."""

    def __init__(self, store: GraphStore, plan: Plan, vector: Vector | None, where: Where) -> None:
        self.store = store
        self.plan = plan
        self.vector = vector
        self.where = where
        self.by_id: dict[str, Candidate] = {}
        self._has_passages: bool | None = None

    def candidate(self, id: str) -> Candidate:
        return self.by_id.setdefault(id, Candidate(id))

    # --- finding ---

    def find_by_text(self, k: int = POOL) -> None:
        if self.plan.terms:
            self._take_text(self.where, k)

    def find_by_vector(self, k: int = POOL) -> None:
        if self.vector is not None:
            self._take_vectors(self.where, k)

    def find_by_cues(self) -> None:
        """Engrams encoded by the question's cue names; a name counts for more the fewer engrams it has.

        A name that very many engrams share tells none of them apart, and is left to the words.
        """
        if not self.plan.cues:
            return
        page = self.store.find(Kind.CUE, (Condition("name", Op.IN, self.plan.cues),), limit=4 * len(self.plan.cues))
        engrams: dict[str, set[str]] = defaultdict(set)
        common: set[str] = set()
        for cue in page.records:
            links = self.store.links([cue.id], [LinkKind.ENCODED_BY], "in", limit=COMMON_CUE)
            name = cast(Cue, cue).name
            engrams[name].update(link.src for link in links)
            if len(links) == COMMON_CUE:
                common.add(name)
        known = self.store.count()[Kind.ENGRAM.value]
        weights = {name: math.log(1 + known / len(ids)) for name, ids in engrams.items() if ids}
        total = sum(weights.values())
        scores: dict[str, float] = defaultdict(float)
        names: dict[str, list[str]] = defaultdict(list)
        for name in weights.keys() - common:
            for id in engrams[name]:
                scores[id] += weights[name] / total
                names[id].append(name)
        best = sorted(scores, key=lambda id: (-scores[id], id))[:MAX_CUE_CANDIDATES]
        for id in self.allowed(best):
            found = self.candidate(id)
            found.cue = scores[id]
            found.cues = sorted(names[id], key=lambda name: -weights[name])

    def find_by_time(self) -> None:
        """Engrams told of, or telling events of, the times the question names."""
        for window in self.plan.windows:
            overlap = (Condition("occurred_at", Op.LT, window.end), Condition("occurred_end", Op.GT, window.start))
            events = self.store.find(Kind.EVENT, overlap, limit=MAX_TIMED).records
            links = self.store.links([event.id for event in events], [LinkKind.X_RECORDS], "in") if events else ()
            inside = (Condition("at", Op.GE, window.start), Condition("at", Op.LT, window.end))
            filed = self.store.find(Kind.ENGRAM, (*self.where, *inside), limit=MAX_TIMED).records
            ids = {record.id for record in filed} | self.allowed({link.src for link in links})
            for id in ids:
                self.candidate(id).time = 1.0

    # --- completing ---

    def allowed(self, ids: Collection[str]) -> set[str]:
        """Return those of some engrams that pass the filter."""
        if not ids:
            return set()
        where = (*self.where, Condition("id", Op.IN, tuple(ids)))
        return {record.id for record in self.store.find(Kind.ENGRAM, where, limit=len(ids)).records}

    def add(self, ids: Iterable[str]) -> set[str]:
        """Add engrams that pass the filter, with exact text and vector scores; return the new ones."""
        fresh = self.allowed([id for id in ids if id not in self.by_id])
        for id in fresh:
            self.candidate(id)
        self.complete(fresh)
        return fresh

    def complete(self, ids: Collection[str]) -> None:
        """Give candidates that came by one way the scores of the others."""
        unread = tuple(id for id in ids if not self.by_id[id].read)
        if self.plan.terms and unread:
            self._take_text((Condition("id", Op.IN, unread),), len(unread))
        unlike = tuple(id for id in ids if not self.by_id[id].compared)
        if self.vector is not None and unlike:
            self._take_vectors((Condition("id", Op.IN, unlike),), len(unlike))
        for id in ids:
            self.by_id[id].read = self.by_id[id].compared = True

    def engrams(self, ids: Sequence[str]) -> dict[str, Engram]:
        """Return the records of some candidates; one that was just forgotten is missing."""
        return {id: cast(Engram, record) for id, record in self.store.get(Kind.ENGRAM, ids).items()}

    # --- reading the store's answers ---

    def _passages_exist(self) -> bool:
        if self._has_passages is None:
            self._has_passages = self.store.count()[Kind.PASSAGE.value] > 0
        return self._has_passages

    def _take_text(self, where: Where, k: int) -> None:
        matches = self.store.text_search(Kind.ENGRAM, self.plan.terms, k, where)
        for id, score, words in self._scored(matches):
            found = self.candidate(id)
            found.text, found.words, found.read = score, words, True
        if not self._passages_exist():
            return
        matches = self.store.text_search(Kind.PASSAGE, self.plan.terms, k * 4, where)
        scored = list(self._scored(matches))
        owners = self._owners([id for id, _, _ in scored])
        best: dict[str, float] = {}
        for id, score, words in scored:
            if (owner := owners.get(id)) is None:
                continue
            found = self.candidate(owner)
            if score > best.get(owner, -1.0):
                best[owner] = score
                found.words = words if len(words) > len(found.words) else found.words
            found.support(id, score)
        for owner, score in best.items():
            # What stands together in one passage counts as much as what the whole text holds.
            found = self.candidate(owner)
            found.text = (found.text + score) / 2

    def _take_vectors(self, where: Where, k: int) -> None:
        assert self.vector is not None
        for hit in self.store.vector_search(Kind.ENGRAM, self.vector, k, where):
            found = self.candidate(hit.id)
            found.cosine, found.compared = hit.score, True
        if not self._passages_exist():
            return
        hits = self.store.vector_search(Kind.PASSAGE, self.vector, k * 4, where)
        owners = self._owners([hit.id for hit in hits])
        for hit in hits:
            if (owner := owners.get(hit.id)) is not None:
                found = self.candidate(owner)
                found.cosine = max(found.cosine, hit.score)
                found.support(hit.id, hit.score)

    def _owners(self, passages: Sequence[str]) -> dict[str, str]:
        records = self.store.get(Kind.PASSAGE, passages)
        return {id: cast(Passage, record).engram_id for id, record in records.items()}

    def _scored(self, matches: TextMatches) -> Iterable[tuple[str, float, tuple[str, ...]]]:
        """Yield id, relative BM25 and the matching words."""
        frequencies = matches.document_frequencies
        everything = (_MANY,) * len(frequencies)

        def score_of(counts: Sequence[int], length: int, k1: float, b: float) -> float:
            return bm25(counts, length, frequencies, matches.documents, matches.mean_length, k1=k1, b=b)

        highest = [score_of(everything, 1, *constants) for constants in (TURN, DOCUMENT)]
        for hit in matches.hits:
            short = hit.length <= SHORT
            score = score_of(hit.frequencies, hit.length, *(TURN if short else DOCUMENT))
            most = highest[0 if short else 1]
            words = tuple(term for term, count in zip(self.plan.terms, hit.frequencies, strict=True) if count)
            yield hit.id, score / most if most else 0.0, words
