# SPDX-License-Identifier: Apache-2.0
"""The clauses of a sentence: where each begins, and how it is read."""

from __future__ import annotations

from ...domain.causal.verbs import NOUN_LIKE, PAST, PRESENT, VERB_FORMS
from . import lexicon as lex
from .drafting import relation
from .line import Line
from .matching import Draft, match, objects_at
from .patterns import LEMMAS, PASSIVE
from .phrases import build, determiner, extent
from .predicates import MAX_ADJUNCT, Topic
from .subjects import Subjects
from .verbs import Verb, verb_groups

_MAX_BEFORE = 7
_ADJUNCTS = frozenset(
    ("in", "on", "at", "since", "from", "until", "after", "before", "as", "for", "during", "by", "till")
)
_THAT = frozenset(("that", ":", ","))
_UNCLEAR = frozenset(("of", "and", "or", "with", ",", "by"))  # what is before these may be meant as well
_REMINDING = frozenset(each[0] for each in lex.REMINDERS)
_AFTER_VERB = frozenset(("and", "but", ",", "-", "–", "then", "or"))
_FINITE = lex.MODALS | frozenset("is are was were am has have had do does did 's".split())


class Clauses(Subjects):
    """Reads the clauses of one sentence."""

    def __init__(self, line: Line, topic: Topic) -> None:
        super().__init__(line, topic)
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

    def _participle(self, at: int) -> int:
        """Read "Born in Worms, Ana …"."""
        line = self.line
        form = LEMMAS.get(line.low[at])
        if form is None or form[0] not in PASSIVE or form[1] not in ("past", "participle"):
            return 0
        comma = next((place for place in range(at, min(len(line), at + MAX_ADJUNCT)) if line.low[place] == ","), 0)
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
