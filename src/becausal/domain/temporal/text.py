# SPDX-License-Identifier: Apache-2.0
"""Finds the times that prose mentions, and works out when they are.

Conventions (days, weeks and so on are those of the teller's zone; weeks begin on Monday):

* A bare weekday is the latest that has begun: told on a Monday, "Monday" is that day. With "last" it is the
  latest before the anchor's day, with "next" the first after it, with "this" the one of the anchor's week.
  "Last week", "last month" and the like are the calendar unit before the anchor's; "last summer" or "last
  March" is the latest that is over. "The past week" and "the last three days" reach back from the anchor by
  that length (precision ``range``).
* What is told without its year, month or week lies ahead if its sentence says so (``tense``): "will be back
  on Friday", "is due Friday", "was moved to Sunday", "the review is on Thursday". A weekday then is the first
  after the anchor's day. "In two weeks" is a time only there; elsewhere it is how long something took.
* N days ago is that day; N weeks ago the calendar week around the day that long ago; N months, quarters,
  years or decades ago that calendar unit; N hours ago that clock hour; N minutes or seconds ago an instant.
  "A few" is two to four of them, "several" three to seven.
* Told without a year, a date is the latest whose day has begun, or, where it lies ahead, the first that is
  not over. But in the ``MEMORY`` characters after a full date it is the one nearest to that, so that a report
  written long ago is read in its own time. A date that is on no calendar, such as 29 February 2025, is none.
* Morning is 5–12 o'clock, afternoon 12–18, evening 18–24, night 18–6; noon is 12:00, and midnight is the
  beginning of the day. "2 pm" is that hour, "2:30 pm" an instant. "Tonight", told before 5 o'clock, is the
  night under way.
* A time of day alone is on the day mentioned before it in the same sentence, or on the date mentioned
  ``MEMORY`` characters before at most, else on the anchor's day.
* "Since" and "after" reach to the anchor if that is later; "before" and "until" reach back to the anchor
  if that is earlier. Otherwise they are cut off ``YEARS_BACK`` years before or ``YEARS_ON`` years after;
  with a time of day, at the day's beginning or end. "Until" includes the period it names, "before" and
  "after" leave it out.
* Where only the day, month or year of the telling is known, a time counted from it is all that it may be:
  "two hours ago", told on some day, reaches from two hours before that day to two hours before its end.
* Two numbers around slashes are a date only if they cannot be read in two ways; with dots, the day is first.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from typing import Literal

from ..interval import INSTANT, Interval, lasting
from ..records import Precision
from .calendar import Context, Recurring, Span, is_vague
from .clock import Times
from .grammar import Phrases
from .guards import introduced, is_near, stands_alone
from .lexicon import S
from .readings import Moment, Reading, Stretch, Value
from .resolve import NoSuchTime, Place, Resolved, Resolver
from .scan import BOUND_WORDS, candidates
from .tense import is_moved, is_put_off

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
    text: str, *, anchor: datetime | Interval, zone: tzinfo, limit: int = MAX_MENTIONS
) -> tuple[TimeMention, ...]:
    """Return the first ``limit`` times a text mentions, in text order, none overlapping another.

    ``anchor`` is when the text was told, as a moment (aware) or as the interval it lies in, and ``zone``
    where. The time it takes is proportional to the length of the text, and no more than ``MAX_ATTEMPTS``
    words of it are looked at closely.

    Raises:
        OverflowError: the anchor is outside the years 1 to 9999 in ``zone``, and the text may mention a time.
    """
    if next(candidates(text), None) is None:
        return ()
    told = anchor if isinstance(anchor, Interval) else lasting(anchor.astimezone(UTC), INSTANT, Precision.INSTANT)
    mentions = _mentions(text, Context.of(told, zone), limit)
    if not is_vague(told):
        return mentions
    early = {(mention.start, mention.end): mention for mention in mentions}
    late = _mentions(text, Context.of(told, zone, "end"), limit)
    return tuple(_either(early.get((mention.start, mention.end), mention), mention) for mention in late)


def _either(early: TimeMention, late: TimeMention) -> TimeMention:
    """Return what a mention may be that was told at one time or a later one: from the first to the last."""
    first, last = early.interval, late.interval
    if first == last or late.open == "end":
        return late
    start, end = min(first.start, last.start), max(first.end, last.end)
    return replace(late, interval=Interval(start, end, Precision.RANGE))


def _mentions(text: str, context: Context, limit: int) -> tuple[TimeMention, ...]:
    reader = _Reader(text, context)
    found: list[TimeMention] = []
    place, attempts = 0, 0
    for match in candidates(text):
        if match.start() < place:
            continue
        mention, place = reader.read(match)
        attempts += 1
        if mention:
            found.append(mention)
        if len(found) >= limit or attempts >= MAX_ATTEMPTS:
            break
    return tuple(found)


_BOUND = re.compile(
    rf"(?P<word>(?:ever{S})?since|until|till|up{S}to|up{S}until|before|prior{S}to|after|between|from){S}"
    rf"(?:(?:about|around|approximately|roughly|at{S}least|as{S}early{S}as|late{S}on){S}|~)?",
    re.IGNORECASE,
)
_TO = re.compile(rf"\s?[-–—]\s?|{S}(?:to|until|till|through|thru|up{S}to|(?P<and>and)){S}", re.IGNORECASE)
_ON = re.compile(rf"{S}(?:onwards?|forward|on(?=\s{{0,3}}(?:[.,;:!?)]|$)))(?!\w)", re.IGNORECASE)
_THE_BEFORE = re.compile(r"(?:^|\W)(the\s{1,3})$", re.IGNORECASE)
_DECADE = re.compile(r"[5-9]0s(?!\w)")


class _Reader:
    """Reads the mentions of one text, in order."""

    def __init__(self, text: str, context: Context) -> None:
        self.text = text
        self.end = 0
        self.phrases = Phrases(text, context)
        self.resolver = Resolver(text, context)

    def read(self, start: re.Match[str]) -> tuple[TimeMention | None, int]:
        """Read the mention that may begin at a match; return it, if any, and where to go on."""
        place = start.start()
        bound = None
        if start[0].lower() in BOUND_WORDS:
            bound = _BOUND.match(self.text, place)
            if bound is None:
                return None, start.end()
        elif self.text[place - 1 : place] in ("'", "’") and _DECADE.match(self.text, place):
            place -= 1
        self.end = start.end()
        try:
            if bound is None:
                found = self._plain(place)
            elif bound["word"].lower() in ("between", "from"):
                found = self._stretch(bound)
            else:
                found = self._bounded(bound)
        except NoSuchTime:  # none of these words tells another
            return None, self.end
        except (ValueError, OverflowError):  # the words name no time after all
            return None, start.end()
        if found is None:
            return None, start.end()
        return (found if stands_alone(self.text, found.start, found.end) else None), found.end

    def _resolve(self, value: Value, start: int, end: int) -> Resolved:
        self.end = max(self.end, end)
        return self.resolver.resolve(value, Place(start, end))

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
            weekdays = weekdays or is_moved(self.text, place)
            if last and not weekdays and not (reading.weak and last.weak) and _alike(value, last.value):
                with suppress(ValueError, OverflowError):  # else two times side by side
                    return self._joined(place, reading, last)
        if reading.weak and not introduced(reading, self.text, place):
            return None
        resolved = self._resolve(value, place, reading.end)
        self.resolver.remember(reading, resolved, place)
        return self._mention(self._with_article(place, reading.end), reading.end, resolved.interval)

    def _joined(self, place: int, first: Reading, last: Reading) -> TimeMention | None:
        if isinstance(first.value, Stretch) or isinstance(last.value, Stretch):
            return None
        resolved = self._resolve(Stretch(first.value, last.value), place, last.end)
        self.resolver.remember(last, self._resolve(last.value, place, last.end), place)
        return self._mention(place, last.end, resolved.interval)

    def _stretch(self, bound: re.Match[str]) -> TimeMention | None:
        """Read "between … and …", "from … to …" and "from … on"."""
        first = self.phrases.read(bound.end())
        if first is None:
            return None
        is_between = bound["word"].lower() == "between"
        put_off = isinstance(first.value, Recurring) and is_put_off(self.text, bound.end())
        if not is_between and (put_off or is_moved(self.text, bound.end())):
            return None  # "moved from Friday to Monday"
        times = first.value.times if isinstance(first.value, Moment) else first.value
        if isinstance(times, Stretch) or (isinstance(times, Times) and times.last):
            resolved = self._resolve(first.value, bound.start(), first.end)
            self.resolver.remember(first, resolved, bound.start())
            return self._mention(bound.start(), first.end, resolved.interval)
        link = _TO.match(self.text, first.end)
        if link and (is_between or not link["and"]) and (last := self.phrases.read(link.end())):
            return self._joined(bound.start(), first, last)
        if not is_between and (onward := _ON.match(self.text, first.end)):
            self.end = onward.end()
            interval = self.resolver.since(first.value, Place(bound.start(), onward.end()))
            return self._mention(bound.start(), onward.end(), interval, "end")
        return None

    def _bounded(self, bound: re.Match[str]) -> TimeMention | None:
        """Read "since 2019", "until June 2023", "before Christmas", "after 9 June"."""
        reading = self.phrases.read(bound.end())
        word = " ".join(bound["word"].lower().split())
        if reading is None or self.text[reading.end : reading.end + 2] in ("'s", "’s"):
            return None
        if word.endswith(("until", "till")) and is_moved(self.text, bound.end()):
            return self._plain(bound.end())  # "postponed until Friday"
        if is_near(self.text, bound.start()):
            return None  # "shortly before noon" is about noon
        place, value = Place(bound.start(), reading.end), reading.value
        self.end = reading.end
        if word.endswith("since"):
            interval = self.resolver.since(value, place)
        elif word == "after":
            interval = self.resolver.after(value, place)
        else:
            interval = self.resolver.until(value, place, including=word not in ("before", "prior to"))
        self.resolver.remember(reading, self.resolver.resolve(value, place), place.start)
        onward = word.endswith("since") or word == "after"
        return self._mention(place.start, reading.end, interval, "end" if onward else "start")

    def _with_article(self, place: int, end: int) -> int:
        article = _THE_BEFORE.search(self.text[max(0, place - 8) : place])
        takes_one = " " in self.text[place:end] or self.text[place].isdigit() or self.text[end - 1] == "s"
        return place - len(article[1]) if article and takes_one else place


def _alike(first: Value, last: Value) -> bool:
    """Say whether two times that a dash or "to" joins can make one stretch: two dates, or two times of day."""
    dates, clocks = Span | Recurring, Times | Moment
    return (isinstance(first, dates) and isinstance(last, dates)) or (
        isinstance(first, clocks) and isinstance(last, clocks)
    )
