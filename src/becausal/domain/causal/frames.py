# SPDX-License-Identifier: Apache-2.0
"""How a sentence frames what it tells: as an item of a list, as the announcement of causes, as what was found out."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from itertools import pairwise
from typing import Final

from . import lexicon as lex
from .clauses import starts_noun
from .lexicon import word_set
from .tokens import is_word

_FRAME: Final = 10
"""Words within which a frame gives way to what it frames."""

_ORDINALS: Final = word_set("first firstly second secondly third thirdly fourth fifth finally lastly 1 2 3 4 5")
_COUNTS: Final = word_set("two three four five several multiple many various")
_CAUSES: Final = word_set("causes factors reasons")
_LONGEST_HEADING: Final = 6
_BULLETS: Final = frozenset("-*+•")
_ARTICLES: Final = word_set("the a an its of and")
_PLURAL_CAUSES: Final = word_set("causes factors triggers")
_HEADING_WORDS: Final = _PLURAL_CAUSES | word_set(
    "cause root contributing underlying primary main immediate proximate direct technical analysis identified"
)
_EFFECTS: Final = word_set("effects impact severity duration recovery")
_INQUIRIES: Final = word_set(
    "inspection inspections investigation investigations analysis analyses examination examinations inquiry inquest "
    "review debugging trace traces logs profiling dump dumps diagnosis autopsy scrutiny audit"
)
_REVEALED: Final = word_set("revealed revealing showed shown shows found uncovered indicated determined suggested")
_UPON: Final = word_set("upon on under")


class Section(Enum):
    """What a heading says about what stands under it."""

    OTHER = auto()
    CAUSE = auto()  # "Root cause": its first sentence tells it
    CAUSES = auto()  # "Contributing factors": each item of its list is one
    ITEM = auto()  # one of several told in a single sentence


def is_heading(words: Sequence[str]) -> bool:
    """Whether a line is a heading: marked as one, or nothing but the name of a section about causes."""
    return words[0] == "#" or (len(words) <= _LONGEST_HEADING and section_of(words) is not Section.OTHER)


def section_of(words: Sequence[str]) -> Section:
    """What stands under a heading."""
    said = [word for word in words if is_word(word) and word not in _ARTICLES]
    if not said or not all(word in _HEADING_WORDS for word in said):
        return Section.OTHER
    if any(word in _PLURAL_CAUSES for word in said):
        return Section.CAUSES
    return Section.CAUSE if said[-1] == "cause" else Section.OTHER


def is_bullet(words: Sequence[str]) -> bool:
    """Whether a line is an item of a list: "- …", "* …", "2. …"."""
    return words[0] in _BULLETS or (words[0].isdigit() and words[1:2] in ([")"], ["."]))


def is_listed(words: Sequence[str]) -> bool:
    """Whether a sentence is an item of a list in prose: "First, …", "Second, …"."""
    return words[0] in _ORDINALS


def announces_causes(words: Sequence[str]) -> bool:
    """Whether a sentence says that several causes follow: "Two primary root causes were identified"."""
    counted = any(word in _COUNTS for word in words[:3])
    named = counted and any(word in _CAUSES for word in words[1:6]) and _EFFECTS.isdisjoint(words)
    return named or opens_list(words)


def opens_list(words: Sequence[str]) -> bool:
    """Whether a sentence ends in a colon and speaks of causes, not of what made the effects worse."""
    return words[-1] == ":" and _EFFECTS.isdisjoint(words) and not _CAUSES.isdisjoint(words)


def inline_items(words: Sequence[str]) -> list[tuple[int, int]]:
    """The items of "Contributing factors: …; …; and …", as ranges of words; none if a sentence is no such list."""
    colon = next((at for at in range(min(len(words), _LONGEST_HEADING)) if words[at] == ":"), None)
    if colon is None or section_of(words[:colon]) is not Section.CAUSES:
        return []
    ends = [at for at in range(colon + 1, len(words)) if words[at] == ";"]
    return [(start + 1, end) for start, end in pairwise([colon, *ends, len(words)]) if end > start + 1] if ends else []


def finding_start(words: Sequence[str]) -> int:
    """Where what was found out begins in "Further analysis showed that …"; 0 if the sentence tells no finding.

    So do "Upon closer inspection, …" and "It turned out that …" tell what was behind the trouble before.
    """
    front = words[: min(len(words) - 3, _FRAME)]
    at = next((at for at, word in enumerate(front) if word in _INQUIRIES), -1)
    begins = 0
    if at >= 0:
        begins = _found_behind(words, at)
    elif "turned" in front[1:7]:
        at = front.index("turned")
        begins = at + 2 if words[at - 1] == "it" and words[at + 1] == "out" else 0
    begins += begins > 0 and words[begins] in ("that", ",")
    return begins if not any(word in lex.NEGATIONS for word in words[begins : begins + 3]) else 0


def _found_behind(words: Sequence[str], at: int) -> int:
    """Where a finding begins behind the inquiry at ``at``; 0 if none follows."""
    stop = min(len(words) - 2, at + _FRAME)
    if words[0] in _UPON:
        return next((j + 1 for j in range(at + 1, stop) if words[j] == ","), 0)
    verb = next((j for j in range(at + 1, min(len(words) - 2, at + 2 * _FRAME)) if words[j] in _REVEALED), None)
    found = verb is not None and (words[verb + 1] == "that" or starts_noun(words, verb + 1))
    return verb + 1 if verb is not None and found else 0
