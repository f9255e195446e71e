# SPDX-License-Identifier: Apache-2.0
"""What all text indexes agree on: what a term may be, and which of a query's terms candidates are looked for by."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from ..errors import InvalidInput
from ..ports.store import Op, Where

T = TypeVar("T")

ENOUGH_ROWS = 1000
"""How many postings a ranking reads, the rarest terms' first; more only where the filter leaves too few records."""

FEW_RECORDS = 500
"""Records that a filter lets through, if no more (or a twentieth of all), are read instead of ranking everything."""

MOST_TERMS = 256
"""How many terms a ranking takes, the rarest."""

_UNSELECTIVE = (Op.NULL, Op.NE)
_NOT_IN_TERMS = re.compile("[\x00-\x20\x7f]")


def check_terms(terms: Sequence[str]) -> None:
    """Refuse what is no term.

    Raises:
        InvalidInput: one is empty or holds a space or a control character.
    """
    if _NOT_IN_TERMS.search("".join(terms)) or not all(terms):
        raise InvalidInput("terms", "must each be at least one character, without spaces and control characters")


def is_selective(where: Where) -> bool:
    """Tell whether it is worth asking how much a filter lets through."""
    return any(condition.op not in _UNSELECTIVE for condition in where)


def few_records(documents: int) -> int:
    """Return how many records that pass a filter are few, of this many in all."""
    return max(FEW_RECORDS, documents // 20)


def rare_first(frequencies: Mapping[str, int]) -> list[str]:
    """Return the terms that any record holds, the rarest first, as many as a ranking takes."""
    return sorted((term for term, n in frequencies.items() if n), key=frequencies.__getitem__)[:MOST_TERMS]


def rank_by_rarest(
    known: Sequence[str],
    frequencies: Mapping[str, int],
    k: int,
    rank: Callable[[Sequence[str]], Sequence[T]],
    rows: int = 0,
) -> Sequence[T]:
    """Return what ``rank`` finds by the rarest terms, and by more and more of them while that is fewer than ``k``.

    ``known`` are in the order of ``rare_first``; ``rows`` are about as many postings as it reads at first.
    """
    found: Sequence[T] = ()
    ranked, rows = 0, rows or ENOUGH_ROWS
    while len(found) < k and ranked < len(known):
        chosen = rarest(known, frequencies, k, rows)
        if len(chosen) > ranked:
            found = rank(chosen)
        ranked, rows = len(chosen), 8 * rows
    return found


def most_telling(
    records: Sequence[T], frequencies: Mapping[str, int], k: int, text: Callable[[T], str | None]
) -> list[T]:
    """Return those of a few records whose text holds any term; of more than ``k``, those with the most rare terms.

    ``frequencies`` are by what stands for a term in a text.
    """
    weights = {term: 1 / n for term, n in frequencies.items()}
    scored = []
    for record in records:
        held = text(record) or ""
        scored.append((sum(weight for term, weight in weights.items() if term in held), record))
    return [record for score, record in sorted(scored, key=lambda item: -item[0])[:k] if score]


def rarest(known: Sequence[str], frequencies: Mapping[str, int], k: int, rows: int) -> list[str]:
    """Return the rarest terms, as many as match about ``rows`` records: a common one decides little and costs most.

    ``known`` are in the order of their frequencies.
    """
    chosen: list[str] = []
    total = 0
    for term in known:
        if total >= k and total + frequencies[term] > rows:
            break
        chosen.append(term)
        total += frequencies[term]
    return chosen
