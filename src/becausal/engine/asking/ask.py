# SPDX-License-Identifier: Apache-2.0
"""The whole MAGMA pipeline behind one question: intent, seeds, views, merge, linearise, synthesise."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from ...domain.designators import designators
from ...domain.kinds import asks_for_several
from ...domain.records import CueType, Entity, Kind, LinkKind
from ...domain.temporal.text import find_times
from ...domain.text import query_terms
from ...graphs.concepts import Concepts
from ...magma.consequences import consequences
from ...magma.doers import doers
from ...magma.evidence import coverage, kinds, named_terms, numerals, offices, word_weights
from ...magma.intent import DEPTHS, Intent, asked_effect, classify, focus, forward, items, lasting, placed, topic
from ...magma.linearize import linearize
from ...magma.matching import Timing, Wanted
from ...magma.merge import Merged, ViewName, merge
from ...magma.tracing import Trace, trace
from ...magma.views import Expander, Expansion, Seeds
from ...models.patience import within
from ...ports.clock import Clock
from ...ports.store import Condition, GraphStore, Op, Where
from ...recall.candidates import Pool
from ...recall.plan import GENERIC
from ..assisting import ChatOptions, helper
from ..graph.stated import Statements, named_in
from ..recalling import Recaller
from ..results import Answer, Recalled
from . import findings
from .asked import Found, Question, Said
from .chaining import Chains
from .dating import Dates
from .holding import Facts, facts_of
from .quoting import Quotes
from .timing import Times

if TYPE_CHECKING:
    from ...ports.models import Vectors

SEED_RESULTS = 10
"""Memories that the views start from."""

MIN_CONFIDENCE = 0.55
"""Confidence below which an answer is declined."""

READ_RESULTS = 3
"""Best memories whose things the views start from."""

LINKED_ENTITIES = 12
"""Things of one memory that the views start from."""

NAMED = 12
"""Concepts named in a question that the views start from."""

MEANT_SCORE = 0.5
"""Cosine from which a concept is what a question means without naming it (polyg-mcp's threshold for seeds)."""

SHOWN_ENTITIES = 20
MAX_LINKS = 2_000

NOTHING: Where = (Condition("id", Op.IN, ()),)
"""Asks for statistics alone."""

CIRCUMSTANCE = 0.3
"""Weight of a word that tells only when or after what the event asked about happened, for finding the event."""

ABOUT = 0.6
"""Share of a question's words that an event must have for its chain to be told where everything about them is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Context:
    """What surrounds an answer: the views, what they hold together, and that as a text."""

    expansion: Expansion
    merged: Merged
    text: str
    strategy: str


class Asker:
    """Answers questions about one memory from its graphs. ``embed`` returns the vectors of some texts, if it can."""

    def __init__(
        self,
        store: GraphStore,
        recaller: Recaller,
        clock: Clock,
        view_timeout: float,
        embed: Callable[[Sequence[str]], Vectors | None],
        chat: ChatOptions | None = None,
    ) -> None:
        self._chat = chat
        self._store = store
        self._recaller = recaller
        self._clock = clock
        self._expander = Expander(store, view_timeout)
        self._statements = Statements(store)
        self._facts = Facts(store, embed)
        self._dates = Dates(store, self._facts, clock.now)
        self._chains = Chains(store)
        self._quotes = Quotes(store, self._facts, self._chains)

    def ask(self, question: Question) -> Answer:
        """Answer a question; see ``Memory.ask``."""
        with within(question.request.seconds_left):
            return self._ask(question)

    def _ask(self, question: Question) -> Answer:
        watch = _Watch()
        asked = topic(question.text)
        intent = classify(question.text)
        request = replace(question.request, query=asked, limit=SEED_RESULTS)
        help = helper(self._chat, question.text, self._clock, question.request.seconds_left)
        if help is not None:
            intent = help.read(intent)
            request = replace(request, cues=help.cues)
            watch.lap("model reads")
        recalled, pool = self._recaller.explore(request)
        watch.lap("recall")
        with self._store.snapshot():
            found = self._found(question, asked, intent, recalled, pool)
            watch.lap("seeds")
            traced = self._trace(found)
            watch.lap("trace")
            context = self._context(found, traced)
            watch.laps |= {f"view {name}": spent for name, spent in context.expansion.milliseconds.items()}
            watch.lap("context")
            if ViewName.CAUSAL.value in context.expansion.missing:
                traced = None
            said = self._say(found, traced)
            if (not said.text or said.sure < MIN_CONFIDENCE) and (meant := self._meant(found)):
                found = meant
                said = max(said, self._facts.held(found) or said, key=lambda each: each.sure)
            answer = self._answer(found, said, recalled, context)
            watch.lap("answer")
        if help is not None:
            answer = help.write(answer, recalled.results, question.limit)
            watch.lap("model answers")
        return replace(answer, timings=watch.total())

    def close(self) -> None:
        """Let go of the threads that expand views."""
        self._expander.close()

    # --- what there is ---

    def _found(self, question: Question, asked: str, intent: Intent, recalled: Recalled, pool: Pool) -> Found:
        ids = [result.engram.id for result in recalled.results]
        records = self._store.links(ids, [LinkKind.X_RECORDS], "out", limit=MAX_LINKS) if ids else ()
        named = named_in(self._store, asked)
        telling: dict[str, list[str]] = {}
        for link in records:
            if link.dst_kind is Kind.FACT:
                telling.setdefault(link.dst, []).append(link.src)
        where = question.request.where
        statements = self._statements.about(asked, named, pool.plan.windows, telling, where, question.request.zone)
        untold = [each.words for each in statements if not each.tellers]
        weights = self._weights(asked, untold)
        timeless = self._timeless(asked, question)
        lasting = set(query_terms(timeless)) if pool.plan.topical else set()
        doing = {**doers(question.text), **kinds(weights), **numerals(weights), **offices(weights)}
        windows = pool.plan.windows
        times = Times(self._store, question.text, windows, question.request.zone) if windows else None
        timed = [id for id, each in pool.by_id.items() if each.time]
        placed = times.of_engrams(timed) if times and timed else {}
        inside = frozenset(id for id, timing in placed.items() if timing is Timing.INSIDE)
        if times:
            inside |= {each.engram.id for each in recalled.results if times.reaches(each.text, each.engram.at)}
        return Found(
            question=question,
            asked=asked,
            intent=intent,
            forward=forward(question.text),
            results=recalled.results,
            pool=pool,
            records=records,
            named=named,
            statements=statements,
            weights={doing.get(word, word): weight for word, weight in weights.items()},
            topic={doing.get(word, word): weight for word, weight in weights.items() if word in lasting},
            names=named_terms(asked),
            which={} if items(question.text) else designators(timeless),
            in_time=inside,
            times=times,
        )

    def _weights(self, asked: str, untold: Sequence[str]) -> dict[str, float]:
        """Return the weights of a question's words, from how many memories and other statements hold each."""
        words = query_terms(asked)
        if not words:
            return {}
        matches = self._store.text_search(Kind.ENGRAM, words, 1, NOTHING)
        stated = [set(query_terms(text)) for text in untold]
        frequencies = [
            known + sum(word in each for each in stated)
            for word, known in zip(words, matches.document_frequencies, strict=True)
        ]
        weights = word_weights(words, frequencies, matches.documents + len(stated))
        # "What happened to the roof?" is about the roof.
        return {word: weight for word, weight in weights.items() if word not in GENERIC} or weights

    def _timeless(self, asked: str, question: Question) -> str:
        """Return a question without the times that it names."""
        rest = asked
        for mention in reversed(find_times(asked, anchor=self._clock.now(), zone=question.request.zone)):
            rest = f"{rest[: mention.start]} {rest[mention.end :]}"
        return rest

    def _meant(self, found: Found) -> Found | None:
        """Return what was found with the concepts that a question means without naming them, if there are any.

        They are looked for only where nothing else answers: comparing a question with every name takes its time.
        """
        known = {each.id for each in found.statements}
        matches = Concepts(self._store).search(found.asked, found.pool.vector, NAMED, MEANT_SCORE)
        more = self._statements.concepts(
            [match.cue for match in matches if match.cue.id not in known and match.cue.cue_type is CueType.CONCEPT]
        )
        return replace(found, statements=(*found.statements, *more)) if more else None

    # --- what led to what ---

    def _trace(self, found: Found) -> Trace | None:
        if found.forward:
            return consequences(self._store, self._wanted(found))
        if found.intent not in (Intent.WHY, Intent.EXPLORE):
            return None
        if found.intent is Intent.EXPLORE and lasting(found.question.text):
            return None  # what it came of says nothing of how long it is
        traced = trace(self._store, self._wanted(found))
        if traced is not None and found.intent is Intent.EXPLORE:
            ends = f"{traced.chain.hops[-1].effect.description} {traced.chain.root.description}"
            return traced if not traced.opposed and coverage(found.topic, (ends,)) >= ABOUT else None
        return traced

    def _wanted(self, found: Found) -> Wanted:
        most = max((result.score for result in found.results), default=1.0) or 1.0
        weights = found.topic or found.weights
        effect = set(query_terms(asked_effect(found.question.text) or ""))
        if explained := {word: weight for word, weight in weights.items() if word in effect}:
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
            records=found.records,
            timing=found.times.of_links if found.times else None,
            which=found.which,
        )

    # --- the context ---

    def _context(self, found: Found, traced: Trace | None) -> _Context:
        expansion = self._expander.expand(self._seeds(found, traced), DEPTHS[found.intent])
        merged = merge(expansion.views, origins=lambda ids: self._origins(found, ids))
        text = linearize(merged, found.intent, found.question.max_tokens)
        return _Context(expansion=expansion, merged=merged, text=text.text, strategy=text.strategy)

    def _seeds(self, found: Found, traced: Trace | None) -> Seeds:
        named = dict.fromkeys((entity.id for entity in found.named.entities), 1.0)
        told = findings.told(found.records, Kind.ENTITY)
        for result in found.results[:READ_RESULTS]:
            for id in told.get(result.engram.id, [])[:LINKED_ENTITIES]:
                named.setdefault(id, min(1.0, result.score))
        return Seeds(
            engrams={result.engram.id: min(1.0, result.score) for result in found.results},
            concepts={cue.id: 1.0 for cue in found.named.concepts[:NAMED]},
            entities=named,
            windows=found.pool.plan.windows,
            known=found.engrams,
            named={
                **{each.id: each for each in found.named.entities},
                **{each.id: each for each in found.named.concepts},
            },
            records=found.records,
            graph=traced.graph if traced else None,
        )

    def _origins(self, found: Found, ids: Collection[str]) -> Mapping[str, Collection[str]]:
        """Return which of the memories found told a record, by record."""
        origins: dict[str, set[str]] = {id: {id} for id in found.engrams if id in ids}
        for link in found.records:
            if link.dst in ids:
                origins.setdefault(link.dst, set()).add(link.src)
        return origins

    # --- what to say ---

    def _say(self, found: Found, traced: Trace | None) -> Said:
        match found.intent:
            case Intent.WHY:
                said = self._quotes.quoted(found)
                held = self._facts.held(found)
                if traced is None:
                    return max(said, held or said, key=lambda each: each.sure)
                chained = self._chains.chained(found, traced)
                return chained if chained.sure >= MIN_CONFIDENCE else max(said, chained, key=lambda each: each.sure)
            case Intent.WHEN:
                events = findings.events_of(self._store, found.records)
                order = placed(found.question.text)
                if order is not None and (beside := self._dates.beside(found, order, events)) is not None:
                    return beside
                if lasting(found.question.text) and (lasted := self._dates.lasted(found, events)) is not None:
                    return lasted
                return self._dates.timed(found, events) or self._quotes.quoted(found)
            case Intent.EXPLORE:
                return self._quotes.explored(found, traced)
            case _:
                held = self._facts.held(found)
                several = asks_for_several(found.asked)
                if held is not None and held.sure >= MIN_CONFIDENCE and not several:
                    return held
                quoted = self._quotes.quoted(found)
                if several and quoted.sure >= MIN_CONFIDENCE:
                    return quoted  # what was read from a text may be one of them, and the text tells all
                return max(quoted, held or quoted, key=lambda each: each.sure)

    def _answer(self, found: Found, said: Said, recalled: Recalled, context: _Context) -> Answer:
        declined = not said.text or said.sure < MIN_CONFIDENCE
        if declined:
            said = replace(self._quotes.nearest(found), sure=said.sure)
        events = findings.events_of(self._store, found.records)
        views = context.expansion.views
        return Answer(
            question=found.question.text,
            answer=said.text,
            intent=found.intent.value,
            confidence=round(max(0.0, min(1.0, said.sure)), 4),
            abstained=declined,
            chain=said.chain,
            remarks=said.remarks,
            root_cause=said.chain[0].cause if said.chain else None,
            chain_confidence=said.traced.chain.confidence if said.traced else None,
            timeline=findings.timeline([each for own in events.values() for each in own], found.pool.plan.windows),
            facts=tuple(each.fact for each in facts_of(found) if each.fact is not None),
            entities=self._entities(context.merged),
            sources=tuple(said.cited.sources),
            context=context.text,
            strategy=context.strategy,
            views={view.name.value: len(view.nodes) for view in views},
            missing=dict(context.expansion.missing),
            degraded=recalled.degraded,
            pending=recalled.pending,
            timings={},
        )

    def _entities(self, merged: Merged) -> tuple[Entity, ...]:
        ids = [node.id for node in merged.nodes if "entity_type" in node.data][:SHOWN_ENTITIES]
        found = self._store.get(Kind.ENTITY, ids) if ids else {}
        return tuple(cast(Entity, found[id]) for id in ids if id in found)


class _Watch:
    """Milliseconds spent, by what they were spent on."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._began = self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = (now - self._last) * 1000
        self._last = now

    def total(self) -> dict[str, float]:
        laps = {**self.laps, "total": (time.perf_counter() - self._began) * 1000}
        return {name: round(spent, 2) for name, spent in laps.items()}
