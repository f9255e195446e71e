# SPDX-License-Identifier: Apache-2.0
"""What facts of "is" and "has" are made from: a draft, a relation turned the way it is kept, where a phrase ends."""

from __future__ import annotations

from .. import vocabulary as words
from . import lexicon as lex
from .line import Line
from .matching import Draft
from .phrases import Phrase
from .verbs import Verb

_ENDS = (
    lex.BOUNDARIES | lex.PREPOSITIONS | frozenset((",", ".", "!", "(", ")", "", "with", '"', "—", "-", "too", "now"))
)
_GONE = frozenset(("former", "ex", "late", "previous", "old", "first"))


def made(subject: Phrase, predicate: str, thing: Phrase, verb: Verb, at: int, after: int = 0) -> Draft:
    return Draft(
        subject,
        predicate,
        thing,
        verb.tense,
        at,
        after or thing.end,
        begins=verb.begins,
        ended=verb.ended,
        negated=verb.negated,
    )


def closes(line: Line, at: int) -> bool:
    return line.low[at] in _ENDS or at in line.time_at or at >= len(line)


def relation(one: Phrase, known_as: str, other: Phrase, verb: Verb, at: int, after: int) -> Draft:
    """Return the fact that ``one`` is the sister, boss, … of ``other``."""
    titles = known_as.casefold().split()
    head = words.singular(titles[-1])
    gone = not _GONE.isdisjoint(titles[:-1]) and bool({"former", "ex", "previous"} & set(titles))
    verb = verb._replace(ended=verb.ended or gone)
    if head in lex.BLOOD and verb.tense == "past" and not gone:
        verb = verb._replace(tense="present")
    if head in lex.SPOUSES:
        return made(other, "is married to", one, verb, at, after)
    if head in lex.BOSSES:
        return made(other, "reports to", one, verb, at, after)
    return made(one, f"is the {head} of", other, verb, at, after)


def owner_of(found: Phrase) -> Phrase:
    """Return the owner of what a phrase names."""
    return found._replace(text=found.owner, sort="noun", entity=found.owner_entity, known_as="", owner="", named=True)
