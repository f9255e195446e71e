# SPDX-License-Identifier: Apache-2.0
"""What the verbs of a clause state of its subjects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import lexicon as lex
from .asides import introductions
from .changes import facts_of_change, is_sited
from .copula import facts_of_be
from .having import facts_of_have
from .line import Line
from .matching import Draft, match
from .offices import facts_of_office, successor
from .patterns import CHANGES
from .phrases import Phrase, extent
from .verbs import Verb, verb_groups

MAX_ADJUNCT = 12
"""Words of what may stand beside a verb."""


@dataclass(slots=True)
class Topic:
    """What the sentences before were about, for "he", "she" and "it"."""

    subject: Phrase | None = None
    head: str = ""
    gender: str = ""
    sure: bool = False


class Predicates:
    """Reads the predicates of one sentence, and keeps what they state."""

    def __init__(self, line: Line, topic: Topic) -> None:
        self.line = line
        self.topic = topic
        self.found: list[Draft] = []
        self.subject: Phrase | None = None  # of the first clause

    def _predicates(self, subjects: list[Phrase], at: int) -> int:
        """Read a verb group with what it takes, and those joined to it; return the word behind, or 0."""
        after = self._predicate(subjects, at)
        if not after:
            return 0
        for _ in range(4):
            place = after = self._past_adverbials(after)
            if self.line.low[place] == ",":
                place += 1
            if self.line.low[place] in ("and", "but", "then", "&"):
                place += 1
            elif place == after:
                break
            more = self._predicate(subjects, place)
            if not more:
                break
            after = more
        return after

    def _past_adverbials(self, at: int) -> int:
        """Go past the times and prepositional phrases behind an object, to "and"; else stay."""
        line = self.line
        place = at
        for _ in range(MAX_ADJUNCT):
            low = line.low[place]
            if low in ("and", "but", ",", "&"):
                return place
            if place in line.time_at:
                place = line.after_time(place)
            elif low and (low in lex.PREPOSITIONS or low in lex.ARTICLES or extent(line, place) > place):
                place = max(place + 1, extent(line, place))
            else:
                return at
        return at

    def _predicate(self, subjects: list[Phrase], at: int) -> int:
        line = self.line
        for verb in verb_groups(line, at, _number(subjects)):
            if found := self._facts(subjects, verb, at):
                self._keep(introductions(subjects))
                self._keep(found)
                return max(draft.after for draft in found)
        return 0

    def _facts(self, subjects: list[Phrase], verb: Verb, at: int) -> list[Draft]:
        line = self.line
        if verb.voice == "be":
            return facts_of_be(line, subjects, verb, at)
        if verb.voice == "have":
            return facts_of_have(line, subjects, verb, at)
        if found := facts_of_office(line, subjects, verb, at):
            return found
        found = match(line, subjects, verb, at)
        if found and verb.lemma in ("replace", "succeed"):  # "Marta was replaced by Dov as treasurer of the club"
            found += successor(line, [found[0].subject], verb, at, max(each.after for each in found))
        if not found and verb.voice == "passive":
            if verb.lemma in ("move", "migrate", "switch", "relocate", "transfer"):
                active = verb._replace(voice="active", tense="past")
                systems = all(subject.sort in ("component", "name") or is_sited(subject) for subject in subjects)
                found = facts_of_change(line, subjects, active, at) if systems else []
            return found
        if not found and verb.lemma in CHANGES:
            found = facts_of_change(line, subjects, verb, at)
        return found

    def _keep(self, drafts: Sequence[Draft]) -> None:
        self.found += drafts


def _number(subjects: Sequence[Phrase]) -> str:
    if len(subjects) > 1:
        return "base"
    subject = subjects[0]
    if subject.sort == "first":
        return "either" if subject.kind == "user" else "base"
    if subject.head in lex.TEAMS:
        return "either"
    return "base" if subject.plural else "third"
