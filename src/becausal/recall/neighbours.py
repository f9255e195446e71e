# SPDX-License-Identifier: Apache-2.0
"""Memories told one after the other in one source: they lend each other words, and an answer follows its question.

In a conversation a turn says little without the one before it. So each word of a question counts where it
counts most, in the turn itself or, at a discount, in its neighbours; and what answers a question found to
match counts with it. Only what is as short as a turn lends and borrows: a document speaks for itself.

The shares for words were chosen on the five conversations of LoCoMo that ``benchmarks/locomo.py`` asks about, all
else on its tuning part.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence

from ..domain.records import LinkKind
from .candidates import Candidate, Pool
from .late import lend
from .turns import Turn, answers, is_question

WORDS, TOKENS = (0.7, 0.4, 0.5, 0.3), (0.9, 0.7, 0.8, 0.6)
"""What a word, and a likeness of tokens, is worth to the memories one and two places on, and one and two back."""

ANSWER = 0.25
"""Share of a question's score that is added to the answer."""

ASKING = 0.15
"""What is taken off a question itself: it seldom says what was asked for."""

MAX_NEXT = 4
"""Memories told right after one and the same that are looked at."""


class Neighbours:
    """What stands before and after the memories looked at so far, in their sources."""

    def __init__(self, pool: Pool) -> None:
        self.ids: set[str] = set()
        """All that have a neighbour, and the neighbours."""
        self._pool = pool
        self._looked_at: set[str] = set()
        # The values are sets that keep their order.
        self._before: dict[str, dict[str, None]] = defaultdict(dict)
        self._after: dict[str, dict[str, None]] = defaultdict(dict)

    def look(self, ids: Iterable[str]) -> None:
        """See what stands beside some memories."""
        new = [id for id in ids if id not in self._looked_at]
        self._looked_at.update(new)
        for edge in self._pool.store.edges(new, [LinkKind.FOLLOWS], "both", MAX_NEXT) if new else ():
            self._before[edge.src][edge.dst] = None
            self._after[edge.dst][edge.src] = None
            self.ids.update((edge.src, edge.dst))

    def before(self, id: str) -> Iterable[str]:
        """Return what was told right before a memory, as far as is known."""
        return self._before.get(id, ())

    def with_questions(self, ids: Iterable[str]) -> list[str]:
        """Return those memories that have a neighbour, and what was told right before them."""
        beside = [id for id in ids if id in self.ids]
        return list(dict.fromkeys((*beside, *(other for id in beside for other in self.before(id)))))

    def lend_words(self, share: float) -> None:
        """Let every word of the question count where it counts most, in the memory itself or in a neighbour."""
        nothing = (0.0,) * len(self._pool.plan.terms)
        short = self._short()
        lenders = {each.id: each.parts for each in short if each.text}
        for each in short:
            own = each.parts or nothing
            parts = list(own)
            most = 0.0
            for other, place in self._around(each.id, lenders):
                factor = WORDS[place] * share
                gain = 0.0
                for at, part in enumerate(lenders[other]):
                    if part and (lent := part * factor) > parts[at]:
                        gain += lent - parts[at]
                        parts[at] = lent
                if gain > most:
                    most, each.lender = gain, other
            each.borrowed = sum(parts) - sum(own)

    def lend_tokens(self, ids: Collection[str], share: float) -> bool:
        """Compare candidates token by token; each token of the question counts where it matches best.

        That is in the candidate or beside it, at a discount, as ``lend_words`` has it for words.

        Returns whether there was anything to compare.
        """
        found = self._pool.interact(ids)
        if found is None:
            return False
        interaction, compared, best = found
        known = self._pool.by_id
        row_of = {id: row for row, id in enumerate(compared) if id in self.ids and known[id].short}
        loans = [
            (row, row_of[other], TOKENS[place] * share)
            for id, row in row_of.items()
            for other, place in self._around(id, row_of)
        ]
        alike, late = interaction.score(best).tolist(), interaction.score(lend(best, loans)).tolist()
        for id, own, helped in zip(compared, alike, late, strict=True):
            each = known[id]
            each.alike, each.late, each.told_apart = own, helped, True
        return True

    def lend_questions(self, turns: Mapping[str, Turn], share: float) -> None:
        """Add a part of a question's score to its answer, and take something off the question itself.

        What answers "when?" is seldom an answer in the conversation: it is the time at which it was told.
        """
        answer = 0.0 if self._pool.plan.asks_when else share * ANSWER
        asking = {id for id, turn in turns.items() if is_question(turn.content)}
        for id, turn in turns.items():
            each = self._pool.by_id.get(id)
            if each is None or not each.short:
                continue
            if id in asking:
                each.penalty = share * ASKING
            for other in self.before(id):
                asked = self._pool.by_id.get(other)
                if asked is not None and other in asking and answers(turn, turns[other]):
                    each.lent += answer * (asked.base + asked.loan)
                    each.lender = other

    def hear_speakers(self, turns: Mapping[str, Turn], share: float) -> None:
        """Where a question asks for several things, prefer the turns of somebody whom it names.

        They are told here and there, and little else holds them together. One thing may as well be told by another.
        """
        plan = self._pool.plan
        for id, turn in turns.items() if plan.asks_several else ():
            each, speaker = self._pool.by_id.get(id), turn.speaker
            if each is not None and each.short and speaker is not None and plan.names(speaker):
                each.named += share

    def keep_to_sources(self, best: Sequence[Candidate], turns: Mapping[str, Turn], share: float) -> None:
        """Add a part of the best score of each source to what else was told there: much is about the same."""
        told = [(each, turns[each.id].place) for each in best if each.short and each.id in turns]
        highest: dict[str | None, float] = {}
        for each, source in told:
            highest.setdefault(source, each.score)  # the best come first
        for each, source in told:
            each.named += share * highest[source]

    def told(self, each: Candidate) -> str:
        """Say in words where a candidate stands to the one that lent it most."""
        side = "after" if each.lender and each.lender in self.before(each.id) else "before"
        return f"told just {side} a match in the same conversation"

    def _short(self) -> list[Candidate]:
        found = (self._pool.by_id.get(id) for id in self.ids)
        return [each for each in found if each is not None and each.short]

    def _around(self, id: str, among: Container[str]) -> Iterator[tuple[str, int]]:
        """Yield those of some memories that stand beside one, each with its place: one or two before, or after."""
        for side, one, two in ((self._before, 0, 1), (self._after, 2, 3)):
            for other in side.get(id, ()):
                if other in among:
                    yield other, one
                for beyond in side.get(other, ()):
                    if beyond in among:
                        yield beyond, two
