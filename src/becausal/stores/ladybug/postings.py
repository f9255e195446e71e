# SPDX-License-Identifier: Apache-2.0
"""The text index of one kind of record, in memory: which records hold a term, and how often.

Every text is a document with a number. One that is changed or taken away keeps its number and gets the revision
at which it ended, so that a reader whose transaction began earlier still sees it.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, cast

from ...ports.store import TextHit, TextMatches
from ..terms import few_records, rank_by_rarest, rare_first

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.intp]
    Mask = NDArray[np.bool_]

FOREVER = (1 << 62) + 1

_WORTH_DROPPING = 1024  # documents that have ended, before the index is made anew without them
_FIRST_WALK = 256  # documents looked at before a filter is asked about more
_K1, _B = 1.2, 0.75  # of BM25 (Robertson and Zaragoza 2009), which only chooses candidates here


class Postings:
    """The documents of one kind. Not safe for threads: its owner locks it."""

    def __init__(self, documents: Iterable[tuple[str, str]]) -> None:
        """``documents`` are ids and terms, separated by blanks."""
        self._ids: list[str] = []
        self._lengths, self._born, self._died = array("q"), array("q"), array("q")
        self._numbers: dict[str, int] = {}
        self._ended: dict[str, list[int]] = defaultdict(list)
        self._terms: dict[str, tuple[array[int], array[int]]] = {}
        for id, terms in documents:
            self._add(id, terms.split(" "), 0)

    def apply(self, changes: Iterable[tuple[str, Sequence[str]]], revision: int, oldest: int) -> None:
        """Make the index hold exactly these terms from a revision on; no reader is older than ``oldest``."""
        for id, terms in changes:
            number = self._numbers.pop(id, None)
            if number is not None:
                self._died[number] = revision
                self._ended[id].append(number)
            if terms:
                self._add(id, terms, revision)
        ended = len(self._ids) - len(self._numbers)
        if ended > _WORTH_DROPPING and ended > len(self._numbers):
            self._drop_ended(oldest)

    def search(
        self,
        terms: Sequence[str],
        k: int,
        revision: int,
        few: Callable[[int], Sequence[str] | None],
        passing: Callable[[Sequence[str]], set[str]] | None,
    ) -> TextMatches:
        """See ``GraphStore.text_search``.

        ``few`` returns what a filter lets through, if that is no more than some records; ``passing`` those of
        some that it does, and is ``None`` without a filter.
        """
        import numpy as np

        alive = self._alive(revision)
        lengths = np.frombuffer(self._lengths, np.int64) if self._ids else np.zeros(0, np.int64)
        documents = int(alive.sum())
        total = int(lengths[alive].sum())
        postings = {term: self._posting(term, alive) for term in dict.fromkeys(terms)}
        counts = {term: len(numbers) for term, (numbers, _) in postings.items()}
        known = rare_first(counts)
        chosen = np.zeros(0, np.intp)
        if known:
            among = few(few_records(documents)) if passing is not None else None
            if among is not None:
                numbers = np.array(sorted(self._numbers_of(among, revision)), np.intp)
                scores = np.zeros(len(numbers))
                for term in known:
                    scores += (_frequencies(postings[term], numbers) > 0) / counts[term]
                best = np.argsort(-scores, kind="stable")[:k]
                chosen = numbers[best[scores[best] > 0]]
            else:
                mean = total / documents

                def rank(some: Sequence[str]) -> list[int]:
                    order = _ranked([postings[term] for term in some], lengths, documents, mean)
                    return cast("list[int]", self._passed(order, k, passing).tolist())

                chosen = np.array(rank_by_rarest(known, counts, k, rank), np.intp)
        return TextMatches(
            hits=self._hits(terms, postings, chosen),
            document_frequencies=tuple(counts[term] for term in terms),
            documents=documents,
            mean_length=total / documents if documents else 0.0,
        )

    def occurrences(self, terms: Sequence[str], ids: Sequence[str], revision: int) -> tuple[TextHit, ...]:
        """See ``GraphStore.occurrences``."""
        import numpy as np

        alive = self._alive(revision)
        postings = {term: self._posting(term, alive) for term in dict.fromkeys(terms)}
        numbers = np.array(sorted(self._numbers_of(dict.fromkeys(ids), revision)), np.intp)
        return tuple(hit for hit in self._hits(terms, postings, numbers) if any(hit.frequencies))

    def _add(self, id: str, terms: Sequence[str], revision: int) -> None:
        number = len(self._ids)
        self._ids.append(id)
        self._lengths.append(len(terms))
        self._born.append(revision)
        self._died.append(FOREVER)
        self._numbers[id] = number
        for term, times in Counter(terms).items():
            if (posting := self._terms.get(term)) is None:
                posting = self._terms[term] = (array("I"), array("I"))
            posting[0].append(number)
            posting[1].append(times)

    def _alive(self, revision: int) -> Mask:
        import numpy as np

        if not self._ids:
            return np.zeros(0, np.bool_)
        born, died = np.frombuffer(self._born, np.int64), np.frombuffer(self._died, np.int64)
        return np.asarray((born <= revision) & (died > revision))

    def _posting(self, term: str, alive: Mask) -> tuple[Numbers, Numbers]:
        """Return the documents alive that hold a term, in ascending order, and how often each does."""
        import numpy as np

        if (found := self._terms.get(term)) is None:
            return np.zeros(0, np.intp), np.zeros(0, np.intp)
        numbers, times = (np.frombuffer(part, np.uint32).astype(np.intp) for part in found)
        live = alive[numbers]
        return numbers[live], times[live]

    def _numbers_of(self, ids: Iterable[str], revision: int) -> list[int]:
        found = []
        for id in ids:
            number = self._numbers.get(id)
            candidates = self._ended.get(id, []) if number is None else [number, *self._ended.get(id, [])]
            found += [n for n in candidates if self._born[n] <= revision < self._died[n]]
        return found

    def _passed(self, order: Numbers, k: int, passing: Callable[[Sequence[str]], set[str]] | None) -> Numbers:
        import numpy as np

        if passing is None:
            return order[:k]
        passed: list[int] = []
        start, reach = 0, max(k, _FIRST_WALK)
        while start < len(order) and len(passed) < k:
            some = order[start : start + reach].tolist()
            allowed = passing([self._ids[number] for number in some])
            passed += [number for number in some if self._ids[number] in allowed]
            start, reach = start + reach, 4 * reach
        return np.array(passed[:k], np.intp)

    def _hits(
        self, terms: Sequence[str], postings: dict[str, tuple[Numbers, Numbers]], numbers: Numbers
    ) -> tuple[TextHit, ...]:
        columns = [_frequencies(postings[term], numbers).tolist() for term in terms]
        rows = zip(*columns, strict=True) if columns else [()] * len(numbers)
        return tuple(
            TextHit(self._ids[number], tuple(row), self._lengths[number])
            for number, row in zip(numbers.tolist(), rows, strict=True)
        )

    def _drop_ended(self, oldest: int) -> None:
        """Number the documents anew, without those that no reader can see any more."""
        import numpy as np

        keep = np.frombuffer(self._died, np.int64) > oldest
        kept = np.flatnonzero(keep).tolist()
        numbers = np.cumsum(keep) - 1
        terms = {}
        for term, (at, times) in self._terms.items():
            held = np.frombuffer(at, np.uint32)
            live = keep[held]
            if live.any():
                renumbered = array("I", numbers[held[live]].astype(np.uint32).tobytes())
                terms[term] = renumbered, array("I", np.frombuffer(times, np.uint32)[live].tobytes())
        self._terms = terms
        self._ids = [self._ids[number] for number in kept]
        self._lengths, self._born, self._died = (
            array("q", [part[number] for number in kept]) for part in (self._lengths, self._born, self._died)
        )
        self._numbers, self._ended = {}, defaultdict(list)
        for number, id in enumerate(self._ids):
            if self._died[number] == FOREVER:
                self._numbers[id] = number
            else:
                self._ended[id].append(number)


def _frequencies(posting: tuple[Numbers, Numbers], numbers: Numbers) -> Numbers:
    """Return how often some documents hold the term of a posting."""
    import numpy as np

    held, times = posting
    if not len(held):
        return np.zeros(len(numbers), np.intp)
    at = np.minimum(np.searchsorted(held, numbers), len(held) - 1)
    return np.where(held[at] == numbers, times[at], 0)


def _ranked(
    postings: Sequence[tuple[Numbers, Numbers]], lengths: NDArray[np.int64], documents: int, mean: float
) -> Numbers:
    """Return the documents in any of some postings, best first."""
    import numpy as np

    found = np.unique(np.concatenate([numbers for numbers, _ in postings]))
    scores = np.zeros(len(found))
    for numbers, times in postings:
        weight = np.log1p((documents - len(numbers) + 0.5) / (len(numbers) + 0.5))
        norm = _K1 * (1 - _B + _B * lengths[numbers] / (mean or 1))
        scores[np.searchsorted(found, numbers)] += weight * times * (_K1 + 1) / (times + norm)
    return np.asarray(found[np.argsort(-scores, kind="stable")])
