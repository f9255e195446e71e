# SPDX-License-Identifier: Apache-2.0
"""Cause and effect out of plain English text, by rules: no model, linear in the length of the text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ..errors import InvalidInput
from .causal_assembly import Draft, assemble
from .causal_identity import cause_key, same_event_allowed
from .causal_references import Discourse, main_clause
from .causal_sides import Clause
from .causal_tokens import bounded, read_sentence, split_sentences

__all__ = ["CausalLink", "Clause", "cause_key", "find_causes", "same_event_allowed"]

MAX_CONFIDENCE: Final = 0.95
CROSS_SENTENCE: Final = 0.8
HEDGE: Final = 0.85


@dataclass(frozen=True, slots=True, kw_only=True)
class CausalLink:
    """One statement that ``cause`` brought about ``effect``.

    ``cause`` is ``None`` where the text names none ("As a result, …" with nothing before it).
    ``connective`` is the wording found, ``pattern`` the name of the rule. ``hedged`` says that the text
    itself is not sure. ``sentence`` is the span of the sentence, ``cross_sentence`` whether a side was
    taken from another one.
    """

    cause: Clause | None
    effect: Clause
    connective: str
    pattern: str
    confidence: float
    hedged: bool
    sentence: tuple[int, int]
    cross_sentence: bool


def find_causes(text: str, sentences: Sequence[tuple[int, int]] | None = None) -> tuple[CausalLink, ...]:
    """Every causal link ``text`` states, in text order. ``sentences`` are spans to use instead of our own.

    Questions, conditions, purposes and denials give none. Confidence (0 … 0.95) is the pattern's strength,
    times how well formed both sides are, times 0.8 if a side comes from another sentence, times 0.85 if
    the text hedges.

    Raises:
        InvalidInput: a span of ``sentences`` does not lie inside ``text``.
    """
    spans: Iterable[tuple[int, int]] = split_sentences(text) if sentences is None else _checked(text, sentences)
    discourse = Discourse(text)
    links: list[CausalLink] = []
    for start, end in spans:
        sentence = read_sentence(text, start, end)
        if not any(word[0].isalpha() for word in sentence.words):
            continue
        if sentence.words[0] == "#":
            if discourse.title is None:
                discourse.title = main_clause(text, sentence)
            continue
        drafts = assemble(sentence, discourse)
        found = [_link(draft, text, (start, end)) for draft in drafts]
        links.extend(found)
        sides = [side for link in found for side in (link.cause, link.effect) if side is not None]
        discourse.note(_gist(found), main_clause(text, sentence), sides)
    return tuple(links)


def _checked(text: str, sentences: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for start, end in sentences:
        if not 0 <= start <= end <= len(text):
            raise InvalidInput("sentences", f"each span must lie within 0 … {len(text)}, not {start} … {end}")
        yield from bounded(text, start, end)


def _gist(links: Sequence[CausalLink]) -> Clause | None:
    """What a sentence's links end in: the last effect told in it that is not the cause of another.

    A sentence that explains something told before ("The outage was due to …") is about the cause it adds.
    """
    causes = {(link.cause.start, link.cause.end) for link in links if link.cause is not None}
    for link in reversed(links):
        if (link.effect.start, link.effect.end) not in causes:
            told_before = link.effect.end <= link.sentence[0]
            return link.cause or link.effect if told_before else link.effect
    return links[-1].effect if links else None


def _link(draft: Draft, text: str, span: tuple[int, int]) -> CausalLink:
    confidence = draft.strength * draft.form
    if draft.cross_sentence:
        confidence *= CROSS_SENTENCE
    if draft.hedged:
        confidence *= HEDGE
    return CausalLink(
        cause=draft.cause,
        effect=draft.effect,
        connective=text[draft.span[0] : draft.span[1]],
        pattern=draft.pattern,
        confidence=round(min(confidence, MAX_CONFIDENCE), 4),
        hedged=draft.hedged,
        sentence=span,
        cross_sentence=draft.cross_sentence,
    )
