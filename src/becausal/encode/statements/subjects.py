# SPDX-License-Identifier: Apache-2.0
"""The subjects of clauses: phrases, several of them, with what stands between them and their verb, and pronouns."""

from __future__ import annotations

from collections.abc import Iterator

from . import lexicon as lex
from .asides import apposition, life
from .attributes import attribute
from .drafting import owner_of
from .phrases import Phrase, build, determiner, extent, first, phrase, possessive
from .predicates import Predicates
from .verbs import VERB_STARTS

_MAX_SUBJECTS = 5
_MAX_ASIDE = 24
_OF = frozenset(("of", "for", "in", "on", "at", "behind"))
_PRONOUN_OF = {"his": "he", "her": "she", "their": "they"}
_GENDERS = {"he": "m", "his": "m", "him": "m", "she": "f", "her": "f", "actress": "f", "woman": "f", "mother": "f"}


class Subjects(Predicates):
    """Reads the subjects of one sentence."""

    def _subjects(self, at: int) -> Iterator[tuple[list[Phrase], int]]:
        """Yield the ways to read the subject that begins at a word, each with where its verb group begins."""
        line = self.line
        low = line.low[at]
        if low in lex.FIRST:
            yield [first(line, at)], at + 1
            return
        if low in lex.HE_SHE or low in ("it", "they"):
            if named := self._meant(low, at):
                yield [named], at + 1
            return
        body, det = determiner(line, at)
        if body < 0:
            return
        if det in lex.OTHER_OWNER:
            yield from self._theirs(at, body, det)
            return
        end = extent(line, body, subject=True)
        for stop in range(body + 1, end + 1):
            if self._may_begin(stop) and (found := self._subject(at, body, stop, det)):
                yield [found], stop
        if end == body:
            return
        found = self._subject(at, body, end, det)
        if found is None:
            return
        yield from self._longer(found, end)

    def _subject(self, at: int, body: int, end: int, det: str) -> Phrase | None:
        found = build(self.line, at, body, end, det)
        if found and found.named and self._short_for_topic(found):
            return self.topic.subject._replace(start=at, end=end) if self.topic.subject else found
        known = self.topic.subject
        if found and known and not found.named and det == "the":
            rest, head = found.rest.casefold(), self.topic.head
            if rest == head or (rest in lex.WORKS and head in lex.WORKS):
                return known._replace(start=at, end=end)
        return found

    def _short_for_topic(self, found: Phrase) -> bool:
        """Say whether a name is the first or last one of the person that the text is about."""
        known = self.topic.subject
        if known is None or not (known.sort == "person" or self.topic.gender) or " " in found.text:
            return False
        names = known.text.split()
        return len(names) > 1 and found.text in (names[0], names[-1])

    def _longer(self, found: Phrase, end: int) -> Iterator[tuple[list[Phrase], int]]:
        """Read what may stand between a subject and its verb."""
        line = self.line
        low = line.low[end]
        if low in ("and", "&", ","):
            yield from self._several(found, end)
        if low in _OF and not found.named:
            inner = phrase(line, end + 1)
            if inner and inner.det not in lex.OTHER_OWNER:
                whole = found._replace(end=inner.end, text=line.text(found.start + (found.det == "the"), inner.end))
                whole = whole._replace(entity=None, plural=found.plural)
                if low in ("of", "for") and (inner.named or inner.entity or inner.det in ("the", "our", "my")):
                    whole = whole._replace(owner=inner.text, owner_entity=inner.entity)
                yield [whole], inner.end
        if low == "(" and (close := self._closing(end)):
            self._keep(life(line, found, end, close))
            yield [found], close + 1
        if low == "," and line.low[end + 1] in ("is", "was") and found.named:
            yield [found], end + 1
        elif low == ",":
            yield from self._with_aside(found, end)

    def _several(self, found: Phrase, end: int) -> Iterator[tuple[list[Phrase], int]]:
        line = self.line
        subjects = [found]
        place = end
        while line.low[place] in ("and", "&", ",") and len(subjects) < _MAX_SUBJECTS:
            last = line.low[place] != ","
            start = place + 1
            if not last and line.low[start] in ("and", "&"):
                start, last = start + 1, True
            following = self._short(start)
            if following is None:
                return
            subjects.append(following)
            place = following.end
            if last:
                if all(each.named or each.sort in ("component", "person", "first") for each in subjects):
                    yield subjects, place
                return

    def _short(self, at: int) -> Phrase | None:
        """Return the phrase that begins at a word and ends before a verb, a comma or "and"."""
        line = self.line
        if line.low[at] in lex.FIRST:
            return first(line, at)
        body, det = determiner(line, at)
        if body < 0:
            return None
        end = extent(line, body, subject=True)
        for stop in range(body + 1, end + 1):
            if self._may_begin(stop) and (found := build(line, at, body, stop, det)):
                return found
        return build(line, at, body, end, det) if end > body else None

    def _theirs(self, at: int, body: int, det: str) -> Iterator[tuple[list[Phrase], int]]:
        """Read "his father", if it is known who he is."""
        line = self.line
        holder = self._meant(_PRONOUN_OF.get(det, ""), at)
        if holder is None:
            return
        end = extent(line, body, subject=True)
        for stop in range(body + 1, end + 1):
            if self._may_begin(stop) or (stop == end and line.low[stop] == ","):
                found = build(line, at, body, stop, "the")
                if found and not found.named and (found.head in lex.HAD or attribute(found)):
                    text = f"{holder.text}'s {found.rest}"
                    owned = found._replace(
                        text=text, det="'s", owner=holder.text, owner_entity=holder.entity, entity=None
                    )
                    if line.low[stop] == ",":
                        yield from self._with_aside(owned, stop)
                    else:
                        yield [owned], stop

    def _may_begin(self, at: int) -> bool:
        """Say whether a verb group may begin at a word."""
        low = self.line.low[at]
        return low in VERB_STARTS and not (low == "'s" and possessive(self.line, at))

    def _closing(self, at: int) -> int:
        line = self.line
        for place in range(at + 1, min(len(line), at + _MAX_ASIDE)):
            if line.low[place] == ")":
                return place
        return 0

    def _with_aside(self, found: Phrase, comma: int) -> Iterator[tuple[list[Phrase], int]]:
        """Read "Maria, our CTO, …" and "Maria, who lives in Oslo, …"."""
        line = self.line
        if not found.named and not found.owner:
            return
        place = comma + 1
        if line.low[place] in ("who", "which"):
            after = self._predicates([found], place + 1)
            if after and line.low[after] == ",":
                yield [found], after + 1
            elif after and line.low[after] not in (".", ";", "!", ""):
                return
            return
        aside = phrase(line, place)
        if aside is None:
            return
        if line.low[aside.end] != ",":
            inner = phrase(line, aside.end + 1) if line.low[aside.end] in ("of", "at") else None
            if inner and line.low[inner.end] == ",":
                yield [found], inner.end + 1
            return
        self._keep(apposition(found, aside, place))
        swaps = aside.named and not found.named  # "my brother, Tom, …" is about Tom
        yield [aside if swaps else found], aside.end + 1

    def _meant(self, low: str, at: int) -> Phrase | None:
        """Return what a pronoun means: the subject of the sentence before, if nothing else can be meant."""
        known = self.subject or self.topic.subject
        if known is None or (self.subject is None and not self.topic.sure):
            return None
        if known.owner and not known.named and attribute(known):  # "Ana's birthday is … and she"
            known = owner_of(known)
            known = known._replace(sort="person", kind="user" if known.text == self.line.context.user else "")
        if known.kind == "user":
            return None if low == "it" else known._replace(start=at, end=at + 1)
        if known.sort == "first" or low == "they":
            return None
        person = known.sort == "person" or (known.sort == "name" and known.kind in ("thing", ""))
        if low == "it":
            return None if known.sort == "person" else known._replace(start=at, end=at + 1)
        gender = _GENDERS.get(low, "none")
        if not person or self.topic.gender not in ("", gender):
            return None
        return known._replace(start=at, end=at + 1, sort="person")
