# SPDX-License-Identifier: Apache-2.0
"""Answers as a person reads them. Times are shown in the memory's zone: the machine's, if no setting names one."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from datetime import UTC, datetime, time, timedelta, tzinfo
from pathlib import Path

from ..domain.records import Change, Engram, Kind, Precision
from ..engine.results import Detail, Forgotten, Recalled, Result, Status, Stored, Undone
from ..engine.upkeep.results import BackupStatus, Erased
from .terminal import Screen, Styled, bold, clean_line, dim, shorten, warning, wrap

TEXT_LINES = 8
"""Lines of a recalled text that are shown; ``show`` has them all."""

SHOWN_IDS = 20
"""Ids that are shown of many; ``--json`` has them all."""

PASSAGE_FROM = 600
"""Characters of text from which only the passage that matched is shown."""


_zone: ContextVar[tzinfo | None] = ContextVar("zone", default=None)
_where: ContextVar[tuple[str, ...]] = ContextVar("where", default=())


def show_in(zone: tzinfo | None) -> None:
    """Show times in a zone from now on; ``None``: in the machine's."""
    _zone.set(zone)


def go_on_with(path: Path | None, user: str | None) -> None:
    """Have the commands that are named from now on work on this memory, as far as it was given on the command line."""
    where = (("--path", path), ("--user", user))
    _where.set(tuple(word for name, value in where if value is not None for word in (name, str(value))))


def command(*words: str) -> str:
    """Return a command line of becausal to be pasted, which works on the same memory."""
    return shlex.join(("becausal", *words, *_where.get()))


def local(at: datetime) -> datetime:
    """Return a moment in the zone to show; one at the edge of the calendar stays in UTC."""
    try:
        return at.astimezone(_zone.get())
    except (OverflowError, OSError, ValueError):
        return at


HOUR, DAY, MOMENT = timedelta(hours=1), timedelta(days=1), timedelta(microseconds=1)
_LONGEST = {
    Precision.DAY: timedelta(hours=26),
    Precision.WEEK: timedelta(days=7, hours=2),
    Precision.MONTH: timedelta(days=31, hours=2),
    Precision.QUARTER: timedelta(days=92, hours=2),
    Precision.YEAR: timedelta(days=366, hours=2),
    Precision.DECADE: timedelta(days=3653, hours=2),
}
"""How long a unit of the calendar can be, with a change of the clocks."""
_EDGES = (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))


def day(at: datetime) -> str:
    return local(at).date().isoformat()


def stamp(at: datetime) -> str:
    return local(at).replace(tzinfo=None).isoformat(" ", "minutes")


def when(start: datetime, end: datetime | None, precision: Precision | None) -> str:
    """Return an interval as exactly as it was told, and no more.

    Days and longer are named after the middle of the interval, so that one told in another zone keeps
    its name; what is longer than one of them is told from its first day to its last.
    """
    if end is None or precision in (None, Precision.INSTANT) or end - start <= HOUR:
        return stamp(start)
    if precision not in _LONGEST:
        return _between(start, end)
    if end - start > _LONGEST[precision]:
        return f"{day(start)} to {day(end - MOMENT)}"
    middle = local(start + (end - start) / 2)
    match precision:
        case Precision.DAY:
            return day(middle)
        case Precision.WEEK:
            return f"week of {day(middle - timedelta(days=3))}"
        case Precision.MONTH:
            return day(middle)[:7]
        case Precision.QUARTER:
            return f"Q{(middle.month + 2) // 3} {middle.year}"
        case Precision.YEAR:
            return str(middle.year)
        case _:
            return f"{middle.year // 10 * 10}s"


def _between(start: datetime, end: datetime) -> str:
    """Return two ends of which the second is no part: whole days as such, "since" where it reached to the telling."""
    whole = [moment in _EDGES or local(moment).time() == time() for moment in (start, end)]
    if all(whole):
        first, last = day(start), day(end - MOMENT)
        return first if first == last else f"{first} to {last}"
    if whole[0] and end - start > DAY:
        return f"since {day(start)}"
    if day(start) == day(end - MOMENT):
        return f"{stamp(start)} to {'24:00' if whole[1] else stamp(end)[11:]}"
    return f"{stamp(start)} to {stamp(end)}"


def engram_time(engram: Engram) -> str:
    if engram.occurred_at is None:
        return f"told {stamp(engram.created_at)}"
    return when(engram.occurred_at, engram.occurred_end, engram.precision)


def about(engram: Engram) -> str:
    """When, where from, what sort, which tags: one line."""
    parts = [engram_time(engram)]
    if engram.source:
        parts.append(clean_line(engram.source))
    parts.append(engram.memory_type.value)
    if engram.pinned:
        parts.append("pinned")
    parts.extend(f"#{clean_line(tag)}" for tag in engram.tags)
    return " · ".join(parts)


def scores(parts: Mapping[str, float]) -> str:
    """The parts of a score, without those that gave nothing."""
    return ", ".join(f"{name} {value:.2f}" for name, value in parts.items() if abs(value) >= 0.005)


def why(result: Result) -> str:
    """How a result was found: what did most, the evidence, the parts of its score."""
    steps = " · ".join((f"by {result.how.match_type}", *(clean_line(step) for step in result.how.path)))
    parts = scores(result.how.parts)
    return f"{steps} [{parts}]" if parts else steps


def excerpt(result: Result) -> str:
    """What to show of a result: the matching passage of long text, else the text."""
    if result.passage is None or len(result.text) < PASSAGE_FROM or result.start is None or result.end is None:
        return result.text
    before = "… " if result.start > 0 else ""
    after = " …" if result.end < len(result.engram.content) else ""
    return f"{before}{result.passage.strip()}{after}"


def result(screen: Screen, position: int, item: Result, *, scored: bool = True) -> None:
    """Write one recalled memory: what, when, where from, why."""
    margin, mark = 4, f"{position}."
    if item.engram.label:
        screen.text(shorten(item.engram.label, screen.width - margin), indent=margin, style=bold(""), mark=mark)
        mark = ""
    if not screen.text(excerpt(item), indent=margin, most=TEXT_LINES, mark=mark):
        screen.line(dim("… more: becausal show " + item.engram.id), indent=margin)
    facts = about(item.engram)
    if scored:
        facts = f"{item.score:.2f} · {facts}"
    screen.text(facts, indent=margin, style=Styled("", fg="cyan"))
    if scored:
        screen.text(f"why: {why(item)}", indent=margin, style=dim(""))
    screen.line(dim(item.engram.id), indent=margin)


def recalled(screen: Screen, answer: Recalled, more: str) -> None:
    """Write the results of a recall; ``more`` is the command that shows the next ones, without the cursor."""
    if not answer.results:
        screen.line("Nothing found.")
    for position, item in enumerate(answer.results, start=1):
        if position > 1:
            screen.gap()
        result(screen, position, item, scored=answer.mode != "list")
    if answer.next is not None:
        screen.gap()
        screen.line(dim(f"More: {more} --cursor {answer.next}"))


def concerns(screen: Screen, degraded: str | None, pending: int) -> None:
    """Say why an answer may be worse than usual."""
    if degraded is not None:
        screen.text(f"degraded: {degraded}", style=warning(""))
    if pending:
        screen.text(f"{count(pending, 'memory')} not indexed yet: found by words, not by meaning", style=warning(""))


def stored(screen: Screen, answer: Stored, pending: int) -> None:
    screen.line(bold("Kept" if answer.created else "Known already, strengthened"), f"  {answer.engram.id}")
    _kept(screen, answer, pending)


def _kept(screen: Screen, answer: Stored, pending: int) -> None:
    screen.text(about(answer.engram), indent=2, style=Styled("", fg="cyan"))
    if answer.cues:
        screen.text("cues: " + ", ".join(clean_line(cue) for cue in answer.cues), indent=2, style=dim(""))
    for fact in answer.superseded:
        until = f" (until {day(fact.valid_to)})" if fact.valid_to is not None else ""
        screen.text(f"no longer so: {fact.subject} {fact.predicate} {fact.object}{until}", indent=2)
    if answer.engram.archived_at is not None:
        screen.text("in the archive, where no question finds it; unarchive brings it back", indent=2, style=warning(""))
    if pending:
        screen.text("not indexed yet: found by words now, by meaning a little later", indent=2, style=warning(""))


def updated(screen: Screen, answer: Stored, pending: int) -> None:
    screen.line(bold("Changed"), f"  {answer.engram.id}")
    _kept(screen, answer, pending)


def detail(screen: Screen, answer: Detail) -> None:
    engram = answer.engram
    if engram.label:
        screen.line(bold(clean_line(engram.label)))
    screen.text(engram.content)
    screen.gap()
    rows = [
        ("id", engram.id),
        ("type", engram.memory_type.value + (", pinned" if engram.pinned else "")),
        ("happened", None if engram.occurred_at is None else engram_time(engram)),
        ("told", stamp(engram.created_at)),
        ("archived", None if engram.archived_at is None else stamp(engram.archived_at)),
        ("source", engram.source),
        ("session", engram.session),
        ("tags", ", ".join(engram.tags)),
        ("importance", f"{engram.importance:g}"),
        ("recalled", count(engram.access_count, "time")),
        ("cues", ", ".join(cue.name for cue in answer.cues)),
        ("indexed", "not yet" if engram.indexed_at is None else stamp(engram.indexed_at)),
        ("passages", str(answer.passages) if answer.passages else None),
        ("links", str(len(answer.links))),
    ]
    fields(screen, rows)
    for event in answer.events:
        time = when(event.occurred_at, event.occurred_end, event.precision)
        fields(screen, [("event", f"{time}: {event.description}")])
    for change in answer.changes:
        fields(screen, [("change", change_line(change))])


def fields(screen: Screen, rows: Sequence[tuple[str, str | None]]) -> None:
    """Write names and values in two columns, without the rows that have no value."""
    for name, value in rows:
        if value:
            first, *rest = _lines(screen, value)
            screen.line(dim(f"{name:<12}"), first)
            for line in rest:
                screen.line(line, indent=12)


def _lines(screen: Screen, value: str) -> list[str]:
    return list(wrap(clean_line(value), screen.width - 12))


def change_line(change: Change) -> str:
    what = clean_line(change.note) or change.action
    return f"{stamp(change.created_at)} {what} (undo until {stamp(change.expires_at)})"


def changes(screen: Screen, answer: Sequence[Change]) -> None:
    if not answer:
        screen.line("Nothing to undo.")
    for position, change in enumerate(answer):
        if position:
            screen.gap()
        screen.text(change_line(change))
        screen.line(dim(change.id), indent=2)


def forgotten(
    screen: Screen, answers: Sequence[Forgotten], *, purge: bool = False, said: Mapping[str, str] | None = None
) -> None:
    """Write what was forgotten, or would be; ``said`` is what some of the memories say, by id."""
    for answer in answers:
        if not answer.ids:
            screen.line("Nothing matches.")
            continue
        memories = count(len(answer.ids), "statement" if answer.stated else "memory")
        if answer.dry_run:
            screen.line(bold(f"{memories} would be {'erased for good' if purge else 'forgotten'}:"))
        elif answer.purged:
            screen.line(bold(f"{memories} erased for good:"))
        else:
            screen.line(bold(f"{memories} forgotten:"))
        ids(screen, answer.ids, said)
        if answer.undo is not None and answer.erased_at is not None:
            screen.line(dim(f"erased for good after {stamp(answer.erased_at)}; until then:"), indent=2)
            screen.line(command("undo", answer.undo), indent=2)
        _remains(screen, answer.remains)


def erased(screen: Screen, answer: Erased) -> None:
    screen.line(bold(f"{count(answer.records, 'record')} erased for good: the memory is empty."))
    _remains(screen, answer.remains)


def _remains(screen: Screen, remains: Sequence[str]) -> None:
    for trace in remains:
        screen.text(f"may still hold traces: {trace}", indent=2, style=warning(""))


def undone(screen: Screen, answer: Undone) -> None:
    change = answer.change
    screen.line(bold("Undone"), f"  {shorten(change.note or change.action, screen.width - 8)}")
    ids(screen, answer.ids)


def ids(screen: Screen, found: Sequence[str], said: Mapping[str, str] | None = None) -> None:
    """Write the first ``SHOWN_IDS`` of some ids, with a line of what each stands for if that is known."""
    for id in found[:SHOWN_IDS]:
        screen.line(id, indent=2)
        if said and id in said:
            screen.line(dim(shorten(said[id], screen.width - 4)), indent=4)
    if len(found) > SHOWN_IDS:
        screen.line(dim(f"and {len(found) - SHOWN_IDS:,} more"), indent=2)


def holdings(counts: Mapping[str, int]) -> str:
    """What a memory holds: its records by kind, its links together."""
    names = {Kind.ENGRAM.value: "memory"}
    kinds = {kind.value for kind in Kind}
    parts = [count(number, names.get(name, name)) for name, number in counts.items() if name in kinds and number]
    links = sum(number for name, number in counts.items() if name not in kinds)
    return ", ".join([*parts, count(links, "link")] if links else parts) or "nothing yet"


def status(screen: Screen, answer: Status) -> None:
    fields(
        screen,
        [
            ("becausal", answer.version),
            ("user", answer.user),
        ],
    )
    screen.line(dim(f"{'location':<12}"), answer.location)  # a path that is cut is of no use
    fields(
        screen,
        [
            ("store", f"{answer.backend}, schema {answer.schema}"),
            ("embedder", f"{answer.embedder} ({answer.embedder_state})"),
            ("holds", holdings(answer.counts)),
            ("waiting", f"{count(answer.pending, 'memory')} not indexed yet" if answer.pending else None),
            ("undo", f"back to {stamp(answer.oldest_undo)}" if answer.oldest_undo is not None else None),
            ("upkeep", stamp(answer.consolidated_at) if answer.consolidated_at is not None else None),
            ("backup", _backup(answer.backup) if answer.backup is not None else None),
            *_chat(answer),
            ("sends text", ", ".join(answer.sends_text_to) or "nowhere"),
        ],
    )
    if answer.degraded is not None:
        screen.text(f"degraded: {answer.degraded}", style=warning(""))
    if answer.backup is not None and answer.backup.trouble is not None:
        screen.text(f"backup: {answer.backup.trouble}", style=warning(""))
    if answer.backup is not None and answer.backup.note is not None:
        screen.text(f"backup: {answer.backup.note}")
    for item in answer.foreign:
        screen.text(f"found data of {item.system} at {item.path}: {item.advice}", style=warning(""))
    for note in answer.notes:
        screen.text(f"note: {note}")


def _backup(value: BackupStatus) -> str:
    return f"{value.place}, {'not yet' if value.last is None else stamp(value.last)}"


def _chat(answer: Status) -> list[tuple[str, str | None]]:
    """Return the lines about the chat model, if there is one."""
    chat = answer.chat
    if chat is None:
        return []
    calls, tokens = chat.usage, chat.limits
    used = f"{calls.calls:,}{_of(tokens.calls)} calls, {calls.tokens:,}{_of(tokens.tokens)} tokens this hour"
    used += _estimated(calls.estimated)
    ever = f"{count(calls.all_calls, 'call')}, {calls.all_tokens:,} tokens in all{_estimated(calls.all_estimated)}"
    return [
        ("chat model", chat.model if chat.unavailable is None else f"{chat.model}: {chat.unavailable}"),
        ("budget", f"{used}; {ever}"),
        ("unread", f"{count(answer.unread, 'memory')} not read by the model yet" if answer.unread else None),
        ("unreadable", _unreadable(answer.unreadable) if answer.unreadable else None),
        ("last failure", chat.last_failure),
    ]


def _unreadable(reasons: Mapping[str, int]) -> str:
    """Say how many memories the model could not read, why mostly, and what to do."""
    return (
        f"{count(sum(reasons.values()), 'memory')} could not be read by the model ('{command('enrich')}' tries again): "
        f"{next(iter(reasons))}"
    )


def _estimated(tokens: int) -> str:
    return f" ({tokens:,} of them estimated)" if tokens else ""


def _of(limit: int) -> str:
    return f" of {limit:,}" if limit else ""


def count(number: int, what: str) -> str:
    if number == 1:
        return f"1 {what}"
    return f"{number:,} {what[:-1]}ies" if what.endswith("y") else f"{number:,} {what}s"
