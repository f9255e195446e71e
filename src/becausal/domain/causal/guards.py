# SPDX-License-Identifier: Apache-2.0
"""Conditions that a connective's surroundings must meet before it counts as causal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from . import lexicon as lex
from .lexicon import word_set
from .tokens import has_finite, is_finite, is_word
from .verb_groups import ATTRIBUTIVE
from .verbs import BASE, GERUND, NOUN_LIKE, PARTICIPLE, PAST, PRESENT, VERB_FORMS, kind_of

_PEOPLE: Final = word_set("i we you he she they who team engineers engineer people staff")
_NO_NAMES: Final = (  # a capital letter in front of a sentence makes no person of them
    lex.DETERMINERS | lex.PRONOUNS | lex.HAPPENINGS | lex.OUTCOMES | lex.TROUBLE
)
_COMPLEMENTS: Final = word_set(  # what "made it …" or "left the site …" may end in
    "difficult impossible hard harder easy easier slow slower worse better possible unavailable unusable "
    "unresponsive inaccessible unreachable useless necessary important clear vulnerable sick ill angry happy "
    "sad tired nervous unable able aware uncomfortable expensive cheaper weaker stronger larger smaller safe "
    "unsafe dangerous stranded homeless dead open idle exposed unprotected overloaded out without stuck offline "
    "empty dark invalid inconsistent legal illegal more less short understaffed unstable ineffective obsolete "
    "sore late"
)
_SCHEDULES: Final = word_set(  # "due to start" is a time table
    "start begin arrive leave expire launch open close finish complete be take go meet retire return appear end "
    "speak receive get"
)
_NOT_SO: Final = word_set("far much many called long on forth be as to what - is do")
_HELD: Final = word_set("do think say or why not if even just how believe hope")
_NOT_REASONS: Final = word_set(
    "life good ever now years months weeks days hours help example instance free more less two three at"
)
_TIMES: Final = word_set(
    "year years month months week weeks day days hour hours minute minutes first second last next time moment "
    "night season while few morning afternoon evening weekend"
)
_NOT_BETWEEN: Final = word_set("for to that which who")
_STATES: Final = word_set("state condition mode danger jeopardy disarray trouble jam loop deadlock")
_HELPED: Final = word_set("us them him her me you it")
_PENALTIES: Final = word_set("a death life prison jail")
_SINCE_TIMES: Final = word_set("then last early late yesterday today noon midnight lunch dawn when")
_NOT_SOURCES: Final = word_set("beginning scratch to where here there home work school abroad start")
_UNWANTED: Final = word_set(
    "excess excessive unexpected unwanted unnecessary unintended incorrect invalid faulty corrupt corrupted wrong "
    "erroneous malformed inconsistent scenario situation situations condition conditions"
)
_MAKING: Final = word_set("make makes made making")
_COMPARED: Final = word_set(
    "such same so just much soon long far known seen described regarded well act acts acted serve serves served "
    "used work works worked same exactly"
)
_NOTICING: Final = word_set(
    "detect detected detects alert alerts alerted alerting monitoring noticed notice notices notified reported report "
    "reports received paged aware identified discovered observed saw"
)
_NO_OBJECTS: Final = lex.PREPOSITIONS | lex.COORDINATORS | lex.SUBORDINATORS | lex.RELATIVES | lex.MANNER | {"due"}
_CORE: Final = word_set(
    "core underlying root fundamental real actual key central primary basic main contributing major biggest big "
    "significant important decisive"
)
_LIMITS: Final = word_set("beyond over past limit limits capacity breaking")
_FAULTS: Final = word_set(
    "bug bugs change changes defect defects error errors flaw flaws fault regression misconfiguration issue "
    "vulnerability leak code limit bottleneck"
)
_OWNED: Final = word_set("the our its their his her how this my")


class Place(NamedTuple):
    """Where a connective was found: its head, where it ends, where its verb group starts."""

    words: Sequence[str]
    start: int
    head: int
    end: int
    floor: int
    capitals: Sequence[bool] = ()

    @property
    def before(self) -> str:
        return self.words[self.start - 1] if self.start > self.floor else ""

    @property
    def after(self) -> str:
        return self.words[self.end]

    @property
    def takes_object(self) -> bool:
        """Whether what follows begins an object: "the albums", "Grandma's albums"."""
        return self.after in lex.DETERMINERS or self.after.endswith(("'s", "’s"))

    @property
    def by_person(self) -> bool:
        """Whether the subject is somebody: a pronoun, or a single capitalised word that is no abbreviation."""
        at = self.start - 1
        named = (
            at >= self.floor and bool(self.capitals) and self.capitals[at] and not any(c.isdigit() for c in self.before)
        )
        named = named and self.before not in _NO_NAMES
        return self.before in _PEOPLE or (named and (at == 0 or not is_word(self.words[at - 1])))

    def next_words(self, count: int) -> Sequence[str]:
        return self.words[self.end : self.end + count]

    def until_comma(self, count: int) -> int:
        """The end of the next ``count`` words, or the first comma, semicolon or colon among them."""
        stop = min(len(self.words), self.end + count)
        return next((j for j in range(self.end, stop) if self.words[j] in (",", ";", ":")), stop)


Guard = Callable[[Place], bool]


def outcome_left(words: Sequence[str], at: int, floor: int) -> bool:
    """Whether the noun just left of ``at`` names an outcome, looking past "in the kitchen" and the like."""
    for j in range(at - 1, max(floor, at - 6) - 1, -1):
        if words[j] in lex.OUTCOMES:
            following = words[j + 1]
            attached = following in lex.PREPOSITIONS or following in lex.RELATIVES or following == ","
            return j + 1 == at or (attached and not any(word.endswith("ing") for word in words[j + 1 : at]))
        if words[j] in (";", ":") or (words[j] in lex.AUXILIARIES and j < at - 1):
            return False
    return False


def _is_base(word: str) -> bool:
    return VERB_FORMS.get(word, ("", ""))[1] == BASE


def _clause_from(words: Sequence[str], at: int) -> bool:
    opens = is_word(words[at]) or words[at] in "\"'“`("
    return opens and has_finite(words, at + 1, min(len(words), at + 14))


def _so(place: Place) -> bool:
    words, at, after = place.words, place.head, place.after
    before = words[at - 1] if at else ""
    if after in _NOT_SO:
        return False
    if at == 0:
        return after == "," or _clause_from(words, place.end)
    if before in (",", ";", "and", "—", "–", "-", "--"):
        verbs = any(word in VERB_FORMS or word in lex.AUXILIARIES for word in words[place.end + 1 : place.end + 30])
        return verbs or (before == "and" and after == ",")
    subject = after in lex.SUBJECT_PRONOUNS or after in lex.DETERMINERS
    held = before in lex.AUXILIARIES or before in _HELD
    return subject and not held and _clause_from(words, place.end) and has_finite(words, 0, at)


def _object_complement(place: Place) -> bool:
    """ "made it impossible", "left the site unreachable": an object and what became of it."""
    words, end = place.words, place.end
    if place.by_person:
        return False
    if words[end] in ("it", "them", "him", "her", "us", "me", "you"):
        following = words[end + 1] if end + 1 < len(words) else ","
        if following == "with" and words[place.head] in ("left", "leave", "leaves"):
            return True
        return is_word(following) and following not in lex.PREPOSITIONS and following not in lex.COORDINATORS
    if words[end] in ("sure", "up", "use", "do", "of", "from", "by", "to"):
        return words[end] == "sure"
    if words[end] in _OWNED and any(_is_base(word) and word not in NOUN_LIKE for word in words[end + 2 : end + 4]):
        return True
    for at in range(end + 1, min(len(words), end + 9)):
        word = words[at]
        if words[place.head] in _MAKING and _does(words, at):
            return True
        attributive = (
            at + 1 < len(words) and _may_be_noun(words[at + 1]) and word not in ("without", "out", "less", "more")
        )
        if _is_complement(word) and not attributive:
            return True
        if not is_word(word) or word in lex.AUXILIARIES or word in lex.SUBORDINATORS:
            return False
    return False


def _object_down(place: Place) -> bool:
    """ "brought the site down", "took the shop offline", "put it out of action": an object that works no more.

    So is one that was "put into a bad state".
    """
    words, head = place.words, place.words[place.head]
    if place.by_person or words[place.end] in lex.PREPOSITIONS:
        return False
    for at in range(place.end + 1, min(len(words), place.end + 9)):
        following = words[at + 1] if at + 1 < len(words) else "."
        if words[at] == "out" and following == "of":
            return at + 2 < len(words) and words[at + 2] in ("action", "service", "operation", "order", "commission")
        if words[at] in ("in", "into") and head.startswith("put"):
            return not _STATES.isdisjoint(words[at + 1 : at + 8])
        if words[at] == "offline" or (words[at] == "down" and not head.startswith("put")):
            return not is_word(following) or following in lex.PREPOSITIONS or following in lex.COORDINATORS
        if words[at] == "out" and head.startswith("knock"):
            return not is_word(following) or following in lex.PREPOSITIONS or following in lex.COORDINATORS
        if not is_word(words[at]) or words[at] in lex.AUXILIARIES or words[at] in lex.SUBORDINATORS:
            return False
    return False


def _does(words: Sequence[str], at: int) -> bool:
    """Whether a plural at ``at - 1`` does what the word at ``at`` says: "made the students move to …"."""
    plural = words[at - 1].endswith("s") and not words[at - 1].endswith("ss")
    following = words[at + 1] if at + 1 < len(words) else ""
    onward = following in lex.PREPOSITIONS or following in lex.DETERMINERS or not is_word(following or ".")
    return plural and _is_base(words[at]) and (words[at] not in NOUN_LIKE or onward)


def _is_complement(word: str) -> bool:
    return word in _COMPLEMENTS or word.endswith(("able", "ible", "less", "ful", "ous", "ive"))


def _may_be_noun(word: str) -> bool:
    """Whether a word may be the noun that an adjective before it belongs to."""
    function = word in lex.PREPOSITIONS or word in lex.COORDINATORS or word in lex.SUBORDINATORS or word in lex.MANNER
    return is_word(word) and not function and word not in lex.DETERMINERS and not word.endswith("ly")


def _object_infinitive(place: Place) -> bool:
    words, end = place.words, place.end
    if words[end] in ("to", "for", "by", "that"):
        return False
    inside = False
    for word in words[end + 1 : min(len(words) - 1, end + 16)]:
        inside = (inside or word == "(") and word != ")"
        if word in ("to", "from") and not inside:
            return True
        if not inside and (word in (".", ";", ":", ",") or word in lex.AUXILIARIES):
            return False
    return False


def _since(place: Place) -> bool:
    """A reason, not a time: a finite clause follows, without a date, a year or a perfect tense around it."""
    words, at, after = place.words, place.head, place.after
    if after[0].isdigit() or after in lex.MONTHS or after in _SINCE_TIMES:
        return False
    if after in lex.DETERMINERS and any(word in _TIMES for word in words[place.end + 1 : place.end + 2]):
        return False
    if at and words[at - 1] in ("ever", "long"):
        return False
    stop = place.until_comma(14)
    if not has_finite(words, place.end + 1, stop):
        return False
    for j in range(max(0, at - 12), at):
        perfect = words[j] in ("has", "have", "'ve", "hasn't", "haven't")
        if perfect and not any(word in lex.MODALS for word in words[max(0, j - 2) : j]):
            return False
        best = words[j] in ("first", "last") or (words[j].endswith("est") and len(words[j]) > 5)
        if best or (words[j] == "only" and j and words[j - 1] in lex.DETERMINERS):
            return False
    later = words[stop : stop + 14] if at <= 1 else ()
    return not any(word in ("has", "have", "'ve") for word in later)


def _as(place: Place) -> bool:
    """ "As the lease has ended, …", "… as the pump had failed": a perfect, or in front a state.

    Comparisons ("as soon as", "as the report has shown") are none.
    """
    words, at, after = place.words, place.head, place.after
    before = words[at - 1] if at else ""
    front = at == 0 or before in ("and", "but", ":")
    obliged = "had" in words[place.end : place.end + 3]  # "as it had to carry all traffic"
    if after in lex.PREPOSITIONS or not is_word(after):
        return False
    if after in lex.SUBJECT_PRONOUNS - lex.DETERMINERS and not obliged:
        return False
    if "as" in (*words[max(0, at - 6) : at], *words[at + 1 : at + 4]) or before in _COMPARED:
        return False
    stop = place.until_comma(14)
    for j in range(place.end + 1, stop - 1):
        following = words[j + 1]
        if words[j] in ("has", "have", "had"):
            if (lex.is_adverb(following) or following == "n't") and j + 2 < stop:
                following = words[j + 2]
            if words[j] == "had" and following == "to":
                return has_finite(words, 0, at)
            told = following in lex.REPORTING or following == "pointed"
            return (front or has_finite(words, 0, at)) and _is_participle(following) and not told
        if words[j] in lex.FINITE_AUXILIARIES:
            return front and words[j] in lex.BE and not following.endswith("ing") and not _is_participle(following)
    return False


def _is_participle(word: str) -> bool:
    return kind_of(word) in (PAST, PARTICIPLE)


def _trouble(place: Place) -> bool:
    """ "after" and "when" count if the clause they open says that something went wrong."""
    words, at, end = place.words, place.head, place.end
    if at and words[at - 1] in ("even", "only", "except"):
        return False
    if at > 2 and words[at - 1] != "," and not has_finite(words, max(0, at - 20), at):
        return False
    stop = place.until_comma(22)
    told = words[at] == "when" and _suffered(words[place.floor : at])
    return (told or any(word in lex.TROUBLE for word in words[end:stop])) and has_finite(words, end + 1, stop)


def _suffered(words: Sequence[str]) -> bool:
    """Whether a clause says no more than that an incident was suffered: what it happened upon is what led to it."""
    at = next((at for at, word in enumerate(words) if word in lex.UNDERGOING), len(words))
    return not lex.INCIDENT_NOUNS.isdisjoint(words[at + 1 : at + 6])


def _happening(place: Place) -> bool:
    if not outcome_left(place.words, place.head, place.floor):
        return False
    after = place.after
    if after.endswith("ing") and after not in ("nothing", "something", "morning", "evening", "spring"):
        return True
    for word in place.next_words(6):
        if word in lex.HAPPENINGS:
            return True
        if word in lex.AUXILIARIES or not is_word(word):
            return False
    return False


def _outcome_from(place: Place) -> bool:
    """ "headaches from mold", but not "an increase from 3 to 5" or "kept traffic from the site"."""
    words, after = place.words, place.after
    if after[0].isdigit() or after in lex.MONTHS or after in _NOT_SOURCES:
        return False
    following = place.next_words(6)
    if any(word == "to" and number[0].isdigit() for word, number in pairwise(following)):
        return False
    if any(word in lex.WITHHOLDING for word in words[max(0, place.head - 7) : place.head]):
        return False
    return outcome_left(words, place.head, place.floor)


def _given(place: Place) -> bool:
    before = place.words[place.head - 1] if place.head else ","
    return before in (",", "and", "but", "—", "-") and place.after in _OWNED


def _verdict(place: Place) -> bool:
    """ "fired for sleeping on the job": a verb of judgement before, and a reason, not a duration, after."""
    words, at, after = place.words, place.head, place.after
    if after[0].isdigit() or after in _NOT_REASONS:
        return False
    if after in lex.DETERMINERS and any(word in _TIMES for word in words[place.end + 1 : place.end + 2]):
        return False
    for j in range(at - 1, max(place.floor, at - 12) - 1, -1):
        word = words[j]
        if word in lex.VERDICTS:
            polite = word in ("thank", "thanks", "sorry") and (j == 0 or words[j - 1] in (",", "and", "."))
            return not polite
        penalty = word == "to" and (words[j + 1][0].isdigit() or words[j + 1] in _PENALTIES)
        if word in (";", ":", "—", "–", "?", "!", "|") or (word in _NOT_BETWEEN and not penalty):
            return False
    return False


def _began(place: Place) -> bool:
    eventful = any(word in lex.HAPPENINGS or word in lex.TROUBLE for word in place.next_words(9))
    joined = place.words[place.end - 1] in ("when", "because", "as")
    if any(word in _NOTICING for word in place.words[place.end : place.until_comma(12)]):
        return False
    return (joined or eventful) and outcome_left(place.words, place.start, place.floor)


def _thing(place: Place) -> bool:
    """A thing harms something: "the flood of requests saturated the links"; what people do is no accident."""
    words, head = place.words, place.head
    if place.by_person or place.before in ATTRIBUTIVE or place.before in lex.PREPOSITIONS or not place.before:
        return False
    if kind_of(words[head]) not in (PAST, PARTICIPLE, GERUND) or _specifies(words[place.start : head]):
        return False
    if place.floor and not {",", ";", "and"} & set(words[place.floor : place.start]):
        return False  # "after a bad deploy exhausted the pool": the clause as a whole is a cause
    after = place.after
    if VERB_FORMS.get(place.before, ("", ""))[1] == GERUND:  # "some experiencing degraded access"
        return False
    if kind_of(words[head]) == GERUND:
        return place.before == "," and is_word(after) and after not in _NO_OBJECTS
    adverb = place.start < head and lex.is_adverb(words[head - 1])
    noun = is_word(after) and after not in _NO_OBJECTS and after not in lex.FINITE_AUXILIARIES
    return place.takes_object or (adverb and noun)


def _specifies(words: Sequence[str]) -> bool:
    """Whether adverbs say that no consequence follows but the same in more detail: ", specifically blocking"."""
    return any(word in lex.SPECIFYING for word in words)


def _introduced(place: Place) -> bool:
    """ "A bug introduced during the upgrade": a change that brought a fault with it."""
    left = place.words[max(place.floor, place.head - 5) : place.head]
    return any(word in _FAULTS for word in left) and any(word in lex.HAPPENINGS for word in place.next_words(6))


def _outcome_next(place: Place) -> bool:
    following = place.next_words(6)
    happened = place.before in ("this", "which")  # what stands for an event brings about whatever it creates
    eventful = happened or any(word in lex.OUTCOMES or word in _UNWANTED for word in following)
    return place.before not in _PEOPLE and eventful


def _eventful_next(place: Place) -> bool:
    following = place.next_words(7)
    return any(word in lex.OUTCOMES or word in lex.TROUBLE or word.startswith(("caus", "slow")) for word in following)


def _degree(place: Place) -> bool:
    before = place.words[place.head - 1] if place.head else ""
    many = place.after in ("many", "much", "few", "little") and before in lex.PREPOSITIONS
    return many or before in lex.AUXILIARIES or VERB_FORMS.get(before, ("", ""))[1] in (PAST, PRESENT)


def _helps_somebody(place: Place) -> bool:
    """ "Helped us weather the storm"."""
    following = place.next_words(3)
    return len(following) > 2 and following[0] in _HELPED and following[1].isalpha() and following[2] in lex.DETERMINERS


def _after_pause(place: Place) -> bool:
    return place.head == 0 or place.words[place.head - 1] in (",", ";", "and")


GUARDS: Final[dict[str, Guard]] = {
    "": lambda place: True,
    "be": lambda place: any(word in lex.BE for word in place.words[place.start : place.head]),
    "thing": _thing,
    "push": lambda place: any(word in _LIMITS for word in place.next_words(14)) and place.before not in _PEOPLE,
    "introduced": _introduced,
    "core": lambda place: any(word in _CORE for word in place.words[max(place.floor, place.head - 2) : place.head]),
    "keep": lambda place: is_finite(place.words, place.head) or place.words[place.head - 1] in lex.HAVE,
    "keep hurting": lambda place: place.before not in ATTRIBUTIVE and place.before not in lex.PREPOSITIONS,
    "outcome left": lambda place: outcome_left(place.words, place.start, place.floor),
    "outcome": _outcome_next,
    "eventful": _eventful_next,
    "condition": lambda place: (
        place.after in ("to", "for")
        and place.before not in ATTRIBUTIVE
        and lex.RELATIVES.isdisjoint(place.words[max(place.floor, place.head - 3) : place.head])
    ),
    "outcome from": _outcome_from,
    "began": _began,
    "trouble": _trouble,
    "happening": _happening,
    "since": _since,
    "as": _as,
    "given": _given,
    "verdict": _verdict,
    "object infinitive": _object_infinitive,
    "object complement": _object_complement,
    "object down": _object_down,
    "leaving": lambda place: (
        (place.before == "," and place.words[place.head] == "leaving") or _object_complement(place)
    ),
    "object": lambda place: place.before not in _PEOPLE and place.takes_object,
    "no noun": lambda place: place.before not in ATTRIBUTIVE and place.before not in lex.PREPOSITIONS,
    "no person": lambda place: place.before not in _PEOPLE,
    "which mean": lambda place: place.before in ("which", "this", "that", ","),
    "help": lambda place: (
        place.before not in ATTRIBUTIVE
        and (_helps_somebody(place) or any(_is_base(word) or word == "to" for word in place.next_words(4)))
    ),
    "because": lambda place: is_word(place.after) or place.after in "\"'“`(",
    "due": lambda place: place.after not in _SCHEDULES,
    "degree": _degree,
    "so": _so,
    "hence": _after_pause,
    "thus": lambda place: _after_pause(place) and place.after != "far",
    "gerund": lambda place: place.after.endswith("ing"),
}
