# SPDX-License-Identifier: Apache-2.0
"""From the connectives of one sentence to its links: which stretch is cause, which is effect, and chains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from becausal.domain import causal_lexicon as lex
from becausal.domain.causal_clauses import (
    HARD,
    Range,
    fronted_split,
    left_clause,
    left_noun_phrase,
    right_stretch,
)
from becausal.domain.causal_connectives import find_connectives
from becausal.domain.causal_patterns import Connective, Frame
from becausal.domain.causal_references import PREVIOUS, ROOT, Discourse, reference
from becausal.domain.causal_sides import Clause, content_words, make_clause, trim, well_formed
from becausal.domain.causal_tokens import Sentence, has_finite, is_finite, is_word
from becausal.domain.causal_verbs import BASE, NOUN_LIKE, VERB_FORMS

_EFFECT_FIRST: Final = (Frame.PASSIVE, Frame.CLAUSE, Frame.PHRASE, Frame.LABEL, Frame.BLAME)
_JOINTS: Final = frozenset({",", ";", "-", "--", "–", "—", "*", "#", "•"})
_DENIALS: Final = frozenset(
    "deny denied denies unclear unlikely doubt doubted doubts disproved dismissed excluded refute refuted".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A finished link, before its confidence is worked out. ``form`` is how well formed its sides are, 0 … 1."""

    cause: Clause | None
    effect: Clause
    pattern: str
    strength: float
    form: float
    hedged: bool
    cross_sentence: bool
    span: Range


@dataclass(slots=True)
class Side:
    """One side while it is being worked out: a stretch here, or a clause from elsewhere, or open."""

    stretch: Range | None = None
    aside: Range | None = None
    clause: Clause | None = None
    cross: bool = False
    form: float = 1.0
    usable: bool = True


@dataclass(slots=True)
class Work:
    """A connective with its first side (before it, or before the comma when fronted) and its second."""

    hit: Connective
    first: Side
    second: Side
    second_end: int
    second_start: int
    nested: bool = False  # the second side is a clause whose own link says what it comes to

    @property
    def effect_first(self) -> bool:
        frame = self.hit.pattern.frame
        if frame is Frame.CAUSE_NOUN:
            return self.hit.swapped
        if frame is Frame.RESULT_NOUN:
            return not self.hit.swapped
        return frame in _EFFECT_FIRST

    @property
    def cause(self) -> Side:
        return self.second if self.effect_first else self.first

    @property
    def effect(self) -> Side:
        return self.first if self.effect_first else self.second


def assemble(sentence: Sentence, discourse: Discourse) -> list[Draft]:
    """The links of one sentence, in order."""
    words = sentence.words
    if words[-1] == "?" or (len(words) > 1 and words[-2] == "?"):
        return []
    hits = find_connectives(sentence)
    if not hits:
        return []
    builder = _Builder(sentence, discourse, hits)
    return builder.links()


class _Builder:
    def __init__(self, sentence: Sentence, discourse: Discourse, hits: Sequence[Connective]) -> None:
        self.sentence = sentence
        self.words = sentence.words
        self.discourse = discourse
        self.hits = hits
        self.work: list[Work] = []

    def links(self) -> list[Draft]:
        for k, hit in enumerate(self.hits):
            self.work.append(self._build(k, hit))
        for k in range(len(self.work) - 2, -1, -1):
            if self.work[k].nested and self.work[k + 1].effect.usable:
                self.work[k].second = self.work[k + 1].effect
        drafts = [self._draft(work) for work in self.work if not self._refused(work.hit)]
        return [draft for draft in drafts if draft is not None]

    # ---- what is refused

    def _refused(self, hit: Connective) -> bool:
        if hit.negated:
            return True
        words = self.words
        low = max(0, hit.start - 25)
        for at in range(hit.start - 1, low - 1, -1):
            word = words[at]
            joined = hit.pattern.frame in (Frame.CLAUSE, Frame.PHRASE, Frame.ADVERB)
            if word in HARD or (word == "," and (joined or hit.start - at > 1)):
                break
            if word in lex.CONDITIONS and (at == 0 or words[at - 1] not in ("as", "even")):
                return True
            if words[at + 1] in ("that", "whether", "if") and (
                word in _DENIALS or (word == "out" and at and words[at - 1] in ("ruled", "rule", "rules"))
            ):
                return True
            if word in ("evidence", "indication", "sign", "proof") and at and words[at - 1] == "no":
                return True
            if word == "clear" and at and words[at - 1] in ("not", "n't"):
                return True
        return False

    # ---- sides

    def _build(self, k: int, hit: Connective) -> Work:
        frame = hit.pattern.frame
        if frame in (Frame.CLAUSE, Frame.PHRASE):
            return self._joined(k, hit)
        if frame is Frame.ADVERB:
            return self._adverb(k, hit)
        if hit.inner is not None:
            return self._after(k, hit, self._plain(hit.inner))
        if frame is Frame.LABEL or (hit.swapped and hit.inner is None):
            return self._after(k, hit, self._before_label(hit))
        if frame is Frame.ARROW:
            first = self._plain(left_clause(self.sentence, hit.start, self._floor(k), subject=False))
            work = self._after(k, hit, first)
            if not (self._eventful(first) or self._eventful(work.second)):
                work.first.usable = False
            return work
        return self._after(k, hit, self._subject(k, hit))

    def _floor(self, k: int) -> int:
        return self.hits[k - 1].end if k else 0

    def _ceiling(self, k: int) -> int:
        return self.hits[k + 1].start if k + 1 < len(self.hits) else len(self.words)

    def _plain(self, stretch: Range, aside: Range | None = None) -> Side:
        """A side over a stretch of this sentence, or what it points at."""
        trimmed = trim(self.sentence, stretch)
        if trimmed[0] >= trimmed[1] or self.words[trimmed[0]] in lex.CONDITIONS:
            return Side(usable=False)
        kind = reference(self.sentence, trimmed)
        if kind is not None:
            return self._resolved(kind, trimmed)
        form = well_formed(self.sentence, trimmed)
        return Side(stretch=trimmed, aside=aside, form=form, usable=form > 0)

    def _resolved(self, kind: str, mention: Range) -> Side:
        if kind == PREVIOUS:
            here = self._earlier_clause(mention[0])
            if here is not None:
                return here
        clause = self.discourse.resolve(kind, make_clause(self.discourse.text, self.sentence, mention))
        if clause is None:
            return Side(form=0.7)
        own = self.sentence.start <= clause.start < self.sentence.end
        return Side(clause=clause, cross=not own)

    def _earlier_clause(self, before: int) -> Side | None:
        """The clause of this sentence that a pronoun at ``before`` points back at."""
        stop = before
        while stop and (not is_word(self.words[stop - 1]) or self.words[stop - 1] in lex.OPENERS):
            stop -= 1
        if stop < 2:
            return None
        earlier = [work for work in self.work if work.hit.end <= stop]
        if earlier and earlier[-1].effect.usable and earlier[-1].hit.end <= stop:
            return earlier[-1].effect
        start, _ = left_clause(self.sentence, stop, 0, subject=False)
        trimmed = trim(self.sentence, (start, stop))
        if trimmed[0] >= trimmed[1] or not has_finite(self.words, trimmed[0], trimmed[1]):
            return None
        return Side(stretch=trimmed, form=well_formed(self.sentence, trimmed))

    def _before_label(self, hit: Connective) -> Side:
        mention = (hit.start, min(hit.start + 1, len(self.words)))
        if hit.pattern.frame is Frame.RESULT_NOUN:
            return self._resolved(PREVIOUS, mention)
        if hit.start > 1 and (self.words[hit.start - 1] in _JOINTS or self.words[hit.start - 1] in lex.COORDINATORS):
            here = self._earlier_clause(hit.start)
            if here is not None:
                return here
        clause = self.discourse.resolve(ROOT, None)
        if clause is None:
            return Side(usable=False)
        return Side(clause=clause, cross=True)

    def _eventful(self, side: Side) -> bool:
        if side.clause is not None:
            return True
        if side.stretch is None:
            return False
        return any(
            word in lex.OUTCOMES
            or word in lex.TROUBLE
            or word in lex.HAPPENINGS
            or (VERB_FORMS.get(word, ("", BASE))[1] != BASE and word not in NOUN_LIKE)
            for word in self.words[side.stretch[0] : side.stretch[1]]
        )

    def _subject(self, k: int, hit: Connective) -> Side:
        """The side left of a verb: its subject, the noun it modifies, or what a relative pronoun means."""
        words, floor = self.words, self._floor(k)
        stop = hit.head + 1 if hit.pattern.keep and hit.pattern.frame is Frame.PASSIVE else hit.start
        if hit.relative and stop:
            stop = hit.start - 1
            comma = stop > 0 and words[stop - 1] == ","
            if stop <= 0 or words[stop - 1] in lex.COORDINATORS:
                return self._resolved(PREVIOUS, (max(stop, 0), hit.start)) if stop <= 1 else self._coordinate(k, stop)
            shared = self._shared_second(k, stop)
            if shared is not None:
                return shared
            if hit.relative == "which" and comma:
                return self._plain(left_clause(self.sentence, stop - 1, floor, subject=False))
            return self._plain(left_noun_phrase(self.sentence, stop, floor))
        before = words[stop - 1] if stop else ""
        if not before or stop <= floor and k == 0:
            return self._resolved(PREVIOUS, (max(0, hit.start - 1), hit.start + 1))
        if before in ("and", "or", "but", "&"):
            return self._coordinate(k, stop)
        if before == "," and not hit.participle:
            opening = self._aside_opening(stop - 1, floor)
            if opening is not None and words[opening - 1] in ("which", "that"):
                shared = self._shared_second(k, opening - 1)
                return shared or self._plain(left_clause(self.sentence, opening - 1, floor, subject=False))
            return self._coordinate(k, stop)
        if hit.participle or hit.reduced:
            if before in (",", ";", "(", "–", "—", "-") or before == "thereby":
                shared = None if k and self.work[k - 1].effect_first else self._shared_second(k, stop)
                return shared or self._clause_with_links(k, stop - 1)
            shared = self._shared_second(k, stop)
            return shared or self._plain(left_noun_phrase(self.sentence, stop, floor))
        start, _ = left_clause(self.sentence, stop, self._subject_floor(k), subject=True)
        inner = [work for work in self.work if work.hit.start >= start]
        if inner and inner[-1].effect.usable and inner[-1].hit.end < stop:
            return inner[-1].effect
        return self._plain((start, stop))

    def _aside_opening(self, close: int, floor: int) -> int | None:
        """The comma that opens the aside which the comma at ``close`` ends."""
        for at in range(close - 1, max(floor, close - 25), -1):
            if self.words[at] == ",":
                return at
        return None

    def _subject_floor(self, k: int) -> int:
        """A subject may hold a reduced relative ("the damage caused by X"), but no other connective."""
        if k and self.work[k - 1].hit.reduced and not self._main_between(self.hits[k - 1].end, self.hits[k].start):
            return self._floor(k - 1)
        if k and self.work[k-1].second_end < self.hits[k].start and self.words[self.work[k-1].second_end] == ",":
            return self.work[k - 1].second_end + 1
        return self._floor(k)

    def _main_between(self, start: int, stop: int) -> bool:
        return has_finite(self.words, start, stop)

    def _shared_second(self, k: int, stop: int) -> Side | None:
        """The second side of the connective before, if it runs up to ``stop``."""
        if not k:
            return None
        last = self.work[k - 1]
        if last.second_end in (stop, stop - 1) and last.second.usable and not last.nested:
            return last.second
        return None

    def _coordinate(self, k: int, stop: int) -> Side:
        """The subject of a verb phrase joined by "and": shared with the verb phrase before it."""
        words, hit = self.words, self.hits[k]
        while stop > 1 and (words[stop - 1] in lex.COORDINATORS or words[stop - 1] == "," or words[stop - 1] in lex.MANNER):
            stop -= 1
        if k and self.work[k - 1].hit.pattern.frame in (Frame.ACTIVE, Frame.PASSIVE) and self.work[k - 1].second_end >= stop - 1:
            return self.work[k - 1].first
        if hit.participle and hit.pattern.strength < 0.7:  # one of a list of gerunds, not a consequence
            return Side(usable=False)
        return self._clause_with_links(k, stop)

    def _clause_with_links(self, k: int, stop: int) -> Side:
        """The clause left of ``stop``: what its own link ends in, if it has one."""
        start, _ = left_clause(self.sentence, stop, 0, subject=False)
        inner = [work for work in self.work if work.hit.end <= stop and work.hit.start >= start]
        if inner and inner[-1].effect.usable:
            return inner[-1].effect
        if k:
            start = max(start, self._clause_floor(k, stop))
        return self._plain((start, stop))

    def _clause_floor(self, k: int, stop: int) -> int:
        last = self.work[k - 1]
        return last.second_end if last.second_end < stop else last.hit.end

    def _after(self, k: int, hit: Connective, first: Side) -> Work:
        """Add the side right of a connective."""
        words = self.words
        before = hit.start - 1 if hit.relative else hit.start
        loose = hit.reduced or hit.relative or hit.participle
        phrase = bool(loose) and (before == 0 or words[before - 1] != ",") and not self._main_seen(before)
        start = hit.end
        end = right_stretch(
            self.sentence, start + (1 if hit.pattern.keep else 0), self._ceiling(k), phrase=phrase,
            clause=hit.pattern.frame is Frame.CLAUSE,
        )
        work = Work(hit=hit, first=first, second=self._plain((start, end)), second_start=start, second_end=end)
        if hit.pattern.name in ("mean that", "mean", "because", "ensure", "explain") or hit.end and words[hit.end - 1] in ("that", "why"):
            work.nested = self._is_nested(k, start)
        return work

    def _main_seen(self, before: int) -> bool:
        """Whether the clause around ``before`` has had its main verb by then."""
        start, _ = left_clause(self.sentence, before, 0, subject=False)
        return has_finite(self.words, start, before)

    def _is_nested(self, k: int, start: int) -> bool:
        """Whether the clause that begins at ``start`` has its own verb connective as main verb."""
        if k + 1 >= len(self.hits):
            return False
        following = self.hits[k + 1]
        if following.relative or following.participle or following.reduced or following.negated:
            return False
        if following.pattern.frame not in (Frame.ACTIVE, Frame.PASSIVE):
            return False
        between = self.words[start : following.start]
        return bool(between) and not any(w in (",", ";") for w in between) and not has_finite(self.words, start, following.start)

    def _joined(self, k: int, hit: Connective) -> Work:
        """ "because", "due to" and the like: main clause first, or fronted with a comma."""
        words, floor = self.words, self._floor(k)
        clause = hit.pattern.frame is Frame.CLAUSE
        subject = not hit.reduced and not clause
        stop = hit.start
        before = words[stop - 1] if stop else ""
        if before == "(":
            stop -= 1
        if before in lex.COORDINATORS and k and self.work[k - 1].hit.pattern.frame in (Frame.CLAUSE, Frame.PHRASE, Frame.PASSIVE):
            last = self.work[k - 1]
            if last.second_end >= stop - 2:
                return self._after(k, hit, last.first)
        if hit.pattern.name in ("from", "following", "after happening"):
            shared = self._shared_second(k, stop)
            first = shared or self._plain(left_noun_phrase(self.sentence, stop, floor))
            hit.reduced = True
            return self._after(k, hit, first)
        if hit.relative and stop:
            first = self._subject(k, hit)
        start, _ = left_clause(self.sentence, stop, floor, subject=subject)
        if k and self.work[k - 1].second_end < stop and words[self.work[k - 1].second_end] == ",":
            start = max(start, self.work[k - 1].second_end + 1)
        trimmed = trim(self.sentence, (start, stop))
        if trimmed[0] >= trimmed[1]:
            return self._fronted(k, hit, clause=clause)
        first = self._plain((start, stop))
        finite = has_finite(words, trimmed[0], trimmed[1])
        hit.reduced = hit.reduced and not clause and not finite
        work = self._after(k, hit, first)
        if clause:
            work.nested = self._is_nested(k, hit.end)
        end = work.second_end
        if not finite and before in (",", "–", "—", "(", "-") and end < len(words) - 2 and words[end] in (",", "–", "—", ")", "-"):
            close = right_stretch(self.sentence, end + 1, self._ceiling(k), phrase=False)
            if is_finite(words, end + 1) or has_finite(words, end + 1, min(end + 4, close)):
                work.first = self._plain((start, close), (stop if before == "(" else stop - 1, end + 1))
        return work

    def _fronted(self, k: int, hit: Connective, *, clause: bool) -> Work:
        comma = fronted_split(self.sentence, hit.end, len(self.words), clause=clause)
        later = next((j for j in range(k + 1, len(self.hits)) if comma is not None and self.hits[j].start > comma), None)
        if comma is None:
            whole = right_stretch(self.sentence, hit.end, self._ceiling(k), phrase=False)
            cause = self._plain((hit.end, whole))
            if not clause and has_finite(self.words, hit.end, whole):
                cause.usable = False
            return Work(hit=hit, first=self._resolved(PREVIOUS, (hit.start, hit.end)), second=cause,
                        second_start=hit.end, second_end=whole, nested=clause and self._is_nested(k, hit.end))
        ceiling = self.hits[later].start if later is not None else len(self.words)
        end = right_stretch(self.sentence, comma + 1, ceiling, phrase=False)
        inner_stop = min(comma, self._ceiling(k))
        work = Work(hit=hit, first=self._plain((comma + 1, end)), second=self._plain((hit.end, inner_stop)),
                    second_start=hit.end, second_end=comma, nested=self._ceiling(k) < comma and self._is_nested(k, hit.end))
        return work

    def _adverb(self, k: int, hit: Connective) -> Work:
        """ "so", "therefore", "as a result": the clause before is the cause, or the sentence before."""
        words, floor = self.words, self._floor(k)
        if hit.pattern.name == "is why":
            first = self._why_subject(k, hit)
            work = self._after(k, hit, first)
            work.nested = self._is_nested(k, hit.end)
            return work
        stop = hit.start
        while stop > 0 and (words[stop - 1] in _JOINTS or words[stop - 1] in ("and", "but", "which", "thus")):
            stop -= 1
        start = hit.end
        if start < len(words) and words[start] == ",":
            start += 1
        end = right_stretch(self.sentence, start, self._ceiling(k), phrase=False, clause=hit.pattern.name != "thereby")
        trimmed = trim(self.sentence, (start, end))
        second = self._plain((start, end))
        if stop == 0 or trim(self.sentence, (0, stop))[0] >= trim(self.sentence, (0, stop))[1]:
            first = self._resolved(PREVIOUS, (hit.start, hit.end))
        elif trimmed[0] >= trimmed[1]:
            second = self._plain(left_clause(self.sentence, stop, floor, subject=False))
            first = self._resolved(PREVIOUS, (hit.start, hit.end))
        elif stop == hit.start and hit.pattern.name not in ("so", "so that", "so … that", "with the result that", "thereby"):
            left, _ = left_clause(self.sentence, stop, floor, subject=False)
            second = self._plain((left, end), (hit.start, start))
            first = self._resolved(PREVIOUS, (left, left + 1))
        else:
            first = self._clause_with_links(k, stop)
        work = Work(hit=hit, first=first, second=second, second_start=start, second_end=end)
        work.nested = self._is_nested(k, start)
        return work

    def _why_subject(self, k: int, hit: Connective) -> Side:
        if hit.relative:
            at = hit.start if self.words[hit.start] in ("that's", "it's") else hit.start - 1
            if hit.relative == "which" and at > 1:
                return self._clause_with_links(k, at - 1 if self.words[at - 1] == "," else at)
            return self._resolved(PREVIOUS, (at, at + 1))
        return self._plain(left_clause(self.sentence, hit.start, self._floor(k), subject=True))

    # ---- the result

    def _draft(self, work: Work) -> Draft | None:
        cause, effect = work.cause, work.effect
        if not cause.usable or not effect.usable:
            return None
        if effect.stretch is None and effect.clause is None:
            return None
        if cause.stretch is not None and effect.stretch is not None and effect.aside is None:
            if cause.stretch[0] < effect.stretch[1] and effect.stretch[0] < cause.stretch[1]:
                return None
        made = [self._clause(side) for side in (cause, effect)]
        assert made[1] is not None
        if made[0] is not None and made[0].start == made[1].start and made[0].end == made[1].end:
            return None
        hit = work.hit
        return Draft(
            cause=made[0],
            effect=made[1],
            pattern=hit.pattern.name,
            strength=hit.pattern.strength,
            form=cause.form * effect.form,
            hedged=hit.hedged,
            cross_sentence=cause.cross or effect.cross,
            span=(self.sentence.starts[hit.start], self.sentence.ends[max(hit.end, hit.head + 1) - 1]),
        )

    def _clause(self, side: Side) -> Clause | None:
        if side.clause is not None:
            return side.clause
        if side.stretch is None:
            return None
        return make_clause(self.discourse.text, self.sentence, side.stretch, side.aside)
