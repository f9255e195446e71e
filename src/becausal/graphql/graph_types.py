# SPDX-License-Identifier: Apache-2.0
"""The types of the schema that show parts of the graph: to be drawn, along a time line, and read out of a memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

import strawberry

from ..consolidate.communities import Cluster as Found
from ..domain import records
from ..domain.records import Kind, LinkKind
from ..engine import cursors, validate
from ..engine.asking.chronicle import Chronicle, Entry
from ..engine.asking.exploring import Causation
from ..engine.asking.surveying import Subgraph
from ..engine.upkeep.results import Topic
from .access import Access
from .types import Engram, Entity, Event, Fact, engram, record

LABEL = 400
"""Characters of a node's label."""

MAX_LINKS = 1_000


@strawberry.type(description="A record to be drawn; sort is what it is of its kind, distance is from the start.")
class GraphNode:
    id: strawberry.ID
    kind: str
    label: str
    sort: str
    distance: int


@strawberry.type(
    description="A link to be drawn; weight, 0 to 1, is its confidence or an association's strength. "
    "ended: until when a relation held that no longer does."
)
class GraphEdge:
    source_id: strawberry.ID
    target_id: strawberry.ID
    kind: str
    relation: str
    weight: float
    asserted: bool
    ended: datetime | None


@strawberry.type(description="Part of the graph. truncated: there was more than may be returned.")
class Graph:
    nodes: list[GraphNode]
    edges: list[GraphEdge]
    truncated: bool


@strawberry.type(description="A topic: memories that hang together, with the cues that tell it from others.")
class Cluster:
    id: int
    name: str
    size: int
    cues: list[str]


@strawberry.type(description="A topic with the most important of its memories.")
class ClusterDetail:
    cluster: Cluster
    memories: list[Engram]


@strawberry.type(
    description="An entry of a time line: an event, a fact (with ended: whether it was closed) or a memory."
)
class TimelineEntry:
    id: strawberry.ID
    kind: str
    text: str
    at: datetime
    until: datetime | None
    precision: str | None
    ended: bool


@strawberry.type(description="The latest entries in order of time; earlier is the cursor for those before them.")
class Timeline:
    entries: list[TimelineEntry]
    about: str | None
    earlier: str | None


@strawberry.type(description="Something that brought about something else, and how sure that is.")
class CausalLink:
    id: strawberry.ID
    cause: str
    cause_id: strawberry.ID
    effect: str
    effect_id: strawberry.ID
    confidence: float
    evidence: str | None
    asserted: bool


@strawberry.type(description="Two causes that mean the same, and how surely; neither is merged into the other.")
class SameAs:
    source_id: strawberry.ID
    target_id: strawberry.ID
    score: float


@strawberry.type(description="What led to some events and what came of them. told: memories it was read from.")
class Causality:
    starts: list[strawberry.ID]
    links: list[CausalLink]
    same: list[SameAs]
    told: list[Engram]
    truncated: bool


@strawberry.type(description="What was read out of a memory. more: there is more than that.")
class Reading:
    entities: list[Entity]
    events: list[Event]
    facts: list[Fact]
    causes: list[CausalLink]
    more: bool


# --- from what the engine answers with ---


def graph(told: Subgraph) -> Graph:
    return Graph(
        nodes=[
            GraphNode(
                id=strawberry.ID(node.id),
                kind=node.kind.value,
                label=node.label[:LABEL],
                sort=node.sort,
                distance=node.distance,
            )
            for node in told.nodes
        ],
        edges=[
            GraphEdge(
                source_id=strawberry.ID(tie.source),
                target_id=strawberry.ID(tie.target),
                kind=tie.kind.value,
                relation=tie.relation,
                weight=tie.weight,
                asserted=tie.asserted,
                ended=tie.ended,
            )
            for tie in told.ties
        ],
        truncated=told.truncated,
    )


def cluster(told: Found) -> Cluster:
    return Cluster(id=told.id, name=told.name, size=told.size, cues=list(told.cues))


def cluster_detail(told: Topic) -> ClusterDetail:
    return ClusterDetail(cluster=cluster(told.cluster), memories=[engram(each) for each in told.memories])


def timeline(told: Chronicle) -> Timeline:
    return Timeline(
        entries=[_entry(each) for each in told.entries],
        about=told.about.name if told.about else None,
        earlier=cursors.written(told.earlier) if told.earlier else None,
    )


def _entry(told: Entry) -> TimelineEntry:
    match told:
        case records.Event():
            return TimelineEntry(
                id=strawberry.ID(told.id),
                kind="event",
                text=told.description,
                at=told.occurred_at,
                until=told.occurred_end,
                precision=told.precision.value,
                ended=False,
            )
        case records.Fact():
            return TimelineEntry(
                id=strawberry.ID(told.id),
                kind="fact",
                text=f"{told.subject} {told.predicate} {told.object}",
                at=told.valid_from,
                until=told.valid_to,
                precision=None,
                ended=told.superseded_by is not None,
            )
        case records.Engram():
            return TimelineEntry(
                id=strawberry.ID(told.id),
                kind="engram",
                text=told.summary,
                at=told.at,
                until=told.occurred_end,
                precision=told.precision.value if told.precision else None,
                ended=False,
            )


def causal_links(links: Sequence[records.Link], nodes: dict[str, records.Cause]) -> list[CausalLink]:
    """Return links between causes, the most certain first."""
    return [
        CausalLink(
            id=strawberry.ID(link.id),
            cause=nodes[link.src].description,
            cause_id=strawberry.ID(link.src),
            effect=nodes[link.dst].description,
            effect_id=strawberry.ID(link.dst),
            confidence=link.confidence,
            evidence=link.evidence,
            asserted=link.asserted,
        )
        for link in sorted(links, key=lambda link: (-link.confidence, link.id))
        if link.src in nodes and link.dst in nodes
    ]


def causality(told: Causation, limit: int) -> Causality:
    """Return up to ``limit`` links, those nearest to the events first."""
    distance = told.graph.distance
    near = sorted(
        told.graph.causes,
        key=lambda link: (max(distance.get(link.src, 0), distance.get(link.dst, 0)), -link.confidence, link.id),
    )
    sources = {link.sources[0]: None for link in near[:limit] if link.sources}
    return Causality(
        starts=[strawberry.ID(each.id) for each in told.starts],
        links=causal_links(near[:limit], dict(told.graph.nodes)),
        same=[
            SameAs(source_id=strawberry.ID(link.src), target_id=strawberry.ID(link.dst), score=link.strength)
            for link in told.graph.same[: validate.MAX_LIMIT]
        ],
        told=[engram(told.told_in[id]) for id in sources if id in told.told_in],
        truncated=told.graph.truncated or len(near) > limit,
    )


def reading(access: Access, id: str, total: int) -> Reading:
    """Return what was read out of a memory, up to ``total`` (1 … 100) records of all kinds."""
    known, most = validate.identifier(id, "id"), validate.integer(total, "total", 1, validate.MAX_LIMIT)
    store = access.sessions.core.store
    links = store.links([known], [LinkKind.X_RECORDS], "out", limit=most + 1)
    ids: dict[Kind, list[str]] = defaultdict(list)
    for link in links[:most]:
        ids[link.dst_kind].append(link.dst)
    found = [each for kind, some in ids.items() for each in store.get(kind, some).values()]
    causes = {each.id: each for each in found if isinstance(each, records.Cause)}
    told = store.links(list(causes), [LinkKind.C_CAUSES], "out", limit=MAX_LINKS) if causes else ()
    return Reading(
        entities=[record(each) for each in found if isinstance(each, records.Entity)],
        events=[record(each) for each in found if isinstance(each, records.Event)],
        facts=[record(each) for each in found if isinstance(each, records.Fact)],
        causes=causal_links([each for each in told if known in each.sources], causes),
        more=len(links) > most,
    )
