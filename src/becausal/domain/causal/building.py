# SPDX-License-Identifier: Apache-2.0
"""The two sides of each connective of a sentence, and how neighbouring connectives share them."""

from __future__ import annotations

from typing import Final

from . import lexicon as lex
from .clauses import HARD, Range, is_finite_verb_next, left_clause, left_noun_phrase, skip_openers, strip_front
from .patterns import Connective, Frame
from .pointers import past_denial
from .references import reference
from .resolving import JOINTS, Resolver, Side, Work, effect_first
from .sides import trim
from .stretches import fronted_split, right_stretch, unmarked_split
from .tokens import has_finite, is_finite, is_word
from .verbs import PAST, kind_of

_OPENS_ASIDE: Final = (",", "–", "—", "(", "-", "--")
_CLOSES_ASIDE: Final = (",", "–", "—", ")", "-", "--")
_BETWEEN_VERBS: Final = lex.COORDINATORS | lex.MANNER
_OF_ACTIONS: Final = frozenset({"cause", "force", "prompt", "trigger"})  # "caused X to …"
_OF_STATEMENTS: Final = frozenset({"mean", "mean that", "explain"})  # what "which" stands for is all that was said
_BEFORE_RESULT: Final = frozenset({"and", "but", ";"})
_ALWAYS_ADJUNCT: Final = frozenset({"so", "so that", "so … that", "with the result that", "thereby"})


def _denies(word: str) -> bool:
    return word == "not" or (word.endswith("n't") and word not in ("won't", "ain't"))


class Builder(Resolver):
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

    def _floor(self, k: int) -> int:
        return self.hits[k - 1].end if k else 0

    def _ceiling(self, k: int) -> int:
        return self.hits[k + 1].start if k + 1 < len(self.hits) else len(self.words)

    # ---- the side left of a verb

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

    # ---- the side right of a connective

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
