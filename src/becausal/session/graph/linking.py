# SPDX-License-Identifier: Apache-2.0
"""Making relations: one that a caller states, or those between nodes that are alike."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...domain.records import Engram, Link
from ...engine import validate
from ...engine.core import Core
from ...errors import InvalidInput
from ...models.words import embed_text
from .edges import Edges, relation_name, weight_given
from .formulae import cosine
from .model import SIMILAR, text_of
from .nodes import Nodes, node_type_of, session_name

MAX_ITEMS = 100


@dataclass(frozen=True, slots=True)
class Interlinked:
    """Nodes that were told together, each once, and the relations made because they are alike."""

    nodes: list[Engram]
    edges: list[Link]


class Linker:
    """States relations between the nodes of a session, or of all where settings say that search crosses them."""

    def __init__(self, core: Core, nodes: Nodes, edges: Edges) -> None:
        self._options = core.session
        self._nodes = nodes
        self._edges = edges

    def relate(
        self,
        session: str,
        source: str,
        target: str,
        relation: str,
        weight: float | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> Link | None:
        """State a relation; saying it again makes it fresh. ``None``: one of the nodes is not in the graph.

        What is not given of a relation that is known stays; a new one has weight 1.
        """
        session, relation = session_name(session), relation_name(relation)
        source, target = validate.identifier(source, "source_id"), validate.identifier(target, "target_id")
        if weight is not None:
            weight = weight_given(weight)
        scope = None if self._options.across else session
        if self._nodes.get(scope, source) is None or self._nodes.get(scope, target) is None:
            return None
        known = self._edges.known(source, target, relation)
        link = self._edges.draft(session, source, target, relation, weight, metadata, known)
        self._edges.write([link])
        return link

    def interlink(self, session: str, items: Sequence[Mapping[str, Any]], auto_link: bool = True) -> Interlinked:
        """Make several nodes, and relate those that are alike: to each other, and to the oldest of the others.

        Alike is what has a cosine from the link threshold on (.72); the others are the first 200.
        """
        session = session_name(session)
        for item in checked_items(items):
            node_type_of(item.get("type"), "items.type")
        made: dict[str, Engram] = {}
        for at, item in enumerate(items):
            try:
                node = self._nodes.upsert(
                    session, item["type"], item.get("label", ""), item.get("content", ""), item.get("metadata")
                )
            except InvalidInput as error:
                raise InvalidInput(f"items.{at}.{error.field}", error.problem) from None
            made[node.id] = node
        links = self._alike(session, list(made.values())) if auto_link else []
        self._edges.write(links)
        return Interlinked(list(made.values()), links)

    def _alike(self, session: str, made: Sequence[Engram]) -> list[Link]:
        new = {node.id for node in made}
        older = [node.id for node in self._nodes.known(session) if node.id not in new][: self._options.link_cap]
        vectors = {
            id: embed_text(text_of(engram.label or "", engram.content))
            for id, engram in {**self._nodes.read(older), **{node.id: node for node in made}}.items()
        }
        pairs = [*itertools.combinations([node.id for node in made], 2)]
        pairs += [(node.id, other) for node in made for other in older if other in vectors]
        alike = [(src, dst, cosine(vectors[src], vectors[dst])) for src, dst in pairs]
        return [
            self._edges.draft(session, src, dst, SIMILAR, score)
            for src, dst, score in alike
            if score >= self._options.link_threshold
        ]


def checked_items(items: object) -> Sequence[Mapping[str, Any]]:
    """Return the items of an interlinking, if they are a list of objects of a length that can be told at once."""
    if isinstance(items, str | Mapping) or not isinstance(items, Sequence):
        raise InvalidInput("items", "must be a list of objects with type, label and content")
    if not 1 <= len(items) <= MAX_ITEMS:
        raise InvalidInput("items", f"must hold from 1 to {MAX_ITEMS} items, got {len(items)}")
    for at, item in enumerate(items):
        if not isinstance(item, Mapping):
            raise InvalidInput(f"items.{at}", "must be an object with type, label and content")
        unknown = [str(name) for name in item if name not in ("type", "label", "content", "metadata")]
        if unknown:
            raise InvalidInput(f"items.{at}.{unknown[0]:.40}", "is not a field of an item")
    return items
