# SPDX-License-Identifier: Apache-2.0
"""Attributes and their values: "Ana's birthday is 3 May", "the port of the billing service is 8080"."""

from __future__ import annotations

from .. import vocabulary as words
from ..shapes import Shape
from . import lexicon as lex
from .drafting import closes, made
from .line import Line
from .matching import Draft
from .phrases import Phrase, extent, phrase, quoted, time, value
from .verbs import Verb

_NOTHING = lex.PHRASE_STOPS | lex.OPINIONS


def attribute(subject: Phrase) -> tuple[str, str] | None:
    """Return the predicate that asks for an attribute's value, and the kind of value, if a phrase names one."""
    rest = subject.rest.casefold()
    first = rest.partition(" ")[0]
    if subject.plural or not rest:
        return None
    if first in ("favourite", "favorite") and " " in rest:
        return f"favourite{_cased(subject.rest)[len(first) :]} is".replace("color", "colour"), "free"
    kind = lex.ATTRIBUTES.get(subject.head)
    if kind is None or len(rest.split()) > 4:
        return None
    name = " ".join(lex.ATTRIBUTE_NAMES.get(word, word) for word in _cased(subject.rest).split())
    return f"{name} is", kind


def _cased(name: str) -> str:
    """Return a name in lower case, its acronyms excepted."""
    return " ".join(word if word.isupper() else word.lower() for word in name.split())


def facts_of_attribute(line: Line, subject: Phrase, verb: Verb, at: int) -> list[Draft]:
    """Read "Ana's birthday is 3 May", "the port of the billing service is 8080", "the deadline is Friday"."""
    if subject.rest[:4].casefold() == "new ":  # what is new is the value
        subject = subject._replace(rest=subject.rest[4:])
        verb = verb._replace(begins=True)
    found = attribute(subject)
    if found is None or verb.negated:
        return []
    predicate, kind = found
    thing = _attribute_value(line, verb.at, kind, subject.head)
    if thing is None:
        return []
    if subject.owner:
        holder = subject._replace(text=subject.owner, sort="noun", entity=subject.owner_entity)
        return [made(holder, predicate, thing, verb, at)]
    *before, last = subject.rest.split()
    if before and before[-1].casefold() not in lex.QUALIFIERS and subject.det in ("", "the"):
        owner = " ".join(before)
        head = lex.ATTRIBUTE_NAMES.get(last.casefold(), _cased(last))
        apt = before[-1].casefold() in lex.NOUNS or before[-1][0].isupper()
        if not subject.named and apt:
            return [made(subject._replace(text=owner), f"{head} is", thing, verb, at)]
    if subject.det != "the" or subject.head not in lex.SETTINGS:
        return []
    return [made(subject._replace(text=subject.rest), "is set to", thing, verb, at)]


def _attribute_value(line: Line, at: int, kind: str, head: str) -> Phrase | None:
    if line.low[at] in ("on", "at", "currently", "now", ":") and at + 1 in line.time_at:
        at += 1
    if found := time(line, at):
        return found if kind == "value" else None
    if found := quoted(line, at):
        return found
    if kind == "pick":
        name, _ = line.name_end(at)
        end = max(name, at + 1)
        text = line.text(at, end)
        plain = line.token_shape(at) not in (None, Shape.MARK) and line.low[at] not in _NOTHING
        return (
            (phrase(line, at) if name > at else Phrase(at, end, text, "value")) if plain and closes(line, end) else None
        )
    if kind == "value":
        if found := value(line, at):
            return found
        name, _ = line.name_end(at)
        found = phrase(line, at) if name > at else None
        return (
            found if found and found.named and head not in ("age", "price", "cost", "port") else _word(line, at, head)
        )
    if kind == "word":
        return _word(line, at, head)
    found = phrase(line, at)
    if found is None or line.low[found.start] in lex.OPINIONS or found.head in lex.VAGUE:
        return None
    if kind == "name":
        return found if found.named or found.known_as else None
    begun = line.low[found.end - 1]
    if not found.named and found.head not in lex.ROLE_NOUNS and found.head not in lex.BARE_FIELDS:
        if head in ("job", "role", "profession", "occupation") or begun in lex.OPINIONS:
            return None
        if not found.det and found.end - found.start == 1 and begun in words.ADJECTIVES and head not in _COLOURS:
            return None
    return found if closes(line, found.end) else None


_COLOURS = frozenset(("colour", "color"))
_ONE_WORD = frozenset(("password", "name", "username", "status", "default", "handle", "login", "passphrase", "key"))


def _word(line: Line, at: int, head: str) -> Phrase | None:
    """Read a value of one word that is nothing else: a colour, a state, a password."""
    named = head in lex.ATTRIBUTES and lex.ATTRIBUTES[head] == "word"
    shape = line.token_shape(at)
    if not named and head not in _ONE_WORD:
        return None
    if shape in (None, Shape.MARK) or line.low[at] in lex.PHRASE_STOPS or line.low[at] in lex.OPINIONS:
        return None
    end = extent(line, at)
    if not at < end <= at + 2 or not closes(line, end):
        return None
    if not named and any(word in words.ADJECTIVES or words.is_common(word) for word in line.low[at:end]):
        return None
    text = line.text(at, end)
    return Phrase(at, end, text, "value", rest=text)
