# SPDX-License-Identifier: Apache-2.0
"""Telling apart what happened, what is so and how it is done, by the grammar of English."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..domain.causal.verbs import BASE, NOUN_LIKE, PARTICIPLE, PAST, PRESENT, VERB_FORMS
from ..domain.records import MemoryType
from . import vocabulary as words
from .reading import Reading, Sentence, Token
from .shapes import Shape

_LOOKED_AT = 60  # sentences
_EPISODIC_SHARE = 0.3
_PROCEDURAL_SHARE = 0.5
_SHORT = 3  # tokens

_STEP = re.compile(r"^[ \t]*(?:\d{1,2}[.)]|[Ss]tep \d{1,2}[:.]?)[ \t]+\S", re.MULTILINE)
_HOW_TO = re.compile(
    r"^[#\s]*(?:how (?:to|do i|do you|we)|(?:steps|instructions|recipe|procedure|runbook) (?:to|for)|recipe:|runbook:)",
    re.IGNORECASE,
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SKIPPED = _words("please then first firstly second secondly third next finally also just now afterwards and lastly")
_RULES = _words("always never avoid ensure")
_RULE_PAIRS = frozenset(
    (one, other)
    for one, others in {
        "make": "sure",
        "be": "sure careful",
        "remember": "to",
        "forget": "to",
        "you": "should must need",
        "take": "care",
    }.items()
    for other in others.split()
)
_CONDITIONS = _words("if when whenever before after once to in for unless")
_MORE_IMPERATIVES = _words(
    """
    boil mix preheat chop stir bake fry simmer knead whisk drain rinse season sprinkle slice dice marinate grate peel
    click tap select type paste copy scroll drag unplug plug screw tighten loosen insert attach detach wipe soak
    configure install uninstall upgrade restart reboot redeploy deploy clone commit push pull merge rebase checkout
    edit export import append encrypt decrypt escalate rotate squash tag verify validate back brush fold breathe
    inhale exhale stretch lift
    """
)
_CHAT = _words(
    """
    let thank hope wish love guess see look wait sound have tell imagine believe need want feel mean know think agree
    enjoy miss come do be go get keep say stay like care hear seem wonder stop hold count bet last
    """
)
_DETERMINERS = _words("the a an your it its all this that these those any each every both some no them one two three")
_PREPOSITIONS = _words("to on with for in into from up down at off out over by through under until as")
_FINITE = _words("is are was were has had did does will would can could should might must")
_FIRST = _words("i we my our me us")
_HAVE = _words("have has had")
_PRESENT_BE = _words(
    """
    is are am be being been get gets feel feels stay stays become becomes seem seems look looks keep staying feeling
    getting becoming me him us them so very really too how more most
    """
)
_STATIVE = _words(
    """
    was were had did knew liked loved wanted thought felt needed seemed meant looked used contained consisted required
    supported included belonged preferred hated believed called named based supposed known born located sounded cared
    owned lived depended became
    """
)
_DEFINING = _words(
    """
    founded born built created written designed named located based known considered called released established
    supposed used made located developed invented introduced launched published
    """
)
_MOMENTS = _words("yesterday ago today tonight tomorrow earlier")
_UNITS = _words(
    """
    night week weekend month year summer winter spring fall monday tuesday wednesday thursday friday saturday sunday
    morning afternoon evening time
    """
)
_DATES = words.CALENDAR - _words("may march mar sun sat spring summer fall autumn winter second")


def memory_type(reading: Reading) -> MemoryType:
    """Return what kind of memory a text is.

    Procedural: numbered steps, how-to headings, or mostly imperatives and rules. Episodic: at least a third of
    the sentences tell an event (past tense or perfect, with a time, a first person or an actor as evidence).
    Semantic: everything else.
    """
    told = instructions = events = 0
    for sentence in reading.sentences[:_LOOKED_AT]:
        tokens = sentence.tokens
        if sentence.start < reading.body or sentence.heading or len(tokens) < _SHORT or tokens[-1].text == "?":
            continue
        instructs = _instructs(tokens)
        happened = not instructs and _tells_event(reading.text, sentence)
        if instructs or happened or len(tokens) > _SHORT:  # "That sounds great" tells nothing
            told += 1
            instructions += instructs
            events += happened
    steps = sum(1 for _ in _STEP.finditer(reading.text, 0, 20_000))
    if instructions and (
        instructions >= _PROCEDURAL_SHARE * told
        or (steps > 1 and instructions >= told // 4)
        or _HOW_TO.match(reading.text)
    ):
        return MemoryType.PROCEDURAL
    return MemoryType.EPISODIC if events and events >= _EPISODIC_SHARE * told else MemoryType.SEMANTIC


# --- how it is done -----------------------------------------------------------------------------


def _instructs(tokens: Sequence[Token]) -> bool:
    """Say whether a sentence tells somebody to do something."""
    colon = next((place for place, token in enumerate(tokens) if token.text == ":"), 0)
    return _instructs_from(tokens, 0) or (colon > 0 and _instructs_from(tokens, colon + 1))  # Ada: do it


def _instructs_from(tokens: Sequence[Token], at: int) -> bool:
    while at < len(tokens) and (tokens[at].lower in _SKIPPED or tokens[at].shape is Shape.MARK):
        at += 1
    if at + 1 >= len(tokens):
        return False
    first, second = tokens[at].lower, tokens[at + 1].lower
    if first in ("don't", "don’t") or (first == "do" and second == "not"):
        return True
    if first in _RULES or (first, second) in _RULE_PAIRS:
        return first != "you" or second != "need" or (at + 2 < len(tokens) and tokens[at + 2].lower == "to")
    if first in _CONDITIONS:
        for place in range(at + 1, len(tokens) - 1):
            if tokens[place].text == ",":
                after = place + 1
                if tokens[after].lower in ("always", "never", "then", "please", "just"):
                    after += 1
                return after + 1 < len(tokens) and (tokens[after].lower in _RULES or _imperative(tokens, after))
        return False
    return _imperative(tokens, at)


def _imperative(tokens: Sequence[Token], at: int) -> bool:
    """Say whether an imperative begins at ``at``: a verb in its base form that is no noun with a verb after it."""
    first, second = tokens[at].lower, tokens[at + 1]
    form = VERB_FORMS.get(first)
    if first in _CHAT or not (first in _MORE_IMPERATIVES or (form is not None and form[0] == first)):
        return False
    if second.lower in _NO_OBJECT or second.lower in words.GREETINGS or _is_present(second.lower):
        return False
    if second.lower in _DETERMINERS or second.shape is Shape.IDENTIFIER or second.text == "`":
        return True
    if first not in NOUN_LIKE:
        return True
    loosely = second.lower in _PREPOSITIONS  # "Deploy with care when tests pass"
    return not any(_is_finite(tokens, place, loosely) for place in range(at + 1, len(tokens)))


_NO_OBJECT = _FINITE | _words("of and , . !")


def _is_present(lower: str) -> bool:
    form = VERB_FORMS.get(lower)
    return form is not None and form[1] == PRESENT and lower not in NOUN_LIKE


def _is_finite(tokens: Sequence[Token], at: int, loosely: bool) -> bool:
    lower = tokens[at].lower
    if lower in _FINITE or _is_past(lower) or _is_present(lower):
        return True
    if loosely:
        return False
    form = VERB_FORMS.get(lower)
    base = form is not None and form[1] == BASE and lower not in NOUN_LIKE
    return base and tokens[at - 1].lower not in ("to", "and", "or", "then", ",")


def _is_past(lower: str) -> bool:
    form = VERB_FORMS.get(lower)
    if form is None:
        return lower.endswith("ed") and len(lower) > 4 and lower not in words.NAME_PARTS
    return form[1] == PAST and form[0] != lower


# --- what happened ------------------------------------------------------------------------------


def _tells_event(text: str, sentence: Sentence) -> bool:
    tokens = sentence.tokens
    first = timed = named = perfect = False
    stative = defined = False
    for at, token in enumerate(tokens):
        lower = token.lower
        if lower in _FIRST:
            first = True
        if not timed:
            timed = _is_time(tokens, at)
        if token.shape is Shape.CAPITAL and not named and lower not in words.CALENDAR:
            named = not token.opens or not words.is_common(lower)
        if token.shape is not Shape.LOWER:
            continue
        form = VERB_FORMS.get(lower)
        participle = form is not None and form[1] == PARTICIPLE
        if not participle and not _is_past(lower):
            continue
        before = tokens[at - 1] if at else None
        helper = _helper(text, tokens, at)
        if helper == "have":
            perfect = perfect or (lower not in _DEFINING and lower != "been")
        elif helper == "be" or (before is not None and before.lower in _PRESENT_BE):
            continue
        elif helper == "was":
            if lower not in _DEFINING:
                return True
            defined = True
        elif participle:
            continue
        elif lower in _STATIVE:
            stative = True
        elif before is None or before.lower not in _DETERMINERS or lower not in words.NAME_PARTS:
            return True
    if perfect:
        return first or named
    if stative and not defined:
        return timed or (first and len(tokens) > 4)
    return timed and first and not _habitual(tokens)


def _helper(text: str, tokens: Sequence[Token], at: int) -> str:
    """Return which auxiliary a participle at ``at`` goes with: have, be, was, or none."""
    for place in range(at - 1, max(at - 3, -1), -1):
        token = tokens[place]
        if not token.whole:
            ending = text[token.end + 1 : token.end + 3].lower()
            return "have" if ending == "ve" else "be" if ending in ("m ", "re", "s ") else ""
        if token.lower in _HAVE:
            return "have"
        if token.lower in ("was", "were"):
            return "was"
        if token.lower in ("is", "are", "am", "be", "being", "been"):
            return "be"
    return ""


def _is_time(tokens: Sequence[Token], at: int) -> bool:
    token = tokens[at]
    lower = token.lower
    if lower in _MOMENTS or (lower in _DATES and token.shape is Shape.CAPITAL):
        return True
    if lower in ("last", "this", "next", "other") and at + 1 < len(tokens):
        return tokens[at + 1].lower in _UNITS
    if token.shape is Shape.NUMBER:
        if lower.isdigit():
            return (
                len(lower) == 4
                and lower[:2] in ("19", "20")
                and at > 0
                and tokens[at - 1].lower in ("in", "since", "of")
            )
        return ":" in lower or lower.count("-") == 2 or lower.endswith(("am", "pm"))
    return False


def _habitual(tokens: Sequence[Token]) -> bool:
    return any(token.lower in ("every", "each", "usually", "always", "often", "never") for token in tokens)
