# SPDX-License-Identifier: Apache-2.0
"""The graphs of a memory, as ``memory.graphs``: stating what is so, asking each graph, merging what they answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, tzinfo

from ...domain.records import CueType, Json, Kind, LinkKind
from ...domain.redaction import Redact, nothing
from ...graphs.crosslinks import links_among
from ...magma.intent import Intent
from ...magma.linearize import Linearized, linearize
from ...magma.merge import BOOST, Merged, View, ViewEdge, merge
from ...magma.views import origins
from ...models.lazy import LazyEmbedder
from ...ports.batch import Batch, Patch, Ref
from ...ports.clock import Clock
from ...ports.store import Condition, GraphStore, Op, Order
from .. import validate
from ..removal import erase_traces
from ..results import Forgotten, Undone
from ..worker import Worker
from .reading import GraphReader
from .results import (
    CausalLinkAdded,
    CausesFound,
    Cleared,
    ConceptAdded,
    ConceptsFound,
    EntitiesFound,
    EntityAdded,
    EventAdded,
    FactAdded,
    Related,
    Statistics,
    TimelineFound,
)
from .terms import MIN_TOKENS, GraphName
from .withdrawing import Withdrawals
from .writing import GraphWriter

KINDS: Mapping[GraphName, tuple[Kind, ...]] = {
    GraphName.SEMANTIC: (),
    GraphName.TEMPORAL: (Kind.EVENT, Kind.FACT),
    GraphName.CAUSAL: (Kind.CAUSE,),
    GraphName.ENTITY: (Kind.ENTITY,),
    GraphName.ALL: (Kind.EVENT, Kind.FACT, Kind.CAUSE, Kind.ENTITY),
}
"""The kinds of record that go altogether with a graph."""

CROSS_LINKS = (LinkKind.X_REPRESENTS, LinkKind.X_INVOLVES, LinkKind.X_REFERS_TO, LinkKind.X_AFFECTS)
UNSTATED: Mapping[str, object] = {"asserted": False, "description": None}
PAGE = 500


class Graphs:
    """The graphs of one user's memory. Thread-safe.

    What is stated here stays when memories that told it too are forgotten; stating it twice is as good as
    once. References to records are ids, names, aliases or descriptions; case and hyphens do not matter.
    Every method may raise ``InvalidInput`` for its arguments and ``StoreError`` for the storage.
    """

    def __init__(
        self,
        store: GraphStore,
        embedder: LazyEmbedder,
        clock: Clock,
        zone: tzinfo,
        worker: Worker,
        *,
        undo: timedelta = timedelta(days=7),
        model_wait: float = 30.0,
        read_wait: float = 0.3,
        redact: Redact = nothing,
        elsewhere: Sequence[str] = (),
    ) -> None:
        """Put the graphs of a memory together. The waits are in seconds: see ``Memory``."""
        self._store = store
        self._withdrawals = Withdrawals(store, clock, undo, elsewhere)
        self._write = GraphWriter(store, embedder, worker, clock, zone, undo=undo, model_wait=model_wait, redact=redact)
        self._read = GraphReader(store, embedder, worker, clock, zone, model_wait=model_wait, read_wait=read_wait)

    # --- stating ---

    def add_entity(
        self,
        name: str,
        entity_type: str,
        properties: Mapping[str, Json] | None = None,
        aliases: Sequence[str] = (),
    ) -> EntityAdded:
        """Add an entity, or bring the one with this name and type up to date: properties and aliases join."""
        return self._write.add_entity(name, entity_type, properties, aliases)

    def link_entities(self, source: str, relationship: str, target: str) -> Related:
        """State that one entity relates to another.

        Raises:
            NotFound: one of them does not exist.
        """
        return self._write.link_entities(source, relationship, target)

    def add_event(
        self,
        description: str,
        occurred_at: str | datetime,
        entities: Sequence[str] = (),
        duration: str | None = None,
    ) -> EventAdded:
        """Add an event, and link it to the entities asked for and to those that it names."""
        return self._write.add_event(description, occurred_at, entities, duration)

    def add_fact(
        self,
        subject: str,
        predicate: str,
        object: str,
        valid_from: str | datetime,
        valid_to: str | datetime | None = None,
        subject_entity: str | None = None,
        single_valued: bool | None = None,
    ) -> FactAdded:
        """Add a fact that holds from one moment, inclusive, to another, exclusive; close what it makes out of date.

        ``single_valued`` says whether the subject has one object of this predicate at a time; by default that
        goes by the predicate. ``Memory.undo`` takes a closing back together with the fact.
        """
        return self._write.add_fact(subject, predicate, object, valid_from, valid_to, subject_entity, single_valued)

    def add_concept(self, name: str, description: str | None = None, entities: Sequence[str] = ()) -> ConceptAdded:
        """Add a concept, or bring it up to date, and link it to the entities it stands for."""
        return self._write.add_concept(name, description, entities)

    def add_causal_link(
        self,
        cause: str,
        effect: str,
        confidence: float = 1.0,
        entities: Sequence[str] = (),
        events: Sequence[str] = (),
        evidence: str | None = None,
    ) -> CausalLinkAdded:
        """State that one thing brought about another, and link both to entities and events.

        A description that means a node which is known is that node, so that links form chains.

        Raises:
            NotFound: an id given for cause or effect is none.
        """
        return self._write.add_causal_link(cause, effect, confidence, entities, events, evidence)

    # --- asking ---

    def semantic_search(self, query: str, limit: int = 10, min_score: float = 0.5) -> ConceptsFound:
        """Find concepts by meaning (cosine of at least ``min_score``) or by name, with the entities they stand for."""
        return self._read.semantic_search(query, limit, min_score)

    def entity_lookup(self, references: Sequence[str], depth: int = 2) -> EntitiesFound:
        """Find entities with everything within ``depth`` (1 … 5) relations."""
        return self._read.entity_lookup(references, depth)

    def temporal_expand(
        self,
        references: Sequence[str],
        since: str | datetime | None = None,
        until: str | datetime | None = None,
        depth: int = 2,
    ) -> TimelineFound:
        """Find events and facts that involve entities, or others within ``depth − 1`` relations of them.

        ``until`` counts up to its end. Without it and ``since`` the window is open.
        """
        return self._read.temporal_expand(references, since, until, depth)

    def causal_expand(self, references: Sequence[str], direction: str = "both", depth: int = 3) -> CausesFound:
        """Find what led to what affects some entities, and what came of it, within ``depth`` (1 … 5) hops.

        ``direction``: ``upstream``, ``downstream`` or ``both``.
        """
        return self._read.causal_expand(references, direction, depth)

    # --- putting together ---

    def merge(self, views: Sequence[View], boost: float = BOOST, min_score: float | None = None) -> Merged:
        """Merge views as ``magma.merge`` does; stored links among the nodes are added to the edges."""
        merged = merge(views, boost=boost, min_score=min_score, origins=lambda ids: origins(self._store, ids))
        return self._with_links(merged)

    def linearize(self, subgraph: Merged, intent: str, max_tokens: int = 4000) -> Linearized:
        """Return a merged subgraph as text for a model to read; see ``magma.linearize``.

        A subgraph without edges is read with the stored links among its nodes.
        """
        chosen = validate.choice(intent, "intent", Intent)
        budget = validate.integer(max_tokens, "max_tokens", MIN_TOKENS, validate.MAX_TOKENS)
        return linearize(subgraph if subgraph.edges else self._with_links(subgraph), chosen, budget)

    def _with_links(self, merged: Merged) -> Merged:
        told = {(edge.src, edge.dst, edge.kind, edge.relation) for edge in merged.edges}
        stored = (
            ViewEdge(
                src=link.src,
                dst=link.dst,
                kind=link.kind.value,
                relation=link.relation_type,
                confidence=link.strength if link.kind is LinkKind.SAME_AS else link.confidence,
            )
            for link in links_among(self._store, [node.id for node in merged.nodes])
        )
        more = (edge for edge in stored if (edge.src, edge.dst, edge.kind, edge.relation) not in told)
        return replace(merged, edges=(*merged.edges, *more))

    # --- taking back ---

    def withdraw(self, id: str, *, purge: bool = False, dry_run: bool = False) -> Forgotten | None:
        """Take back one fact, event, relation, cause, concept or entity that was stated; ``None`` if there is none.

        What a memory tells as well stays, as the memory tells it; what nothing supports any more goes, an entity
        with its relations, and a fact that had been closed opens again. ``Memory.undo`` brings it all back, unless
        ``purge`` erases it at once. ``dry_run`` only says what would go.

        Raises:
            InvalidInput: it was not stated, but read from a memory.
        """
        return self._withdrawals.withdraw(id, purge=purge, dry_run=dry_run)

    def undo_statement(self, id: str) -> Undone | None:
        """Take back what was stated under an id, if nothing has changed it since; ``None`` otherwise."""
        return self._withdrawals.undo_statement(id)

    # --- upkeep ---

    def statistics(self) -> Statistics:
        """Count the records of each graph, and the links."""
        counts = self._store.count()
        return Statistics(
            semantic=counts[Kind.CUE],
            temporal=counts[Kind.EVENT] + counts[Kind.FACT],
            causal=counts[Kind.CAUSE],
            entity=counts[Kind.ENTITY],
            relationships=sum(counts[kind] for kind in LinkKind),
            cross_links={kind.value: counts[kind] for kind in CROSS_LINKS},
        )

    def clear(self, graph: str) -> Cleared:
        """Erase a graph: ``semantic``, ``temporal``, ``causal``, ``entity`` or ``all``; memories stay.

        Of concepts only those go that callers have stated; what encodes memories stays. Links to what is gone
        go too, and so does what was cleared from the store's files. Memories are not read again for it, unless
        they are changed or reindexed.
        """
        name = validate.choice(graph, "graph", GraphName)
        removed = 0
        if name in (GraphName.SEMANTIC, GraphName.ALL):
            removed += self._unstate(CueType.CONCEPT)
        if name in (GraphName.ENTITY, GraphName.ALL):
            removed += self._unstate(CueType.ENTITY)
        if kinds := KINDS[name]:
            removed += self._store.clear(kinds)
        if Kind.FACT in kinds:
            self._forget_closings()
        erase_traces(self._store, ())
        left = self.statistics()
        remaining = left.semantic + left.temporal + left.causal + left.entity
        return Cleared(graph=name.value, removed=removed, remaining=remaining)

    def _unstate(self, cue_type: CueType) -> int:
        """Delete the stated concepts of a type that are no memory's cue; the others are no longer stated."""
        stated = (Condition("asserted", Op.EQ, True), Condition("cue_type", Op.EQ, cue_type))
        removed = 0
        while records := self._store.find(Kind.CUE, stated, limit=PAGE).records:
            ids = [record.id for record in records]
            encoding = {edge.dst for edge in self._store.edges(ids, [LinkKind.ENCODED_BY], "in", 1)}
            told = self._store.links(ids, [LinkKind.X_REPRESENTS], "out", limit=100_000)
            gone = [id for id in ids if id not in encoding]
            self._store.write(
                Batch(
                    deletes=tuple(Ref(Kind.CUE, id) for id in gone),
                    unlinks=tuple(link.id for link in told if not link.sources),
                    patches=tuple(Patch(Kind.CUE, id, set=UNSTATED) for id in ids if id in encoding),
                )
            )
            removed += len(gone)
        return removed

    def _forget_closings(self) -> None:
        """Delete what would bring back facts that are gone."""
        closings = (Condition("action", Op.EQ, "supersede"),)
        while records := self._store.find(Kind.CHANGE, closings, Order("id"), PAGE).records:
            self._store.write(Batch(deletes=tuple(Ref(Kind.CHANGE, record.id) for record in records)))
