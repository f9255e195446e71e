# SPDX-License-Identifier: Apache-2.0
"""``graphql``: requests on the memory itself."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...engine import validate
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
    from ...graphql.schema import Ran, kinds, run  # half a second that a client who never asks must not wait

    operation = given.get("operation")
    if operation is None:
        raise InvalidInput("operation", "is required: a GraphQL query or mutation")
    asked = {kind.value for kind in kinds(operation)}  # nothing where it cannot be read, which ``run`` tells
    if given.get("use_mutation") and asked and "mutation" not in asked:
        raise InvalidInput("use_mutation", "the operation is no mutation")
    cache_key = given.get("cache_key")
    if cache_key is not None and "mutation" in asked:
        raise InvalidInput("cache_key", "must be left out for a mutation, which would not be made the next time")
    silo = sessions_of(memory).silos.of(given["session_id"])
    if cache_key is not None:
        hit, kept, _ = silo.peek(cache_key)
        if hit:
            try:
                return _answered({"cached": True, "data": json.loads(kept or "")})
            except ValueError:
                raise InvalidInput("cache_key", "the value under this key is not the data of a request") from None
    try:
        ran = run(memory, operation, given.get("variables"))
    except InvalidInput as error:
        if error.field != "operation":
            raise
        ran = Ran(data=None, errors=({"message": str(error)},))
    if ran.errors:
        document = {"error": "; ".join(map(_problem, ran.errors)), "errors": list(ran.errors)}
        return _answered(document | ({"data": ran.data} if ran.data is not None else {}))
    if cache_key is not None:
        silo.set(cache_key, one_line(ran.data))
    return _answered({"cached": False, "data": ran.data})


def _problem(error: Mapping[str, Any]) -> str:
    """Return what an error says, with the field of the request that it is about."""
    path = error.get("path")
    return f"{path[0]}: {error['message']}" if path else str(error["message"])


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
        "slots, status; store, upsertNode, relate, set, flush, promote, forget. Ask __schema for more. Whatever is "
        "wrong with the request is told as error; data holds what was answered or stands all the same."
    ),
    params=(
        params.words("session_id"),
        params.words("operation", "A query or mutation", longest=validate.MAX_CONTENT),
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
