# SPDX-License-Identifier: Apache-2.0
"""Cause and effect out of plain English text, by rules: no model, linear in the length of the text."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ...errors import InvalidInput
from ..markup import without_tags
from .assembly import Draft, assemble
from .contrasts import without_denied
from .degrees import degrees
from .document import in_between, without_circles
from .frames import (
    Section,
    announces_causes,
    finding_start,
    inline_items,
    is_bullet,
    is_heading,
    is_listed,
    opens_list,
    section_of,
)
from .identity import cause_key, content_of, same_event_allowed
from .purposes import purposes
from .references import Discourse, Reference, main_clause
from .sides import Clause, make_clause
from .suppositions import is_supposition
from .tokens import Sentence, bounded, read_sentence, split_sentences

__all__ = ["CausalLink", "CausalReading", "Clause", "cause_key", "find_causes", "read_causes", "same_event_allowed"]

MAX_CONFIDENCE: Final = 0.95
CROSS_SENTENCE: Final = 0.8
HEDGE: Final = 0.85
SUPPOSED: Final = 0.6  # what a link keeps that was once suspected
LISTED: Final = 0.75  # strength of an item of a list of causes that was announced
DEGREE: Final = 0.5  # strength of "too short to reach"
PURPOSE: Final = 0.28  # strength of a purpose: kept, and too weak to explain an event
FOUND: Final = 0.65  # strength of what an investigation found behind the trouble told before
REPORT: Final = 6  # sentences of a text that is about what its first two tell of
OPENING: Final = 8  # characters that may stand before the subject of a sentence: "When "
IN_BETWEEN: Final = 0.6  # strength of what a cause of the incident led to in the end, and the incident
IN_THE_END: Final = 0.5  # strength of what a longer chain ends in, and the incident


@dataclass(frozen=True, slots=True, kw_only=True)
class CausalLink:
    """One statement that ``cause`` brought about ``effect``.

    ``cause`` is ``None`` where the text names none ("As a result, …" with nothing before it).
    ``connective`` is the wording found, ``pattern`` the name of the rule. ``hedged`` says that the text
    itself is not sure, ``supposed`` that it was only suspected once. ``sentence`` is the span of the sentence,
    ``cross_sentence`` whether a side was taken from another one. ``quoted`` are the spans of the sentences it
    rests on, in text order. ``cause_pronoun`` and ``effect_pronoun`` are the spans of the words by which the
    sentence itself mentions a side, where that is only a pronoun ("which", "this", "it").
    """

    cause: Clause | None
    effect: Clause
    connective: str
    pattern: str
    confidence: float
    hedged: bool
    sentence: tuple[int, int]
    cross_sentence: bool
    quoted: tuple[tuple[int, int], ...]
    cause_pronoun: tuple[int, int] | None = None
    effect_pronoun: tuple[int, int] | None = None
    supposed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CausalReading:
    """The links of a text, and pairs of sides that tell of the same thing: as first told, and as taken up again.

    ``infinitives`` are links that only a "to" states, and stand apart, since not everybody calls them causal: what
    something was done for, as the cause of its being done (no event, and the least certain of all), and what
    was too much or enough for something.
    """

    links: tuple[CausalLink, ...]
    same: tuple[tuple[Clause, Clause], ...]
    infinitives: tuple[CausalLink, ...]


def find_causes(text: str, sentences: Sequence[tuple[int, int]] | None = None) -> tuple[CausalLink, ...]:
    """The links that ``read_causes`` finds."""
    return read_causes(text, sentences).links


def read_causes(
    text: str, sentences: Sequence[tuple[int, int]] | None = None, pause: Callable[[], object] = lambda: None
) -> CausalReading:
    """Every causal link ``text`` states, in text order. ``sentences`` are spans to use instead of our own.

    Questions, conditions and denials give none; purposes are no ``links`` but ``infinitives``. Confidence
    (0 … 0.95) is the pattern's strength, times how well formed both sides are, times 0.8 if a side comes from
    another sentence, times 0.85 if the text hedges or 0.6 if it tells what was once suspected.

    Three kinds of link are stated by no single sentence: items of a list of causes that was announced, by a
    sentence or a heading; what an inspection found behind the trouble told before; and the last trouble that a
    told cause of the incident led to, joined to the incident. The last kind comes last.

    HTML tags are no words of a cause. ``pause`` is called before each sentence; what it raises ends the reading.

    Raises:
        InvalidInput: a span of ``sentences`` does not lie inside ``text``.
    """
    text = without_tags(text)
    spans = tuple(split_sentences(text) if sentences is None else _checked(text, sentences))
    reader = _Reader(text, alone=len(spans) == 1)
    for start, end in spans:
        pause()
        reader.read(start, end)
    links, same = reader.links, [*reader.same, *reader.discourse.restated]
    if same:
        told_sides = {cause_key(side.text) for link in links for side in (link.cause, link.effect) if side is not None}
        same = [pair for pair in dict.fromkeys(same) if {cause_key(side.text) for side in pair} <= told_sides]
    links = [link for link, kept in zip(links, without_circles(links, same), strict=True) if kept]
    for cause, incident, led_there in in_between(links, same, _incident(reader.discourse, spans)):
        sentence_of = next((span for span in spans if span[0] <= cause.start < span[1]), (cause.start, cause.end))
        links.extend(_joined(cause, incident, IN_BETWEEN if led_there else IN_THE_END, "in between", sentence_of))
    return CausalReading(
        links=tuple(replace(link, quoted=_quoted(link, spans)) for link in links),
        same=tuple((one, other) for one, other in same if cause_key(one.text) != cause_key(other.text)),
        infinitives=tuple(replace(link, quoted=(link.sentence,)) for link in reader.infinitives),
    )


class _Reader:
    """Reads a text sentence by sentence. ``links`` and ``same`` are what was found so far.

    A sentence that stands ``alone`` takes up none and is taken up by none.
    """

    def __init__(self, text: str, *, alone: bool) -> None:
        self.text = text
        self.alone = alone
        self.discourse = Discourse(text)
        self.links: list[CausalLink] = []
        self.same: list[tuple[Clause, Clause]] = []
        self.infinitives: list[CausalLink] = []
        self._awaits_from = 0
        self._section = Section.OTHER

    def read(self, start: int, end: int) -> None:
        text, discourse = self.text, self.discourse
        sentence = without_denied(read_sentence(text, start, end))
        if not any(word[0].isalpha() for word in sentence.words):
            return
        if is_heading(sentence.words):
            self._enter(sentence)
            return
        if items := inline_items(sentence.words):
            self._section = Section.ITEM
            discourse.pending = discourse.resolve(Reference.ROOT, None)
            for first, stop in items:
                self.read(sentence.starts[first], sentence.ends[stop - 1])
            self._section, discourse.pending = Section.OTHER, None
            return
        awaited = discourse.pending
        found = [_link(draft, text, (start, end)) for draft in assemble(sentence, discourse)]
        if not found and discourse.denied is None and is_supposition(sentence.words):
            return  # what is told next is about the trouble, and not about what was suspected of it
        self.links.extend(found)
        self._purposes(sentence)
        self._degrees(sentence)
        begins = finding_start(sentence.words)
        if self.alone and not begins and self._section is not Section.ITEM:
            return
        sides = [side for link in found for side in (link.cause, link.effect) if side is not None]
        gist, main = _gist(found), main_clause(text, sentence)
        # What the sentence is about is one clause, whether a link names it or not.
        told = discourse.denied or (main and next((side for side in sides if side.start == main.start), main))
        if awaited is not None and discourse.pending is awaited:
            self._listed(sentence, gist or told, bool(found), awaited)
        elif begins:
            self._found_out(sentence, gist if found else told, sentence.starts[begins])
        elif opens_list(sentence.words) or (not found and announces_causes(sentence.words)):
            discourse.pending = discourse.resolve(Reference.ROOT, None)
        if discourse.pending is not awaited:
            self._awaits_from = end
        led_to = {link.effect for link in found if link.pattern == "taken up"}
        opening = [side for side in dict.fromkeys((told, *sides)) if side and side.start - start < OPENING]
        opening = [side for side in opening if side not in led_to]
        self.same.extend((before, clause) for clause in opening if (before := discourse.continued(clause)))
        added = next((link for link in found if link.cause == gist and link.effect.end <= start), None)
        if added is not None and discourse.incident is None and "root" in sentence.words[:OPENING]:
            discourse.incident = added.effect  # "The root cause of the collapse was …"
        blamed = next((link.cause for link in reversed(found) if link.effect == gist), None)
        discourse.note(gist, told, main, sides, gist if added else None, blamed)
        discourse.sentences.append(sentence)

    def _purposes(self, sentence: Sentence) -> None:
        """Keep what something was done for, apart from what came about: a purpose begins no chain of events."""
        for purpose, deed in purposes(sentence):
            cause, effect = (make_clause(self.text, sentence, each) for each in (purpose, deed))
            self.infinitives.append(_stated(cause, effect, "purpose", PURPOSE, sentence))

    def _degrees(self, sentence: Sentence) -> None:
        for much, outcome, denied in degrees(sentence):
            cause, effect = (make_clause(self.text, sentence, each) for each in (much, outcome))
            if denied:
                effect = replace(effect, text=f"not {effect.text}")
            self.infinitives.append(_stated(cause, effect, "too … to" if denied else "enough to", DEGREE, sentence))

    def _enter(self, sentence: Sentence) -> None:
        """Note a heading: the first one is the title, and one that names causes says what its section holds."""
        discourse = self.discourse
        self._section = section_of(sentence.words)
        discourse.pending = None
        if self._section is not Section.OTHER:
            discourse.pending = discourse.resolve(Reference.ROOT, None)
        elif discourse.title is None and sentence.words[0] == "#":
            discourse.title = main_clause(self.text, sentence)

    def _listed(self, sentence: Sentence, told: Clause | None, found: bool, awaited: Clause) -> None:
        """Join an item of a list of causes that was announced to what it is the cause of, or end the list."""
        item = is_listed(sentence.words) or is_bullet(sentence.words) or self._section is Section.ITEM
        together = "\n\n" not in self.text[self._awaits_from : sentence.start]
        first = self._section is Section.CAUSE
        if item or first or (together and found):
            told = told if told is None or not told.remedial else None
            self.links.extend(_joined(told, awaited, LISTED, "listed", (sentence.start, sentence.end)))
            if first:  # what follows in a section "Root cause" goes on about the first thing it says
                self._section = Section.OTHER
                self.discourse.pending = None
        elif not together and self._section is Section.OTHER:
            self.discourse.pending = None

    def _found_out(self, sentence: Sentence, cause: Clause | None, begins: int) -> None:
        """Join what was found out, told from ``begins`` on, to the trouble that it explains."""
        explained = self.discourse.unexplained(sentence.start)
        if any((link.cause, link.effect) == (cause, explained) for link in self.links):
            return  # its own words say so
        if cause is not None and explained is not None and _is_found(cause, begins, explained):
            self.links.extend(_joined(cause, explained, FOUND, "found out", (sentence.start, sentence.end)))


def _incident(discourse: Discourse, spans: Sequence[tuple[int, int]]) -> Clause | None:
    """The incident that a text is about: what it calls so, or the trouble that a longer text opens with."""
    told = discourse.known_incident()
    opens = told is not None and len(spans) >= REPORT and told.start < spans[1][1]
    return told if discourse.incident is not None or opens else None


def _stated(cause: Clause, effect: Clause, pattern: str, strength: float, sentence: Sentence) -> CausalLink:
    """A link between two parts of one sentence that "to" joins."""
    return CausalLink(
        cause=cause,
        effect=effect,
        connective="to",
        pattern=pattern,
        confidence=strength,
        hedged=False,
        sentence=(sentence.start, sentence.end),
        cross_sentence=False,
        quoted=(),
    )


def _joined(
    cause: Clause | None, effect: Clause, strength: float, pattern: str, span: tuple[int, int]
) -> list[CausalLink]:
    """A link that no connective states, if there is a cause that is something else than the effect."""
    if cause is None or (cause.start, cause.end) == (effect.start, effect.end):
        return []
    return [
        CausalLink(
            cause=cause,
            effect=effect,
            connective="",
            pattern=pattern,
            confidence=round(strength * CROSS_SENTENCE, 4),
            hedged=False,
            sentence=span,
            cross_sentence=True,
            quoted=(),
        )
    ]


def _is_found(cause: Clause, begins: int, explained: Clause) -> bool:
    """Whether a finding that begins at ``begins`` tells something behind a trouble and not the trouble itself."""
    apart = not set(content_of(cause.text)) <= set(content_of(explained.text))
    return cause.start >= begins and not cause.remedial and apart


def _start(span: tuple[int, int]) -> int:
    return span[0]


def _quoted(link: CausalLink, spans: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The sentences that a link rests on: the one that states it, and those that tell its sides."""
    places = {link.sentence}
    for side in (link.cause, link.effect):
        if side is not None and not link.sentence[0] <= side.start < link.sentence[1]:
            at = bisect_right(spans, side.start, key=_start) - 1
            places.add(spans[at] if at >= 0 else (side.start, side.end))
    return tuple(sorted(places))


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
    if draft.supposed:
        confidence *= SUPPOSED
    elif draft.hedged:
        confidence *= HEDGE
    return CausalLink(
        cause=draft.cause,
        effect=draft.effect,
        connective=text[draft.span[0] : draft.span[1]],
        pattern=draft.pattern,
        confidence=round(min(confidence, MAX_CONFIDENCE), 4),
        hedged=draft.hedged or draft.supposed,
        supposed=draft.supposed,
        sentence=span,
        cross_sentence=draft.cross_sentence,
        quoted=(),
        cause_pronoun=None if draft.effect_first else draft.pronoun,
        effect_pronoun=draft.pronoun if draft.effect_first else None,
    )
