# SPDX-License-Identifier: Apache-2.0
"""Days by their names: "9 June 2023", "June 9th", "2023-06-09", "Tuesday", "Christmas Eve"."""

from __future__ import annotations

import re
from datetime import datetime

from ..records import Precision
from .calendar import Context, Recurring, Span, day, monthly, never, part_of_day, weekly
from .lexicon import (
    ALL_MONTHS,
    ALL_WEEKDAYS,
    ANY_WEEKDAY,
    CERTAIN_HOLIDAYS,
    DAY_ORDINALS,
    HOLIDAY,
    HOLIDAYS,
    NAMED_WEEKDAYS,
    ORDINALS,
    PART_OF_DAY,
    WEEKDAY,
    WEEKDAYS,
    S,
    one_of,
)
from .readings import (
    MONTH_NAMED,
    YEAR_AFTER,
    Reading,
    Stretch,
    by_first_word,
    capital,
    counts,
    in_year,
    month_fits,
    previous_word,
    rule,
    told_year,
)


def on(month: int, number: int, year: int | None) -> Span | Recurring | None:
    """Return a day of a month in a year, or in every year that has it.

    It is ``never`` if the month is too short, as 31 June is, and ``None`` if no month is that long.
    """
    if not (1 <= month <= 12 and 1 <= number <= 31):
        return None
    value = in_year(lambda y: day(datetime(y, month, number)), Precision.DAY, year)
    return value if isinstance(value, Span) or (value and value.turn(2000)) else never()


def _dated(match: re.Match[str], month: str) -> Reading | None:
    """Return the reading of a date with its weekday, part of the day, day, month and year."""
    year, part = told_year(match), (match["part"] or "").lower() or None
    number = DAY_ORDINALS[match["ordinal"].lower()] if match["ordinal"] else int(match["day"])
    value = on(ALL_MONTHS[month.lower()], number, year)
    if value is None:
        return None
    if part and isinstance(value, Span):
        value = part_of_day(value.start, part)
    elif part and isinstance(value, Recurring):
        value = value.map(lambda span: part_of_day(span.start, part), Precision.HOUR)
    return Reading(value, match.end(), dated=True, full=year is not None, part=part)


def _numeric(match: re.Match[str], context: Context) -> Reading | None:
    if match["iso_year"]:
        year, month, number = int(match["iso_year"]), int(match["iso_month"]), int(match["iso_day"])
    else:
        number, month, year = int(match["first"]), int(match["second"]), int(match["last"])
        if match["separator"] != ".":
            if month > 12:
                number, month = month, number
            elif number <= 12 and number != month:
                return None  # either may be the day
    value = on(month, number, year)
    return Reading(value, match.end(), dated=True, full=True) if value else None


def _day_month(match: re.Match[str], context: Context) -> Reading | None:
    year, month = told_year(match), match["month"]
    certain = bool(match["suffix"] or match["of"] or match["weekday"])
    if not month_fits(month, has_year=year is not None, has_day=True, certain=certain):
        return None
    if match["dot"] and not (match["weekday"] or year or previous_word(match.string, match.start()) in _BEFORE_DATES):
        return None  # the number may end a sentence
    return _dated(match, month) if match["of"] or not match["ordinal"] else None


_BEFORE_DATES = frozenset({"on", "since", "until", "before", "after", "from", "by"})


def _month_day(match: re.Match[str], context: Context) -> Reading | None:
    year, month = told_year(match), match["month"]
    if not month_fits(month, has_year=year is not None, has_day=True, certain=True):
        return None
    if year is None and not match["suffix"] and not match["ordinal"] and counts(match):
        return None
    return _dated(match, month)


def _days_of_month(match: re.Match[str], context: Context) -> Reading | None:
    """Read "3–7 May 2023", "May 3 to 7" and "May 3 and 4, 2023"; elsewhere "and" joins only after "between"."""
    year, month = told_year(match), match["month"]
    first_day, last_day = int(match["day"]), int(match["last_day"])
    if match["and"] and previous_word(match.string, match.start()) != "between" and last_day != first_day + 1:
        return None
    suffix = bool(match["suffix"] or match["last_suffix"])
    if not month_fits(month, has_year=year is not None, has_day=True, certain=suffix):
        return None
    if match["month_first"] and year is None and not suffix and counts(match):
        return None
    first, last = (on(ALL_MONTHS[month.lower()], number, year) for number in (first_day, last_day))
    if first is None or last is None or first_day >= last_day:
        return None
    return Reading(Stretch(first, last), match.end(), full=year is not None)


def _day_of_weekday(match: re.Match[str], context: Context) -> Reading | None:
    """Read "Friday the 13th"."""
    turns = monthly(int(match["day"]), ALL_WEEKDAYS[match["weekday"].lower()])
    return Reading(turns, match.end(), dated=True)


def _day_alone(match: re.Match[str], context: Context) -> Reading | None:
    """Read "on the 15th", but not "on the 15th floor"."""
    if not _ON_THE.search(match.string[max(0, match.start() - 10) : match.start()]):
        return None
    return Reading(monthly(int(match["day"])), match.end(), dated=True)


_ON_THE = re.compile(rf"(?:^|\W)(?:on|since|until|by){S}the{S}$", re.IGNORECASE)
_AFTER_DAY = (
    r"(?=\s{0,3}(?:[.,;:!?)]|$)"
    rf"|{S}(?:after|at|around|and|because|but|when|while|to|for|with|in|we|i|he|she|they|it)(?!\w))"
)


def _weekday(match: re.Match[str], context: Context) -> Reading | None:
    before, word = previous_word(match.string, match.start()), match[0]
    if before in NAMED_WEEKDAYS or before in ORDINALS or before in ("a", "an", "one", "some"):
        return None
    if word.isupper() and before not in _BEFORE_DATES:
        return None  # may be the name of a constant
    value = weekly(ALL_WEEKDAYS[word.lower()])
    if word.lower() in WEEKDAYS:
        return Reading(value, match.end())
    if not capital(word) or before not in _BEFORE_DATES or not _AFTER_ABBREVIATION.match(match.string, match.end()):
        return None
    return Reading(value, match.end())


_AFTER_ABBREVIATION = re.compile(
    rf"[.,;:!?)]|\s{{0,3}}$|['’]s|{S}(?:at|morning|afternoon|evening|night)(?!\w)|{S}\d", re.IGNORECASE
)


def plain(name: str) -> str:
    """Return a name in lower case, without apostrophes, its words one space apart."""
    return " ".join(name.lower().replace("’", "").replace("'", "").split())


_HOLIDAYS = {plain(name): (name, *date) for name, date in HOLIDAYS.items()}


def _holiday(match: re.Match[str], context: Context) -> Reading | None:
    name, month, number = _HOLIDAYS[plain(match["holiday"])]
    year = told_year(match)
    if year is None and previous_word(match.string, match.start()) in ("a", "an"):
        return None
    value = on(month, number, year)
    return Reading(value, match.end(), weak=year is None and name not in CERTAIN_HOLIDAYS) if value else None


def holiday_turns(name: str) -> Recurring | None:
    """Return when the holiday comes round, if there is one of this name."""
    known = _HOLIDAYS.get(plain(name))
    value = on(known[1], known[2], None) if known else None
    return value if isinstance(value, Recurring) else None


# --- the rules ----------------------------------------------------------------------------------

_WEEKDAY_BEFORE = rf"(?:(?P<weekday>{ANY_WEEKDAY})\.?(?:{S}(?P<part>{PART_OF_DAY}))?,?{S}(?:the{S})?)?"
_SUFFIX = r"st|nd|rd|th"
_DAY = rf"(?:(?P<day>\d\d?)(?P<suffix>{_SUFFIX})?|(?P<ordinal>{one_of(DAY_ORDINALS)}))"
_NO_NUMBER = r"(?!\w|[:/]\d|\.\d|,\d{3}(?!\d))"
_TO = rf"(?:\s?[-–—]\s?|{S}(?:to|until|till|through|(?P<and>and)){S})(?:the{S})?"
_DAYS = rf"(?P<day>\d\d?)(?P<suffix>{_SUFFIX})?{_TO}(?P<last_day>\d\d?)(?P<last_suffix>{_SUFFIX})?"

_DAY_MONTH = rule(
    rf"{_WEEKDAY_BEFORE}{_DAY}(?P<dot>\.)?(?:[-/]|{S}(?P<of>of{S})?|(?-i:(?=[A-Z][a-z]))){MONTH_NAMED}{YEAR_AFTER}?",
    _day_month,
)
_MONTH_DAY = rule(rf"{_WEEKDAY_BEFORE}{MONTH_NAMED}{S}(?:the{S})?{_DAY}{_NO_NUMBER}{YEAR_AFTER}?", _month_day)
_DAYS_MONTH = rule(rf"(?P<month_first>(?!))?{_DAYS}{S}(?:of{S})?{MONTH_NAMED}{YEAR_AFTER}?", _days_of_month)
_MONTH_DAYS = rule(rf"(?P<month_first>){MONTH_NAMED}{S}(?:the{S})?{_DAYS}{_NO_NUMBER}{YEAR_AFTER}?", _days_of_month)
_NUMERIC = rule(
    rf"(?:(?:{ANY_WEEKDAY})\.?,?{S})?"
    r"(?:(?P<iso_year>[12]\d{3})(?P<iso_separator>[-/])(?P<iso_month>\d\d?)(?P=iso_separator)(?P<iso_day>\d\d?)"
    r"|(?P<first>\d\d?)(?P<separator>[-/.])(?P<second>\d\d?)(?P=separator)(?P<last>(?:19|20)\d\d))"
    r"(?!\d|[-/.]\d|[A-SU-Z_])",
    _numeric,
)

DAY_RULES = by_first_word(
    ("0", (_NUMERIC, _DAY_MONTH, _DAYS_MONTH, rule(rf"(?P<day>\d\d?)(?:{_SUFFIX}){_AFTER_DAY}", _day_alone))),
    ({word.split("-")[0] for word in DAY_ORDINALS}, (_DAY_MONTH,)),
    (ALL_MONTHS, (_MONTH_DAY, _MONTH_DAYS)),
    (
        ALL_WEEKDAYS,
        (
            _DAY_MONTH,
            _MONTH_DAY,
            _NUMERIC,
            rule(rf"(?P<weekday>{WEEKDAY}),?{S}(?:the{S})?(?P<day>\d\d?)(?:{_SUFFIX})(?!\w)", _day_of_weekday),
            rule(rf"(?:{ANY_WEEKDAY})(?!\w)(?!{S}(?:mornings|afternoons|evenings|nights)(?!\w))", _weekday),
        ),
    ),
    (
        {re.split(r"\W", name)[0] for name in HOLIDAYS},
        (rule(rf"(?P<holiday>{HOLIDAY})(?!\w){YEAR_AFTER}?", _holiday),),
    ),
)
"""Rules for days, by the first word they match."""
