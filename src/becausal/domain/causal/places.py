# SPDX-License-Identifier: Apache-2.0
"""Where a connective was found, and what can be asked of the words around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from . import lexicon as lex
from .lexicon import word_set
from .tokens import has_finite, is_word
from .verbs import BASE, PARTICIPLE, PAST, VERB_FORMS, kind_of

PEOPLE: Final = word_set("i we you he she they who team engineers engineer people staff")
_NO_NAMES: Final = (  # a capital letter in front of a sentence makes no person of them
    lex.DETERMINERS | lex.PRONOUNS | lex.HAPPENINGS | lex.OUTCOMES | lex.TROUBLE
)
TIMES: Final = word_set(
    "year years month months week weeks day days hour hours minute minutes first second last next time moment "
    "night season while few morning afternoon evening weekend"
)
_HELPED: Final = word_set("us them him her me you it")
OWNED: Final = word_set("the our its their his her how this my")


class Place(NamedTuple):
    """Where a connective was found: its head, where it ends, where its verb group starts."""

    words: Sequence[str]
    start: int
    head: int
    end: int
    floor: int
    capitals: Sequence[bool] = ()

    @property
    def before(self) -> str:
        return self.words[self.start - 1] if self.start > self.floor else ""

    @property
    def after(self) -> str:
        return self.words[self.end]

    @property
    def takes_object(self) -> bool:
        """Whether what follows begins an object: "the albums", "Grandma's albums"."""
        return self.after in lex.DETERMINERS or self.after.endswith(("'s", "’s"))

    @property
    def by_person(self) -> bool:
        """Whether the subject is somebody: a pronoun, or a single capitalised word that is no abbreviation."""
        at = self.start - 1
        named = (
            at >= self.floor and bool(self.capitals) and self.capitals[at] and not any(c.isdigit() for c in self.before)
        )
        named = named and self.before not in _NO_NAMES
        return self.before in PEOPLE or (named and (at == 0 or not is_word(self.words[at - 1])))

    def next_words(self, count: int) -> Sequence[str]:
        return self.words[self.end : self.end + count]

    def until_comma(self, count: int) -> int:
        """The end of the next ``count`` words, or the first comma, semicolon or colon among them."""
        stop = min(len(self.words), self.end + count)
        return next((j for j in range(self.end, stop) if self.words[j] in (",", ";", ":")), stop)


Guard = Callable[[Place], bool]


def outcome_left(words: Sequence[str], at: int, floor: int) -> bool:
    """Whether the noun just left of ``at`` names an outcome, looking past "in the kitchen" and the like."""
    for j in range(at - 1, max(floor, at - 6) - 1, -1):
        if words[j] in lex.OUTCOMES:
            following = words[j + 1]
            attached = following in lex.PREPOSITIONS or following in lex.RELATIVES or following == ","
            return j + 1 == at or (attached and not any(word.endswith("ing") for word in words[j + 1 : at]))
        if words[j] in (";", ":") or (words[j] in lex.AUXILIARIES and j < at - 1):
            return False
    return False


def is_base(word: str) -> bool:
    return VERB_FORMS.get(word, ("", ""))[1] == BASE


def clause_from(words: Sequence[str], at: int) -> bool:
    opens = is_word(words[at]) or words[at] in "\"'“`("
    return opens and has_finite(words, at + 1, min(len(words), at + 14))


def may_be_noun(word: str) -> bool:
    """Whether a word may be the noun that an adjective before it belongs to."""
    function = word in lex.PREPOSITIONS or word in lex.COORDINATORS or word in lex.SUBORDINATORS or word in lex.MANNER
    return is_word(word) and not function and word not in lex.DETERMINERS and not word.endswith("ly")


def is_participle(word: str) -> bool:
    return kind_of(word) in (PAST, PARTICIPLE)


def helps_somebody(place: Place) -> bool:
    """ "Helped us weather the storm"."""
    following = place.next_words(3)
    return len(following) > 2 and following[0] in _HELPED and following[1].isalpha() and following[2] in lex.DETERMINERS


def after_pause(place: Place) -> bool:
    return place.head == 0 or place.words[place.head - 1] in (",", ";", "and")
