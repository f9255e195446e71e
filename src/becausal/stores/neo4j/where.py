# SPDX-License-Identifier: Apache-2.0
"""Which of a user's records match, as the beginning of a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...domain.records import Kind
from ...ports.store import Op, Order, Where
from ..conditions import check_where
from ..graphdb.where import Param, Range, compile_where, property_name
from . import names


@dataclass(frozen=True, slots=True)
class Matched:
    """``MATCH … WHERE …`` for the node ``t``, and the parameters."""

    text: str
    params: dict[str, Param]


def conditions(kind: Kind, where: Where) -> Matched:
    """Return conditions on ``t`` as `` AND …``; what has an indexed digest is looked for by it first.

    Raises:
        InvalidInput: a field does not exist or cannot be compared with the value.
    """
    compiled = compile_where(kind, where)
    text, params = compiled.text, dict(compiled.params)
    for number, condition in enumerate(check_where(kind, where)):
        if condition.op in (Op.EQ, Op.IN) and condition.values and condition.column.name in names.HASHED.get(kind, ()):
            name = property_name(names.hashed_name(condition.column.name))
            params[f"h{number}"] = [names.hashed(value) for value in condition.values]
            text += f" AND t.{name} IN $h{number}"
        if kind is Kind.ENGRAM and condition.column.name == "indexed_at" and condition.op is Op.NULL:
            text += " AND t.waiting = true" if condition.values[0] else ""
    return Matched(text, params)


def hint_at_waiting(kind: Kind, where: Where) -> str:
    """Return a hint at the index of what waits to be indexed, if that is asked for."""
    if any(each.op is Op.HAS for each in where):
        return ""
    if any(each.field == "indexed_at" and each.op is Op.NULL and each.value is True for each in where):
        return f" USING INDEX t:{names.label(kind)}(mark, waiting, id)"
    return ""


def by_index(kind: Kind, where: Where, order: Order, part: Range) -> tuple[str, str]:
    """Return a hint at the index that a page is read off, if there is one, and the ``ORDER BY`` that it fits.

    The server takes an index for ordered only if the order names all that is in it, what is the same for all too.
    """
    if any(condition.op is Op.HAS for condition in where):
        return "", part.order_by  # beside a condition on the items of a list the server takes no hint
    way = " DESC" if order.descending else ""
    equal = {condition.field for condition in where if condition.op is Op.EQ}
    narrowed = {condition.field for condition in where if condition.op in (Op.EQ, Op.IN)}
    if pending := hint_at_waiting(kind, where):
        return pending, part.order_by
    first = f"t.mark{way}"
    if kind is Kind.ENGRAM and "source" in equal and order.field == "created_at":
        first += f", t.{names.hashed_name('source')}{way}"
    hint = ""
    held = " IS NULL" not in part.where.text  # what is null is in no index
    if held and order.field in names.ORDERED.get(kind, ()) and not narrowed & {"id", *names.HASHED.get(kind, ())}:
        hint = f" USING INDEX t:{names.label(kind)}(mark, {order.field}, id)"
    return hint, part.order_by.replace("ORDER BY ", f"ORDER BY {first}, ", 1)


def matching(kind: Kind, where: Where, mark: str) -> Matched:
    """Return what finds the records ``t`` of a user; for passages, the conditions are about their engram ``e``."""
    if kind is not Kind.PASSAGE or not where:
        found = conditions(kind, where)
        return Matched(
            f"MATCH (t:{names.label(kind)}) WHERE t.mark = $mark{found.text}", {**found.params, "mark": mark}
        )
    found = conditions(Kind.ENGRAM, where)
    return Matched(
        f"MATCH (t:{names.label(Kind.ENGRAM)}) WHERE t.mark = $mark{found.text} WITH t AS e "
        f"MATCH (t:{names.label(kind)} {{mark: $mark, engram_id: e.id}})",
        {**found.params, "mark": mark},
    )


def among(kind: Kind, where: Where, mark: str, ids: Sequence[str]) -> Matched:
    """Return what finds those records ``t`` of a user that have one of some ids and match; see ``matching``."""
    match = f"MATCH (t:{names.label(kind)}) WHERE t.mark = $mark AND t.id IN $ids"
    params: dict[str, Param] = {"mark": mark, "ids": list(ids)}
    return passing(kind, where, match, params)


def passing(kind: Kind, where: Where, match: str, params: dict[str, Param]) -> Matched:
    """Add conditions to what leads to records ``t``, with a ``WHERE`` that is open at its end."""
    if not where:
        return Matched(match, params)
    if kind is not Kind.PASSAGE:
        found = conditions(kind, where)
        return Matched(match + found.text, {**params, **found.params})
    found = conditions(Kind.ENGRAM, where)
    return Matched(
        f"{match} WITH t AS p MATCH (t:{names.label(Kind.ENGRAM)} {{mark: $mark, id: p.engram_id}}) "
        f"WHERE true{found.text} WITH p AS t",
        {**params, **found.params},
    )
