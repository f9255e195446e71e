# SPDX-License-Identifier: Apache-2.0
"""Nearest-neighbour search, filtered before the limit: exact among some thousands, and on a shortlist of more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from ..domain.records import Kind
from ..errors import InvalidInput
from ..ports.store import Op, VectorHit, Where
from .matrix import Matrix, State, VectorRows, unit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..ports.models import Vector, Vectors
    from .matrix import Ids, Scores

_SHORTLIST = 16  # records compared for each one wanted, where not all are, and never fewer than …
_SHORTEST = 512
_FIRST_WALK = 64  # records looked at before the filter's selectivity is judged
_SELECTIVE = 8  # a filter that lets fewer than one in this many through is asked for all it lets through


_FEW = 1024  # vectors read by themselves rather than loading all

ById: TypeAlias = "Callable[[int, Sequence[str]], tuple[list[str], Vectors]]"
"""Returns those of some ids that have a vector of a dimension, each once, and these vectors (n, dimension)."""

Matching: TypeAlias = Callable[[Sequence[str] | None], list[str]]
"""Returns the ids of the records that pass a filter: all of them, or those among some."""


def search_vectors(
    matrix: Matrix,
    stored: VectorRows,
    state: State,
    kind: Kind,
    vector: Vector,
    k: int,
    where: Where,
    matching: Matching,
    by_id: ById | None = None,
) -> tuple[VectorHit, ...]:
    """See ``GraphStore.vector_search``.

    ``matrix`` is that of ``kind`` and the space asked, ``stored`` and ``state`` are what it follows, and
    ``matching`` is what ``where`` means. Where vectors can be read ``by_id``, asking for a few does not load them all.
    """
    import numpy as np

    query = np.asarray(vector, np.float32)
    if query.ndim != 1 or query.size != (state.dimension or query.size) or not np.isfinite(query).all():
        raise InvalidInput(
            "vector", f"has shape {query.shape}; it must be ({state.dimension or 'n'},), finite numbers only"
        )
    search = _Search(matrix, stored, state, matching, query / (np.linalg.norm(query) or 1), k)
    if any(condition.field == "id" and condition.op in (Op.IN, Op.EQ) for condition in where):
        # A record that is gone has no vector either. Passages are asked for by the ids of their engrams.
        asked = ids_alone(where) if kind is not Kind.PASSAGE else None
        chosen = matching(None) if asked is None else asked
        if by_id is not None and not matrix.loaded and len(chosen) <= _FEW:
            return search.apart(*by_id(query.size, chosen))
        return search.among(chosen)
    scores, ids, complete = matrix.closest(stored, state, search.query, max(_SHORTLIST * k, _SHORTEST))
    if not where:
        return _hits(scores, ids, _best(scores, k))
    found = search.filtered(scores, ids)
    if len(found) < k and not complete:
        found = search.filtered(*matrix.scores(stored, state, search.query))
    return found


def ids_alone(where: Where) -> Sequence[str] | None:
    """Return the ids if a filter asks for some ids and nothing else."""
    if len(where) == 1 and where[0].field == "id" and where[0].op is Op.IN and isinstance(where[0].value, tuple):
        return [id for id in where[0].value if isinstance(id, str)]
    return None


@dataclass(frozen=True, slots=True)
class _Search:
    """A question of the nearest records that match; ``query`` has length one."""

    matrix: Matrix
    stored: VectorRows
    state: State
    matching: Matching
    query: Vector
    k: int

    def among(self, ids: Sequence[str]) -> tuple[VectorHit, ...]:
        scores, present = self.matrix.scores_of(self.stored, self.state, self.query, ids)
        return _hits(scores, present, _best(scores, self.k))

    def apart(self, ids: Sequence[str], vectors: Vectors) -> tuple[VectorHit, ...]:
        import numpy as np

        scores = np.vecdot(unit(vectors), self.query)
        return _hits(scores, ids, _best(scores, self.k))

    def filtered(self, scores: Scores, ids: Ids) -> tuple[VectorHit, ...]:
        """Ask the filter about the best records first, until enough have passed it."""
        import numpy as np

        passed: list[int] = []
        seen: set[int] = set()
        reach = max(self.k + self.k // 4, _FIRST_WALK)
        while len(seen) < len(scores):
            # Which of several equal scores are the last ones within reach may change with the reach.
            chunk = [i for i in _best(scores, reach).tolist() if i not in seen]
            seen.update(chunk)
            allowed = set(self.matching([ids[i] for i in chunk]))
            passed += [i for i in chunk if ids[i] in allowed]
            if len(passed) >= self.k:
                break
            reach *= 4
            if len(passed) * _SELECTIVE < len(seen) < len(scores):
                return self.among(self.matching(None))
        return _hits(scores, ids, np.array(passed[: self.k], np.intp))


def _best(scores: Scores, n: int) -> NDArray[np.intp]:
    """Return the positions of the ``n`` greatest scores, greatest first, of equal ones the earlier."""
    import numpy as np

    if n < len(scores):
        top = np.sort(np.argpartition(scores, len(scores) - n)[len(scores) - n :])
    else:
        top = np.arange(len(scores))
    return top[np.argsort(-scores[top], kind="stable")]


def _hits(scores: Scores, ids: Ids, positions: NDArray[np.intp]) -> tuple[VectorHit, ...]:
    best = scores[positions].clip(-1.0, 1.0).tolist()
    return tuple([VectorHit(ids[i], score) for i, score in zip(positions.tolist(), best, strict=True)])
