# SPDX-License-Identifier: Apache-2.0
"""Views and merged subgraphs as clients send them: nodes and edges, or an expand tool's answer as it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...domain.records import LinkKind
from ...engine import validate
from ...errors import InvalidInput
from ...magma.merge import Merged, MergedNode, View, ViewEdge, ViewName, ViewNode

MAX_VIEWS = 16
MAX_ITEMS = 5_000
"""Nodes, or edges, of one view."""

Json = Mapping[str, Any]


def read_views(value: object) -> tuple[View, ...]:
    """Return the views of ``subgraph_merge``.

    Raises:
        InvalidInput: naming the place, such as ``views.0.nodes.2.uuid``.
    """
    items = _list(value, "views", MAX_VIEWS)
    if not items:
        raise InvalidInput("views", "must hold at least one view")
    return tuple(_view(item, f"views.{at}") for at, item in enumerate(items))


def read_subgraph(value: object) -> Merged:
    """Return the subgraph of ``linearize_context``: what ``subgraph_merge`` answered, or its ``merged`` part.

    Raises:
        InvalidInput: naming the place.
    """
    given = _object(value, "subgraph")
    if "nodes" not in given and "merged" in given:
        given = _object(given["merged"], "subgraph.merged")
    path = "subgraph.nodes"
    nodes = []
    for at, item in enumerate(_list(given.get("nodes"), path, MAX_ITEMS)):
        node = _object(item, f"{path}.{at}")
        views = [
            validate.choice(name, f"{path}.{at}.views", ViewName)
            for name in _list(node.get("views", []), f"{path}.{at}.views", len(ViewName))
        ]
        nodes.append(
            MergedNode(
                id=_id(node, f"{path}.{at}"),
                data=_object(node.get("data") or {}, f"{path}.{at}.data"),
                views=tuple(name for name in ViewName if name in views),
                score=_score(node.get("finalScore", node.get("score")), f"{path}.{at}.finalScore"),
            )
        )
    edges = _edges(given.get("edges"), "subgraph.edges")
    counted = given.get("viewContributions")
    counts = counted if isinstance(counted, Mapping) else {}
    contributions = {
        name: validate.integer(counts.get(name.value, 0), "subgraph.viewContributions", 0, 10**9) for name in ViewName
    }
    if not counts:
        contributions = {name: sum(name in node.views for node in nodes) for name in ViewName}
    return Merged(nodes=tuple(nodes), edges=edges, contributions=contributions)


def _view(value: object, path: str) -> View:
    given = _object(value, path)
    name = validate.choice(given.get("source"), f"{path}.source", ViewName)
    if "nodes" in given:
        nodes = tuple(
            _node(item, f"{path}.nodes.{at}")
            for at, item in enumerate(_list(given["nodes"], f"{path}.nodes", MAX_ITEMS))
        )
        return View(name=name, nodes=nodes, edges=_edges(given.get("edges"), f"{path}.edges"))
    answer = _object(given.get("result", given), f"{path}.result")
    for field, read in ANSWERS.items():
        if field in answer:
            try:
                found, edges = read(answer)
            except (KeyError, TypeError, ValueError, AttributeError):
                raise InvalidInput(f"{path}.{field}", "is not the answer of an expand tool") from None
            return View(name=name, nodes=tuple(found), edges=tuple(edges))
    raise InvalidInput(f"{path}.nodes", "is required, unless the view holds an expand tool's answer")


def _node(value: object, path: str) -> ViewNode:
    node = _object(value, path)
    return ViewNode(
        id=_id(node, path),
        data=_object(node.get("data") or {}, f"{path}.data"),
        score=_score(node.get("score"), f"{path}.score"),
    )


def _edges(value: object, path: str) -> tuple[ViewEdge, ...]:
    edges = []
    for at, item in enumerate(_list([] if value is None else value, path, MAX_ITEMS)):
        edge = _object(item, f"{path}.{at}")
        edges.append(
            ViewEdge(
                src=_text(edge.get("source"), f"{path}.{at}.source"),
                dst=_text(edge.get("target"), f"{path}.{at}.target"),
                kind=_text(edge.get("type", "RELATED"), f"{path}.{at}.type"),
                relation=str(edge.get("relationshipType", "")),
                confidence=_score(edge.get("confidence"), f"{path}.{at}.confidence"),
            )
        )
    return tuple(edges)


# --- the expand tools' answers as views ---

Part = tuple[Sequence[ViewNode], Sequence[ViewEdge]]


def _concepts(answer: Json) -> Part:
    nodes = []
    best: dict[str, float] = {}
    for match in answer["matches"]:
        concept = match.get("concept") or {"uuid": match["conceptUuid"], "name": match["conceptName"]}
        data = {"name": concept["name"], "description": concept.get("description"), "type": "concept"}
        nodes.append(ViewNode(id=str(concept["uuid"]), data=data, score=float(match["score"])))
        for id in match.get("linkedMemoryIds", ()):
            best[id] = max(best.get(id, 0.0), float(match["score"]))
    nodes += [
        ViewNode(id=str(memory["uuid"]), data=dict(memory), score=best.get(memory["uuid"], 1.0))
        for memory in answer.get("memories", ())
    ]
    return nodes, []


def _entities(answer: Json) -> Part:
    data: dict[str, dict[str, Any]] = {}
    distance: dict[str, int] = {}
    edges = []
    for seed in answer["entities"]:
        data[seed["entity"]["uuid"]] = dict(seed["entity"])
        distance[seed["entity"]["uuid"]] = 0
    for other in answer.get("related", ()):
        data.setdefault(other["uuid"], dict(other))
        distance.setdefault(other["uuid"], int(other["distance"]))
    for seed in answer["entities"]:
        for relation in seed["relationships"]:
            source, target = relation["source"], relation["target"]
            for end in (source, target):
                data[end["uuid"]] = data.get(end["uuid"], {}) | dict(end)
                distance.setdefault(end["uuid"], 1)
            edges.append(
                ViewEdge(
                    src=source["uuid"],
                    dst=target["uuid"],
                    kind=LinkKind.E_RELATES.value,
                    relation=str(relation["relationshipType"]),
                )
            )
    return [ViewNode(id=id, data=data[id], score=1 / (distance[id] + 1)) for id in data], edges


def _time_line(answer: Json) -> Part:
    nodes = []
    for event in answer["events"]:
        data = {"type": "event"} | dict(event)
        nodes.append(ViewNode(id=str(event["uuid"]), data=data, score=1 / (int(event.get("distance", 0)) + 1)))
    for fact in answer.get("facts", ()):
        text = f"{fact['subject']} {fact['predicate']} {fact['object']}"
        nodes.append(ViewNode(id=str(fact["uuid"]), data={"description": text, "type": "fact"} | dict(fact)))
    return nodes, []


def _causes(answer: Json) -> Part:
    data: dict[str, dict[str, Any]] = {}
    surest: dict[str, float] = {}
    edges = []
    for link in answer["links"]:
        confidence = float(link["confidence"])
        for side, id in (("cause", link["causeId"]), ("effect", link["effectId"])):
            data.setdefault(id, {"description": link[side], "node_type": side})
            surest[id] = max(surest.get(id, 0.0), confidence)
        kind = LinkKind.C_CAUSES.value
        edges.append(ViewEdge(src=link["causeId"], dst=link["effectId"], kind=kind, confidence=confidence))
    for same in answer.get("same", ()):
        kind = LinkKind.SAME_AS.value
        edges.append(ViewEdge(src=same["oneId"], dst=same["otherId"], kind=kind, confidence=float(same["score"])))
    nodes = [ViewNode(id=id, data=data[id] | {"confidence": surest[id]}, score=surest[id]) for id in data]
    return nodes, edges


ANSWERS: Mapping[str, Callable[[Json], Part]] = {
    "matches": _concepts,
    "entities": _entities,
    "events": _time_line,
    "links": _causes,
}
"""By the field that tells which tool answered."""


# --- reading ---


def _object(value: object, path: str) -> Json:
    if not isinstance(value, Mapping):
        raise InvalidInput(path, f"must be an object, not {type(value).__name__}")
    return value


def _list(value: object, path: str, most: int) -> Sequence[Any]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise InvalidInput(path, "must be a list")
    if len(value) > most:
        raise InvalidInput(path, f"must hold at most {most:,} items, got {len(value):,}")
    return value


def _id(node: Json, path: str) -> str:
    return _text(node.get("uuid", node.get("id")), f"{path}.uuid")


def _text(value: object, path: str) -> str:
    if value is None:
        raise InvalidInput(path, "is required")
    return validate.text(value, path, longest=validate.MAX_NAME)


def _score(value: object, path: str) -> float:
    """A score or confidence; 1 where none is given."""
    if value is None:
        return 1.0
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InvalidInput(path, "must be a number")
    return float(value)
