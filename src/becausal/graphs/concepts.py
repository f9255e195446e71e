# SPDX-License-Identifier: Apache-2.0
"""The semantic graph: concepts found by meaning or by name, and the entities they stand for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from ..domain.ids import derived_id
from ..domain.records import Cue, CueType, Kind, LinkKind
from ..domain.scoring import bm25
from ..domain.text import normalize_name, query_terms, terms
from ..errors import InvalidInput
from ..ports.store import Condition, GraphStore, Op
from .linking import Draft, Node

if TYPE_CHECKING:
    from ..ports.models import Vector

MAX_LINKS = 2_000
SEARCHED = (CueType.CONCEPT, CueType.ENTITY)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConceptMatch:
    """A concept, and how near it is to a question.

    ``score`` is a cosine or, where ``by_name``, how much its words weigh beside those of the best match by words.
    """

    cue: Cue
    score: float
    entities: tuple[str, ...]
    by_name: bool


def cue_id(user: str, cue_type: CueType, name: str) -> str:
    """Return the id of the cue of a type with this name, whatever its case and hyphens."""
    return derived_id(user, Kind.CUE, cue_type, normalize_name(name))


def concept_id(user: str, name: str) -> str:
    return cue_id(user, CueType.CONCEPT, name)


def embedded_text(cue: Cue) -> str:
    """Return what a concept's vector stands for."""
    return f"{cue.name}: {cue.description}" if cue.description else cue.name


class Concepts:
    """One user's concepts: the cues that name a thing or an idea."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store

    def get(self, name: str) -> Cue | None:
        id = concept_id(self._store.user, name)
        return cast("Cue | None", self._store.get(Kind.CUE, [id]).get(id))

    def make(self, draft: Draft, name: str, description: str | None, entities: Sequence[str]) -> Cue:
        """Add a concept that a caller states, or bring it up to date, with the entities it stands for."""
        key = normalize_name(name)
        if not key:
            raise InvalidInput("name", "must contain at least one letter or digit")
        known = self.get(name)
        cue = Cue(
            id=concept_id(draft.user, name),
            name=key,
            cue_type=CueType.CONCEPT,
            description=description or (known.description if known else None),
            asserted=True,
            created_at=known.created_at if known else draft.now,
        )
        draft.put(cue, terms(embedded_text(cue)))
        for entity in entities:
            draft.link(LinkKind.X_REPRESENTS, Node(Kind.CUE, cue.id), Node(Kind.ENTITY, entity))
        return cue

    def search(
        self,
        query: str,
        vector: Vector | None,
        limit: int,
        min_score: float,
        *,
        worded: Sequence[CueType] = SEARCHED,
        partly: bool = False,
    ) -> tuple[ConceptMatch, ...]:
        """Return the concepts nearest to a question, best first.

        Those found by meaning have a cosine of at least ``min_score``. Those of the types ``worded`` whose
        name the question holds are there as well, so that the answer is never empty when the words match;
        ``partly`` adds those that share some word with it, in name or description, for when there is no vector.
        """
        wanted = (Condition("cue_type", Op.IN, tuple(SEARCHED)),)
        scores: dict[str, tuple[float, bool]] = {}
        if vector is not None:
            for hit in self._store.vector_search(Kind.CUE, vector, limit, wanted):
                if hit.score >= min_score:
                    scores[hit.id] = (hit.score, False)
        for id, score in self._by_words(query, 4 * limit, worded, partly).items():
            if score > scores.get(id, (0.0, False))[0]:
                scores[id] = (score, True)
        best = sorted(scores, key=lambda id: (-scores[id][0], id))[:limit]
        cues = self._store.get(Kind.CUE, best)
        entities = self.represented([id for id in best if id in cues])
        return tuple(
            ConceptMatch(
                cue=cast(Cue, cues[id]), score=scores[id][0], by_name=scores[id][1], entities=entities.get(id, ())
            )
            for id in best
            if id in cues
        )

    def _by_words(self, query: str, limit: int, types: Sequence[CueType], partly: bool) -> dict[str, float]:
        """Return scores of the concepts whose whole name a question says (or ``partly``), the best one's being 1."""
        asked = query_terms(query)
        if not asked:
            return {}
        wanted = (Condition("cue_type", Op.IN, tuple(types)),)
        matches = self._store.text_search(Kind.CUE, asked, limit, wanted)
        cues = self._store.get(Kind.CUE, [hit.id for hit in matches.hits])
        said = set(asked)
        scores: dict[str, float] = {}
        for hit in matches.hits:
            if hit.id in cues and (partly or said.issuperset(terms(cast(Cue, cues[hit.id]).name))):
                scores[hit.id] = bm25(
                    hit.frequencies,
                    hit.length,
                    matches.document_frequencies,
                    documents=matches.documents,
                    mean_length=matches.mean_length,
                    k1=1.2,
                    b=0.0,
                )
        most = max(scores.values(), default=1.0) or 1.0
        return {id: score / most for id, score in scores.items()}

    def represented(self, cues: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Return the entities that concepts stand for."""
        found: dict[str, list[str]] = defaultdict(list)
        if cues:
            for link in self._store.links(cues, [LinkKind.X_REPRESENTS], "out", limit=MAX_LINKS):
                found[link.src].append(link.dst)
        return {id: tuple(ends) for id, ends in found.items()}
