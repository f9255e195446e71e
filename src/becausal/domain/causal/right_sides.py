# SPDX-License-Identifier: Apache-2.0
"""The side right of a connective: how far it goes, and what it stands for."""

from __future__ import annotations

from typing import Final

from . import lexicon as lex
from .clauses import HARD, is_finite_verb_next, left_clause, strip_front
from .left_sides import LeftSides
from .patterns import Connective, Frame
from .pointers import past_denial
from .references import reference
from .resolving import Side, Work, effect_first
from .stretches import right_stretch
from .tokens import has_finite, is_finite, is_word
from .verbs import PAST, kind_of

_OF_ACTIONS: Final = frozenset({"cause", "force", "prompt", "trigger"})  # "caused X to …"


class RightSides(LeftSides):
    """Finds what a connective has on its right."""

    def _after(self, k: int, hit: Connective, first: Side) -> Work:
        words = self.words
        before = hit.start - 1 if hit.relative else hit.start
        loose = hit.reduced or hit.participle or bool(hit.relative)
        comma = before > 0 and words[before - 1] == ","
        phrase = loose and not comma and not self._main_seen(before)
        start = hit.end
        if words[start] == ",":  # "arose when, during a test, a fuse blew"
            start = next((at + 1 for at in range(start + 1, self._ceiling(k) - 1) if words[at] == ","), start)
        clausal = words[hit.end - 1] in ("that", "why", "when", "because") or hit.pattern.name in ("mean", "ensure")
        clausal = clausal or hit.pattern.frame is Frame.CLAUSE
        if words[hit.end - 1] == "that":  # "meant that, instead of …, they shared one"
            start = strip_front(self.sentence, start, self._ceiling(k))[0]
        nested = clausal and self._is_nested(k, start)
        explained = nested and self.hits[k + 1].pattern.frame is Frame.PASSIVE  # "because it was caused by …"
        end = right_stretch(
            self.sentence,
            start + (1 if hit.pattern.keep else 0),
            self._ceiling(k + 1 if explained else k),
            phrase=phrase,
            clause=hit.pattern.frame is Frame.CLAUSE,
        )
        if comma and hit.reduced:
            closing = (at for at in range(start, end) if words[at] == "," and is_finite_verb_next(words, at + 1))
            end = next(closing, end)
        if hit.pattern.name == "introduced with":
            end = next((at for at in range(start, end) if words[at] == ","), end)
        if hit.pattern.name in _OF_ACTIONS:
            end = self._up_to_infinitive(start, end, self._ceiling(k))
        acted = self._acted(hit, start, end, self._ceiling(k))
        second = self._worsened(hit, end) or self._object(hit, first) or self.plain((start, acted or end))
        return Work(hit, first, second, acted or end, nested=nested and not explained, acted=acted is not None)

    def _object(self, hit: Connective, first: Side) -> Side | None:
        """What "it" stands for in "A worn seal caused it": what was told before its subject."""
        words, end = self.words, hit.end
        lone = words[end] in ("it", "this", "that") and (end + 1 == len(words) or not is_word(words[end + 1]))
        if hit.pattern.frame is not Frame.ACTIVE or hit.participle or not lone:
            return None
        begin = first.stretch[0] if first.stretch is not None else 0
        if first.clause is not None or (hit.relative and "it" not in words[max(0, begin - 3) : begin]):
            return None
        self.explains = True
        joined = begin > 0 and (not is_word(words[begin - 1]) or words[begin - 1] in lex.COORDINATORS)
        told = self._earlier_clause(begin) if joined else None
        if told is None or told.stretch is None:
            return told or self.told_before()
        about = past_denial(words, *told.stretch)
        return self.plain((about, told.stretch[1])) if about else told

    def _acted(self, hit: Connective, start: int, end: int, ceiling: int) -> int | None:
        """Where "the smith, who, in a hurry, forged it too thin" ends: somebody is a cause by what they did."""
        words = self.words
        related = words[end : end + 2] == [",", "who"] and end + 3 < ceiling
        if not related or not effect_first(hit) or has_finite(words, start, end):
            return None
        begin = strip_front(self.sentence, end + 2, ceiling)[0]
        stop = right_stretch(self.sentence, begin, ceiling, phrase=False, clause=True)
        opens = not lex.is_adverb(words[begin]) and kind_of(words[begin]) == PAST
        verb = begin if opens else next((at for at in range(begin, stop) if is_finite(words, at)), begin)
        return stop if kind_of(words[verb]) == PAST and words[verb] not in lex.AUXILIARIES else None

    def _up_to_infinitive(self, start: int, end: int, ceiling: int) -> int:
        """The end of "the pods, that needed it, to crash": what an aside keeps away from its verb."""
        words = self.words
        if "to" in words[start:end]:
            return end
        relative = False
        for at in range(end, min(ceiling, end + 16, len(words) - 2)):
            relative = (relative or words[at] in lex.RELATIVES) and words[at] != ","
            if words[at : at + 2] == [",", "to"] and words[at + 2].replace("-", "").isalpha():
                return right_stretch(self.sentence, at + 2, ceiling, phrase=False)
            if words[at] in HARD or (not relative and is_finite(words, at)):
                break
        return end

    def _worsened(self, hit: Connective, end: int) -> Side | None:
        """The incident itself in "exacerbated the outage": to have made it worse is to have had a part in it."""
        end = next((at for at in range(hit.head + 1, end) if self.words[at] == "by"), end)
        if hit.pattern.name != "exacerbate" or reference(self.words[hit.head + 1 : end]) is None:
            return None
        return self.plain((hit.head + 1, end))

    def _main_seen(self, before: int) -> bool:
        """Whether the clause around ``before`` has had its main verb by then."""
        start, _ = left_clause(self.sentence, before, 0, subject=False)
        return has_finite(self.words, start, before)

    def _is_nested(self, k: int, start: int) -> bool:
        """Whether the clause that begins at ``start`` has the next connective as its main verb."""
        if k + 1 >= len(self.hits):
            return False
        following = self.hits[k + 1]
        if following.relative or following.participle or following.reduced or following.negated:
            return False
        if following.pattern.frame not in (Frame.ACTIVE, Frame.PASSIVE):
            return False
        between = self.words[start : following.start]
        pause = any(word in (",", ";") for word in between)
        return bool(between) and not pause and not has_finite(self.words, start, following.start)
