# SPDX-License-Identifier: Apache-2.0
"""Noun phrases as the ends of facts: where they begin and end, and what sort of thing they name."""

from __future__ import annotations

from typing import NamedTuple

from ...domain.causal.verbs import BASE, GERUND, NOUN_LIKE, PARTICIPLE, PAST, VERB_FORMS
from ...domain.text import normalize_name
from .. import vocabulary as words
from ..shapes import Shape
from . import lexicon as lex
from .line import Line

MAX_PHRASE = 10
"""Words of a noun phrase; a longer one is none that could be an end of a fact."""

_LY_NOUNS = frozenset("family assembly supply reply daily early only friendly lovely likely weekly anomaly fly".split())
_VALUES = frozenset(("url", "email", "version", "reference"))
_PARENTS = frozenset("mom mum dad mommy daddy grandma grandpa".split())
_GENERIC = frozenset(
    "company framework city town village river language brand startup restaurant island band product firm tool".split()
)
_QUOTES = {'"': '"', "“": "”", "`": "`", "«": "»"}
_MAX_QUOTED = 14


class Phrase(NamedTuple):
    """A noun phrase, words ``start`` … ``end``, as it reads as an end of a fact.

    ``sort``: first (the teller), person, name (of anything else), component, noun, value, time or free. ``det`` is its
    determiner and ``rest`` what follows determiner and owner; ``head`` is its last noun in the singular; ``entity``
    the key of the entity it is, and ``kind`` that entity's type. ``known_as`` is what a name was introduced by:
    "sister" in "my sister Ana".
    """

    start: int
    end: int
    text: str
    sort: str
    det: str = ""
    rest: str = ""
    head: str = ""
    entity: str | None = None
    kind: str = ""
    plural: bool = False
    named: bool = False
    owner: str = ""
    owner_entity: str | None = None
    known_as: str = ""


def first(line: Line, at: int) -> Phrase:
    """Return the teller: who "I" is."""
    teller = line.context.teller
    key = normalize_name(teller)
    entity = key if key in line.context.entities else None
    return Phrase(at, at + 1, teller, "first", entity=entity, named=True)


def phrase(line: Line, at: int) -> Phrase | None:
    """Return the noun phrase that begins at a word, as long as it may be."""
    low = line.low[at]
    if low in lex.FIRST or low in lex.FIRST_OBJECT:
        return first(line, at)
    if low == "#" or low in _QUOTES:
        return quoted(line, at)
    body, det = determiner(line, at)
    if body < 0:
        return None
    end = extent(line, body)
    return build(line, at, body, end, det) if end > body else None


def determiner(line: Line, at: int) -> tuple[int, str]:
    """Return where the body of a noun phrase begins, and its determiner; -1 if it points out of the sentence."""
    low = line.low[at]
    if line.token_shape(at) is Shape.CAPITAL:
        end, key = line.name_end(at)
        if end > at + 1 or key is not None:  # The Hague
            return at, ""
    if low in lex.ARTICLES or low in lex.FIRST_OWNER or low in lex.OTHER_OWNER:
        return at + 1, low
    if low == "this" and line.low[at + 1] in lex.THIS:
        return at + 1, "our"
    return (-1, "") if low in lex.DEICTIC else (at, "")


def extent(line: Line, at: int, *, subject: bool = False) -> int:
    """Return where the run of words ends that may make a noun phrase, begun after its determiner."""
    place, limit = at, min(len(line), at + MAX_PHRASE)
    while place < limit:
        end, _ = line.name_end(place)
        if end > place:
            if place > at and not _joins(line, place) and not _is_version(line, place):
                break
            place = end
        elif line.low[place] == "'s":
            if place == at or not possessive(line, place):
                break
            place += 1
        elif (place in line.time_at and not subject and line.low[place] not in lex.NUMBERS) or not _nounish(
            line, place, at, subject
        ):
            break
        else:
            place += 1
    return place


def _joins(line: Line, place: int) -> bool:
    """Say whether a name goes on with the phrase before it: "my sister Ana", but not "Berlin Ana"."""
    return line.name_end(place - 1)[0] != place


def possessive(line: Line, place: int) -> bool:
    """Say whether "'s" makes an owner, and is not short for "is" or "has"."""
    after = place + 1
    low = line.low[after]
    if line.token_shape(after) is Shape.NUMBER:
        return False
    if line.name_end(after)[0] > after:
        return True
    form = VERB_FORMS.get(low)
    if form is not None and form[1] in (GERUND, PAST, PARTICIPLE) and low not in words.NOUNS:
        return False
    if low in lex.TRAITS or low in lex.NATIONALITIES:
        return False
    return _nounish(line, after, after, False) and low not in lex.ADVERBS


def _nounish(line: Line, place: int, at: int, subject: bool) -> bool:
    """Say whether a word may stand in a noun phrase that begins at ``at``."""
    low = line.low[place]
    shape = line.token_shape(place)
    if shape is None or shape is Shape.MARK:
        return low == "$" or (low == "%" and place > at)
    if shape is Shape.NUMBER:
        return True
    if low in lex.PHRASE_STOPS or low in lex.DOUBT:
        return False
    if low.endswith("ly") and low not in _LY_NOUNS:
        return False
    form = VERB_FORMS.get(low)
    if form is None or low in NOUN_LIKE or low in words.NOUNS or low in lex.COMPONENTS or low in lex.ROLE_NOUNS:
        return True
    if form[1] == GERUND:
        after = line.low[place + 1]
        return place == at or after in lex.COMPONENTS or words.singular(after) in words.NOUNS
    if form[1] in (PAST, PARTICIPLE):
        return place == at or low in words.ADJECTIVES
    return form[1] == BASE and (subject or place == at)


def build(line: Line, at: int, body: int, end: int, det: str) -> Phrase | None:
    """Make a phrase of the words ``body`` … ``end``; ``at`` is where its determiner is, if it has one."""
    if not at <= body < end or line.low[end - 1] == "'s":
        return None
    name, key = line.name_end(body)
    if name == end or (body < name == end - 1 and _is_version(line, name)):
        return _named(line, at, body, end, key, det)
    if name > end:
        return None
    for place in range(body + 1, end):
        if line.low[place] == "'s":
            return _owned(line, at, body, place, end, det)
    for place in range(body + 1, end):
        last, key = line.name_end(place)
        if last >= end:
            return _introduced(line, at, body, place, end, key, det) if last == end else None
        if last > place:
            break
    return _common(line, at, body, end, det)


def _is_version(line: Line, at: int) -> bool:
    """Say whether a word is the number behind a name, as in "Postgres 15"."""
    shape = line.token_shape(at)
    number = shape is Shape.NUMBER or (shape is Shape.IDENTIFIER and line.low[at].lstrip("v")[:1].isdigit())
    return number and line.token_shape(at - 1) is not Shape.NUMBER


def _named(line: Line, at: int, body: int, end: int, key: str | None, det: str) -> Phrase | None:
    text = line.text(body, end)
    kind = line.context.entities.get(key, "thing") if key else line.guess(body)
    head = line.low[end - 1]
    if head in words.TITLES or head in ("st", "mt"):  # cut off at its full stop
        return None
    if kind in _VALUES:
        return Phrase(at, end, text, "value", det, text, head, key, kind, named=True)
    if det in lex.FIRST_OWNER or det in lex.OTHER_OWNER or det in ("a", "an"):  # one of those that bear the name
        owner = line.context.teller if det in lex.FIRST_OWNER else ""
        shown = f"{owner}'s {text}" if det == "my" else text if owner else line.text(at, end)
        return Phrase(at, end, shown, "noun", det, text, head, kind=kind, owner=owner)
    sort = "person" if kind == "person" else "name"
    if kind == "service" or (sort == "name" and head in lex.COMPONENTS):
        sort = "component"
    return Phrase(at, end, text, sort, det, text, head, key, kind, named=True)


def _owned(line: Line, at: int, body: int, mark: int, end: int, det: str) -> Phrase | None:
    """Make a phrase of what somebody has: "Ana's dog", "my sister's dog"."""
    owner = build(line, at, body, mark, det)
    inner = build(line, mark + 1, mark + 1, end, "the") if mark + 1 < end else None
    if owner is None or inner is None or owner.det in lex.OTHER_OWNER:
        return None
    if owner.det == "the" and owner.sort == "noun" and owner.rest.isalpha():  # "the empire's capital": which empire?
        return None
    if inner.known_as or inner.owner:
        return inner._replace(start=at, owner=owner.text, owner_entity=owner.entity) if inner.named else None
    sort = "noun" if inner.named else inner.sort
    return inner._replace(
        start=at,
        text=f"{owner.text}'s {inner.rest}",
        sort=sort,
        det="'s",
        named=False,
        entity=None,
        owner=owner.text,
        owner_entity=owner.entity,
    )


def _introduced(line: Line, at: int, body: int, name: int, end: int, key: str | None, det: str) -> Phrase | None:
    """Read "my sister Ana", "actress Ana Lopez", "our CTO Ana": the name, and what it was introduced by."""
    title = words.singular(line.low[name - 1])
    if title in _GENERIC or title in lex.WORKS or title in lex.COMPONENTS:
        kind = line.context.entities.get(key or "", "thing")
        text = line.text(name, end)
        return Phrase(at, end, text, "name", "", text, line.low[end - 1], key, kind, named=True)
    if title not in lex.RELATIONAL and title not in lex.ROLE_NOUNS and title not in lex.PETS:
        return None
    if det in lex.OTHER_OWNER or det in ("a", "an") or "ex" in line.low[body:name]:
        return None
    owner = line.context.teller if det in lex.FIRST_OWNER else ""
    return Phrase(
        at,
        end,
        line.text(name, end),
        "person",
        rest=line.text(body, name),
        head=title,
        entity=key,
        kind="person",
        named=True,
        known_as=line.text(body, name),
        owner=owner,
    )


def _common(line: Line, at: int, body: int, end: int, det: str) -> Phrase:
    rest = line.text(body, end)
    last = line.low[end - 1]
    head = words.singular(last)
    bare = end - body == 1
    if bare and last == "user" and det in ("", "the"):
        user = line.context.user
        key = normalize_name(user)
        return Phrase(
            at, end, user, "first", entity=key if key in line.context.entities else None, kind="user", named=True
        )
    if bare and line.token_shape(body) is Shape.NUMBER:
        return Phrase(at, end, rest, "value", det, rest, head)
    sort = "noun"
    if head in lex.COMPONENTS or last in lex.COMPONENTS:
        sort = "component"
    elif head in lex.RELATIONAL or head in lex.ROLE_NOUNS:
        sort = "person"
    parent = bare and not det and last in _PARENTS  # "Mom is a nurse"
    owner = line.context.teller if det in lex.FIRST_OWNER or parent else ""
    text = rest
    if parent:
        text = f"{owner}'s {last}"
    elif det == "my" or (det == "our" and (head in lex.RELATIONAL or head in lex.PETS)):
        text = f"{owner}'s {rest}"
    elif det not in ("", "the", "our"):
        text = line.text(at, end)
    key = normalize_name(text)
    part = sort == "component" and not bare and det in ("", "the", "our")
    entity = key if part or key in line.context.entities else None
    return Phrase(at, end, text, sort, det, rest, head, entity, "", head != last, owner=owner)


def value(line: Line, at: int) -> Phrase | None:
    """Return the number with its unit, or the quotation, that begins at a word."""
    if line.low[at] in _QUOTES:
        return quoted(line, at)
    place = at + (line.low[at] in ("port", "version", "#", "$", "~"))
    if line.token_shape(place) is not Shape.NUMBER:
        name, key = line.name_end(place)
        kind = line.context.entities.get(key or "", "")
        if name > place and (kind in _VALUES or any(letter.isdigit() for letter in line.text(place, name))):
            return Phrase(at, name, line.text(place, name), "value", entity=key, kind=kind)
        return None
    end = place + 1
    while line.low[end] == "," and not line.spaced(end + 1) and len(line.low[end + 1]) == 3:  # 2,014
        if line.token_shape(end + 1) is not Shape.NUMBER:
            break
        end += 2
    number = end
    while end < number + 3 and (line.low[end] in lex.UNITS or line.low[end] == "%"):
        end += 1
    if line.low[end] == "of" and line.low[end + 1] in lex.MEASURED:
        end += 2
    elif line.low[end - 1] == "%" and line.low[end] == "of" and (whole := phrase(line, end + 1)):
        end = whole.end
    return Phrase(at, end, line.text(at if line.low[at] == "$" else place, end), "value")


def quoted(line: Line, at: int) -> Phrase | None:
    """Return what stands in quotation marks that open at a word."""
    close = _QUOTES.get(line.low[at])
    if close is None:
        return None
    for place in range(at + 2, min(len(line), at + _MAX_QUOTED) + 1):
        if line.low[place] == close:
            text = line.text(at + 1, place)
            key = normalize_name(text)
            kind = line.context.entities.get(key)
            sort = "name" if kind else "value"
            return Phrase(at, place + 1, text, sort, "", text, "", key if kind else None, kind or "", named=bool(kind))
    return None


def time(line: Line, at: int) -> Phrase | None:
    """Return the time that is mentioned from a word on."""
    mention = line.time_at.get(at)
    if mention is None or mention.open:
        return None
    return Phrase(at, line.after_time(at), " ".join(mention.text.split()), "time")
