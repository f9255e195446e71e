# SPDX-License-Identifier: Apache-2.0
"""The schema, and the one way to run a request on it.

``docs/schema.graphql`` is printed from it::

    python -m becausal.graphql.schema > docs/schema.graphql
"""

from __future__ import annotations

import json
import logging
import secrets
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import strawberry
from graphql import DocumentNode, GraphQLError, OperationDefinitionNode, OperationType, parse
from strawberry.schema.config import StrawberryConfig
from strawberry.types import ExecutionContext

from ..errors import BecausalError, InvalidInput
from . import limits
from .access import Access
from .mutations import Mutation
from .queries import Query
from .types import Cause, Cue, Engram, Entity, Event, Fact

if TYPE_CHECKING:
    from ..engine.memory import Memory

log = logging.getLogger(__name__)


class _Schema(strawberry.Schema):
    def process_errors(self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        """Leave telling errors to ``run``: the library would log them, with what was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What came of a request: its data, and what went wrong. Fields that failed are null in the data."""

    data: Mapping[str, Any] | None
    errors: Sequence[Mapping[str, Any]] = field(default_factory=tuple)


@cache
def schema() -> strawberry.Schema:
    """Return the schema. It is made at the first call, and takes a moment."""
    return _Schema(
        query=Query,
        mutation=Mutation,
        types=[Engram, Cue, Entity, Event, Fact, Cause],
        config=StrawberryConfig(auto_camel_case=True),
    )


def run(
    memory: Memory,
    operation: str,
    variables: Mapping[str, Any] | None = None,
    operation_name: str | None = None,
) -> Ran:
    """Run a request on a memory. Nothing outside of it is read, written or called.

    Raises:
        InvalidInput: the request is too large or asks for more than one may, or so does its answer.
    """
    told = dict(variables or {})
    if len(operation) > limits.MAX_TEXT:
        raise InvalidInput("operation", f"must be at most {limits.MAX_TEXT:,} characters, got {len(operation):,}")
    try:
        document = parse(operation, max_tokens=limits.MAX_TOKENS)
        limits.check(document, told)
    except GraphQLError as error:
        return Ran(data=None, errors=(_told(error),))
    operations = _operations(document)
    if not operations:
        raise InvalidInput("operation", "must hold a query or a mutation")
    if operation_name is None and len(operations) > 1:
        # The library would run the first, and the specification has it refused.
        raise InvalidInput("operation", "must hold a single operation, where none is named")
    chosen = [each for each in operations if operation_name in (None, each.name.value if each.name else None)]
    if not chosen:
        raise InvalidInput("operationName", "must be the name of an operation of the request")
    result = schema().execute_sync(
        operation, variable_values=told, context_value=Access(memory), operation_name=operation_name
    )
    errors = tuple(_told(error) for error in result.errors or ())
    size = len(json.dumps(result.data, ensure_ascii=False, default=str).encode())
    if size > limits.MAX_ANSWER:
        problem = f"its answer must be at most {limits.MAX_ANSWER:,} bytes, and is {size:,}: ask for less"
        if chosen[0].operation is not OperationType.MUTATION:
            raise InvalidInput("operation", problem)
        return Ran(data=None, errors=({"message": f"operation: {problem}. What it changed stands"}, *errors))
    return Ran(data=result.data, errors=errors)


def is_mutation(operation: str) -> bool:
    """Whether a request changes something. One that cannot be read does not."""
    return OperationType.MUTATION in kinds(operation)


def kinds(operation: str) -> frozenset[OperationType]:
    """Return what kinds of operations a request holds; none if it cannot be read."""
    try:
        document = parse(operation, max_tokens=limits.MAX_TOKENS)
    except GraphQLError:
        return frozenset()
    return frozenset(each.operation for each in _operations(document))


def _operations(document: DocumentNode) -> list[OperationDefinitionNode]:
    return [each for each in document.definitions if isinstance(each, OperationDefinitionNode)]


def _told(error: GraphQLError) -> dict[str, Any]:
    """Return an error as it may be shown; one that nobody foresaw is logged under a reference."""
    message = error.message
    original = error.original_error
    if original is not None and not isinstance(original, BecausalError | GraphQLError):
        reference = secrets.token_hex(4)
        log.error("internal error %s in a GraphQL request", reference, exc_info=original)
        message = f"internal error (ref {reference}); the server's log has the details"
    told: dict[str, Any] = {"message": message}
    if error.locations:
        told["locations"] = [{"line": place.line, "column": place.column} for place in error.locations]
    if error.path:
        told["path"] = list(error.path)
    return told


def to_text() -> str:
    """Return ``docs/schema.graphql``."""
    head = "# Printed by `python -m becausal.graphql.schema`; change src/becausal/graphql/ instead.\n\n"
    return f"{head}{schema().as_str()}\n"


if __name__ == "__main__":
    sys.stdout.write(to_text())
