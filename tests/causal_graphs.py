# SPDX-License-Identifier: Apache-2.0
"""Causal graphs for tests, made by hand: their nodes are named by their ids."""

from __future__ import annotations

from datetime import UTC, datetime

from becausal.domain.ids import link_id
from becausal.domain.records import Cause, Kind, Link, LinkKind
from becausal.graphs.causes import CausalGraph

NOW = datetime(2026, 6, 10, tzinfo=UTC)


def node(id: str) -> Cause:
    return Cause(id=id, description=id, key=id, created_at=NOW)


def cause(src: str, dst: str, confidence: float = 0.9, source: str | None = None) -> Link:
    return Link(
        id=link_id("alice", LinkKind.C_CAUSES, src, dst, source or ""),
        kind=LinkKind.C_CAUSES,
        src=src,
        dst=dst,
        src_kind=Kind.CAUSE,
        dst_kind=Kind.CAUSE,
        confidence=confidence,
        evidence=source,
        sources=(source,) if source else (),
        asserted=source is None,
        created_at=NOW,
    )


def same(one: str, other: str, strength: float) -> Link:
    return Link(
        id=link_id("alice", LinkKind.SAME_AS, one, other),
        kind=LinkKind.SAME_AS,
        src=one,
        dst=other,
        src_kind=Kind.CAUSE,
        dst_kind=Kind.CAUSE,
        strength=strength,
        created_at=NOW,
    )


def graph(*causes: Link, twins: tuple[Link, ...] = ()) -> CausalGraph:
    ids = {end for link in (*causes, *twins) for end in (link.src, link.dst)}
    return CausalGraph(nodes={id: node(id) for id in ids}, causes=causes, same=twins, distance=dict.fromkeys(ids, 0))
