# SPDX-License-Identifier: Apache-2.0
"""What holds, as an answer: the statements that hold as much of a question as anything told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...domain.text import query_terms
from ...magma import synthesize
from ...magma.evidence import coverage
from ...magma.intent import asks_of_now
from ...magma.matching import Timing
from ...magma.synthesize import Held
from ...ports.store import GraphStore
from ..graph.stated import Sort, Statement
from . import findings
from .asked import Found, Said
from .citing import Citations, citations

if TYPE_CHECKING:
    from ...ports.models import Vectors

READ_RESULTS = 3
"""Best results whose text counts as what was found."""

ANSWERS = 0.5
"""Share of a question's words that a statement must hold to answer it, ..."""

AS_GOOD = 0.9
"""... and share of what the best statement, or the best sentence of a memory, holds of them."""

PAST = 0.7
"""What it keeps where the present is asked about and only what no longer holds is known."""

WEIGHED = 4
"""Statements nobody told that are compared with the question by meaning: the model has to read them first."""


class Facts:
    """Answers with what holds. ``embed`` returns the vectors of some texts, or ``None`` without a model."""

    def __init__(self, store: GraphStore, embed: Callable[[Sequence[str]], Vectors | None]) -> None:
        self._store = store
        self._embed = embed

    def held(self, found: Found, most: int = synthesize.SHOWN_FACTS) -> Said | None:
        """Tell the statements that answer as much of the question as anything told, if there are any."""
        best = self.best(found)
        if not best:
            return None
        cited = citations(self._store, found)
        shown = []
        for each in best[: min(most, found.question.limit)]:
            number = self.cite(cited, each)
            shown.append(Held(text=each.text, until=each.until, number=number))
        return Said(text=synthesize.holds(shown), sure=self.sure_of(found, best), cited=cited)

    def best(self, found: Found) -> list[Statement]:
        """Return the statements that hold most of a question's words; of the time asked for, if any hold then."""
        if not found.topic:
            return []
        shares = {each.id: coverage(found.topic, (each.words,)) for each in found.statements}
        told = max((each.share for each in findings.quotes(found.results, found.topic)), default=0.0)
        least = max(ANSWERS, AS_GOOD * max((told, *shares.values()), default=0.0))
        windows = found.pool.plan.windows
        good = [each for each in found.statements if shares[each.id] >= least and not found.is_of_another(each.words)]
        if windows and any(each.holds_in(windows) for each in good):
            good = [each for each in good if each.holds_in(windows)]
        good.sort(key=lambda each: (not each.holds_in(windows), -shares[each.id], len(each.text), each.id))
        return list({each.text.casefold(): each for each in reversed(good)}.values())[::-1]

    def sure_of(self, found: Found, best: Sequence[Statement]) -> float:
        """Return how sure it is that one of some statements answers the question."""
        texts = [each.words for each in best[:READ_RESULTS]]
        tellers = [engram for each in best[:READ_RESULTS] for engram in each.tellers]
        near = self.nearness(found, [each for each in best[:WEIGHED] if not each.tellers])
        engrams = found.engrams
        whole = [engrams[id].content for id in tellers if id in engrams]
        windows = found.pool.plan.windows
        held = None
        if windows:
            held = Timing.INSIDE if any(each.holds_in(windows) for each in best) else Timing.ELSEWHERE
        sure = found.sure([*texts, *whole], tellers, near, held)
        over = not windows and all(each.until is not None for each in best)
        return sure * (PAST if over and asks_of_now(found.question.text) else 1.0)

    def nearness(self, found: Found, untold: Sequence[Statement]) -> float | None:
        """Return the cosine of the question and the nearest of some statements."""
        vector = found.pool.vector
        vectors = self._embed([each.text for each in untold]) if untold and vector is not None else None
        return None if vectors is None or vector is None else float((vectors @ vector).max())

    def cite(self, cited: Citations, each: Statement) -> int | None:
        """Cite what told a statement, with the sentence that does; without a teller the statement itself."""
        for engram in each.tellers:
            if record := cited.look_up(engram):
                words = dict.fromkeys(query_terms(each.text), 1.0)
                return cited.memory(engram, findings.quote(record.content[: findings.READ], words))
        return cited.statement(each)


def facts_of(found: Found) -> list[Statement]:
    """Return the facts that hold part of a question's words, those that hold at the time asked for first."""
    windows = found.pool.plan.windows
    scored = [(coverage(found.topic, (each.text,)) if found.topic else 0.0, each) for each in found.statements]
    facts = [(share, each) for share, each in scored if each.sort is Sort.FACT and share >= ANSWERS]
    facts.sort(key=lambda pair: (not pair[1].holds_in(windows), -pair[0], pair[1].id))
    return [each for _, each in facts[: findings.MAX_FACTS]]
