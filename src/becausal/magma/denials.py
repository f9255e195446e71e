# SPDX-License-Identifier: Apache-2.0
"""What a text says against a chain of causes without telling causes of its own: that something in it was not so."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from ..domain.causal.identity import opposed
from ..domain.sentences import sentences
from ..domain.text import query_terms
from .evidence import coverage

SAME = 0.75
"""Share of an event's words that a sentence must have to deny it, ..."""

NAMED = 0.5
"""... and to deny that it brought about another, or was brought about."""

READ = 4_000
"""Characters of a text that are read."""

_NOT = r"(?:\bnot|n['’]t|\bnever)"
_DENIAL = re.compile(_NOT, re.IGNORECASE)
_REASON = re.compile(r"\b(?:because|due to|owing to|led to|as a result)\b", re.IGNORECASE)
_UNCAUSED = re.compile(
    rf"{_NOT}\s+(?:\w+ly\s+|been\s+|be\s+|the\s+)*"
    r"(?:caus\w*|lead|led|trigger\w*|br(?:ing|ought)\s+about|result(?:ed)?\s+in|provoke\w*|responsible|to\s+blame|reason|"
    r"due\s+to|because|down\s+to|(?:the\s+)?result\s+of|explain\w*)\b"
    rf"|{_NOT}\s+(?:\w+\s+){{1,2}}(?:because\s+of|due\s+to|owing\s+to|as\s+a\s+result\s+of)\b"
    r"|\bnothing\s+to\s+do\s+with\b|\bunrelated\s+to\b|\bno\s+(?:link|connection|relation)\s+(?:between|to|with)\b",
    re.IGNORECASE,
)
"""That one thing did not bring about another."""

_ELSE = re.compile(
    r"\?|\b(?:again|any ?more|no longer|since|until|yet|before|after|afterwards|later|next time|if|unless|in case|"
    r"would|could|should|might|may|will|want\w*|hope\w*|so that|make sure|ensure|almost|nearly|not only|other\w*)\b",
    re.IGNORECASE,
)
"""Of a denial: that it is about another time, or about what is merely possible."""

_CLAUSE = re.compile(r"[;:]|,\s+(?:and|but|so|yet|while|whereas)\s+", re.IGNORECASE)


def denial(said: Sequence[str], text: str) -> str | None:
    """Return the first sentence of a text that denies a chain: an event of it, or that one of them led to another.

    ``said`` are the events from the root cause on. What speaks of another time, of a condition or of a wish
    denies nothing.
    """
    words = [dict.fromkeys(query_terms(each), 1.0) for each in said]
    for start, end in sentences(text[:READ]):
        sentence = " ".join(text[start:end].split())
        for clause in _CLAUSE.split(sentence):
            if not _ELSE.search(clause) and _denies(words, said, clause):
                return sentence
    return None


def _denies(words: Sequence[Mapping[str, float]], said: Sequence[str], clause: str) -> bool:
    shares = [coverage(each, (clause,)) if each else 0.0 for each in words]
    if _UNCAUSED.search(clause):
        about = [share >= NAMED for share in shares]
        return any(cause and effect for cause, effect in pairwise(about)) or (about[0] and about[-1])
    if not _DENIAL.search(clause) or _REASON.search(clause):
        return False  # "left without buying because …" denies nothing, and what it gives as a reason is in the graph
    return any(share >= SAME and opposed(event, clause) for share, event in zip(shares, said, strict=True))
