# SPDX-License-Identifier: Apache-2.0
"""Finds the times that prose mentions, and works out when they are.

Conventions (days, weeks and so on are those of the teller's zone; weeks begin on Monday):

* A weekday, bare or with "last", is the latest before the anchor's day, with "next" the first after it,
  with "this" the one of the anchor's week. "Last week", "last month" and the like are the calendar unit
  before the anchor's; "last summer" or "last March" is the latest that is over. "The past week" and "the
  last three days" reach back from the anchor by that length (precision ``range``).
* N days ago is that day; N weeks ago the calendar week around the day that long ago; N months, quarters,
  years or decades ago that calendar unit; N hours ago that clock hour; N minutes or seconds ago an instant.
  "A few" is two to four of them, "several" three to seven.
* Told without a year, a date is the latest that has begun (with ``prefer="future"`` the first that is not
  over). But in the ``MEMORY`` characters after a full date it is the one nearest to that, so that a report
  written long ago is read in its own time.
* Morning is 5–12 o'clock, afternoon 12–18, evening 18–24, night 18–6; noon is 12:00, and midnight is the
  beginning of the day. "2 pm" is that hour, "2:30 pm" an instant.
* A time of day alone is on the day mentioned before it in the same sentence, or on the date mentioned
  ``MEMORY`` characters before at most, else on the anchor's day.
* "Since" and "after" reach to the anchor if that is later; "before" and "until" reach back to the anchor
  if that is earlier. Otherwise they are cut off ``YEARS_BACK`` years before or ``YEARS_ON`` years after;
  with a time of day, at the day's beginning or end. "Until" includes the period it names, "before" and
  "after" leave it out.
* Two numbers around slashes are a date only if they cannot be read in two ways; with dots, the day is first.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Literal

from .interval import Interval
from .records import Precision
from .temporal_calendar import Context, Recurring, Span
from .temporal_clock import Times
from .temporal_grammar import PHRASE_WORDS, Phrases
from .temporal_lexicon import (
    ANY_WEEKDAY,
    DAY_ORDINALS,
    HOLIDAY,
    MONTH,
    NUMBERS,
    PART_OF_DAY,
    SEASON,
    UNITS,
    VAGUE_NUMBERS,
    WEEKDAY,
    S,
    one_of,
)
from .temporal_readings import Moment, Reading, Stretch, Value, previous_word
from .temporal_resolve import Resolver

MAX_MENTIONS = 1000
"""How many mentions of one text are read."""

MAX_ATTEMPTS = 10_000
"""How many words of one text are tried as the beginning of a time."""


@dataclass(frozen=True, slots=True)
class TimeMention:
    """A time that ``text[start:end]``, here ``text``, mentions.

    ``open`` tells which end of the interval was not told, as the end of "since 2019".
    """

    start: int
    end: int
    text: str
    interval: Interval
    open: Literal["start", "end"] | None = None


def find_times(
    text: str,
    *,
    anchor: datetime,
    zone: tzinfo,
    prefer: Literal["past", "future"] = "past",
    limit: int = MAX_MENTIONS,
) -> tuple[TimeMention, ...]:
    """Return the first ``limit`` times a text mentions, in text order, none overlapping another.

    ``anchor`` (aware) is when the text was told and ``zone`` where; ``prefer`` says whether a weekday or a
    date without a year lies before or after. The time it takes is proportional to the length of the text,
    and no more than ``MAX_ATTEMPTS`` words of it are looked at closely.

    Raises:
        OverflowError: the anchor is outside the years 1 to 9999 in ``zone``.
    """
    reader = _Reader(text, Context.of(anchor, zone, prefer))
    found: list[TimeMention] = []
    place, attempts = 0, 0
    for match in _WORD.finditer(text):
        if match.start() < place or not _may_begin(match):
            continue
        mention, place = reader.read(match)
        attempts += 1
        if mention:
            found.append(mention)
        if len(found) >= limit or attempts >= MAX_ATTEMPTS:
            break
    return tuple(found)


_WORD = re.compile(r"\w+")
_DIGITS = frozenset("0123456789")


def _may_begin(match: re.Match[str]) -> bool:
    """Say, quickly, whether a word may be the first of a time."""
    word = match[0]
    if word[0] in _DIGITS:
        number = _NUMBER.match(match.string, match.start())
        return number is not None and (number["year"] is None or _introduces_year(match.string, match.start()))
    word = word.lower()
    if word in _COMMON:
        return _AFTER_COMMON.match(match.string, match.end()) is not None
    return word in _FIRST_WORDS


_BOUND = re.compile(
    rf"(?P<word>(?:ever{S})?since|until|till|up{S}to|up{S}until|before|prior{S}to|after|between|from){S}"
    rf"(?:(?:about|around|approximately|roughly|at{S}least|as{S}early{S}as|late{S}on){S}|~)?",
    re.IGNORECASE,
)
_BOUND_WORDS = frozenset({"ever", "since", "until", "till", "up", "before", "prior", "after", "between", "from"})
_FIRST_WORDS = (
    PHRASE_WORDS - {"0", "q", "h", "'", "’"} | _BOUND_WORDS | {"q1", "q2", "q3", "q4", "h1", "h2", "sept", "new"}
)
_COUNTING = {re.split(r"\W", word)[0] for word in (*NUMBERS, *VAGUE_NUMBERS, *DAY_ORDINALS)}
_COMMON = frozenset(_COUNTING | {"last", "past", "previous", "this", "next", "coming", "upcoming"})
_UNITS_AND_NAMES = rf"{one_of(UNITS)}|{PART_OF_DAY}|{ANY_WEEKDAY}|{MONTH}|{SEASON}|{HOLIDAY}"
_AFTER_COMMON = re.compile(
    rf"[\s-]{{1,3}}(?:{_UNITS_AND_NAMES}|{one_of(_COUNTING)}|of|and|half|past|coming|dozen|\d)", re.IGNORECASE
)
_NUMBER = re.compile(
    rf"""(?<![/\\#$%&+^])(?<!\w[.-])\d{{1,4}}(?!\d)(?:(?=\s{{0,3}}[^\W\d]|\s?[-–—:/.'’])|(?<=[12]\d\d\d))
    (?:[:/-]\d\d|[-/.]\d{{1,2}}[-/.]\d|\.\d[\s-]{{0,3}}(?:{one_of(UNITS)})
    |st(?!\w)|nd(?!\w)|rd(?!\w)|th(?!\w)|['’]?s(?!\w)|[smhdwy](?!\w)|mo(?!\w)|\s?[ap]\.?m|-?[WQH]\d
    |[\s./-]{{1,3}}(?:{MONTH}|noon)|\s?[-–—]\s?\d|{S}(?:of|to|and|until|till|through)(?!\w)|[\s-]{{0,3}}(?:{one_of(UNITS)}|{WEEKDAY}|{SEASON}|{PART_OF_DAY})
    |\s?(?:UTC|GMT|Z)(?!\w)|{S}[QH][1-4]
    |(?P<year>(?<=[12]\d\d\d)))""",
    re.IGNORECASE | re.VERBOSE,
)
_TO = re.compile(rf"(?P<dash>\s?[-–—]\s?)|{S}(?:to|until|till|through|thru|up{S}to|(?P<and>and)){S}", re.IGNORECASE)
_ON = re.compile(rf"{S}(?:onwards?|forward|on(?=\s*(?:[.,;:!?)]|$)))(?!\w)", re.IGNORECASE)
_THE_BEFORE = re.compile(r"(?:^|\W)(the\s{1,3})$", re.IGNORECASE)


_DECADE = re.compile(r"[5-9]0s(?!\w)")

_JOINED_BEFORE = re.compile(r"[\w/\\@#$%&+^]$|\w[.([-]$|[=<>]\s?$|\d,$")
_JOINED_BEFORE_NUMBER = re.compile(r"[\w/\\#$%&+^-]$|\w[.([]$|\d[,:]$|\w{1,2}:$")
_JOINED_AFTER = re.compile(r"[\w\\@^(%$+]|/\w|\.[a-z\d_]|:\d|-\w|\s(?:every|each)\s")
_COMPARED_AFTER = re.compile(r"\s{0,2}[=<>]")
_RECURRING = frozenset({"every", "each", "per", "any", "most", "alternate"})
_NUMBERED = frozenset(
    {"version", "port", "room", "page", "line", "lines", "chapter", "verse", "section", "build", "ratio", "score", "no"}
)
_NEARLY = frozenset({"shortly", "just", "right", "soon", "immediately", "moments", "long", "well", "days", "hours"})
_NEARLY_TOO = _NEARLY | {"seconds", "minutes", "weeks", "months", "years", "sometime", "ever"}

_INTRODUCTIONS = {
    "time": r"at|by|around|about|from|until|till|since|before|after|between|to|approximately|roughly|circa|and|@",
    "year": r"in|during|since|until|till|by|from|through|throughout|before|after|between|around|circa|ca\.|c\.",
    "month": r"in|during|since|until|till|through|throughout|from|before|after|between|by|of|around",
    "day": r"at|on|for|during|since|until|till|before|after|by|over|around|to|this|last|next|past|through",
}
_INTRODUCED = {
    kind: re.compile(
        rf"(?:^|[^\w'’])(?:{words})\s{{1,3}}(?:(?:about|around|late|early)\s{{1,3}})?[~(]?$", re.IGNORECASE
    )
    for kind, words in _INTRODUCTIONS.items()
}
_OF_YEAR = re.compile(
    r"(?<!total)(?<!\bout)(?<!\bsum)(?<!number)(?<!average)(?<!limit)(?<!\bsize)\sof\s{1,3}$", re.IGNORECASE
)
_PEOPLE = frozenset({4, 6})
"""Months that are first names: "by April" may be a person's work."""


def _introduces_year(text: str, place: int) -> bool:
    before = text[max(0, place - 24) : place]
    last = before.rstrip()[-1:]
    if not last.isalpha() and last not in ("(", "~", "."):
        return False
    return before.endswith("(") or bool(_INTRODUCED["year"].search(before) or _OF_YEAR.search(before))


class _Reader:
    """Reads the mentions of one text, in order."""

    def __init__(self, text: str, context: Context) -> None:
        self.text = text
        self.phrases = Phrases(text, context)
        self.resolver = Resolver(text, context)

    def read(self, start: re.Match[str]) -> tuple[TimeMention | None, int]:
        """Read the mention that may begin at a match; return it, if any, and where to go on."""
        place = start.start()
        bound = None
        if start[0].lower() in _BOUND_WORDS:
            bound = _BOUND.match(self.text, place)
            if bound is None:
                return None, start.end()
        elif self.text[place - 1 : place] in ("'", "’") and _DECADE.match(self.text, place):
            place -= 1
        try:
            if bound is None:
                found = self._plain(place)
            elif bound["word"].lower() in ("between", "from"):
                found = self._stretch(bound)
            else:
                found = self._bounded(bound)
        except (ValueError, OverflowError):  # the words name no time after all
            return None, start.end()
        if found is None:
            return None, start.end()
        return (found if self._stands_alone(found) else None), found.end

    def _mention(
        self, start: int, end: int, interval: Interval, open_end: Literal["start", "end"] | None = None
    ) -> TimeMention:
        return TimeMention(start, end, self.text[start:end], interval, open_end)

    def _plain(self, place: int) -> TimeMention | None:
        reading = self.phrases.read(place)
        if reading is None:
            return None
        value = reading.value
        if (link := _TO.match(self.text, reading.end)) and not link["and"]:
            weekdays = isinstance(value, Recurring) and value.strict
            last = self.phrases.read(link.end())
            if last and not weekdays and not (reading.weak and last.weak) and _alike(value, last.value):
                with suppress(ValueError, OverflowError):  # else two times side by side
                    return self._joined(place, reading, last)
        if reading.weak and not self._introduced(reading, place):
            return None
        resolved = self.resolver.resolve(value, place)
        self.resolver.remember(reading, resolved)
        return self._mention(self._with_article(place, reading.end), reading.end, resolved.interval)

    def _joined(self, place: int, first: Reading, last: Reading) -> TimeMention | None:
        if isinstance(first.value, Stretch) or isinstance(last.value, Stretch):
            return None
        resolved = self.resolver.resolve(Stretch(first.value, last.value), place)
        self.resolver.remember(last, self.resolver.resolve(last.value, place))
        return self._mention(place, last.end, resolved.interval)

    def _stretch(self, bound: re.Match[str]) -> TimeMention | None:
        """Read "between … and …", "from … to …" and "from … on"."""
        first = self.phrases.read(bound.end())
        if first is None:
            return None
        is_between = bound["word"].lower() == "between"
        times = first.value.times if isinstance(first.value, Moment) else first.value
        if isinstance(times, Stretch) or (isinstance(times, Times) and times.last):
            resolved = self.resolver.resolve(first.value, bound.start())
            self.resolver.remember(first, resolved)
            return self._mention(bound.start(), first.end, resolved.interval)
        link = _TO.match(self.text, first.end)
        if link and (is_between or not link["and"]) and (last := self.phrases.read(link.end())):
            return self._joined(bound.start(), first, last)
        if not is_between and (onward := _ON.match(self.text, first.end)):
            interval = self.resolver.since(first.value, bound.start())
            return self._mention(bound.start(), onward.end(), interval, "end")
        return None

    def _bounded(self, bound: re.Match[str]) -> TimeMention | None:
        """Read "since 2019", "until June 2023", "before Christmas", "after 9 June"."""
        reading = self.phrases.read(bound.end())
        word = " ".join(bound["word"].lower().split())
        if reading is None or self.text[reading.end : reading.end + 2] in ("'s", "’s"):
            return None
        if previous_word(self.text, bound.start()) in _NEARLY_TOO:
            return None
        place, value = bound.start(), reading.value
        if word.endswith("since"):
            interval = self.resolver.since(value, place)
        elif word == "after":
            interval = self.resolver.after(value, place)
        else:
            interval = self.resolver.until(value, place, including=word not in ("before", "prior to"))
        self.resolver.remember(reading, self.resolver.resolve(value, place))
        onward = word.endswith("since") or word == "after"
        return self._mention(place, reading.end, interval, "end" if onward else "start")

    def _introduced(self, reading: Reading, place: int) -> bool:
        """Say whether the word before a weak reading makes it a time."""
        text = self.text[max(0, place - 24) : place]
        value = reading.value
        if isinstance(value, Times):
            return _INTRODUCED["time"].search(text) is not None
        if not isinstance(value, Span | Recurring):
            return False
        if value.precision is Precision.YEAR:
            return _introduces_year(self.text, place)
        if value.precision is not Precision.MONTH:
            return _INTRODUCED["day"].search(text) is not None
        person = isinstance(value, Recurring) and _month(value) in _PEOPLE
        return _INTRODUCED["month"].search(text) is not None and not (person and _BY.search(text))

    def _with_article(self, place: int, end: int) -> int:
        article = _THE_BEFORE.search(self.text[max(0, place - 8) : place])
        takes_one = " " in self.text[place:end] or self.text[place].isdigit() or self.text[end - 1] == "s"
        return place - len(article[1]) if article and takes_one else place

    def _stands_alone(self, mention: TimeMention) -> bool:
        """Say whether a mention is not part of a name, a path, a number or a habit."""
        text, start, end = self.text, mention.start, mention.end
        number = text[start].isdigit()
        before = text[max(0, start - 3) : start]
        if (_JOINED_BEFORE_NUMBER if number else _JOINED_BEFORE).search(before) or _JOINED_AFTER.match(text, end):
            return False
        if not number and _COMPARED_AFTER.match(text, end):
            return False
        word = previous_word(text, start)
        return word not in _RECURRING and not (number and word in _NUMBERED) and not _BLANK_LINE.search(mention.text)


_BY = re.compile(r"(?:by|of|from|before|after|between)\s{1,3}$", re.IGNORECASE)
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")


def _month(value: Recurring) -> int:
    span = value.turn(2000)
    return span.start.month if span else 0


def _alike(first: Value, last: Value) -> bool:
    """Say whether two times that a dash or "to" joins can make one stretch: two dates, or two times of day."""
    dates, clocks = Span | Recurring, Times | Moment
    return (isinstance(first, dates) and isinstance(last, dates)) or (
        isinstance(first, clocks) and isinstance(last, clocks)
    )
