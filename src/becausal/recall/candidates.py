# SPDX-License-Identifier: Apache-2.0
"""From a question to the memories worth ranking, each with its raw evidence."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, cast

from ..domain.records import Cue, Engram, Kind, LinkKind
from ..ports.store import Condition, GraphStore, Op, TextHit, Where
from .late import Asked, Interaction
from .plan import Plan
from .turns import Turn
from .words import SHORT, TermScores

if TYPE_CHECKING:
    from ..ports.models import Vector
    from .late import Floats

POOL = 48
"""Candidates asked of each of the text and vector indexes."""

COMMON_CUE = 24
"""Engrams from which on a cue is too common to find anything by."""

MAX_CUE_CANDIDATES = 100
MAX_TIMED = 200


@dataclass(frozen=True, slots=True)
class Step:
    """How a candidate was reached: how strongly, 0 … 1; from which other (``None``: the question); in words.

    The words leave a gap for the name of the record, of this kind, that the step went over, if any.
    """

    score: float
    seed: str | None
    words: str
    kind: Kind | None = None
    over: str = ""


class Life(NamedTuple):
    """What a memory has been through: fields of its record."""

    importance: float
    last_accessed_at: datetime
    decay_factor: float
    cluster_id: int


@dataclass(slots=True)
class Candidate:
    """One memory and the evidence for it.

    ``text`` is BM25 over the sum it could reach at most, 0 … 1, and ``parts`` what each of the ``terms``
    asked for adds to it; ``cosine`` is −1 … 1; ``cue`` is the share of the question's cue weight it answers
    to, 0 … 1; ``time`` is 1 when it lies in a time asked for; ``borrowed`` is what neighbours add to ``text``.
    ``alike`` is how well it matches the question's tokens, 0 … 1, and ``late`` the same with its neighbours' help.

    The score is the sum of what comes from these (``base``), from the memories told before and after
    (``lent``, of which ``loan`` is that of ``borrowed``), from names (``named``) and from the candidate it was
    reached from (``spread``), less a ``penalty``.
    """

    id: str
    text: float = 0.0
    cosine: float = 0.0
    cue: float = 0.0
    time: float = 0.0
    borrowed: float = 0.0
    alike: float = 0.0
    late: float = 0.0
    base: float = 0.0
    lent: float = 0.0
    loan: float = 0.0
    named: float = 0.0
    spread: float = 0.0
    penalty: float = 0.0
    score: float = 0.0
    hop: int = 0
    short: bool = True
    terms: tuple[str, ...] = ()
    parts: tuple[float, ...] = ()
    passages: dict[str, list[float]] = field(default_factory=dict)  # words and meaning of its passages
    told_apart: bool = False  # whether its tokens were compared
    read: bool = False  # whether its text was scored
    compared: bool = False  # whether its vector was
    cues: tuple[str, ...] = ()
    path: list[str] = field(default_factory=list)
    step: Step | None = None
    lender: str | None = None  # the neighbour that lent most
    via: str | None = None  # the candidate it was reached from

    @property
    def words(self) -> tuple[str, ...]:
        """The terms asked for that it holds."""
        return tuple(term for term, part in zip(self.terms, self.parts, strict=False) if part)

    @property
    def passage(self) -> str | None:
        """The id of the best passage, for a memory that has any."""
        return max(self.passages, key=lambda id: (sum(self.passages[id]), id), default=None)

    def weigh_words(self) -> None:
        """Work out ``text``: what stands together in one passage counts as much as what the whole text holds."""
        self.text = sum(self.parts)
        if self.passages and (best := max(words for words, _ in self.passages.values())):
            self.text = (self.text + best) / 2

    def support(self, passage: str, *, words: float = 0.0, meaning: float = 0.0) -> None:
        """Note evidence for a passage."""
        known = self.passages.setdefault(passage, [0.0, 0.0])
        known[0], known[1] = max(known[0], words), max(known[1], meaning)


class Pool:
    """The candidates of one question, filled step by step.

    ``embed`` gives the question's vectors, or ``None`` if there are none; it is called when first needed.
    """

    def __init__(self, store: GraphStore, plan: Plan, embed: Callable[[], Asked | None], where: Where) -> None:
        self.store = store
        self.plan = plan
        self.where = where
        self.by_id: dict[str, Candidate] = {}
        self.confidence: float | None = None
        """How sure it is that the answer is among them, 0 … 1, where that was judged."""
        self._embed = embed
        self._asked: tuple[Asked | None] | None = None
        self._divided: bool | None = None
        self._documents = 0
        self._scores: dict[Kind, TermScores] = {}

    @property
    def vector(self) -> Vector | None:
        """The question's vector."""
        asked = self.asked
        return asked.vector if asked is not None else None

    @property
    def asked(self) -> Asked | None:
        """The question as vectors."""
        if self._asked is None:
            self._asked = (self._embed(),)
        return self._asked[0]

    def candidate(self, id: str) -> Candidate:
        found = self.by_id.get(id)
        if found is None:
            found = self.by_id[id] = Candidate(id)
        return found

    # --- finding ---

    def find_by_text(self, k: int = 0) -> None:
        if self.plan.terms:
            self._take_text(self.where, k or POOL)

    def find_by_vector(self, k: int = 0) -> None:
        if self.vector is not None:
            self._take_vectors(self.where, k or POOL)

    def find_by_cues(self) -> None:
        """Engrams encoded by the question's cue names; a name counts for more the fewer engrams it has.

        A name that very many engrams share tells none of them apart, and is left to the words.
        """
        asked = self.plan.cues
        if not asked:
            return
        page = self.store.find(Kind.CUE, (Condition("name", Op.IN, asked),), limit=4 * len(asked))
        name_of = {cue.id: cast(Cue, cue).name for cue in page.records}
        engrams: dict[str, set[str]] = defaultdict(set)
        shared: dict[str, int] = defaultdict(int)
        for edge in self.store.edges(list(name_of), [LinkKind.ENCODED_BY], "in", COMMON_CUE):
            engrams[name_of[edge.dst]].add(edge.src)
            shared[edge.dst] += 1
        common = {name_of[cue] for cue, count in shared.items() if count >= COMMON_CUE}
        known = self._documents or self.store.count()[Kind.ENGRAM.value]
        weights = {name: math.log(1 + known / len(ids)) for name, ids in engrams.items()}
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
            found.cues = tuple(sorted(names[id], key=lambda name: (-weights[name], name)))

    def find_by_time(self) -> None:
        """Engrams told of, or telling events of, the times the question names."""
        for window in self.plan.windows:
            overlap = (Condition("occurred_at", Op.LT, window.end), Condition("occurred_end", Op.GT, window.start))
            events = self.store.find(Kind.EVENT, overlap, limit=MAX_TIMED).records
            edges = self.store.edges([event.id for event in events], [LinkKind.X_RECORDS], "in", MAX_TIMED)
            inside = (Condition("at", Op.GE, window.start), Condition("at", Op.LT, window.end))
            filed = self.store.find(Kind.ENGRAM, (*self.where, *inside), limit=MAX_TIMED).records
            for id in {record.id for record in filed} | self.allowed({edge.src for edge in edges}):
                self.candidate(id).time = 1.0

    # --- completing ---

    def allowed(self, ids: Collection[str]) -> frozenset[str]:
        """Return those of some engrams that pass the filter."""
        return self.store.passing(Kind.ENGRAM, tuple(ids), self.where) if ids else frozenset()

    def bring(self, ids: Iterable[str]) -> frozenset[str]:
        """Add engrams that pass the filter, with the scores of their words alone; return the new ones."""
        fresh = self.allowed({id for id in ids if id not in self.by_id})
        for id in fresh:
            self.candidate(id)
        self._read(fresh)
        return fresh

    def add(self, ids: Iterable[str]) -> frozenset[str]:
        """Add engrams that pass the filter, with the scores of their words and vectors; return the new ones."""
        fresh = self.bring(ids)
        self.complete(fresh)
        return fresh

    def complete(self, ids: Collection[str]) -> None:
        """Give candidates that came by one way the scores of the others."""
        unlike = tuple(id for id in ids if not self.by_id[id].compared)
        if unlike and self.vector is not None:
            self._take_vectors((Condition("id", Op.IN, unlike),), len(unlike))
            for id in unlike:
                self.by_id[id].compared = True
        self._read(ids)

    def interact(self, ids: Iterable[str]) -> tuple[Interaction, list[str], Floats] | None:
        """Compare the question's tokens with those of candidates, of long ones with their passages that are known.

        Returns what compares, the candidates that have tokens, and for each how well it matches every token of
        the question; ``None`` where there is nothing to compare.
        """
        import numpy as np

        asked = self.asked
        if asked is None or asked.tokens is None or not len(asked.tokens):
            return None
        scores = self._scores.get(Kind.ENGRAM)
        interaction = Interaction(asked, dict(zip(self.plan.terms, scores.weights, strict=True)) if scores else {})
        owners: dict[str, str] = {}
        whole: list[str] = []
        for id in ids:
            passages = self.by_id[id].passages
            owners.update(dict.fromkeys(passages, id))
            if not passages:
                whole.append(id)
        vectors = self.store.token_vectors(Kind.ENGRAM, whole, interaction.width)
        found, best = list(vectors.ids), interaction.match(vectors)
        if owners:
            vectors = self.store.token_vectors(Kind.PASSAGE, list(owners), interaction.width)
            places: dict[str, list[int]] = defaultdict(list)
            for at, id in enumerate(vectors.ids):
                places[owners[id]].append(at)
            rows = interaction.match(vectors)
            parts = interaction.score(rows)
            found += places
            best = np.concatenate([best, *(rows[[max(some, key=parts.__getitem__)]] for some in places.values())])
        return (interaction, found, best) if found else None

    def engrams(self, ids: Sequence[str]) -> dict[str, Engram]:
        """Return the records of some candidates; one that was just forgotten is missing."""
        return {id: cast(Engram, record) for id, record in self.store.get(Kind.ENGRAM, ids).items()}

    def turns(self, ids: Sequence[str]) -> dict[str, Turn]:
        """Return those candidates that were told in a session or a source."""
        found = self.store.peek(Kind.ENGRAM, ids, Turn._fields) if ids else {}
        turns = {id: Turn._make(values) for id, values in found.items()}
        return {id: turn for id, turn in turns.items() if turn.place is not None}

    def lives(self, ids: Sequence[str]) -> dict[str, Life]:
        """Return what candidates that still exist have been through."""
        return {id: Life._make(values) for id, values in self.store.peek(Kind.ENGRAM, ids, Life._fields).items()}

    # --- reading the store's answers ---

    def _passages_exist(self) -> bool:
        if self._divided is None:
            self._divided = bool(self.store.find(Kind.PASSAGE, limit=1).records)
        return self._divided

    def _take_text(self, where: Where, k: int) -> None:
        matches = self.store.text_search(Kind.ENGRAM, self.plan.terms, k, where)
        self._scores[Kind.ENGRAM] = TermScores(matches)
        self._documents = matches.documents
        self._take_words(matches.hits)
        if self._passages_exist():
            matches = self.store.text_search(Kind.PASSAGE, self.plan.terms, 2 * k, where)
            self._scores[Kind.PASSAGE] = TermScores(matches)
            self._take_passage_words(matches.hits, self._owners([hit.id for hit in matches.hits]))

    def _read(self, ids: Iterable[str]) -> None:
        """Look for the question's words in candidates not read yet, and in those of their passages that are known."""
        unread = [id for id in ids if not self.by_id[id].read]
        if not unread or not self.plan.terms:
            return
        self._take_words(self.store.occurrences(Kind.ENGRAM, self.plan.terms, unread))
        if owners := {passage: id for id in unread for passage in self.by_id[id].passages}:
            self._take_passage_words(self.store.occurrences(Kind.PASSAGE, self.plan.terms, list(owners)), owners)
        for id in unread:
            self.by_id[id].read = True

    def _take_words(self, hits: Iterable[TextHit]) -> None:
        for hit in hits:
            found = self.candidate(hit.id)
            found.terms, found.parts = self.plan.terms, self._shares(Kind.ENGRAM, hit)
            found.short, found.read = hit.length <= SHORT, True
            found.weigh_words()

    def _take_passage_words(self, hits: Iterable[TextHit], owners: Mapping[str, str]) -> None:
        for hit in hits:
            if (owner := owners.get(hit.id)) is not None:
                found = self.candidate(owner)
                found.support(hit.id, words=sum(self._shares(Kind.PASSAGE, hit)))
                found.weigh_words()

    def _shares(self, kind: Kind, hit: TextHit) -> tuple[float, ...]:
        if (scores := self._scores.get(kind)) is None:
            scores = self._scores[kind] = TermScores(self.store.text_search(kind, self.plan.terms, 1))
        return scores.of(hit.frequencies, hit.length)

    def _take_vectors(self, where: Where, k: int) -> None:
        assert self.vector is not None
        for hit in self.store.vector_search(Kind.ENGRAM, self.vector, k, where):
            found = self.candidate(hit.id)
            found.cosine, found.compared = hit.score, True
        if not self._passages_exist():
            return
        hits = self.store.vector_search(Kind.PASSAGE, self.vector, 2 * k, where)
        owners = self._owners([hit.id for hit in hits])
        for hit in hits:
            if (owner := owners.get(hit.id)) is not None:
                found = self.candidate(owner)
                found.cosine = max(found.cosine, hit.score)
                found.support(hit.id, meaning=hit.score)

    def _owners(self, passages: Sequence[str]) -> dict[str, str]:
        return {id: owner for id, (owner,) in self.store.peek(Kind.PASSAGE, passages, ("engram_id",)).items()}
