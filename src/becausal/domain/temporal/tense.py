# SPDX-License-Identifier: Apache-2.0
"""Whether a time that was told without its year, month or week lies ahead: what the sentence around it says.

The tense of the verb that the time goes with decides, the nearest in its clause first: "the job failed on
Monday", "it will be back on Friday". Some words tell it whatever their tense: what "was moved to Sunday" is
still to come. So do the verbs of timetables ("it starts on Monday"), requests ("call me on Friday") and
appointments. A sentence that says nothing of the kind tells what has been.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from ..causal.lexicon import DETERMINERS, PREPOSITIONS, PRONOUNS, SUBJECT_PRONOUNS, word_set
from ..causal.verbs import BASE, GERUND, NOUN_LIKE, PARTICIPLE, PAST, PRESENT, VERB_FORMS, kind_of

_BEFORE = 300
"""How many characters before a time are looked at."""
_AFTER = 200
"""How many characters after it."""

_STOP = re.compile(r"(?<!\.\w)[.!?…](?=\s)|;|\n\s{0,9}\n|\n\s{0,9}(?:[-*•#>]|\d{1,2}[.)])\s")
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|['’][^\W\d_]+|[,:()—–]")
_SHORT_FORM = re.compile(r"(.{0,40}?)('(?:ll|s|re|m|ve|d))")

_PUT_OFF = re.compile(
    r"\b(?:mov(?:e|es|ed|ing)|postpon(?:e|es|ed|ing)|reschedul(?:e|es|ed|ing)|push(?:es|ed|ing)?|delay(?:s|ed|ing)?"
    r"|shift(?:s|ed|ing)?|defer(?:s|red|ring)?|put(?:s|ting)?|adjourn(?:s|ed|ing)?|extend(?:s|ed|ing)?"
    r"|br(?:ing|ings|ought)|carr(?:y|ies|ied)|switch(?:es|ed|ing)?|chang(?:e|es|ed|ing)|slip(?:s|ped|ping)?)"
    r"(?:\s[^\s.;!?]{1,30}){0,7}?\s(?:to|until|till|from)\s(?:the\s)?$",
    re.IGNORECASE,
)
_MOVED = re.compile(
    r"\b(?:mov(?:e|es|ed|ing)|postpon(?:e|es|ed|ing)|reschedul(?:e|es|ed|ing)|push(?:es|ed|ing)?|delay(?:s|ed|ing)?"
    r"|shift(?:s|ed|ing)?|defer(?:s|red|ring)?|put\s(?:\S{1,30}\s){0,5}?(?:off|back)|adjourn(?:s|ed|ing)?|br(?:ing|ings|ought)\s(?:\S{1,30}\s){0,5}?forward"
    r"|switch(?:es|ed|ing)?|chang(?:e|es|ed|ing)|slip(?:s|ped|ping)?)"
    r"(?:\s[^\s.;!?]{1,30}){0,7}?\s(?:(?P<old>from)|to|until|till|for)\s(?:the\s)?$",
    re.IGNORECASE,
)
_NEWLY = re.compile(
    r"\b(?:now|new\s(?:date|time|day)(?:\sis)?:?|instead)\s(?:is\s)?(?:on|at|in|for|to)?\s?(?:the\s)?$", re.IGNORECASE
)
_NO_LONGER = re.compile(r"\b(?:instead\sof|rather\sthan|not|no\slonger)\s(?:on|at|in)?\s?(?:the\s)?$", re.IGNORECASE)
_APPOINTED = re.compile(
    r"\b(?:(?:re)?scheduled|plan(?:s|ned)|slated|booked|set|arranged|timetabled|targeted|reserved|pencill?ed\sin|fixed)"
    r"\sfor\s(?:the\s)?$",
    re.IGNORECASE,
)
_DUE = re.compile(
    r"(?<!was\s)(?<!were\s)(?<!been\s)\b(?:due(?:\sback)?(?:\s(?:on|by|at|in))?|expected\s(?:on|by|at|in)"
    r"|(?:no|not)\slater\sthan)\s(?:the\s)?$",
    re.IGNORECASE,
)
_TODAY_IS = re.compile(r"\b(?:today|it)(?:\sis|['’]s)\s$", re.IGNORECASE)
_MISHAP = (
    r"(?:accident|attack|blackout|breach|breakdown|bug|collapse|crash|disaster|downtime|earthquake|error|explosion|"
    r"failure|fire|flood|hurricane|incident|loss|outage|problem|shooting|storm)(?:e?s)?"
)
_AFTER_MISHAP = re.compile(rf"\b{_MISHAP}\s(?:on|of|from|in|at)\s(?:the\s)?$", re.IGNORECASE)
_AFTER_PAPER = re.compile(
    r"\b(?:backup|build|data|draft|e-?mail|entry|error|file|figures|invoice|letter|log|mail|message|minutes|news|note|"
    r"numbers|order|photo|picture|post|report|result|snapshot|ticket|version)s?\s(?:from|of|dated)\s(?:the\s)?$",
    re.IGNORECASE,
)
"""What bears the date on which it was written or made."""
_ITS_MISHAP = re.compile(rf"(?:['’]s)?\s(?:\w{{1,20}}\s){{0,2}}?{_MISHAP}\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"['’]s\b", re.IGNORECASE)
_UNTIL = re.compile(r"(?:(?:up\s{1,3})?(?:until|till|to))\s{1,3}", re.IGNORECASE)
_BY = re.compile(r"\bby\s(?:the\s)?$|\bnot\s$", re.IGNORECASE)
"""What stands before the end of a time limit: "by Friday", "not before Friday"."""

_FUTURE = word_set("will 'll shall won't shan't gonna")
_MODALS = word_set("must should may might can cannot can't ought mustn't shouldn't")
_IS = word_set("is are am isn't aren't 're 'm 's")
_WAS = word_set("was were wasn't weren't had hadn't did didn't wouldn't couldn't")
_HAS = word_set("has have hasn't haven't 've")
_BE = word_set("be been being get gets got getting")
_ADVERBS = word_set(
    "not n't also now already still just only never always often soon then again all both even ever more so too yet"
)
_TIMETABLE = word_set(
    "arrive begin close come continue depart end expire finish fly go happen land last launch leave meet migrate move "
    "open play publish release remain renew resume retire return rise run ship start stay stop switch take travel turn "
    "visit"
)
"""Verbs whose present tense, with a time, tells what is arranged."""
_STATIVE = word_set(
    "be believe belong depend feel find guess hate hear know like love mean own prefer remember see seem suppose think "
    "understand"
)
_SETTLED = word_set(
    "agreed arranged asked chose decided invited offered proposed promised reminded told agree agreement aim aims "
    "decision expect expects hope hopes intend intends intention need needs offer plan plans promise promises "
    "proposal ready request want wants"
)
"""What makes something to come of an infinitive after it."""
_APPOINTMENTS = word_set("appointment booking deadline dinner eta exam flight interview party reservation rsvp wedding")
_REQUESTS = word_set("email message notify ping remind text")
_MEETINGS = word_set("briefing hearing meeting opening outing training wedding")
"""Nouns that look like verbs in -ing."""
_CLAUSES = word_set(
    ", : ( ) — – and but or so because while when after before which that who if although though whereas unless then"
)
_SUBORDINATE = word_set(
    "after although because before if since though unless until when whenever whereas which while who"
)
_ATTRIBUTIVE = DETERMINERS - SUBJECT_PRONOUNS
_HERE = "\0"
"""Stands for the time itself among the words of its sentence."""


@dataclass(frozen=True, slots=True)
class _Sign:
    """A word at ``at`` that tells whether its clause is about what is to come, plainly or not."""

    at: int
    ahead: bool
    plain: bool


def is_today(text: str, start: int) -> bool:
    """Say whether the words before a time name the day of the telling: "today is Wednesday"."""
    return _TODAY_IS.search(text, max(0, start - 24), start) is not None


def is_put_off(text: str, start: int) -> bool:
    """Say whether a time is the old or new one of something that was moved: "postponed from Friday to Monday"."""
    before = _sentence_before(text, start)
    return _PUT_OFF.search(before) is not None or _MOVED.search(before) is not None


def moved(text: str, start: int) -> Literal["from", "to"] | None:
    """Say whether a time is the one that something was moved from, the one it was moved to, or neither.

    So it is of "is now on Friday", the new one, and of "instead of Monday", the old one.
    """
    before = _sentence_before(text, start)
    if found := _MOVED.search(before):
        return "from" if found["old"] else "to"
    if _NO_LONGER.search(before):
        return "from"
    return "to" if _NEWLY.search(before) else None


def is_moved(text: str, start: int) -> bool:
    """Say whether a time is the old or new one of something that was certainly moved to another."""
    return _MOVED.search(_sentence_before(text, start)) is not None


def is_appointed(text: str, start: int) -> bool:
    """Say whether the words before a time arrange something for it: "planned for May"."""
    before = _sentence_before(text, start)
    return any(pattern.search(before) for pattern in (_PUT_OFF, _APPOINTED, _DUE))


def looks_ahead(text: str, start: int, end: int) -> bool:
    """Say whether the time that ``text[start:end]`` tells is to come, by the sentence around it."""
    until = _UNTIL.match(text, start)
    before, after = _sentence_before(text, until.end() if until else start), _sentence_after(text, end)
    if _AFTER_MISHAP.search(before) or _AFTER_PAPER.search(before):
        return False
    named = before.lower().endswith("the ") or text[start : start + 4].lower() == "the " or _POSSESSIVE.match(after)
    if named and _ITS_MISHAP.match(after):
        return False
    if _PUT_OFF.search(before) or _DUE.search(before):
        return True
    words = [*_words(before), _HERE, *_words(after)]
    here = words.index(_HERE)
    signs = [sign for at in range(len(words)) if (sign := _sign(words, at)) is not None]
    if _APPOINTED.search(before):
        return not any(sign.plain and not sign.ahead and sign.at > here for sign in signs)
    if _POSSESSIVE.match(after):  # "what is the result of Monday's release", "the result of Monday's release is …"
        subject = here == 0 or words[here - 1] not in PREPOSITIONS
        signs = [sign for sign in signs if words[sign.at] not in _IS or (subject and sign.at > here)]
    nearest = _nearest(words, here, signs)
    return nearest.ahead if nearest else _BY.search(before) is not None


def _sentence_before(text: str, start: int) -> str:
    """Return what stands before a place in its sentence, its words one space apart."""
    before = text[max(0, start - _BEFORE) : start]
    rest = before[max((stop.end() for stop in _STOP.finditer(before)), default=0) :]
    return " ".join(rest.split()) + (" " if rest[-1:].isspace() else "")


def _sentence_after(text: str, end: int) -> str:
    after = text[end : end + _AFTER]
    stop = _STOP.search(after)
    return after[: stop.start()] if stop else after


def _words(text: str) -> list[str]:
    """Return the words and marks of a sentence in lower case; "we'll" and "it's" are two words each."""
    found: list[str] = []
    for token in _TOKEN.findall(text):
        word = "(month)" if token == "May" and found else token.lower().replace("’", "'")
        short = _SHORT_FORM.fullmatch(word)
        found += [part for part in short.groups() if part] if short else [word]
    return found


# --- what the words say -------------------------------------------------------------------------


def _nearest(words: list[str], here: int, signs: list[_Sign]) -> _Sign | None:
    """Return the sign that the time goes with: of its own clause if there is one, plain ones first."""
    low = max((at for at in range(here) if words[at] in _CLAUSES and not _joins(words, at, here)), default=-1)
    high = next((at for at in range(here + 1, len(words)) if words[at] in _CLAUSES), len(words))
    inside = [sign for sign in signs if low < sign.at < high]
    outside = [sign for sign in signs if sign.at < here or not _subordinate(words, here, sign.at)]
    for group in (inside, outside):
        for plain in (True, False):
            left = [sign for sign in group if sign.plain is plain and sign.at < here]
            right = [sign for sign in group if sign.plain is plain and sign.at > here]
            if left or right:
                return left[-1] if left else right[0]
    return None


def _joins(words: list[str], at: int, here: int) -> bool:
    """Say whether a word goes with the time itself: "Tuesday or Thursday", "before the 15th"."""
    beside = at == here - 1 or (at == here - 2 and words[here - 1] == "the")
    return beside and words[at] in ("after", "and", "before", "or")


def _subordinate(words: list[str], here: int, at: int) -> bool:
    """Say whether the word at ``at``, after the time, is part of an aside such as "after the job failed"."""
    opened = next((place for place in range(at, here, -1) if words[place] in _CLAUSES), here)
    return words[opened] in _SUBORDINATE or (opened + 1 < at and words[opened + 1] in _SUBORDINATE)


def _next(words: list[str], at: int) -> str:
    """Return the next word that is no adverb."""
    for word in words[at + 1 : at + 4]:
        if word not in _ADVERBS and not (word.endswith("ly") and len(word) > 4):
            return word
    return ""


def _clause_after(words: list[str], at: int) -> list[str]:
    """Return the next words, up to the time or the end of the clause."""
    end = next((place for place in range(at + 1, len(words)) if words[place] in (_HERE, *_CLAUSES)), len(words))
    return words[at + 1 : min(end, at + 9)]


def _asked_for(words: list[str], at: int) -> bool:
    """Say whether the subject of a verb is what is asked for: "what ends in May"."""
    return at == 1 and words[0] in ("what", "which")


def _sign(words: list[str], at: int) -> _Sign | None:
    """Return what the word at ``at`` says, if anything."""
    word, before, after = words[at], words[at - 1] if at else "", _next(words, at)
    if word in _FUTURE:
        return None if before in _ATTRIBUTIVE else _Sign(at, True, True)
    if word in _WAS:
        return _Sign(at, False, True)
    if word in _MODALS or word in ("would", "could", "'d"):
        if word == "'d" and after != "have" and kind_of(after) != BASE:
            return _Sign(at, False, True)
        past = after == "have" or (word == "could" and words[at + 1 : at + 2] == ["not"])
        return _Sign(at, not past, word != "could" or past)
    if word in _IS:
        return _present_be(words, at, after)
    if word in _HAS:
        if after == "to":
            return _Sign(at, True, True)
        asked = at == 0 or before in ("how", "what", "when", "where", "which", "who", "why")  # "has it been slow"
        participle = after in ("had", "been") or _is_past(after) or VERB_FORMS.get(after, ("", ""))[1] == PARTICIPLE
        perfect = participle or (asked and after in SUBJECT_PRONOUNS)
        return _Sign(at, not perfect, perfect)
    if word in ("do", "does"):  # "when does the train leave"
        ahead = any(VERB_FORMS.get(later, ("", ""))[0] == later in _TIMETABLE for later in _clause_after(words, at))
        return _Sign(at, True, False) if ahead else None
    if word in _APPOINTMENTS:
        return _Sign(at, True, False)
    return _verb(words, at, before, after)


def _present_be(words: list[str], at: int, after: str) -> _Sign | None:
    if words[at] == "'s":
        owner = at and words[at - 1] not in PRONOUNS and words[at - 1] not in ("what", "when", "where", "here", "let")
        going = kind_of(after) == GERUND and after not in _MEETINGS
        if owner and after not in ("on", "at", "due", "in", _HERE) and not going:
            return None  # "Bob's"
        if _is_past(after):
            return _Sign(at, False, False)  # "it's failed"
    return _Sign(at, after != "been", True)


def _is_past(word: str) -> bool:
    known = VERB_FORMS.get(word)
    if known is None:
        return len(word) > 4 and word.endswith("ed") and not word.endswith("eed")
    return known[1] == PAST and known[0] != word


def _verb(words: list[str], at: int, before: str, after: str) -> _Sign | None:
    word = words[at]
    if word in _REQUESTS:
        return _Sign(at, True, False) if _is_request(words, at, before, after) else None
    if _is_past(word):
        place = at - 1
        while place >= 0 and (words[place] in _ADVERBS or words[place] in _BE or words[place].endswith("ly")):
            place -= 1
        helper = words[place] if place >= 0 else ""
        passive = helper in _IS or helper in _MODALS or helper in _FUTURE or helper in ("to", "would", "could", *_HAS)
        return None if passive or before in _ATTRIBUTIVE else _Sign(at, False, True)
    base, kind = VERB_FORMS.get(word, ("", ""))
    if kind == PRESENT:
        noun = word in NOUN_LIKE and not _asked_for(words, at) and (before in _ATTRIBUTIVE or not before)
        return _Sign(at, True, False) if base in _TIMETABLE and not noun and after != "out" else None
    if base != word:
        return None
    if before == "to":
        settled = any(earlier in _SETTLED for earlier in words[max(0, at - 6) : at - 1])
        return _Sign(at, True, True) if settled else None
    if kind == PAST and before in ("he", "she", "it"):  # "it put", "she cut"
        return _Sign(at, False, False)
    if word in _STATIVE:
        return _Sign(at, True, False) if word == "see" and after == "you" else None
    if before in ("i", "we", "you", "they", "who") or (base in _TIMETABLE and before.endswith("s") and before != "'s"):
        return _Sign(at, True, False)
    return _Sign(at, True, False) if _is_request(words, at, before, after) else None


def _is_request(words: list[str], at: int, before: str, after: str) -> bool:
    """Say whether a verb in its base form is an imperative: "call me", "please ship it", "let's meet"."""
    if before in ("please", "let") or (before == "'s" and words[at - 2 : at - 1] == ["let"]):
        return True
    if at and before not in (":", "please"):
        return False
    return words[at] not in NOUN_LIKE or after in DETERMINERS or after in PRONOUNS
