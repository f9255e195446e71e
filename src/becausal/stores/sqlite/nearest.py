# SPDX-License-Identifier: Apache-2.0
"""Nearest-neighbour search: exact, and filtered before the limit."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...domain.records import Kind
from ...errors import InvalidInput
from ...ports.store import Op, VectorHit, Where
from .matrix import Matrix
from .vectors import read_state
from .where import ids_alone, matching_ids

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ...ports.models import Vector
    from .matrix import Scores

_FIRST_WALK = 64  # records looked at before the filter's selectivity is judged
_SELECTIVE = 8  # a filter that lets fewer than one in this many through is asked for all it lets through


def search_vectors(
    db: sqlite3.Connection, matrix: Matrix, kind: Kind, vector: Vector, k: int, where: Where
) -> tuple[VectorHit, ...]:
    """See ``GraphStore.vector_search``; ``matrix`` is the one of ``kind`` and the space asked."""
    import numpy as np

    query = np.asarray(vector, np.float32)
    state = read_state(db, matrix.space)
    if query.ndim != 1 or query.size != (state.dimension or query.size) or not np.isfinite(query).all():
        raise InvalidInput(
            "vector", f"has shape {query.shape}; it must be ({state.dimension or 'n'},), finite numbers only"
        )
    query = query / (np.linalg.norm(query) or 1)
    if any(condition.field == "id" and condition.op in (Op.IN, Op.EQ) for condition in where):
        # A record that is gone has no vector either. Passages are asked for by the ids of their engrams.
        asked = ids_alone(where) if kind is not Kind.PASSAGE else None
        scores, ids = matrix.scores_of(db, state, query, matching_ids(db, kind, where) if asked is None else asked)
        return _hits(scores, ids, _best(scores, k))
    scores, ids = matrix.scores(db, state, query)
    if not where:
        return _hits(scores, ids, _best(scores, k))
    # The filter is asked about the best records first, until enough have passed it.
    passed: list[int] = []
    seen: set[int] = set()
    reach = max(k + k // 4, _FIRST_WALK)
    while len(seen) < len(scores):
        # Which of several equal scores are the last ones within reach may change with the reach.
        chunk = [i for i in _best(scores, reach).tolist() if i not in seen]
        seen.update(chunk)
        allowed = set(matching_ids(db, kind, where, among=[ids[i] for i in chunk]))
        passed += [i for i in chunk if ids[i] in allowed]
        if len(passed) >= k:
            break
        reach *= 4
        if len(passed) * _SELECTIVE < len(seen) < len(scores):
            scores, ids = matrix.scores_of(db, state, query, matching_ids(db, kind, where))
            return _hits(scores, ids, _best(scores, k))
    return _hits(scores, ids, np.array(passed[:k], np.intp))


def _best(scores: Scores, n: int) -> NDArray[np.intp]:
    """Return the positions of the ``n`` greatest scores, greatest first, of equal ones the earlier."""
    import numpy as np

    if n < len(scores):
        top = np.sort(np.argpartition(scores, len(scores) - n)[len(scores) - n :])
    else:
        top = np.arange(len(scores))
    return top[np.argsort(-scores[top], kind="stable")]


def _hits(scores: Scores, ids: Sequence[str], positions: NDArray[np.intp]) -> tuple[VectorHit, ...]:
    best = scores[positions].clip(-1.0, 1.0).tolist()
    return tuple([VectorHit(ids[i], score) for i, score in zip(positions.tolist(), best, strict=True)])
