# SPDX-License-Identifier: Apache-2.0
"""What was told against a chain of causes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from ..domain.causal.identity import opposed
from ..domain.records import Cause, Kind, Link, LinkKind
from ..domain.text import query_terms, terms
from ..graphs.causes import CausalGraph
from ..graphs.chains import Chain
from ..ports.store import GraphStore
from .matching import Wanted

MAX_AGAINST = 3
SAME = 0.5
"""Share of an event's words that another must have to be about the same thing, and so to contradict it."""

MAX_OUT = 40
"""Links looked at that lead from the causes of a chain, for what contradicts it."""


def contradicted(
    store: GraphStore, graph: CausalGraph, chain: Chain, wanted: Wanted
) -> tuple[CausalGraph, tuple[Link, ...]]:
    """Return the links that contradict a chain, and the graph with their ends.

    Such a link says of one step of the chain that the effect brought about the cause; or that the opposite of a
    cause led to its effect; or that a cause led to the opposite of its effect.
    """
    twins: dict[str, set[str]] = {}
    for link in graph.same:
        twins.setdefault(link.src, set()).add(link.dst)
        twins.setdefault(link.dst, set()).add(link.src)
    place: dict[str, int] = {}
    for at, id in enumerate([hop.cause.id for hop in chain.hops] + [chain.hops[-1].effect.id]):
        for each in (id, *twins.get(id, ())):
            place.setdefault(each, at)
    for at, hop in enumerate(chain.hops, 1):
        place.setdefault(hop.effect.id, at)
    own = {hop.link.id for hop in chain.hops}
    causes = [id for id, at in place.items() if at < len(chain.hops)]
    out = told_to(store, store.links(causes, [LinkKind.C_CAUSES], "out", MAX_OUT), wanted)
    missing = sorted({link.dst for link in out} - graph.nodes.keys())
    known = {**graph.nodes, **{id: cast(Cause, each) for id, each in store.get(Kind.CAUSE, missing).items()}}
    said = [hop.cause.description for hop in chain.hops] + [chain.hops[-1].effect.description]
    words = [set(query_terms(text)) for text in said]
    verdicts: dict[tuple[int, str], bool] = {}

    def denied(at: int, other: Cause) -> bool:
        """Whether another event speaks of the same as one of the chain and contradicts it."""
        if (at, other.id) not in verdicts:
            same = len(words[at].intersection(terms(other.description))) >= SAME * len(words[at])
            verdicts[at, other.id] = same and opposed(said[at], other.description)
        return verdicts[at, other.id]

    found: dict[str, Link] = {}
    for link in (*graph.causes, *out):
        if link.id in own or link.src not in known or link.dst not in known:
            continue
        start, end = place.get(link.src), place.get(link.dst)
        if start is not None and end is not None:
            against = start == end + 1
        elif start is not None and start < len(chain.hops):
            against = denied(start + 1, known[link.dst])
        else:
            against = bool(end) and denied(cast(int, end) - 1, known[link.src])
        if against:
            found[link.id] = link
    best = sorted(found.values(), key=lambda link: (not link.asserted, -link.confidence, link.id))[:MAX_AGAINST]
    ends = {end for link in best for end in (link.src, link.dst)}
    return replace(graph, nodes={**graph.nodes, **{id: known[id] for id in ends}}), tuple(best)


def told_to(store: GraphStore, links: Sequence[Link], wanted: Wanted) -> tuple[Link, ...]:
    """Return those of some links that callers stated, or that memories tell which may be asked."""
    sources = sorted({source for link in links for source in link.sources if source not in wanted.engrams})
    allowed = wanted.engrams.keys() | (store.passing(Kind.ENGRAM, sources, wanted.where) if sources else frozenset())
    return tuple(link for link in links if link.asserted or not allowed.isdisjoint(link.sources))
