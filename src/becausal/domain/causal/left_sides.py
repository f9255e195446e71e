# SPDX-License-Identifier: Apache-2.0
"""The side left of a connective that is a verb: its subject, or what that stands for."""

from __future__ import annotations

from typing import Final

from . import lexicon as lex
from .clauses import Range, left_clause, left_noun_phrase
from .patterns import Connective, Frame
from .resolving import Resolver, Side, Work
from .stretches import right_stretch
from .tokens import has_finite

_BETWEEN_VERBS: Final = lex.COORDINATORS | lex.MANNER
_OF_STATEMENTS: Final = frozenset({"mean", "mean that", "explain"})  # what "which" stands for is all that was said


class LeftSides(Resolver):
    """Finds what a verb has on its left, among connectives that share their sides."""

    def _floor(self, k: int) -> int:
        return self.hits[k - 1].end if k else 0

    def _ceiling(self, k: int) -> int:
        return self.hits[k + 1].start if k + 1 < len(self.hits) else len(self.words)

    def _subject(self, k: int, hit: Connective) -> Side:
        """The subject of a verb, the noun a participle modifies, or what a relative pronoun means."""
        words, floor = self.words, max(self._floor(k), self._after_comma(k, hit.start))
        stop = hit.head + 1 if hit.pattern.keep and hit.pattern.frame is Frame.PASSIVE else hit.start
        if hit.relative and stop:
            return self._relative(k, hit, floor)
        if k and (opening := self.work[k - 1].aside) is not None:
            return self._before_aside(k - 1, opening)
        before = words[stop - 1] if stop else ""
        if not before or (stop <= floor and k == 0):
            return self.previous((0, hit.start + 1))
        if before in ("and", "or", "but", "&"):
            return self._coordinate(k, stop)
        if before == "," and not hit.participle:
            opening = self._aside_opening(stop - 1, floor)
            if opening is not None and words[opening - 1] in ("which", "that"):
                shared = self._shared_second(k, opening - 1)
                return shared or self.plain(left_clause(self.sentence, opening - 1, floor, subject=False))
            return self._coordinate(k, stop)
        if hit.participle or hit.reduced:
            if before in (",", ";", "(", "–", "—", "-") or before == "thereby":
                return self._adjunct(k, stop)
            shared = self._shared_second(k, stop)
            return shared or self.plain(self._undergone(stop, floor))
        start, _ = left_clause(self.sentence, stop, self._subject_floor(k), subject=True)
        inner = [work for work in self.work if work.hit.start >= start]
        if inner and inner[-1].effect.usable and inner[-1].hit.end < stop:
            return inner[-1].effect
        return self.plain((start, stop))

    def _before_aside(self, k: int, opening: int) -> Side:
        """The subject of "…, due to a leak, caused …": what stands before the aside of the ``k``-th connective."""
        if opening > 1 and self.words[opening - 1] in lex.RELATIVES:
            antecedent = opening - 2 if self.words[opening - 2] == "," else opening - 1
            shared = self._shared_second(k, antecedent)
            return shared or self.plain(left_clause(self.sentence, antecedent, self._floor(k), subject=False))
        return self.plain(left_clause(self.sentence, opening, self._subject_floor(k), subject=True))

    def _adjunct(self, k: int, stop: int) -> Side:
        """What ", causing …" follows from: the clause before, or what "The root cause was …" has just named."""
        last = self.work[k - 1] if k else None
        if last is not None and last.hit.pattern.name == "exacerbate" and last.second.clause is not None:
            return last.first
        told = last is not None and (last.hit.swapped or last.first.clause is not None or last.acted)
        names_cause = last is not None and last.effect_first and told
        shared = self._shared_second(k, stop) if names_cause or not (last and last.effect_first) else None
        return shared or self._clause_with_links(k, stop - 1)

    def _relative(self, k: int, hit: Connective, floor: int) -> Side:
        """The antecedent of "which", "that" or "who"."""
        words = self.words
        stop = hit.start - 1
        if stop <= 1:
            return self.previous((max(stop, 0), hit.start))
        if words[stop - 1] in lex.COORDINATORS:
            return self._coordinate(k, stop)
        shared = self._shared_second(k, stop)
        if shared is not None:
            return shared
        if hit.relative == "which" and words[stop - 1] == ",":
            whole = hit.pattern.name in _OF_STATEMENTS
            return self.plain(left_clause(self.sentence, stop - 1, floor, subject=False, whole=whole))
        return self.plain(self._undergone(stop, floor))

    def _undergone(self, stop: int, floor: int) -> Range:
        """The noun phrase before ``stop``; the clause, if that is what somebody suffered: "we had an outage that …"."""
        start, end = left_noun_phrase(self.sentence, stop, floor)
        if start > floor and self._says_how(start, end):
            return left_clause(self.sentence, stop, floor, subject=False)
        suffered = any(word in lex.OUTCOMES for word in self.words[start:end])
        if suffered and start > floor and self.words[start - 1] in lex.UNDERGOING:
            return left_clause(self.sentence, stop, floor, subject=False)
        return start, end

    def _says_how(self, start: int, end: int) -> bool:
        """Whether what precedes "which" is no noun phrase but says how its subject is: "they are very soft which"."""
        how = lex.is_adverb(self.words[start]) and self.words[start] not in lex.DETERMINERS
        return self.words[start - 1] in lex.BE and self.words[end] == "which" and (how or end == start + 1)

    def _aside_opening(self, close: int, floor: int) -> int | None:
        """The comma that opens the aside which the comma at ``close`` ends."""
        return next((at for at in range(close - 1, max(floor, close - 25), -1) if self.words[at] == ","), None)

    def _subject_floor(self, k: int) -> int:
        """A subject may hold a reduced relative ("the damage caused by X"), but no other connective."""
        if not k:
            return 0
        last = self.work[k - 1]
        if last.hit.reduced and not has_finite(self.words, last.hit.end, self.hits[k].start):
            return self._floor(k - 1)
        return max(self._floor(k), self._after_comma(k, self.hits[k].start))

    def _after_comma(self, k: int, stop: int) -> int:
        """The word after the comma that ends the second side of the connective before, if it ends with one."""
        end = self.work[k - 1].second_end if k else stop
        return end + 1 if end < stop and self.words[end] == "," else 0

    def _shared_second(self, k: int, stop: int) -> Side | None:
        """The second side of the connective before, if it runs up to ``stop``."""
        last = self.work[k - 1] if k else None
        if last is None or last.second_end not in (stop, stop - 1) or last.nested or not last.second.usable:
            return None
        return last.second

    def _chosen(self, work: Work) -> Work:
        """The work of "It was not A that caused C but B", where B stands for A; negated if nothing does."""
        words, told, hit = self.words, work.first.stretch, work.hit
        if not hit.relative or told is None or not told[0]:
            return work
        start, said = told[0], words[max(0, told[0] - 3) : told[0] + 1]
        if "it" not in said or not (words[start] == "not" or words[start - 1].endswith("n't")):
            return work
        hit.negated = True
        if words[work.second_end : work.second_end + 1] == ["but"]:
            end = right_stretch(self.sentence, work.second_end + 1, len(words), phrase=True)
            work.first = self.plain((work.second_end + 1, end))
            hit.negated = not work.first.usable
        return work

    def _coordinate(self, k: int, stop: int) -> Side:
        """The subject of a verb phrase joined by "and": shared with the verb phrase before it."""
        words, hit = self.words, self.hits[k]
        while stop > 1 and (words[stop - 1] == "," or words[stop - 1] in _BETWEEN_VERBS):
            stop -= 1
        last = self.work[k - 1] if k else None
        if last is not None and last.hit.pattern.frame in (Frame.ACTIVE, Frame.PASSIVE) and last.second_end >= stop - 1:
            return last.first
        if hit.participle and hit.pattern.strength < 0.7:  # one of a list of gerunds, not a consequence
            return Side(usable=False)
        return self._clause_with_links(k, stop)

    def _clause_with_links(self, k: int, stop: int) -> Side:
        """The clause left of ``stop``: what its own links end in, if it has any."""
        last = self.work[k - 1] if k else None
        if last is not None and last.effect.usable and last.hit.end <= stop <= last.second_end + 1:
            return last.effect
        start, _ = left_clause(self.sentence, stop, 0, subject=False)
        inner = [work for work in self.work if work.hit.end <= stop and work.hit.start >= start]
        if inner and inner[-1].effect.usable:
            return inner[-1].effect
        if last is not None:
            start = max(start, last.second_end if last.second_end < stop else last.hit.end)
        return self.plain((start, stop))
