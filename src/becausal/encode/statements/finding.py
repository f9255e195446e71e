# SPDX-License-Identifier: Apache-2.0
"""Facts, and relations between entities, read out of prose by the grammar of English.

Only what is plainly stated is taken: no questions, conditions, wishes, guesses, commands or reported doubts. A
sentence that no rule fits states nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...domain.interval import Interval
from ...domain.sentences import Span
from ...domain.temporal.text import TimeMention
from ...domain.text import normalize_name
from .. import vocabulary as words
from ..entities import ExtractedEntity
from ..names import NAME_SHAPES
from ..reading import Reading, Sentence, read
from . import lexicon as lex
from .clauses import Clauses
from .line import Context, Line
from .matching import Draft
from .phrases import Phrase, build
from .predicates import Topic
from .times import validity

MAX_STATEMENTS = 64
"""Statements of one text, the first ones."""

MAX_WORDS = 120
"""Words of a sentence that is read; what is longer is no prose."""

_ASIDE = re.compile(r"\s*\([^()]*\)$")
_FENCE = re.compile(r"^(?:```|~~~)", re.MULTILINE)
_NO_SPEAKERS = frozenset(("assistant", "ai", "bot", "system", "agent"))
_TOPIC_KEYS = frozenset(("title", "name", "topic", "subject"))
_UNDONE = frozenset(("todo", "fixme", "q", "question", "example", "idea", "proposal", "e.g"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A fact that ``content[start:end]``, a sentence or clause, states.

    ``subject_entity`` and ``object_entity`` are the normalised names of the entities the ends are: of those given,
    or of parts of a system written in lower case ("the billing service"). With both, it is also a typed relation.
    It holds from ``valid_from.start`` to ``valid_to.end``, as far as they were told. ``ended`` tells that it no longer
    held when it was told, ``negated`` that it was told in the negative ("no longer uses"). ``speaker`` is who says it.
    """

    subject: str
    predicate: str
    object: str
    start: int
    end: int
    subject_entity: str | None = None
    object_entity: str | None = None
    negated: bool = False
    ended: bool = False
    valid_from: Interval | None = None
    valid_to: Interval | None = None
    speaker: str | None = None


def find_statements(
    content: str,
    entities: Sequence[ExtractedEntity],
    times: Sequence[TimeMention],
    *,
    speaker: str | None = None,
    topic: str | None = None,
    reading: Reading | None = None,
) -> tuple[Statement, ...]:
    """Return the facts a text states, in text order, each once, ``MAX_STATEMENTS`` at most.

    ``times`` are the times ``content`` mentions, in text order. ``speaker`` is who says "I" where no "Name:" opens a
    line (``None``: "user"), ``topic`` what "it", "he" or "she" means in the first sentence, such as a title.
    ``reading`` spares reading the text once more. Linear in the length of the text.
    """
    return _Finder(reading or read(content), entities, times, speaker, topic).find()


class _Finder:
    def __init__(
        self,
        reading: Reading,
        entities: Sequence[ExtractedEntity],
        times: Sequence[TimeMention],
        speaker: str | None,
        topic: str | None,
    ) -> None:
        self.reading = reading
        self.context = Context(
            reading, {entity.key: entity.entity_type for entity in entities}, speaker, user=speaker or "user"
        )
        self.given = speaker
        self.times = times
        self.topic = Topic()
        self.found: dict[tuple[str, str, str, bool], Statement] = {}
        self.silent = False
        if topic:
            self._about(topic)

    def find(self) -> tuple[Statement, ...]:
        text = self.reading.text
        fences = [match.start() for match in _FENCE.finditer(text)]
        inside = 0
        time = 0
        for sentence in self.reading.sentences:
            while inside < len(fences) and fences[inside] < sentence.end:
                inside += 1
            first = time
            while time < len(self.times) and self.times[time].end <= sentence.end:
                time += 1
            if inside % 2 or sentence.start < self.reading.body:
                continue
            self._read(sentence, [each for each in self.times[first:time] if each.start >= sentence.start])
            if len(self.found) >= MAX_STATEMENTS:
                break
        return tuple(self.found.values())[:MAX_STATEMENTS]

    def _read(self, sentence: Sentence, times: Sequence[TimeMention]) -> None:
        tokens = sentence.tokens
        at = self._speaker(sentence)
        if sentence.heading:
            self._about(self.reading.text[sentence.start : sentence.end])
            return
        if len(tokens) - at < 3 or len(tokens) > MAX_WORDS or sentence.loud:
            return
        if at:
            sentence = Sentence(tokens[at].start, sentence.end, tokens[at:], sentence.heading, sentence.loud)
        line = Line.of(self.context, sentence, times)
        if _doubtful(line):
            self.topic.sure = False
            return
        clauses = Clauses(line, self.topic)
        drafts = clauses.read()
        if sentence.end < self.reading.sentences[-1].end:
            self._remember(line, clauses.subject, drafts)
        self._add(line, drafts)

    # --- who speaks, and of what --------------------------------------------------------------------

    def _speaker(self, sentence: Sentence) -> int:
        """Note who speaks from here on, if "Name:" says so; return how many tokens that takes."""
        tokens = sentence.tokens
        start = 0
        if len(tokens) > 4 and tokens[0].text == "[":  # a time stamp
            start = next((n + 1 for n, token in enumerate(tokens[:12]) if token.text == "]"), 0)
        for count in (1, 2, 3):
            at = start + count
            if len(tokens) <= at + 1 or tokens[at].text != ":" or tokens[at].end == tokens[at + 1].start:
                continue
            lower = tokens[start].lower
            if all(token.shape in NAME_SHAPES for token in tokens[start:at]):
                if count == 1 and lower in _TOPIC_KEYS:
                    self._about(self.reading.text[tokens[at].end : sentence.end])
                    return len(tokens)
                if lower in _UNDONE:
                    return len(tokens)
                if lower in ("user", "human") and count == 1:
                    self.context.speaker, self.silent = self.given, False
                elif lower in _NO_SPEAKERS and count == 1:
                    self.silent = True
                elif lower not in words.ROLES and (
                    count > 1 or not words.is_common(lower) or lower in words.GIVEN_NAMES
                ):
                    self.context.speaker = self.reading.text[tokens[start].start : tokens[at - 1].end]
                    self.silent = False
                    self.topic = Topic()
                return at + 1
            return at + 1 if lower in words.ROLES else 0
        return start

    def _about(self, title: str) -> None:
        title = _ASIDE.sub("", " ".join(title.split())).strip(" .#*")
        if not title or len(title.split()) > 8:
            return
        key = normalize_name(title)
        kind = self.context.entities.get(key, "thing")
        if kind == "work":
            kind = "thing"
        sort = "person" if kind == "person" else "name"
        entity = key if key in self.context.entities else None
        subject = Phrase(0, 0, title, sort, "", title, "", entity, kind, named=True)
        self.topic = Topic(subject, title.rpartition(" ")[2].casefold(), sure=True)
        self.context.title = title if len(title) > 2 else ""

    def _remember(self, line: Line, subject: Phrase | None, drafts: Sequence[Draft]) -> None:
        """Keep what the sentence was about, for a pronoun in the next one."""
        if subject is None or (subject.sort == "first" and subject.kind != "user"):
            subject = self._opening_name(line)
        topic = self.topic
        if subject is not None and subject.owner and not subject.named:  # "Her brother …": what then does "he" mean?
            topic.sure = False
            return
        if subject is not None and topic.subject is not None and subject.text == topic.subject.text:
            pass
        elif subject is not None:
            topic = self.topic = Topic(subject, subject.text.rpartition(" ")[2].casefold())
        if topic.subject is None:
            return
        topic.sure = subject is not None and not self._others(line, topic.subject)
        for low in line.low[: len(line)]:
            if not topic.gender and low in ("he", "his", "she", "her", "actress", "him"):
                topic.gender = "m" if low in ("he", "his", "him") else "f"
        for draft in drafts:
            if draft.predicate == "is" and draft.subject.text == topic.subject.text:
                topic.head = draft.object.head

    def _opening_name(self, line: Line) -> Phrase | None:
        end, _ = line.name_end(0)
        return build(line, 0, 0, end, "") if end else None

    def _others(self, line: Line, subject: Phrase) -> bool:
        """Say whether the sentence names another person."""
        place = 0
        while place < len(line):
            end, key = line.name_end(place)
            if end > place:
                kind = self.context.entities.get(key or "", "thing")
                if kind == "person" and line.text(place, end) not in subject.text:
                    return True
                place = end
            else:
                place += 1
        return False

    # --- statements ---------------------------------------------------------------------------------

    def _add(self, line: Line, drafts: Sequence[Draft]) -> None:
        drafts = [draft for draft in drafts if not (self.silent and "first" in (draft.subject.sort, draft.object.sort))]
        starts = sorted({draft.at for draft in drafts})
        for draft in drafts:
            span = self._span(line, draft, starts)
            taken = [
                Span(line.start[part.start], line.end[max(part.start, part.end - 1)])
                for each in drafts
                for part in (each.subject, each.object)
                if part is each.subject or (each.at == draft.at and part.sort in ("time", "value", "free"))
            ]
            held = validity(line, draft, span, taken)
            subject, thing = draft.subject.text, draft.object.text
            if normalize_name(subject) == normalize_name(thing) or not thing:
                continue
            key = (normalize_name(subject), draft.predicate, normalize_name(thing), held.ended)
            if key in self.found:
                continue
            self.found[key] = Statement(
                subject=subject,
                predicate=draft.predicate,
                object=thing,
                start=min(span[0], line.start[draft.subject.start]),
                end=span[1],
                subject_entity=draft.subject.entity,
                object_entity=draft.object.entity,
                negated=draft.negated,
                ended=held.ended,
                valid_from=held.start,
                valid_to=held.end,
                speaker=self.context.speaker,
            )

    def _span(self, line: Line, draft: Draft, starts: Sequence[int]) -> Span:
        """Return the characters of the clause of a draft: from its subject, or the clause before, to the next one."""
        later = [at for at in starts if at > draft.at]
        start = line.start[0]
        earlier = [at for at in starts if at < draft.at]
        if earlier:
            start = line.start[draft.at if draft.subject.start <= earlier[-1] else draft.subject.start]
        end = line.start[later[0]] if later else line.end[len(line) - 1]
        for place in range(draft.after, len(line)):
            if line.start[place] >= end:
                break
            low = line.low[place]
            inside = any(time.start < line.start[place] < time.end for time in line.time_at.values())
            if not inside and (low in _BREAKS or (low == "," and not _time_near(line, place + 1))):
                end = line.start[place]
                break
        return Span(start, max(end, line.end[max(draft.after - 1, 0)]))


_BREAKS = (lex.BOUNDARIES | {"whose", "that"}) - {"as", "since", "before", "after", ":", "–", "—"}


def _time_near(line: Line, at: int) -> bool:
    return any(place in line.time_at for place in range(at, at + 3))


def _doubtful(line: Line) -> bool:
    """Say whether a sentence asks, supposes, wishes or doubts."""
    low = line.low
    last = len(line) - 1
    while last > 0 and low[last] in ('"', "”", ")", "*"):
        last -= 1
    if low[last] == "?":
        return True
    if not lex.DOUBT.isdisjoint(low):
        return True
    return any((low[at], low[at + 1]) in lex.DOUBT_PAIRS for at in range(len(line)))
