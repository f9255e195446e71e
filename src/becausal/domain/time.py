# SPDX-License-Identifier: Apache-2.0
"""Times as callers give them and as people read them; intervals; zones."""

from __future__ import annotations

import re
import time
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from ..errors import InvalidInput
from .interval import INSTANT, Interval, between, lasting, to_utc
from .records import Precision
from .temporal.calendar import Span, day, months, week_of, year_of
from .temporal.clock import HOUR
from .temporal.description import describe
from .temporal.text import find_times

__all__ = ["Interval", "describe", "iso", "parse_when", "zone"]

MAX_LENGTH = 200
"""Characters a time may have that a caller gives as text."""

_EXAMPLES = "2026-03-01, 2026-03-01T10:00Z, 2026-03, 2026, yesterday or last Tuesday"
_ISO = re.compile(
    r"(?P<year>\d{4})(?:-W(?P<week>\d\d)|-(?P<month>\d\d)(?:-(?P<day>\d\d)(?:[T ](?P<hour>\d\d)"
    r"(?::?(?P<minute>\d\d)(?::?(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?)?)?"
    r"\s?(?P<offset>Z|[+-]\d\d(?::?\d\d)?)?)?)?)?",
    re.IGNORECASE | re.ASCII,
)
_OFFSET = re.compile(r"(?:UTC|GMT)?\s?(?P<sign>[+−-])(?P<hours>\d\d?)(?::?(?P<minutes>[0-5]\d))?", re.I | re.ASCII)
_LEADS = re.compile(r"(?:(?:in|on|at|during|over|around|about)\s)?(?:the\s)?", re.IGNORECASE)
MAX_OFFSET = timedelta(hours=14)


def parse_when(
    value: str | datetime | date,
    *,
    field: str,
    zone: tzinfo,
    anchor: datetime | None = None,
) -> Interval:
    """Return the interval a caller means.

    Allowed are dates and datetimes; ISO 8601 text, from a year to a fraction of a second, with or without
    an offset (without one it is in ``zone``); and, when there is an ``anchor`` (aware) to read them from,
    the expressions that ``find_times`` reads. The precision is that of what was told.

    Raises:
        InvalidInput: it is none of these, or outside the years 1 to 9999.
    """
    try:
        if isinstance(value, datetime):
            moment = to_utc(value, zone) if value.tzinfo is None else value.astimezone(UTC)
            return lasting(moment, INSTANT, Precision.INSTANT)
        if isinstance(value, date):
            return _between(day(datetime(value.year, value.month, value.day)), zone)
        if isinstance(value, str):
            return _parse_text(value.strip(), field, zone, anchor)
    except OverflowError:
        raise InvalidInput(field, "must lie within the years 1 to 9999") from None
    raise InvalidInput(field, f"must be a date or time such as {_EXAMPLES}, not {type(value).__name__}")


def _between(span: Span, zone: tzinfo) -> Interval:
    return between(span.start, span.end, span.precision, zone)


def _parse_text(text: str, field: str, zone: tzinfo, anchor: datetime | None) -> Interval:
    if not text or len(text) > MAX_LENGTH:
        raise InvalidInput(field, f"must be a date or time of 1 to {MAX_LENGTH} characters, such as {_EXAMPLES}")
    if match := _ISO.fullmatch(text):
        try:
            return _iso_interval(match, zone)
        except ValueError as error:
            raise InvalidInput(field, f"'{text}' is not on the calendar: {error}") from None
    interval = _prose(text, zone, anchor) if anchor else None
    if interval is None:
        raise InvalidInput(field, f"'{text}' is no date or time that can be read; write it like {_EXAMPLES}")
    return interval


def _iso_interval(match: re.Match[str], zone: tzinfo) -> Interval:
    year = int(match["year"])
    if match["week"]:
        return _between(week_of(datetime.fromisocalendar(year, int(match["week"]), 1)), zone)
    if match["month"] is None:
        return _between(year_of(year), zone)
    month = int(match["month"])
    if match["day"] is None:
        datetime(year, month, 1)
        return _between(months(year, month, 1, Precision.MONTH), zone)
    date_ = datetime(year, month, int(match["day"]))
    if match["hour"] is None:
        return _between(day(date_), zone)
    fraction = (match["fraction"] or "0").ljust(6, "0")[:6]
    local = date_.replace(
        hour=int(match["hour"]),
        minute=int(match["minute"] or 0),
        second=int(match["second"] or 0),
        microsecond=int(fraction),
    )
    offset = match["offset"]
    moment = to_utc(local, zone if offset is None else UTC if offset in "zZ" else _fixed(offset))
    hourly = match["minute"] is None
    return lasting(moment, HOUR if hourly else INSTANT, Precision.HOUR if hourly else Precision.INSTANT)


def _prose(text: str, zone: tzinfo, anchor: datetime) -> Interval | None:
    """Read an expression that must be a time from its first word to its last."""
    text = text.rstrip(".!?")
    written = [lead + text for lead in ("", "in ", "on ", "at ", "over the ")]
    for phrase in (*written, f"in {text.capitalize()}"):  # so that "march" is the month
        mentions = find_times(phrase, anchor=anchor, zone=zone)
        if len(mentions) == 1 and mentions[0].end == len(phrase) and _LEADS.fullmatch(phrase[: mentions[0].start]):
            return mentions[0].interval
    return None


# --- zones --------------------------------------------------------------------------------------


def zone(name: str | None, *, field: str = "timezone") -> tzinfo:
    """Return the zone of an IANA name, ``UTC`` or an offset such as ``+02:00``; for ``None`` the machine's own.

    Raises:
        InvalidInput: there is no such zone.
    """
    if name is None:
        return _LOCAL
    wanted = name.strip()
    if wanted.upper() in ("UTC", "GMT", "Z"):
        return UTC
    if _OFFSET.fullmatch(wanted):
        try:
            return _fixed(wanted)
        except ValueError:
            raise InvalidInput(field, f"'{name[:64]}' must lie between -14:00 and +14:00") from None
    try:
        return ZoneInfo(wanted)
    except (OSError, KeyError, ValueError):  # unknown, a folder or a file that is no zone, no possible name
        raise InvalidInput(
            field, f"'{name[:64]}' must be an IANA time zone such as Europe/Berlin, UTC, or an offset such as +02:00"
        ) from None


def _fixed(text: str) -> timezone:
    match = _OFFSET.fullmatch(text)
    if match is None:
        raise ValueError(f"{text} is no offset from UTC")
    offset = timedelta(hours=int(match["hours"]), minutes=int(match["minutes"] or 0))
    if offset > MAX_OFFSET:
        raise ValueError("an offset from UTC is 14 hours at most")
    return timezone(offset if match["sign"] == "+" else -offset)


class _Local(tzinfo):
    """The machine's own zone, by the rules of its operating system, with all its changes of the clocks."""

    def utcoffset(self, moment: datetime | None) -> timedelta | None:
        if moment is None:
            return None
        try:
            return moment.replace(tzinfo=None).astimezone().utcoffset()
        except (OverflowError, ValueError, OSError):  # outside the years the system knows
            return timedelta(seconds=-time.timezone)

    def dst(self, moment: datetime | None) -> timedelta | None:
        return None

    def tzname(self, moment: datetime | None) -> str:
        return "local"

    def fromutc(self, moment: datetime) -> datetime:
        try:
            there = moment.replace(tzinfo=UTC).astimezone()
        except (OverflowError, ValueError, OSError):
            return moment + timedelta(seconds=-time.timezone)
        local = there.replace(tzinfo=self)
        return local if self.utcoffset(local) == there.utcoffset() else local.replace(fold=1)


_LOCAL = _Local()


def iso(moment: datetime) -> str:
    """Return an aware datetime as ISO 8601 text in UTC, cut to milliseconds: ``2026-03-01T10:00:00.000Z``.

    Raises:
        ValueError: it is naive.
    """
    if moment.tzinfo is None:
        raise ValueError("a time without a zone cannot be written in UTC")
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
