# SPDX-License-Identifier: Apache-2.0
"""How long something lasted: as it was told, or from when it began to when it was over."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo

from ...domain.interval import Interval, to_local
from ...domain.records import Precision
from ...domain.sentences import sentences
from ...domain.temporal.text import find_times
from ...domain.text import query_terms
from ...magma.evidence import EITHER, coverage
from ...magma.synthesize import Moment
from ..results import Result
from .endings import ends_it
from .findings import READ, filed

LEAST = 0.5
"""Share of a question's words that what tells a length, or the beginning of something, must have."""

OVER = 0.3
"""Share of them that what tells its end must have, ..."""

SAME = 0.25
"""... and share of the words of its beginning, if it has fewer."""

MANY_DAYS, MANY_MONTHS = 90, 730
"""Days from which a length known only roughly is told in months, and in years."""

_AMOUNT = (
    r"(?:\d+(?:[.,]\d+)?|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty"
    r"|fifty|sixty|ninety|a few|several|half an?|a couple of|a dozen)(?:\s(?:and a half|or (?:so|two|three)))?"
)
_UNIT = r"(?:second|minute|min|hour|day|night|weekend|week|fortnight|month|year|decade)s?"
_LENGTH = re.compile(
    rf"\b(?:(?:about|around|nearly|almost|roughly|over|more than|less than|at least|only|just|exactly)\s)?"
    rf"{_AMOUNT}[\s-]{_UNIT}\b(?:\s(?:and\s)?(?:{_AMOUNT}\s{_UNIT}|a half)\b)?",
    re.IGNORECASE,
)
_SPAN = re.compile(
    r"\b(?:for|last(?:s|ed|ing)?|took|takes?|taken|taking|spent|remained|stayed|was|were|is|been|after|over|throughout|of|to)"
    r"\s(?:(?:a|the)\s(?:total|whole|full)\s(?:of\s)?|(?:some|the next|the whole)\s)?$",
    re.IGNORECASE,
)
_WITHIN = re.compile(r"\b(?:in|within)\s$", re.IGNORECASE)
_AHEAD = re.compile(r"\b(?:will|shall|is|are|due|back)\b|['’]ll\b", re.IGNORECASE)
"""What makes "in three days" a time to come."""
_WHOSE = re.compile(r"[\s-](?:long|outage|wait|delay|break|closure)\b")
_NO_LENGTH = re.compile(r"\s?(?:ago|later|earlier|old|away|from now|before|after|into)\b", re.IGNORECASE)
_ENDED = re.compile(
    r"\b(?:end(?:s|ed)?|over|finish(?:es|ed)?|stop(?:s|ped)?|resolved|restored|recovered|re-?opened|open again|back"
    r"|fixed|repaired|lifted|returned|resumed|cleared|closed again|released|completed?|left|moved out|went home|put out"
    r"|came (?:back|home)|on again|up again|working again|ran again|mended|retired|resigned|quit|stepped down|until)\b",
    re.IGNORECASE,
)
_OPPOSITES = tuple(
    (re.compile(rf"\b(?:{one})\b", re.IGNORECASE), re.compile(rf"\b(?:{other})\b", re.IGNORECASE))
    for one, other in (
        ("open(?:s|ed)?", "closed?|shut"),
        ("closed?|shut", "open(?:s|ed)?"),
        ("arrived?|came|joined|moved in|married|admitted", "departed|left|went|moved out|divorced|discharged"),
        ("born|founded", "died|dissolved"),
        (r"(?:came|switched|turned) on(?! \d)", "(?:went|switched|turned) (?:off|out)"),
        ("(?:went|switched|turned|cut) (?:off|out)", r"(?:came|switched|turned) (?:back )?on(?! \d)"),
    )
)
"""What begins something, and what is its end."""
_EXACT = (Precision.INSTANT, Precision.HOUR)
_UNITS = ((timedelta(days=1), "day"), (timedelta(hours=1), "hour"), (timedelta(minutes=1), "minute"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Length:
    """How long, in words, and the one moment that tells it or the two between which it lies."""

    text: str
    moments: tuple[Moment, ...]


def how_long(
    results: Sequence[Result],
    happened: Sequence[tuple[float, Moment]],
    stated: Sequence[tuple[float, Length]],
    weights: Mapping[str, float],
    zone: tzinfo,
) -> Length | None:
    """Return how long what a question asks about lasted; ``None`` if that was not told.

    ``happened`` are moments, and ``stated`` lengths with which events were stated, each with the share of the
    question's words (``weights``) that it tells.
    """
    lengths = [*stated, *_told(results, weights)]
    if known := max((each for each in lengths if each[0] >= LEAST), key=lambda each: each[0], default=None):
        return known[1]
    return _stretch(happened, zone) or _between(happened, weights, zone)


def so_far(happened: Sequence[tuple[float, Moment]], now: datetime, zone: tzinfo) -> Length | None:
    """Return how long it has been since what fits best began whose end was not told: "about 7 years" since 2019.

    ``None`` where nothing was told to be so since some time, or only since the year that it is.
    """
    for share, moment in sorted(happened, key=lambda each: -each[0]):
        if share < LEAST or moment.told or moment.when.precision is not Precision.RANGE or moment.when.start > now:
            continue
        if any(
            mention.open == "end" and mention.interval.start == moment.when.start
            for mention in find_times(moment.text, anchor=moment.told_at or moment.when.start, zone=zone)
        ):
            begun, today = (to_local(each, zone).date() for each in (moment.when.start, now))
            only_year = (begun.month, begun.day) == (1, 1)
            if only_year and begun.year == today.year:
                return None
            return Length(text=_roughly(begun, today), moments=(moment,))
    return None


def _told(results: Sequence[Result], weights: Mapping[str, float]) -> list[tuple[float, Length]]:
    """Return the length, if any, that the sentence tells which has most of the question's words."""
    best: tuple[float, Length] | None = None
    for result in results:
        text = result.passage or result.engram.content[:READ]
        for start, end in sentences(text):
            sentence = " ".join(text[start:end].split())
            share = coverage(weights, (sentence,))
            if share < LEAST or (best is not None and share <= best[0]):
                continue
            if (length := _length_in(sentence)) is not None:
                moment = Moment(when=filed(result.engram), text=sentence, engram=result.engram.id)
                best = share, Length(text=length, moments=(moment,))
    return [best] if best is not None else []


def _length_in(sentence: str) -> str | None:
    for match in _LENGTH.finditer(sentence):
        if _NO_LENGTH.match(sentence, match.end()):
            continue
        attributive = "-" in match[0] or _WHOSE.match(sentence, match.end())
        within = _WITHIN.search(sentence[: match.start()]) and not _AHEAD.search(sentence)
        if _SPAN.search(sentence[: match.start()]) or attributive or within:
            return _plural(match[0]) if attributive else match[0]
    return None


def _plural(length: str) -> str:
    """Return "three hours" of "three-hour"."""
    words = length.replace("-", " ")
    return words if words.endswith("s") or words.split()[0].lower() in ("a", "an", "one", "1", "half") else f"{words}s"


def _stretch(happened: Sequence[tuple[float, Moment]], zone: tzinfo) -> Length | None:
    """Return the length of a time that was told with both its ends: "closed from Monday to Thursday".

    So is that of "closed until Thursday", told to have been so from some moment on.
    """
    for share, moment in sorted(happened, key=lambda each: -each[0]):
        if share < LEAST or moment.told or moment.when.precision is not Precision.RANGE:
            continue
        known = moment.when.end - moment.when.start > timedelta(days=1)  # else it was only told until when
        both = any(
            mention.open is None or (mention.open == "start" and known)
            for mention in find_times(moment.text, anchor=moment.told_at or moment.when.start, zone=zone)
            if mention.interval.precision is Precision.RANGE
        )
        if both:
            return Length(text=_spoken(moment.when.end - moment.when.start), moments=(moment,))
    return None


def _between(happened: Sequence[tuple[float, Moment]], weights: Mapping[str, float], zone: tzinfo) -> Length | None:
    """Return the length from the moment that fits best to the first one after it at which it was over."""
    timed = [each for each in happened if not each[1].told]
    asked = frozenset(term for word in weights for term in word.split(EITHER))
    begun = [each for each in timed if each[0] >= LEAST and not _only_ended(each[1], timed)]
    for _, start in sorted(begun, key=lambda each: (-each[0], each[1].when.start)):
        words = dict.fromkeys(query_terms(start.text), 1.0)
        ends = [
            moment
            for share, moment in timed
            if moment.when.start > start.when.start
            and (ending := _ENDED.search(moment.text) or _undoing(start.text, moment.text))
            and (share >= OVER or coverage(words, (moment.text,)) >= SAME)
            and ends_it(start, moment, ending, asked, zone)
        ]
        if ends:
            end = min(ends, key=lambda moment: moment.when.start)
            return Length(text=_apart(start.when, end.when, zone), moments=(start, end))
    return None


def _undoing(begun: str, over: str) -> re.Match[str] | None:
    """Return where a sentence tells the opposite of what another told to have begun: "closed" after "opened"."""
    return next((found for one, other in _OPPOSITES if one.search(begun) and (found := other.search(over))), None)


def _only_ended(moment: Moment, timed: Sequence[tuple[float, Moment]]) -> bool:
    """Whether a moment tells that something was over, and no earlier one of its sentence tells how it began."""
    later = any(each.text == moment.text and each.when.start > moment.when.start for _, each in timed)
    return _ENDED.search(moment.text) is not None and not later


def _apart(start: Interval, end: Interval, zone: tzinfo) -> str:
    """Return the time between two moments in words, as exact as they were told."""
    if start.precision in _EXACT and end.precision in _EXACT:
        return _spoken(end.start - start.start)
    first, last = to_local(start.start, zone).date(), to_local(end.start, zone).date()
    if first == last:
        return "less than a day"
    exact = {start.precision, end.precision} <= {Precision.DAY, *_EXACT}
    return _counted((last - first).days, "day") if exact else _roughly(first, last)


def _roughly(start: date, end: date) -> str:
    """Return the time between two days in words; the first day of a year stands for all of it."""
    days = (end - start).days
    if (start.month, start.day) == (1, 1) and end.year > start.year:
        return f"about {_counted(end.year - start.year, 'year')}"
    if days >= MANY_MONTHS:
        return f"about {_counted(round(days / 365.25), 'year')}"
    if days >= MANY_DAYS:
        return f"about {_counted(round(days / 30.44), 'month')}"
    return f"about {_counted(days, 'day')}" if days else "less than a day"


def _spoken(length: timedelta) -> str:
    parts = []
    for unit, name in _UNITS:
        number, length = divmod(length, unit)
        if number:
            parts.append(_counted(number, name))
    return " ".join(parts[:2]) or "less than a minute"


def _counted(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"
