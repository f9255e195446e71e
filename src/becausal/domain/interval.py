# SPDX-License-Identifier: Apache-2.0
"""Half-open stretches of time, and the way from wall clocks to UTC."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from .records import Precision

INSTANT = timedelta(seconds=1)
"""How long an interval of precision ``instant`` lasts."""

LAST_MOMENT = datetime.max.replace(tzinfo=UTC)
"""Where an interval ends that would run past the year 9999."""


@dataclass(frozen=True, slots=True)
class Interval:
    """The time from ``start`` up to, but not including, ``end``; both aware, in UTC.

    Raises:
        ValueError: an end is not in UTC, or ``start`` is not before ``end``.
    """

    start: datetime
    end: datetime
    precision: Precision

    def __post_init__(self) -> None:
        if self.start.utcoffset() != timedelta(0) or self.end.utcoffset() != timedelta(0):
            raise ValueError("an interval's ends must be aware datetimes in UTC")
        if self.start >= self.end:
            raise ValueError(f"an interval must start before it ends: {self.start} … {self.end}")

    def overlaps(self, other: Interval) -> bool:
        """Say whether the two have a moment in common."""
        return self.start < other.end and other.start < self.end

    def contains(self, moment: datetime) -> bool:
        """Say whether ``moment`` (aware) lies inside."""
        return self.start <= moment < self.end


def to_utc(local: datetime, zone: tzinfo) -> datetime:
    """Return the moment at which clocks in ``zone`` show ``local`` (naive).

    A time shown twice, when clocks are set back, means the first; one that is skipped, when they are set
    forward, is read by the offset before the change.

    Raises:
        OverflowError: the moment lies outside the years 1 to 9999.
    """
    return local.replace(tzinfo=zone).astimezone(UTC)


def to_local(moment: datetime, zone: tzinfo) -> datetime:
    """Return what clocks in ``zone`` show at ``moment`` (aware), as a naive datetime.

    Raises:
        OverflowError: that lies outside the years 1 to 9999.
    """
    return moment.astimezone(zone).replace(tzinfo=None, fold=0)


def lasting(start: datetime, length: timedelta, precision: Precision) -> Interval:
    """Return the interval of ``length`` from ``start`` (UTC), cut off at the end of the year 9999."""
    return Interval(start, start + length if start < LAST_MOMENT - length else LAST_MOMENT, precision)


def between(start: datetime, end: datetime, precision: Precision, zone: tzinfo) -> Interval:
    """Return the interval between two wall-clock times (naive) of ``zone``.

    An interval that a change of the clocks leaves without length lasts an instant.

    Raises:
        OverflowError: it starts outside the years 1 to 9999. An end past the year 9999 is cut off.
    """
    if start == datetime.max:
        raise OverflowError("it starts after the year 9999")
    begin = to_utc(start, zone)
    try:
        finish = to_utc(end, zone)
    except OverflowError:
        finish = LAST_MOMENT
    return Interval(begin, finish, precision) if begin < finish else lasting(begin, INSTANT, precision)
