# SPDX-License-Identifier: Apache-2.0
"""Times of day: "14:03", "2:30 pm", "9:16 PM PDT", "noon"."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo

from ..interval import INSTANT, Interval, lasting, to_utc
from ..records import Precision
from .lexicon import ZONE, Pattern, S, read_offset, read_zone

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day, as the time since midnight.

    ``hourly``: told to the hour ("2 pm"). ``weak``: could be something else ("3:16") unless the words
    around it say that it is a time. ``half``: whether it is before or after noon was told or is certain.
    """

    time: timedelta
    zone: tzinfo | None
    hourly: bool = False
    weak: bool = False
    half: bool = False

    def in_part(self, part: str) -> Clock:
        """Return the time it is in the morning, afternoon, evening or at night."""
        if self.half or not HOUR <= self.time < 12 * HOUR:
            return replace(self, weak=False)
        late = part in ("afternoon", "evening") or (part == "night" and self.time >= 6 * HOUR)
        return replace(self, time=self.time + 12 * HOUR if late else self.time, weak=False, half=True)

    def at(self, day: datetime, zone: tzinfo) -> datetime:
        """Return the moment, in UTC, at which it is this time on ``day`` (a naive midnight)."""
        return to_utc(day + self.time, self.zone or zone)

    def on(self, day: datetime, zone: tzinfo) -> Interval:
        """Return the instant, or the hour, on ``day`` (a naive midnight)."""
        precision = Precision.HOUR if self.hourly else Precision.INSTANT
        return lasting(self.at(day, zone), HOUR if self.hourly else INSTANT, precision)


@dataclass(frozen=True, slots=True)
class Times:
    """A time of day, or the stretch from one to another."""

    first: Clock
    last: Clock | None = None

    def on(self, day: datetime, zone: tzinfo, *, ends_on: bool = False) -> Interval:
        """Return the interval that begins on ``day`` (a naive midnight), or ends on it.

        A stretch that would end before it begins runs over midnight.
        """
        if self.last is None:
            return self.first.on(day, zone)
        start, end = self.first.at(day, zone), self.last.at(day, zone)
        if end <= start:
            start, end = (start - DAY, end) if ends_on else (start, end + DAY)
        return Interval(start, end, Precision.RANGE)

    @property
    def weak(self) -> bool:
        return self.first.weak

    def in_part(self, part: str) -> Times:
        return Times(self.first.in_part(part), self.last and self.last.in_part(part))


_HALF = r"(?:[ap]m(?!\w)|[ap]\.\s?m\.)"
_CLOCK = Pattern(
    rf"""(?:
        (?P<hour>\d{{1,2}}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d{{1,9}}))?)?(?![\d:]|\.\d)
        (?:\s?(?P<half>{_HALF}))?
      | (?P<whole>\d{{1,2}})\s?(?P<whole_half>{_HALF})
      | (?:12\s)?(?P<named>noon|midday|midnight)(?!\w)
      | (?P<military>(?:[01]\d|2[0-3])[0-5]\d)(?=\s?(?-i:UTC|GMT|Z)(?!\w))
    )
    (?:\s?(?:\((?P<zone_in_brackets>{ZONE})\)|(?P<zone>{ZONE})|(?P<offset>\+\d\d:?\d\d|-\d{{4}}|(?(second)-\d\d:\d\d|(?!)))(?!\d)))?
    (?:{S}(?:in{S}the|at){S}(?P<part>morning|afternoon|evening|night)(?!\w))?
    (?!\s?(?:ratio|odds|split|aspect|scale)(?!\w))""",
    re.VERBOSE,
)
_ISO_CLOCK = Pattern(
    r"T(?P<hour>\d\d)(?::?(?P<minute>\d\d)(?::?(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?)?)?"
    r"(?:\s?(?P<zone>Z(?!\w)|[+-]\d\d(?::?\d\d)?))?(?![\w:])"
)


def _time(hour: str, minute: str | None, second: str | None, fraction: str | None) -> timedelta | None:
    time = timedelta(
        hours=int(hour),
        minutes=int(minute or 0),
        seconds=int(second or 0),
        microseconds=int((fraction or "0").ljust(6, "0")[:6]),
    )
    fits = int(minute or 0) < 60 and int(second or 0) < 60 and time <= timedelta(hours=24)
    return time if fits else None


def read_clock(text: str, place: int) -> tuple[Clock, int] | None:
    """Read a time of day that begins at ``place``; return it and where it ends."""
    match = _CLOCK.match(text, place)
    if match is None:
        return None
    found = match.groupdict()
    half = found["half"] or found["whole_half"]
    if found["named"]:
        time: timedelta | None = timedelta(0) if found["named"].lower() == "midnight" else 12 * HOUR
    elif found["military"]:
        time = _time(found["military"][:2], found["military"][2:], None, None)
    else:
        time = _time(found["hour"] or found["whole"], found["minute"], found["second"], found["fraction"])
    if time is None or (found["whole"] and not HOUR <= time < 13 * HOUR):
        return None
    if half and time < 13 * HOUR:
        time = time % (12 * HOUR) + (12 * HOUR if half[0] in "pP" else timedelta(0))
    named_zone = found["zone_in_brackets"] or found["zone"]
    try:
        zone = read_zone(named_zone) if named_zone else read_offset(found["offset"]) if found["offset"] else None
    except ValueError:
        return None
    clock = Clock(
        time,
        zone,
        hourly=bool(found["whole"]),
        weak=not half and zone is None and len(found["hour"] or "00") == 1,
        half=bool(half or found["named"] or found["military"]),
    )
    return (clock.in_part(found["part"].lower()) if found["part"] else clock), match.end()


_TO = rf"(?:\s?[-–—]\s?|{S}(?:to|until|till|through)(?:{S}(?:about|around))?{S}~?)"
_TO_CLOCK = Pattern(_TO)
_AND_CLOCK = Pattern(rf"{_TO}|{S}and{S}")
_HOURS = Pattern(rf"(\d\d?)(?:{_TO}|{S}and{S})(?=\d\d?(?::\d\d)?\s?{_HALF})")


def read_times(text: str, place: int, *, between: bool = False) -> tuple[Times, int] | None:
    """Read a time of day or a stretch such as "14:03–14:30 UTC" or "2 to 4 pm".

    ``between`` tells that this word came before, so that "and" joins. What only the second time tells,
    its zone and its half of the day, is true of the first as well.
    """
    hours = _HOURS.match(text, place)
    if hours and HOUR <= timedelta(hours=int(hours[1])) <= 12 * HOUR:
        first: Clock = Clock(timedelta(hours=int(hours[1])), None, hourly=True)
        link: re.Match[str] = hours
    else:
        found = read_clock(text, place)
        if found is None:
            return None
        first, end = found
        joined = (_AND_CLOCK if between else _TO_CLOCK).match(text, end)
        if joined is None:
            return Times(first), end
        link = joined
    found = read_clock(text, link.end())
    if found is None:
        return None if link is hours else (Times(first), link.start())
    last, end = found
    if last.half and not first.half and first.time < 13 * HOUR:
        late = last.time >= 12 * HOUR
        early = first.time % (12 * HOUR)
        shifted = early + 12 * HOUR if late else early
        first = replace(first, time=shifted if shifted < last.time else early, half=True)
    return Times(replace(first, zone=first.zone or last.zone, weak=first.weak and last.weak), last), end


def read_iso_clock(text: str, place: int) -> tuple[Clock, int] | None:
    """Read what follows an ISO 8601 date, from the ``T`` on."""
    match = _ISO_CLOCK.match(text, place)
    if match is None:
        return None
    time = _time(match["hour"], match["minute"], match["second"], match["fraction"])
    if time is None:
        return None
    zone = match["zone"]
    try:
        offset = None if zone is None else read_zone("Z") if zone in "zZ" else read_offset(zone)
    except ValueError:
        return None
    return Clock(time, offset, hourly=match["minute"] is None, half=True), match.end()
