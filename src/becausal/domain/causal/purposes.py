# SPDX-License-Identifier: Apache-2.0
"""What something is done for: "we shut the gate to keep the water out".

A purpose is the reason of a deed, and no event: it explains why somebody did something and never that it
came about. Its words keep their "to", so that no purpose is taken for what was achieved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from . import lexicon as lex
from .clauses import HARD, Range, front_comma, left_clause, starts_noun
from .lexicon import word_set
from .sides import trim, well_formed
from .stretches import right_stretch
from .tokens import Sentence, has_finite, is_word
from .verbs import BASE, GERUND, NOUN_LIKE, PARTICIPLE, PAST, VERB_FORMS

MAX_PURPOSES: Final = 3
"""Of one sentence."""

_INFINITIVE_NOUNS: Final = word_set(  # "the ability to swim" is no purpose
    "ability authority authorities power powers right rights need needs time times way ways plan plans effort efforts "
    "attempt attempts decision decisions opportunity opportunities chance chances reason reasons tendency failure "
    "permission refusal willingness capacity desire wish intention promise request proposal move duty obligation "
    "pressure incentive incentives potential freedom order orders anything something nothing someone everyone "
    "people first last one ones likelihood moment day year years going"
)
_TAKES_INFINITIVE: Final = word_set(  # verbs whose object does what the infinitive says, or that lead on to it
    "allow ask want force require cause lead enable expect help urge order empower encourage get permit tell need "
    "advise persuade invite instruct teach remind warn forbid believe consider find know like prefer wish intend mean "
    "leave have seem appear tend fail begin start continue try attempt agree refuse decide plan hope manage learn "
    "offer promise prepare choose deserve demand threaten claim prove happen come go be do let bring prompt inspire "
    "convince compel motivate trust authorize authorise direct commit declare estimate report say suppose think "
    "understand lend give grant vote seek aim strive struggle proceed serve tend empower authorise"
)
_MEASURES: Final = word_set("sufficient enough necessary adequate adequately required over approximately about for")
_RELATED: Final = lex.RELATIVES | lex.SUBORDINATORS | word_set("what how why")
_OBJECTS: Final = word_set("it them him her us me itself themselves")
_THERE: Final = word_set("here there today tonight together")
_UNITS: Final = word_set("seconds minutes minute hours hour days day weeks week months month years year")
_MORE_VERBS: Final = word_set(
    "preserve guarantee avert assess address discuss train enhance facilitate safeguard secure obtain acquire attract "
    "assist achieve attain alleviate combat comply conserve coordinate counter curb demonstrate deter eliminate "
    "evaluate examine explore fulfil gather inform inspect intervene justify maximize minimize overcome pursue "
    "reassure recruit regain remedy retain satisfy simplify solve stabilize stimulate survive sustain validate verify "
    "voice begin offer"
)
_AIMS: Final = word_set("aim goal objective objectives purpose intention intent hope hopes view")
_LEADS_ON: Final = word_set(
    "able likely unlikely ready willing unable eager free due about supposed used ought hard easy difficult possible "
    "impossible necessary important good better best enough too glad happy sorry pleased afraid careful quick slow "
    "available required expected set bound sure certain not how what when where whether which who as than only and or "
    "sufficient long longer from up back down over in out going how much more less"
)


def purposes(sentence: Sentence) -> list[tuple[Range, Range]]:
    """Purposes and the deeds done for them, as pairs of stretches of words; those of questions are left out."""
    words = sentence.words
    if words[-1] == "?":
        return []
    found = []
    for at, word in enumerate(words[:-2]):
        if word in _AIMS and (aimed := _aimed(sentence, at)) is not None:
            found.append(aimed)
        if word == "to" and _is_infinitive(sentence, at) and len(found) < MAX_PURPOSES:
            pair = _fronted(sentence, at) or _behind(sentence, at)
            if pair is not None:
                found.append(pair)
    return found


def _is_infinitive(sentence: Sentence, at: int) -> bool:
    words = sentence.words
    verb = words[at + 1]
    if verb in lex.AUXILIARIES and words[at + 2] not in lex.DETERMINERS:
        return False
    after = words[at + 2]
    noun = starts_noun(words, at + 2) or after in lex.PRONOUNS or sentence.capitals[at + 2]
    if VERB_FORMS.get(verb, ("", ""))[1] == BASE or verb in _MORE_VERBS:
        return verb not in NOUN_LIKE or noun
    return verb.endswith(("ize", "ise", "ify", "ate")) and (noun or after.endswith("s"))


def _fronted(sentence: Sentence, at: int) -> tuple[Range, Range] | None:
    """ "To keep the water out, we shut the gate"."""
    words = sentence.words
    start = at - 2 if words[at - 2 : at] == ["in", "order"] else at
    before = words[start - 1] if start else ""
    joined = before in lex.COORDINATORS and (start == 1 or words[start - 2] in (",", ";"))
    if start and not joined and before not in HARD and not (before == "," and start < 4):
        return None
    comma = front_comma(words, at, len(words), clause=False)
    if comma is None:
        return None
    end = right_stretch(sentence, comma + 1, len(words), phrase=False, clause=True)
    deed = trim(sentence, (comma + 1, end))
    return _pair(sentence, (start, comma), deed)


def _aimed(sentence: Sentence, at: int) -> tuple[Range, Range] | None:
    """ "We shut the gate with the aim of keeping the water out", "in the hope that nobody sees it"."""
    words = sentence.words
    framed = words[at - 2 : at] in (["with", "the"], ["in", "the"], ["for", "the"]) and words[at + 1] in (
        "of",
        "that",
        "to",
    )
    if not framed:
        return None
    stop = at - 3 if at > 2 and words[at - 3] == "," else at - 2
    begin, _ = left_clause(sentence, stop, 0, subject=False)
    deed = trim(sentence, (begin, stop))
    if not has_finite(words, deed[0] + 1, deed[1]):
        return None
    end = right_stretch(sentence, at + 2, len(words), phrase=False, clause=words[at + 1] == "that")
    return _pair(sentence, (at + 2, end), deed)


def _behind(sentence: Sentence, at: int) -> tuple[Range, Range] | None:
    """ "We shut the gate to keep the water out"."""
    words = sentence.words
    outright = words[at - 2 : at] in (["in", "order"], ["so", "as"])
    start = at - 2 if outright else at
    stop = start - 1 if start and words[start - 1] == "," else start
    begin, _ = left_clause(sentence, stop, 0, subject=False)
    deed = trim(sentence, (begin, stop))
    if deed[1] - deed[0] < 2 or not has_finite(words, deed[0] + 1, deed[1]):
        return None
    if not outright and not _is_complete(words, deed):
        return None
    end = right_stretch(sentence, at, len(words), phrase=False)
    return _pair(sentence, (start, end), deed)


def _is_complete(words: Sequence[str], deed: Range) -> bool:
    """Whether nothing in a clause asks for the infinitive behind it: "we shut the gate", but not "we want the gate"."""
    last = words[deed[1] - 1]
    if last in _THERE or (last == "needed" and words[deed[1] - 2] in lex.BE):
        return True
    if last in _UNITS and words[deed[1] - 2] in ("this", "next", "last"):
        return True
    if not is_word(last) or last in lex.AUXILIARIES or last in lex.PREPOSITIONS or last in _LEADS_ON:
        return False
    if last in _INFINITIVE_NOUNS or last in lex.DETERMINERS or last.endswith(("able", "ible", "ous", "ive")):
        return False
    if last in lex.PRONOUNS and last not in _OBJECTS:
        return False
    if last in _UNITS or any(word in _MEASURES for word in words[max(deed[0], deed[1] - 5) : deed[1] - 1]):
        return False
    verb = next((at for at in range(deed[1] - 1, deed[0], -1) if _is_verb(words, at)), None)
    if verb is None:
        return False
    base = VERB_FORMS.get(words[verb], (words[verb], ""))[0]
    return base not in _TAKES_INFINITIVE


def _is_verb(words: Sequence[str], at: int) -> bool:
    """Whether a word is the verb that governs what stands behind it, as far as its neighbours tell."""
    form, kind = VERB_FORMS.get(words[at], ("", ""))
    if not form:
        return words[at] in _TAKES_INFINITIVE
    before = words[at - 1]
    if before in lex.DETERMINERS - lex.SUBJECT_PRONOUNS or (before in lex.PREPOSITIONS - {"to"} and kind != GERUND):
        return False
    if kind in (PAST, PARTICIPLE):
        return True
    return words[at] not in NOUN_LIKE or before in lex.SUBJECT_PRONOUNS or before in lex.AUXILIARIES or before == "to"


def _pair(sentence: Sentence, purpose: Range, deed: Range) -> tuple[Range, Range] | None:
    words = sentence.words
    while purpose[1] > purpose[0] and not is_word(words[purpose[1] - 1]):
        purpose = purpose[0], purpose[1] - 1
    conditional = any(word in lex.CONDITIONS for word in words[max(0, deed[0] - 1) : deed[1]])
    denied = purpose[0] > deed[0] and any(word in lex.NEGATIONS for word in words[deed[0] : deed[1]])
    told = any(word in ("is", "was", "are", "were") for word in words[purpose[0] : purpose[1]])
    related = any(word in _RELATED for word in words[purpose[0] : purpose[1]])
    if purpose[1] - purpose[0] < 3 or (told and not related) or deed[0] >= deed[1] or conditional or denied:
        return None
    return (purpose, deed) if well_formed(sentence, purpose) and well_formed(sentence, deed) else None
