# SPDX-License-Identifier: Apache-2.0
"""What all text indexes agree on: what a term may be, and which of a query's terms candidates are looked for by."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ..errors import InvalidInput
from ..ports.store import Op, Where

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
