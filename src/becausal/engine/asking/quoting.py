# SPDX-License-Identifier: Apache-2.0
"""What was said, as an answer, and all there is: what holds, what led to what happened, and what was said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...domain.causal.text import find_causes
from ...domain.text import terms
from ...magma import synthesize
from ...magma.evidence import coverage
from ...magma.intent import Intent, counts
from ...magma.synthesize import Held
from ...magma.tracing import Trace
from ...ports.store import GraphStore
from ...recall.turns import Turn
from ..results import Result
from . import findings
from .asked import Found, Said
from .chaining import Chains
from .citing import citations
from .holding import ANSWERS, READ_RESULTS, Facts

MEANT = 0.5
"""Share of a question's words that a cause or an effect must have to be the event that the question is about."""

UNEXPLAINED = 0.7
"""What confidence keeps where a reason is asked for and only what was said about the event is known."""


class Quotes:
    """Answers with the words of the memories found."""

    def __init__(self, store: GraphStore, facts: Facts, chains: Chains) -> None:
        self._store = store
        self._facts = facts
        self._chains = chains

    def quoted(self, found: Found) -> Said:
        """Let the memories found speak: of those that answer nearly as well as the best, all for a survey, few else."""
        cited = citations(self._store, found)
        results = _of_whom_it_names(found, found.about_it)
        if found.intent is Intent.EXPLORE:
            quotes = findings.comparable(results, found.weights)
        else:
            quotes = findings.answering(results, found.weights, counted=counts(found.asked))
        quotes = [each for each in quotes if not found.is_of_another(each.text)]
        if found.intent is Intent.WHY:
            quotes = [each for each in quotes if not _tells_what_came(found, each.text)]
        most = found.question.limit
        if found.intent is not Intent.EXPLORE:
            most = min(most, synthesize.SHOWN_QUOTES)
        quotes = [replace(each, number=number) for number, each in enumerate(quotes[:most], 1)]
        for quote in quotes:
            cited.memory(quote.engram, quote.text)
        read = results[:READ_RESULTS]
        if not read or not quotes:
            return Said(text="", sure=0.0, cited=cited)
        told = [f"{_speaker(result) or ''}: {found.said_of_it(result.text)}" for result in read]
        sure = found.sure(told, [result.engram.id for result in read])
        if found.intent is Intent.WHY:
            sure *= UNEXPLAINED
        return Said(text=synthesize.quotes(quotes), sure=sure, cited=cited)

    def nearest(self, found: Found) -> Said:
        """Say that nothing told answers the question, and what comes nearest."""
        cited = citations(self._store, found)
        quotes = findings.comparable(found.results, found.weights)[:1]
        for quote in quotes:
            cited.memory(quote.engram, quote.text)
        return Said(text=synthesize.declined(synthesize.quotes(quotes)), sure=0.0, cited=cited)

    def explored(self, found: Found, traced: Trace | None) -> Said:
        """Tell what holds, what led to what happened, and what was said, from one list of sources."""
        quoted = self.quoted(found)
        cited = citations(self._store, found)
        parts = []
        sure = [quoted.sure]
        chained = None
        said = {each.engram for each in findings.comparable(found.about_it, found.weights)}
        best = [each for each in self._facts.best(found) if said.isdisjoint(each.tellers)]
        if held := best[: min(synthesize.SHOWN_FACTS, found.question.limit)]:
            shown = [Held(text=each.text, until=each.until, number=self._facts.cite(cited, each)) for each in held]
            parts.append(synthesize.holds(shown))
            sure.append(self._facts.sure_of(found, held))
        if traced is not None and len(cited.sources) + len(traced.chain.hops) <= found.question.limit:
            chained = self._chains.chained(found, traced, cited)
            parts.append(chained.text)
            sure.append(chained.sure)
        known = {source.engram for source in cited.sources}
        least = ANSWERS if parts else 0.0
        quotes = [
            each
            for each in findings.comparable(found.about_it, found.weights)
            if each.engram not in known and each.share >= least
        ]
        quotes = quotes[: max(0, found.question.limit - len(cited.sources))]
        quotes = [replace(each, number=cited.memory(each.engram, each.text) or 0) for each in quotes]
        parts.append(synthesize.quotes(quotes))
        return Said(
            text=" ".join(filter(None, parts)),
            sure=max(sure),
            cited=cited,
            chain=chained.chain if chained else (),
            traced=traced if chained else None,
            remarks=chained.remarks if chained else (),
        )


def _of_whom_it_names(found: Found, results: Sequence[Result]) -> Sequence[Result]:
    """Leave out what others say who do not name anybody that the question names, if something else was said."""
    if not found.names:
        return results
    kept = []
    for each in results:
        said = findings.quote(each.passage or each.engram.content, found.weights)
        speaker = _speaker(each)
        if speaker is None or not found.names.isdisjoint((*terms(speaker), *terms(said))):
            kept.append(each)
    return kept or results


def _speaker(result: Result) -> str | None:
    return Turn(result.engram.source, result.engram.session, result.engram.content).speaker


def _tells_what_came(found: Found, text: str) -> bool:
    """Whether a text tells by its own "because" what came of the event whose reason is asked for, and no reason."""
    weights = found.topic or found.weights
    links = [link for link in find_causes(text) if link.cause is not None]
    as_cause = max((coverage(weights, (link.cause.text,)) for link in links if link.cause), default=0.0)
    as_effect = max((coverage(weights, (link.effect.text,)) for link in links), default=0.0)
    return as_cause >= MEANT > as_effect
