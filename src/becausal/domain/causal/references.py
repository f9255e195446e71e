# SPDX-License-Identifier: Apache-2.0
"""What "this", "the outage" and "the leak" stand for: the sentence before, the incident, a side named before."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

from . import lexicon as lex
from .clauses import is_finite_verb_next, left_clause, strip_front
from .frames import finding_start
from .identity import content_of, may_refer_to, taken_up
from .lexicon import word_set
from .pointers import DEMONSTRATIVES, names_event, pointing_words
from .sides import Clause, content_words, is_remedial, make_clause, trim
from .stretches import right_stretch
from .tokens import Sentence, has_finite, is_finite, read_sentence
from .verbs import BASE, GERUND, PARTICIPLE, PAST, VERB_FORMS, kind_of, verb_of

_CAUSE_NOUNS: Final = word_set("cause causes trigger reason culprit")
_POINTERS: Final = word_set("this that it these those which all")
_TROUBLES: Final = (
    lex.TROUBLE
    | lex.INCIDENT_NOUNS
    | word_set(
        "down slow delayed delay delays affected impacted impact freeze freezes stall stalls stalled instability loss "
        "losses contention starvation exhaustion deadlock congestion backlog unreachable inaccessible ignored impaired "
        "blocked blocking inconsistent unstable unhealthy off crashes unauthorized exposure prone sinking interruption "
        "interruptions unavailability unintended unusable stale empty failing inability "
        "deleting excessive trouble troubles"
    )
)
_TROUBLING: Final = re.compile(
    r"[45](?:xx|\d\d)$|un(?:avail|respons|reach|stab|able)|in(?:access|stab|abil)|disrupt|degrad|corrupt|crash|overload"
    r"|(?:soft)?lock-?ups?$|time-?outs?$|failures?$|lost$"
)  # "404" and "5xx" are of HTTP
_SERVICE_LOST: Final = re.compile(
    r"(?:incident|outage|disruption|blackout|interruption|breach|leak|downtime|degrad|unavail|unreach|inaccess|collapse|crash)"
)
_ALL_OF_IT: Final = (["all", "of", "this"], ["all", "this"], ["all", "of", "these"], ["both", "of", "these"])
_WHOLE_INCIDENTS: Final = ("incident", "outage", "downtime")
_OWNED: Final = DEMONSTRATIVES | word_set("the our its their")
_POINTING: Final = re.compile(r"^the\b|\b(?:this|that|these|those|such)\b", re.IGNORECASE)
OCCASIONS: Final = word_set("time way day week month year morning afternoon evening night point case period")
_CLAUSAL: Final = lex.AUXILIARIES | (lex.SUBJECT_PRONOUNS - lex.DETERMINERS)
_DEFINITE: Final = word_set("the this that these those")
_SEQUENCE: Final = word_set("initial first original second sudden subsequent resulting same very whole entire")
_PEOPLE: Final = word_set("team teams engineers engineer staff company people operators users customers")
_NOT_ACTING: Final = (
    lex.AUXILIARIES
    | lex.REPORTING
    | word_set(
        "noticed detected alerted addressed included involved used began started continued ended lasted remained seemed"
    )
)
_ROOT: Final = 7  # letters that a noun and the adjective made from it have in common
RECENT: Final = 8  # sides that "the leak" may point back at


class Reference(Enum):
    """What kind of pointer a side is."""

    PREVIOUS = auto()  # "this", "that failure": what was said just before
    INCIDENT = auto()  # "the outage": the one incident of the document
    ROOT = auto()  # "the root cause", whose effect is the incident
    ECHO = auto()  # "the leak": a side that named a leak


def reference(words: Sequence[str]) -> Reference | None:
    """Whether the words of a side only point elsewhere."""
    said = [word for word in words if word not in ("'s", "also", "alone", "itself", "then", "together", '"', "“", "”")]
    if not said or len(said) > 7 or said[-1] in OCCASIONS:
        return None
    if said[-1] in _CAUSE_NOUNS and (said[0] in lex.DETERMINERS or "'s" in said[0] or said[0] in ("root", "both")):
        return Reference.ROOT
    if said in _ALL_OF_IT or (len(said) == 1 and said[0] in _POINTERS):
        return Reference.PREVIOUS
    pointing = said[0] in DEMONSTRATIVES and names_event(said[-1])
    if not 2 <= len(said) <= (7 if pointing else 4):
        return None
    middle = said[1:-1]
    plain = all(word in lex.INCIDENT_MODIFIERS for word in middle)
    whole = lex.INCIDENT_NOUNS if said[0] in ("the", "our") else _WHOLE_INCIDENTS
    if plain and said[-1] in whole and said[0] in _OWNED:
        return Reference.INCIDENT
    if pointing:
        return Reference.PREVIOUS
    return Reference.ECHO if said[0] in _DEFINITE else None


def head_noun(text: str) -> str:
    """The last word of a noun phrase before its first preposition, relative or participle; "" for a clause."""
    head = noun = ""
    for word in text.lower().partition("(")[0].split():
        if word in _CLAUSAL:
            return ""
        if word in lex.PREPOSITIONS or word in lex.RELATIVES:
            return noun if noun and VERB_FORMS.get(head, ("", ""))[1] in (PAST, PARTICIPLE) else head
        head, noun = word, head
    return head


def echoes(words: Sequence[str], text: str) -> bool:
    """Whether "the leak" or "the disk failure" (as words) repeats what ``text`` says."""
    noun, told = words[-1], text.lower().split()
    said = [word for word in words[1:-1] if word not in _SEQUENCE]
    if not all(part in told for word in said for part in (word.split("-") if word not in told else (word,))):
        return False
    if head_noun(text) == noun:
        return len(told) > len(words)
    verb = verb_of(noun)
    if len(noun) > _ROOT and any(word.endswith("al") and word[:_ROOT] == noun[:_ROOT] for word in told):
        return True  # "this asymmetry" of what was asymmetrical
    return any(word != noun and VERB_FORMS.get(word, ("", GERUND))[0] == verb for word in told) and noun != "cause"


def main_clause(text: str, sentence: Sentence) -> Clause | None:
    """The main clause of a sentence, without fronted dates and later clauses; ``None`` if it has no content."""
    words = sentence.words
    end = len(words)
    while end and words[end - 1] in (".", "!", "?"):
        end -= 1
    begin = max((at + 1 for at, word in enumerate(words[: min(end, 8)]) if word in (":", "|")), default=0)
    start, _ = strip_front(sentence, trim(sentence, (begin, end))[0], end)
    start = _past_reporter(words, start, end)
    stop = right_stretch(sentence, start, end, phrase=False, clause=True)
    if words[stop : stop + 1] == ["but"] and is_finite_verb_next(words, stop + 1):  # "set it but failed to send it"
        stop = right_stretch(sentence, stop + 1, end, phrase=False)
    stretch = trim(sentence, (start, stop))
    if stretch[0] >= stretch[1] or content_words(sentence, stretch) == 0:
        return None
    return make_clause(text, sentence, stretch)


def _past_reporter(words: Sequence[str], start: int, end: int) -> int:
    """What is reported begins after "You will have heard that", unless it begins with "he" or the like."""
    if start < (begins := finding_start(words)) < end:
        return begins
    for at in range(start + 1, min(start + 7, end - 2)):
        if words[at] == "that" and words[at - 1] in lex.REPORTING:
            return start if words[at + 1] in ("he", "she", "it", "they") else at + 1
    return start


def is_trouble(text: str) -> bool:
    """Whether a clause tells that something went wrong and is not about putting it right."""
    words = [word.strip('.,;:()"“”`') for word in text.lower().split()]
    return not is_remedial(text) and any(word in _TROUBLES or _TROUBLING.match(word) for word in words)


def _is_about_it(text: str) -> bool:
    """Whether a clause only says more about what went wrong: "The issue persisted for a day"."""
    words = text.lower().split()[:4]
    nouns = [at for at, word in enumerate(words) if word in lex.INCIDENT_NOUNS]
    return bool(nouns) and words[0] in _DEFINITE and len(words) > nouns[0] + 1


@dataclass(slots=True)
class Discourse:
    """What has been said so far, as far as a later sentence can point at it."""

    text: str
    previous: Clause | None = None
    told: Clause | None = None
    said: Clause | None = None
    mentioned: Clause | None = None
    title: Clause | None = None
    incident: Clause | None = None
    first_trouble: Clause | None = None
    root: Clause | None = None  # the cause that the sentence before has added to something told
    blamed: Clause | None = None  # what led to that which the sentence before ends in
    denied: Clause | None = None  # what a sentence is about that only says what did not bring it about
    pending: Clause | None = None  # what a list of causes still to come is about
    restated: list[tuple[Clause, Clause]] = field(default_factory=list)  # the incident, and how it is described
    recent: deque[Clause] = field(default_factory=lambda: deque(maxlen=RECENT))
    clauses: deque[Clause] = field(default_factory=lambda: deque(maxlen=2))
    sentences: deque[Sentence] = field(default_factory=lambda: deque(maxlen=2))

    def resolve(self, kind: Reference, mention: Clause | None, *, effect: bool = False) -> Clause | None:
        """The clause a reference stands for, on the cause side or the ``effect`` side of a link.

        "This" is the sentence before; what is explained further ("This was due to …") is what it
        mentioned last. "The outage" is one clause for the whole document: the sentence
        before if that tells of trouble in the same paragraph, else the first that did (always the first
        for "the root cause"); if nobody described the incident, its first mention stands for it.
        """
        if kind is Reference.PREVIOUS:
            return (self.mentioned if effect else None) or self.previous
        if self.incident is None:
            near = None
            if kind is Reference.INCIDENT:
                near = next((c for c in (self.told, self.previous) if self._is_near_trouble(c, mention)), None)
            self.incident = near or self.first_trouble or self.previous or self.title or mention
        return self.incident

    def whole_incident(self, before: int) -> Clause | None:
        """The incident, if it was described before a place in the text."""
        told = self.known_incident()
        return told if told is not None and told.end <= before else None

    def known_incident(self) -> Clause | None:
        """What a text is about: what it calls the incident, or the first trouble if that was one."""
        told = self.first_trouble
        if self.incident is not None or told is None:
            return self.incident
        words = told.text.lower().split()
        return told if any(word in lex.UNDERGOING or _SERVICE_LOST.match(word) for word in words) else None

    def echo(self, words: Sequence[str]) -> Clause | None:
        """The latest side that "the …" repeats: the same head noun, or a clause with the verb it comes from.

        "This …" may also repeat the subject of the latest clauses that are no sides.
        """
        told = next((side for side in reversed(self.recent) if echoes(words, side.text)), None)
        if told is None and words[0] in DEMONSTRATIVES:
            told = next((side for side in reversed(self.clauses) if echoes((words[0], words[-1]), side.text)), None)
        return told or (self.clause_of(words[-1]) if len(words) == 2 else None)

    def told_again(self, words: Sequence[str]) -> Clause | None:
        """What "this sudden closing of the valve" tells again, by two words of content or more that it has of it."""
        said = set(content_of(" ".join(words)))
        sides = [*self.recent, *self.clauses] if len(said) > 1 else []
        shared = [len(said.intersection(content_of(side.text))) for side in sides]
        most = max(shared, default=0)
        return sides[len(shared) - 1 - shared[::-1].index(most)] if most > 1 else None

    def clause_of(self, noun: str) -> Clause | None:
        """The clause of the last sentences whose verb a noun is made from: "they restarted it" for "the restart"."""
        verb = verb_of(noun)
        if verb == noun and (VERB_FORMS.get(noun, ("", ""))[1] != BASE or noun == "cause"):
            return None
        for sentence in reversed(self.sentences):
            words = sentence.words
            for at in range(1, len(words)):
                form, kind = VERB_FORMS.get(words[at], ("", ""))
                if form != verb or kind not in (PAST, PARTICIPLE) or not has_finite(words, max(0, at - 4), at + 1):
                    continue
                start = left_clause(sentence, at, 0, subject=False)[0]
                stop = right_stretch(sentence, start, len(words), phrase=False, clause=True)
                stretch = trim(sentence, (start, max(stop, at + 1)))
                if content_words(sentence, stretch) > 1:
                    return make_clause(self.text, sentence, stretch)
        return None

    def continued(self, clause: Clause) -> Clause | None:
        """What was told before of the subject of a clause: "This blockage spread" goes on about a blockage."""
        if self.previous is None or _POINTING.search(clause.text) is None:
            return None
        words = read_sentence(self.text, clause.start, clause.end).words
        if words[0] in ("this", "these") and words[1:2] in (["included"], ["include"], ["includes"]):
            return self.previous
        verb = next((at for at in range(2, min(len(words), 8)) if is_finite(words, at)), 0)
        while verb and lex.is_adverb(words[verb - 1]):
            verb -= 1
        subject = words[:verb]
        kind = reference(subject) if len(subject) > 1 else None
        if len(subject) == 2 and words[0] == "the" and self._elaborates(words[1], clause):
            return self.root
        if len(subject) < (3 if words[0] == "the" and kind is not Reference.INCIDENT else 2):
            return None
        if kind is Reference.INCIDENT:  # "The issue particularly affected …"
            return self.incident or self.first_trouble
        told = self.echo(subject) if kind in (Reference.ECHO, Reference.PREVIOUS) else None
        if told is None and len(content_of(" ".join(subject))) > 1:
            pointing = subject[0] in _DEFINITE
            told = next((side for side in reversed(self.recent) if may_refer_to(" ".join(subject), side.text)), None)
            told = told if pointing else None
        pointing = subject[0] in DEMONSTRATIVES and (kind is Reference.PREVIOUS or self.speaks_of(subject[-1]))
        if told is None and not pointing and words[verb + 1 : verb + 2] in (["this"], ["these"]):
            return self._pointed_at(words, verb + 1, None)  # "the server detected these errors"
        return told or (self.previous if pointing else None)

    def _elaborates(self, noun: str, clause: Clause) -> bool:
        """Whether "The radar was left on" says more about a cause just added, "a flaw of the radar interface"."""
        if self.root is None or "\n\n" in self.text[self.root.end : clause.start] or noun in lex.GENERIC_NOUNS:
            return False
        return noun in self.root.text.lower().split() and head_noun(self.root.text) != noun

    def gone_on(self, clause: Clause) -> Clause | None:
        """What a clause takes up with "this" or "these", in its subject or object, to tell what came of it.

        Only a thing that did something, in the past, tells that; not what people did or noticed.
        """
        words = read_sentence(self.text, clause.start, clause.end).words
        verb = next((at for at in range(2, min(len(words), 9)) if is_finite(words, at)), 0)
        acts = kind_of(words[verb]) == PAST and words[verb] not in _NOT_ACTING
        if not verb or not acts or words[0] not in lex.DETERMINERS or any(word in _PEOPLE for word in words[:verb]):
            return None
        for at in (0, *range(verb + 1, min(verb + 6, len(words) - 1))):
            if words[at] in DEMONSTRATIVES and (told := self._pointed_at(words, at, verb if at == 0 else None)):
                return told
        return None

    def _pointed_at(self, words: Sequence[str], at: int, stop: int | None) -> Clause | None:
        """What "this …" at a place of a clause stands for; its noun phrase ends at ``stop``, if that is known."""
        while stop is not None and stop > at + 2 and lex.is_adverb(words[stop - 1]):
            stop -= 1
        phrase = words[at : stop if stop is not None else at + pointing_words(words[at:])]
        if len(phrase) < 2:
            return None
        if names_event(phrase[-1]):
            return self.echo(phrase) or self.previous
        changed = any(VERB_FORMS.get(word, ("", ""))[1] in (PAST, PARTICIPLE) for word in phrase[1:-1])
        return self.previous if changed and self.speaks_of(phrase[-1]) else None

    def unexplained(self, before: int) -> Clause | None:
        """The trouble that a finding told at ``before`` explains: that of the sentence before, or the incident."""
        mention = Clause(text="", start=before, end=before)
        near = next((c for c in (self.told, self.previous) if self._is_near_trouble(c, mention)), None)
        return near or self.known_incident()

    def taken_up(self, clause: str, *, also_clauses: bool = False) -> Clause | None:
        """The latest side that the subject of ``clause`` names, as "the frozen pipe" does "the pipe froze".

        With ``also_clauses`` it may also be a clause of the last sentences that is no side.
        """
        told = [*self.recent, *(self.clauses if also_clauses else ())]
        return next((side for side in reversed(told) if taken_up(side.text, clause)), None)

    def _is_near_trouble(self, clause: Clause | None, mention: Clause | None) -> bool:
        """Whether a clause tells of trouble, in the same paragraph as the mention of it.

        "This outage" at the beginning of a paragraph is what the one before ended in.
        """
        if clause is None or not is_trouble(clause.text):
            return False
        if self.first_trouble is not None and _is_about_it(clause.text):
            return False
        if mention is None:
            return True
        between = self.text[clause.end : mention.start]
        this = mention.text[:4].lower() in ("this", "that") and between.endswith("\n\n")
        return between.count("\n\n") <= this

    def speaks_of(self, noun: str) -> bool:
        """Whether the sentence before has the noun, in the singular or the plural."""
        if self.said is None:
            return False
        return noun.rstrip("s") in {word.strip('.,;:()"“”`').rstrip("s") for word in self.said.text.lower().split()}

    def note(
        self,
        gist: Clause | None,
        told: Clause | None,
        said: Clause | None,
        sides: Sequence[Clause],
        root: Clause | None = None,
        blamed: Clause | None = None,
    ) -> None:
        """Remember a sentence: ``gist`` is what "this" means after it, ``told`` what it is about.

        ``said`` is its main clause, ``sides`` are those of its links, ``root`` is a cause that it has added
        to something told before, ``blamed`` what it says led to ``gist``.
        """
        self.root = root
        self.blamed = blamed
        self.previous = gist or told or self.previous
        self.told = told or self.told
        self.said = said or self.said
        self.mentioned = max(sides, key=lambda side: side.start, default=None) if gist else None
        self.recent.extend(sides)
        if told is not None and told not in sides:
            self.clauses.append(told)
        if self.first_trouble is None:
            self.first_trouble = next(
                (c for c in (told, gist) if c is not None and is_trouble(c.text) and not _is_about_it(c.text)), None
            )
