# SPDX-License-Identifier: Apache-2.0
"""The clauses of a sentence: where each begins, what its subject is, and what its verbs state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...domain.causal.verbs import NOUN_LIKE, PAST, PRESENT, VERB_FORMS
from . import lexicon as lex
from .asides import apposition, introductions, life
from .attributes import attribute
from .changes import facts_of_change
from .copula import facts_of_be
from .drafting import owner_of, relation
from .having import facts_of_have
from .line import Line
from .matching import Draft, match, objects_at
from .patterns import CHANGES, LEMMAS, PASSIVE
from .phrases import Phrase, build, determiner, extent, first, phrase, possessive
from .verbs import VERB_STARTS, Verb, verb_groups

_MAX_SUBJECTS = 5
_MAX_ADJUNCT = 12
_MAX_BEFORE = 7
_MAX_ASIDE = 24
_ADJUNCTS = frozenset(
    ("in", "on", "at", "since", "from", "until", "after", "before", "as", "for", "during", "by", "till")
)
_THAT = frozenset(("that", ":", ","))
_UNCLEAR = frozenset(("of", "and", "or", "with", ",", "by"))  # what is before these may be meant as well
_OF = frozenset(("of", "for", "in", "on", "at", "behind"))
_PRONOUN_OF = {"his": "he", "her": "she", "their": "they"}
_GENDERS = {"he": "m", "his": "m", "him": "m", "she": "f", "her": "f", "actress": "f", "woman": "f", "mother": "f"}

_REMINDING = frozenset(each[0] for each in lex.REMINDERS)
_AFTER_VERB = frozenset(("and", "but", ",", "-", "–", "then", "or"))
_BE = frozenset(("was", "is"))
_FINITE = lex.MODALS | frozenset("is are was were am has have had do does did 's".split())


@dataclass(slots=True)
class Topic:
    """What the sentences before were about, for "he", "she" and "it"."""

    subject: Phrase | None = None
    head: str = ""
    gender: str = ""
    sure: bool = False


class Clauses:
    """Reads the clauses of one sentence."""

    def __init__(self, line: Line, topic: Topic) -> None:
        self.line = line
        self.topic = topic
        self.found: list[Draft] = []
        self.subject: Phrase | None = None  # of the first clause
        self.reported = False
        self.seen = 0
        self.verb = False  # a finite verb stands before the word ``seen``

    def read(self) -> list[Draft]:
        """Return what the sentence states, in order."""
        line = self.line
        place = 0
        while place < len(line):
            after = self._clause(place)
            place = self._next(max(after, place + 1) if after else place + 1)
        for place in range(2, 0 if self.reported else len(line) - 2):
            if line.low[place] == "," and line.low[place + 1] in ("which", "who"):
                self._relative(place)
        return self.found

    def _relative(self, comma: int) -> None:
        """Read "…, which depends on Redis": what is told of the phrase in front of the comma."""
        line = self.line
        if any(draft.at == comma + 2 for draft in self.found):
            return
        who = line.low[comma + 1] == "who"
        for start in range(max(0, comma - _MAX_BEFORE), comma):
            body, det = determiner(line, start)
            if body < 0 or body >= comma or (det and det not in ("the", "our", "my")):
                continue
            if not det and line.name_end(start)[0] != comma:
                continue
            if extent(line, body) != comma:
                continue
            if start and line.low[start - 1] in _UNCLEAR:
                return
            found = build(line, start, body, comma, det)
            if found and (found.sort == "component" or (found.named and who == (found.sort == "person"))):
                self._predicates([found], comma + 2)
            return

    def _next(self, at: int) -> int:
        """Return where the next clause may begin."""
        line = self.line
        while at < len(line):
            low = line.low[at]
            if low in lex.REPORTS:  # what follows is only said, thought or wanted
                self.reported = True
                return len(line)
            if low in lex.CLAUSE_STARTS and (low not in _AFTER_VERB or self._told(at)):
                return at + 1
            at += 1
        return at

    def _told(self, at: int) -> bool:
        """Say whether a finite verb stands before a word, so that another clause may begin there."""
        while self.seen < at and not self.verb:
            low = self.line.low[self.seen]
            form = VERB_FORMS.get(low)
            self.verb = low in _FINITE or (form is not None and form[1] in (PRESENT, PAST) and low not in NOUN_LIKE)
            self.verb = self.verb or (low in LEMMAS and low not in NOUN_LIKE) or low in lex.FIRST
            self.seen += 1
        return self.verb

    def _clause(self, at: int) -> int:
        """Read the clause that begins at a word; return the word behind it, or 0 if it states nothing."""
        place = self._opening(at)
        if after := self._participle(place) or self._child(place):
            return after
        for subjects, start in self._subjects(place):
            if after := self._predicates(subjects, start):
                if self.subject is None:
                    self.subject = subjects[0]
                return after
        return 0

    def _opening(self, at: int) -> int:
        """Go past what stands before a subject: "And", "FYI,", "Remember that", "In 2019,"."""
        line = self.line
        for _ in range(4):
            low = line.low[at]
            if low in (",", "-", "*", "_", '"', "“", ":", "—", "–", "…", "...", "!"):
                at += 1
            elif low in _REMINDING and (reminder := self._reminder(at)):
                at += reminder
                if line.low[at] in _THAT:
                    at += 1
            elif low in lex.OPENERS and line.name_end(at)[0] == at and at not in line.time_at:
                at += 1
            elif at in line.time_at or (low in _ADJUNCTS and (at + 1 in line.time_at or line.low[at + 1] == "of")):
                at = self._past_adjunct(at)
            else:
                break
        return at

    def _reminder(self, at: int) -> int:
        """Return how many words "Please note that" and the like take, 0 if there is none."""
        low = self.line.low
        return next((len(each) for each in lex.REMINDERS if tuple(low[at : at + len(each)]) == each), 0)

    def _past_adjunct(self, at: int) -> int:
        line = self.line
        end = line.after_time(at)
        if end == at:
            end = line.after_time(at + 1 + (line.low[at + 1] == "of"))
        if line.low[end] == ",":
            return end + 1
        return end if end > at + 1 or at in line.time_at else at + 1

    # --- subjects -----------------------------------------------------------------------------------

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

    def _participle(self, at: int) -> int:
        """Read "Born in Worms, Ana …"."""
        line = self.line
        form = LEMMAS.get(line.low[at])
        if form is None or form[0] not in PASSIVE or form[1] not in ("past", "participle"):
            return 0
        comma = next((place for place in range(at, min(len(line), at + _MAX_ADJUNCT)) if line.low[place] == ","), 0)
        if not comma:
            return 0
        for start in (comma + 1, comma + 3):
            for subjects, after in self._subjects(start):
                if len(subjects) > 1 or not next(verb_groups(line, after, "either"), None):
                    continue
                who = subjects[0]
                if who.owner and line.low[start] in lex.OTHER_OWNER:  # "Born in Worms, her mother …"
                    who = self.topic.subject or who
                self._keep(match(line, [who], Verb(form[0], "passive", "past", at + 1), at))
                self.subject = self.subject or who
                return self._predicates(subjects, after) or after
        return 0

    def _child(self, at: int) -> int:
        """Read "The son of Tom and Eva, he …"."""
        line = self.line
        body, det = determiner(line, at)
        if body < 0 or det not in ("", "the"):
            return 0
        kin = next((place for place in range(body, body + 4) if line.low[place] in lex.BLOOD), -1)
        if kin < 0 or line.low[kin + 1] != "of":
            return 0
        parents = objects_at(line, kin + 2, "P", commas=False)
        if not parents or line.low[parents[-1].end] != ",":
            return 0
        start = parents[-1].end + 1
        for subjects, after in self._subjects(start):
            if len(subjects) > 1 or not next(verb_groups(line, after, "either"), None):
                continue
            verb = Verb("be", "be", "present", at)
            head = line.low[kin]
            self._keep([relation(subjects[0], head, parent, verb, at, start) for parent in parents])
            self.subject = self.subject or subjects[0]
            return self._predicates(subjects, after) or after
        return 0

    # --- he, she and it -----------------------------------------------------------------------------

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

    # --- predicates ---------------------------------------------------------------------------------

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
        for _ in range(_MAX_ADJUNCT):
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
        if verb.voice == "passive":
            found = match(line, subjects, verb, at)
            if not found and verb.lemma in ("move", "migrate", "switch", "relocate", "transfer"):
                active = verb._replace(voice="active", tense="past")
                systems = all(subject.sort in ("component", "name") for subject in subjects)
                found = facts_of_change(line, subjects, active, at) if systems else []
            return found
        found = match(line, subjects, verb, at)
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
