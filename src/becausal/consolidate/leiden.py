# SPDX-License-Identifier: Apache-2.0
"""Communities of a weighted undirected graph, by the Leiden algorithm (Traag, Waltman and van Eck, 2019).

Run as a program (``python -m becausal.consolidate.leiden``) it reads a graph from standard input and writes the
communities to standard output: handing a large graph over to the library keeps every other thread waiting.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from tempfile import TemporaryFile
from typing import IO, TypeAlias

from ..domain.clusters import best_resolution

Edges: TypeAlias = "list[tuple[str, str, float]]"
"""Two nodes and a weight above 0; each pair once, no node with itself."""

PROFILE = (0.1, 0.316, 1.0, 3.16, 10.0)
"""Resolutions looked at when one is chosen: smriti's range, and about its grain."""

SEED = 20190326
RANDOMNESS = 0.001

LINES = 1000
"""Lines handed over at a time."""

WATCH = 0.1
"""Seconds between looks whether the work is to be ended."""

_LOW_PRIORITY = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)  # Windows alone has it

IN_PROCESS = 30_000
"""Edges up to which handing them over takes no longer than some 20 ms."""


@dataclass(frozen=True, slots=True)
class Partition:
    """The community of each node that has an edge, and the resolution at which they were found."""

    communities: Mapping[str, int]
    resolution: float


def partition(
    edges: Edges,
    resolution: float | None = None,
    start: Mapping[str, int] | None = None,
    pause: Callable[[], object] = lambda: None,
) -> Partition:
    """Return the communities of a graph; the same graph, resolution and start always give the same.

    Args:
        edges: at least one.
        resolution: above 0; higher ones give more and smaller communities. ``None``: one is chosen from a profile.
        start: an earlier partition to start from. Nodes that are new start alone.
        pause: called again and again in between; what it raises ends the work.
    """
    if len(edges) <= IN_PROCESS or not sys.executable:
        return _partition(edges, resolution, start, pause)
    return _elsewhere(edges, resolution, start, pause)


def _partition(
    edges: Edges,
    resolution: float | None,
    start: Mapping[str, int] | None,
    pause: Callable[[], object] = lambda: None,
) -> Partition:
    import graspologic_native as native

    if resolution is None:
        profile, qualities = [], []
        for each in PROFILE:
            profile.append(_leiden(edges, each, None))
            pause()
            qualities.append(native.modularity(edges, profile[-1], 1.0))
            pause()
        nodes = sorted(profile[0])
        parts = [[found[node] for node in nodes] for found in profile]
        resolution = best_resolution(PROFILE, qualities, parts)
        start = None
    return Partition(_leiden(edges, resolution, _completed(edges, start)), resolution)


def _leiden(edges: Edges, resolution: float, start: dict[str, int] | None) -> dict[str, int]:
    import graspologic_native as native

    _, communities = native.leiden(
        edges,
        starting_communities=start,
        resolution=resolution,
        randomness=RANDOMNESS,
        iterations=1,
        use_modularity=True,
        seed=SEED,
        trials=1,
    )
    return dict(communities)


def _completed(edges: Edges, start: Mapping[str, int] | None) -> dict[str, int] | None:
    """Return a start that names each node of the graph and no other, with communities numbered from 0 on."""
    if start is None:
        return None
    nodes = sorted({node for edge in edges for node in edge[:2]})
    numbers: dict[object, int] = {}
    return {node: numbers.setdefault(start.get(node, node), len(numbers)) for node in nodes}


# --- in a program of its own --------------------------------------------------------------------


def _elsewhere(
    edges: Edges, resolution: float | None, start: Mapping[str, int] | None, pause: Callable[[], object]
) -> Partition:
    lines = chain(
        (json.dumps([resolution, None if start is None else len(start)]) + "\n",),
        (f"{node} {community}\n" for node, community in (start or {}).items()),
        (f"{a} {b} {weight!r}\n" for a, b, weight in edges),
    )
    with TemporaryFile("w+", encoding="utf-8") as asked, TemporaryFile("w+", encoding="utf-8") as answered:
        while some := "".join(islice(lines, LINES)):
            asked.write(some)
            pause()
        asked.flush()
        asked.seek(0)
        # -P keeps the working directory out of where Python looks for modules.
        command = [sys.executable, "-P", "-m", __name__]
        process = subprocess.Popen(command, stdin=asked, stdout=answered, creationflags=_LOW_PRIORITY)
        try:
            while process.poll() is None:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(WATCH)
                pause()
        finally:
            process.kill()
            process.wait()
        answered.seek(0)
        chosen = float(answered.readline() or "nan")
        communities = {node: int(number) for node, number in map(str.split, answered)}
    if process.returncode != 0 or not communities:
        raise RuntimeError(f"looking for communities failed with exit code {process.returncode}")
    return Partition(communities, chosen)


def _read(source: IO[str]) -> tuple[float | None, dict[str, int] | None, list[tuple[str, str, float]]]:
    resolution, known = json.loads(source.readline())
    pairs = map(str.split, islice(source, known or 0))
    start = None if known is None else {node: int(community) for node, community in pairs}
    return resolution, start, [(a, b, float(weight)) for a, b, weight in map(str.split, source)]


def _lines(found: Partition) -> Iterator[str]:
    yield f"{found.resolution!r}\n"
    yield from (f"{node} {community}\n" for node, community in found.communities.items())


def main() -> None:
    """Read a resolution, a start and the edges; write the resolution and the communities.

    The first line holds, as JSON, the resolution or null, and the number of lines that hold the start, or null.
    """
    if hasattr(os, "nice"):
        os.nice(10)  # it works for seconds, and nobody waits for it: those who recall meanwhile come first
    resolution, start, edges = _read(sys.stdin)
    sys.stdout.writelines(_lines(_partition(edges, resolution, start)))


if __name__ == "__main__":
    main()
