# SPDX-License-Identifier: Apache-2.0
"""What was planned for one time and then moved to another: the time that holds goes first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from typing import Literal

from ...domain.temporal.tense import moved
from ...domain.temporal.text import find_times
from ...domain.text import query_terms
from ...magma.synthesize import Moment
from .findings import LEAST_MOMENT

Told = tuple[float, Moment]
"""A moment with the share of a question's words that it tells."""

_MOVE = (
    r"(?:mov(?:e|es|ed|ing)|postpon(?:e|ed|ing)|reschedul(?:e|ed|ing)|(?:pushed|put)(?= (?:\S+ ){0,5}(?:back|off))"
    r"|pushed|delayed|shifted|br(?:ing|ought)(?= (?:\S+ ){0,5}forward)|adjourned|deferred|chang(?:e|ed|ing)|switched"
    r"|slipped)"
)
_MOVING = re.compile(rf"\b(?:{_MOVE}|original(?:ly)?|planned|at first)\b", re.IGNORECASE)
"""By which a question asks about the moving itself, or about the plan."""

_MOVED = re.compile(rf"\b{_MOVE}\b", re.IGNORECASE)
_HINT = re.compile(rf"\b(?:{_MOVE}|now|new|instead|rather|no longer|not)\b", re.IGNORECASE)
_PLANNED = re.compile(
    r"\b(?:is|are|will|shall|scheduled|planned|set for|due|fixed|arranged|booked|takes? place|starts?|begins?|opens?"
    r"|was (?:on|to be|supposed|meant|going)|were to be|supposed to)\b",
    re.IGNORECASE,
)
_BEHIND = re.compile(r"\s(?:to|until|till|for|from|on)\s", re.IGNORECASE)


def current_first(
    moments: Sequence[Moment], happened: Sequence[Told], question: str, zone: tzinfo
) -> tuple[list[Moment], int]:
    """Return the moments to tell, those that hold first, and how many at the end are what was planned before.

    What the latest telling says something was moved to holds, also where it has fewer of the question's words; an
    appointment of the same thing that was told before that does not any more. ``happened`` is all that was found.
    A question that asks about the moving gets all in order of time.
    """
    if _MOVING.search(question):
        return list(moments), 0
    new = [moment for share, moment in happened if share >= LEAST_MOMENT and _way(moment, zone) == "to"]
    found = [*moments, *(each for each in new if each not in moments)]
    before: list[Moment] = []
    for later in sorted(new, key=_told):
        before += [
            each
            for each in found
            if each is not later and each not in before and _told(each) <= _told(later) and _gives_way(each, later)
        ]
    kept = [each for each in found if each not in before and (each in moments or _replaces(each, before, moments))]
    holds = [each for each in kept if each in new]
    kept = [*holds, *(each for each in kept if each not in holds)] if before else kept
    before = [each for each in before if each in moments]
    return [*kept, *before], len(before)


def without_old(happened: Sequence[Told], zone: tzinfo) -> list[Told]:
    """Return moments but for the time that a sentence says something was moved from, where it also says to which."""
    new = {(moment.engram, moment.text) for _, moment in happened if _way(moment, zone) == "to"}
    return [each for each in happened if _key(each[1]) not in new or _way(each[1], zone) != "from"]


def _key(moment: Moment) -> tuple[str, str]:
    return moment.engram, moment.text


def _replaces(moment: Moment, before: Sequence[Moment], moments: Sequence[Moment]) -> bool:
    return any(each in moments and _gives_way(each, moment) for each in before)


def _gives_way(plan: Moment, later: Moment) -> bool:
    """Whether one moment is when something was planned that another says was moved."""
    if plan.told or not (_MOVED.search(plan.text) or _PLANNED.search(plan.text)):
        return False
    moved_thing, planned_thing = _thing(later.text), _thing(plan.text)
    if not moved_thing:  # "It was moved to Friday"
        return plan.engram == later.engram
    return bool(planned_thing) and planned_thing <= moved_thing


def _thing(text: str) -> set[str]:
    """Return the words for what a sentence says is planned, or was moved: its subject, or the verb's object."""
    moving = _MOVED.search(text)
    verb = moving or _PLANNED.search(text)
    if verb is None:
        return set()
    subject = set(query_terms(text[: verb.start()]))
    if subject or moving is None:
        return subject
    behind = text[verb.end() :]
    end = _BEHIND.search(behind)
    return set(query_terms(behind[: end.start()] if end else behind))


def _told(moment: Moment) -> datetime:
    return moment.told_at or datetime.min.replace(tzinfo=UTC)


def _way(moment: Moment, zone: tzinfo) -> Literal["from", "to"] | None:
    """Return whether the time of a moment is the one that its sentence says something was moved to, or from."""
    if not _HINT.search(moment.text):  # reading times takes its time
        return None
    mentions = find_times(moment.text, anchor=moment.told_at or moment.when.start, zone=zone)
    ways = [moved(moment.text, each.start) for each in mentions]
    for each, way in zip(mentions, ways, strict=True):
        if each.interval.overlaps(moment.when):
            return way or ("to" if "from" in ways else None)  # "on Friday instead of Monday"
    return None
