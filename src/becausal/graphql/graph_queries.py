# SPDX-License-Identifier: Apache-2.0
"""What can be asked about the graph around a record, along the time line, and of what happened to a memory."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry.types import Info

from ..domain.records import LinkKind
from ..engine import validate
from ..graphs.direction import Direction
from . import graph_types, types, upkeep_types
from .access import Access
from .bounds import Hops, Nodes, Question, Size, Steps
from .graph_types import Causality, ClusterDetail, Graph, Reading, Timeline
from .types import access
from .upkeep_types import Backups, Change, Happening

In = Info[Access, Any]


@strawberry.type
class GraphQueries:
    @strawberry.field(description="What lies around a record, by its id, or around an entity, by its name.")
    def neighbourhood(
        self, info: In, of: str, kinds: list[str] | None = None, depth: Steps = 1, limit: Nodes = 60
    ) -> Graph | None:
        chosen = [validate.choice(kind, "kinds", LinkKind) for kind in kinds or ()]
        return graph_types.graph(access(info).memory.explore.survey.around(of, chosen, depth, limit))

    @strawberry.field(description="Entities whose names hold some words.")
    def find_entities(self, info: In, words: Question, limit: Size = 20) -> list[types.Entity] | None:
        found = access(info).memory.explore.survey.entities(words, limit)
        entities: list[types.Entity] = [types.record(each) for each in found]
        return entities

    @strawberry.field(description="The largest clusters, as the last consolidation found them.")
    def clusters(self, info: In, limit: Size = 20) -> list[graph_types.Cluster] | None:
        return [graph_types.cluster(each) for each in access(info).memory.upkeep.clusters(limit)]

    @strawberry.field(description="A cluster with the most important of its memories.")
    def cluster(self, info: In, id: int, limit: Size = 20) -> ClusterDetail | None:
        return graph_types.cluster_detail(access(info).memory.upkeep.cluster(id, limit))

    @strawberry.field(description="The most important memories of a cluster, and how they are associated.")
    def cluster_graph(self, info: In, id: int, limit: Nodes = 60) -> Graph | None:
        return graph_types.graph(access(info).memory.explore.survey.cluster(id, limit))

    @strawberry.field(
        description="What happened and what held, about an entity or a text, between two times; the latest of it."
    )
    def timeline(
        self,
        info: In,
        about: str | None = None,
        since: str | None = None,
        until: str | None = None,
        limit: Size = 20,
        cursor: str | None = None,
    ) -> Timeline | None:
        told = access(info).memory.explore.timeline(about, since=since, until=until, limit=limit, cursor=cursor)
        return graph_types.timeline(told)

    @strawberry.field(description="What led to an event and what came of it: upstream, downstream or both.")
    def causality(
        self, info: In, of: str, direction: str = "both", depth: Hops = 3, limit: Size = 40
    ) -> Causality | None:
        way = validate.choice(direction, "direction", Direction)
        most = validate.limit(limit)
        told = access(info).memory.explore.causation(of, direction=way, depth=depth, most=most)
        return graph_types.causality(told, most)

    @strawberry.field(
        description="What was read out of a memory: who and what it names, and what it says of them; so many in all."
    )
    def reading(self, info: In, id: strawberry.ID, total: Size = 20) -> Reading | None:
        return graph_types.reading(access(info), id, total)

    @strawberry.field(description="What happened to a memory, the earliest first, forgotten ones included.")
    def history(self, info: In, id: strawberry.ID, limit: Size = 50) -> list[Happening] | None:
        told = access(info).memory.upkeep.history(id).happenings
        return [upkeep_types.happening(each) for each in told[-validate.limit(limit) :]]

    @strawberry.field(description="What can still be undone, the newest first.")
    def changes(self, info: In, limit: Size = 20) -> list[Change] | None:
        return [upkeep_types.change(each) for each in access(info).memory.changes(limit)]

    @strawberry.field(description="Copies of the memory, the newest first; null where no place for them is set.")
    def backups(self, info: In, limit: Size = 10) -> Backups | None:
        kept = access(info).memory.backups
        return None if kept is None else upkeep_types.backups(kept.status(), kept.versions(limit))
