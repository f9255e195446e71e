# SPDX-License-Identifier: Apache-2.0
"""How far a user's memory has come: its counts and the state of its vectors, read once in a snapshot."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ...domain.records import Kind, LinkKind
from ...ports.batch import Space
from ..matrix import State
from ..packing import DIMENSION_KEY
from . import names
from .connection import Connection

ROOT = f"MATCH (r:{names.ROOT} {{mark: $mark}}) OPTIONAL MATCH (m:{names.META} {{pk: $dimension_key}}) "
"""The beginning of a query that reads ``COLUMNS``."""

COLUMNS = "r.counts, r.epoch, r.seq, m.value"
_KEY = "standing"


@dataclass(frozen=True, slots=True)
class Standing:
    """``dimension`` is the length of the model's vectors, where the memory has noted it."""

    counts: Mapping[str, int]
    epoch: int = 0
    seq: int = 0
    dimension: int | None = None

    @classmethod
    def of(cls, row: Sequence[Any]) -> Standing:
        """Return what a row of ``COLUMNS`` says."""
        counts, epoch, seq, dimension = row
        return cls(json.loads(counts or "{}"), epoch, seq, int(dimension) if dimension else None)


def params(mark: str) -> dict[str, str]:
    """Return the parameters of ``ROOT``."""
    return {"mark": mark, "dimension_key": names.key(mark, "meta", DIMENSION_KEY)}


def read_standing(connection: Connection, mark: str) -> Standing:
    """Return how far a user's memory has come."""
    if (known := known_standing(connection)) is not None:
        return known
    rows = connection.read(f"{ROOT}RETURN {COLUMNS}", **params(mark))
    found = Standing.of(rows[0]) if rows else Standing({})
    keep_standing(connection, found)
    return found


def known_standing(connection: Connection) -> Standing | None:
    """Return what was read of it in this thread's snapshot, if it has one and anything was."""
    return cast("Standing | None", (connection.remembered() or {}).get(_KEY))


def known_to_be_there(connection: Connection, kinds: Sequence[LinkKind]) -> Sequence[LinkKind]:
    """Return those of some kinds of link of which this thread's snapshot does not know that there are none."""
    if (known := known_standing(connection)) is None:
        return kinds
    return [kind for kind in kinds if known.counts.get(f"link:{kind.value}")]


def keep_standing(connection: Connection, standing: Standing) -> None:
    """Remember it for the rest of this thread's snapshot, if it has one."""
    if (remembered := connection.remembered()) is not None:
        remembered[_KEY] = standing


def read_state(connection: Connection, mark: str, space: Space) -> State:
    """Return how far the vectors of a space have come."""
    standing = read_standing(connection, mark)
    dimension = standing.dimension if space is Space.MODEL else None
    return State(standing.epoch, standing.seq, dimension or _used(connection, mark, space))


def _used(connection: Connection, mark: str, space: Space) -> int | None:
    """Return the length of the vectors that are stored in a space."""
    remembered = connection.remembered()
    if remembered is not None and space in remembered:
        return cast("int | None", remembered[space])
    rows = connection.read(
        f"{names.VECTORS_OF} AND v.dimension IS NOT NULL RETURN v.dimension LIMIT 1",
        mark=mark,
        names=[names.space_name(kind, space) for kind in Kind],
    )
    found = rows[0][0] if rows else None
    if remembered is not None:
        remembered[space] = found
    return found
