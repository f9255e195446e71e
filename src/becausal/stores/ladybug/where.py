# SPDX-License-Identifier: Apache-2.0
"""Conditions as Cypher for LadybugDB, and which records they let through.

An id leads to its record through the index when it is unwound; ``IN`` compares every row with every value. A tuple
field is looked into as the JSON text that it is kept as.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Any

from ...domain.records import Kind
from ...ports.store import Op, Where
from ..conditions import Checked, check_where
from .connection import Connection
from .schema import quoted

_COMPARISONS: Mapping[Op, str] = {Op.EQ: "=", Op.LT: "<", Op.LE: "<=", Op.GT: ">", Op.GE: ">="}


@dataclass(frozen=True, slots=True)
class Match:
    """The beginning of a query that has found the records ``t``, as far as it goes, and its parameters."""

    text: str
    params: Mapping[str, Any]
    none: bool = False  # nothing can match


def match(kind: Kind, where: Where, among: Sequence[str] | None = None, without: frozenset[str] = frozenset()) -> Match:
    """Return ``MATCH … WHERE …`` for the records of a kind that match: all, or those ``among`` some ids.

    ``without`` are ids of records to leave out.

    Raises:
        InvalidInput: see ``check_where``.
    """
    params: dict[str, Any] = {}
    parts: list[str] = []
    for condition in check_where(kind, where):
        if condition.column.name == "id" and condition.op in (Op.IN, Op.EQ):
            ids = [str(value) for value in condition.values]
            among = ids if among is None else [id for id in among if id in set(ids)]
        else:
            parts.append(f" AND {_condition(condition, params)}")
    if without:
        parts.append(" AND NOT t.id IN $without")
        params["without"] = sorted(without)
    head = f"MATCH (t:{kind.value})"
    if among is not None:
        params["ids"] = list(dict.fromkeys(among))
        head = f"UNWIND $ids AS i MATCH (t:{kind.value} {{id: i}})"
    return Match(f"{head} WHERE true{''.join(parts)}", params, among is not None and not params["ids"])


def matching_ids(
    db: Connection, kind: Kind, where: Where, limit: int | None = None, among: Sequence[str] | None = None
) -> list[str]:
    """Return ids of records that match: up to ``limit`` of all, or those ``among`` some.

    For passages the conditions are about the engram they belong to.
    """
    up_to = "" if limit is None else f" LIMIT {limit}"
    if kind is not Kind.PASSAGE:
        found = match(kind, where, among)
        return [] if found.none else [id for (id,) in db.run(f"{found.text} RETURN t.id{up_to}", **found.params)]
    if among is None:
        engrams = set(matching_ids(db, Kind.ENGRAM, where))
        passages = db.run("MATCH (t:passage) RETURN t.id, t.engram_id")
    else:
        start = match(Kind.PASSAGE, (), among)
        passages = [] if start.none else db.run(f"{start.text} RETURN t.id, t.engram_id", **start.params)
        engrams = set(matching_ids(db, Kind.ENGRAM, where, among=[engram for _, engram in passages]))
    return [id for id, engram in passages if engram in engrams][:limit]


def _condition(condition: Checked, params: dict[str, Any]) -> str:
    def param(value: Any) -> str:
        params[name := f"w{len(params)}"] = value
        return f"${name}"

    name = f"t.{quoted(condition.column.name)}"
    values = condition.values
    match condition.op:
        case Op.NULL:
            return f"{name} IS {'' if values[0] else 'NOT '}NULL"
        case Op.IN | Op.HAS if not values:
            return "false"
        case Op.IN:
            return f"{name} IN {param(list(values))}"
        case Op.HAS:
            # In a list as text, an item begins after a comma or the bracket, and a quotation mark that no
            # backslash stands before is an item's first or last character.
            items = [encode_basestring(str(value)) for value in values]
            tests = [
                f"contains({name}, {param(f',{item}')}) OR starts_with({name}, {param(f'[{item}')})" for item in items
            ]
            return f"({' OR '.join(tests)})"
        case Op.NE:
            return f"({name} IS NULL OR {name} <> {param(values[0])})"
        case _:
            return f"{name} {_COMPARISONS[condition.op]} {param(values[0])}"
