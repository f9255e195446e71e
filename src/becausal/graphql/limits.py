# SPDX-License-Identifier: Apache-2.0
"""How much one request may ask for, worked out from its text before anything is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    InlineFragmentNode,
    IntValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    VariableNode,
)

from ..errors import InvalidInput

MAX_TEXT = 100_000
"""Characters of a request."""

MAX_TOKENS = 5_000
"""Lexical tokens of a request."""

MAX_DEPTH = 10
MAX_SCHEMA_DEPTH = 20
"""Fields inside fields; where the schema itself is asked about, clients nest deeper."""

MAX_ALIASES = 30
MAX_COST = 20_000
"""Fields in the answer, as far as the request tells: a list counts as often as it may have items."""

MAX_ANSWER = 1_000_000
"""Bytes of an answer as JSON."""

DEFAULT_PAGE = 20
SIZES = ("first", "limit", "topK")
LISTS = {
    "slots": 100,
    "cues": 20,
    "sources": 10,
    "chain": 10,
    "direct": 5,
    "neighbors": 10,
    "results": 20,
}
"""What fields that take no size are counted as."""

UNCOUNTED = 10**12


@dataclass(frozen=True, slots=True)
class Measure:
    """The size of a selection: how deep it goes, how many aliases it has, how many fields it may bring."""

    depth: int = 0
    aliases: int = 0
    cost: int = 0

    def beside(self, other: Measure) -> Measure:
        return Measure(
            max(self.depth, other.depth),
            min(UNCOUNTED, self.aliases + other.aliases),
            min(UNCOUNTED, self.cost + other.cost),
        )


def check(document: DocumentNode, variables: Mapping[str, Any]) -> None:
    """Refuse a request that is too deep, has too many aliases, or asks for too much.

    Raises:
        InvalidInput: it names what is too much, how much that is, and what is allowed.
    """
    measuring = _Measuring(document, variables)
    for definition in document.definitions:
        if not isinstance(definition, OperationDefinitionNode):
            continue
        size = measuring.of(definition.selection_set)
        limit = MAX_SCHEMA_DEPTH if _asks_about_schema(definition) else MAX_DEPTH
        for name, value, most in (
            ("depth", size.depth, limit),
            ("aliases", size.aliases, MAX_ALIASES),
            ("complexity", size.cost, MAX_COST),
        ):
            if value > most:
                told = f"{value:,}" if value < UNCOUNTED else "far more"
                raise InvalidInput("operation", f"its {name} must be at most {most:,}, and is {told}")


def _asks_about_schema(operation: OperationDefinitionNode) -> bool:
    fields = operation.selection_set.selections
    return all(isinstance(field, FieldNode) and field.name.value.startswith("__") for field in fields)


class _Measuring:
    """Measures selections, each fragment once: what names fragments within fragments grows without bound otherwise."""

    def __init__(self, document: DocumentNode, variables: Mapping[str, Any]) -> None:
        self._variables = variables
        self._fragments = {
            each.name.value: each for each in document.definitions if isinstance(each, FragmentDefinitionNode)
        }
        self._known: dict[str, Measure] = {}
        self._open: set[str] = set()

    def of(self, selections: SelectionSetNode | None) -> Measure:
        total = Measure()
        for node in selections.selections if selections else ():
            match node:
                case FieldNode():
                    total = total.beside(self._field(node))
                case InlineFragmentNode():
                    total = total.beside(self.of(node.selection_set))
                case FragmentSpreadNode():
                    total = total.beside(self._fragment(node.name.value))
        return total

    def _field(self, node: FieldNode) -> Measure:
        inner = self.of(node.selection_set)
        times = self._times(node) if node.selection_set else 1
        return Measure(
            inner.depth + 1,
            min(UNCOUNTED, inner.aliases + (node.alias is not None)),
            min(UNCOUNTED, 1 + times * inner.cost),
        )

    def _fragment(self, name: str) -> Measure:
        if name not in self._known:
            fragment = self._fragments.get(name)
            if fragment is None or name in self._open:
                return Measure()  # the schema's own validation says what is wrong with it
            self._open.add(name)
            self._known[name] = self.of(fragment.selection_set)
            self._open.discard(name)
        return self._known[name]

    def _times(self, node: FieldNode) -> int:
        for argument in node.arguments or ():
            if argument.name.value in SIZES:
                value = argument.value
                size = None
                if isinstance(value, IntValueNode):
                    size = int(value.value) if len(value.value) < 12 else UNCOUNTED
                elif isinstance(value, VariableNode):
                    size = self._variables.get(value.name.value)
                # A size out of range is refused, by name, by the field itself.
                return max(1, min(size, 100)) if isinstance(size, int) else DEFAULT_PAGE
        return LISTS.get(node.name.value, DEFAULT_PAGE if node.name.value in _PAGED else 1)


_PAGED = frozenset(
    "engrams entities events facts causes links search recall neighbourhood findEntities clusters cluster "
    "clusterGraph timeline causality history changes backups".split()
)
