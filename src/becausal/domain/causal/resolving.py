# SPDX-License-Identifier: Apache-2.0
"""A side of a link, while it is worked out: a stretch of words, or what those words point at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from . import lexicon as lex
from .clauses import Range, ends_finding, left_clause, skip_openers
from .lexicon import word_set
from .patterns import Connective, Frame
from .pointers import DEMONSTRATIVES, past_frame, pointing_words
from .references import OCCASIONS, Discourse, Reference, echoes, reference
from .sides import Clause, make_clause, trim, well_formed
from .tokens import Sentence, has_finite, is_word
from .verbs import BASE, NOUN_LIKE, VERB_FORMS

UNRESOLVED: Final = 0.7  # form of a side that points at nothing we know
_EFFECT_FIRST: Final = (Frame.PASSIVE, Frame.CLAUSE, Frame.PHRASE, Frame.LABEL, Frame.BLAME)
_CONCESSIONS: Final = frozenset({"while", "although", "though", "whereas", "despite"})
_HAPPENED: Final = frozenset({"occurred", "happened", "arose", "began", "started"})  # "this failure occurred"
_FAULTS: Final = word_set(  # "this mistake" is what was done, not what came of it
    "mistake oversight omission flaw defect misconfiguration negligence misstep blunder decision choice lapse "
    "carelessness"
)
_ELLIPSIS: Final = lex.AUXILIARIES | lex.MANNER | {"unfortunately", "sadly"}
JOINTS: Final = frozenset({",", ";", "-", "--", "–", "—", "*", "#", "•"})


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
    """A connective with its first side (left of it, or the main clause when fronted) and its second.

    ``second_end`` is where the second side ends before trimming. ``nested`` says that the second side is a
    clause with a connective of its own: what that one leads to stands for it. ``aside`` is where the comma
    stands that opens an aside before the next connective ("which, due to a leak, led to …"): the second side
    explains what that one leads to. ``acted`` says that the second side tells what somebody did.
    """

    hit: Connective
    first: Side
    second: Side
    second_end: int
    nested: bool = False
    aside: int | None = None
    acted: bool = False

    @property
    def effect_first(self) -> bool:
        return effect_first(self.hit)

    @property
    def cause(self) -> Side:
        return self.second if self.effect_first else self.first

    @property
    def effect(self) -> Side:
        return self.first if self.effect_first else self.second


def effect_first(hit: Connective) -> bool:
    """Whether the first side of a connective is its effect."""
    frame = hit.pattern.frame
    if frame in (Frame.CAUSE_NOUN, Frame.RESULT_NOUN):
        return hit.swapped is (frame is Frame.CAUSE_NOUN)
    return frame in _EFFECT_FIRST


class Resolver:
    """Turns stretches of one sentence into sides, given what was said before."""

    def __init__(self, sentence: Sentence, discourse: Discourse, hits: Sequence[Connective]) -> None:
        self.sentence = sentence
        self.words = sentence.words
        self.discourse = discourse
        self.hits = hits
        self.work: list[Work] = []
        self.explains = False  # whether the first side of the connective at hand is its effect

    def plain(self, stretch: Range, aside: Range | None = None) -> Side:
        """The side over a stretch of words, or what those words point at."""
        start = skip_openers(self.words, *stretch)
        stop = stretch[1]
        while stop > start and not is_word(self.words[stop - 1]):
            stop -= 1
        end = stop - 1 if stop - start > 2 and self.words[stop - 1] in _HAPPENED else stop
        kind, more = reference(self.words[start:end]), False
        if kind is None and (pointing := pointing_words(self.words[start:stop])):
            end, more = start + pointing, True
            kind = reference(self.words[start:end])
        if kind is not None:
            side = self._resolved(kind, (start, end), stop, here=not more)
            if side is not None and (side.clause or side.stretch or not (more or end - start > 2)):
                return side
        if stop - start == 2 and self.words[start] in DEMONSTRATIVES and self.words[start + 1] in OCCASIONS:
            return Side(usable=False)
        said = self.words[start:stop]
        if (
            len(said) > 1
            and said[0] in ("it", "this", "that")
            and all(word in _ELLIPSIS or word in _HAPPENED for word in said[1:])
        ):
            return self.told_before()  # "But it was, causing …"
        begin, finish = trim(self.sentence, stretch)
        trimmed = past_frame(self.words, begin, finish), finish
        if begin >= finish or self.words[begin] in lex.CONDITIONS:
            return Side(usable=False)
        for work in self.work:  # a clause that a neighbour has already named is the same node
            for side in (work.first, work.second):
                if side.stretch is not None and side.stretch[0] == trimmed[0] and side.usable and aside is None:
                    return side
        form = well_formed(self.sentence, trimmed)
        return Side(stretch=trimmed, aside=aside, form=form, usable=form > 0)

    def _resolved(self, kind: Reference, mention: Range, stop: int = 0, *, here: bool = True) -> Side | None:
        """What a reference stands for, in this sentence only if ``here``; ``None`` if an echo has nothing to echo.

        The phrase that it opens ends at ``stop``, if it is longer.
        """
        said = self.words[mention[0] : mention[1]]
        if kind is Reference.ROOT and len(said) == 2 and (done := self.discourse.clause_of(said[-1])):
            return self._told(done)  # "The trigger", where "it was triggered" was told
        if kind is not Reference.ROOT and len(said) > 1:
            echoed = self._echo(said)
            if echoed is None and kind is Reference.ECHO and said[0] in DEMONSTRATIVES:
                kind = Reference.PREVIOUS if self.discourse.speaks_of(said[-1]) else kind
            if echoed is None and said[0] in DEMONSTRATIVES and stop > mention[1]:
                again = self.discourse.told_again(self.words[mention[0] : stop])
                echoed = None if again is None else self._told(again)
            if echoed is not None or kind is Reference.ECHO:
                return echoed
        if kind is Reference.PREVIOUS:
            named = len(said) > 1 and self.discourse.speaks_of(said[-1]) and said[-1] not in self.words[: mention[0]]
            earlier = self._earlier_clause(mention[0]) if here and not named else None
            if earlier is not None:
                return earlier
        if kind is Reference.PREVIOUS and said[-1] in _FAULTS and self.discourse.blamed is not None:
            return self._told(self.discourse.blamed)
        told = make_clause(self.discourse.text, self.sentence, mention)
        clause = self.discourse.resolve(kind, told, effect=self.explains)
        return Side(form=UNRESOLVED) if clause is None else self._told(clause)

    def previous(self, mention: Range) -> Side:
        """What was said just before; an open side if nothing was."""
        return self._resolved(Reference.PREVIOUS, mention) or Side(form=UNRESOLVED)

    def told_before(self) -> Side:
        """What the sentences before told; an open side if there were none."""
        clause = self.discourse.resolve(Reference.PREVIOUS, None, effect=self.explains)
        return Side(form=UNRESOLVED) if clause is None else self._told(clause)

    def _told(self, clause: Clause) -> Side:
        own = self.sentence.start <= clause.start < self.sentence.end
        return Side(clause=clause, cross=not own)

    def _echo(self, words: Sequence[str]) -> Side | None:
        for work in reversed(self.work):
            for side in (work.second, work.first):
                if side.stretch is not None and echoes(words, " ".join(self.words[side.stretch[0] : side.stretch[1]])):
                    return side
        clause = self.discourse.echo(words)
        return None if clause is None else self._told(clause)

    def _earlier_clause(self, before: int) -> Side | None:
        """The clause of this sentence that a pronoun at ``before`` points back at."""
        stop = before
        while stop and (not is_word(self.words[stop - 1]) or self.words[stop - 1] in lex.OPENERS):
            stop -= 1
        if stop < 2:
            return None
        earlier = [work for work in self.work if work.hit.end <= stop]
        if earlier and earlier[-1].effect.usable:
            begins = earlier[-1].hit.start
            repeated = begins > 0 and self.words[begins - 1] == self.words[before]  # "it blocked X and it caused Y"
            return earlier[-1].first if repeated else earlier[-1].effect
        trimmed = trim(self.sentence, left_clause(self.sentence, stop, 0, subject=False))
        conceded = self.words[trimmed[0]] in _CONCESSIONS or self.words[max(0, trimmed[0] - 1)] in _CONCESSIONS
        conceded = conceded and self.discourse.previous is not None
        conceded = conceded or ends_finding(self.words, trimmed[1] - 1)  # "It turned out that this …"
        if trimmed[0] >= trimmed[1] or conceded or not has_finite(self.words, *trimmed):
            return None
        return Side(stretch=trimmed, form=well_formed(self.sentence, trimmed))

    def unsaid(self, hit: Connective) -> Side:
        """The first side of "Root cause: …" and "the result was …", which they leave unsaid."""
        if hit.start > 1 and (self.words[hit.start - 1] in JOINTS or self.words[hit.start - 1] in lex.COORDINATORS):
            here = self._earlier_clause(hit.start)
            if here is not None:
                return here
        if hit.pattern.frame is Frame.RESULT_NOUN:
            return self.previous((hit.start, hit.start + 1))
        clause = self.discourse.resolve(Reference.ROOT, None)
        return Side(usable=False) if clause is None else Side(clause=clause, cross=True)

    def is_eventful(self, side: Side) -> bool:
        """Whether a side names something that happens, as a side of a causal arrow must."""
        if side.stretch is None:
            return side.clause is not None
        return any(
            word in lex.OUTCOMES
            or word in lex.TROUBLE
            or word in lex.HAPPENINGS
            or (VERB_FORMS.get(word, ("", BASE))[1] != BASE and word not in NOUN_LIKE)
            for word in self.words[side.stretch[0] : side.stretch[1]]
        )
