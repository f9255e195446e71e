# SPDX-License-Identifier: Apache-2.0
"""Facts told with "is" and "has": what somebody or something is, where it is, and what it has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .. import vocabulary as words
from ..shapes import Shape
from . import lexicon as lex
from .line import Line
from .matching import Draft, match, objects_at, subject_fits
from .patterns import COMPLEMENTS, LEMMAS, PASSIVE
from .phrases import Phrase, build, extent, phrase, quoted, time, value
from .verbs import Verb

_MAX_NOMINAL = 7
_ENDS = (
    lex.BOUNDARIES | lex.PREPOSITIONS | frozenset((",", ".", "!", "(", ")", "", "with", '"', "—", "-", "too", "now"))
)
_MADE_BY = {
    **dict.fromkeys(("film", "movie", "documentary"), "was directed by"),
    **dict.fromkeys(("novel", "book", "poem", "play", "memoir"), "was written by"),
    **dict.fromkeys(("album", "song", "single"), "was performed by"),
    "opera": "was composed by",
    "painting": "was painted by",
}
_NOTHING = lex.PHRASE_STOPS | lex.OPINIONS
_FAMILY = lex.BLOOD | lex.SPOUSES
_OLDEST = 120
_STOP = frozenset(("", ".", "!", ",", "and", "now"))
_RELATIVES = frozenset(("who", "that", "which", "whose", "where", "named", "called", "starring", "featuring"))
_CUT = frozenset(("-", "(", '"', "born"))  # here a phrase was cut short
_ROLE_FOR = frozenset(("at", "for", "with"))
_GONE = frozenset(("former", "ex", "late", "previous", "old", "first"))


def facts_of_be(line: Line, subjects: Sequence[Phrase], verb: Verb, at: int) -> list[Draft]:
    """Return the facts of "is …": an attribute, a relation, a place, a class or a trait."""
    subject = subjects[0]
    place = verb.at
    if len(subjects) == 2 and (predicate := lex.MUTUAL.get(line.low[place])):
        if line.low[place] == "friends" and line.low[place + 1] in ("with", "of"):
            return []
        thing = subjects[1]._replace(start=place, end=place + 1)
        return [Draft(subject, predicate, thing, verb.tense, at, place + 1, ended=verb.ended, negated=verb.negated)]
    if len(subjects) == 1 and (found := _attribute(line, subject, verb, at)):
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


def _made(subject: Phrase, predicate: str, thing: Phrase, verb: Verb, at: int, after: int = 0) -> Draft:
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


# --- attributes ---------------------------------------------------------------------------------


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


def _attribute(line: Line, subject: Phrase, verb: Verb, at: int) -> list[Draft]:
    """Read "Ana's birthday is 3 May", "the port of the billing service is 8080", "the deadline is Friday"."""
    found = attribute(subject)
    if found is None or verb.negated:
        return []
    predicate, kind = found
    thing = _attribute_value(line, verb.at, kind, subject.head)
    if thing is None:
        return []
    if subject.owner:
        holder = subject._replace(text=subject.owner, sort="noun", entity=subject.owner_entity)
        return [_made(holder, predicate, thing, verb, at)]
    *before, last = subject.rest.split()
    if before and before[-1].casefold() not in lex.QUALIFIERS and subject.det in ("", "the"):
        owner = " ".join(before)
        head = lex.ATTRIBUTE_NAMES.get(last.casefold(), _cased(last))
        apt = before[-1].casefold() in lex.NOUNS or before[-1][0].isupper()
        if not subject.named and apt:
            return [_made(subject._replace(text=owner), f"{head} is", thing, verb, at)]
    if subject.det != "the" or subject.head not in lex.SETTINGS:
        return []
    return [_made(subject._replace(text=subject.rest), "is set to", thing, verb, at)]


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
            (phrase(line, at) if name > at else Phrase(at, end, text, "value"))
            if plain and _closes(line, end)
            else None
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
    return found if _closes(line, found.end) else None


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
    if not at < end <= at + 2 or not _closes(line, end):
        return None
    if not named and any(word in words.ADJECTIVES or words.is_common(word) for word in line.low[at:end]):
        return None
    text = line.text(at, end)
    return Phrase(at, end, text, "value", rest=text)


def _closes(line: Line, at: int) -> bool:
    return line.low[at] in _ENDS or at in line.time_at or at >= len(line)


# --- relations ----------------------------------------------------------------------------------


def relation(one: Phrase, known_as: str, other: Phrase, verb: Verb, at: int, after: int) -> Draft:
    """Return the fact that ``one`` is the sister, boss, … of ``other``."""
    titles = known_as.casefold().split()
    head = words.singular(titles[-1])
    gone = not _GONE.isdisjoint(titles[:-1]) and bool({"former", "ex", "previous"} & set(titles))
    verb = verb._replace(ended=verb.ended or gone)
    if head in lex.BLOOD and verb.tense == "past" and not gone:
        verb = verb._replace(tense="present")
    if head in lex.SPOUSES:
        return _made(other, "is married to", one, verb, at, after)
    if head in lex.BOSSES:
        return _made(other, "reports to", one, verb, at, after)
    return _made(one, f"is the {head} of", other, verb, at, after)


def owner_of(found: Phrase) -> Phrase:
    """Return the owner of what a phrase names."""
    return found._replace(text=found.owner, sort="noun", entity=found.owner_entity, known_as="", owner="", named=True)


# --- classes ------------------------------------------------------------------------------------


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
        return [_made(owner_of(found), asked[0], subject._replace(start=place, end=found.end), verb, at, found.end)]
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
            return [_made(found, "is", role._replace(text=f"the {subject.rest}"), verb, at, found.end)]
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
    if not (_closes(line, found.end) or ahead in LEMMAS or ahead in _RELATIVES) or ahead in _CUT:
        return []
    drafts: list[Draft] = []
    of = _of(line, subject, found, verb, at)
    if of:
        drafts += of
    elif found.det in ("a", "an") and (after not in ("of", "to", "that", "than") or found.head in lex.ROLE_NOUNS):
        if found.end - found.start > 2 or found.head in lex.ROLE_NOUNS or _definite_class(found):
            drafts.append(_made(subject, "is", found, verb, at))
    elif found.det in ("", "the", "our") and found.head in lex.ROLE_NOUNS and not found.plural and after != "of":
        if not found.det and not _closes(line, found.end):
            return []
        shown = f"the {found.rest}" if found.det else found.rest
        drafts.append(_made(subject, "is", found._replace(text=shown, entity=None), verb, at))
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
        return [_made(subject, "likes", thing, verb, at, things[-1].end) for thing in things]
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
    shown = f"is {found.det} {found.rest} of" if found.det else f"is {found.rest} of"
    return [_made(subject, shown, thing, verb, at, things[-1].end) for thing in things]


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
                yield _made(subject, "works at", employer, verb, at)
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
            yield _made(subject, predicate, maker, verb._replace(tense="present"), at)
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


# --- places and traits --------------------------------------------------------------------------


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
        drafts.append(_made(subject, "is in" if person else "is located in", places[0], verb, at))
    return drafts


def _trait(line: Line, subject: Phrase, verb: Verb, at: int) -> list[Draft]:
    """Read the lasting adjectives: "is vegan", "is German", "is deprecated", "is 30 years old"."""
    place = verb.at
    low = line.low[place]
    who = subject.sort in ("first", "person") or (subject.sort == "name" and subject.kind in ("thing", ""))
    if who and line.token_shape(place) is Shape.NUMBER and line.low[place + 1] in ("years", "year"):
        if line.low[place + 2] == "old":
            return [_made(subject, "age is", Phrase(place, place + 3, line.text(place, place + 1), "value"), verb, at)]
        return []
    if (subject.sort in ("first", "person") and low.isdigit() and 0 < int(low) < _OLDEST) and line.low[
        place + 1
    ] in _STOP:
        return [_made(subject, "age is", Phrase(place, place + 1, low, "value"), verb, at)]
    if not _closes(line, place + 1) or line.low[place + 1] in ("to", "with", "for", "about", "at", "of"):
        return []
    if (who and (low in lex.TRAITS or low in lex.NATIONALITIES)) or (
        low in lex.STATES and (subject_fits(subject, "s") or (subject.sort == "noun" and subject_fits(subject, "n")))
    ):
        thing = build(line, place, place, place + 1, "")
        text = line.text(place, place + 1)
        return [_made(subject, "is", Phrase(place, place + 1, text, "free") if thing is None else thing, verb, at)]
    return []


# --- having -------------------------------------------------------------------------------------


def facts_of_have(line: Line, subjects: Sequence[Phrase], verb: Verb, at: int) -> list[Draft]:
    """Return the facts of "has …": relatives, pets, lasting conditions and possessions, and numbers of things."""
    place = verb.at
    found = phrase(line, place)
    if found is None or found.named or found.det not in ("", "a", "an"):
        return []
    subject = subjects[0]
    person = subject.sort in ("first", "person") or (subject.sort == "name" and subject.kind in ("thing", ""))
    first = line.low[place]
    counted = line.token_shape(place) is Shape.NUMBER or first in lex.NUMBERS
    if line.low[found.end] in ("named", "called") and (found.head in lex.RELATIONAL or found.head in lex.PETS):
        names = objects_at(line, found.end + 1, "NP")
        return [
            relation(name, found.rest, each, verb, at, names[-1].end)
            for each in subjects
            for name in names
            if person and found.det != ""
        ] or _counted(line, subjects, found, verb, at, counted and person)
    if person:
        if found.head == "allergy" and line.low[found.end] == "to":
            things = objects_at(line, found.end + 1, "B")
            return [_made(each, "is allergic to", thing, verb, at) for each in subjects for thing in things]
        if (found.det and found.head in lex.LASTING) or (not found.det and line.low[found.end - 1] in lex.CONDITIONS):
            if line.low[found.end] in ("who", "that", "in") and found.head in lex.RELATIONAL:
                return []
            return [_made(each, "has", found, verb, at) for each in subjects]
        return _counted(line, subjects, found, verb, at, counted)
    if not subject_fits(subject, "s"):
        return []
    if counted and (found.sort == "value" or found.end - found.start > 1):
        thing = value(line, place) or found
        if thing.end < found.end:
            thing = found
        return [_made(each, "has", thing, verb, at) for each in subjects]
    return []


def _counted(line: Line, subjects: Sequence[Phrase], found: Phrase, verb: Verb, at: int, counted: bool) -> list[Draft]:
    last = line.low[found.end - 1]
    if not counted or last not in lex.COUNTED or found.end - found.start > 4:
        return []
    return [_made(each, "has", found, verb, at) for each in subjects]
