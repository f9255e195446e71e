# SPDX-License-Identifier: Apache-2.0
"""Arguments of the schema with the bounds that their values have, told where clients read them."""

from __future__ import annotations

from typing import Annotated

from strawberry import argument
from strawberry.scalars import JSON
from strawberry.types.arguments import StrawberryArgumentAnnotation

from ..engine import validate
from ..engine.asking.exploring import MAX_DEPTH as MAX_HOPS
from ..engine.asking.surveying import MAX_NODES, MAX_STEPS
from ..session.graph.edges import MAX_WEIGHT
from ..session.graph.walking import MAX_DEPTH, MAX_TOP

MAX_LENGTH = 100_000
"""Characters of a text that one field returns."""


def _range(low: int, high: float) -> StrawberryArgumentAnnotation:
    return argument(description=f"From {low} to {high:,.0f}.")


_SHARE = argument(description="From 0 to 1.")
_TEXT = argument(description=f"At most {validate.MAX_CONTENT:,} bytes.")
_QUESTION = argument(description=f"At most {validate.MAX_QUERY:,} characters.")
_NAME = argument(description=f"At most {validate.MAX_NAME:,} characters.")
_TAGS = argument(description=f"At most {validate.MAX_TAGS:,}, of at most {validate.MAX_NAME:,} characters each.")
_METADATA = argument(description=f"An object of at most {validate.MAX_METADATA:,} bytes as JSON.")

Size = Annotated[int, _range(1, validate.MAX_LIMIT)]
Nodes = Annotated[int, _range(1, MAX_NODES)]
Steps = Annotated[int, _range(1, MAX_STEPS)]
Hops = Annotated[int, _range(1, MAX_HOPS)]
GraphDepth = Annotated[int, _range(0, MAX_DEPTH)]
Top = Annotated[int, _range(1, MAX_TOP)]
Length = Annotated[int, _range(1, MAX_LENGTH)]
Importance = Annotated[float, _SHARE]
Text = Annotated[str, _TEXT]
Question = Annotated[str, _QUESTION]
Name = Annotated[str, _NAME]

SomeWeight = Annotated[float | None, _range(0, MAX_WEIGHT)]
SomeImportance = Annotated[float | None, _SHARE]
SomeText = Annotated[str | None, _TEXT]
SomeName = Annotated[str | None, _NAME]
SomeTags = Annotated[list[str] | None, _TAGS]
SomeMetadata = Annotated[JSON | None, _METADATA]
