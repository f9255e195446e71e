# SPDX-License-Identifier: Apache-2.0
"""Whether what a sentence tells to be over is what another one told to have begun, and not somebody else's thing."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import tzinfo

from ...domain.temporal.text import find_times
from ...domain.text import is_stop_word, query_terms
from ...magma.synthesize import Moment

_OF_SUBJECT = re.compile(
    r"(?:left|departed|went|returned|came|moved|resigned|retired|died|divorced|discharged|quit)\b", re.IGNORECASE
)
"""Endings of what their subject did or was: who left the hospital is no longer in it, and nobody else."""

_COMPLEMENT = re.compile(r"\s+(?:(?:from|of|out of|off)\s+)?(?P<of>(?:[\w'’-]+\s*)*)")
_BEHIND = re.compile(
    r"\b(?:in|on|at|for|by|with|without|after|before|since|when|because|and|but|to|under|until|as|while|where|so|again"
    r"|early|late|home|\w+ly)\b.*",
    re.IGNORECASE,
)
_PASSIVE = re.compile(r"\b(?:is|are|was|were|been|be|got|gets)(?:\s\w+ly)?\s$", re.IGNORECASE)
_OWN = re.compile(r"\b(?:its|their)\b", re.IGNORECASE)
_POSSESSIVE = re.compile(r"\b[\w-]+['’]s\b")
_NAME = re.compile(r"\b[^\W\d_][\w-]*")
_GENERAL = frozenset(
    query_terms(
        "company firm business organisation organization team staff group job post role position work office place "
        "house home building country town city service"
    )
)
"""What may stand for any place or employer: "left the company"."""


def ends_it(begun: Moment, over: Moment, ending: re.Match[str], asked: Collection[str], zone: tzinfo) -> bool:
    """Whether ``over``, of whose text ``ending`` is the words that tell an end, is the end of ``begun``.

    The one that it is over for must be the same, and so must what is over, if that is said: "left the choir" is no end
    of being a baker. ``asked`` are the terms of the question.
    """
    if begun.text == over.text:
        return True
    known = {*query_terms(begun.text), *asked}
    text = _timeless(over, zone)
    head, tail = text[: ending.start()], text[ending.end() :]
    told = _COMPLEMENT.match(tail)
    said = _BEHIND.sub("", told["of"]) if told else ""
    of = set(query_terms(said)) if not _PASSIVE.search(head) and ending[0].lower() != "until" else set()
    shared = not of.isdisjoint(known)
    names = _names(_POSSESSIVE.sub("", head))
    if names and names.isdisjoint(known) and (_OF_SUBJECT.match(ending[0]) or not shared) and _names(begun.text):
        return False
    if of and not shared and of.isdisjoint(_GENERAL) and not _OWN.search(said):
        return False
    return begun.engram == over.engram or shared or not known.isdisjoint(query_terms(_POSSESSIVE.sub("", head)))


def _timeless(moment: Moment, zone: tzinfo) -> str:
    """Return a moment's text with blanks for the times that it names."""
    text = moment.text
    for mention in find_times(text, anchor=moment.told_at or moment.when.start, zone=zone):
        text = f"{text[: mention.start]}{' ' * (mention.end - mention.start)}{text[mention.end :]}"
    return text


def _names(text: str) -> set[str]:
    """Return the terms of words with a capital letter; that of a sentence's first word may be no name."""
    words = (word for word in _NAME.findall(text) if word[0].isupper() and not is_stop_word(word.lower()))
    return {term for word in words for term in query_terms(word)}
