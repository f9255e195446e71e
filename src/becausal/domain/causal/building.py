# SPDX-License-Identifier: Apache-2.0
"""The two sides of each connective of a sentence, and how neighbouring connectives share them."""

from __future__ import annotations

from typing import Final

from . import lexicon as lex
from .clauses import is_finite_verb_next, left_clause, left_noun_phrase, skip_openers
from .patterns import Connective, Frame
from .references import reference
from .resolving import JOINTS, Side, Work, effect_first
from .right_sides import RightSides
from .sides import trim
from .stretches import fronted_split, right_stretch, unmarked_split
from .tokens import has_finite, is_finite, is_word

_OPENS_ASIDE: Final = (",", "–", "—", "(", "-", "--")
_CLOSES_ASIDE: Final = (",", "–", "—", ")", "-", "--")
_BEFORE_RESULT: Final = frozenset({"and", "but", ";"})
_ALWAYS_ADJUNCT: Final = frozenset({"so", "so that", "so … that", "with the result that", "thereby"})


def _denies(word: str) -> bool:
    return word == "not" or (word.endswith("n't") and word not in ("won't", "ain't"))


class Builder(RightSides):
    """Builds the sides of every connective of one sentence, from left to right."""

    def build(self) -> list[Work]:
        for k, hit in enumerate(self.hits):
            self.explains = effect_first(hit)
            self.work.append(self._build(k, hit))
        for k in range(len(self.work) - 2, -1, -1):
            if self.work[k].nested and self.work[k + 1].effect.usable:
                self.work[k].second = self.work[k + 1].effect
            if self.work[k].aside is not None:
                self.work[k].first = self.work[k + 1].effect
        return self.work

    def _build(self, k: int, hit: Connective) -> Work:
        frame = hit.pattern.frame
        if frame in (Frame.CLAUSE, Frame.PHRASE):
            return self._joined(k, hit)
        if frame is Frame.ADVERB:
            return self._why(k, hit) if hit.pattern.name == "is why" else self._adverb(k, hit)
        if hit.inner is not None:
            return self._after(k, hit, self.plain(hit.inner))
        if frame is Frame.LABEL or hit.swapped:
            return self._after(k, hit, self.unsaid(hit))
        if frame is Frame.ARROW:
            first = self.plain(left_clause(self.sentence, hit.start, self._floor(k), subject=False))
            work = self._after(k, hit, first)
            first.usable &= self.is_eventful(first) or self.is_eventful(work.second)
            return work
        return self._chosen(self._after(k, hit, self._subject(k, hit)))

    # ---- conjunctions, prepositions, adverbs

    def _joined(self, k: int, hit: Connective) -> Work:
        """ "because", "due to" and the like: main clause first, or fronted with a comma."""
        words, floor, stop = self.words, self._floor(k), hit.start
        clause = hit.pattern.frame is Frame.CLAUSE
        while stop > floor + 1 and words[stop - 1] == "part" and words[stop - 2] in ("in", "large"):
            stop -= 2 if words[stop - 2] == "in" else 3
        before = words[stop - 1] if stop else ""
        if before == "(":
            stop -= 1
        last = self.work[k - 1] if k else None
        if before in lex.COORDINATORS and last is not None and last.effect_first and last.second_end >= stop - 2:
            hit.reduced = hit.reduced and not clause
            told = self._put_right(last) if before == "but" else None
            return self._after(k, hit, told or last.first)
        if clause and before in ("but", "and") and words[stop - 2] in (",", ";") and self._splits(hit):
            return self._fronted(k, hit, clause=True)  # "…, but since it was full, it stopped"
        if hit.pattern.name in ("from", "following", "after happening"):
            shared = self._shared_second(k, stop)
            return self._after(k, hit, shared or self.plain(left_noun_phrase(self.sentence, stop, floor)))
        if before in ("it's", "that's") and self._opens_sentence(stop - 1):  # "They say it's due to …"
            return self._after(k, hit, self.told_before())
        if before == "," and words[stop - 2] in lex.RELATIVES:  # "which, due to a leak, led to …"
            work = self._after(k, hit, Side())
            if self._verb_follows(k, work.second_end):
                work.aside = stop - 1
                return work
        if not clause and before in lex.RELATIVES and (inserted := self._inserted(k, hit, stop, floor)):
            return inserted
        start, _ = left_clause(self.sentence, stop, floor, subject=not hit.reduced and not clause)
        start = max(start, self._after_comma(k, stop))
        trimmed = trim(self.sentence, (start, stop))
        if trimmed[0] >= trimmed[1] and reference(words[start:stop]) is None:
            return self._fronted(k, hit, clause=clause)
        finite = has_finite(words, *trimmed)
        hit.reduced = hit.reduced and not clause and not finite
        work = self._after(k, hit, self.plain((start, stop)))
        if not finite and before in _OPENS_ASIDE:
            opening = stop if before == "(" else stop - 1
            if self._verb_follows(k, work.second_end):
                work.aside = opening
            else:
                self._close_aside(k, work, start, opening)
        return work

    def _put_right(self, denied: Work) -> Side | None:
        """What "It was not shut because of A but because of B" explains: that it was shut, and not by A."""
        told = denied.first.stretch
        if denied.hit.negated or told is None or denied.hit.pattern.frame not in (Frame.CLAUSE, Frame.PHRASE):
            return None
        at = next((at for at in range(told[1] - 1, told[0], -1) if _denies(self.words[at])), None)
        if at is None:
            return None
        denied.hit.negated = True
        return Side(stretch=told, aside=(at, at + 1), form=denied.first.form)

    def _inserted(self, k: int, hit: Connective, stop: int, floor: int) -> Work | None:
        """ "A valve which due to rust could not close": the relative clause goes on behind the reason."""
        ceiling = self._ceiling(k)
        verb = right_stretch(self.sentence, hit.end, ceiling, phrase=True)
        if verb >= ceiling or not is_finite_verb_next(self.words, verb):
            return None
        antecedent = stop - 2 if self.words[stop - 2] == "," else stop - 1
        start, _ = self._undergone(antecedent, floor)
        end = right_stretch(self.sentence, verb, ceiling, phrase=False)
        return Work(hit, self.plain((start, end), (antecedent, verb)), self.plain((hit.end, verb)), verb)

    def _verb_follows(self, k: int, close: int) -> bool:
        """Whether the mark at ``close`` ends an aside that stands right before the next connective's verb."""
        if k + 1 >= len(self.hits):
            return False
        following = self.hits[k + 1]
        close -= close == following.start
        if self.words[close] not in _CLOSES_ASIDE:
            return False
        loose = following.relative or following.participle or following.reduced
        between = self.words[close + 1 : following.start]
        return (
            following.pattern.frame in (Frame.ACTIVE, Frame.PASSIVE)
            and not loose
            and following.start > close
            and all(lex.is_adverb(word) for word in between)
        )

    def _opens_sentence(self, at: int) -> bool:
        """Whether nothing but "They say" and the like stands before the word at ``at``."""
        front = self.words[skip_openers(self.words, 0, at) : at]
        return not front or (len(front) < 4 and front[-1] in lex.SAYING | lex.REPORTING)

    def _close_aside(self, k: int, work: Work, start: int, opening: int) -> None:
        """ "The pump, due to a leak, stopped": the main clause goes on behind the aside."""
        end = work.second_end
        if end < len(self.words) - 2 and self.words[end] in _CLOSES_ASIDE:
            close = right_stretch(self.sentence, end + 1, self._ceiling(k), phrase=False)
            if is_finite_verb_next(self.words, end + 1) or has_finite(self.words, end + 1, min(end + 4, close)):
                work.first = self.plain((start, close), (opening, end + 1))

    def _splits(self, hit: Connective) -> bool:
        return fronted_split(self.sentence, hit.end, len(self.words), clause=True) is not None

    def _fronted(self, k: int, hit: Connective, *, clause: bool) -> Work:
        comma = fronted_split(self.sentence, hit.end, len(self.words), clause=clause)
        ceiling = self._ceiling(k)
        if comma is None and (split := unmarked_split(self.sentence, hit.end, ceiling, clause=clause)):
            end = right_stretch(self.sentence, split, ceiling, phrase=False, clause=True)
            return Work(hit, self.plain((split, end)), self.plain((hit.end, split)), split)
        if comma is None:
            end = right_stretch(self.sentence, hit.end, ceiling, phrase=False)
            cause = self.plain((hit.end, end))
            verbs = sum(is_finite(self.words, at) for at in range(hit.end, end))
            cause.usable &= verbs <= 1 if clause else verbs == 0
            first = self.previous((hit.start, hit.end))
            return Work(hit, first, cause, end, nested=clause and self._is_nested(k, hit.end))
        later = next((other.start for other in self.hits[k + 1 :] if other.start > comma), len(self.words))
        end = right_stretch(self.sentence, comma + 1, later, phrase=False, clause=True)
        halting = self.words[comma + 1] in lex.SUBORDINATORS  # "since it was full, when it was asked, …"
        return Work(
            hit,
            first=Side(usable=False) if halting else self.plain((comma + 1, end)),
            second=self.plain((hit.end, min(comma, ceiling))),
            second_end=comma,
            nested=ceiling < comma and self._is_nested(k, hit.end),
        )

    def _adverb(self, k: int, hit: Connective) -> Work:
        """ "so", "therefore", "as a result": the clause before is the cause, or the sentence before."""
        words, floor = self.words, self._floor(k)
        stop = hit.start
        while stop > 0 and (words[stop - 1] in JOINTS or words[stop - 1] in ("and", "but", "which", "thus")):
            stop -= 1
        start = hit.end + 1 if words[hit.end] == "," else hit.end
        gerund = hit.pattern.name == "thereby"
        end = right_stretch(self.sentence, start, self._ceiling(k), phrase=False, clause=not gerund)
        trimmed = trim(self.sentence, (start, end))
        leading = trim(self.sentence, (0, stop))
        second = self.plain((start, end))
        if leading[0] >= leading[1]:
            first = self.previous((hit.start, hit.end))
        elif trimmed[0] >= trimmed[1]:
            begin, _ = left_clause(self.sentence, stop, floor, subject=False)
            second = self.plain((begin, stop))
            if any(is_word(word) for word in words[hit.end :]):
                first = self.previous((hit.start, hit.end))
            else:
                joined = hit.pattern.name == "as a result" and begin > 0 and words[begin - 1] in _BEFORE_RESULT
                first = self._clause_with_links(k, begin - 1) if joined else self.told_before()
        elif stop == hit.start and hit.pattern.name not in _ALWAYS_ADJUNCT:
            left, _ = left_clause(self.sentence, stop, floor, subject=False)
            second = self.plain((left, end), (hit.start, start))
            first = self.previous((left, left + 1))
        else:
            first = self._clause_with_links(k, stop)
        return Work(hit, first, second, end, nested=self._is_nested(k, start))

    def _why(self, k: int, hit: Connective) -> Work:
        """ "X is why Y", "which is why Y", "that's why Y"."""
        at = hit.start if self.words[hit.start].endswith("'s") and hit.relative else hit.start - 1
        if not hit.relative:
            first = self.plain(left_clause(self.sentence, hit.start, self._floor(k), subject=True))
        elif hit.relative == "which" and at > 1:
            first = self._clause_with_links(k, at - 1 if self.words[at - 1] == "," else at)
        else:
            first = self.previous((at, at + 1))
        return self._after(k, hit, first)
