# SPDX-License-Identifier: Apache-2.0
"""The whole MAGMA pipeline behind one question: intent, seeds, views, merge, linearise, synthesise."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from ..domain.records import Engram, Entity, Event, Fact, Kind, LinkKind
from ..domain.sentences import sentences
from ..domain.text import clip, query_terms
from ..graphs.concepts import Concepts
from ..graphs.entities import Entities
from ..magma import synthesize
from ..magma.evidence import confidence, coverage, word_weights
from ..magma.intent import DEPTHS, Intent, classify
from ..magma.linearize import Linearized, linearize
from ..magma.merge import Merged, ViewName, merge
from ..magma.synthesize import Quote
from ..magma.tracing import Trace, trace
from ..magma.views import Expansion, Seeds, expand, origins
from ..ports.clock import Clock
from ..ports.store import GraphStore
from ..recall.candidates import Pool
from .recalling import Recaller, Request
from .results import Answer, ChainStep, Recalled, Result, Source

SEED_RESULTS = 10
SEED_SCORE = 0.5
"""Cosine from which a concept is a seed (polyg-mcp's); one whose name the question holds is one anyway."""

MIN_CONFIDENCE = 0.45
"""Confidence below which an answer is declined."""

READ_RESULTS = 3
"""Best results whose text counts as what was found."""

LINKED_ENTITIES = 12
MIN_EVENT, CLOSE_EVENT = 0.3, 0.7
"""Share of a question's words that an event must have to be told, and share of the best event's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A validated question."""

    text: str
    limit: int
    max_tokens: int
    request: Request


class Asker:
    """Answers questions about one memory from its graphs."""

    def __init__(self, store: GraphStore, recaller: Recaller, clock: Clock, view_timeout: float) -> None:
        self._store = store
        self._recaller = recaller
        self._clock = clock
        self._timeout = view_timeout

    def ask(self, question: Question) -> Answer:
        """Answer a question; see ``Memory.ask``."""
        timings: dict[str, float] = {}
        began = _now()
        intent = classify(question.text)
        recalled, pool = self._recaller.explore(replace(question.request, limit=SEED_RESULTS))
        timings["recall"] = _now() - began
        seeds = self._seeds(question, recalled, pool)
        timings["seeds"] = _now() - began - sum(timings.values())
        expansion = expand(self._store, seeds, DEPTHS[intent], self._timeout)
        timings |= {f"view {name}": spent for name, spent in expansion.milliseconds.items()}
        marked = _now()
        merged = merge(expansion.views, origins=lambda ids: origins(self._store, ids))
        context = linearize(merged, intent, question.max_tokens)
        timings["merge"] = _now() - marked
        marked = _now()
        answer = self._answer(question, intent, recalled, pool, seeds, expansion, merged, context)
        timings["answer"] = _now() - marked
        timings["total"] = _now() - began
        return replace(answer, timings={name: round(spent, 2) for name, spent in timings.items()})

    # --- where to start ---

    def _seeds(self, question: Question, recalled: Recalled, pool: Pool) -> Seeds:
        engrams = {result.engram.id: min(1.0, result.score) for result in recalled.results}
        entities = Entities(self._store)
        named = {entity.id: 1.0 for name in pool.plan.cues for entity in entities.named(name)[:3]}
        matches = Concepts(self._store).search(question.text, pool.vector, SEED_RESULTS, SEED_SCORE)
        for match in matches:
            for id in match.entities:
                named.setdefault(id, match.score)
        for result in recalled.results[:READ_RESULTS]:
            links = self._store.links([result.engram.id], [LinkKind.X_RECORDS], "out", limit=200)
            told = [link.dst for link in links if link.dst_kind is Kind.ENTITY]
            for id in told[:LINKED_ENTITIES]:
                named.setdefault(id, min(1.0, result.score))
        return Seeds(
            engrams=engrams,
            concepts={match.cue.id: match.score for match in matches},
            entities=named,
            windows=pool.plan.windows,
        )

    # --- what to say ---

    def _answer(
        self,
        question: Question,
        intent: Intent,
        recalled: Recalled,
        pool: Pool,
        seeds: Seeds,
        expansion: Expansion,
        merged: Merged,
        context: Linearized,
    ) -> Answer:
        weights = self._weights(question.text)
        quotes = self._quotes(recalled.results, weights)
        base = self._confidence(weights, recalled.results, pool)
        traced = None
        if ViewName.CAUSAL.value not in expansion.missing:
            in_time = frozenset(id for id, each in pool.by_id.items() if each.time)
            scores = _relative(seeds.engrams)
            traced = trace(self._store, weights, pool.vector, scores, in_time)
        chain, sources, sure = self._causal(traced, weights, pool, recalled.results)
        events = self._events(recalled.results, pool)
        facts = self._facts(recalled.results, weights)
        entities = self._entities(merged)
        text = ""
        certainty = base
        if intent is Intent.WHY and traced is not None and chain:
            text = synthesize.why(traced.chain, [step.source for step in chain])
            certainty = min(sure, traced.chain.hops[-1].confidence + 0.2)
        elif intent is Intent.WHEN and (asked := _about(events, weights)):
            text = synthesize.when(asked, question.request.zone)
        elif intent in (Intent.WHO, Intent.WHAT) and facts:
            text = synthesize.facts(facts) + " " + synthesize.quotes(quotes[:1])
        if not text and quotes:
            text = synthesize.quotes(quotes)
            if intent is Intent.WHY:
                certainty *= 0.7
        abstained = not text or certainty < MIN_CONFIDENCE
        if abstained or intent not in (Intent.WHY, Intent.EXPLORE):
            chain, traced = (), None
        if intent is not Intent.WHY or not sources:
            sources = self._sources(quotes, recalled.results, question.limit)
        return Answer(
            question=question.text,
            answer=synthesize.declined(synthesize.quotes(quotes[:1])) if abstained else text,
            intent=intent.value,
            confidence=round(max(0.0, min(1.0, certainty)), 4),
            abstained=abstained,
            chain=chain,
            root_cause=chain[0].cause if chain else None,
            chain_confidence=traced.chain.confidence if traced else None,
            timeline=events,
            facts=facts,
            entities=entities,
            sources=sources[: question.limit],
            context=context.text,
            strategy=context.strategy,
            views={view.name.value: len(view.nodes) for view in expansion.views},
            missing=dict(expansion.missing),
            degraded=recalled.degraded,
            pending=recalled.pending,
            timings={},
        )

    def _weights(self, text: str) -> dict[str, float]:
        words = query_terms(text)
        if not words:
            return {}
        matches = self._store.text_search(Kind.ENGRAM, words, 1)
        return word_weights(words, matches.document_frequencies, matches.documents)

    def _confidence(self, weights: Mapping[str, float], results: Sequence[Result], pool: Pool) -> float:
        read = results[:READ_RESULTS]
        if not read:
            return 0.0
        texts = [result.text for result in read]
        cosine = max(
            (pool.by_id[result.engram.id].cosine for result in read if result.engram.id in pool.by_id), default=0
        )
        return confidence(coverage(weights, texts), cosine if pool.vector is not None else None)

    def _causal(
        self, traced: Trace | None, weights: Mapping[str, float], pool: Pool, results: Sequence[Result]
    ) -> tuple[tuple[ChainStep, ...], tuple[Source, ...], float]:
        """Return a chain's steps with their sources, and how sure it is that it answers the question."""
        if traced is None:
            return (), (), 0.0
        numbers: dict[str, int] = {}
        sources: list[Source] = []
        steps = []
        through = 1.0
        told = traced.chain.told()
        for at, hop in enumerate(traced.chain.hops):
            number = None
            if hop.link.sources:
                id = hop.link.sources[0]
                if id not in numbers and (source := self._source(id, hop.link.evidence or "", len(sources) + 1)):
                    numbers[id] = source.number
                    sources.append(source)
                number = numbers.get(id)
            through *= hop.confidence
            steps.append(
                ChainStep(
                    cause=told[at],
                    cause_id=hop.cause.id,
                    effect=told[at + 1],
                    effect_id=hop.effect.id,
                    confidence=hop.confidence,
                    cumulative=through,
                    evidence=hop.link.evidence,
                    source=number,
                )
            )
        texts = [step.evidence or "" for step in steps] + [f"{step.cause} {step.effect}" for step in steps]
        texts += [source.text for source in sources]
        cosine = None
        if pool.vector is not None:
            cited = [pool.by_id[source.engram].cosine for source in sources if source.engram in pool.by_id]
            cosine = max(cited, default=0.0)
        sure = confidence(coverage(weights, texts), cosine)
        return tuple(steps), tuple(sources), sure

    def _source(self, id: str, evidence: str, number: int) -> Source | None:
        record = self._store.get(Kind.ENGRAM, [id]).get(id)
        if record is None:
            return None
        engram = cast(Engram, record)
        return Source(
            number=number,
            engram=engram.id,
            text=evidence or clip(engram.summary, 300),
            source=engram.source,
            at=engram.at,
        )

    def _quotes(self, results: Sequence[Result], weights: Mapping[str, float]) -> list[Quote]:
        """Return the sentence of each result that answers most of the question."""
        quotes = []
        for number, result in enumerate(results, 1):
            text = result.passage or result.engram.content[:4000]
            spans = sentences(text) or ((0, len(text)),)
            start, end = max(spans[:40], key=lambda span: coverage(weights, (text[span[0] : span[1]],)))
            quotes.append(Quote(number=number, engram=result.engram.id, text=" ".join(text[start:end].split())))
        return quotes

    def _sources(self, quotes: Sequence[Quote], results: Sequence[Result], limit: int) -> tuple[Source, ...]:
        by_id = {result.engram.id: result.engram for result in results}
        return tuple(
            Source(
                number=quote.number,
                engram=quote.engram,
                text=quote.text,
                source=by_id[quote.engram].source,
                at=by_id[quote.engram].at,
            )
            for quote in quotes[:limit]
        )

    def _events(self, results: Sequence[Result], pool: Pool) -> tuple[Event, ...]:
        ids = [result.engram.id for result in results]
        links = self._store.links(ids, [LinkKind.X_RECORDS], "out", limit=1000) if ids else ()
        told = [link.dst for link in links if link.dst_kind is Kind.EVENT]
        events = [cast(Event, record) for record in self._store.get(Kind.EVENT, told).values()]
        if windows := pool.plan.windows:
            inside = [
                event
                for event in events
                if any(event.occurred_at < window.end and event.occurred_end > window.start for window in windows)
            ]
            events = inside or events
        return tuple(sorted(events, key=lambda event: (event.occurred_at, event.id))[:50])

    def _facts(self, results: Sequence[Result], weights: Mapping[str, float]) -> tuple[Fact, ...]:
        """Return the facts told in the results that answer part of the question, the current ones first."""
        ids = [result.engram.id for result in results]
        links = self._store.links(ids, [LinkKind.X_RECORDS], "out", limit=1000) if ids else ()
        told = [link.dst for link in links if link.dst_kind is Kind.FACT]
        scored = []
        for record in self._store.get(Kind.FACT, told).values():
            fact = cast(Fact, record)
            covered = coverage(weights, (f"{fact.subject} {fact.predicate} {fact.object}",)) if weights else 0.0
            if covered >= 0.5:
                scored.append((fact.valid_to is not None, -covered, fact.id, fact))
        return tuple(fact for *_, fact in sorted(scored)[:10])

    def _entities(self, merged: Merged) -> tuple[Entity, ...]:
        ids = [node.id for node in merged.nodes if "entity_type" in node.data][:20]
        found = self._store.get(Kind.ENTITY, ids)
        return tuple(cast(Entity, found[id]) for id in ids if id in found)


def _about(events: Sequence[Event], weights: Mapping[str, float]) -> list[Event]:
    """Return the events that answer most of a question's words, in order of time."""
    covered = [coverage(weights, (event.description,)) for event in events]
    least = max(MIN_EVENT, CLOSE_EVENT * max(covered, default=0.0))
    return [event for event, share in zip(events, covered, strict=True) if share >= least]


def _relative(scores: Mapping[str, float]) -> dict[str, float]:
    most = max(scores.values(), default=1.0) or 1.0
    return {id: score / most for id, score in scores.items()}


def _now() -> float:
    return time.perf_counter() * 1000
