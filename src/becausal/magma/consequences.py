# SPDX-License-Identifier: Apache-2.0
"""From a question about consequences to the chain that answers it: what came of an event."""

from __future__ import annotations

import math

from ..domain.records import Link
from ..graphs.causes import CausalGraph, Causes
from ..graphs.chains import Chain, Tracer
from ..graphs.direction import Direction
from ..ports.store import GraphStore
from .contradiction import contradicted
from .evidence import coverage
from .matching import Matched, Wanted, matched
from .tracing import EXPLAINED, MAX_OTHERS, TRUST, Trace, asked

DEPTH = 12
MAX_NODES, MAX_LINKS = 120, 200
STARTS = 4
"""Events looked at as the one whose consequences are asked for."""

ENDS = 12
"""Effects that chains are traced to."""

NAMES_IT = 0.34
"""Share of a question's words that an event must have to be the one that it asks about."""


def consequences(store: GraphStore, wanted: Wanted) -> Trace | None:
    """Return the chain that begins with the event a question asks about and tells most of what came of it.

    Of the events that match, the best one that is known to have led to anything is taken; of the chains from there
    the one with the highest product of confidence and √hops. ``others`` are links to what else it brought about.
    """
    best: tuple[float, Matched, Chain, CausalGraph] | None = None
    named = [each for each in matched(store, wanted, "out") if _names(each, wanted)]
    for event in named[:STARTS]:
        start = [event.cause.id]
        graph = asked(store, Causes(store).around(start, Direction.DOWNSTREAM, DEPTH, MAX_NODES, MAX_LINKS), wanted)
        chain = _furthest(graph, event.cause.id, wanted)
        fit = event.match + EXPLAINED * min(len(chain.hops), 3) if chain else 0.0
        if chain is not None and (best is None or fit > best[0]):
            best = (fit, event, chain, graph)
    if best is None:
        return None
    _, event, chain, graph = best
    whole, against = contradicted(store, graph, chain, wanted)
    return Trace(
        chain=chain,
        cosine=event.cosine,
        opposed=event.opposed,
        others=tuple(link for link in _beside(graph, chain) if link not in against),
        cut=False,
        graph=whole,
        against=against,
    )


def _names(event: Matched, wanted: Wanted) -> bool:
    return not event.opposed and coverage(wanted.weights, (event.cause.description,)) >= NAMES_IT


def _furthest(graph: CausalGraph, start: str, wanted: Wanted) -> Chain | None:
    """Return the best chain from an event to where nothing more is known to have come of it."""
    leading = {link.src for link in graph.causes}
    reached = sorted({link.dst for link in graph.causes}, key=lambda id: (graph.distance[id], id))
    ends = [id for id in reached if id not in leading] or reached
    tracer = Tracer(graph, TRUST, wanted.in_time)
    same = {start} | {end for link in graph.same for end in (link.src, link.dst) if start in (link.src, link.dst)}
    chains = [chain for id in ends[:ENDS] if id != start and (chain := tracer.chain_to(id)) and chain.hops]
    chains = [chain for chain in chains if chain.root.id in same]
    return max(chains, key=lambda chain: chain.confidence * math.sqrt(len(chain.hops)), default=None)


def _beside(graph: CausalGraph, chain: Chain) -> tuple[Link, ...]:
    """Return links from the beginning of a chain to effects that are not in it, surest first."""
    passed = {end.id for hop in chain.hops for end in (hop.cause, hop.effect)}
    twins = {end for link in graph.same for end in (link.src, link.dst) if {link.src, link.dst} & passed}
    starts = {chain.root.id} | {
        end for link in graph.same for end in (link.src, link.dst) if chain.root.id in (link.src, link.dst)
    }
    best: dict[str, Link] = {}
    for link in graph.causes:
        fresh = link.src in starts and link.dst not in passed | twins
        if fresh and (link.dst not in best or link.confidence > best[link.dst].confidence):
            best[link.dst] = link
    return tuple(sorted(best.values(), key=lambda link: (-link.confidence, link.id))[:MAX_OTHERS])
