# SPDX-License-Identifier: Apache-2.0
"""The solution engine: short-term first, long-term second, and from the first to the second what proves useful."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from ..domain.records import Engram, NodeType
from ..engine.core import SessionOptions
from ..errors import BecausalError
from ..models.words import embed_text
from . import words
from .graph.formulae import cosine
from .graph.nodes import Nodes
from .graph.walking import Walker

log = logging.getLogger(__name__)

CANDIDATES = 50
"""Nodes that share words with a key, the most promising, that are looked at for one that fits."""

CONCEPT = "concept"
PROMOTED = "promoted"
"""In the metadata of a node that was made of a value because that was in use."""

EXACT = 2.0
"""The likeness of a label that is the key: above that of any other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """The answer to a key. ``source``: short_term, long_term or miss; ``score``: 1, a cosine, or 0."""

    source: str
    value: str | None
    score: float
    node: str | None = None
    label: str | None = None


MISS = Resolved(source="miss", value=None, score=0.0)


class Solutions:
    """Finds the node that answers for a key, and makes nodes of values that are used."""

    def __init__(self, options: SessionOptions, nodes: Nodes, walker: Walker) -> None:
        self._options = options
        self._nodes = nodes
        self._walker = walker

    def recall(self, session: str, key: str) -> Resolved:
        """Return the node that fits a key best, if any does.

        One whose label is the key fits. Any other must be alike, by its label or by all it says (a cosine from the
        threshold on; where identifiers are in the key, of their words too), and in truth say what the key says:
        more than half of the words that the key is about, one of them more than a word for some kind of thing; or
        its whole label must be in the key. Of several, that with the most of the key in its label is taken. The
        score is the cosine of all it says.
        """
        key = key.strip()
        told = words.about(key)
        shared = self._nodes.sharing(self._walker.scope(session), told, CANDIDATES)
        named = [node.id for node in self._nodes.labelled(session, key) if node.archived_at is None]
        found = self._nodes.read(list(dict.fromkeys([*named, *shared])))
        if not found:
            return MISS
        texts = dict.fromkeys((key, words.apart(key)))
        each = [self._nodes.scores(text, list(found)) for text in texts]
        scores = {id: max(scored[id] for scored in each) for id in found}
        vectors = [vector for text in texts if any(vector := embed_text(text))]
        best, fit = None, (0.0, 0.0)
        for id, engram in found.items():
            label = words.about(engram.label or "")
            likeness = max((cosine(vector, of) for vector in vectors for of in _label_vectors(engram)), default=1.0)
            likeness = max(likeness, scores[id])
            if id in named:
                likeness = EXACT
            elif likeness < self._options.relevance or not words.fits(told, shared.get(id, frozenset()), label):
                continue
            rank = (len(told & label) / max(1, len(told)), likeness)
            if best is None or rank > fit:
                best, fit = engram, rank
        if best is None:
            return MISS
        self._nodes.touch([best.id])
        return Resolved(
            source="long_term",
            value=best.content,
            score=scores[best.id],
            node=best.id,
            label=best.label,
        )

    def keep(self, session: str, key: str, value: str) -> bool:
        """Make a node of a value that is in use, if it says something; return whether that is done.

        A node of this label that somebody has made on purpose stays as it is. A failure is logged, and is none of
        the caller's, who only reads the value.
        """
        try:
            known = self._nodes.labelled(session, key, NodeType(CONCEPT))
            if value.strip() and all(PROMOTED in node.metadata for node in known):
                self._nodes.upsert(session, CONCEPT, key, value, {PROMOTED: True})
        except BecausalError as error:
            log.warning("a value in use could not be promoted: %s", error)
            return False
        return True


def _label_vectors(engram: Engram) -> list[list[float]]:
    label = engram.label or ""
    return [embed_text(text) for text in dict.fromkeys((label, words.apart(label)))]
