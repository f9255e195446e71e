# SPDX-License-Identifier: Apache-2.0
"""When two descriptions name the same cause, and when they must not even be called similar."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from ..text import stem
from . import lexicon as lex
from .lexicon import word_set
from .tokens import is_finite
from .verbs import BASE, GERUND, NOUN_LIKE, PARTICIPLE, PAST, PRESENT, VERB_FORMS, VERB_OF

_WORD: Final = re.compile(r"[^\W_]+(?:['’.:/_@+-][^\W_]+)*|(?<![^\W_])[-+]\d+(?:[.,]\d+)*|[%$€£]")
_DROPPED: Final = word_set(
    "a an the this that these those my your his her its our their 's is are was were be been being am has have "
    "had having do does did will would 'll 're 've 'd 'm"
)
_NOT: Final = word_set(
    "not n't isn't aren't wasn't weren't hasn't haven't hadn't don't doesn't didn't can't cannot couldn't won't "
    "wouldn't shouldn't mustn't mightn't ain't"
)
_MODAL_OF: Final = {
    "can't": "can", "cannot": "can", "couldn't": "can", "could": "can", "shouldn't": "should", "mustn't": "must",
    "mightn't": "may", "might": "may",
}  # fmt: skip
_UNSTEMMED: Final = word_set(
    "nothing something anything everything during morning evening ceiling king ring thing string spring sibling "
    "left found ground bound saw felt thought lay read red bed need feed seed speed indeed breed"
)


@lru_cache(maxsize=2048)  # a side of several links is asked for again and again
def cause_key(description: str) -> str:
    """The identity of a cause: its words without case, articles, possessives, auxiliaries, tense and punctuation.

    Order, numbers, names, negation ("n't", "cannot" and "not" are one) and words of polarity all stay, so
    "latency increased" and "latency decreased" have different keys. Words with a capital letter inside the
    description are taken for names and never stemmed. ``""`` if nothing is left but punctuation.
    """
    words = _words(description)
    titled = len(words) > 2 and all(name for word, name in words if word.isalpha())
    kept: list[str] = []
    for at, (word, name) in enumerate(words):
        if word in _NOT:
            modal = _MODAL_OF.get(word)
            kept.extend([modal, "not"] if modal else ["not"])
        elif word in _MODAL_OF:
            kept.append(_MODAL_OF[word])
        elif word in _DROPPED and not _is_will(words, at):
            continue
        else:
            bare = re.sub(r"['’]s?$", "", word)
            if bare:
                fixed = (name and at > 0 and not titled) or _is_subject_noun(words, at)
                kept.append(bare if fixed else _untensed(bare))
    if not kept:
        kept = [word for word, _ in words]
    return " ".join(kept)


def _is_subject_noun(words: Sequence[tuple[str, bool]], at: int) -> bool:
    """A word like "deploys" or "Marks" right before a verb is its subject, not a verb."""
    word = words[at][0]
    return VERB_FORMS.get(word, ("", ""))[1] == PRESENT and at + 1 < len(words) and _is_verbal(words[at + 1][0])


def _is_will(words: Sequence[tuple[str, bool]], at: int) -> bool:
    """Whether "Will" is somebody: as a modal it would have a base form behind it."""
    if words[at][0] != "will" or not words[at][1] or at + 1 >= len(words):
        return False
    following, capital = words[at + 1]
    named = capital and not words[-1][1]
    return (
        named
        or following == "'s"
        or following in lex.FINITE_AUXILIARIES
        or VERB_FORMS.get(following, ("", BASE))[1] != BASE
    )


def _is_verbal(word: str) -> bool:
    known = VERB_FORMS.get(word)
    return word in lex.AUXILIARIES or (known is not None and known[1] != GERUND and word not in NOUN_LIKE)


@lru_cache(maxsize=4096)  # each is compared with many others
def _words(text: str) -> tuple[tuple[str, bool], ...]:
    """Words in lower case, each with whether it is written with a capital letter or like an identifier."""
    text = unicodedata.normalize("NFKC", text).replace("’", "'")
    found: list[tuple[str, bool]] = []
    for match in _WORD.finditer(text):
        word = match.group()
        if word.lower().endswith("n't") or "'" not in word:
            parts = [word]
        else:
            head, _, tail = word.partition("'")
            parts = [head, "'" + tail] if tail.lower() in ("s", "re", "ve", "ll", "d", "m") else [word]
        found.extend((part.casefold(), part != part.lower()) for part in parts)
    return tuple(found)


def _untensed(word: str) -> str:
    """The base of a verb form; other words as they are. Unlisted past forms and gerunds lose their ending."""
    if word in _UNSTEMMED or not word.isascii() or not word.isalpha():
        return word
    known = VERB_FORMS.get(word)
    if known is not None:
        return known[0]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


_AXES: Final[tuple[tuple[str, str], ...]] = (
    (
        "increase increased increases increasing rise rose rises rising risen grow grew grows growing grown "
        "more higher up gain gained gains raise raised climb climbed surge surged soared soar jumped upward "
        "upwards greater larger growth doubled tripled expanded expand",
        "decrease decreased decreases decreasing fall fell falls falling fallen drop dropped drops dropping "
        "decline declined less fewer lower down reduce reduced reduces reducing reduction shrank shrink "
        "shrunk lost lose loses loss lowered plunged downward downwards smaller halved contracted",
    ),
    (
        "start started starts begin began begun begins open opened launched resumed",
        "stop stopped stops end ended ends close closed halted ceased finished paused shut",
    ),
    (
        "add added adds adding insert inserted create created creates install installed introduced",
        "remove removed removes removing delete deleted deletes dropped uninstall uninstalled destroyed erased",
    ),
    ("enable enabled enables activated", "disable disabled disables off deactivated"),
    (
        "allow allowed allows permit permitted accept accepted accepts approve approved granted",
        "deny denied block blocked blocks prevent prevented prevents reject rejected rejects refuse refused "
        "forbidden banned preventing blocking",
    ),
    (
        "succeed succeeded succeeds success successful passed passes pass worked works win won",
        "fail failed fails failing failure unsuccessful broke broken defeated",
    ),
    ("available online reachable present healthy", "unavailable offline unreachable absent missing unhealthy"),
    ("connect connected connects attached joined", "disconnect disconnected disconnects detached left quit"),
    ("lock locked", "unlock unlocked"),
    ("upgrade upgraded", "downgrade downgraded"),
    ("fast faster quick quicker early earlier", "slow slower slowly late later delayed"),
    ("high", "low"),
    ("big large long tall", "small little short tiny"),
    ("hot warm heated", "cold cool cooled frozen"),
    ("good better best improve improved improves", "bad worse worst worsen worsened degraded"),
    ("new", "old"),
    ("before", "after"),
    ("first", "last"),
    ("all every always", "none never no"),
    ("", "without"),
    ("full", "empty"),
    ("true correct right valid", "false incorrect wrong invalid"),
    ("alive born", "dead died killed"),
    ("buy bought bought", "sell sold"),
    ("hired hire", "fired fire sacked"),
    ("read reads", "write writes wrote written"),
    ("sent send", "received receive"),
    ("love loved loves", "hate hated dislike disliked hates"),
    ("north", "south"),
    ("east", "west"),
    ("positive", "negative"),
    ("maximum max", "minimum min"),
    ("primary leader master", "secondary replica follower"),
    ("upload uploaded", "download downloaded"),
    ("encrypted", "decrypted unencrypted"),
    ("signed", "unsigned"),
    ("stable", "unstable"),
    ("married", "divorced"),
    ("import imported", "export exported"),
    ("internal", "external"),
    ("safe secure", "unsafe insecure dangerous"),
    ("possible able", "impossible unable"),
)
_POLARITY: Final = {
    word: f"{'+' if side == 0 else '-'}{axis}"
    for axis, sides in enumerate(_AXES)
    for side, words in enumerate(sides)
    for word in words.split()
}
_NUMBER_WORDS: Final = word_set(
    "zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred "
    "thousand million billion dozen half twice once second third fourth fifth"
)
_NEGATIVE: Final = _NOT | word_set("no never without neither nor none nobody nothing hardly")


def same_event_allowed(a: str, b: str) -> bool:
    """Whether ``a`` and ``b`` may be linked as the same event if they are otherwise similar.

    A structural guard, on the safe side: false when their numbers, names, negations or words of polarity
    (increased, removed, before, …) differ. Names and numbers are compared in order, so that who did what
    to whom cannot be exchanged.
    """
    return _structure(a, b) == _structure(b, a)


def _structure(text: str, other: str) -> tuple[tuple[str, ...], tuple[str, ...], int, tuple[str, ...]]:
    words = _words(text)
    lower_elsewhere = {word for word, name in _words(other) if not name}
    numbers: list[str] = []
    names: list[str] = []
    negations = 0
    polarity: set[str] = set()
    for at, (word, capital) in enumerate(words):
        if any(c.isdigit() for c in word) or word in _NUMBER_WORDS:
            numbers.append(word)
        elif word in _NEGATIVE:
            negations += 1
        elif at and word in ("before", "ever") and words[at - 1][0] in ("than", "as"):
            continue
        elif (sign := _POLARITY.get(word) or _POLARITY.get(_untensed(word))) is not None:
            polarity.add(sign)
        elif _is_identifier(word) or (capital and word not in lower_elsewhere and (at or _name_in_front(words))):
            names.append(word)
    return tuple(numbers), tuple(names), negations, tuple(sorted(polarity))


def _is_identifier(word: str) -> bool:
    return any(c in "._/:@-" for c in word[1:]) and not word.replace("-", "").isalpha()


def _name_in_front(words: Sequence[tuple[str, bool]]) -> bool:
    """Whether the first word may be a name: no function word, and followed by a verb, a name or "'s"."""
    first = words[0][0]
    if first in _FUNCTION_WORDS or VERB_FORMS.get(first, ("", ""))[1] == GERUND or len(words) < 2:
        return False
    following, capital = words[1]
    return capital or following == "'s" or _is_verbal(following)


_GENERIC: Final = word_set(
    "outage incident problem issue failure error fault trouble change event thing situation case matter accident crash "
    "disruption downtime bug defect result effect cause reason delay loss damage attack update fix problems issues "
    "errors failures changes events things delays"
)


def may_refer_to(short: str, full: str) -> bool:
    """Whether ``short`` ("the missing secret") can be a way back to ``full`` ("the deploy had a missing secret").

    Every word that carries meaning in ``short`` stands in ``full``, as a verb or as its noun ("growth",
    "grew"); at least one of them is not a general word such as "outage", and nothing in ``full`` turns it
    round: names come in the same order, negation is the same, and no word of polarity meets its opposite.
    """
    inside = {_bare(word) for word, _ in _words(full)}
    content = content_of(short)
    if not content or len(_words(short)) > len(_words(full)) or not all(word in inside for word in content):
        return False
    if all(word in _GENERIC for word, _ in _words(short) if word not in _DROPPED and word not in lex.EMPTY):
        return False
    _, names, negations, polarity = _structure(short, full)
    _, full_names, full_negations, full_polarity = _structure(full, short)
    turned = {("-" if sign[0] == "+" else "+") + sign[1:] for sign in polarity}
    left = iter(full_names)
    ordered = all(name in left for name in names if name in full_names)
    return ordered and negations == full_negations and not turned & set(full_polarity)


def shares_a_name(a: str, b: str) -> bool:
    """Whether two descriptions have a name or an identifier in common."""
    return bool(set(_structure(a, b)[1]) & set(_structure(b, a)[1]))


def names_what_happened(words: Sequence[str]) -> bool:
    """Whether a clause opens like "the frozen pipe": on a participle that tells what had happened before."""
    definite = len(words) > 3 and words[0] in ("the", "this", "that", "these", "those")
    return definite and VERB_FORMS.get(words[1], ("", ""))[1] in (PAST, PARTICIPLE)


def is_purpose(description: str) -> bool:
    """Whether a description says what something is done for ("to keep the water out"), which is no event."""
    words = [word for word, _ in _words(description)[:3]]
    return words[:1] == ["to"] or words == ["in", "order", "to"]


def points_back(description: str) -> bool:
    """Whether a description opens on what was told before, as "This delay grew" and "The issue spread" do."""
    words = [word for word, _ in _words(description)[:2]]
    return words[:1] in (["this"], ["these"], ["it"], ["they"]) or (words[:1] == ["the"] and words[-1] in _GENERIC)


_AFTER_SUBJECT: Final = lex.PREPOSITIONS | lex.RELATIVES
_FUNCTION_WORDS: Final = lex.EMPTY - lex.MODALS


@lru_cache(maxsize=2048)
def content_of(description: str) -> tuple[str, ...]:
    """The words of a description that carry meaning, each once, in a form in which verbs and their nouns meet."""
    words = (_bare(word) for word, _ in _words(description) if word not in _DROPPED and word not in lex.EMPTY)
    return tuple(dict.fromkeys(words))


def taken_up(event: str, clause: str) -> bool:
    """Whether the subject of ``clause`` names ``event``: "the leaked key gave them access" after "the key leaked"."""
    subject = participial_subject(clause)
    return subject is not None and may_refer_to(subject, event) and not may_refer_to(clause, event)


def participial_subject(clause: str) -> str | None:
    """The subject of a clause that says what had happened to it before ("leaked key"); ``None`` if it has none."""
    words = [word for word, _ in _words(clause)]
    if not names_what_happened(words):
        return None
    limit = min(len(words), 8)
    stop = next((at for at in range(2, limit) if words[at] in _AFTER_SUBJECT or is_finite(words, at)), limit)
    return " ".join(words[1:stop]) if 2 < stop < limit else None


_QUALITIES: Final = {  # nouns made from adjectives that no ending shows
    "shortage": "short", "absence": "absent", "presence": "present", "scarcity": "scarce", "strength": "strong",
    "width": "wide", "depth": "deep", "length": "long", "warmth": "warm", "drought": "dry", "poverty": "poor",
}  # fmt: skip


@lru_cache(maxsize=16_384)
def _bare(word: str) -> str:
    """A word without tense, plural and the ending that makes a noun of a verb, for comparing descriptions."""
    base = _untensed(re.sub(r"['’]s?$", "", word))
    base = _QUALITIES.get(base) or VERB_OF.get(base, base)
    return stem(base) if base.isascii() and base.isalpha() else base


_DENIED: Final = 5
"""Words behind a negation that it may deny."""


def opposed(one: str, other: str) -> bool:
    """Whether two descriptions contradict each other: one denies what the other says, or says its opposite.

    A negation counts only where it denies something that the other description speaks of: "the pump stalled
    and could not be restarted" does not contradict "the pump stalled". A word of polarity counts only where
    the other description has its opposite and not the word itself.
    """
    _, _, _, polarity = _structure(one, other)
    _, _, _, other_polarity = _structure(other, one)
    turned = {("-" if sign[0] == "+" else "+") + sign[1:] for sign in set(polarity) - set(other_polarity)}
    denied = _denials(one, other) % 2 != _denials(other, one) % 2
    return bool(denied or turned & (set(other_polarity) - set(polarity)))


def _denials(text: str, other: str) -> int:
    """How many negations of a description deny something that the other speaks of, or nothing that has content."""
    words = [word for word, _ in _words(text)]
    known = set(content_of(other))
    count = 0
    for at, word in enumerate(words):
        if word in _NEGATIVE:
            scope = words[at + 1 : at + 1 + _DENIED]
            stop = next((end for end, each in enumerate(scope) if each in lex.COORDINATORS), len(scope))
            if at and words[at - 1] in lex.COORDINATORS and scope[:1] and scope[0] in words[:at]:
                continue  # "both signed and not signed" denies neither
            said = set(content_of(" ".join(scope[:stop])))
            listed = at > 0 and words[at - 1] in ("and", "or") and bool(said) and said <= {_bare(w) for w in words[:at]}
            count += not listed and (not said or bool(said & known))
    return count
