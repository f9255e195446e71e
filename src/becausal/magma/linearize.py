# SPDX-License-Identifier: Apache-2.0
"""A merged subgraph as text, in the order that suits the question, within a token budget."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ..domain.records import LinkKind
from ..graphs.order import topological
from .intent import Intent
from .merge import Merged, MergedNode, ViewName

STRATEGIES: Mapping[Intent, str] = {
    Intent.WHY: "causal_chain",
    Intent.WHEN: "temporal",
    Intent.WHO: "entity_grouped",
    Intent.WHAT: "entity_grouped",
    Intent.EXPLORE: "score_ranked",
}

HEADERS: Mapping[Intent, str] = {
    Intent.WHY: "## Causes before effects\nWhat led to what, in logical order.",
    Intent.WHEN: "## Time line\nWhat happened, in order of time.",
    Intent.WHO: "## People and things\nThe best connected first.",
    Intent.WHAT: "## People and things\nThe best connected first.",
    Intent.EXPLORE: "## What is known\nThe most referenced first.",
}

TRUNCATED = "… cut here: the token budget is used up."
DATE_FIELDS = ("occurred_at", "valid_from", "created_at", "date", "timestamp")
HAPPENED_FIELDS = tuple(field for field in DATE_FIELDS if field != "created_at")
NAME_FIELDS = ("name", "description", "content")
TYPE_FIELDS = ("entity_type", "node_type", "type")
NAME = 300
DESCRIPTION = 200
CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Linearized:
    """``nodes`` is how many of the subgraph's nodes the text holds."""

    text: str
    nodes: int
    strategy: str
    tokens: int


def estimate_tokens(text: str) -> int:
    """Return the tokens a text has, at four characters each, rounded up."""
    return -(-len(text) // CHARS_PER_TOKEN)


def linearize(merged: Merged, intent: Intent, max_tokens: int) -> Linearized:
    """Return the text of a subgraph.

    WHY puts causes before their effects (topological order), WHEN goes by date, WHO and WHAT begin with the
    nodes that have most connections, EXPLORE with those that most views and edges refer to.
    """
    order = _ORDERS[intent](merged)
    lines = [HEADERS[intent]]
    used = estimate_tokens(lines[0] + "\n")
    room = max_tokens - estimate_tokens(TRUNCATED)  # what is left out must be said, and said within the budget
    for shown, node in enumerate(order):
        line = render(node, intent)
        cost = estimate_tokens(line + "\n")
        if used + cost > (max_tokens if shown + 1 == len(order) else room):
            lines.append(TRUNCATED)
            break
        lines.append(line)
        used += cost
    else:
        shown = len(order)
        counts = ", ".join(f"{name}: {count}" for name, count in merged.contributions.items())
        summary = f"---\n{counts}; {len(merged.nodes)} in all"
        if used + estimate_tokens(summary) <= max_tokens:
            lines.append(summary)
    text = "\n".join(lines)
    return Linearized(text=text, nodes=shown, strategy=STRATEGIES[intent], tokens=estimate_tokens(text))


def render(node: MergedNode, intent: Intent) -> str:
    """Return a node's line: name, type, and what the question makes interesting about it."""
    name = node_name(node)
    parts = [f"- **{_line(name[:NAME])}** ({_line(node_type(node)[:NAME])})"]
    if intent is Intent.WHY and isinstance(confidence := node.data.get("confidence"), int | float):
        parts.append(f"Confidence: {confidence:.2f}")
    if intent is Intent.WHEN and (date := _first(node.data, DATE_FIELDS)):
        parts.append(f"Date: {_line(date[:NAME])}")
    description = str(node.data.get("description") or "")
    if description and description != name:
        parts.append(_line(description[:DESCRIPTION]))
    parts.append(f"[Found in: {', '.join(node.views)}]")
    return " | ".join(parts)


def node_name(node: MergedNode) -> str:
    return _first(node.data, NAME_FIELDS) or node.id


def node_type(node: MergedNode) -> str:
    return _first(node.data, TYPE_FIELDS) or "Unknown"


def _first(data: Mapping[str, Any], fields: Sequence[str]) -> str:
    return next((str(data[field]) for field in fields if data.get(field)), "")


def _line(text: str) -> str:
    """Return stored text on one line, so that it cannot pass for one of ours."""
    return re.sub(r"\s+", " ", text).strip()


def _causal(merged: Merged) -> list[MergedNode]:
    """Causal nodes, causes before effects, then the rest by score.

    Nodes that mean the same stand together, so that a chain which goes through both stays in order.
    """
    nodes = {node.id: node for node in merged.nodes}
    causes = [edge for edge in merged.edges if edge.kind == LinkKind.C_CAUSES]
    same = {id: id for id in nodes}

    def told_first(id: str) -> str:
        while same[id] != id:
            same[id] = id = same[same[id]]
        return id

    for edge in merged.edges:
        if edge.kind == LinkKind.SAME_AS and edge.src in same and edge.dst in same:
            same[told_first(edge.dst)] = told_first(edge.src)
    linked = {end for edge in causes for end in (edge.src, edge.dst) if end in nodes}
    chained = {told_first(end) for end in linked}
    groups: dict[str, list[str]] = {}
    for id in nodes:
        if told_first(id) in chained:
            groups.setdefault(told_first(id), []).append(id)
    pairs = [(told_first(edge.src), told_first(edge.dst)) for edge in causes if {edge.src, edge.dst} <= linked]
    order = [nodes[id] for group in topological(list(groups), pairs) for id in groups[group]]
    rest = [node for node in merged.nodes if told_first(node.id) not in chained]
    rest.sort(key=lambda node: (ViewName.CAUSAL not in node.views, -node.score))
    return order + rest


def _chronological(merged: Merged) -> list[MergedNode]:
    """By when it happened or held, then what is only known to have been added, then the rest by score."""

    def key(node: MergedNode) -> tuple[int, float, float, str]:
        for rank, fields in enumerate((HAPPENED_FIELDS, DATE_FIELDS)):
            if moment := _moment(node.data, fields):
                return rank, moment.timestamp(), -node.score, node.id
        return len(DATE_FIELDS), 0.0, -node.score, node.id

    return sorted(merged.nodes, key=key)


def _moment(data: Mapping[str, Any], fields: Sequence[str]) -> datetime | None:
    for field in fields:
        value = data.get(field)
        if not value:
            continue
        try:
            moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value).replace("Z", "+00:00"))
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        except ValueError:
            continue
    return None


def _degree(merged: Merged) -> Counter[str]:
    degree: Counter[str] = Counter()
    for edge in merged.edges:
        degree[edge.src] += 1
        degree[edge.dst] += 1
    return degree


def _connected(merged: Merged) -> list[MergedNode]:
    """Entities first, the one with most edges ahead, then score."""
    degree = _degree(merged)
    return sorted(
        merged.nodes,
        key=lambda node: (ViewName.ENTITY not in node.views, -degree[node.id], -node.score, node.id),
    )


def _referenced(merged: Merged) -> list[MergedNode]:
    """By how many views hold a node and how many edges end at it, then score."""
    into: Counter[str] = Counter(edge.dst for edge in merged.edges)
    return sorted(merged.nodes, key=lambda node: (-(len(node.views) + into[node.id]), -node.score, node.id))


_ORDERS: Mapping[Intent, Callable[[Merged], list[MergedNode]]] = {
    Intent.WHY: _causal,
    Intent.WHEN: _chronological,
    Intent.WHO: _connected,
    Intent.WHAT: _connected,
    Intent.EXPLORE: _referenced,
}
