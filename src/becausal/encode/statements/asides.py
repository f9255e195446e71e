# SPDX-License-Identifier: Apache-2.0
"""What is told in passing: "my sister Ana", "Maria, our CTO, …", "Ana Lopez (born 3 May 1990)"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from . import lexicon as lex
from .attributes import attribute
from .drafting import owner_of, relation
from .line import Line
from .matching import Draft
from .phrases import Phrase
from .verbs import Verb

_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?"
)
_DATE = rf"(?:\d{{1,2}}\s{_MONTH}\s\d{{4}}|{_MONTH}\s\d{{1,2}},?\s\d{{4}}|{_MONTH}\s\d{{4}}|\d{{4}})"
_WHERE = r"(?:(?:\s+(?:in|at|near)|,)\s+(?P<{}>[A-Z][\w.'’-]+(?:,?\s[A-Z][\w.'’-]+){{0,3}}(?:\sof\s[A-Z][\w-]+)?))?"
_BORN = _WHERE.format("born")
_BIRTH = re.compile(
    rf"(?:[^()]{{0,80}}[;,]\s*)?\s*(?:born|b\.)[^();\d]{{0,50}}?(?:[;,]|\s)\s*(?P<birth>{_DATE}){_BORN}"
)
_LIFE = re.compile(
    rf"(?:[^();\d]{{0,60}}[;,])?\s*(?P<birth>{_DATE}){_BORN}\s*[-–—]\s*(?:died\s)?(?P<death>{_DATE}){_WHERE.format('died')}"
)
_BE = frozenset(("was", "is"))


def life(line: Line, found: Phrase, opening: int, close: int) -> list[Draft]:
    """Read when and where somebody was born and died out of the brackets behind a name."""
    if not found.named or found.sort not in ("person", "name"):
        return []
    text = line.context.reading.text[line.end[opening] : line.start[close]]
    whole = _LIFE.match(text)
    birth = whole or _BIRTH.match(text)
    if birth is None or (whole and not _lived(line, whole, close)):
        return []
    told = [("was born on", birth["birth"]), ("was born in", birth["born"])]
    if whole:
        told += [("died on", whole["death"]), ("died in", whole["died"])]
    return [_dated(found, predicate, value, opening, close) for predicate, value in told if value]


def _lived(line: Line, whole: re.Match[str], close: int) -> bool:
    """Say whether two dates in brackets are those of a life, and not of a war or a reign."""
    ahead = line.low[close + 1 : close + 18]
    if not _BE.isdisjoint(ahead[:8]) and any(word in lex.ROLE_NOUNS or word in lex.KIN for word in ahead):
        return True
    return ahead[:1] in (["was"], ["is"]) and not (whole["birth"].isdigit() or whole["death"].isdigit())


def _dated(found: Phrase, predicate: str, text: str, opening: int, close: int) -> Draft:
    thing = Phrase(opening, close, " ".join(text.split()), "time")
    return Draft(found, predicate, thing, "past", found.start, close + 1, event=True)


def apposition(found: Phrase, aside: Phrase, at: int) -> list[Draft]:
    """Return what a phrase between commas says of the one before it, or that one of it."""
    verb = Verb("be", "be", "present", at)
    if aside.named:
        if found.named or not found.owner:
            return []
        if (asked := attribute(found)) and asked[1] == "name":
            return [Draft(owner_of(found), asked[0], aside, "present", found.start, aside.end)]
        if found.head not in lex.RELATIONAL:
            return []
        return [relation(aside, found.rest, owner_of(found), verb, found.start, aside.end)]
    if not found.named:
        return []
    if aside.owner and aside.head in lex.RELATIONAL:
        return [relation(found, aside.rest, owner_of(aside), verb, found.start, aside.end)]
    if aside.head in lex.ROLE_NOUNS and aside.det in ("our", "the", "a", "an"):
        text = aside.text if aside.det in ("a", "an") else f"the {aside.rest}"
        return [Draft(found, "is", aside._replace(text=text), "present", found.start, aside.end)]
    return []


def introductions(subjects: Sequence[Phrase]) -> list[Draft]:
    """Return what subjects say by themselves: "my sister Ana", "our CTO Maria", "CTO Maria Lopez"."""
    found = []
    for subject in subjects:
        if not subject.known_as:
            continue
        verb = Verb("be", "be", "present", subject.end)
        if subject.owner and (subject.head in lex.RELATIONAL or subject.head in lex.PETS):
            found.append(relation(subject, subject.known_as, owner_of(subject), verb, subject.start, subject.end))
        elif subject.head in lex.ROLE_TITLES and len(subject.known_as.split()) <= 3:
            text = f"the {subject.known_as}" if subject.owner else subject.known_as
            role = Phrase(subject.start, subject.end, text, "noun")
            found.append(Draft(subject, "is", role, "present", subject.start, subject.end))
    return found
