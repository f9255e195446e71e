# SPDX-License-Identifier: Apache-2.0
"""Which records hold a term: the text index counts and lists them one by one, so what is common is remembered.

A record's place in the index is a number that grows. As long as no text was changed or taken away, which
``text_epoch`` in ``meta`` tells, only what was added since is read on, by this process or another.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from ...domain.records import Kind
from ..packing import TEXT_EPOCH_KEY
from .transaction import Transaction

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[np.int64]

COMMON = 256
"""Records from which on a term is remembered: those of fewer are read as quickly."""

_MOST = 4096  # terms
_MOST_NUMBERS = 4_000_000  # records of all of them
_REMEMBERED = (Kind.ENGRAM, Kind.PASSAGE)  # what questions are asked of


@dataclass(frozen=True, slots=True)
class _Known:
    """How many records up to the last one that was looked at hold a token, and, once asked for, which ones."""

    epoch: str
    last: int
    n: int
    numbers: Numbers | None = None


class Postings:
    """The records that hold common tokens. Safe to use from several threads."""

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}
        self._held = 0

    def at(self, db: sqlite3.Connection, kind: Kind) -> Snapshot:
        """Return what the open transaction sees of the records of one kind."""
        if kind not in _REMEMBERED:
            return Snapshot(self, db, None, 0)
        epoch, last = db.execute(
            "SELECT coalesce((SELECT value FROM meta WHERE key = ?), ''), coalesce(max(number), 0) FROM doc",
            (TEXT_EPOCH_KEY,),
        ).fetchone()
        return Snapshot(self, db, epoch, last)

    def known(self, token: str, epoch: str, last: int) -> _Known | None:
        """Return what is known of a token in an epoch, up to a record or an earlier one."""
        known = self._known.get(token)
        # Another thread may have seen a newer state than this transaction.
        return known if known is not None and known.epoch == epoch and known.last <= last else None

    def learn(self, token: str, new: _Known) -> None:
        if new.n < COMMON:
            return
        held = self._held + _size(new) - _size(self._known.get(token))
        if len(self._known) >= _MOST or held > _MOST_NUMBERS:
            self._known, held = {}, _size(new)
        self._known[token], self._held = new, held


class Snapshot:
    """What one transaction sees."""

    def __init__(self, postings: Postings, db: sqlite3.Connection, epoch: str | None, last: int) -> None:
        self._postings = postings
        self._db = db
        self._epoch = epoch
        self._last = last

    def frequencies(self, tokens: Iterable[str]) -> dict[str, int]:
        """Return in how many records each token is."""
        return {token: self._frequency(token) for token in tokens}

    def numbers(self, token: str) -> Numbers:
        """Return the numbers of the records that hold a token, in ascending order."""
        import numpy as np

        if self._epoch is None:
            return _listed(self._db, token, 0)
        known = self._postings.known(token, self._epoch, self._last)
        if known is None or known.numbers is None:
            numbers = _listed(self._db, token, 0)
        elif known.last == self._last:
            return known.numbers
        else:
            added = _listed(self._db, token, known.last)
            numbers = np.concatenate([known.numbers, added]) if len(added) else known.numbers
        self._postings.learn(token, _Known(self._epoch, self._last, len(numbers), numbers))
        return numbers

    def _frequency(self, token: str) -> int:
        if self._epoch is None:
            return _counted(self._db, token)
        known = self._postings.known(token, self._epoch, self._last)
        if known is None:
            n = _counted(self._db, token)
            self._postings.learn(token, _Known(self._epoch, self._last, n))
            return n
        if known.numbers is not None:
            return len(self.numbers(token))
        if known.last == self._last:
            return known.n
        n = known.n + _added(self._db, token, known.last)
        self._postings.learn(token, _Known(self._epoch, self._last, n))
        return n


def _size(known: _Known | None) -> int:
    return 0 if known is None or known.numbers is None else len(known.numbers)


def best_numbers(postings: Mapping[str, Numbers], weights: Mapping[str, float], k: int) -> Sequence[int]:
    """Return the ``k`` records with the highest sums of the weights of the tokens they hold, the best first."""
    import numpy as np

    every = np.concatenate([np.zeros(0, np.int64), *postings.values()])
    if not len(every):
        return ()
    scores = np.zeros(int(every.max()) + 1, np.float32)
    for token, numbers in postings.items():
        scores[numbers] += weights[token]
    of_each = scores[every]
    if len(every) > k:
        # A record with several tokens stands there several times, so that a few more are taken than are wanted.
        most = min(len(every), k * len(postings))
        every = every[of_each >= np.partition(of_each, len(of_each) - most)[len(of_each) - most]]
    found = np.unique(every)
    return [int(number) for number in found[np.argsort(-scores[found], kind="stable")[:k]]]


def start_text_epoch(tx: Transaction, kind: Kind) -> None:
    """Have every reader begin anew: texts of a kind are changed, or taken away."""
    if kind in _REMEMBERED:
        tx.db.execute(
            "INSERT INTO meta (key, value) VALUES (?, '1') "
            "ON CONFLICT (key) DO UPDATE SET value = CAST(value + 1 AS TEXT)",
            (TEXT_EPOCH_KEY,),
        )


def _counted(db: sqlite3.Connection, token: str) -> int:
    row = db.execute("SELECT doc FROM vocabulary WHERE term = ?", (token,)).fetchone()
    return row[0] if row else 0


def _added(db: sqlite3.Connection, token: str, after: int) -> int:
    """Return how many records behind a number hold a token; the index leaps over those before."""
    row = db.execute(
        "SELECT count(*) FROM fulltext WHERE fulltext MATCH ? AND rowid > ?", (_phrase(token), after)
    ).fetchone()
    return int(row[0])


def _listed(db: sqlite3.Connection, token: str, after: int) -> Numbers:
    """Return the records behind a number that hold a token."""
    import numpy as np

    # As one text they take a fraction of the time that as many rows take.
    row = db.execute(
        "SELECT group_concat(rowid) FROM fulltext WHERE fulltext MATCH ? AND rowid > ?", (_phrase(token), after)
    ).fetchone()
    return np.sort(np.array(row[0].split(","), np.int64)) if row[0] else np.zeros(0, np.int64)


def _phrase(token: str) -> str:
    return '"' + token.replace('"', '""') + '"'
