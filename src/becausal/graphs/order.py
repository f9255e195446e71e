# SPDX-License-Identifier: Apache-2.0
"""Putting the nodes of a graph in order: causes before effects, also where they go round in circles."""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

_Id = TypeVar("_Id", bound=Hashable)


def topological(ids: Sequence[str], causes: Iterable[tuple[str, str]]) -> list[str]:
    """Return ids with causes before effects, otherwise in the order given.

    ``causes`` holds pairs of a cause and its effect. What causes itself in a circle stays together, and its
    circle is cut at the node that comes first. Kahn's algorithm over the strongly connected components (Tarjan's).
    """
    names = list(dict.fromkeys(ids))
    effects: dict[str, set[str]] = {id: set() for id in names}
    for cause, effect in causes:
        if cause in effects and effect in effects and cause != effect:
            effects[cause].add(effect)
    circle = _circles(names, effects)
    members: dict[int, list[str]] = defaultdict(list)
    for id in names:
        members[circle[id]].append(id)
    outside = {
        number: {circle[effect] for id in group for effect in effects[id]} - {number}
        for number, group in members.items()
    }
    return [id for number in _kahn(list(members), outside) for id in _kahn(members[number], effects)]


def _kahn(names: Sequence[_Id], after: Mapping[_Id, Collection[_Id]]) -> list[_Id]:
    """Return names in topological order, the earliest of what is ready first; where nothing is, the earliest left."""
    place = {name: at for at, name in enumerate(names)}
    waiting = dict.fromkeys(names, 0)
    for name in names:
        for follower in after[name]:
            if follower in place:
                waiting[follower] += 1
    ready = [place[name] for name in names if not waiting[name]]
    order: dict[_Id, None] = {}
    left = iter(names)
    while len(order) < len(names):
        name = names[heapq.heappop(ready)] if ready else next(name for name in left if name not in order)
        order[name] = None
        for follower in after[name]:
            if follower in place and follower not in order:
                waiting[follower] -= 1
                if not waiting[follower]:
                    heapq.heappush(ready, place[follower])
    return list(order)


def _circles(names: Sequence[str], effects: Mapping[str, set[str]]) -> dict[str, int]:
    """Return the number of the strongly connected component of each node."""
    found: dict[str, int] = {}
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    open_: list[str] = []
    for start in names:
        if start in index:
            continue
        index[start] = low[start] = len(index)
        open_.append(start)
        walk = [(start, iter(effects[start]))]
        while walk:
            id, left = walk[-1]
            for effect in left:
                if effect not in index:
                    index[effect] = low[effect] = len(index)
                    open_.append(effect)
                    walk.append((effect, iter(effects[effect])))
                    break
                if effect not in found:
                    low[id] = min(low[id], index[effect])
            else:
                walk.pop()
                if walk:
                    low[walk[-1][0]] = min(low[walk[-1][0]], low[id])
                if low[id] == index[id]:
                    number = len(found)
                    while True:
                        member = open_.pop()
                        found[member] = number
                        if member == id:
                            break
    return found
