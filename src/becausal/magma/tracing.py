# SPDX-License-Identifier: Apache-2.0
"""From a why-question to the chain that answers it: which event is meant, and what led to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from ..domain.causal.document import is_for_the_better
from ..domain.causal.identity import opposed
from ..domain.causal.references import is_trouble
from ..domain.causal.sides import is_remedial
from ..domain.records import Cause, Kind, Link, LinkKind
from ..domain.text import query_terms, terms
from ..graphs.causes import CausalGraph, Causes
from ..graphs.chains import Chain, Tracer
from ..graphs.direction import Direction
from ..ports.store import Condition, GraphStore, Op, Where
from .evidence import coverage, likeness

if TYPE_CHECKING:
    from ..ports.models import Vector

WORDED = 20
NEAREST = 12
TARGETS = 8
"""Events looked at as what the question may be about."""

SPARE = 4
"""Events beyond these that are looked at for one that says the opposite of what is asked about."""

DEPTH = 64
MAX_NODES, MAX_LINKS = 120, 100
TRUST = 0.3
"""Links less certain than this, and not stated by anybody, explain nothing."""

WORDS, MEANING, TOLD = 0.5, 0.35, 0.25
"""Shares of a match: the question's words, its meaning, and how well the memory told in answers it."""

AROUND = 0.5
"""What a word of the question counts that only the sentence around the event has."""

IN_TIME = 0.3
OPPOSED = 0.3
"""What is taken off an event that says the opposite of what is asked about."""

EXPLAINED, FULL = 0.08, 3
"""What each hop adds, up to three: of two events that fit, the one of which more was told is meant."""

MAX_EVIDENCE = 12
"""Sentences about what led to an event that are read for the words around it."""

CLOSE = 0.75
"""Share of the best match in words and meaning from which an event further on in its chain is what was asked for."""

MAX_OTHERS = 3
MAX_AGAINST = 3
SAME = 0.5
"""Share of an event's words that another must have to be about the same thing, and so to contradict it."""

MAX_OUT = 40
"""Links looked at that lead from the causes of a chain, for what contradicts it."""

MAX_TIMED = 200
"""Memories of a time asked for whose events are looked at."""

MAX_TELLERS = 100
"""Memories of one event that are tried for one that may be asked."""


REPAIRS = frozenset(query_terms("recover fix restore repair resolve revert rollback restart reboot mitigate patch"))
"""Words by which a question asks about what was done, not about what went wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A question as tracing needs it: its words' weights, its vector, the memories found for it.

    Words that are only about the circumstances of the event asked about weigh less than the others.
    ``engrams`` have scores 0 … 1; ``in_time`` are those told of a time that the question names; ``where``
    says which memories may be asked at all. ``records`` are the ``X_RECORDS`` links of the memories found.
    """

    text: str
    weights: Mapping[str, float]
    vector: Vector | None
    engrams: Mapping[str, float]
    in_time: frozenset[str] = frozenset()
    where: Where = ()
    records: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """The chain to the event asked about.

    ``cosine`` is the event's nearness to the question, ``opposed`` whether it says the opposite. ``others``
    are links into that event from causes that are not in the chain, surest first, ``against`` links that
    contradict the chain. ``cut`` says that the chain goes further back than was followed.
    """

    chain: Chain
    cosine: float | None
    opposed: bool
    others: tuple[Link, ...]
    cut: bool
    graph: CausalGraph
    against: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """An event that a question may be about, and how well it matches it: in words and meaning alone, and in all."""

    cause: Cause
    about: float
    match: float
    cosine: float | None
    opposed: bool
    in_time: bool


def trace(store: GraphStore, wanted: Wanted) -> Trace | None:
    """Return the chain that best explains what a question asks about.

    Candidates are events told in the memories found, or described in the question's words, or near to it
    in meaning. Each is matched against the question; those with causes, and those told of the time asked
    for, come first. If a comparable match lies further on in the best one's chain, that is the event meant,
    so that the chain ends at it. What was done about an event is none, unless that is asked about.
    """
    events = matched(store, wanted)
    if not events:
        return None
    starts = [event.cause.id for event in events]
    graph = Causes(store).around(starts, Direction.UPSTREAM, DEPTH, MAX_NODES, MAX_LINKS)
    graph = asked(store, _with_told_then(store, graph, events, wanted), wanted)
    tracer = Tracer(graph, TRUST, wanted.in_time)
    incoming: dict[str, list[Link]] = {}
    for link in graph.causes:
        incoming.setdefault(link.dst, []).append(link)
    traced: list[tuple[float, Matched, Chain]] = []
    most = 0.0
    for event in events:
        alone = coverage(wanted.weights, (event.cause.description,))
        if event.match + WORDS * AROUND * (1.0 - alone) + EXPLAINED * FULL < most:
            continue  # whatever led to it, another fits better
        chain = tracer.chain_to(event.cause.id)
        if chain is not None:
            evidence = [link.evidence or "" for link in incoming.get(chain.hops[-1].effect.id, ())[:MAX_EVIDENCE]]
            around = coverage(wanted.weights, (event.cause.description, *evidence))
            fit = event.match + WORDS * AROUND * (around - alone) + EXPLAINED * min(len(chain.hops), FULL)
            traced.append((fit, event, chain))
            most = max(most, fit if event.about < CLOSE else 0.0)
    if not traced:
        return None
    traced.sort(key=lambda each: (-each[0], each[1].cause.id))
    _, event, chain = traced[0]
    if event.opposed:
        # Somebody told the opposite as well: what is asked about goes first, if that was told.
        near = CLOSE * (event.about + OPPOSED)
        _, event, chain = next((each for each in traced if not each[1].opposed and each[1].about >= near), traced[0])
    least = CLOSE * event.about
    for _, other, longer in traced[1:]:
        passed = {end.id for hop in longer.hops for end in (hop.cause, hop.effect)} - {other.cause.id}
        if other.about >= least and event.cause.id in passed and other.in_time >= event.in_time:
            event, chain = other, longer
    cut = _goes_on(store, graph, chain)
    graph, against = contradicted(store, graph, chain, wanted)
    return Trace(
        chain=chain,
        cosine=event.cosine,
        opposed=event.opposed,
        others=tuple(link for link in _others(graph, incoming, chain, wanted) if link not in against),
        cut=cut,
        graph=graph,
        against=against,
    )


def _with_told_then(store: GraphStore, graph: CausalGraph, events: Sequence[Matched], wanted: Wanted) -> CausalGraph:
    """Return a graph with what was told in the time asked for to have led to some events.

    Of an event that has happened many times, with other causes each time, only some of the links are in the graph.
    """
    targets = {event.cause.id for event in events if event.in_time}
    if not targets or not graph.truncated:
        return graph
    causes = [id for id, tellers in Causes(store).recorded_by(_timed(wanted)).items() if id not in targets]
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


def _timed(wanted: Wanted) -> list[str]:
    """Return the memories of the time asked for that are looked at."""
    return sorted(wanted.in_time)[:MAX_TIMED]


def asked(store: GraphStore, graph: CausalGraph, wanted: Wanted) -> CausalGraph:
    """Return a graph without the links that only memories told which may not be asked."""
    kept = _told(store, graph.causes, wanted)
    return graph if len(kept) == len(graph.causes) else replace(graph, causes=kept)


def _told(store: GraphStore, links: Sequence[Link], wanted: Wanted) -> tuple[Link, ...]:
    """Return those of some links that callers stated, or that memories tell which may be asked."""
    sources = sorted({source for link in links for source in link.sources if source not in wanted.engrams})
    allowed = wanted.engrams.keys() | (store.passing(Kind.ENGRAM, sources, wanted.where) if sources else frozenset())
    return tuple(link for link in links if link.asserted or not allowed.isdisjoint(link.sources))


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
    out = _told(store, store.links(causes, [LinkKind.C_CAUSES], "out", MAX_OUT), wanted)
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


def _others(
    graph: CausalGraph, incoming: Mapping[str, Sequence[Link]], chain: Chain, wanted: Wanted
) -> tuple[Link, ...]:
    """Return links that give the event at the end of a chain another cause, told of the time asked for."""
    passed = {end.id for hop in chain.hops for end in (hop.cause, hop.effect)}
    known = passed | {end for link in graph.same for end in (link.src, link.dst) if {link.src, link.dst} & passed}
    best: dict[str, Link] = {}
    for link in incoming.get(chain.hops[-1].effect.id, ()):
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


def matched(store: GraphStore, wanted: Wanted) -> list[Matched]:
    """Return the events that a question may be about, the best match first."""
    cosines: dict[str, float] = {}
    if wanted.vector is not None:
        cosines = {hit.id: hit.score for hit in store.vector_search(Kind.CAUSE, wanted.vector, NEAREST)}
    words = tuple(wanted.weights)
    worded = [hit.id for hit in store.text_search(Kind.CAUSE, words, WORDED).hits] if words else []
    recorded = _recorders(store, list(dict.fromkeys((*cosines, *worded))), wanted)
    ids = list(dict.fromkeys((*recorded, *cosines, *worded)))
    if wanted.vector is not None and (unknown := tuple(id for id in ids if id not in cosines)):
        where = (Condition("id", Op.IN, unknown),)
        cosines |= {hit.id: hit.score for hit in store.vector_search(Kind.CAUSE, wanted.vector, len(unknown), where)}
    repair = is_remedial(wanted.text) or not REPAIRS.isdisjoint(words)
    events = []
    for id, record in store.get(Kind.CAUSE, ids).items():
        cause = cast(Cause, record)
        if cause.node_type == "remedy" and not repair:
            continue
        told_in = recorded.get(id, set())
        if not told_in and not cause.asserted:
            continue
        cosine = cosines.get(id)
        about = WORDS * coverage(wanted.weights, (cause.description,)) + MEANING * likeness(cosine or 0.0)
        match = about + TOLD * max((wanted.engrams.get(engram, 0.0) for engram in told_in), default=0.0)
        in_time = not wanted.in_time.isdisjoint(told_in)
        match += IN_TIME if in_time else 0.0
        event = Matched(cause=cause, about=about, match=match, cosine=cosine, opposed=False, in_time=in_time)
        events.append(event)
    best = sorted(events, key=_by_match)[: TARGETS + SPARE]
    return sorted((_weighed(event, wanted.text) for event in best), key=_by_match)[:TARGETS]


def _by_match(event: Matched) -> tuple[float, str]:
    return -event.match, event.cause.id


def _weighed(event: Matched, question: str) -> Matched:
    """Return an event, held to be less what is meant if it says the opposite of what is asked about."""
    told = event.cause.description
    if not (opposed(question, told) or (is_trouble(question) and is_for_the_better(told))):
        return event
    return replace(event, about=event.about - OPPOSED, match=event.match - OPPOSED, opposed=True)


def _recorders(store: GraphStore, ids: list[str], wanted: Wanted) -> dict[str, set[str]]:
    """Return memories that tell of some events, by event: those found, and some others that may be asked."""
    found: dict[str, set[str]] = {}
    for link in wanted.records:
        if link.dst_kind is Kind.CAUSE:
            found.setdefault(link.dst, set()).add(link.src)
    timed = [id for id in _timed(wanted) if id not in wanted.engrams]
    for id, tellers in Causes(store).recorded_by(timed).items():
        found.setdefault(id, set()).update(tellers)
    others = [id for id in ids if id not in found]
    each = 1 if len(wanted.where) < 2 else MAX_TELLERS
    edges = store.edges(others, [LinkKind.X_RECORDS], "in", each) if others else ()
    allowed = store.passing(Kind.ENGRAM, sorted({edge.src for edge in edges}), wanted.where) if edges else ()
    for edge in edges:
        if edge.src in allowed:
            found.setdefault(edge.dst, set()).add(edge.src)
    return found
