# SPDX-License-Identifier: Apache-2.0
"""The solution engine: short-term first, long-term second, and from the first to the second what proves useful."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from ..domain.records import NodeType
from ..domain.text import is_stop_word
from ..engine.core import SessionOptions
from ..errors import BecausalError
from ..models.words import embed_text, tokenize
from .graph.formulae import cosine
from .graph.model import text_of
from .graph.nodes import Nodes
from .graph.walking import Walker

log = logging.getLogger(__name__)

CANDIDATES = 50
"""Nodes, the most alike, that are looked at for one that fits."""

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
        threshold on), and in truth have a word of its own in common with the key: different words can share a
        place in a hashed vector. The score is the cosine of all it says, as everywhere.
        """
        ranked = self._walker.best(session, key)
        if not ranked:
            return MISS
        key = key.strip()
        scores = {node.id: score for node, score in ranked}
        found = self._nodes.read([node.id for node, score in ranked[:CANDIDATES] if score > 0])
        found |= {named.id: named for named in self._nodes.labelled(session, key) if named.archived_at is None}
        vector, words = embed_text(key), content_words(key)
        best, fit = None, 0.0
        for id, engram in found.items():
            label = engram.label or ""
            likeness = max(scores.get(id, 0.0), cosine(vector, embed_text(label)))
            if label == key:
                likeness = EXACT
            elif likeness < self._options.relevance or not words & content_words(text_of(label, engram.content)):
                continue
            if best is None or likeness > fit:
                best, fit = engram, likeness
        if best is None:
            return MISS
        self._nodes.touch([best.id])
        return Resolved(
            source="long_term",
            value=best.content,
            score=scores.get(best.id, 0.0),
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


def content_words(text: str) -> set[str]:
    """Return the words of a text that are about something."""
    return {token for token in tokenize(text) if not is_stop_word(token)}
