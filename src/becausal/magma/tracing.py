# SPDX-License-Identifier: Apache-2.0
"""From a why-question to the chain that answers it: which event is meant, and what led to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from ..domain.records import Cause, Kind, Link, LinkKind
from ..graphs.causes import CausalGraph, Causes
from ..graphs.chains import Chain, Tracer, is_supposed
from ..graphs.direction import Direction
from ..ports.store import GraphStore
from .contradiction import contradicted, told_to
from .evidence import coverage
from .matching import OPPOSED, WORDS, Matched, Timing, Wanted, matched, timed

DEPTH = 64
MAX_NODES, MAX_LINKS = 120, 100
TRUST = 0.3
"""Links less certain than this, and not stated by anybody, explain nothing."""

AROUND = 0.5
"""What a word of the question counts that only the sentence around the event has."""

EXPLAINED, FULL = 0.08, 3
"""What each hop adds, up to three: of two events that fit, the one of which more was told is meant."""

MAX_EVIDENCE = 12
"""Sentences about what led to an event that are read for the words around it."""

CLOSE = 0.75
"""Share of the best match in words and meaning from which an event further on in its chain is what was asked for."""

ELSEWHEN = 0.5
"""What is taken off an event of which only causes of another time than the one asked for were told."""

SUSPICION = 0.3
"""What is taken off an event whose cause was only suspected once: where another fits, that is the one found out."""

MAX_OTHERS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """The chain to the event asked about.

    ``cosine`` is the event's nearness to the question, ``opposed`` whether it says the opposite. ``others``
    are links into that event from causes that are not in the chain, surest first, ``against`` links that
    contradict the chain. ``cut`` says that the chain goes further back than was followed. ``timing`` is that of its
    last step, where a time is asked for. ``suspected`` are links to causes that were once suspected, where the chain
    ends in one that was found out.
    """

    chain: Chain
    cosine: float | None
    opposed: bool
    others: tuple[Link, ...]
    cut: bool
    graph: CausalGraph
    against: tuple[Link, ...] = ()
    timing: Timing | None = None
    suspected: tuple[Link, ...] = ()


def trace(store: GraphStore, wanted: Wanted) -> Trace | None:
    """Return the chain that best explains what a question asks about.

    Candidates are events told in the memories found, or described in the question's words, or near to it
    in meaning. Each is matched against the question; those with causes, and those told of the time asked
    for, come first. If a comparable match lies further on in the best one's chain, that is the event meant,
    so that the chain ends at it. What was done about an event is none, unless that is asked about. What is
    told to have led to the event at another time than the one asked for counts only where nothing else is told.
    """
    events = matched(store, wanted, "in")
    if not events:
        return None
    starts = [event.cause.id for event in events]
    graph = Causes(store).around(starts, Direction.UPSTREAM, DEPTH, MAX_NODES, MAX_LINKS)
    graph = asked(store, _with_told_then(store, graph, events, wanted), wanted)
    ways = _Ways(graph, wanted)
    traced = _chains(events, ways, wanted)
    if not traced:
        return None
    event, chain = _meant(traced, ways)
    cut = _goes_on(store, graph, chain)
    whole, against = contradicted(store, graph, chain, wanted)
    others = _others(graph, ways.incoming, chain, wanted)
    suspected = _suspected(traced, event, chain, others)
    apart = {each.id for each in (*against, *suspected)}
    return Trace(
        chain=chain,
        cosine=event.cosine,
        opposed=event.opposed,
        others=tuple(link for link in others if link.id not in apart),
        cut=cut,
        graph=whole,
        against=against,
        timing=ways.timing.get(chain.hops[-1].link.id),
        suspected=suspected,
    )


def _suspected(
    traced: Sequence[tuple[float, Matched, Chain]], event: Matched, chain: Chain, others: Sequence[Link]
) -> tuple[Link, ...]:
    """Return links to what was once suspected of an event, where another cause of it was found out.

    They lead into the event itself, or into one that is nearly as much what the question asks about.
    """
    if is_supposed(chain.hops[-1].link):
        return ()
    into = list(others)
    into += [each.hops[-1].link for _, other, each in traced if other.about >= CLOSE * event.about]
    passed = {end.id for hop in chain.hops for end in (hop.cause, hop.effect)}
    found = {link.src: link for link in reversed(into) if is_supposed(link) and link.src not in passed}
    return tuple(sorted(found.values(), key=lambda link: (-link.confidence, link.id))[:MAX_OTHERS])


class _Ways:
    """The ways back from the events of one graph, without those that were told of another time than is asked for."""

    def __init__(self, graph: CausalGraph, wanted: Wanted) -> None:
        self._graph = graph
        self._wanted = wanted
        self._tracer = Tracer(graph, TRUST, wanted.in_time)
        self._twins: dict[str, set[str]] = {}
        for link in graph.same:
            self._twins.setdefault(link.src, set()).add(link.dst)
            self._twins.setdefault(link.dst, set()).add(link.src)
        self.incoming: dict[str, list[Link]] = {}
        for link in graph.causes:
            self.incoming.setdefault(link.dst, []).append(link)
        self.timing: dict[str, Timing] = {}

    def chain_to(self, event: str) -> Chain | None:
        elsewhere = self._elsewhere(event)
        if elsewhere:
            kept = tuple(link for link in self._graph.causes if link.id not in elsewhere)
            chain = Tracer(replace(self._graph, causes=kept), TRUST, self._wanted.in_time).chain_to(event)
            if chain is not None:
                return chain
        return self._tracer.chain_to(event)

    def may_be_then(self, chain: Chain) -> bool:
        """Whether a time is asked for and the last step of a chain is not known to lie elsewhere."""
        return self.timing.get(chain.hops[-1].link.id, Timing.ELSEWHERE) is not Timing.ELSEWHERE

    def _elsewhere(self, event: str) -> set[str]:
        """Return the links into an event that tell of another time than the one asked for."""
        if self._wanted.timing is None:
            return set()
        into = [link for id in (event, *self._twins.get(event, ())) for link in self.incoming.get(id, ())]
        self.timing |= self._wanted.timing([link for link in into if link.id not in self.timing])
        return {link.id for link in into if self.timing.get(link.id) is Timing.ELSEWHERE}


def _chains(events: Sequence[Matched], ways: _Ways, wanted: Wanted) -> list[tuple[float, Matched, Chain]]:
    """Return the events that have causes, each with how well it fits and its chain, the best first."""
    traced: list[tuple[float, Matched, Chain]] = []
    most = 0.0
    for event in events:
        alone = coverage(wanted.weights, (event.cause.description,))
        if event.match + WORDS * AROUND * (1.0 - alone) + EXPLAINED * FULL < most:
            continue  # whatever led to it, another fits better
        chain = ways.chain_to(event.cause.id)
        if chain is not None:
            evidence = [link.evidence or "" for link in ways.incoming.get(chain.hops[-1].effect.id, ())[:MAX_EVIDENCE]]
            around = coverage(wanted.weights, (event.cause.description, *evidence))
            fit = event.match + WORDS * AROUND * (around - alone) + EXPLAINED * min(len(chain.hops), FULL)
            fit -= SUSPICION if is_supposed(chain.hops[-1].link) else 0.0
            fit -= ELSEWHEN if ways.timing.get(chain.hops[-1].link.id) is Timing.ELSEWHERE else 0.0
            traced.append((fit, event, chain))
            most = max(most, fit if event.about < CLOSE else 0.0)
    return sorted(traced, key=lambda each: (-each[0], each[1].cause.id))


def _meant(traced: Sequence[tuple[float, Matched, Chain]], ways: _Ways) -> tuple[Matched, Chain]:
    """Return the event that is asked about, with its chain."""
    _, event, chain = traced[0]
    if event.opposed:
        # Somebody told the opposite as well: what is asked about goes first, if that was told.
        near = CLOSE * (event.about + OPPOSED)
        _, event, chain = next((each for each in traced if not each[1].opposed and each[1].about >= near), traced[0])
    least = CLOSE * event.about
    for _, other, longer in traced[1:]:
        passed = {end.id for hop in longer.hops for end in (hop.cause, hop.effect)} - {other.cause.id}
        then = other.in_time >= event.in_time or ways.may_be_then(longer)
        if other.about >= least and event.cause.id in passed and then:
            event, chain = other, longer
    return event, chain


def _with_told_then(store: GraphStore, graph: CausalGraph, events: Sequence[Matched], wanted: Wanted) -> CausalGraph:
    """Return a graph with what was told in the time asked for to have led to some events.

    Of an event that has happened many times, with other causes each time, only some of the links are in the graph.
    """
    targets = {event.cause.id for event in events if event.in_time}
    if not targets or not graph.truncated:
        return graph
    causes = [id for id, tellers in Causes(store).recorded_by(timed(wanted)).items() if id not in targets]
    links = store.links(sorted(causes), [LinkKind.C_CAUSES], "out", MAX_LINKS) if causes else ()
    known = {link.id for link in graph.causes}
    links = tuple(link for link in links if link.dst in targets and link.id not in known)
    missing = sorted({link.src for link in links} - graph.nodes.keys())
    more = {id: cast(Cause, record) for id, record in store.get(Kind.CAUSE, missing).items()} if missing else {}
    return replace(
        graph,
        nodes={**graph.nodes, **more},
        causes=(*graph.causes, *(link for link in links if link.src in graph.nodes or link.src in more)),
        distance={**graph.distance, **dict.fromkeys(more, 1)},
    )


def asked(store: GraphStore, graph: CausalGraph, wanted: Wanted) -> CausalGraph:
    """Return a graph without the links that only memories told which may not be asked."""
    kept = told_to(store, graph.causes, wanted)
    return graph if len(kept) == len(graph.causes) else replace(graph, causes=kept)


def _others(
    graph: CausalGraph, incoming: Mapping[str, Sequence[Link]], chain: Chain, wanted: Wanted
) -> tuple[Link, ...]:
    """Return links that give the event at the end of a chain another cause, told of the time asked for.

    So do links into what means the same, as certain as they and that are together.
    """
    passed = {end.id for hop in chain.hops for end in (hop.cause, hop.effect)}
    known = passed | {end for link in graph.same for end in (link.src, link.dst) if {link.src, link.dst} & passed}
    target = chain.hops[-1].effect.id
    into = list(incoming.get(target, ()))
    for twins in graph.same:
        if target in (twins.src, twins.dst):
            twin = twins.dst if twins.src == target else twins.src
            into += [replace(link, confidence=link.confidence * twins.strength) for link in incoming.get(twin, ())]
    best: dict[str, Link] = {}
    for link in into:
        timely = not wanted.in_time or not wanted.in_time.isdisjoint(link.sources)
        trusted = link.asserted or (link.confidence >= TRUST and timely)
        apart = link.src not in known and graph.nodes[link.src].node_type != "remedy"
        surer = link.src not in best or link.confidence > best[link.src].confidence
        if trusted and apart and surer:
            best[link.src] = link
    return tuple(sorted(best.values(), key=lambda link: (-link.confidence, link.id))[:MAX_OTHERS])


def _goes_on(store: GraphStore, graph: CausalGraph, chain: Chain) -> bool:
    """Whether more was told of what led to the beginning of a chain than was followed."""
    if not graph.truncated and len(chain.hops) < DEPTH:
        return False
    passed = {hop.cause.id for hop in chain.hops}
    links = store.links([chain.root.id], [LinkKind.C_CAUSES], "in", limit=len(passed) + 1)
    return any(link.src not in passed for link in links)
