# SPDX-License-Identifier: Apache-2.0
"""An owner's root node: which write came last, how far the vectors have come, and the counts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ...ports.batch import Space
from ..matrix import State
from ..packing import DIMENSION_KEY
from .session import Session

MATCH = "MATCH (r:Root) WHERE r._owner = $o OPTIONAL MATCH (m:Meta) WHERE m._owner = $o AND m._id = $dimension "
COLUMNS = "r.rev, r.seq, r.epoch, r.tally, r.version, r.last, r.model, r.hashed, m.value"
_KEY = "root"


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """``dimensions``: how long the vectors of each space are, as far as anything fixes it."""

    rev: int
    seq: int
    epoch: int
    tally: Mapping[str, int]
    version: int
    last: str | None
    dimensions: Mapping[Space, int | None]

    def state(self, space: Space) -> State:
        """Return how far the vectors of a space have come."""
        return State(self.epoch, self.seq, self.dimensions[space])


def known_root(session: Session) -> Root:
    """Return the root node as this thread's snapshot has read it; without a snapshot, as it is now."""
    remembered = session.remembered()
    return cast(Root, (remembered or {}).get(_KEY)) or read_root(session)


def read_root(session: Session) -> Root:
    """Return the root node as it is now."""
    return root_of(session, session.read(f"{MATCH}RETURN {COLUMNS}", dimension=DIMENSION_KEY)[0])


def root_of(session: Session, row: Sequence[Any]) -> Root:
    """Return the root node of ``COLUMNS`` as they are now."""
    rev, seq, epoch, tally, version, last, model, hashed, dimension = row
    root = Root(
        rev=rev,
        seq=seq,
        epoch=epoch,
        tally=json.loads(tally),
        version=version,
        last=last,
        dimensions={Space.MODEL: int(dimension) if dimension else model, Space.HASHED: hashed},
    )
    if (remembered := session.remembered()) is not None:
        remembered[_KEY] = root
    return root
