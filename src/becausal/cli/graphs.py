# SPDX-License-Identifier: Apache-2.0
"""Parts of the graphs as a person reads them: a time line, and trees of relations and of causes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..domain.records import Cause, Engram, Event, Fact, Link
from ..domain.scoring import percent
from ..engine.asking.chronicle import Chronicle, Entry
from ..engine.asking.exploring import Causation, Surroundings
from ..engine.graph.results import CausalLinkAdded, Related
from ..graphs.direction import Direction
from ..graphs.timeline import fact_text
from .render import day, engram_time, when
from .terminal import Screen, Styled, bold, clean_line, columns, dim, wrap
from .trees import Branch, draw

MOST_BRANCHES = 8
"""Branches drawn of one node; the others are counted."""

MOST_NODES = 200
"""Causes and effects drawn in all."""

MOST_STARTS = 20
WIDEST_TIME = 26


# --- what was stated ---


def related(screen: Screen, answer: Related) -> None:
    said = "Related" if answer.created else "Known already"
    screen.line(
        bold(said),
        f"  {clean_line(answer.source.name)} ",
        Styled(f"{clean_line(answer.link.relation_type)} →", fg="cyan"),
        f" {clean_line(answer.target.name)}",
    )
    screen.line(dim(answer.link.id), indent=2)


def caused(screen: Screen, answer: CausalLinkAdded) -> None:
    """Write a stated cause and its effect; both may be known in other words than were given."""
    screen.line(bold("Stated" if answer.created else "Stated again"), f"  {percent(answer.link.confidence)} sure")
    effect = Branch(text=answer.effect.description, mark="→ ")
    draw(screen, Branch(text=answer.cause.description, branches=(effect,)))
    screen.line(dim(answer.link.id), indent=2)


# --- time line ---


def chronicle(screen: Screen, answer: Chronicle) -> None:
    """Write events and facts in two columns, times as exactly as they were told."""
    if not answer.entries:
        screen.line("Nothing found.")
        return
    if answer.truncated:
        screen.line(dim("… earlier: --until, or a higher --limit"))
    rows = [(_time(entry), entry) for entry in answer.entries]
    width = min(WIDEST_TIME, max(columns(time) for time, _ in rows)) + 2
    for time, entry in rows:
        text = f"fact: {_held(entry)}" if isinstance(entry, Fact) else _happened(entry)
        for number, line in enumerate(wrap(clean_line(text), screen.width - width)):
            label = time if not number else ""
            screen.line(Styled(label + " " * max(2, width - columns(label)), fg="cyan"), line)


def _time(entry: Entry) -> str:
    match entry:
        case Event():
            return when(entry.occurred_at, entry.occurred_end, entry.precision)
        case Fact():
            return day(entry.valid_from)
        case Engram():
            return when(entry.at, entry.occurred_end, entry.precision)


def _happened(entry: Event | Engram) -> str:
    return entry.description if isinstance(entry, Event) else entry.summary


def _held(fact: Fact) -> str:
    over = f" (until {day(fact.valid_to)})" if fact.valid_to is not None else ""
    return fact_text(fact) + over


# --- surroundings ---


def surroundings(screen: Screen, answer: Surroundings) -> None:
    """Draw an entity: its relations as branches, then what is told of it."""
    entity = answer.entity
    notes = []
    if entity.aliases:
        notes.append("also: " + ", ".join(entity.aliases))
    if entity.properties:
        notes.append(", ".join(f"{name}: {value}" for name, value in entity.properties.items()))
    branches = _relations(answer)
    for title, lines in (
        ("facts", [f"{day(fact.valid_from)}  {_held(fact)}" for fact in answer.facts]),
        ("events", [f"{_time(event)}  {_happened(event)}" for event in answer.events]),
        ("causes and effects", [cause.description for cause in answer.causes]),
    ):
        if lines:
            told = tuple(Branch(text=clean_line(line)) for line in lines)
            branches.append(Branch(text=title, style=dim(""), branches=told))
    if not branches:
        notes.append("nothing is told of it but its name")
    if answer.around.truncated:
        notes.append("it has more relations than can be shown")
    draw(screen, Branch(text=f"{entity.name} ({entity.entity_type})", style=bold(""), notes=notes, branches=branches))


def _relations(answer: Surroundings) -> list[Branch]:
    """Return the relations of the entity as branches, each thing drawn once, where it is nearest."""
    known = answer.around.entities
    distance = answer.around.distance
    touching: dict[str, list[Link]] = defaultdict(list)
    for link in answer.around.relations:
        for end in {link.src, link.dst}:
            touching[end].append(link)
    placed = {answer.entity.id}
    drawn: set[str] = set()

    def grow(id: str) -> list[Branch]:
        fresh = []
        for link in touching[id]:
            other = link.dst if link.src == id else link.src
            if link.id not in drawn and distance[other] >= distance[id]:
                drawn.add(link.id)
                fresh.append((link, other, other not in placed))
                placed.add(other)
        branches = []
        for link, other, first in fresh[:MOST_BRANCHES]:
            until = answer.ended.get(link.id)
            said = f"{link.relation_type} (until {day(until)})" if until is not None else link.relation_type
            mark = f"{said} → " if link.src == id else f"← {said} "
            branches.append(
                Branch(text=known[other].name, mark=clean_line(mark) + " ", branches=grow(other) if first else ())
            )
        return _cut(branches, len(fresh))

    return grow(answer.entity.id)


def _cut(branches: list[Branch], wanted: int) -> list[Branch]:
    left = wanted - len(branches)
    return [*branches, Branch(text=f"… {left:,} more", style=dim(""))] if left else branches


# --- causes ---


@dataclass(slots=True)
class _Drawing:
    """A causal graph being drawn. What is told in several wordings is one thing, named by one of their ids."""

    name: dict[str, str]
    texts: dict[str, str]
    alike: dict[frozenset[str], float]  # two ids of one thing: how sure it is that it is one
    forth: dict[str, dict[str, Link]] = field(default_factory=lambda: defaultdict(dict))
    back: dict[str, dict[str, Link]] = field(default_factory=lambda: defaultdict(dict))
    numbers: dict[str, int] = field(default_factory=dict)  # of the sources cited so far
    left: int = MOST_NODES

    def likeness(self, one: str | None, other: str) -> float:
        """Return how sure it is that two wordings are of one thing; where nobody compared them, of its least alike."""
        if one is None or one == other:
            return 1.0
        known = self.alike.get(frozenset((one, other)))
        if known is not None:
            return known
        return min(sure for pair, sure in self.alike.items() if self.name[one] in {self.name[id] for id in pair})


def causation(screen: Screen, answer: Causation) -> None:
    """Draw what led to events and what came of them, each below what it is joined to."""
    if not answer.starts:
        screen.line("No causes are told yet.")
        return
    drawing = _merged(answer.graph.nodes, answer.graph.causes, answer.graph.same)
    starts = list(dict.fromkeys(drawing.name[start.id] for start in answer.starts if start.id in drawing.name))
    for position, start in enumerate(starts[:MOST_STARTS]):
        if position:
            screen.gap()
        draw(screen, _around(drawing, start, answer.direction))
    if answer.graph.truncated or len(starts) > MOST_STARTS:
        screen.text("There is more than can be shown.", style=dim(""))
    if answer.depth in answer.graph.distance.values():
        screen.text(f"Shown to a depth of {answer.depth}.", style=dim(""))
    for id, number in drawing.numbers.items():
        if number == 1:
            screen.gap()
        facts = [engram_time(engram), engram.source or ""] if (engram := answer.told_in.get(id)) else []
        told = " · ".join(clean_line(fact) for fact in (*facts, id) if fact)
        screen.text(told, mark=f"[{number}]", indent=len(f"[{len(drawing.numbers)}] "), style=Styled("", fg="cyan"))


def _around(drawing: _Drawing, start: str, direction: Direction) -> Branch:
    back, forth = drawing.back, drawing.forth
    led = came = []
    if direction is not Direction.DOWNSTREAM:
        led = _grow(drawing, back, start, None, "←", None, {start})
    if direction is not Direction.UPSTREAM:
        came = _grow(drawing, forth, start, None, "→", None, {start})
    branches = [*led, *came]
    if direction is Direction.BOTH:
        sides = (("what led to it", led), ("what came of it", came))
        branches = [Branch(text=title, style=dim(""), branches=side) for title, side in sides if side]
    notes = () if branches else ("nothing is told that is joined to it",)
    return Branch(text=drawing.texts[start], style=bold(""), notes=notes, branches=branches)


def _grow(
    drawing: _Drawing,
    ways: Mapping[str, Mapping[str, Link]],
    at: str,
    wording: str | None,
    arrow: str,
    through: float | None,
    drawn: set[str],
) -> list[Branch]:
    """Return what is one step from a node as branches, the most certain first, and what grows out of each.

    ``wording`` is the id under which the node was reached, and ``through`` how certain that is, after the
    first step. A link that was told of another wording is as much less certain as the two are alike. A node
    is followed once: where it comes again, it says so.
    """
    found = [
        (link.confidence * drawing.likeness(wording, near), other, link, far)
        for other, link in ways.get(at, {}).items()
        for near, far in [(link.src, link.dst) if arrow == "→" else (link.dst, link.src)]
    ]
    found.sort(key=lambda each: (-each[0], each[1]))
    branches = []
    for sure, other, link, far in found[:MOST_BRANCHES]:
        if not drawing.left:
            break
        drawing.left -= 1
        known = other in drawn
        drawn.add(other)
        so_far = sure * (1.0 if through is None else through)
        note = _told(drawing, link, None if through is None else so_far)  # numbers its source before deeper ones
        branches.append(
            Branch(
                text=drawing.texts[other] + (" (see above)" if known else ""),
                mark=f"{percent(sure)} {arrow} ",
                notes=(note,),
                branches=() if known else _grow(drawing, ways, other, far, arrow, so_far, drawn),
            )
        )
    return _cut(branches, len(found))


def _told(drawing: _Drawing, link: Link, so_far: float | None) -> str:
    certain = f"{percent(so_far)} so far · " if so_far is not None else ""
    cited = "".join(f"[{drawing.numbers.setdefault(id, len(drawing.numbers) + 1)}] " for id in link.sources[:1])
    quoted = f"“{clean_line(link.evidence)}”" if link.evidence else "stated without a text"
    return certain + cited + quoted


def _merged(nodes: Mapping[str, Cause], causes: Sequence[Link], same: Sequence[Link]) -> _Drawing:
    parent = {id: id for id in nodes}

    def root(id: str) -> str:
        while parent[id] != id:
            parent[id] = parent[parent[id]]
            id = parent[id]
        return id

    for link in same:
        parent[root(link.src)] = root(link.dst)
    name = {id: root(id) for id in nodes}
    texts: dict[str, str] = {}
    for id, cause in nodes.items():
        texts[name[id]] = max(texts.get(name[id], ""), cause.description, key=len)
    alike = {frozenset((link.src, link.dst)): link.strength for link in same}
    drawing = _Drawing(name=name, texts=texts, alike=alike)
    for link in causes:
        one, other = name[link.src], name[link.dst]
        if one == other:
            continue
        known = drawing.forth[one].get(other)
        if known is None or link.confidence > known.confidence:
            drawing.forth[one][other] = drawing.back[other][one] = link
    return drawing
