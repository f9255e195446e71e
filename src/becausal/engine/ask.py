# SPDX-License-Identifier: Apache-2.0
"""The whole MAGMA pipeline behind one question: intent, seeds, views, merge, linearise, synthesise."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from ..domain.records import Engram, Entity, Event, Kind, Link, LinkKind
from ..domain.temporal.text import find_times
from ..domain.text import query_terms
from ..graphs.concepts import Concepts
from ..graphs.entities import entity_key
from ..magma import synthesize
from ..magma.evidence import confidence, named_terms, word_weights
from ..magma.intent import DEPTHS, Intent, asked_effect, classify, focus, items, topic
from ..magma.linearize import Linearized, linearize
from ..magma.merge import Merged, ViewName, merge
from ..magma.tracing import Trace, Wanted, trace
from ..magma.views import Expansion, Seeds, expand, origins
from ..ports.clock import Clock
from ..ports.store import Condition, GraphStore, Op, Where
from ..recall.candidates import Pool
from ..recall.plan import GENERIC
from . import findings
from .findings import Citations
from .recalling import Recaller, Request
from .results import Answer, ChainStep, Recalled, Result

SEED_RESULTS = 10
SEED_SCORE = 0.5
"""Cosine from which a concept is a seed (polyg-mcp's); one whose name the question holds is one anyway."""

MIN_CONFIDENCE = 0.55
"""Confidence below which an answer is declined."""

READ_RESULTS = 3
"""Best results whose text counts as what was found."""

NOTHING: Where = (Condition("id", Op.IN, ()),)
"""Asks for statistics alone."""

LINKED_ENTITIES = 12
NAMED = 3
"""Entities of one name that are seeds."""

TIMED = 40
"""Memories of a time asked for that are looked at for what happened then."""

UNEXPLAINED = 0.7
"""What confidence keeps where a reason is asked for and only what was said about the event is known."""

ELSEWHEN = 0.6
"""What it keeps where a time is asked for and nothing that answers was told of it."""

CONTRARY = 0.5
"""What it keeps where the event found says the opposite of the one asked about."""

CIRCUMSTANCE = 0.3
"""Weight of a word that tells only when or after what the event asked about happened, for finding the event."""

LAST_HOP = 0.25
"""Share of a chain's confidence that hangs on its last hop: whether the event asked about is explained at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A validated question."""

    text: str
    limit: int
    max_tokens: int
    request: Request


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What a question's answer is made from. ``records`` are the ``X_RECORDS`` links of the results.

    ``weights`` are the question's words with their weights, ``topic`` those that are not only about a time.
    """

    question: Question
    intent: Intent
    results: tuple[Result, ...]
    pool: Pool
    records: tuple[Link, ...]
    weights: Mapping[str, float]
    topic: Mapping[str, float]
    names: frozenset[str]

    @property
    def in_time(self) -> frozenset[str]:
        return frozenset(id for id, each in self.pool.by_id.items() if each.time)

    def cosine(self, engrams: Sequence[str]) -> float | None:
        """Return how near the nearest of some memories is to the question; ``None`` where no vector tells."""
        if self.pool.vector is None:
            return None
        return max((self.pool.by_id[id].cosine for id in engrams if id in self.pool.by_id), default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """An answer in words, how sure it is, and what it cites."""

    text: str
    sure: float
    cited: Citations
    chain: tuple[ChainStep, ...] = ()
    traced: Trace | None = None


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
        asked = topic(question.text)
        recalled, pool = self._recaller.explore(replace(question.request, query=asked, limit=SEED_RESULTS))
        timings["recall"] = _now() - began
        found = self._found(question, asked, intent, recalled, pool)
        seeds = self._seeds(found)
        timings["seeds"] = _now() - began - sum(timings.values())
        expansion = expand(self._store, seeds, DEPTHS[intent], self._timeout)
        timings |= {f"view {name}": spent for name, spent in expansion.milliseconds.items()}
        marked = _now()
        merged = merge(expansion.views, origins=lambda ids: origins(self._store, ids))
        context = linearize(merged, intent, question.max_tokens)
        timings["merge"] = _now() - marked
        marked = _now()
        answer = self._answer(found, recalled, expansion, merged, context)
        timings["answer"] = _now() - marked
        timings["total"] = _now() - began
        return replace(answer, timings={name: round(spent, 2) for name, spent in timings.items()})

    # --- where to start ---

    def _found(self, question: Question, text: str, intent: Intent, recalled: Recalled, pool: Pool) -> _Found:
        words = query_terms(text)
        weights: dict[str, float] = {}
        if words:
            matches = self._store.text_search(Kind.ENGRAM, words, 1, NOTHING)
            weights = word_weights(words, matches.document_frequencies, matches.documents)
            # "What happened to the roof?" is about the roof.
            weights = {word: weight for word, weight in weights.items() if word not in GENERIC} or weights
        rest = text
        for mention in reversed(find_times(text, anchor=self._clock.now(), zone=question.request.zone)):
            rest = f"{rest[: mention.start]} {rest[mention.end :]}"
        lasting = set(query_terms(rest)) if pool.plan.topical else set()
        ids = [result.engram.id for result in recalled.results]
        return _Found(
            question=question,
            intent=intent,
            results=recalled.results,
            pool=pool,
            records=self._store.links(ids, [LinkKind.X_RECORDS], "out", limit=2000) if ids else (),
            weights=weights,
            topic={word: weight for word, weight in weights.items() if word in lasting},
            names=named_terms(text),
        )

    def _seeds(self, found: _Found) -> Seeds:
        named = dict.fromkeys(self._named(found.pool.plan.cues), 1.0)
        matches = Concepts(self._store).search(found.question.text, found.pool.vector, SEED_RESULTS, SEED_SCORE)
        for match in matches:
            for id in match.entities:
                named.setdefault(id, match.score)
        told = findings.told(found.records, Kind.ENTITY)
        for result in found.results[:READ_RESULTS]:
            for id in told.get(result.engram.id, [])[:LINKED_ENTITIES]:
                named.setdefault(id, min(1.0, result.score))
        return Seeds(
            engrams={result.engram.id: min(1.0, result.score) for result in found.results},
            concepts={match.cue.id: match.score for match in matches},
            entities=named,
            windows=found.pool.plan.windows,
        )

    def _named(self, names: Sequence[str]) -> list[str]:
        """Return the ids of the entities that have some names, or have them as aliases, at most ``NAMED`` of each."""
        keys = tuple(dict.fromkeys(filter(None, map(entity_key, names))))
        if not keys:
            return []
        own = self._store.find(Kind.ENTITY, (Condition("key", Op.IN, keys),), limit=20 * len(keys)).records
        other = self._store.find(Kind.ENTITY, (Condition("aliases", Op.HAS, keys),), limit=20 * len(keys)).records
        found: dict[str, list[str]] = {}
        for record in sorted((*own, *other), key=lambda each: (not cast(Entity, each).asserted, each.id)):
            entity = cast(Entity, record)
            for key in {entity.key, *map(entity_key, entity.aliases)} & set(keys):
                found.setdefault(key, []).append(entity.id)
        return [id for key in keys for id in found.get(key, [])[:NAMED]]

    # --- what to say ---

    def _answer(
        self, found: _Found, recalled: Recalled, expansion: Expansion, merged: Merged, context: Linearized
    ) -> Answer:
        traceable = found.intent is Intent.WHY and ViewName.CAUSAL.value not in expansion.missing
        traced = trace(self._store, self._wanted(found)) if traceable else None
        facts, tellers = findings.facts_of(self._store, found.records, found.topic)
        events = findings.events_of(self._store, found.records)
        said = quoted = self._quoted(found)
        if traced is not None:
            chained = self._chained(found, traced)
            said = chained if chained.sure >= MIN_CONFIDENCE else max(said, chained, key=lambda each: each.sure)
        elif found.intent is Intent.WHEN:
            said = self._timed(found, events) or said
        elif found.intent in (Intent.WHO, Intent.WHAT) and facts:
            cited = self._citations(found)
            for fact in facts[: synthesize.SHOWN_FACTS]:
                cited.number(tellers[fact.id])
            said = _Said(text=synthesize.facts(facts), sure=said.sure, cited=cited)
        abstained = not said.text or said.sure < MIN_CONFIDENCE
        if abstained:
            nearest = synthesize.quotes(findings.comparable(found.results, found.weights)[:1])
            said = replace(quoted, text=synthesize.declined(nearest), sure=said.sure)
        return Answer(
            question=found.question.text,
            answer=said.text,
            intent=found.intent.value,
            confidence=round(max(0.0, min(1.0, said.sure)), 4),
            abstained=abstained,
            chain=said.chain,
            root_cause=said.chain[0].cause if said.chain else None,
            chain_confidence=said.traced.chain.confidence if said.traced else None,
            timeline=findings.timeline([each for own in events.values() for each in own], found.pool.plan.windows),
            facts=facts,
            entities=self._entities(merged),
            sources=tuple(said.cited.sources[: max(found.question.limit, len(said.chain))]),
            context=context.text,
            strategy=context.strategy,
            views={view.name.value: len(view.nodes) for view in expansion.views},
            missing=dict(expansion.missing),
            degraded=recalled.degraded,
            pending=recalled.pending,
            timings={},
        )

    def _quoted(self, found: _Found) -> _Said:
        """Let the memories found speak."""
        cited = self._citations(found)
        quotes = findings.comparable(found.results, found.weights)
        for quote in quotes:
            cited.number(quote.engram, quote.text)
        read = found.results[:READ_RESULTS]
        if not read:
            return _Said(text="", sure=0.0, cited=cited)
        texts = [result.text for result in read]
        sure = self._sure(found, texts, [result.engram.id for result in read])
        if found.intent is Intent.WHY:
            sure *= UNEXPLAINED
        return _Said(text=synthesize.quotes(quotes), sure=sure, cited=cited)

    def _sure(self, found: _Found, texts: Sequence[str], engrams: Sequence[str], cosine: float | None = None) -> float:
        """Return how sure it is that some texts, told in some memories, answer the question."""
        windows = found.pool.plan.windows
        near = max((each for each in (found.cosine(engrams), cosine) if each is not None), default=None)
        if windows and not found.in_time.isdisjoint(engrams):
            # What lies in the time asked for need not name it.
            return confidence(found.topic, texts, near, found.names)
        sure = confidence(found.weights, texts, near, found.names)
        return sure * ELSEWHEN if windows else sure

    def _timed(self, found: _Found, events: Mapping[str, Sequence[Event]]) -> _Said | None:
        """Say when it happened, or what happened then."""
        windows = found.pool.plan.windows
        engrams = {result.engram.id: result.engram for result in found.results}
        if windows:
            timed = sorted(found.in_time, key=lambda id: (-found.pool.by_id[id].score, id))[:TIMED]
            fresh = [id for id in timed if id not in engrams]
            if fresh:
                engrams |= {id: cast(Engram, record) for id, record in self._store.get(Kind.ENGRAM, fresh).items()}
                links = self._store.links(fresh, [LinkKind.X_RECORDS], "out", limit=2000)
                events = {**events, **findings.events_of(self._store, links)}
        happened = findings.happenings(list(engrams.values()), events, found.topic, windows)
        asked = [set(query_terms(item)) for item in items(found.question.text)]
        listed = [{word: weight for word, weight in found.topic.items() if word in each} for each in asked]
        moments = findings.one_each(happened, listed) if all(listed) and listed else []
        if len(moments) < len(listed) or not listed:
            moments = findings.foremost(happened, synthesize.SHOWN_MOMENTS)
        if not moments:
            return None
        cited = self._citations(found)
        numbers = [cited.number(each.engram, each.text) or 0 for each in moments]
        sure = self._sure(found, [each.text for each in moments], [each.engram for each in moments])
        return _Said(text=synthesize.when(moments, numbers, found.question.request.zone), sure=sure, cited=cited)

    def _wanted(self, found: _Found) -> Wanted:
        most = max((result.score for result in found.results), default=1.0) or 1.0
        weights = found.topic or found.weights
        if explained := {
            word: weights[word] for word in query_terms(asked_effect(found.question.text) or "") if word in weights
        }:
            weights = explained
        else:
            meant = set(query_terms(focus(found.question.text)))
            weights = {word: weight * (1.0 if word in meant else CIRCUMSTANCE) for word, weight in weights.items()}
        return Wanted(
            text=found.question.text,
            weights=weights,
            vector=found.pool.vector,
            engrams={result.engram.id: result.score / most for result in found.results},
            in_time=found.in_time,
            where=found.question.request.where,
        )

    def _chained(self, found: _Found, traced: Trace) -> _Said:
        """Tell a chain, each hop with the memory it was told in."""
        cited = self._citations(found)
        steps = []
        through = 1.0
        told = traced.chain.told()
        for at, hop in enumerate(traced.chain.hops):
            through *= hop.confidence
            evidence = hop.link.evidence
            sources = [id for id in hop.link.sources if id in found.in_time] or list(hop.link.sources)
            steps.append(
                ChainStep(
                    cause=told[at],
                    cause_id=hop.cause.id,
                    effect=told[at + 1],
                    effect_id=hop.effect.id,
                    confidence=hop.confidence,
                    cumulative=through,
                    evidence=evidence,
                    source=cited.number(sources[0], evidence or "") if sources else None,
                )
            )
        others = [(traced.graph.nodes[link.src].description, link.confidence) for link in traced.others]
        text = synthesize.why(traced.chain, [step.source for step in steps], others, traced.cut)
        texts = [step.evidence or "" for step in steps] + [f"{step.cause} {step.effect}" for step in steps]
        tellers = [source.engram for source in cited.sources]
        whole = [result.engram.content for result in found.results if result.engram.id in tellers]
        # A report names its subject once, and need not do so in the sentences that explain it.
        sure = (
            self._sure(found, texts, tellers, traced.cosine)
            + self._sure(found, [*texts, *whole], tellers, traced.cosine)
        ) / 2
        last = traced.chain.outright
        sure *= (1.0 - LAST_HOP + LAST_HOP * last) * (CONTRARY if traced.opposed else 1.0)
        return _Said(text=text, sure=sure, cited=cited, chain=tuple(steps), traced=traced)

    def _citations(self, found: _Found) -> Citations:
        known = {result.engram.id: result.engram for result in found.results}
        return Citations(lambda id: known.get(id) or cast("Engram | None", self._store.get(Kind.ENGRAM, [id]).get(id)))

    def _entities(self, merged: Merged) -> tuple[Entity, ...]:
        ids = [node.id for node in merged.nodes if "entity_type" in node.data][:20]
        found = self._store.get(Kind.ENTITY, ids)
        return tuple(cast(Entity, found[id]) for id in ids if id in found)


def _now() -> float:
    return time.perf_counter() * 1000
