# SPDX-License-Identifier: Apache-2.0
"""``graphql``: requests on the memory itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...errors import InvalidInput
from ...session.sessions import sessions_of
from .. import params
from ..app import Answer, Lane, Tool, one_line
from ..params import Param

if TYPE_CHECKING:
    from ...engine.memory import Memory

Given = Mapping[str, Any]

MEMORY = "memory"


def _graphql(memory: Memory, given: Given) -> Answer:
    from ...graphql.schema import is_mutation, run  # half a second that a client who never asks must not wait

    operation = given.get("operation")
    if operation is None:
        raise InvalidInput("operation", "is required: a GraphQL query or mutation")
    changes = is_mutation(operation)
    if given.get("use_mutation") and not changes:
        raise InvalidInput("use_mutation", "the operation is no mutation")
    cache_key = given.get("cache_key")
    if cache_key is not None and changes:
        raise InvalidInput("cache_key", "must be left out for a mutation, which would not be made the next time")
    silo = sessions_of(memory).silos.of(given["session_id"])
    if cache_key is not None:
        hit, kept, _ = silo.peek(cache_key)
        if hit:
            try:
                return _answered({"cached": True, "data": json.loads(kept or "")})
            except ValueError:
                raise InvalidInput("cache_key", "the value under this key is not the data of a request") from None
    ran = run(memory, operation, given.get("variables"))
    if ran.errors:
        document = {"error": "; ".join(each["message"] for each in ran.errors), "errors": list(ran.errors)}
        return _answered(document | ({"data": ran.data} if ran.data is not None else {}))
    if cache_key is not None:
        silo.set(cache_key, one_line(ran.data))
    return _answered({"cached": False, "data": ran.data})


def _answered(document: Mapping[str, Any]) -> Answer:
    return Answer(text=one_line(document), structured=document)


def _endpoint() -> Param:
    def read(value: object) -> str:
        if value != MEMORY:
            raise InvalidInput("endpoint", "must be memory, or left out: requests are never sent elsewhere")
        return MEMORY

    return Param(name="endpoint", schema={"type": "string", "enum": [MEMORY]}, read=read)


def _headers() -> Param:
    def read(value: object) -> None:
        if value != {}:
            raise InvalidInput("headers", "must be empty: requests are never sent elsewhere")

    return Param(name="headers", schema={"type": "object"}, read=read)


GRAPHQL = Tool(
    name="graphql",
    title="GraphQL",
    description=(
        "A GraphQL request on the memory: engrams, cues, entities, events, facts, causes, links, search, recall, ask, "
        "slots, status; store, upsertNode, relate, set, flush, promote, forget. Ask __schema for more."
    ),
    params=(
        params.words("session_id"),
        params.words("operation", "A query or mutation", longest=100_000),
        params.metadata("variables"),
        params.text("cache_key", "Key under which the data is kept, and taken from the next time"),
        _endpoint(),
        _headers(),
        params.flag("use_mutation", "True: refuse anything but a mutation"),
    ),
    run=_graphql,
    lane=lambda given: Lane.RECALL,
    output={"type": "object"},
    failure="graphql failed: ",
)
