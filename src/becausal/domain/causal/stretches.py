# SPDX-License-Identifier: Apache-2.0
"""Where the clause or noun phrase to the right of a connective ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from . import lexicon as lex
from .clauses import CLOSE, DASHES, HARD, OPEN, REACH, front_comma, is_finite_verb_next, list_comma
from .lexicon import word_set
from .tokens import Sentence, has_finite, is_finite, is_word, surely_finite
from .verbs import GERUND, VERB_FORMS

ASIDE: Final = 16
"""Words within which an aside between dashes ends."""

_QUOTES: Final = frozenset('"“”')
_AFTER_COMMA: Final = word_set(
    "which who whom whose where while whereas although though but so yet however because according unless prior "
    "therefore thus hence thereby nor until if since despite given rather even"
)


def right_stretch(sentence: Sentence, start: int, ceiling: int, *, phrase: bool, clause: bool = False) -> int:
    """Where the side that begins at ``start`` ends.

    With ``phrase`` it is a noun phrase before the sentence's main verb and ends there; with ``clause`` it
    has a verb of its own and does not end before that.
    """
    words = sentence.words
    stop = min(ceiling, start + REACH, len(words))
    look = min(stop + 4, len(words))
    listed = "following" in words[start : start + 6]
    complete, within = not clause, False  # whether its verb has come, and whether the next one is a relative's
    depth = 0
    embedded = quoted = False
    at = start
    while at < stop:
        word = words[at]
        quoted ^= word in _QUOTES
        if not complete and is_finite(words, at):
            complete, within = not within, False
        within |= word in lex.RELATIVES and at > start
        if word in OPEN:
            depth += 1
        elif word in CLOSE:
            if depth == 0:
                return at
            depth -= 1
        elif depth == 0:
            inside = word == ":" and at + 1 < len(words) and sentence.starts[at + 1] == sentence.ends[at]  # "C:\\"
            if word in HARD and not inside and not (listed and word == ":"):
                close = _past_aside(words, at, stop)
                if close is None:
                    return at
                at = close
            if complete and _ends_clause(words, at, start, stop, look, phrase):
                return at
            if phrase and at > start:
                if word in _EMBEDS:
                    embedded = True
                elif not quoted and surely_finite(words, at):
                    if not embedded:
                        return _before_as(words, at, start) or _before_adverbs(words, at, start)
                    embedded = False
                    while at + 1 < stop and words[at + 1] in _VERB_PARTS:
                        at += 1
        at += 1
    return stop


_EMBEDS: Final = lex.RELATIVES | lex.SUBORDINATORS | (lex.SUBJECT_PRONOUNS - lex.DETERMINERS)
_SUBJECT_STARTS: Final = lex.DETERMINERS | lex.SUBJECT_PRONOUNS
_CLAUSE_STARTS: Final = _SUBJECT_STARTS | lex.SUBORDINATORS
_VERB_PARTS: Final = lex.AUXILIARIES | lex.MANNER
_OTHER_CLAUSE: Final = word_set("but so yet while whereas although though because unless")
_MAIN_SUBJECTS: Final = word_set("we i they you he she it there")
_TAKES_CLAUSE: Final = (
    lex.REPORTING | lex.RELATIVES | lex.SUBORDINATORS | lex.COORDINATORS | lex.PREPOSITIONS | word_set(",")
)
_NOT_GERUNDS: Final = word_set("including during nothing something anything everything")


def _ends_clause(words: Sequence[str], at: int, start: int, stop: int, look: int, phrase: bool) -> bool:
    """Whether a comma or conjunction at ``at`` ends the side that began at ``start``."""
    word = words[at]
    if word == ",":
        return _comma_ends(words, at, look, start, phrase)
    if at == start:
        return False
    if word == "but" and _joins_phrases(words, at, look):
        return False
    if word in _OTHER_CLAUSE:
        return not (word == "so" and words[at - 1] in lex.AUXILIARIES)
    if word not in ("and", "or"):
        return False
    if at + 1 < stop and (words[at + 1] in lex.FINITE_AUXILIARIES or words[at + 1] == "not"):
        return True
    return is_finite_verb_next(words, at + 1) if phrase else _clause_follows(words, at + 1, look)


def _before_as(words: Sequence[str], at: int, start: int) -> int | None:
    """Where "as the pump was off" begins, if the verb at ``at`` is that of such a clause."""
    low = max(start + 1, at - ASIDE)
    opens = (j for j in range(at - 2, low - 1, -1) if words[j] == "as" and words[j - 1] not in ("such", "as", "same"))
    return next((j for j in opens if words[j + 1] in _SUBJECT_STARTS), None)


def _joins_phrases(words: Sequence[str], at: int, look: int) -> bool:
    """Whether "but" stands between two phrases, as in "of other shape but equal weight"."""
    end = next((j for j in range(at + 1, look) if not is_word(words[j])), look)
    verb = is_finite_verb_next(words, at + 1) or words[at + 1 : at + 2] in (["not"], ["also"], ["only"])
    opens = at + 1 < end and words[at + 1] not in _CLAUSE_STARTS
    return opens and end - at > 2 and not verb and not has_finite(words, at + 1, end)


def _past_aside(words: Sequence[str], at: int, stop: int) -> int | None:
    """The dash that ends the aside which one at ``at`` opens: "access to the barn - from the yard - for the cattle"."""
    close = next((j for j in range(at + 2, min(stop - 1, at + ASIDE)) if words[j] == words[at]), None)
    if words[at] not in DASHES or close is None or has_finite(words, at + 1, close):
        return None
    following = words[close + 1]
    return close if following in lex.PREPOSITIONS or following in lex.RELATIVES else None


def _before_adverbs(words: Sequence[str], at: int, start: int) -> int:
    while at > start + 1 and lex.is_adverb(words[at - 1]):
        at -= 1
    return at


def _clause_follows(words: Sequence[str], at: int, stop: int) -> bool:
    """A subject and its finite verb, before the next comma."""
    if at >= stop or words[at] not in _SUBJECT_STARTS:
        return False
    end = min(stop, at + 10)
    end = next((j for j in range(at, end) if words[j] in (",", "which", "that", "who")), end)
    return has_finite(words, at + 1, end)


def _comma_ends(words: Sequence[str], at: int, stop: int, start: int, phrase: bool) -> bool:
    after = words[at + 1] if at + 1 < stop else ""
    if (
        after.endswith("ly")
        and after not in lex.SPECIFYING
        and at + 2 < stop
        and VERB_FORMS.get(words[at + 2], ("", ""))[1] == GERUND
    ):
        after = words[at + 2]  # ", accidentally deleting it"
    if not after or after in _AFTER_COMMA or after in lex.SAYING:
        return True
    if after.endswith("ing") and "-" not in after and after not in _NOT_GERUNDS:
        listed = words[start].endswith("ing") and list_comma(words, at, stop)
        return VERB_FORMS.get(after, ("", GERUND))[1] == GERUND and not listed
    later = next((j for j in range(at + 1, min(stop, at + 16)) if words[j] == ","), min(stop, at + 16))
    if after in ("and", "or"):
        return has_finite(words, at + 2, later) or is_finite_verb_next(words, at + 2)
    if any(word in lex.SAYING for word in words[at + 1 : min(stop, at + 6)]):
        return True
    return (phrase and is_finite(words, at + 1)) or has_finite(words, at + 2, later)


def fronted_split(sentence: Sentence, start: int, ceiling: int, *, clause: bool) -> int | None:
    """The comma between a fronted side that begins at ``start`` and the main clause; ``None`` if there is none."""
    words = sentence.words
    return front_comma(words, start, min(ceiling, start + REACH, len(words)), clause=clause)


def unmarked_split(sentence: Sentence, start: int, ceiling: int, *, clause: bool) -> int | None:
    """Where the main clause begins behind a fronted side that no comma ends: "Because it rained we stayed in".

    Behind a clause only a pronoun with its verb shows it, behind a phrase also a new noun phrase with one:
    "Because of the rain the match was called off".
    """
    words = sentence.words
    stop = min(ceiling, start + REACH, len(words)) - 1
    complete = not clause
    for at in range(start, stop):
        before = words[at - 1]
        subject = words[at] in _MAIN_SUBJECTS or (not clause and words[at] in lex.DETERMINERS)
        opens = subject and at > start + 1 and not _takes_object(before)
        reach = 3 if words[at] in _MAIN_SUBJECTS else 6
        if complete and opens and any(is_finite(words, later) for later in range(at + 1, min(at + reach, stop))):
            return at
        if is_finite(words, at) and not (words[at] == "may" and sentence.capitals[at]):
            if not clause:
                return None
            complete = True
    return None


def _takes_object(word: str) -> bool:
    """Whether what follows a word belongs to it and cannot be the subject of a new clause."""
    return word in _TAKES_CLAUSE or word in lex.DETERMINERS or VERB_FORMS.get(word, ("", ""))[1] == GERUND
