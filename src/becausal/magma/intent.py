# SPDX-License-Identifier: Apache-2.0
"""What kind of question is asked, and how deep each graph should be walked for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class Intent(StrEnum):
    WHY = "WHY"
    WHEN = "WHEN"
    WHO = "WHO"
    WHAT = "WHAT"
    EXPLORE = "EXPLORE"


@dataclass(frozen=True, slots=True)
class Depths:
    """Hops walked in each graph."""

    semantic: int
    entity: int
    temporal: int
    causal: int


DEPTHS: Mapping[Intent, Depths] = {
    Intent.WHY: Depths(1, 1, 1, 3),
    Intent.WHEN: Depths(1, 1, 3, 1),
    Intent.WHO: Depths(1, 2, 1, 1),
    Intent.WHAT: Depths(1, 2, 1, 1),
    Intent.EXPLORE: Depths(2, 2, 2, 2),
}
"""polyg-mcp's table of intent-adaptive depth."""

_FIRST = (
    r"(?:which|what)(?: of (?:them|these|those|the two))? (?:came|happened|was|took place|occurred|began|started)"
    r" (?:first|earlier|sooner|last|later)\b"
)
_ORDER = r"in (?:(?:what|which|chronological|the right|the correct) )?order\b(?! (?:to|that|for)\b)"
_WHY = re.compile(
    r"\b(?:why|how come|how so"
    r"|(?:what|which) (?:\w+ ){0,2}?(?:caused?|causes|triggered|made|led to|leads to|brought|provoked|explains?)"
    r"|what (?:took|knocked|put) .{1,60}\b(?:down|out|off ?line)\b"
    r"|what (?:broke|crashed|killed|started|stopped|blocked|delayed|slowed) (?:the|our|my|your|their|all|every)\b"
    r"|(?:root )?causes?\b|reasons? (?:for|why|behind|that|we|they|he|she|it|you|i|the)\b|because of what"
    r"|due to what|what (?:is|was|were|are|has been|had been) responsible for|to blame"
    r"|what (?:went|was|is) wrong|how did .{1,80}\b(?:happen|come about|break|fail))",
    re.IGNORECASE,
)
_UNITS_ASKED = r"how many (?:minutes|hours|days|nights|weeks|months|years) (?:did|was|were|has|have|had)"
_LASTING = re.compile(rf"\bhow long (?!ago|since)|\b{_UNITS_ASKED}\b", re.IGNORECASE)
_LASTED = re.compile(r"\b(?:last(?:ed)?|take|took|taken|go(?:ne)? on|went on|there)\b", re.IGNORECASE)
_WHEN = re.compile(
    r"(?:^\W*(?:(?:and|so|but|since|until|by|or) )?"
    r"|\b(?:know|remember|recall|tell me|say|see|show|ask|wonder|exactly)\s)when\b"
    r"|\b(?:what (?:time|date|day|week|month|year)\b|which (?:day|week|month|year|date)\b"
    r"|how long (?:ago|since|did|was|were|has|have|had)|for how long|"
    + _UNITS_ASKED
    + r"|time ?line|chronolog\w*|since when|until when|"
    + _ORDER
    + r"|sequence of events|what happened (?:before|after|first|next|then|on|in|last|yesterday|this)"
    + rf"|{_FIRST})",
    re.IGNORECASE,
)
_WHO = re.compile(
    r"\b(?:who|whom|whose|which (?:person|people|team|colleague|engineer|user|customer)s?)\b", re.IGNORECASE
)
_EXPLORE = re.compile(
    r"\b(?:tell me|everything|all about|overview|summar\w+|describe|explain|explore"
    r"|what (?:do (?:we|you|i) know|is known)|background|brief me"
    r"|how (?:is|are|does|do) .{1,80}\b(?:relate|connect\w*|fit))",
    re.IGNORECASE,
)
_HAPPENED = re.compile(
    r"\bwhat (?:has |had )?(?:happened|became|is (?:up|going on)|was going on) (?:to|of|with|at)\b", re.IGNORECASE
)
_WHAT = re.compile(r"\b(?:what|which|where|how (?:many|much|often))\b", re.IGNORECASE)


_PREFACE = re.compile(
    r"^\W*(?:please )?(?:(?:can|could|would|will) you )?(?:please )?"
    r"(?:(?:tell|remind|show) (?:me|us)|say|explain(?: to (?:me|us))?"
    r"|do (?:you|we) (?:know|remember|recall)|does (?:any|some)(?:one|body) know"
    r"|(?:i|we) (?:wonder|want to know|need to know|would like to know)|i(?:'d| would) like to know|any idea) "
    r"(?=(?:why|how|when|who|whom|whose|what|which|where)\b)",
    re.IGNORECASE,
)
"""What goes before a question that is asked politely, or in a roundabout way."""

_FRAMING = re.compile(
    r"\b" + _ORDER + rf"|\bchronologically\b|^\W*{_FIRST}"
    r"|\b(?:time ?line|sequence of events|chronology) (?:of|for|in)\b|\bin what sequence\b"
    r"|^\W*(?:for )?how (?:long|many (?:minutes|hours|days|nights|weeks|months|years))(?: ago)?\b"
    r"|\b(?:take|takes|took) place\b"
    r"|^\W*(?:please )?(?:list|name|enumerate)(?: (?:me|us))?(?: (?:all|every|each|the|of|any)\b)+"
    r"|^\W*(?:(?:on|in|at|by|since|until) )?(?:what|which) (?:time|date|day|week|month|year)\b"
    r"|^\W*(?:please )?(?:(?:can|could|would) you )?(?:please )?"
    r"(?:(?:tell|brief|remind) (?:me|us)(?: (?:something|everything|more|all))?(?: (?:about|on|of))?"
    r"|explain|describe|explore|summari[sz]e|outline|(?:give (?:me|us) )?(?:an? |the )?(?:brief |short |quick )?"
    r"(?:overview|summary|background|outline) (?:of|on|about|to)|what (?:do|does) (?:we|you|i|anyone) know (?:about|of)"
    r"|what is (?:known|there to know) about|(?:all|everything) (?:(?:we|you) know )?about)\b",
    re.IGNORECASE,
)
"""Words that only say how to answer."""


def bare(question: str) -> str:
    """Return a question without what it is introduced with: "who owns it" of "can you tell me who owns it"."""
    return _PREFACE.sub("", question)


def topic(question: str) -> str:
    """Return a question without the words that only say how to answer it ("in what order", "tell me about")."""
    order = placed(question)
    left = _FRAMING.sub(" ", bare(question)) if order is None else f"{order.by} {order.side} {order.event}".lstrip()
    if lasting(question):
        left = _LASTED.sub(" ", left)
    return left if any(each.isalnum() for each in left) else question


_FORWARD = re.compile(
    r"\bwhat (?:else |all )?(?:did|does|do|will|would|could|can|has|have|had) .{1,120}?"
    r"\b(?:caused?|lead to|led to|results? in|resulted in|bring about|brought about"
    r"|trigger(?:ed)?|set off|break|do to)\b"
    r"|\bwhat (?:came|resulted|followed|happened|arose|stemmed|broke|failed|was caused|was triggered) "
    r"(?:of|from|because of|as a result of|due to|by)\b"
    r"|\bwhat (?:was|were|is|are|got) (?:affected|hit|broken|damaged|impacted|caused|triggered) by\b"
    r"|\bhow (?:did|does|do|has|have|had|will|would) .{1,120}?\baffect(?:ed)?\b"
    r"|\b(?:consequences?|after-?effects?|effects?|impacts?|aftermath|fallout|outcomes?) of\b",
    re.IGNORECASE,
)


def counts(question: str) -> bool:
    """Whether a question asks for a number."""
    return bool(re.search(r"\bhow (?:many|much|often|big|large|high|long|old|far)\b", question, re.IGNORECASE))


def lasting(question: str) -> bool:
    """Whether a question asks how long something lasted."""
    return _LASTING.search(question) is not None


def lasts_still(question: str) -> bool:
    """Whether a question asks how long something that goes on has lasted: since when is an answer."""
    return re.search(r"\b(?:has|have|is|are)\b", question, re.IGNORECASE) is not None


def asks_of_now(question: str) -> bool:
    """Whether a question asks about what is so at present, and not about what was."""
    past = re.search(r"\b(?:was|were|did|had|used to|formerly|before|ever)\b", question, re.IGNORECASE)
    return past is None and re.search(r"\b(?:is|are|does|do|now|currently)\b", question, re.IGNORECASE) is not None


def forward(question: str) -> bool:
    """Whether a question asks what came of something, not what led to it."""
    return bool(_FORWARD.search(question))


_LISTED = re.compile(rf"(?::|{_FIRST}\s*[,–—-]?)\s*(.+)$", re.DOTALL | re.IGNORECASE)
_BETWEEN = re.compile(r"[,;]\s*(?:and\s+|or\s+)?|\s+and\s+|\s+or\s+|\?")


def items(question: str) -> tuple[str, ...]:
    """Return the things that a question lists: behind a colon, or as in "which came first, the frost or the flood?"."""
    listed = _LISTED.search(question)
    found = [each.strip() for each in _BETWEEN.split(listed[1])] if listed else []
    kept = tuple(each for each in found if any(letter.isalnum() for letter in each))
    return kept if len(kept) > 1 else ()


_BESIDE = re.compile(
    r"\W*what (?:else |all )?(?:happened|took place|occurred|was done|went on|came"
    r"|(?:did|had|has) (?P<by>\S.{0,60}?) (?:do|done|say|said))"
    r" (?P<next>(?:just|right|immediately|directly|shortly|straight) )?(?P<side>before|after)\s+(?P<event>\S.+?)\W*",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Placed:
    """A question for what happened on one side of an event, or (``next``) right beside it, by whom if it says so."""

    side: Literal["before", "after"]
    event: str
    next: bool
    by: str


def placed(question: str) -> Placed | None:
    """Return the event in "what happened right before the flood?", and the side of it that is asked about."""
    found = _BESIDE.fullmatch(bare(question))
    if found is None:
        return None
    side: Literal["before", "after"] = "before" if found["side"].lower() == "before" else "after"
    return Placed(side, found["event"], found["next"] is not None, found["by"] or "")


_CIRCUMSTANCE = re.compile(
    r"\s(?:after|when|while|whenever|during|following|since|before|until|despite|although|though|even though)\s.*",
    re.I | re.S,
)
_ASKING = 3  # words that a question has at least before a circumstance: "why did it"


_BROUGHT_ABOUT = re.compile(
    r"\bwhy (?:did|does|do|would|could) .+? (?:cause|trigger|provoke|lead to|result in|bring about) (?P<effect>\S.*)",
    re.I | re.S,
)


def asked_effect(question: str) -> str | None:
    """Return "a flood" of "why did the frost cause a flood": of two events, the one that is to be explained."""
    brought = _BROUGHT_ABOUT.search(question)
    return brought["effect"] if brought else None


def focus(question: str) -> str:
    """Return what a question asks about without the circumstances: "auth fail" of "… auth fail after the update"."""
    for match in _CIRCUMSTANCE.finditer(question):
        before = question[: match.start()]
        if len(before.split()) > _ASKING:
            return before
    return question


def classify(question: str) -> Intent:
    """Return the kind of question, by its wording.

    Asking for causes wins over asking for times ("why did it fail when …"), unless the question opens with
    "when" or "who". What something led to is asked of the causes as well (see ``forward``). What is no question at
    all is explored.
    """
    question = bare(question)
    opening = re.match(r"\W*(\w+)", question)
    first = opening.group(1).lower() if opening else ""
    if first == "when" and not re.search(r",\s*why\b", question, re.IGNORECASE):
        return Intent.WHEN
    if first in {"who", "whom", "whose"} and not _WHY.search(question):
        return Intent.WHO
    if placed(question) is not None:
        return Intent.WHEN
    if forward(question):
        return Intent.WHY
    for pattern, intent in ((_WHY, Intent.WHY), (_EXPLORE, Intent.EXPLORE), (_WHEN, Intent.WHEN), (_WHO, Intent.WHO)):
        if pattern.search(question):
            return intent
    if _HAPPENED.search(question):
        return Intent.EXPLORE
    return Intent.WHAT if _WHAT.search(question) else Intent.EXPLORE
