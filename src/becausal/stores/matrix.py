# SPDX-License-Identifier: Apache-2.0
"""The vectors of one kind and space in memory, as one matrix that follows what a store holds."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from .codes import SignCodes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..ports.models import Vector, Vectors

    Scores = NDArray[np.float32]
    Rows = NDArray[np.float32] | NDArray[np.int16]

_SMALLEST = 256  # rows

SWEPT = 4096
"""Rows up to which all are compared; among more, only those whose codes are near."""

COMPACT = 16_384
"""Rows up to which numbers are kept as they are; of more vectors, as 16-bit fractions, which takes half the memory.

What that adds to a cosine is about 0.00001, and 0.0003 at the very most for 384 numbers.
"""

_FRACTION = 32_767
_BLOCK = 2048  # rows made into full numbers at a time


@dataclass(frozen=True, slots=True)
class State:
    """How far the vectors of a store have come; ``dimension`` is ``None`` while nothing fixes it.

    Every change of a vector takes the next ``seq``. ``epoch`` counts what those numbers cannot tell: when it
    changes, a reader starts over.
    """

    epoch: int
    seq: int
    dimension: int | None


class VectorRows(Protocol):
    """The stored vectors of one kind and space, as one transaction sees them."""

    def load(self, dimension: int) -> Iterator[tuple[list[str], Vectors]]:
        """Return those of a dimension, some thousands at a time: ids and an array (n, dimension)."""
        ...

    def changed(self, dimension: int, after: int) -> Sequence[tuple[str, Vector | None]]:
        """Return what changed after a ``seq``, in order: ``None`` for what is gone or has another dimension."""
        ...


class Ids(Protocol):
    """The ids of the records that scores are of, in the same order."""

    def __getitem__(self, at: int, /) -> str: ...


@dataclass(frozen=True, slots=True)
class _Picked:
    """The ids of some rows. Of the many that are compared, only those of the best are ever asked for."""

    ids: Sequence[str]
    rows: NDArray[np.intp]

    def __getitem__(self, at: int, /) -> str:
        return self.ids[int(self.rows[at])]


class Matrix:
    """Unit vectors in the first rows of an array, without gaps: the last row moves to where one is taken away.

    All methods are safe to call from several threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._state: State | None = None
        self._rows: Rows | None = None
        self._codes: SignCodes | None = None
        self._sparse = False
        self._ids: list[str] = []
        self._slots: dict[str, int] = {}

    @property
    def loaded(self) -> bool:
        """Whether anything has been asked of it, so that it holds the vectors."""
        return self._state is not None

    def scores(self, stored: VectorRows, state: State, vector: Vector) -> tuple[Scores, Sequence[str]]:
        """Return the cosine similarity of a unit vector to every record, and the records' ids in the same order."""
        with self._lock:
            rows = self._follow(stored, state, vector.size)
            # The list may grow later, but what it holds now stays where it is.
            return _products(rows[: len(self._ids)], vector), self._ids

    def closest(self, stored: VectorRows, state: State, vector: Vector, n: int) -> tuple[Scores, Ids, bool]:
        """Return the same for the ``n`` records whose codes are nearest, and whether those are all there are.

        Of texts' vectors, 16 · k such records hold the ten nearest as good as always, and 97 in 100 of the k nearest.
        """
        with self._lock:
            rows = self._follow(stored, state, vector.size)
            held = len(self._ids)
            if held <= max(SWEPT, n) or self._sparse:
                return _products(rows[:held], vector), self._ids, True
            assert self._codes is not None
            near = self._codes.nearest(vector, held, n)
            return _products(rows[near], vector), _Picked(self._ids, near), False

    def scores_of(
        self, stored: VectorRows, state: State, vector: Vector, ids: Sequence[str]
    ) -> tuple[Scores, Sequence[str]]:
        """Return the same for those of ``ids`` that have a vector."""
        with self._lock:
            rows = self._follow(stored, state, vector.size)
            present = [id for id in ids if id in self._slots]
            return _products(rows[[self._slots[id] for id in present]], vector), present

    def _follow(self, stored: VectorRows, state: State, dimension: int) -> Rows:
        # Another thread may have seen a newer state of the store than this transaction: never go back.
        seen = self._state
        if seen is None or self._rows is None or seen.epoch < state.epoch or self._rows.shape[1] != dimension:
            self._load(stored, dimension)
            self._state = state
        elif seen.epoch == state.epoch and seen.seq < state.seq:
            self._apply(stored.changed(dimension, seen.seq))
            self._state = state
        assert self._rows is not None
        return self._rows

    def _load(self, stored: VectorRows, dimension: int) -> None:
        import numpy as np

        self._ids = []
        self._rows = np.empty((_SMALLEST, dimension), np.float32)
        self._codes = SignCodes(dimension, _SMALLEST)
        self._sparse = False
        for ids, vectors in stored.load(dimension):
            self._rows = _with_room(self._rows, len(self._ids), len(ids))
            self._rows[len(self._ids) : len(self._ids) + len(ids)] = _like(self._rows, unit(vectors))
            self._encode(len(self._ids), vectors)
            self._ids += ids
        self._slots = {id: slot for slot, id in enumerate(self._ids)}

    def _apply(self, changes: Sequence[tuple[str, Vector | None]]) -> None:
        if any(vector is None and id in self._slots for id, vector in changes):
            self._ids = self._ids.copy()  # a search that has the old list still reads it
        assert self._rows is not None
        assert self._codes is not None
        for id, vector in changes:
            slot = self._slots.get(id)
            if vector is None:
                if slot is not None:
                    self._remove(id, slot)
                continue
            if slot is None:
                slot = self._slots[id] = len(self._ids)
                self._rows = _with_room(self._rows, slot, 1)
                self._ids.append(id)
            self._rows[slot] = _like(self._rows, unit(vector))
            self._encode(slot, vector[None, :])

    def _encode(self, slot: int, vectors: Vectors) -> None:
        assert self._codes is not None
        self._codes.put(slot, vectors)
        # Where most numbers are zero, as with hashed words, signs say little of a direction.
        self._sparse = self._sparse or bool(((vectors == 0).sum(axis=1) > vectors.shape[1] // 4).any())

    def _remove(self, id: str, slot: int) -> None:
        assert self._rows is not None
        assert self._codes is not None
        last = self._ids.pop()
        del self._slots[id]
        if last != id:
            self._rows[slot] = self._rows[len(self._ids)]
            self._codes.move(len(self._ids), slot)
            self._ids[slot] = last
            self._slots[last] = slot


def _products(rows: Rows, vector: Vector) -> Scores:
    import numpy as np

    # Not ``rows @ vector``: that wakes a thread pool, which on a machine with other work to do takes several
    # times as long as one thread, for what is bound by the speed of memory anyway.
    if rows.dtype == np.float32:
        return np.asarray(np.vecdot(rows, vector), np.float32)
    scores = np.empty(len(rows), np.float32)
    for at in range(0, len(rows), _BLOCK):
        scores[at : at + _BLOCK] = np.vecdot(rows[at : at + _BLOCK].astype(np.float32), vector)
    scores /= _FRACTION
    return scores


def _with_room(rows: Rows, held: int, more: int) -> Rows:
    """Return an array with room for more rows than are held, of full numbers or fractions, as so many are kept."""
    import numpy as np

    if held + more <= len(rows):
        return rows
    shape = max(held + more, 2 * len(rows)), rows.shape[1]
    larger: Rows = np.empty(shape, np.float32) if held + more <= COMPACT else np.empty(shape, np.int16)
    old = rows[:held]
    larger[:held] = old if old.dtype == larger.dtype else _like(larger, np.asarray(old, np.float32))
    return larger


def _like(rows: Rows, vectors: Vectors) -> Rows:
    """Return unit vectors in the form that rows have."""
    import numpy as np

    return vectors if rows.dtype == np.float32 else np.rint(vectors * np.float32(_FRACTION)).astype(np.int16)


def unit(vectors: Vectors) -> Vectors:
    """Return vectors, the last axis, scaled to length one; what is all zeros stays so."""
    import numpy as np

    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), np.float32)
