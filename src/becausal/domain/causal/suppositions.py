# SPDX-License-Identifier: Apache-2.0
"""What was only supposed to have caused something, at first or in the past, beside what was found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from . import lexicon as lex
from .clauses import HARD
from .lexicon import word_set
from .patterns import Connective, Frame
from .tokens import has_finite

_REACH: Final = 25  # words before a connective in which a supposition may stand
_OPENING: Final = 9  # words of a sentence in which its own verb is looked for
_SUPPOSED: Final = word_set(
    "suspected thought assumed believed guessed feared figured reckoned presumed supposed imagined"
)
_NOUNS: Final = word_set(
    "suspicion suspicions suspect suspects guess guesses hunch thought idea theory hypothesis assumption"
)
_APPEARED: Final = word_set("seemed appeared looked attributed blamed pointed suggested suspicion put accused")
_FIRST: Final = word_set("initially originally first")
_STILL: Final = word_set("is are 's now still widely generally")
_TURNS: Final = HARD | {"but", "until", "yet", "however"}  # what is told behind them is not supposed any more
_DISMISSED: Final = word_set("excluded dismissed discounted eliminated")
_JOINING: Final = (Frame.CLAUSE, Frame.PHRASE, Frame.ADVERB)
_BLAMING: Final = (Frame.BLAME, Frame.CREDIT)
_BLAMED: Final = frozenset({"attributed to", "blamed on"})


def is_supposed(words: Sequence[str], hit: Connective) -> bool:
    """Whether a connective stands in what somebody once supposed: "we suspected that …", "was first blamed on …".

    What is still believed is none, and neither is the reason for a suspicion: "we suspected it because …".
    """
    if hit.participle or hit.relative == "which":  # ", causing …" follows from the clause as a whole
        return False
    low = max(0, hit.start - _REACH)
    low = next((at + 1 for at in range(hit.start - 1, low - 1, -1) if words[at] in _TURNS), low)
    blames = hit.pattern.name in _BLAMED or hit.pattern.frame in _BLAMING
    first = any(word in _FIRST for word in words[low : hit.head])
    if blames and first:
        return True
    for at in range(low, hit.head):
        word, before = words[at], words[at - 1] if at else ""
        told = _supposes(words, at) and before not in lex.DETERMINERS and not _STILL & set(words[max(low, at - 2) : at])
        named = word in _NOUNS and words[at + 1] in lex.BE | {"that"}
        if (told or named or (first and word in _APPEARED)) and _reaches(words, at + 1, hit):
            return True
    return False


def _reaches(words: Sequence[str], at: int, hit: Connective) -> bool:
    """Whether what was supposed, told from ``at`` on, is what a connective says and not what it is the effect of."""
    if hit.pattern.frame not in _JOINING:
        return True
    between = words[at : hit.start]
    return "that" in between or "be" in words[at : hit.head] or has_finite(words, at, hit.start) or not between


def _supposes(words: Sequence[str], at: int) -> bool:
    """Whether a word is a verb of supposing, and not of what ought to be: "was supposed to"."""
    return words[at] in _SUPPOSED and not (words[at] == "supposed" and words[at + 1 : at + 2] == ["to"])


def is_supposition(words: Sequence[str]) -> bool:
    """Whether a sentence tells no more than what was suspected, or no longer is: "We suspected the proxy"."""
    if not _TURNS.isdisjoint(words):
        return False
    for at, word in enumerate(words[:_OPENING]):
        before = words[at - 1] if at else ""
        after = words[at + 1] if at + 1 < len(words) else ""
        if word in ("ruled", "rule") and "out" in words[at + 1 : at + 9]:
            return True
        verb = _supposes(words, at) or word in ("blamed", "accused") or word in _DISMISSED
        if verb and before not in lex.DETERMINERS and before not in lex.BE and not after.endswith("ing"):
            return True
        if word in _NOUNS and (after in lex.BE or after in ("fell", "centred", "centered")):
            return True
        if before and word in lex.FINITE_AUXILIARIES - lex.HAVE:
            return False
    return False
