# SPDX-License-Identifier: Apache-2.0
"""Where the clause or noun phrase beside a connective begins and ends.

All stretches are half-open ranges of word positions. Every walk is bounded by ``REACH`` words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from . import lexicon as lex
from .lexicon import word_set
from .tokens import Sentence, has_finite, is_finite, is_word
from .verbs import BASE, GERUND, NOUN_LIKE, PARTICIPLE, PAST, PRESENT, VERB_FORMS

REACH: Final = 60
Range = tuple[int, int]

HARD: Final = word_set("; : — – - -- --- … ? ! | -> => → ⇒ ⟶ --> ==> •")
DASHES: Final = frozenset({"-", "--", "–", "—"})
OPEN, CLOSE = frozenset("([{"), frozenset(")]}")
_LOOSE_PREPOSITIONS: Final = word_set("for with by from about against")
_THIRD_PERSONS: Final = word_set("he she it they")
_PAUSED_OPENERS: Final = word_set("first second third last again further well likely soon now later instead")
_OPENING_PAIRS: Final = (
    ("in", "reality"), ("in", "truth"),
    ("in", "turn"), ("in", "fact"), ("of", "course"), ("in", "particular"), ("by", "now"), ("at", "last"),
)  # fmt: skip
_HELD: Final = word_set(
    "theory suspicion guess thought idea hypothesis assumption belief hunch conclusion finding verdict result truth"
)
_FRONTS: Final = (
    lex.PREPOSITIONS
    | lex.SUBORDINATORS
    | word_set(
        "as due because since during once given according while when although based shortly immediately soon one "
        "instead rather"
    )
)


def left_clause(sentence: Sentence, stop: int, floor: int, *, subject: bool, whole: bool = False) -> Range:
    """The clause that ends before ``stop``, or with ``subject`` the noun phrase that is its verb's subject.

    With ``whole`` the clauses that "and" joins to it are part of it.
    """
    words = sentence.words
    low = max(floor, stop - REACH)
    low = _after_hard_mark(words, low, stop)
    low = strip_front(sentence, low, stop)[0]
    start = low
    depth = 0
    for at in range(stop - 1, low - 1, -1):
        word = words[at]
        if word in CLOSE:
            depth += 1
        elif word in OPEN:
            if depth == 0:
                start = at + 1
                break
            depth -= 1
        elif depth == 0 and not (whole and word == "and"):
            edge = _left_edge(words, at, low, stop, subject)
            if edge is not None:
                start = edge
                break
    start, _ = strip_front(sentence, start, stop)
    return (_after_splice(words, start, stop) if subject else start), stop


def _after_splice(words: Sequence[str], start: int, stop: int) -> int:
    """Where the subject begins after clauses that only commas join: "it rained, the river rose and …"."""
    comma = next((at for at in range(stop - 2, start, -1) if words[at] == ","), None)
    if comma is None or words[comma + 1] in lex.COORDINATORS or words[comma + 1] in lex.RELATIVES:
        return start
    if has_finite(words, comma + 1, stop):
        return start
    # "Oven 2 out again, a fuse had blown": an apposition would have a comma behind it as well.
    joined = any(word in ("and", "or", ",") for at, word in enumerate(words[start:stop], start) if at != comma)
    fragment = words[comma + 1] in ("a", "an") and not joined
    return comma + 1 if fragment or has_finite(words, start, comma) else start


def _after_hard_mark(words: Sequence[str], low: int, stop: int) -> int:
    """The word after the last mark that no clause crosses; a pair of dashes before a verb is an aside."""
    marks = [at for at in range(low, stop) if words[at] in HARD]
    paired = len(marks) > 1 and words[marks[-1]] in DASHES and words[marks[-2]] == words[marks[-1]]
    if paired and is_finite_verb_next(words, marks[-1] + 1):
        marks = marks[:-2]
    return marks[-1] + 1 if marks else low


def _left_edge(words: Sequence[str], at: int, low: int, stop: int, subject: bool) -> int | None:
    """Where the clause begins if the word at ``at`` stands before it; ``None`` if the word is part of it."""
    word = words[at]
    if word == "that" and at > low and words[at - 1] in lex.REPORTING:
        # Without its reporter "she left" would not say who.
        return None if words[at + 1] in _THIRD_PERSONS and has_finite(words, low, at) else at + 1
    if word == "that" and at > low + 1 and (ends_finding(words, at - 1) or _held(words, at - 1)):
        return at + 1
    if at < stop - 2 and ends_finding(words, at) and starts_noun(words, at + 1):
        return at + 1
    if word in lex.SAYING and low < at < stop - 2 and starts_noun(words, at + 1):
        return at + 1
    if word in lex.SUBORDINATORS and _opens_clause(words, at, low, stop, subject):
        return _past_front(words, at, stop)
    if word in lex.COORDINATORS and at < stop - 1 and _joins_clauses(words, at, low, stop, subject):
        return at + 1
    return None


def _held(words: Sequence[str], at: int) -> bool:
    """Whether "our theory was" ends at a place, behind which that is told which was held."""
    return words[at] in lex.BE and words[at - 1] in _HELD


def ends_finding(words: Sequence[str], at: int) -> bool:
    """Whether "it turned out", "we found out", "it emerged" or "it came to light" ends at a place."""
    word, before = words[at], words[at - 1] if at else ""
    if word == "out":
        return before in ("turned", "turns", "found", "figured")
    return word in ("emerged", "transpired") or (word == "light" and before == "to")


def starts_noun(words: Sequence[str], at: int) -> bool:
    return at < len(words) and (words[at] in lex.DETERMINERS or words[at] in lex.SUBJECT_PRONOUNS)


def _opens_clause(words: Sequence[str], at: int, low: int, stop: int, subject: bool) -> bool:
    """Whether a subordinator at ``at`` really begins the clause that ends at ``stop``."""
    word = words[at]
    if word in ("after", "before", "until", "since", "once") and not has_finite(words, at + 1, stop):
        return subject and has_finite(words, max(low, at - 15), at)
    if word in ("whether", "because"):
        return True
    if subject:
        return True
    return "," in words[at:stop] and not has_finite(words, max(low, at - 15), at)


def _past_front(words: Sequence[str], at: int, stop: int) -> int:
    """Skip a fronted clause "when X failed," that starts at ``at``; its own start if no comma ends it."""
    comma = front_comma(words, at, stop, clause=True)
    return at + 1 if comma is None else comma + 1


def front_comma(words: Sequence[str], start: int, stop: int, *, clause: bool) -> int | None:
    """The comma that ends a fronted phrase or clause: the first one that a new subject follows."""
    seen_finite = not clause
    depth = 0
    for at in range(start + 1, stop - 1):
        if not seen_finite and is_finite(words, at):
            seen_finite = True
        depth += (words[at] in OPEN) - (words[at] in CLOSE)
        if words[at] != "," or depth > 0:
            continue
        after = words[at + 1]
        if not seen_finite and not (at - start < 5 and starts_noun(words, at + 1)):
            continue
        kind = VERB_FORMS.get(after, ("", BASE))[1]
        # "was triggered, run and …"
        coordinated = kind == PARTICIPLE and at + 2 < stop and words[at + 2] in lex.COORDINATORS
        verbal = coordinated or (kind in (PAST, GERUND) and after not in NOUN_LIKE)
        if verbal or after in lex.COORDINATORS or after in lex.RELATIVES or after in ("including", "such"):
            continue
        later = next((j for j in range(at + 1, stop) if words[j] == ","), None)
        if later is None or starts_noun(words, at + 1) or has_finite(words, at + 2, later):
            return at
    return None


def _joins_clauses(words: Sequence[str], at: int, low: int, stop: int, subject: bool) -> bool:
    """Whether a coordinator stands between two clauses, the second of which ends at ``stop``."""
    word = words[at]
    if word == "or" and words[at - 1] == "more" and words[at + 1] == "less":
        return False
    if word in ("so", "yet", "nor") or (word == "but" and subject):
        return word != "so" or words[at - 1] in (",", ";")
    if subject and at + 2 == stop and words[at + 1] in ("it", "this", "that", "they", "these"):
        return True
    left = has_finite(words, _boundary_before(words, at, low), at)
    if subject:
        return left and words[at + 1][0].isalpha()
    return left and not is_finite_verb_next(words, at + 1) and has_finite(words, at + 2, stop)


def _boundary_before(words: Sequence[str], at: int, low: int) -> int:
    """Where the clause that holds ``at`` may begin at the earliest, at most thirty words back."""
    low = max(low, at - 30)
    for j in range(at - 1, low - 1, -1):
        if words[j] in lex.SUBORDINATORS:
            return _past_front(words, j, at)
        if words[j] in HARD or words[j] in ("that", "which", "who"):
            return j + 1
    return low


def is_finite_verb_next(words: Sequence[str], at: int) -> bool:
    """Whether a verb phrase without a subject of its own starts at ``at`` (after adverbs)."""
    while at < len(words) and (lex.is_adverb(words[at])):
        at += 1
    if at >= len(words):
        return False
    if words[at] in lex.AUXILIARIES:
        return True
    known = VERB_FORMS.get(words[at])
    return (
        known is not None
        and known[1] in (PAST, BASE, PRESENT)
        and not (at + 1 < len(words) and known[1] == BASE and words[at + 1] in lex.AUXILIARIES)
    )


def strip_front(sentence: Sentence, start: int, stop: int) -> Range:
    """Drop fronted dates, places and participles ("In March 2020, …", "Driven by demand, …")."""
    words = sentence.words
    for _ in range(3):
        start = skip_openers(words, start, stop)
        if start >= stop:
            break
        word = words[start]
        if aimed := _past_aim(words, start, stop):
            start = aimed
            break
        participle = word.endswith(("ing", "ed")) and VERB_FORMS.get(word, ("", ""))[1] in (GERUND, PAST)
        if word not in _FRONTS and not participle and not _adverbial_front(words, start, stop):
            break
        comma = front_comma(words, start, stop, clause=word in lex.SUBORDINATORS and has_finite(words, start + 1, stop))
        if comma is None or comma + 1 >= stop:
            break
        content = any(is_word(w) and w not in lex.EMPTY for w in words[comma + 1 : stop])
        if not content and words[comma + 1] not in lex.PRONOUNS:
            break
        start = comma + 1
    return start, stop


def _past_aim(words: Sequence[str], start: int, stop: int) -> int | None:
    """Where the main clause begins behind "To support this", if no comma marks it."""
    if words[start] != "to":
        return None
    for at in range(start + 2, min(start + 5, stop - 2)):
        if words[at] == ",":
            return None
        if words[at] in ("this", "that") and starts_noun(words, at + 1):
            return at + 1
    return None


def _adverbial_front(words: Sequence[str], start: int, stop: int) -> bool:
    """A short opening without a verb, then a comma and a clause: "Ten minutes later, the pump …"."""
    for at in range(start + 1, min(start + 9, stop - 2)):
        if words[at] == ",":
            later = next((j for j in range(at + 1, stop) if words[j] in (",", "and", "or")), stop)
            return starts_noun(words, at + 1) and has_finite(words, at + 2, later)
        if is_finite(words, at) or not is_word(words[at]):
            return False
    return False


def skip_openers(words: Sequence[str], start: int, stop: int) -> int:
    """Skip marks, conjunctions and sentence adverbs at the front of a stretch."""
    while start < stop:
        word = words[start]
        if (not is_word(word) and word not in '(["“`$€£@~') or word == "'":
            start += 1
        elif word == "so" and words[start + 1 : start + 2] == ["far"]:
            start += 2
        elif word in lex.OPENERS:
            if word in _PAUSED_OPENERS and words[min(start + 1, stop - 1)] != ",":
                break
            if word == "that" and not (start + 1 < stop and starts_noun(words, start + 1)):
                break
            if word == "which" and stop - start == 1:
                break
            start += 1
        elif tuple(words[start : start + 2]) in _OPENING_PAIRS:
            start += 2
        else:
            break
    return start


def left_noun_phrase(sentence: Sentence, stop: int, floor: int) -> Range:
    """The noun phrase that ends before ``stop``: what "that caused" or "caused by" hangs on."""
    words = sentence.words
    low = max(floor, stop - 30)
    at = stop - 1
    while at >= low and words[at] == ",":
        at -= 1
    depth = 0
    while at >= low:
        word = words[at]
        if word in CLOSE:
            depth += 1
        elif word in OPEN:
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and _before_noun_phrase(words, at, low, stop):
            break
        at -= 1
    stated = at > low and words[at] in ("is", "are", "was", "were") and words[at + 1] in lex.DETERMINERS
    if stated and words[at - 1] != "it":  # "it was X that caused Y" is about X
        whole = left_clause(sentence, stop, floor, subject=False)  # "X is a Y that causes Z": X, being a Y
        if whole[0] < at:
            return whole
    infinitive = at >= low and words[at] == "to" and starts_noun(words, at + 2)
    start = skip_openers(words, at + 2 if infinitive else at + 1, stop)
    while (
        start < stop - 1 and words[start] in lex.PREPOSITIONS and words[start] not in ("over", "under", "about", "up")
    ):
        start += 1
    return start, stop


def _before_noun_phrase(words: Sequence[str], at: int, low: int, stop: int) -> bool:
    """Whether the word at ``at`` cannot be part of the noun phrase that ends at ``stop``."""
    word = words[at]
    if word in HARD or word in lex.AUXILIARIES or word in lex.SUBORDINATORS or word in lex.RELATIVES:
        return True
    if word in ("but", "so") or (word in lex.SUBJECT_PRONOUNS and word not in lex.DETERMINERS):
        return True
    if word in ("and", "or"):
        return words[at - 1] == "," or is_finite_verb_next(words, at + 1) or _clause_before(words, at, low)
    if word == ",":
        return not list_comma(words, at, stop)
    if at == stop - 1:
        return False
    if word == "to":
        following = words[at + 1]
        return VERB_FORMS.get(following, ("", ""))[1] == BASE and following not in NOUN_LIKE
    return word in _LOOSE_PREPOSITIONS or is_finite(words, at) or (at > low and _verb_form(words, at))


def _verb_form(words: Sequence[str], at: int) -> bool:
    """A past form or gerund with an object behind it: the noun phrase begins after it."""
    known = VERB_FORMS.get(words[at])
    return known is not None and known[1] in (PAST, GERUND) and starts_noun(words, at + 1)


def _clause_before(words: Sequence[str], at: int, low: int) -> bool:
    return starts_noun(words, at + 1) and has_finite(words, max(low, at - 10), at)


def list_comma(words: Sequence[str], at: int, stop: int) -> bool:
    """Whether the comma at ``at`` separates items of a list that ends before ``stop``."""
    joined = any(word in ("and", "or") for word in words[at + 1 : min(stop, at + 12)])
    return joined and not has_finite(words, at + 1, stop)
