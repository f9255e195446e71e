# SPDX-License-Identifier: Apache-2.0
"""What only a whole text shows: causes told as a list, what lies between a root cause and the incident, no circles."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple, Protocol

from .identity import cause_key, content_of, may_refer_to, opposed
from .references import is_trouble
from .sides import Clause

MAX_NODES: Final = 256
"""Sides of one text that are compared with each other."""

MAX_LINKS: Final = 256
"""Links of one text, from its beginning, that are looked at as a whole."""

ALIKE: Final = (4, 0.6)
"""Words of content that two sides share, and their share of all words of both, from which they tell the same."""

LONG: Final = 2
"""Links from which a way that begins at no told cause of the incident may end in it."""

_FOR_THE_BETTER: Final = re.compile(
    r"\b(?:mitigat|resilien|recover|restor|success|improv|remed|resolv|protect|ability to)|\bfix"
)

_SUFFERED: Final = re.compile(  # an incident told by what was suffered, not by what was done
    r"\b(?:incident|outage|disrupt|black-?out|interrupt|breach|down|degrad|un(?:avail|reach|able)|inaccess|collaps|crash|error"
    r"|fail|slow|latenc|delay|issue|problem|trouble|loss|lost|leak|sink|sank|experienc|suffer)"
)
_ANOTHER: Final = re.compile(
    r"^(?:an?|another|some|further)\b.*\b(?:issue|problem|complication|incident)s?$", re.IGNORECASE
)


class Link(Protocol):
    """What is needed of a link here."""

    @property
    def cause(self) -> Clause | None: ...
    @property
    def effect(self) -> Clause: ...
    @property
    def confidence(self) -> float: ...
    @property
    def cross_sentence(self) -> bool: ...


class Joint(NamedTuple):
    """A cause and an effect that no single sentence joins; ``told`` says that the way begins at a told cause of it."""

    cause: Clause
    effect: Clause
    told: bool


def is_for_the_better(text: str) -> bool:
    """Whether a side tells of an improvement or a recovery, and of no trouble with it."""
    return _FOR_THE_BETTER.search(text.lower()) is not None and not is_trouble(text)


class Story:
    """The links of a text as a graph of its sides, where sides that mean the same are one node."""

    def __init__(self, links: Iterable[Link], same: Iterable[tuple[Clause, Clause]] = ()) -> None:
        self.after: dict[int, set[int]] = defaultdict(set)
        self._number: dict[str, int] = {}
        self._contents: list[frozenset[str]] = []
        self._texts: list[str] = []
        for told, taken_up in same:
            number = self.node(told)
            self._number.setdefault(cause_key(taken_up.text), number)
        for link in links:
            if link.cause is not None:
                self.after[self.node(link.cause)].add(self.node(link.effect))

    def node(self, clause: Clause) -> int:
        """The number of a side: that of the first one with the same key, or that one takes up in fewer words."""
        key = cause_key(clause.text)
        if key in self._number:
            return self._number[key]
        said = frozenset(content_of(clause.text))
        known = self._known(said, clause.text)
        if known is None:
            known = len(self._contents)
            self._contents.append(said)
            self._texts.append(clause.text)
        self._number[key] = known
        return known

    def _known(self, said: frozenset[str], text: str) -> int | None:
        for at, other in enumerate(self._contents[:MAX_NODES]):
            if said and other and (said <= other or other <= said):
                told = self._texts[at]
                if may_refer_to(text, told) or may_refer_to(told, text):
                    return at
            elif _alike(said, other) and not opposed(text, self._texts[at]):
                return at
        return None

    def leads(self, one: int, other: int) -> bool:
        """Whether a chain leads from one node to another; every node leads to itself."""
        return other in self.depths(one)

    def depths(self, start: int) -> Mapping[int, int]:
        """How many links lie between a node and each one that it leads to, the shortest way."""
        found = {start: 0}
        frontier = [start]
        steps = 0
        while frontier:
            steps += 1
            frontier = sorted({each for node in frontier for each in self.after[node] if each not in found})
            found |= dict.fromkeys(frontier, steps)
        return found


def _alike(said: frozenset[str], other: frozenset[str]) -> bool:
    least, share = ALIKE
    both = len(said & other)
    return both >= least and both >= share * len(said | other)


def without_circles(links: Sequence[Link], same: Iterable[tuple[Clause, Clause]]) -> list[bool]:
    """Which links to keep, so that what a text tells once does not lead back to where it began.

    Links told in one sentence are kept; of those joined across sentences the more certain come first.
    """
    if not any(link.cross_sentence for link in links):
        return [True] * len(links)
    story = Story((), same)
    keep = [False] * min(len(links), MAX_LINKS) + [True] * (len(links) - MAX_LINKS)
    order = sorted(
        range(min(len(links), MAX_LINKS)), key=lambda at: (links[at].cross_sentence, -links[at].confidence, at)
    )
    for at in order:
        link = links[at]
        if link.cause is None:
            keep[at] = True
            continue
        cause, effect = story.node(link.cause), story.node(link.effect)
        if link.cross_sentence and (
            cause == effect or story.leads(effect, cause) or _says_no_more(link.cause, link.effect)
        ):
            continue
        keep[at] = True
        story.after[cause].add(effect)
    return keep


def _says_no_more(cause: Clause, effect: Clause) -> bool:
    """Whether a cause only repeats words of its effect: "the root cause was a degradation of the service"."""
    said = set(content_of(cause.text))
    return len(said) > 2 and said <= set(content_of(effect.text))


def in_between(links: Sequence[Link], same: Iterable[tuple[Clause, Clause]], incident: Clause | None) -> list[Joint]:
    """What a told cause of the incident led to in the end, joined to the incident.

    Reports say what caused the incident, then tell step by step what that cause set off, and leave it to the
    reader that the last step is the incident. The last trouble that each such cause led to is joined to it, or
    else the last thing, unless that was for the better. So is, less surely, the end of a longer way of trouble
    from elsewhere, if the incident is told by what was suffered.
    """
    if incident is None or not links:
        return []
    links = links[:MAX_LINKS]
    story = Story(links, same)
    target = story.node(incident)
    suffered = _SUFFERED.search(incident.text.lower()) is not None
    outcome = story.depths(target)
    sides = {story.node(side): side for link in links for side in (link.effect, link.cause) if side is not None}
    joints: dict[int, Joint] = {}
    causes: dict[Clause, bool] = {}
    for link in links:
        if link.cause is not None:
            causes[link.cause] = causes.get(link.cause, False) or story.node(link.effect) == target
    reached = {effect for effects in story.after.values() for effect in effects}
    for cause, told in sorted(causes.items(), key=lambda item: (not item[1], item[0].start)):
        node = story.node(cause)
        depths = story.depths(node)
        if cause.remedial or (not told and not suffered):
            continue
        if not told and (node in reached or node in outcome or target in depths):
            continue
        better = {each for each in depths if _FOR_THE_BETTER.search(sides[each].text.lower())}
        if not told and better:
            continue
        ends = [
            node
            for node, depth in depths.items()
            if depth and node not in outcome and not story.after[node] and not sides[node].remedial
        ]
        ends = [node for node in ends if is_trouble(sides[node].text)] or [node for node in ends if node not in better]
        if not told:
            trouble = any(is_trouble(sides[node].text) for node in depths)
            ends = [node for node in ends if trouble and depths[node] >= LONG and not _ANOTHER.search(sides[node].text)]
        if ends:
            last = max(ends, key=lambda node: (depths[node], sides[node].start))
            joints.setdefault(last, Joint(sides[last], incident, told))
    return list(joints.values())
