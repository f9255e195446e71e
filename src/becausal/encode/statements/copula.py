# SPDX-License-Identifier: Apache-2.0
"""Facts told with "is": what somebody or something is, and where it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .. import vocabulary as words
from ..shapes import Shape
from . import lexicon as lex
from .attributes import attribute, facts_of_attribute
from .drafting import closes, made, owner_of, relation
from .line import Line
from .matching import Draft, match, objects_at, subject_fits
from .patterns import COMPLEMENTS, LEMMAS, PASSIVE
from .phrases import Phrase, build, phrase
from .verbs import Verb

_MAX_NOMINAL = 7
_MADE_BY = {
    **dict.fromkeys(("film", "movie", "documentary"), "was directed by"),
    **dict.fromkeys(("novel", "book", "poem", "play", "memoir"), "was written by"),
    **dict.fromkeys(("album", "song", "single"), "was performed by"),
    "opera": "was composed by",
    "painting": "was painted by",
}
_FAMILY = lex.BLOOD | lex.SPOUSES
_OLDEST = 120
_STOP = frozenset(("", ".", "!", ",", "and", "now"))
_RELATIVES = frozenset(("who", "that", "which", "whose", "where", "named", "called", "starring", "featuring"))
_CUT = frozenset(("-", "(", '"', "born"))  # here a phrase was cut short
_ROLE_FOR = frozenset(("at", "for", "with"))


def facts_of_be(line: Line, subjects: Sequence[Phrase], verb: Verb, at: int) -> list[Draft]:
    """Return the facts of "is …": an attribute, a relation, a place, a class or a trait."""
    subject = subjects[0]
    place = verb.at
    if len(subjects) == 2 and (predicate := lex.MUTUAL.get(line.low[place])):
        if line.low[place] == "friends" and line.low[place + 1] in ("with", "of"):
            return []
        thing = subjects[1]._replace(start=place, end=place + 1)
        return [Draft(subject, predicate, thing, verb.tense, at, place + 1, ended=verb.ended, negated=verb.negated)]
    if len(subjects) == 1 and (found := facts_of_attribute(line, subject, verb, at)):
        return found
    if rows := COMPLEMENTS.get(line.low[place]):
        complement = verb._replace(at=place + 1)
        if found := match(line, subjects, complement, at, rows):
            return [_filled(line, draft, place) for draft in found]
    if line.low[place] == "in" and (found := _in_place(line, subjects, verb, at)):
        return found
    if found := [draft for each in subjects for draft in _nominal(line, each, verb, at)]:
        return found
    return [draft for each in subjects for draft in _trait(line, each, verb, at)]


def _filled(line: Line, draft: Draft, at: int) -> Draft:
    """Give "is on call" the object it has in the table's words."""
    if draft.object.text:
        return draft
    text = line.text(at, draft.after).replace("-", " ")
    return draft._replace(predicate="is", object=draft.object._replace(text=text, start=at))


def nominal_subject(subject: Phrase) -> bool:
    """Say whether "is a …" said of a phrase is a fact about something known."""
    if subject.sort in ("first", "name") or (subject.named and subject.sort in ("person", "component")):
        return True
    if subject.sort == "component":
        return subject_fits(subject, "s")
    return bool(subject.owner) and subject.head in lex.HAD


def _nominal(line: Line, subject: Phrase, verb: Verb, at: int) -> list[Draft]:
    place = verb.at
    found = phrase(line, place)
    if found is None or found.end == place:
        return []
    if found.named:
        return _is_name(line, subject, found, verb, at)
    if found.owner and found.head in lex.RELATIONAL and not found.plural:
        if subject.named:
            return [relation(subject, found.rest, owner_of(found), verb, at, found.end)]
        return []
    if found.owner and (asked := attribute(found)) and asked[1] in ("free", "name") and subject.named:
        return [made(owner_of(found), asked[0], subject._replace(start=place, end=found.end), verb, at, found.end)]
    if not nominal_subject(subject) or found.det in lex.OTHER_OWNER or found.end - place > _MAX_NOMINAL + 1:
        return []
    return _class(line, subject, found, verb, at)


def _is_name(line: Line, subject: Phrase, found: Phrase, verb: Verb, at: int) -> list[Draft]:
    """Read "my brother is Tom", "our CTO is Maria", "Ana's parents are Tom and Eva"."""
    if subject.owner and subject.head in lex.RELATIONAL and not subject.named:
        people = objects_at(line, found.start, "PN")
        return [relation(each, subject.head, owner_of(subject), verb, at, people[-1].end) for each in people]
    if subject.head in lex.ROLE_NOUNS and not subject.named and found.sort in ("person", "name"):
        role = subject._replace(start=found.start, end=found.end, entity=None)
        if subject.det in ("the", "our") and not subject.owner_entity:
            return [made(found, "is", role._replace(text=f"the {subject.rest}"), verb, at, found.end)]
    if subject.named and found.known_as and found.owner:
        return []
    return []


def _class(line: Line, subject: Phrase, found: Phrase, verb: Verb, at: int) -> list[Draft]:
    """Read "is a …", "is the … of …", "is CTO at …"."""
    begun = line.low[found.start + (1 if found.det else 0)]
    after = line.low[found.end]
    if found.sort not in ("noun", "person", "component", "name") or (found.head in lex.VAGUE and after != "of"):
        return []
    inside = line.low[found.start : found.end]
    if found.head == "fan":
        return _of(line, subject, found, verb, at)
    if not lex.OPINIONS.isdisjoint(inside) or begun in ("lot", "bit", "few", "little", "kind", "sort", "type"):
        return []
    found = _whole(line, found)
    ahead = line.low[found.end]
    if not (closes(line, found.end) or ahead in LEMMAS or ahead in _RELATIVES) or ahead in _CUT:
        return []
    drafts: list[Draft] = []
    of = _of(line, subject, found, verb, at)
    if of:
        drafts += of
    elif found.det in ("a", "an") and (after not in ("of", "to", "that", "than") or found.head in lex.ROLE_NOUNS):
        if found.end - found.start > 2 or found.head in lex.ROLE_NOUNS or _definite_class(found):
            drafts.append(made(subject, "is", found, verb, at))
    elif found.det in ("", "the", "our") and found.head in lex.ROLE_NOUNS and not found.plural and after != "of":
        if not found.det and not closes(line, found.end):
            return []
        shown = f"the {found.rest}" if found.det else found.rest
        drafts.append(made(subject, "is", found._replace(text=shown, entity=None), verb, at))
    if not drafts:
        return []
    drafts += _released(line, subject, found, at)
    return drafts + list(_behind(line, subject, drafts, found, verb, at))


def _whole(line: Line, found: Phrase) -> Phrase:
    """Take in the rest of "a fashion and costume designer"."""
    if found.head in lex.ROLE_NOUNS or line.low[found.end] not in ("and", "&") or not found.det:
        return found
    more = phrase(line, found.end + 1)
    if more is None or more.det or more.named or more.head not in lex.ROLE_NOUNS:
        return found
    rest = line.text(found.start + 1, more.end)
    text = line.text(found.start, more.end)
    return found._replace(end=more.end, text=text, rest=rest, head=more.head, sort="person", entity=None)


def _definite_class(found: Phrase) -> bool:
    return found.head not in words.ADJECTIVES and found.head not in lex.VAGUE


def _of(line: Line, subject: Phrase, found: Phrase, verb: Verb, at: int) -> list[Draft]:
    """Read what is of something: the capital of France, a member of the board, a fan of jazz."""
    if line.low[found.end] != "of" or found.head in lex.ONLY_ADJECTIVES:
        return []
    if found.head == "fan":
        things = objects_at(line, found.end + 1, "NBC")
        return [made(subject, "likes", thing, verb, at, things[-1].end) for thing in things]
    related = found.head in lex.RELATIONAL
    things = objects_at(line, found.end + 1, "PN" if related else "NCD", commas=not related)
    if not things and found.head in lex.ROLE_NOUNS:
        things = objects_at(line, found.end + 1, "FB")
        if things and line.low[things[-1].end] in (",", "and"):
            return []
    if related:
        return [relation(subject, found.rest, thing, verb, at, things[-1].end) for thing in things]
    if not things or found.det not in ("a", "an", "the", "", "one"):
        return []
    if not found.det and found.head not in lex.ROLE_NOUNS:
        return []
    size = len(found.rest.split())
    if size > 4:
        return []
    office = found.rest
    if office[:4].casefold() == "new " and found.head in lex.ROLE_NOUNS:  # new is who has it, not the office
        office, verb = office[4:], verb._replace(begins=not verb.ended)
    shown = f"is {found.det} {office} of" if found.det else f"is {office} of"
    return [made(subject, shown, thing, verb, at, things[-1].end) for thing in things]


def _released(line: Line, subject: Phrase, found: Phrase, at: int) -> list[Draft]:
    """Read the year in "a 1960 crime film"."""
    first = found.start + (1 if found.det else 0)
    year = line.low[first]
    if found.head not in lex.WORKS or not (len(year) == 4 and year.isdigit() and year[0] in "12"):
        return []
    thing = Phrase(first, first + 1, year, "time")
    return [Draft(subject, "was released in", thing, "past", at, found.end, event=True)]


def _behind(
    line: Line, subject: Phrase, drafts: Sequence[Draft], found: Phrase, verb: Verb, at: int
) -> Iterator[Draft]:
    """Read what stands behind a predicate noun: "a nurse at Mercy", "a film directed by Ana"."""
    place = drafts[-1].after if drafts[0].predicate != "is" else found.end
    if drafts[0].predicate == "is" and found.head in lex.ROLE_NOUNS and line.low[place] in _ROLE_FOR:
        employers = objects_at(line, place + 1, "N")
        for employer in employers:
            if employer.sort == "name" and employer.kind not in ("product", "place"):
                yield made(subject, "works at", employer, verb, at)
                place = employer.end
    if drafts[0].predicate == "is" and line.low[place] in (",", "and"):
        start = place + 1 + (line.low[place + 1] == "and")
        kin = phrase(line, start)
        if kin and not kin.owner and kin.head in _FAMILY and line.low[kin.end] == "of":
            others = objects_at(line, kin.end + 1, "P", commas=False)
            yield from (relation(subject, kin.rest, other, verb, at, others[-1].end) for other in others)
    if line.low[place] == "by" and (predicate := _MADE_BY.get(found.head)):
        makers = objects_at(line, place + 1, "P")
        for maker in makers:
            yield made(subject, predicate, maker, verb._replace(tense="present"), at)
            place = makers[-1].end
    for _ in range(3):
        if line.low[place] == "," and LEMMAS.get(line.low[place + 1]):
            place += 1
        lemmas = [line.low[place]]
        while line.low[place + 1] in ("and", ",", "&") and line.low[place + 2] in LEMMAS and len(lemmas) < 4:
            place += 2
            lemmas.append(line.low[place])
        more: list[Draft] = []
        for word in lemmas:
            form = LEMMAS.get(word)
            if form and form[1] in ("past", "participle") and form[0] in PASSIVE:
                passive = Verb(form[0], "passive", verb.tense, place + 1)
                more += match(line, [subject], passive, at)
        if not more:
            return
        yield from more
        place = max(draft.after for draft in more)
        if line.low[place] in ("and", ",") and line.low[place + 1] in LEMMAS:
            place += 1
        elif line.low[place] not in LEMMAS:
            return


def _in_place(line: Line, subjects: Sequence[Phrase], verb: Verb, at: int) -> list[Draft]:
    places = objects_at(line, verb.at + 1, "L")
    if not places or len(places) > 1:
        return []
    drafts = []
    for subject in subjects:
        if subject.sort not in ("first", "person", "name", "component", "noun"):
            return []
        if subject.sort == "noun" and (not subject.det or subject.head in lex.VAGUE):
            return []
        person = subject.sort in ("first", "person")
        drafts.append(made(subject, "is in" if person else "is located in", places[0], verb, at))
    return drafts


def _trait(line: Line, subject: Phrase, verb: Verb, at: int) -> list[Draft]:
    """Read the lasting adjectives: "is vegan", "is German", "is deprecated", "is 30 years old"."""
    place = verb.at
    low = line.low[place]
    who = subject.sort in ("first", "person") or (subject.sort == "name" and subject.kind in ("thing", ""))
    if who and line.token_shape(place) is Shape.NUMBER and line.low[place + 1] in ("years", "year"):
        if line.low[place + 2] == "old":
            return [made(subject, "age is", Phrase(place, place + 3, line.text(place, place + 1), "value"), verb, at)]
        return []
    if (subject.sort in ("first", "person") and low.isdigit() and 0 < int(low) < _OLDEST) and line.low[
        place + 1
    ] in _STOP:
        return [made(subject, "age is", Phrase(place, place + 1, low, "value"), verb, at)]
    if not closes(line, place + 1) or line.low[place + 1] in ("to", "with", "for", "about", "at", "of"):
        return []
    if (who and (low in lex.TRAITS or low in lex.NATIONALITIES)) or (
        low in lex.STATES and (subject_fits(subject, "s") or (subject.sort == "noun" and subject_fits(subject, "n")))
    ):
        thing = build(line, place, place, place + 1, "")
        text = line.text(place, place + 1)
        return [made(subject, "is", Phrase(place, place + 1, text, "free") if thing is None else thing, verb, at)]
    return []
