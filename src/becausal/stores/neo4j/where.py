# SPDX-License-Identifier: Apache-2.0
"""Which of a user's records match, as the beginning of a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...domain.records import Kind
from ...ports.store import Op, Where
from ..conditions import check_where
from ..graphdb.where import Param, compile_where, property_name
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
    return Matched(text, params)


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
